#include "lib/time/instant.h"

#include "lib/time/zone.h"

instant instant_add(instant a, int64_t nanoseconds)
{
    if (a == INSTANT_NONE || a == INSTANT_NEVER)
        return a;
    instant sum;
    bool over = __builtin_add_overflow(a, nanoseconds, &sum);
    if (over || sum == INSTANT_NONE || sum == INSTANT_NEVER)
        return nanoseconds > 0 ? INSTANT_NEVER - 1 : INSTANT_NONE + 1;
    return sum;
}

static int64_t instant_seconds(instant t)
{
    return t / SECOND - (t % SECOND < 0);
}

static int instant_nano(instant t)
{
    int rest = (int)(t % SECOND);
    return rest < 0 ? rest + (int)SECOND : rest;
}

static bool format_special(struct buf *b, instant t)
{
    if (t == INSTANT_NONE || t == INSTANT_NEVER)
        buf_text(b, t == INSTANT_NONE ? "none" : "never");
    return t == INSTANT_NONE || t == INSTANT_NEVER;
}

static void format_civil(struct buf *b, int64_t seconds, int nano, char between)
{
    struct civil c = civil_from_seconds(seconds);
    buf_format(b, "%04d-%02d-%02d%c%02d:%02d:%02d", c.year, c.month, c.day, between, c.hour, c.minute, c.second);
    if (!nano)
        return;
    buf_format(b, ".%09d", nano);
    while (b->data[b->length - 1] == '0')
        buf_cut(b, b->length - 1);
}

void instant_format_utc(struct buf *b, instant t)
{
    if (format_special(b, t))
        return;
    format_civil(b, instant_seconds(t), instant_nano(t), 'T');
    buf_char(b, 'Z');
}

/* RFC 3339 has no seconds in an offset: old local mean times are shown with the nearest offset that it can say, so that
 * the instant is still the true one (its section 5.8). */
static int offset_minutes(int32_t seconds)
{
    return (seconds + (seconds < 0 ? -30 : 30)) / 60;
}

void instant_format_local(struct buf *b, instant t, const struct zone *z, bool iso)
{
    if (format_special(b, t))
        return;
    int minutes = offset_minutes(zone_offset_at(z, t).seconds);
    int size = minutes < 0 ? -minutes : minutes;
    format_civil(b, instant_seconds(t) + minutes * 60, instant_nano(t), iso ? 'T' : ' ');
    buf_format(b, "%s%c%02d:%02d", iso ? "" : " ", minutes < 0 ? '-' : '+', size / 60, size % 60);
}
