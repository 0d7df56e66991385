#include "spool/rlimits.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/text/utf8.h"

struct limit_name {
    const char *name;
    int resource;
    bool bytes;
};

static const struct limit_name limit_names[] = {
    {"cpu", RLIMIT_CPU, false},       {"fsize", RLIMIT_FSIZE, true},   {"data", RLIMIT_DATA, true},
    {"stack", RLIMIT_STACK, true},    {"core", RLIMIT_CORE, true},     {"nproc", RLIMIT_NPROC, false},
    {"nofile", RLIMIT_NOFILE, false}, {"memlock", RLIMIT_MEMLOCK, true}, {"as", RLIMIT_AS, true},
};
#define LIMIT_NAMES (sizeof limit_names / sizeof *limit_names)

static const struct limit_name *limit_find(const char *name)
{
    for (size_t i = 0; i < LIMIT_NAMES; i++)
        if (strcmp(limit_names[i].name, name) == 0)
            return &limit_names[i];
    return NULL;
}

static int limit_unknown(const char *name, struct error *e)
{
    struct buf names = {0};
    for (size_t i = 0; i < LIMIT_NAMES; i++)
        buf_format(&names, "%s%s", i ? " " : "", limit_names[i].name);
    error_set(e, ERROR_USAGE, "'%.*s' is no resource limit: there are %s", UTF8_WORD(name), buf_string(&names));
    buf_clear(&names);
    return -(int)ERROR_USAGE;
}

/* One value, up to `end`. */
static bool limit_value(const struct limit_name *limit, const char *text, const char *end, rlim_t *out)
{
    static const char units[] = "KMGT", unlimited[] = "unlimited";
    if ((size_t)(end - text) == sizeof unlimited - 1 && memcmp(text, unlimited, sizeof unlimited - 1) == 0) {
        *out = RLIM_INFINITY;
        return true;
    }
    rlim_t n = 0;
    const char *p = text;
    for (; p < end && *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, (rlim_t)(*p - '0'), &n))
            return false;
    if (p == text)
        return false;
    if (p < end && limit->bytes) {
        const char *unit = strchr(units, toupper((unsigned char)*p++));
        for (const char *u = units; unit && u <= unit; u++)
            if (__builtin_mul_overflow(n, 1024, &n))
                return false;
        if (!unit)
            return false;
    }
    if (p != end || n == RLIM_INFINITY)
        return false;
    *out = n;
    return true;
}

int rlimits_parse(const char *name, const char *text, struct child_limit *out, struct error *e)
{
    const struct limit_name *limit = limit_find(name);
    if (!limit)
        return limit_unknown(name, e);
    struct rlimit value;
    const char *end = text + strlen(text), *colon = strchr(text, ':');
    bool ok = limit_value(limit, text, colon ? colon : end, &value.rlim_cur);
    if (ok && colon)
        ok = limit_value(limit, colon + 1, end, &value.rlim_max);
    else
        value.rlim_max = value.rlim_cur;
    if (!ok)
        return error_set(e, ERROR_USAGE, "%s: '%.*s' is no limit: write soft or soft:hard, each a number%s or `unlimited`", name, UTF8_WORD(text),
                         limit->bytes ? " of bytes (K M G T)" : "");
    if (value.rlim_cur > value.rlim_max)
        return error_set(e, ERROR_USAGE, "%s: the soft limit is above the hard one", name);
    *out = (struct child_limit){.resource = limit->resource, .value = value};
    return 0;
}

int rlimits_all(const struct strvec *list, struct child_limit **out, int *count, struct error *e)
{
    struct child_limit *limits = list->count ? mem_zero(list->count, sizeof *limits) : NULL;
    for (size_t i = 0; i < list->count; i++) {
        char *name = mem_string(list->items[i]), *equals = strchr(name, '=');
        if (equals)
            *equals = '\0';
        int failed = rlimits_parse(name, equals ? equals + 1 : "", &limits[i], e);
        free(name);
        if (failed) {
            free(limits);
            return failed;
        }
    }
    *out = limits;
    *count = (int)list->count;
    return 0;
}
