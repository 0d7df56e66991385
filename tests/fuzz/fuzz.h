/* What the fuzz targets share. A target takes bytes and does not only have to survive them: it checks what must hold of
 * any answer, and stops with abort() where it does not. Zone and now are chosen by a hash of the bytes, so that a
 * corpus is plain text. */
#ifndef AX_FUZZ_H
#define AX_FUZZ_H

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/error.h"
#include "lib/base/mem.h"
#include "lib/time/instant.h"
#include "lib/time/zone.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static inline void fuzz_fail(const char *format, ...) __attribute__((format(printf, 1, 2), noreturn));
static inline void fuzz_fail(const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    fputs("property broken: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    abort();
}

#define FUZZ_CHECK(condition, ...) ((condition) ? (void)0 : fuzz_fail(__VA_ARGS__))

/* The bytes as a text, on the heap and not a byte longer, so that a sanitizer sees a read past its end. */
static inline char *fuzz_text(const uint8_t *data, size_t size)
{
    char *text = malloc(size + 1);
    if (!text)
        abort();
    if (size)
        memcpy(text, data, size);
    text[size] = '\0';
    char *exact = strdup(text);
    free(text);
    return exact;
}

static inline uint64_t fuzz_hash(const void *data, size_t size)
{
    const unsigned char *p = data;
    uint64_t hash = UINT64_C(0xcbf29ce484222325);
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ p[i]) * UINT64_C(0x100000001b3);
    hash ^= hash >> 29;
    return hash * UINT64_C(0xbf58476d1ce4e5b9) ^ hash >> 32;
}

/* Zones with all that clocks do: jumps of one hour and of half an hour, at midnight, summer time that is less. */
static inline const struct zone *fuzz_zone(uint64_t hash)
{
    static const char *const rules[] = {"UTC0", "CET-1CEST,M3.5.0,M10.5.0/3", "EST5EDT,M3.2.0,M11.1.0",
        "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0", "IST-1GMT0,M10.5.0,M3.5.0/1", "<-04>4<-03>,M9.1.6/24,M4.1.6/24",
        "<-02>2<-01>,M3.5.0/-1,M10.5.0/0", "<+1245>-12:45<+1345>,M9.5.0/2:45,M4.1.0/3:45"};
    enum { COUNT = sizeof rules / sizeof rules[0] };
    static struct zone *zones[COUNT];
    size_t i = hash % COUNT;
    if (!zones[i] && zone_local(rules[i], &zones[i], NULL) < 0)
        fuzz_fail("%s is no zone", rules[i]);
    return zones[i];
}

/* Half of them any time between 1970 and 2100, half within two hours of a change of the clock. */
static inline instant fuzz_now(const struct zone *z, uint64_t hash)
{
    instant now = (instant)(hash % (UINT64_C(130) * 365 * 86400)) * SECOND;
    instant change = hash >> 60 & 1 ? zone_next_change(z, now) : INSTANT_NEVER;
    if (change != INSTANT_NEVER)
        now = change + ((instant)(hash >> 40 & 0x3fff) - 0x2000) * SECOND;
    return now + (hash >> 61 & 1 ? (instant)(hash >> 32) % SECOND : 0);
}

/* An error of bad input: one line of text, and a place that lies in the text or right behind it. */
static inline void fuzz_error(const struct error *e, int code, const char *text)
{
    FUZZ_CHECK(code == -ERROR_USAGE && e->code == ERROR_USAGE, "the code is %d, the error's %d", code, (int)e->code);
    FUZZ_CHECK(e->text[0] && !strchr(e->text, '\n'), "the error's text is '%s'", e->text);
    FUZZ_CHECK(e->line == 1 && e->column >= 1, "the place is line %d, column %d", e->line, e->column);
    FUZZ_CHECK((size_t)e->column <= strlen(text) + 1, "the place is column %d of '%s'", e->column, text);
}

#endif
