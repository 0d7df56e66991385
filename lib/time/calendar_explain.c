/* A calendar expression in plain English: the time of day, then the days. */
#include <string.h>

#include "lib/time/calendar_parts.h"

enum { SPELL_MAX = 8, TIMES_MAX = 6 };

static const char *const weekday_names[7] = {
    "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
static const char *const month_names[13] = {"", "January", "February", "March", "April", "May", "June", "July",
    "August", "September", "October", "November", "December"};

static bool is_any(const struct calendar *c, enum calendar_part part)
{
    return part == PART_SECOND ? calendar_is_every_second(c) : !c->lists[part].count;
}

static bool is_zero(const struct calendar *c, enum calendar_part part)
{
    const struct calendar_list *list = &c->lists[part];
    return list->count == 1 && !list->items[0].from && !list->items[0].step;
}

/* ---- lists of values ---- */

static void say_number(enum calendar_part part, int32_t value, struct buf *b)
{
    if (part == PART_DAY) {
        bool teen = value % 100 >= 11 && value % 100 <= 13;
        const char *end = teen ? "th" : value % 10 == 1 ? "st" : value % 10 == 2 ? "nd" : value % 10 == 3 ? "rd" : "th";
        buf_format(b, "%d%s", value, end);
    } else if (part == PART_MONTH) {
        buf_text(b, month_names[value]);
    } else if (part == PART_SECOND) {
        buf_format(b, "%d", value / CALENDAR_MICRO);
        if (value % CALENDAR_MICRO) {
            buf_format(b, ".%06d", value % CALENDAR_MICRO);
            while (b->data[b->length - 1] == '0')
                buf_cut(b, b->length - 1);
        }
    } else {
        buf_format(b, "%d", value);
    }
}

static void say_value(const struct calendar *c, enum calendar_part part, int32_t value, struct buf *b)
{
    if (part != PART_DAY || !c->from_end) {
        say_number(part, value, b);
        return;
    }
    if (value > 1) {
        say_number(part, value, b);
        buf_char(b, ' ');
    }
    buf_text(b, "last");
}

/* The last value of an element that has several. */
static int32_t range_last(const struct calendar *c, enum calendar_part part, const struct calendar_range *r)
{
    static const int32_t max[PARTS] = {CALENDAR_YEAR_REACH, 12, 31, 23, 59, CALENDAR_MINUTE - 1};
    if (r->to >= 0)
        return r->to;
    if (part == PART_DAY && c->from_end)
        return r->from - (r->from - 1) / r->step * r->step;
    return r->from + (max[part] - r->from) / r->step * r->step;
}

/* Gives the value number n of an element; false if there are not so many. */
static bool range_value(
    const struct calendar *c, enum calendar_part part, const struct calendar_range *r, int n, int32_t *out)
{
    bool down = part == PART_DAY && c->from_end && r->to < 0;
    int64_t value = r->from + (int64_t)n * (down ? -r->step : r->step);
    int32_t last = r->step ? range_last(c, part, r) : r->from;
    if ((n && !r->step) || (down ? value < last : value > last))
        return false;
    *out = (int32_t)value;
    return true;
}

static int range_count(const struct calendar *c, enum calendar_part part, const struct calendar_range *r)
{
    int32_t value;
    int n = 0;
    while (n <= SPELL_MAX && range_value(c, part, r, n, &value))
        n++;
    return n;
}

static void say_range(const struct calendar *c, enum calendar_part part, const struct calendar_range *r, struct buf *b)
{
    bool endless = part == PART_YEAR && r->to < 0;
    buf_text(b, endless ? "from " : "");
    say_value(c, part, r->from, b);
    buf_text(b, endless ? " on" : " to ");
    if (!endless)
        say_value(c, part, range_last(c, part, r), b);
    if (r->step != (part == PART_SECOND ? CALENDAR_MICRO : 1)) {
        buf_text(b, " in steps of ");
        say_number(part == PART_SECOND ? part : PART_HOUR, r->step, b);
    }
}

struct phrase {
    struct buf *b;
    int said, count;
};

static void phrase_join(struct phrase *p)
{
    if (p->said)
        buf_text(p->b, p->said == p->count - 1 ? " and " : ", ");
    p->said++;
}

/* Long runs, and those without gaps, are said by their ends: `9 to 17`. */
static bool is_spelt(const struct calendar *c, enum calendar_part part, const struct calendar_range *r)
{
    int32_t plain = part == PART_SECOND ? CALENDAR_MICRO : 1;
    int count = range_count(c, part, r);
    if (part == PART_YEAR && r->to < 0 && r->step)
        return false;
    return count <= 2 || (count <= SPELL_MAX && r->step != plain);
}

static void say_list(const struct calendar *c, enum calendar_part part, struct buf *b)
{
    const struct calendar_list *list = &c->lists[part];
    struct phrase phrase = {.b = b};
    for (int i = 0; i < list->count; i++)
        phrase.count += is_spelt(c, part, &list->items[i]) ? range_count(c, part, &list->items[i]) : 1;
    for (int i = 0; i < list->count; i++) {
        const struct calendar_range *r = &list->items[i];
        int32_t value;
        if (!is_spelt(c, part, r)) {
            phrase_join(&phrase);
            say_range(c, part, r, b);
            continue;
        }
        for (int n = 0; range_value(c, part, r, n, &value); n++) {
            phrase_join(&phrase);
            say_value(c, part, value, b);
        }
    }
}

static bool is_single(const struct calendar *c, enum calendar_part part)
{
    return c->lists[part].count == 1 && !c->lists[part].items[0].step;
}

/* ---- the time of day ---- */

/* All times of the day in a list, where they are few: `06:00 and 18:00`. */
static bool say_times(const struct calendar *c, struct buf *b)
{
    if (is_any(c, PART_HOUR) || is_any(c, PART_MINUTE) || !is_single(c, PART_SECOND))
        return false;
    int32_t second = c->lists[PART_SECOND].items[0].from;
    struct phrase phrase = {.b = b, .count = __builtin_popcount(c->hours) * __builtin_popcountll(c->minutes)};
    if (phrase.count > TIMES_MAX)
        return false;
    buf_text(b, "at ");
    for (int hour = 0; hour < 24; hour++)
        for (int minute = 0; minute < 60; minute++) {
            if (!(c->hours >> hour & 1) || !(c->minutes >> minute & 1))
                continue;
            phrase_join(&phrase);
            buf_format(b, "%02d:%02d", hour, minute);
            if (second) {
                buf_text(b, second < 10 * CALENDAR_MICRO ? ":0" : ":");
                say_number(PART_SECOND, second, b);
            }
        }
    return true;
}

/* `at second 30 of minutes 0 and 20 of every hour`: from the smallest part that is not 0 up to the first from which on
 * every one counts. */
static void say_clock(const struct calendar *c, struct buf *b)
{
    static const char *const names[PARTS] = {[PART_HOUR] = "hour", [PART_MINUTE] = "minute", [PART_SECOND] = "second"};
    int first = is_zero(c, PART_SECOND) ? PART_MINUTE : PART_SECOND, last = PART_HOUR;
    if (is_any(c, PART_HOUR) && is_any(c, PART_MINUTE))
        last = is_any(c, PART_SECOND) ? PART_SECOND : PART_MINUTE;
    for (int part = first; part >= last; part--) {
        if (part != first)
            buf_text(b, " of ");
        else if (!is_any(c, part))
            buf_text(b, "at ");
        if (is_any(c, part)) {
            buf_format(b, "every %s", names[part]);
        } else {
            buf_format(b, "%s%s ", names[part], is_single(c, part) ? "" : "s");
            say_list(c, part, b);
        }
    }
}

/* ---- the days ---- */

static void say_weekdays(uint8_t weekdays, const char *last_joint, struct buf *b)
{
    int count = __builtin_popcount(weekdays), said = 0, first = __builtin_ctz(weekdays);
    if (count > 2 && weekdays >> first == (1 << count) - 1) {
        buf_format(b, "day from %s to %s", weekday_names[first], weekday_names[first + count - 1]);
        return;
    }
    for (int day = first; day < 7; day++)
        if (weekdays >> day & 1) {
            buf_text(b, !said ? "" : said == count - 1 ? last_joint : ", ");
            buf_text(b, weekday_names[day]);
            said++;
        }
}

static void say_days(const struct calendar *c, struct buf *b)
{
    bool all_week = c->weekdays == CALENDAR_EVERY_WEEKDAY;
    if (is_any(c, PART_DAY)) {
        buf_text(b, "every ");
        if (all_week)
            buf_text(b, "day");
        else
            say_weekdays(c->weekdays, " and ", b);
        if (is_any(c, PART_MONTH))
            return;
        buf_text(b, " of ");
        say_list(c, PART_MONTH, b);
        return;
    }
    buf_text(b, "on the ");
    say_list(c, PART_DAY, b);
    if (c->from_end)
        buf_text(b, is_single(c, PART_DAY) ? " day" : " days");
    buf_text(b, " of ");
    if (is_any(c, PART_MONTH))
        buf_text(b, "every month");
    else
        say_list(c, PART_MONTH, b);
    if (!all_week) {
        buf_text(b, ", if that is a ");
        say_weekdays(c->weekdays, " or ", b);
    }
}

void calendar_explain(const struct calendar *c, struct buf *b)
{
    bool every_day = is_any(c, PART_DAY) && is_any(c, PART_MONTH) && c->weekdays == CALENDAR_EVERY_WEEKDAY;
    bool fixed = say_times(c, b);
    if (!fixed)
        say_clock(c, b);
    if (!every_day || fixed) {
        buf_text(b, fixed ? " " : ", ");
        say_days(c, b);
    }
    if (!is_any(c, PART_YEAR)) {
        const struct calendar_range *first = &c->lists[PART_YEAR].items[0];
        buf_text(b, first->step && first->to < 0 ? ", " : ", in ");
        say_list(c, PART_YEAR, b);
    }
    if (c->zone || c->epoch)
        buf_format(b, ", %s time", c->epoch ? "UTC" : c->zone);
    if (!c->months)
        buf_text(b, ": there is no such day");
}
