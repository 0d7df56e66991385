/* Reckons what at_read has read. Like at(1) 3.2.5, by these rules:
 *
 * - Seconds of now are cut off. A phrase without a time of day means that of now.
 * - A time of day alone is the next one later than now; with an increment, what comes out of it is: `9:00 + 2 hours` at
 * 10:20 is 11:00 today.
 * - A weekday, and `next` before it, is the first such day after today: on a Monday `monday`, `next monday` and `11:00
 * monday` are a week away.
 * - A date without a year is in this year, or in the next if the day it comes to has gone by; a stamp in this year.
 * - A local time that the clock skips is read as if the clock had been put forward already: 2am of such a night comes
 * an hour before 3am summer time, as at has it for `2am tomorrow`. Where that has gone by, and in a stamp, it is an
 * error.
 *
 * Where at's answer is one that a user would call wrong, this is the answer here:
 *
 * - `+ 1 month` and `next month` on the 31st, and `+ 1 year` on 29 February, keep to the month that is meant: its last
 * day (at: a day of the month after).
 * - `now + 24 hours` lets 24 hours pass, whatever the clock does meanwhile (at: 23 or 25 when it is put forward or
 * back). So do hours and minutes from every phrase without a time of day. Those from a time of day are counted on the
 * wall clock, as at does: `1pm sun + 2 hours` is 3pm.
 * - Both spellings of a day give one answer for a local time that the clock skips (at: an hour early for `tomorrow`, an
 * hour late for the date).
 * - Of a local time that is there twice the first is meant that is not past, and `now` is now (at: always the second).
 * - `feb 29` is the next one there is, `feb 30` and `4/31/27` are errors (at: 1 or 2 March, 1 May).
 * - What lies in the past is refused even where an increment led to it: `noon - 1 day`, `tomorrow - 1 week` (at: adds a
 * year).
 * - `noon utc` is the next noon of UTC (at: compares it with the local clock, and may miss one or refuse it).
 * - Numbers do not wrap (`now + 4294967297 minutes`), minute 60 and `24.12` are errors, seven digits are MDDCCYY. */
#include "lib/time/at.h"

#include <string.h>

#include "lib/time/at_phrase.h"
#include "lib/time/when_refuse.h"

enum {
    DAY_MINUTES = 1440,
    MONTHS_MAX = 12 * 600 /* no time can be reached with more */,
    YEAR_FIRST = 1678,
    YEAR_LAST = 2261
};

#define LAST INT64_C(9214646400000000000) /* the end of YEAR_LAST, UTC */

struct wall { /* a local time; minutes may go beyond the day */
    int64_t days, minutes;
    int64_t elapsed; /* minutes that pass from there on */
};

struct reckoning {
    const char *text;
    const struct at_phrase *p;
    const struct zone *z; /* of the time of day; NULL: UTC */
    struct civil now;     /* seconds cut off */
    instant cut;          /* the same as an instant */
    instant jump;         /* where the clock skips the time that is meant, and it cannot be had; else INSTANT_NONE */
    bool skipped;         /* the clock skips it, and it can be had */
};

/* ---- calendar ---- */

static int64_t days_of(const struct civil *c)
{
    return civil_days(c->year, c->month, c->day);
}

static int64_t wall_seconds(const struct wall *w)
{
    return (w->days * DAY_MINUTES + w->minutes) * 60;
}

static struct civil wall_civil(const struct wall *w)
{
    return civil_from_seconds(wall_seconds(w));
}

static int64_t wall_day(const struct wall *w)
{
    struct civil c = wall_civil(w);
    return days_of(&c);
}

static void add_months(struct wall *w, int64_t months)
{
    struct civil c = civil_from_seconds(w->days * 86400);
    int64_t month = (int64_t)c.year * 12 + c.month - 1 + months;
    int year = (int)(month / 12), most;
    c.month = (int)(month % 12) + 1;
    most = civil_month_days(year, c.month);
    w->days = civil_days(year, c.month, c.day > most ? most : c.day);
}

static void add_units(struct wall *w, bool timed, enum at_unit unit, int64_t count)
{
    int64_t minutes = unit == AT_HOUR ? count * 60 : count;
    if (unit <= AT_HOUR && timed)
        w->minutes += minutes;
    else if (unit <= AT_HOUR)
        w->elapsed += minutes;
    else if (unit <= AT_WEEK)
        w->days += unit == AT_WEEK ? count * 7 : count;
    else
        add_months(w, unit == AT_YEAR ? count * 12 : count);
}

static bool is_far(const struct at_phrase *p)
{
    static const int64_t most[] = {[AT_MINUTE] = MONTHS_MAX * INT64_C(44640),
        [AT_HOUR] = MONTHS_MAX * INT64_C(744),
        [AT_DAY] = MONTHS_MAX * INT64_C(31),
        [AT_WEEK] = MONTHS_MAX * INT64_C(5),
        [AT_MONTH] = MONTHS_MAX,
        [AT_YEAR] = MONTHS_MAX / 12};
    return p->count > most[p->unit] || p->count < -most[p->unit];
}

/* The wall time that comes out of the phrase if it begins on that day. */
static struct wall wall_from(const struct reckoning *r, int64_t days)
{
    const struct at_phrase *p = r->p;
    struct wall w = {.days = days, .minutes = p->timed ? p->hour * 60 + p->minute : r->now.hour * 60 + r->now.minute};
    if (p->date == AT_NEXT)
        add_units(&w, p->timed, p->next, 1);
    add_units(&w, p->timed, p->unit, p->count);
    return w;
}

/* A day of this year, or of the next that has it if what comes out of this year's has gone by. */
static struct wall month_day(const struct reckoning *r)
{
    const struct at_phrase *p = r->p;
    struct wall w = {.days = 0};
    int found = 0;
    for (int year = r->now.year; found < 2; year++) {
        if (p->day > civil_month_days(year, p->month))
            continue;
        found++;
        w = wall_from(r, civil_days(year, p->month, p->day));
        bool at_end = p->hour == 24 && !p->count; /* belongs to the day that was said */
        if (p->stamp || wall_day(&w) - at_end >= days_of(&r->now))
            break;
    }
    return w;
}

static struct wall wall_of(const struct reckoning *r)
{
    const struct at_phrase *p = r->p;
    int64_t today = days_of(&r->now), ahead;
    switch (p->date) {
    case AT_DAYS:
        return wall_from(r, today + p->days);
    case AT_WEEKDAY:
        ahead = (p->weekday - civil_weekday(today) + 7) % 7;
        return wall_from(r, today + (ahead ? ahead : 7));
    case AT_MONTH_DAY:
        return month_day(r);
    case AT_YEAR_MONTH_DAY:
        return wall_from(r, civil_days(p->year, p->month, p->day));
    default:
        return wall_from(r, today);
    }
}

/* ---- instants ---- */

/* The first moment later than `after` that is meant by the local time; one that is not later if there is none. */
static instant find(struct reckoning *r, const struct wall *w, instant after)
{
    struct civil c = wall_civil(w);
    r->jump = INSTANT_NONE;
    if (!r->z)
        return civil_seconds(&c) * SECOND;
    c.second = r->p->second;
    struct zone_local_time found = zone_resolve(r->z, &c);
    if (found.fit == ZONE_GAP && (r->p->stamp || (found.second <= after && found.jump > after)))
        r->jump = found.jump;
    r->skipped = found.fit == ZONE_GAP;
    return found.fit == ZONE_GAP || found.first <= after ? found.second : found.first;
}

/* Stops at the ends of the range, as instant_add does. */
static int64_t elapsed_nanoseconds(const struct wall *w)
{
    int64_t sum;
    if (__builtin_mul_overflow(w->elapsed, 60 * SECOND, &sum))
        return w->elapsed < 0 ? -INT64_MAX : INT64_MAX;
    return sum;
}

static bool is_reckonable(const struct wall *w)
{
    struct civil c = wall_civil(w);
    return c.year >= YEAR_FIRST && c.year <= YEAR_LAST;
}

/* A time of day alone: today, or if that has passed tomorrow. */
static instant find_next(struct reckoning *r, struct wall *w, bool *rolled)
{
    instant at = find(r, w, r->cut);
    *rolled = at <= r->cut && r->jump == INSTANT_NONE && wall_day(w) == days_of(&r->now);
    if (!*rolled)
        return at;
    w->days++;
    return find(r, w, r->cut);
}

static int far_refuse(const char *text, const struct at_phrase *p, struct error *e)
{
    if (p->count >= 0 || !p->count_span.at)
        return when_refuse_far(text, e);
    error_set(e, ERROR_USAGE, "that is too far back: it is past");
    return error_place(e, text, 1, (int)(p->count_span.at - text) + 1, p->count_span.width);
}

static struct civil cut_civil(const struct zone *z, instant cut)
{
    int64_t seconds = cut / SECOND - (cut % SECOND < 0);
    return z ? zone_civil(z, cut) : civil_from_seconds(seconds);
}

/* The moment that is meant, if it is not past. */
static int reckon(struct reckoning *r, const struct zone *z, instant now, struct at *out, struct error *e)
{
    const struct at_phrase *p = r->p;
    bool alone = p->timed && p->date == AT_NO_DATE, rolled = false;
    r->now = cut_civil(alone ? r->z : z, r->cut);
    struct wall w = wall_of(r);
    if (!is_reckonable(&w))
        return far_refuse(r->text, p, e);
    instant at = alone ? find_next(r, &w, &rolled) : find(r, &w, r->cut - 1);
    at = instant_add(at, elapsed_nanoseconds(&w));
    struct civil c = wall_civil(&w);
    if (r->jump != INSTANT_NONE)
        return when_refuse_skipped(r->text, z, &c, r->jump, e);
    if (at < r->cut)
        return when_refuse_past(r->text, z, at, now, e);
    if (at >= LAST)
        return far_refuse(r->text, p, e);
    *out = (struct at){.at = at, .cut = at < now, .rolled = rolled, .skipped = r->skipped};
    return 0;
}

int at_parse(const char *text, const struct zone *z, instant now, struct at *out, struct error *e)
{
    struct at_phrase p;
    int code = at_read(text, &p, e);
    if (code < 0)
        return code;
    if (is_far(&p))
        return far_refuse(text, &p, e);
    struct civil local = zone_civil(z, now);
    struct reckoning r = {
        .text = text, .p = &p, .z = p.utc ? NULL : z, .cut = instant_add(now, -(local.second * SECOND + local.nano))};
    return reckon(&r, z, now, out, e);
}
