#include "lib/time/duration.h"

#include <stdbool.h>
#include <string.h>

#include "lib/time/duration_iso.h"

struct unit {
    const char *name;
    duration length;
};

static const struct unit units[] = {
    {"w", INT64_C(604800000000000)},
    {"d", INT64_C(86400000000000)},
    {"h", INT64_C(3600000000000)},
    {"m", INT64_C(60000000000)},
    {"s", INT64_C(1000000000)},
    {"ms", INT64_C(1000000)},
};
enum { UNITS = sizeof units / sizeof units[0], WEEK = 0, DAY = 1, HOUR = 2, MINUTE = 3, SEC = 4, MILLI = 5 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static int unit_find(const char *name, size_t length)
{
    for (int i = 0; i < UNITS; i++)
        if (strlen(units[i].name) == length && !memcmp(units[i].name, name, length))
            return i;
    return -1;
}

/* What people write for a unit begins with ours: `min`, `hours`, `days`, and `M`. */
static int unit_refuse(const char *text, const char *at, size_t length, struct error *e)
{
    char lower[2] = {*at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : *at, 0};
    int shown = length > 20 ? 20 : (int)length;
    if (unit_find(lower, 1) >= 0 && strncmp(at, "mon", 3) != 0 && strncmp(at, "mic", 3) != 0)
        error_set(e, ERROR_USAGE, "'%.*s' is not a unit: write '%s'%s", shown, at, lower,
            *lower == 'm' ? " for minutes" : "");
    else
        error_set(e, ERROR_USAGE, "'%.*s' is not a unit: take ms, s, m, h, d or w", shown, at);
    return error_place(e, text, 1, (int)(at - text) + 1, (int)length);
}

static int number_refuse(const char *text, const char *at, const char *end, struct error *e)
{
    int shown = end - at > 20 ? 20 : (int)(end - at);
    if (!*text)
        error_set(e, ERROR_USAGE, "the duration is empty: write it like 90s, 15m or 1h30m");
    else if (*at == '-' || *at == '+')
        error_set(e, ERROR_USAGE, "a duration has no sign: write it like 90s, 15m or 1h30m");
    else if (at == end)
        error_set(e, ERROR_USAGE, "a number and a unit are expected, like 90s, 15m or 1h30m");
    else if (*end == '.' || *end == ',')
        error_set(e, ERROR_USAGE, "a duration has no fraction: write 1h30m for one and a half hours");
    else
        error_set(e, ERROR_USAGE, "%.*s has no unit: write %.*ss, %.*sm or %.*sh", shown, at, shown, at, shown, at,
            shown, at);
    return error_place(e, text, 1, (int)(at - text) + 1, end > at ? (int)(end - at) : 1);
}

static int order_refuse(const char *text, const char *at, int width, bool twice, struct error *e)
{
    if (twice)
        error_set(e, ERROR_USAGE, "the same unit stands there twice");
    else
        error_set(e, ERROR_USAGE, "the largest unit comes first, like 1d12h or 1h30m");
    return error_place(e, text, 1, (int)(at - text) + 1, width);
}

int duration_parse(const char *text, duration *out, struct error *e)
{
    duration sum = 0;
    int last = -1;
    const char *at = text;
    if (duration_is_iso(text))
        return duration_parse_iso(text, out, e);
    do {
        int64_t number = 0;
        bool over = false;
        const char *end = at;
        for (; is_digit(*end); end++)
            over |= __builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, *end - '0', &number);
        if (end == at || !is_letter(*end))
            return number_refuse(text, at, end, e);
        const char *name = end;
        while (is_letter(*end))
            end++;
        int unit = unit_find(name, (size_t)(end - name));
        if (unit < 0)
            return unit_refuse(text, name, (size_t)(end - name), e);
        if (unit <= last)
            return order_refuse(text, at, (int)(end - at), unit == last, e);
        over |= __builtin_mul_overflow(number, units[unit].length, &number);
        if (over || __builtin_add_overflow(sum, number, &sum)) {
            error_set(e, ERROR_USAGE, "the duration is too long: 292 years is the most");
            return error_place(e, text, 1, (int)(at - text) + 1, (int)(end - at));
        }
        last = unit;
        at = end;
    } while (*at);
    *out = sum;
    return 0;
}

void duration_format(struct buf *b, duration d)
{
    if (d < 0) {
        buf_text(b, "none");
        return;
    }
    if (d == 0) {
        buf_text(b, "0s");
        return;
    }
    int64_t left = d / units[MILLI].length; /* in milliseconds */
    if (d % units[MILLI].length && left < INT64_MAX / units[MILLI].length)
        left++;
    int64_t week = units[WEEK].length / units[MILLI].length;
    if (left % week == 0) {
        buf_format(b, "%lldw", (long long)(left / week));
        return;
    }
    for (int i = DAY; i < UNITS; i++) {
        int64_t length = units[i].length / units[MILLI].length;
        if (left >= length)
            buf_format(b, "%lld%s", (long long)(left / length), units[i].name);
        left %= length;
    }
}

enum { DISTANCE_DAYS = 30 }; /* from here on hours say nothing to anybody */

/* The unit to round to, so that at most two units remain. */
static uint64_t distance_step(uint64_t size)
{
    if (size >= DISTANCE_DAYS * (uint64_t)units[DAY].length)
        return (uint64_t)units[DAY].length;
    if (size >= (uint64_t)units[DAY].length)
        return (uint64_t)units[HOUR].length;
    if (size >= (uint64_t)units[HOUR].length)
        return (uint64_t)units[MINUTE].length;
    if (size >= (uint64_t)units[SEC].length)
        return (uint64_t)units[SEC].length;
    return (uint64_t)units[MILLI].length;
}

void duration_distance(struct buf *b, duration d)
{
    uint64_t size = d < 0 ? -(uint64_t)d : (uint64_t)d;
    uint64_t step = distance_step(size);
    size = (size + step / 2) / step * step;
    if (!size) {
        buf_text(b, "now");
        return;
    }
    const char *before = d > 0 ? "in " : "";
    for (int i = DAY; i < UNITS; i++) {
        uint64_t length = (uint64_t)units[i].length;
        if (size >= length) {
            buf_format(b, "%s%llu%s", before, (unsigned long long)(size / length), units[i].name);
            before = " ";
        }
        size %= length;
    }
    if (d < 0)
        buf_text(b, " ago");
}
