/* The dates of at's grammar, and the stamps of at -t. */
#include <string.h>

#include "lib/time/at_reader.h"
#include "lib/time/instant.h"

static int year_of(const char *at, size_t digits)
{
    int year = at_number(at, digits);
    return digits > 2 ? year : year + (year < 70 ? 2000 : 1900);
}

/* Every month has had the day in some year; whether in this one is known when the year is. */
static int date_set(struct at_reader *r, enum at_date kind, int year, int month, int day)
{
    const struct at_span *s = &r->p->date_span;
    if (month < 1 || month > 12)
        return at_refuse(r, s->at, s->width, "month: %d is not in 1-12", month);
    if (kind != AT_MONTH_DAY && (year < 1678 || year > 2261))
        return at_refuse(r, s->at, s->width, "year: %d is not in 1678-2261", year);
    int most = civil_month_days(kind == AT_MONTH_DAY ? 2000 : year, month);
    if (day < 1 || day > most)
        return at_refuse(r, s->at, s->width, "day: %d is not in 1-%d, the days of that month", day, most);
    r->p->date = kind;
    r->p->year = year;
    r->p->month = month;
    r->p->day = day;
    return TAKEN_YES;
}

static void span_end(struct at_reader *r)
{
    struct at_span *s = &r->p->date_span;
    s->width = (int)(r->at - s->at);
    at_skip_blanks(r);
}

/* Behind the name of a month and a day: nothing, or a year. */
static int read_year(struct at_reader *r, int month, int day)
{
    const char *at = r->at + strspn(r->at, " \t"), *comma = *at == ',' ? at : NULL;
    if (comma)
        at += 1 + strspn(at + 1, " \t");
    size_t digits = at_digits(at);
    if (at_is_clock(at) || (digits && at_word_find(at + digits + strspn(at + digits, " \t")).kind == AT_WORD_HALF))
        return at_refuse(r, at, at_width(at), "the time stands before such a date: 10:00 Jul 31");
    if (!digits && !comma) {
        span_end(r);
        return date_set(r, AT_MONTH_DAY, 0, month, day);
    }
    r->at = at;
    if (digits != 2 && digits != 4)
        return at_expected(r, "a year of two or four digits is expected");
    r->at += digits;
    span_end(r);
    return date_set(r, AT_YEAR_MONTH_DAY, year_of(at, digits), month, day);
}

/* `Jul 31`: the month is taken already. */
static int read_month_day(struct at_reader *r, int month)
{
    size_t digits = at_digits(r->at);
    if (digits < 1 || digits > 2)
        return at_expected(r, "a day of the month is expected behind its name");
    int day = at_number(r->at, digits);
    r->at += digits;
    return read_year(r, month, day);
}

/* `31 Jul` */
static int read_day_month(struct at_reader *r, size_t digits)
{
    const char *start = r->at;
    int month, day = at_take_number(r, digits);
    struct at_word word = at_word_find(r->at);
    if (word.kind != AT_WORD_MONTH) {
        r->at = start;
        return TAKEN_NO;
    }
    month = word.value;
    r->at += strlen(word.name);
    return read_year(r, month, day);
}

static bool is_year(size_t digits)
{
    return digits == 2 || digits == 4;
}

/* Three numbers with `by` between them; how many digits each has is told. */
static bool is_triple(const char *at, char by, size_t digits[3])
{
    for (int i = 0; i < 3; i++) {
        digits[i] = at_digits(at);
        at += digits[i] + 1;
        if (!digits[i] || digits[i] > 4 || (i < 2 && at[-1] != by))
            return false;
    }
    return true;
}

/* 12/24/27, 24.12.27, 2027-12-24 */
static int read_triple(struct at_reader *r)
{
    static const struct form {
        char by;
        int year, month, day; /* which of the three it is */
    } forms[] = {{'/', 2, 0, 1}, {'.', 2, 1, 0}, {'-', 0, 1, 2}};
    for (int i = 0; i < 3; i++) {
        const struct form *f = &forms[i];
        size_t digits[3];
        if (!is_triple(r->at, f->by, digits))
            continue;
        const char *part[3] = {r->at, r->at + digits[0] + 1, r->at + digits[0] + digits[1] + 2};
        if (!is_year(digits[f->year]) || digits[f->month] > 2 || digits[f->day] > 2)
            return at_refuse(r, r->at, (int)(part[2] - r->at) + (int)digits[2],
                "a date is written 12/24/2027, 24.12.2027 or 2027-12-24");
        r->at = part[2] + digits[2];
        span_end(r);
        return date_set(r, AT_YEAR_MONTH_DAY, year_of(part[f->year], digits[f->year]),
            at_number(part[f->month], digits[f->month]), at_number(part[f->day], digits[f->day]));
    }
    return TAKEN_NO;
}

/* [M]MDDYY and [M]MDDCCYY */
static int read_concatenated(struct at_reader *r, size_t digits)
{
    const char *at = r->at;
    size_t month = digits % 2 ? 1 : 2, year = digits - 2 - month;
    r->at += digits;
    span_end(r);
    return date_set(
        r, AT_YEAR_MONTH_DAY, year_of(at + month + 2, year), at_number(at, month), at_number(at + month, 2));
}

static int read_next(struct at_reader *r)
{
    int value;
    if (at_take_word(r, AT_WORD_WEEKDAY, &value)) {
        r->p->date = AT_WEEKDAY;
        r->p->weekday = value;
    } else if (at_take_word(r, AT_WORD_UNIT, &value)) {
        r->p->date = AT_NEXT;
        r->p->next = (enum at_unit)value;
    } else {
        return at_expected(r, "a day or a unit is expected behind `next`, like monday or week");
    }
    return TAKEN_YES;
}

int at_read_date(struct at_reader *r)
{
    int value;
    r->p->date_span.at = r->at;
    if (at_take_word(r, AT_WORD_MONTH, &value))
        return read_month_day(r, value);
    if (at_take_word(r, AT_WORD_NEXT, NULL))
        return read_next(r);
    if (at_take_word(r, AT_WORD_WEEKDAY, &r->p->weekday)) {
        r->p->date = AT_WEEKDAY;
        return TAKEN_YES;
    }
    if (at_take_word(r, AT_WORD_DAYS, &r->p->days)) {
        r->p->date = AT_DAYS;
        return TAKEN_YES;
    }
    int taken = read_triple(r);
    size_t digits = at_digits(r->at);
    if (taken == TAKEN_NO && digits >= 5 && digits <= 8)
        return read_concatenated(r, digits);
    if (taken == TAKEN_NO && (digits == 1 || digits == 2))
        return read_day_month(r, digits);
    return taken;
}

/* ---- stamps ---- */

/* Eight digits are MMDDCCYY where the last four are a year that may be meant, as among at's words; MMDDhhmm where they
 * are not. */
bool at_is_stamp(const char *text)
{
    size_t digits = at_digits(text);
    const char *end = text + digits;
    if (*end && !(*end == '.' && at_digits(end + 1) == 2 && !end[3]))
        return false;
    return digits == 10 || digits == 12 || (digits == 8 && (*end || at_number(text + 4, 4) < 1960));
}

int at_read_stamp(struct at_reader *r)
{
    size_t year = at_digits(r->at) - 8;
    const char *at = r->at, *day = at + year, *hour = day + 4;
    r->p->stamp = true;
    r->p->date_span = (struct at_span){at, (int)year + 4};
    if (at_number(hour, 2) > 23)
        return at_refuse(r, hour, 2, "hour: %d is above 23", at_number(hour, 2));
    r->at = hour + 4;
    int code = at_set_clock(r, hour + 2, at_number(hour, 2), at_number(hour + 2, 2));
    if (code < 0)
        return code;
    if (*r->at == '.') {
        r->p->second = at_number(r->at + 1, 2);
        if (r->p->second > 59)
            return at_refuse(r, r->at + 1, 2, "second: %d is above 59", r->p->second);
        r->at += 3;
    }
    return date_set(r, year ? AT_YEAR_MONTH_DAY : AT_MONTH_DAY, year ? year_of(at, year) : 0, at_number(day, 2),
        at_number(day + 2, 2));
}
