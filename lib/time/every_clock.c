#include "lib/time/every_clock.h"

#define HOUR (3600 * SECOND)
#define DAY (24 * HOUR)
#define MONDAY (4 * DAY) /* 5 January 1970 */
#define REACH (INSTANT_NEVER - 400 * DAY)

static int64_t floor_to(int64_t n, int64_t step)
{
    int64_t rest = n % step;
    return n - (rest < 0 ? rest + step : rest);
}

/* The first tick at or after the local time. */
static int64_t tick_from(duration every, int64_t local)
{
    if (every % DAY == 0) {
        int64_t before = floor_to(local - MONDAY, every) + MONDAY;
        return before < local ? before + every : before;
    }
    int64_t midnight = floor_to(local, DAY), of_day = local - midnight;
    int64_t tick = (of_day + every - 1) / every * every;
    return midnight + (tick < DAY ? tick : DAY);
}

static struct occurrence tick_occurrence(duration every, const struct zone *z, instant at)
{
    struct civil local = zone_civil(z, at);
    struct zone_local_time t = zone_resolve(z, &local);
    enum occurrence_note note = OCCURRENCE_PLAIN;
    if (t.fit == ZONE_FOLD && at != t.first)
        note = OCCURRENCE_AGAIN;
    else if (t.fit == ZONE_FOLD && every > HOUR)
        note = OCCURRENCE_FIRST;
    return (struct occurrence){at, note};
}

struct occurrence every_clock_next(duration every, const struct zone *z, instant after)
{
    if (every > REACH || after > REACH - every)
        return (struct occurrence){.at = INSTANT_NEVER};
    instant from = after + 1; /* the first moment that may be the answer; the offset is the same from here to `end` */
    for (;;) {
        int64_t offset = zone_offset_at(z, from).seconds * SECOND;
        instant end = zone_next_change(z, from);
        int64_t tick = tick_from(every, from + offset);
        if (tick - offset < end) {
            struct occurrence o = tick_occurrence(every, z, tick - offset);
            if (o.note != OCCURRENCE_AGAIN || every <= HOUR)
                return o;
            from = o.at + 1;
            continue;
        }
        int64_t then = zone_offset_at(z, end).seconds * SECOND;
        if (every > HOUR && tick < end + then)
            return (struct occurrence){end, OCCURRENCE_MOVED};
        from = end;
    }
}
