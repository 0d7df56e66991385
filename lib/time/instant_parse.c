/* Reads RFC 3339 and ISO 8601 date-times, in extended and basic form, in one pass from left to right. */
#include <string.h>

#include "lib/time/instant.h"
#include "lib/time/zone.h"

enum { YEAR_FIRST = 1678, YEAR_LAST = 2261 }; /* the whole years an instant can hold */
#define EPOCH_LAST INT64_C(9214646399) /* their last second */

struct reader {
    const char *text, *at;
    struct civil c;
    bool basic;      /* 20260301T1200 */
    bool timed;      /* there is a time behind the date */
    bool has_offset; /* and an offset behind the time */
    int offset;      /* in seconds */
    struct error *e;
};

static int refuse(const struct reader *r, const char *at, int width)
{
    return error_place(r->e, r->text, 1, (int)(at - r->text) + 1, width);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Exactly `count` digits, in a range. */
static int read_number(struct reader *r, const char *what, int count, int low, int high, int *out)
{
    int value = 0;
    for (int i = 0; i < count; i++) {
        if (!is_digit(r->at[i])) {
            error_set(r->e, ERROR_USAGE, "%s: %d digits are expected", what, count);
            return refuse(r, r->at + i, 1);
        }
        value = value * 10 + (r->at[i] - '0');
    }
    if (value < low || value > high) {
        error_set(r->e, ERROR_USAGE, "%s: %0*d is not in %0*d-%0*d", what, count, value, count, low, count, high);
        return refuse(r, r->at, count);
    }
    r->at += count;
    *out = value;
    return 0;
}

static int expect(struct reader *r, char c, const char *where)
{
    if (*r->at == c) {
        r->at++;
        return 0;
    }
    error_set(r->e, ERROR_USAGE, "'%c' is expected %s", c, where);
    return refuse(r, r->at, 1);
}

static int read_date(struct reader *r)
{
    int code = read_number(r, "year", 4, YEAR_FIRST, YEAR_LAST, &r->c.year);
    if (code)
        return code;
    r->basic = is_digit(*r->at);
    if (!r->basic)
        code = expect(r, '-', "after the year");
    if (!code)
        code = read_number(r, "month", 2, 1, 12, &r->c.month);
    if (!code && !r->basic)
        code = expect(r, '-', "after the month");
    return code ? code : read_number(r, "day", 2, 1, civil_month_days(r->c.year, r->c.month), &r->c.day);
}

/* More digits than nanoseconds are cut off. */
static int read_fraction(struct reader *r)
{
    int unit = (int)SECOND / 10;
    r->at++;
    if (!is_digit(*r->at)) {
        error_set(r->e, ERROR_USAGE, "fraction: a digit is expected");
        return refuse(r, r->at, 1);
    }
    for (; is_digit(*r->at); r->at++, unit /= 10)
        r->c.nano += (*r->at - '0') * unit;
    return 0;
}

/* True if one more part of the time follows; the colon before it is taken. */
static bool part_follows(struct reader *r)
{
    if (r->basic)
        return is_digit(*r->at);
    if (*r->at != ':')
        return false;
    r->at++;
    return true;
}

static int read_time(struct reader *r)
{
    int code = read_number(r, "hour", 2, 0, 23, &r->c.hour);
    if (code || !part_follows(r))
        return code;
    code = read_number(r, "minute", 2, 0, 59, &r->c.minute);
    if (code || !part_follows(r))
        return code;
    code = read_number(r, "second", 2, 0, 59, &r->c.second);
    if (!code && (*r->at == '.' || *r->at == ','))
        code = read_fraction(r);
    return code;
}

/* Z, +hh, +hh:mm or +hhmm, in both forms: `date +%FT%T%z` mixes them. A blank before it is what ax itself prints. */
static int read_offset(struct reader *r)
{
    const char *at = r->at + (*r->at == ' ');
    if (*at != 'Z' && *at != 'z' && *at != '+' && *at != '-')
        return 0;
    r->at = at + 1;
    r->has_offset = true;
    if (*at == 'Z' || *at == 'z')
        return 0;
    int hours = 0, minutes = 0;
    int code = read_number(r, "hours of the offset", 2, 0, 23, &hours);
    if (!code && (*r->at == ':' || is_digit(*r->at))) {
        r->at += *r->at == ':';
        code = read_number(r, "minutes of the offset", 2, 0, 59, &minutes);
    }
    r->offset = (*at == '-' ? -1 : 1) * (hours * 3600 + minutes * 60);
    return code;
}

/* ISO 8601 allows a fraction of the minute or of the hour. Hardly anybody means it: it is refused with what to write. */
static int rest_refuse(const struct reader *r)
{
    const char *what = r->timed ? "there is more behind the time" : "'T' and a time are expected after the date";
    if (r->timed && !r->has_offset && (*r->at == ',' || *r->at == '.'))
        what = "a fraction goes with seconds only: write 12:00:30 for 12:00,5";
    error_set(r->e, ERROR_USAGE, "%s", what);
    return refuse(r, r->at, (int)strlen(r->at));
}

static int read_all(struct reader *r)
{
    int code = read_date(r);
    if (!code && (*r->at == 'T' || *r->at == 't' || *r->at == ' ')) {
        r->at++;
        r->timed = true;
        code = read_time(r);
        if (!code)
            code = read_offset(r);
    }
    return !code && *r->at ? rest_refuse(r) : code;
}

static int gap_refuse(const struct reader *r, const struct zone *z, const struct zone_local_time *found)
{
    struct civil from = zone_civil(z, found->jump - 1), to = zone_civil(z, found->jump);
    from = civil_from_seconds(civil_seconds(&from) + 1);
    error_set(r->e, ERROR_USAGE,
        "there is no such time in %.100s: its clock jumps from %04d-%02d-%02d %02d:%02d:%02d to "
        "%04d-%02d-%02d %02d:%02d:%02d",
        zone_name(z), from.year, from.month, from.day, from.hour, from.minute, from.second, to.year, to.month, to.day,
        to.hour, to.minute, to.second);
    return refuse(r, r->text, (int)strlen(r->text));
}

/* A day that has no midnight begins when the clock has jumped over it, unless it jumps over the whole day. */
static int resolve(const struct reader *r, const struct zone *z, instant *out)
{
    struct zone_local_time found = zone_resolve(z, &r->c);
    struct civil c = zone_civil(z, found.jump);
    if (found.fit != ZONE_GAP)
        *out = found.first;
    else if (!r->timed && c.day == r->c.day && c.month == r->c.month && c.year == r->c.year)
        *out = found.jump;
    else
        return gap_refuse(r, z, &found);
    return 0;
}

int instant_parse_epoch(const char *text, instant *out, struct error *e)
{
    struct reader r = {.text = text, .at = text + (*text == '@'), .e = e};
    int64_t seconds = 0;
    const char *start = r.at;
    if (!is_digit(*start)) {
        error_set(e, ERROR_USAGE, "seconds since 1970 are expected, as in @1735689600");
        return refuse(&r, start, 1);
    }
    for (; is_digit(*r.at) && seconds <= EPOCH_LAST; r.at++)
        seconds = seconds * 10 + (*r.at - '0');
    if (seconds > EPOCH_LAST) {
        error_set(e, ERROR_USAGE, "that is too far away, times end in the year 2262: these are seconds, not milliseconds");
        return refuse(&r, start, (int)strspn(start, "0123456789"));
    }
    int code = *r.at == '.' ? read_fraction(&r) : 0;
    if (!code && *r.at) {
        error_set(e, ERROR_USAGE, "there is more behind the seconds");
        code = refuse(&r, r.at, (int)strlen(r.at));
    }
    if (!code)
        *out = seconds * SECOND + r.c.nano;
    return code;
}

int instant_parse_iso(const char *text, const struct zone *z, instant *out, struct error *e)
{
    struct reader r = {.text = text, .at = text, .e = e};
    int code = read_all(&r);
    if (code)
        return code;
    if (!r.has_offset)
        return resolve(&r, z, out);
    *out = (civil_seconds(&r.c) - r.offset) * SECOND + r.c.nano;
    return 0;
}
