/* POSIX TZ strings, with the extensions of RFC 9636: `CET-1CEST,M3.5.0,M10.5.0/3`, `<+0330>-3:30`. */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/time/zone_data.h"

enum { DAY_SECONDS = 86400, WEEK_HOURS = 167 };

struct reader {
    const char *text, *at;
    struct error *e;
};

static int refuse(const struct reader *r, const char *what)
{
    error_set(r->e, ERROR_USAGE, "the TZ string is wrong: %s", what);
    return error_place(r->e, r->text, 1, (int)(r->at - r->text) + 1, 1);
}

static bool name_char(char c, bool quoted)
{
    if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'))
        return true;
    return quoted && ((c >= '0' && c <= '9') || c == '+' || c == '-');
}

static int read_name(struct reader *r, char *name, size_t size)
{
    bool quoted = *r->at == '<';
    const char *start = r->at + quoted, *end = start;
    while (name_char(*end, quoted))
        end++;
    size_t length = (size_t)(end - start);
    if (quoted && *end != '>')
        return refuse(r, "a name in <...> is letters, digits, + and -");
    if (length < 3 || length >= size)
        return refuse(r, "a name of 3 to 15 letters is expected");
    memcpy(name, start, length);
    name[length] = '\0';
    r->at = end + quoted;
    return 0;
}

static int read_number(struct reader *r, int low, int high, int *out)
{
    int value = 0;
    const char *start = r->at;
    while (*r->at >= '0' && *r->at <= '9' && r->at - start < 3)
        value = value * 10 + (*r->at++ - '0');
    if (r->at > start && value >= low && value <= high)
        *out = value;
    else
        r->at = start;
    return r->at > start ? 0 : refuse(r, "a number is missing or out of its range");
}

/* [+-]hh[:mm[:ss]] in seconds. */
static int read_clock(struct reader *r, int hours, int32_t *out)
{
    int sign = *r->at == '-' ? -1 : 1;
    int part[3] = {0};
    r->at += *r->at == '-' || *r->at == '+';
    int code = read_number(r, 0, hours, &part[0]);
    for (int i = 1; !code && i < 3 && *r->at == ':'; i++) {
        r->at++;
        code = read_number(r, 0, 59, &part[i]);
    }
    if (!code)
        *out = sign * (part[0] * 3600 + part[1] * 60 + part[2]);
    return code;
}

static int read_month(struct reader *r, struct rule_day *day)
{
    int code = read_number(r, 1, 12, &day->month);
    if (!code && *r->at++ != '.')
        return r->at--, refuse(r, "a day is written like M3.5.0");
    if (!code)
        code = read_number(r, 1, 5, &day->week);
    if (!code && *r->at++ != '.')
        return r->at--, refuse(r, "a day is written like M3.5.0");
    return code ? code : read_number(r, 0, 6, &day->day);
}

static int read_day(struct reader *r, struct rule_day *day)
{
    *day = (struct rule_day){.form = RULE_DAY, .time = 2 * 3600};
    if (*r->at++ != ',')
        return r->at--, refuse(r, "',' is expected");
    if (*r->at == 'J' || *r->at == 'M')
        day->form = *r->at++ == 'J' ? RULE_JULIAN : RULE_MONTH;
    int code = day->form == RULE_MONTH ? read_month(r, day) : read_number(r, day->form == RULE_JULIAN, 365, &day->day);
    if (code || *r->at != '/')
        return code;
    r->at++;
    return read_clock(r, WEEK_HOURS, &day->time);
}

static int read_summer(struct reader *r, struct zone_rule *rule)
{
    int code = read_name(r, rule->summer.abbreviation, sizeof rule->summer.abbreviation);
    if (code)
        return code;
    rule->has_summer = true;
    rule->summer.dst = true;
    rule->summer.seconds = rule->standard.seconds + 3600;
    if (*r->at && *r->at != ',') {
        code = read_clock(r, 24, &rule->summer.seconds);
        rule->summer.seconds = -rule->summer.seconds; /* written west of Greenwich */
    }
    if (code)
        return code;
    if (!*r->at) { /* POSIX leaves the days open; glibc takes those of the United States */
        rule->start = (struct rule_day){.form = RULE_MONTH, .month = 3, .week = 2, .time = 2 * 3600};
        rule->end = (struct rule_day){.form = RULE_MONTH, .month = 11, .week = 1, .time = 2 * 3600};
        return 0;
    }
    code = read_day(r, &rule->start);
    return code ? code : read_day(r, &rule->end);
}

int zone_rule_parse(const char *text, struct zone_rule *out, struct error *e)
{
    struct reader r = {text, text, e};
    struct zone_rule rule = {0};
    int code = read_name(&r, rule.standard.abbreviation, sizeof rule.standard.abbreviation);
    if (!code)
        code = read_clock(&r, 24, &rule.standard.seconds);
    rule.standard.seconds = -rule.standard.seconds;
    if (!code && *r.at)
        code = read_summer(&r, &rule);
    if (!code && *r.at)
        code = refuse(&r, "there is more than a TZ string");
    if (!code)
        *out = rule;
    return code;
}

static int64_t day_in(const struct rule_day *d, int year)
{
    int64_t january = civil_days(year, 1, 1);
    if (d->form == RULE_DAY)
        return january + d->day;
    if (d->form == RULE_JULIAN)
        return january + d->day - 1 + (d->day >= 60 && civil_month_days(year, 2) == 29);
    int64_t first = civil_days(year, d->month, 1);
    int day = (d->day - civil_weekday(first) + 7) % 7 + (d->week - 1) * 7;
    return first + (day < civil_month_days(year, d->month) ? day : day - 7);
}

static int64_t start_in(const struct zone_rule *r, int year)
{
    return day_in(&r->start, year) * DAY_SECONDS + r->start.time - r->standard.seconds;
}

static int64_t end_in(const struct zone_rule *r, int year)
{
    return day_in(&r->end, year) * DAY_SECONDS + r->end.time - r->summer.seconds;
}

/* Days and hours may lie outside their year: an hour of 167 is a week later. So the events of a year may come in the
 * first days of the next one or the last ones of the one before. */
static bool is_early(const struct civil *c)
{
    return c->month == 1 && c->day <= 11;
}

static bool is_late(const struct civil *c)
{
    return c->month == 12 && c->day >= 21;
}

/* Summer time that begins in one year may end in the next. Where one summer ends as the next begins, it is always
 * summer. */
const struct zone_offset *zone_rule_at(const struct zone_rule *r, int64_t t)
{
    if (!r->has_summer)
        return &r->standard;
    struct civil c = civil_from_seconds(t);
    for (int y = c.year + is_late(&c); y >= c.year - 1 - is_early(&c); y--) {
        int64_t start = start_in(r, y);
        if (start > t)
            continue;
        int64_t end = end_in(r, y);
        if (end <= start)
            end = end_in(r, y + 1);
        if (t < end)
            return &r->summer;
    }
    return &r->standard;
}

int64_t zone_rule_next(const struct zone_rule *r, int64_t t)
{
    int64_t next = INT64_MAX;
    if (!r->has_summer || r->summer.seconds == r->standard.seconds)
        return next;
    struct civil c = civil_from_seconds(t);
    for (int y = c.year - is_early(&c); y <= c.year + 9; y++) { /* a rule may bite in leap years only; 1900 is none */
        int64_t events[] = {start_in(r, y), end_in(r, y)};
        for (int i = 0; i < 2; i++)
            if (events[i] > t && events[i] < next && zone_rule_at(r, events[i]) != zone_rule_at(r, events[i] - 1))
                next = events[i];
        struct civil found = civil_from_seconds(next);
        if (next != INT64_MAX && (found.year < y || (found.year == y && !is_late(&found))))
            break;
    }
    return next;
}

int zone_from_rule(const char *text, struct zone **out, struct error *e)
{
    struct zone_rule rule;
    int code = zone_rule_parse(text, &rule, e);
    if (code)
        return code;
    struct zone *z = mem_zero(1, sizeof *z);
    z->name = mem_string(text);
    z->rule = rule;
    z->has_rule = true;
    *out = z;
    return 0;
}
