/* Which local times an expression names: sets of bits, looked through from the day down to the second. */
#include "lib/time/cron_parts.h"

enum {
    DAY_SECONDS = 86400,
    WORKDAYS = 0x3e,   /* Monday to Friday */
    CYCLE_YEARS = 400, /* the calendar repeats, weekdays too: what has not come by then never comes */
};

/* A month, and where its weekdays fall. */
struct month {
    int first; /* weekday of the 1st, 0 is Sunday */
    int length;
    uint32_t all; /* bits 1 to length */
};

/* The days that are one of these weekdays. */
static uint32_t weekday_days(const struct month *m, unsigned weekdays)
{
    uint64_t week = (weekdays >> m->first | weekdays << (7 - m->first)) & 0x7f; /* bit 0 is the weekday of the 1st */
    uint64_t five = week | week << 7 | week << 14 | week << 21 | week << 28;
    return (uint32_t)(five << 1) & m->all;
}

/* A day that is a Monday to Friday, the nearest to `day` in its month. */
static int nearest_workday(const struct month *m, int day)
{
    int weekday = (m->first + day - 1) % 7;
    if (weekday == 6)
        return day > 1 ? day - 1 : day + 2;
    if (weekday == 0)
        return day < m->length ? day + 1 : day - 2;
    return day;
}

static uint32_t days_of_month(const struct cron *c, const struct month *m)
{
    uint32_t days = c->days & m->all;
    if (c->last_day)
        days |= UINT32_C(1) << m->length;
    if (c->last_workday)
        days |= UINT32_C(1) << (31 - __builtin_clz(weekday_days(m, WORKDAYS)));
    uint32_t near = c->near_workday & m->all;
    for (int day = cron_bit_from(near, 1); day > 0; day = cron_bit_from(near, day + 1))
        days |= UINT32_C(1) << nearest_workday(m, day);
    return days;
}

static uint32_t days_of_week(const struct cron *c, const struct month *m)
{
    uint32_t days = weekday_days(m, c->weekdays);
    if (c->last_weekday)
        days |= weekday_days(m, c->last_weekday) & ~UINT32_C(0) << (m->length - 6);
    for (int n = 1; n <= 5; n++)
        if (c->nth_weekday[n])
            days |= weekday_days(m, c->nth_weekday[n]) & UINT32_C(0x7f) << (7 * n - 6);
    return days;
}

uint32_t cron_days(const struct cron *c, int year, int month)
{
    struct month m = {.first = civil_weekday(civil_days(year, month, 1)), .length = civil_month_days(year, month)};
    m.all = (uint32_t)((UINT64_C(2) << m.length) - 2);
    if (c->both)
        return days_of_month(c, &m) & days_of_week(c, &m);
    return days_of_month(c, &m) | days_of_week(c, &m);
}

/* The first time of day at or after h:m:s, in seconds, or -1. */
static int time_from(const struct cron *c, int h, int m, int s)
{
    if (c->hours >> h & 1) {
        int second = c->minutes >> m & 1 ? cron_bit_from(c->seconds, s) : -1;
        if (second >= 0)
            return h * 3600 + m * 60 + second;
        int minute = cron_bit_from(c->minutes, m + 1);
        if (minute >= 0)
            return h * 3600 + minute * 60 + cron_bit_from(c->seconds, 0);
    }
    int hour = cron_bit_from(c->hours, h + 1);
    return hour < 0 ? -1 : hour * 3600 + cron_bit_from(c->minutes, 0) * 60 + cron_bit_from(c->seconds, 0);
}

/* The first day that matches at or after `day` of the month (which may be one past its last), as days since 1970. */
static int64_t day_from(const struct cron *c, int year, int month, int day)
{
    for (int last = year + CYCLE_YEARS; year <= last; year++, month = 1, day = 1) {
        for (int m = cron_bit_from(c->months, month); m > 0; m = cron_bit_from(c->months, m + 1)) {
            int found = cron_bit_from(cron_days(c, year, m), m == month ? day : 1);
            if (found > 0)
                return civil_days(year, m, found);
        }
    }
    return CRON_NEVER;
}

int64_t cron_match(const struct cron *c, int64_t local)
{
    if (c->reboot)
        return CRON_NEVER;
    struct civil t = civil_from_seconds(local);
    if (c->months >> t.month & 1 && cron_days(c, t.year, t.month) >> t.day & 1) {
        int found = time_from(c, t.hour, t.minute, t.second);
        if (found >= 0)
            return civil_days(t.year, t.month, t.day) * DAY_SECONDS + found;
    }
    int64_t day = day_from(c, t.year, t.month, t.day + 1);
    return day == CRON_NEVER ? CRON_NEVER : day * DAY_SECONDS + time_from(c, 0, 0, 0);
}
