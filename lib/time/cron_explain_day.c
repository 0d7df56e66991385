/* The days of a cron expression in plain English. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/time/cron_parts.h"

#define DAYS_ALL UINT32_C(0xfffffffe)
enum { MONTHS_ALL = 0x1ffe, WEEK_ALL = 0x7f };

static const char *const weekday_names[] = {
    "Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"};
static const char *const month_names[] = {"", "January", "February", "March", "April", "May", "June", "July", "August",
    "September", "October", "November", "December"};

/* ---- sets and lists ---- */

struct cron_row cron_row_of(uint64_t set)
{
    int first = cron_bit_from(set, 0), second = first < 0 ? -1 : cron_bit_from(set, first + 1);
    struct cron_row row = {first, first, second < 0 ? 0 : second - first, first >= 0};
    for (int at = second; at >= 0; at = cron_bit_from(set, at + 1)) {
        if (at - row.last != row.step)
            return (struct cron_row){0};
        row.last = at;
        row.count++;
    }
    return row;
}

/* The last value of the run that begins at `first`; a run of two is no run. */
static int run_end(uint64_t set, int first)
{
    int end = cron_bit_from(~set, first);
    int last = end < 0 ? 63 : end - 1;
    return last - first == 1 ? first : last;
}

const char *cron_ordinal(int n)
{
    static const char *const ends[] = {"th", "st", "nd", "rd"};
    return n / 10 % 10 == 1 || n % 10 > 3 ? "th" : ends[n % 10];
}

void cron_explain_join(struct buf *b, const struct strvec *parts, const char *word)
{
    for (size_t i = 0; i < parts->count; i++) {
        if (i > 0 && i + 1 == parts->count)
            buf_format(b, " %s ", word);
        else if (i > 0)
            buf_text(b, ", ");
        buf_text(b, parts->items[i]);
    }
}

void cron_explain_values(struct strvec *parts, uint64_t set)
{
    for (int first = cron_bit_from(set, 0), last; first >= 0; first = cron_bit_from(set, last + 1)) {
        last = run_end(set, first);
        strvec_take(parts, first == last ? mem_format("%d", first) : mem_format("%d to %d", first, last));
    }
}

static void named_runs(struct strvec *parts, uint64_t set, const char *const *names)
{
    for (int first = cron_bit_from(set, 0), last; first >= 0; first = cron_bit_from(set, last + 1)) {
        last = run_end(set, first);
        strvec_take(
            parts, first == last ? mem_string(names[first]) : mem_format("%s to %s", names[first], names[last]));
    }
}

/* ---- days ---- */

static void month_day_parts(const struct cron *c, struct strvec *parts)
{
    struct cron_row row = cron_row_of(c->days);
    if (c->days == DAYS_ALL) {
        strvec_add(parts, "every day of the month");
    } else if (row.count > 3 && row.step > 1) {
        strvec_take(parts, mem_format("every %d%s day from the %d%s to the %d%s", row.step, cron_ordinal(row.step),
                               row.first, cron_ordinal(row.first), row.last, cron_ordinal(row.last)));
    } else {
        for (int first = cron_bit_from(c->days, 0), last; first >= 0; first = cron_bit_from(c->days, last + 1)) {
            last = run_end(c->days, first);
            strvec_take(parts,
                first == last ? mem_format("the %d%s", first, cron_ordinal(first))
                              : mem_format("the %d%s to %d%s", first, cron_ordinal(first), last, cron_ordinal(last)));
        }
    }
    for (int n = cron_bit_from(c->near_workday, 0); n >= 0; n = cron_bit_from(c->near_workday, n + 1))
        strvec_take(parts, mem_format("the Monday to Friday nearest to the %d%s", n, cron_ordinal(n)));
    if (c->last_day)
        strvec_add(parts, "the last day of the month");
    if (c->last_workday)
        strvec_add(parts, "the last Monday to Friday of the month");
}

/* Sunday comes last here, so that Saturday and Sunday are one run. */
static void weekday_parts(const struct cron *c, bool every, struct strvec *parts)
{
    uint64_t week = (c->weekdays & WEEK_ALL & ~1u) | (uint64_t)(c->weekdays & 1) << 7;
    named_runs(parts, week, weekday_names);
    if (every && parts->count && !(parts->count == 1 && strstr(parts->items[0], " to "))) {
        char *first = mem_format("every %s", parts->items[0]);
        free(parts->items[0]);
        parts->items[0] = first;
    }
    for (int n = 1; n <= 5; n++)
        for (int day = cron_bit_from(c->nth_weekday[n], 0); day >= 0; day = cron_bit_from(c->nth_weekday[n], day + 1))
            strvec_take(parts, mem_format("the %d%s %s of the month", n, cron_ordinal(n), weekday_names[day]));
    for (int day = cron_bit_from(c->last_weekday, 0); day >= 0; day = cron_bit_from(c->last_weekday, day + 1))
        strvec_take(parts, mem_format("the last %s of the month", weekday_names[day]));
}

static void add_month_days(const struct cron *c, struct buf *b)
{
    struct strvec parts = {0};
    month_day_parts(c, &parts);
    buf_text(b, " on ");
    cron_explain_join(b, &parts, "and");
    strvec_clear(&parts);
}

static void add_weekdays(const struct cron *c, const char *before, bool every, struct buf *b)
{
    struct strvec parts = {0};
    weekday_parts(c, every, &parts);
    buf_text(b, before);
    cron_explain_join(b, &parts, every ? "and" : "or");
    strvec_clear(&parts);
}

static void add_months(const struct cron *c, const char *before, struct buf *b)
{
    if (c->months == MONTHS_ALL)
        return;
    struct strvec parts = {0};
    named_runs(&parts, c->months, month_names);
    buf_text(b, before);
    cron_explain_join(b, &parts, "and");
    strvec_clear(&parts);
}

/* The day rule: with `both` a field that has all days says nothing, else it says everything. */
void cron_explain_days(const struct cron *c, bool all_day, struct buf *b)
{
    bool all_days = c->days == DAYS_ALL, all_week = c->weekdays == WEEK_ALL;
    bool every_day = c->both ? all_days && all_week : all_days || all_week;
    bool either = !c->both && !every_day;
    if (every_day && !(all_day && c->months == MONTHS_ALL))
        buf_text(b, " every day");
    if (!every_day && !(c->both && all_days))
        add_month_days(c, b);
    if (either)
        add_weekdays(c, ", and on ", true, b);
    else if (!every_day && all_days)
        add_weekdays(c, " on ", true, b);
    add_months(c, either ? ", in " : " in ", b);
    if (either)
        buf_text(b, ": either day is enough");
    else if (!every_day && !all_days && !all_week)
        add_weekdays(c, ", if it is also ", false, b);
    if (cron_match(c, 0) == CRON_NEVER)
        buf_text(b, ": no month has such a day, so it never comes");
}
