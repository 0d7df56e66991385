/* The next time of a calendar expression: the fields of the local clock, then the zone.
 *
 * A local time that the clock skips is left out: the search goes on at the first local time after the jump. Of one that
 * comes twice the first pass counts, unless it lies behind: then the start is in the second pass, and so is the answer.
 */
#include "lib/time/calendar_parts.h"

struct moment {
    int year, month, day, hour, minute;
    int32_t micro; /* of the minute */
};

/* The first set bit from `from` on, or -1. */
static int bit_next(uint64_t bits, int from)
{
    uint64_t rest = from > 63 ? 0 : bits >> from << from;
    return rest ? __builtin_ctzll(rest) : -1;
}

/* Moves m to the first matching time of day from there on; false if the day has no more. */
static bool time_next(const struct calendar *c, struct moment *m)
{
    int hour = bit_next(c->hours, m->hour);
    if (hour == m->hour) {
        int minute = bit_next(c->minutes, m->minute);
        int32_t micro = minute == m->minute ? calendar_second_next(c, m->micro) : -1;
        if (minute == m->minute && micro < 0)
            minute = bit_next(c->minutes, m->minute + 1);
        if (minute >= 0) {
            m->minute = minute;
            m->micro = micro >= 0 ? micro : calendar_second_next(c, 0);
            return true;
        }
        hour = bit_next(c->hours, hour + 1);
    }
    if (hour < 0)
        return false;
    m->hour = hour;
    m->minute = bit_next(c->minutes, 0);
    m->micro = calendar_second_next(c, 0);
    return true;
}

static void month_begin(struct moment *m)
{
    m->day = 1;
    m->hour = m->minute = 0;
    m->micro = 0;
}

static void month_after(const struct calendar *c, struct moment *m)
{
    int month = bit_next(c->months, m->month + 1);
    if (month < 0) {
        m->year++;
        month = bit_next(c->months, 1);
    }
    m->month = month;
    month_begin(m);
}

/* Moves m to the first matching local time from there on; false if there is none. */
static bool moment_next(const struct calendar *c, struct moment *m)
{
    if (!c->months)
        return false;
    while (m->year <= CALENDAR_YEAR_REACH) {
        uint32_t days = calendar_days_of(c, m->year, m->month);
        int day = bit_next(days, m->day);
        if (day == m->day && time_next(c, m))
            return true;
        if (day == m->day)
            day = bit_next(days, m->day + 1);
        if (day >= 0) {
            *m = (struct moment){.year = m->year, .month = m->month, .day = day};
            return time_next(c, m);
        }
        month_after(c, m);
    }
    return false;
}

static struct civil civil_of(const struct moment *m)
{
    return (struct civil){
        .year = m->year,
        .month = m->month,
        .day = m->day,
        .hour = m->hour,
        .minute = m->minute,
        .second = m->micro / CALENDAR_MICRO,
        .nano = m->micro % CALENDAR_MICRO * 1000,
    };
}

static struct moment moment_of(const struct civil *c)
{
    return (struct moment){c->year, c->month, c->day, c->hour, c->minute, c->second * CALENDAR_MICRO + c->nano / 1000};
}

static bool is_later(const struct moment *a, const struct moment *b)
{
    const int64_t x[] = {a->year, a->month, a->day, a->hour, a->minute, a->micro};
    const int64_t y[] = {b->year, b->month, b->day, b->hour, b->minute, b->micro};
    for (int i = 0; i < 6; i++)
        if (x[i] != y[i])
            return x[i] > y[i];
    return false;
}

/* Where the search goes on behind a local time that is not there: right after the jump. */
static void jump_over(const struct zone *z, instant jump, struct moment *m)
{
    struct civil behind = zone_civil(z, jump);
    struct moment landed = moment_of(&behind);
    if (is_later(&landed, m))
        *m = landed;
    else
        m->micro = CALENDAR_MINUTE;
}

static struct occurrence occurrence_of(const struct zone_local_time *l, instant after)
{
    if (l->first > after)
        return (struct occurrence){l->first, l->fit == ZONE_FOLD ? OCCURRENCE_FIRST : OCCURRENCE_PLAIN};
    if (l->second > after)
        return (struct occurrence){l->second, OCCURRENCE_AGAIN};
    return (struct occurrence){INSTANT_NEVER, OCCURRENCE_PLAIN};
}

/* So many skipped times in a row, one a clock change, are more than the 40 years within which every kind of year comes:
 * the rule of the zone skips them all, for ever. */
enum { SKIPPED_MAX = 100 };

struct occurrence calendar_next(const struct calendar *c, const struct zone *z, instant after)
{
    const struct occurrence never = {INSTANT_NEVER, OCCURRENCE_PLAIN};
    if (after == INSTANT_NEVER)
        return never;
    if (c->epoch)
        z = NULL; /* UTC */
    struct civil start = zone_civil(z, after == INSTANT_NONE ? INSTANT_NONE + 1 : after);
    struct moment m = moment_of(&start);
    m.micro++;
    for (int skipped = 0; skipped < SKIPPED_MAX && moment_next(c, &m);) {
        struct civil local = civil_of(&m);
        if (civil_seconds(&local) > INT64_MAX / SECOND)
            return never;
        struct zone_local_time l = zone_resolve(z, &local);
        struct occurrence found = occurrence_of(&l, after);
        if (l.fit != ZONE_GAP && found.at != INSTANT_NEVER)
            return found;
        if (l.fit == ZONE_GAP) {
            jump_over(z, l.jump, &m);
            skipped++;
        } else {
            m.micro = CALENDAR_MINUTE; /* at the ends of the range of instants, or in a third pass */
        }
    }
    return never;
}

bool calendar_on_date(const struct calendar *c, const struct zone *z, instant t)
{
    if (t == INSTANT_NEVER || t == INSTANT_NONE)
        return false;
    struct civil local = zone_civil(c->epoch ? NULL : z, t);
    return calendar_days_of(c, local.year, local.month) >> local.day & 1;
}
