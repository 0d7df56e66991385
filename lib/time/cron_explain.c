/* A cron expression in plain English: its time of day here, its days in cron_explain_day.c. */
#include "lib/time/cron_parts.h"

enum {
    LISTED = 6, /* so many times of day are told one by one */
    HOURS_ALL = 0xffffff,
};
#define MINUTES_ALL (UINT64_MAX >> 4)

/* True if the row goes round the whole cycle of 60 or 24 evenly. */
static bool row_is_round(const struct cron_row *row, int cycle)
{
    return row->count > 1 && row->first < row->step && row->first + cycle - row->last == row->step;
}

static bool is_one(uint64_t set)
{
    return !(set & (set - 1));
}

static int runs_of(uint64_t set)
{
    return __builtin_popcountll(set & ~(set << 1));
}

/* ---- phrases ---- */

static void add_clock(struct buf *b, int hour, int minute, int second)
{
    buf_format(b, second < 0 ? "%02d:%02d" : "%02d:%02d:%02d", hour, minute, second);
}

/* `02:00, 02:30 and 14:00` */
static void explain_listed(const struct cron *c, int second, struct buf *b)
{
    int left = __builtin_popcountll(c->minutes) * __builtin_popcount(c->hours);
    for (int h = cron_bit_from(c->hours, 0); h >= 0; h = cron_bit_from(c->hours, h + 1)) {
        for (int m = cron_bit_from(c->minutes, 0); m >= 0; m = cron_bit_from(c->minutes, m + 1)) {
            add_clock(b, h, m, second);
            left--;
            buf_text(b, left > 1 ? ", " : left == 1 ? " and " : "");
        }
    }
}

static void explain_steps(struct buf *b, int step, const char *unit)
{
    if (step == 1)
        buf_format(b, "every %s", unit);
    else
        buf_format(b, "every %d %ss", step, unit);
}

/* `from 09:00 to 17:45`, once for each run of hours. */
static void explain_hours(const struct cron *c, struct buf *b)
{
    int first = cron_bit_from(c->minutes, 0), last = 63 - __builtin_clzll(c->minutes);
    for (int h = cron_bit_from(c->hours, 0), end; h >= 0; h = cron_bit_from(c->hours, end)) {
        end = cron_bit_from(~(uint64_t)c->hours, h);
        buf_text(b, cron_bit_from(c->hours, 0) == h ? " from " : " and from ");
        add_clock(b, h, first, -1);
        buf_text(b, " to ");
        add_clock(b, end - 1, last, -1);
    }
}

static void explain_set(uint64_t set, struct buf *b)
{
    struct strvec parts = {0};
    cron_explain_values(&parts, set);
    cron_explain_join(b, &parts, "and");
    strvec_clear(&parts);
}

/* `minutes 5 and 10 to 12 of every hour` */
static void explain_values(const struct cron *c, struct buf *b)
{
    struct cron_row hours = cron_row_of(c->hours);
    buf_text(b, is_one(c->minutes) ? "minute " : "minutes ");
    explain_set(c->minutes, b);
    if (c->hours == HOURS_ALL) {
        buf_text(b, " of every hour");
    } else if (hours.count > 3 && hours.step > 1) {
        buf_format(
            b, " of every %d%s hour from %d to %d", hours.step, cron_ordinal(hours.step), hours.first, hours.last);
    } else {
        buf_text(b, is_one(c->hours) ? " of hour " : " of hours ");
        explain_set(c->hours, b);
    }
}

static int times_of_day(const struct cron *c)
{
    return __builtin_popcountll(c->minutes) * __builtin_popcount(c->hours);
}

/* Minutes and hours, when seconds do not matter. */
static void explain_minutes(const struct cron *c, struct buf *b)
{
    struct cron_row minutes = cron_row_of(c->minutes), hours = cron_row_of(c->hours);
    bool even = row_is_round(&minutes, 60) && (minutes.first == 0 || c->hours == HOURS_ALL);
    if (times_of_day(c) <= LISTED) {
        buf_text(b, "at ");
        explain_listed(c, c->has_seconds ? 0 : -1, b);
    } else if (even && runs_of(c->hours) <= 3) {
        explain_steps(b, minutes.step, "minute");
        if (c->hours != HOURS_ALL)
            explain_hours(c, b);
        else if (minutes.first)
            buf_format(b, " from minute %d of the hour on", minutes.first);
    } else if (minutes.count == 1 && c->hours != HOURS_ALL && hours.count > 1) {
        explain_steps(b, hours.step, "hour");
        buf_text(b, " from ");
        add_clock(b, hours.first, minutes.first, -1);
        buf_text(b, " to ");
        add_clock(b, hours.last, minutes.first, -1);
    } else {
        buf_text(b, "at ");
        explain_values(c, b);
    }
}

/* `every 10 seconds of minute 5 of every hour` */
static void explain_seconds(const struct cron *c, struct buf *b)
{
    struct cron_row seconds = cron_row_of(c->seconds);
    bool even = row_is_round(&seconds, 60) && seconds.first == 0;
    if (even) {
        explain_steps(b, seconds.step, "second");
    } else {
        buf_text(b, is_one(c->seconds) ? "at second " : "at seconds ");
        explain_set(c->seconds, b);
    }
    if (c->minutes != MINUTES_ALL && times_of_day(c) <= LISTED) {
        buf_text(b, times_of_day(c) == 1 ? " of the minute " : " of the minutes ");
        explain_listed(c, -1, b);
    } else if (c->minutes != MINUTES_ALL) {
        buf_text(b, " of ");
        explain_values(c, b);
    } else {
        buf_text(b, even && c->hours == HOURS_ALL ? "" : " of every minute");
        if (c->hours != HOURS_ALL)
            explain_hours(c, b);
    }
}

void cron_explain(const struct cron *c, struct buf *b)
{
    if (c->reboot) {
        buf_text(b, "when the machine has started");
        return;
    }
    if (c->seconds == 1) {
        explain_minutes(c, b);
    } else if (is_one(c->seconds) && times_of_day(c) <= LISTED) {
        buf_text(b, "at ");
        explain_listed(c, cron_bit_from(c->seconds, 0), b);
    } else {
        explain_seconds(c, b);
    }
    cron_explain_days(c, c->hours == HOURS_ALL, b);
}
