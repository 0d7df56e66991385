#include "cmd/moment.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/time/duration.h"
#include "lib/time/when.h"

/* The first moment of the day that is so many days away from that of t. */
static instant day_start(const struct zone *z, instant t, int days)
{
    struct civil c = zone_civil(z, t);
    c = civil_from_seconds((civil_days(c.year, c.month, c.day) + days) * 86400);
    struct zone_local_time found = zone_resolve(z, &c);
    return found.fit == ZONE_GAP ? found.jump : found.first;
}

/* A word for a day at the beginning of the text: sets *rest to what follows it and its blanks. */
static bool day_word(const char *text, int *days, const char **rest)
{
    static const struct {
        const char *word;
        int days;
    } words[] = {{"yesterday", -1}, {"today", 0}, {"tomorrow", 1}};
    *days = 0;
    *rest = text;
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        size_t length = strlen(words[i].word);
        if (strncmp(text, words[i].word, length) == 0 && (text[length] == ' ' || !text[length])) {
            *days = words[i].days;
            *rest = text + length + strspn(text + length, " ");
            return true;
        }
    }
    return false;
}

static bool is_clock(const char *text)
{
    size_t hour = strspn(text, "0123456789");
    return (hour == 1 || hour == 2) && text[hour] == ':';
}

static int clock_on_day(const char *clock, const struct zone *z, instant now, int days, instant *out, struct error *e)
{
    struct civil c = zone_civil(z, now);
    c = civil_from_seconds((civil_days(c.year, c.month, c.day) + days) * 86400);
    char *iso = mem_format("%04d-%02d-%02dT%s%s", c.year, c.month, c.day, clock[1] == ':' ? "0" : "", clock);
    int code = instant_parse_iso(iso, z, out, NULL);
    free(iso);
    return code < 0 ? error_set(e, ERROR_USAGE, "'%.*s' is no time of day: it is written like 17:30 or 17:30:15", UTF8_WORD(clock)) : 0;
}

static bool is_day(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return (digits == 8 && !text[8]) || (digits == 4 && text[4] == '-' && strlen(text) == 10);
}

static int parse_other(const char *text, enum moment_kind kind, const struct zone *z, instant now, instant *out, struct error *e)
{
    duration d;
    struct when when;
    if (duration_parse(text, &d, NULL) == 0) {
        *out = instant_add(now, kind == MOMENT_AHEAD ? d : -d);
        return 0;
    }
    if (strspn(text, "0123456789") >= 4)
        return instant_parse_iso(text, z, out, e);
    if (kind == MOMENT_AHEAD && when_at(text, z, now, &when, NULL) == 0) {
        *out = when.at;
        return 0;
    }
    return error_set(e, ERROR_USAGE, "'%.*s' is no time: take a duration such as 2h, 17:30, %s, 2026-12-24 or 2026-12-24T18:00", UTF8_WORD(text),
                     kind == MOMENT_AHEAD ? "tomorrow" : "yesterday");
}

int moment_parse(const char *text, enum moment_kind kind, const struct zone *z, instant now, instant *out, struct error *e)
{
    int days, whole = kind == MOMENT_UNTIL;
    const char *rest;
    bool day = day_word(text, &days, &rest);
    if (*text == '@')
        return instant_parse_epoch(text, out, e);
    if (is_clock(rest)) {
        int code = clock_on_day(rest, z, now, days, out, e);
        if (code == 0 && !day && kind != MOMENT_AHEAD && *out > now) /* the last time the clock said so */
            code = clock_on_day(rest, z, now, -1, out, e);
        return code;
    }
    if (day && !*rest) {
        *out = day_start(z, now, days + whole);
        return 0;
    }
    if (strcmp(text, "now") == 0) {
        *out = now;
        return 0;
    }
    instant t;
    int code = parse_other(text, kind, z, now, &t, e);
    if (code == 0)
        *out = whole && is_day(text) ? day_start(z, t, 1) : t;
    return code;
}
