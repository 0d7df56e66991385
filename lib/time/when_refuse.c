#include "lib/time/when_refuse.h"

#include <string.h>

#include "lib/time/duration.h"

static int place_all(const char *text, struct error *e)
{
    return error_place(e, text, 1, 1, *text ? (int)strlen(text) : 1);
}

int when_refuse_past(const char *text, const struct zone *z, instant at, instant now, struct error *e)
{
    struct buf b = {0};
    duration distance;
    instant_format_local(&b, at, z, false);
    buf_text(&b, " is past (");
    duration_distance(&b, __builtin_sub_overflow(at, now, &distance) ? INT64_MIN : distance);
    buf_char(&b, ')');
    error_set(e, ERROR_USAGE, "%s", buf_string(&b));
    buf_clear(&b);
    return place_all(text, e);
}

int when_refuse_skipped(const char *text, const struct zone *z, const struct civil *c, instant jump, struct error *e)
{
    struct civil after = zone_civil(z, jump);
    error_set(e, ERROR_USAGE,
        "there is no %02d:%02d:%02d on %04d-%02d-%02d in %.100s: the clock is put forward then, "
        "to %02d:%02d:%02d",
        c->hour, c->minute, c->second, c->year, c->month, c->day, zone_name(z), after.hour, after.minute, after.second);
    return place_all(text, e);
}

int when_refuse_far(const char *text, struct error *e)
{
    error_set(e, ERROR_USAGE, "that is too far away: times end in the year 2262");
    return place_all(text, e);
}
