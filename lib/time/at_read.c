/* The grammar of timespec in at 3.2.5, read from left to right:
 *
 *   phrase  now | date | time [date] | day clock, then perhaps an increment
 *   time    clock | noon | midnight | teatime, then perhaps `utc`
 *   clock   17:30, 17.30, 17h30, 1730, 5pm, 5:30pm
 *   day     today | tomorrow | [next] WEEKDAY
 *   date    day | next UNIT | Jul 31 [[,] 2027] | 31 Jul [2027] | 12/24/27 | 24.12.27 | 2027-12-24 | 122427
 *   increment  + 3 days, - 1 hour
 *
 * A day with a clock behind it is what people type; at knows it only the other way round. Years have two digits (70-99
 * are of the last century) or four. */
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "lib/time/at_phrase.h"
#include "lib/time/instant.h"

struct reader {
    const char *text, *at;
    struct at_phrase *p;
    struct error *e;
};

/* What may stand next: all of it or nothing. */
enum taken { TAKEN_NO, TAKEN_YES };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static size_t digits_at(const char *text)
{
    return strspn(text, "0123456789");
}

static int number_of(const char *at, size_t digits)
{
    int value = 0;
    for (size_t i = 0; i < digits; i++)
        value = value * 10 + (at[i] - '0');
    return value;
}

static void skip_blanks(struct reader *r)
{
    r->at += strspn(r->at, " \t");
}

/* The word or number at the place, for an error; a byte if it is neither. */
static int width_at(const char *at)
{
    size_t letters = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), digits = digits_at(at);
    return letters ? (int)letters : digits ? (int)digits : 1;
}

static int refuse(const struct reader *r, const char *at, int width, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static int refuse(const struct reader *r, const char *at, int width, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    error_set(r->e, ERROR_USAGE, "%s", line);
    return error_place(r->e, r->text, 1, (int)(at - r->text) + 1, width > 0 ? width : 1);
}

static int expected(const struct reader *r, const char *what)
{
    return refuse(r, r->at, width_at(r->at), "%s", what);
}

static bool take_word(struct reader *r, enum at_word_kind kind, int *value)
{
    struct at_word word = at_word_find(r->at);
    if (word.kind != kind)
        return false;
    if (value)
        *value = word.value;
    r->at += strlen(word.name);
    skip_blanks(r);
    return true;
}

/* A number and the blanks behind it. */
static int take_number(struct reader *r, size_t digits)
{
    int value = number_of(r->at, digits);
    r->at += digits;
    skip_blanks(r);
    return value;
}

/* ---- times of day ---- */

static int clock_set(struct reader *r, const char *at, int hour, int minute)
{
    if (hour > 24)
        return refuse(r, at, width_at(at), "hour: %d is above 24", hour);
    if (minute > 59)
        return refuse(r, at, (int)(r->at - at), "minute: %d is above 59", minute);
    r->p->timed = true;
    r->p->hour = hour;
    r->p->minute = minute;
    return TAKEN_YES;
}

static int half_set(struct reader *r, const char *at, int hour, int minute, int half)
{
    if (hour > 12)
        return refuse(r, at, width_at(at), "hour: %d is above 12, before am or pm", hour);
    return clock_set(r, at, hour % 12 + half, minute);
}

/* H:MM, not the beginning of a date with dots. */
static bool is_clock(const char *at)
{
    size_t hour = digits_at(at);
    if (hour < 1 || hour > 2 || !at[hour] || !strchr(":.,'hH", at[hour]))
        return false;
    const char *minute = at + hour + 1;
    return digits_at(minute) == 2 && !(at[hour] == '.' && minute[2] == '.' && is_digit(minute[3]));
}

/* 24.12 is a date to those who write so, and 00:12 to at. */
static int dotted_refuse(struct reader *r, const char *at)
{
    return refuse(r, at, 5, "that may be a date or a time: write %.5s. with the year, or 00:%.2s", at, at + 3);
}

static int read_clock(struct reader *r)
{
    const char *at = r->at;
    size_t digits = digits_at(at);
    int half;
    if (is_clock(at)) {
        if (!strncmp(at, "24", 2) && at[2] != ':')
            return dotted_refuse(r, at);
        int hour = number_of(at, digits), minute = number_of(at + digits + 1, 2);
        r->at += digits + 3;
        const char *end = r->at;
        skip_blanks(r);
        if (take_word(r, AT_WORD_HALF, &half))
            return half_set(r, at, hour, minute, half);
        r->at = end;
        int code = clock_set(r, at, hour, minute);
        skip_blanks(r);
        return code;
    }
    if (digits == 4 && at[4] != '-') {
        r->at += digits;
        int code = clock_set(r, at, number_of(at, 2), number_of(at + 2, 2));
        skip_blanks(r);
        return code;
    }
    if (digits < 1 || digits > 2)
        return TAKEN_NO;
    int hour = take_number(r, digits);
    if (take_word(r, AT_WORD_HALF, &half))
        return half_set(r, at, hour, 0, half);
    r->at = at;
    return TAKEN_NO;
}

static int read_time(struct reader *r)
{
    int hour, taken;
    if (take_word(r, AT_WORD_TIME, &hour))
        taken = clock_set(r, r->at, hour, 0);
    else
        taken = read_clock(r);
    if (taken == TAKEN_YES)
        r->p->utc = take_word(r, AT_WORD_UTC, NULL);
    return taken;
}

/* ---- dates ---- */

static int year_of(const char *at, size_t digits)
{
    int year = number_of(at, digits);
    return digits > 2 ? year : year + (year < 70 ? 2000 : 1900);
}

/* Every month has had the day in some year; whether in this one is known when the year is. */
static int date_set(struct reader *r, enum at_date kind, int year, int month, int day)
{
    const struct at_span *s = &r->p->date_span;
    if (month < 1 || month > 12)
        return refuse(r, s->at, s->width, "month: %d is not in 1-12", month);
    if (kind != AT_MONTH_DAY && (year < 1678 || year > 2261))
        return refuse(r, s->at, s->width, "year: %d is not in 1678-2261", year);
    int most = civil_month_days(kind == AT_MONTH_DAY ? 2000 : year, month);
    if (day < 1 || day > most)
        return refuse(r, s->at, s->width, "day: %d is not in 1-%d, the days of that month", day, most);
    r->p->date = kind;
    r->p->year = year;
    r->p->month = month;
    r->p->day = day;
    return TAKEN_YES;
}

static void span_end(struct reader *r)
{
    struct at_span *s = &r->p->date_span;
    s->width = (int)(r->at - s->at);
    skip_blanks(r);
}

/* Behind the name of a month and a day: nothing, or a year. */
static int read_year(struct reader *r, int month, int day)
{
    const char *at = r->at + strspn(r->at, " \t"), *comma = *at == ',' ? at : NULL;
    if (comma)
        at += 1 + strspn(at + 1, " \t");
    size_t digits = digits_at(at);
    if (is_clock(at) || (digits && at_word_find(at + digits + strspn(at + digits, " \t")).kind == AT_WORD_HALF))
        return refuse(r, at, width_at(at), "the time stands before such a date: 10:00 Jul 31");
    if (!digits && !comma) {
        span_end(r);
        return date_set(r, AT_MONTH_DAY, 0, month, day);
    }
    r->at = at;
    if (digits != 2 && digits != 4)
        return expected(r, "a year of two or four digits is expected");
    r->at += digits;
    span_end(r);
    return date_set(r, AT_YEAR_MONTH_DAY, year_of(at, digits), month, day);
}

/* `Jul 31`: the month is taken already. */
static int read_month_day(struct reader *r, int month)
{
    size_t digits = digits_at(r->at);
    if (digits < 1 || digits > 2)
        return expected(r, "a day of the month is expected behind its name");
    int day = number_of(r->at, digits);
    r->at += digits;
    return read_year(r, month, day);
}

/* `31 Jul` */
static int read_day_month(struct reader *r, size_t digits)
{
    const char *start = r->at;
    int month, day = take_number(r, digits);
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
        digits[i] = digits_at(at);
        at += digits[i] + 1;
        if (!digits[i] || digits[i] > 4 || (i < 2 && at[-1] != by))
            return false;
    }
    return true;
}

/* 12/24/27, 24.12.27, 2027-12-24 */
static int read_triple(struct reader *r)
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
            return refuse(r, r->at, (int)(part[2] - r->at) + (int)digits[2],
                "a date is written 12/24/2027, 24.12.2027 or 2027-12-24");
        r->at = part[2] + digits[2];
        span_end(r);
        return date_set(r, AT_YEAR_MONTH_DAY, year_of(part[f->year], digits[f->year]),
            number_of(part[f->month], digits[f->month]), number_of(part[f->day], digits[f->day]));
    }
    return TAKEN_NO;
}

/* [M]MDDYY and [M]MDDCCYY */
static int read_concatenated(struct reader *r, size_t digits)
{
    const char *at = r->at;
    size_t month = digits % 2 ? 1 : 2, year = digits - 2 - month;
    r->at += digits;
    span_end(r);
    return date_set(
        r, AT_YEAR_MONTH_DAY, year_of(at + month + 2, year), number_of(at, month), number_of(at + month, 2));
}

static int read_next(struct reader *r)
{
    int value;
    if (take_word(r, AT_WORD_WEEKDAY, &value)) {
        r->p->date = AT_WEEKDAY;
        r->p->weekday = value;
    } else if (take_word(r, AT_WORD_UNIT, &value)) {
        r->p->date = AT_NEXT;
        r->p->next = (enum at_unit)value;
    } else {
        return expected(r, "a day or a unit is expected behind `next`, like monday or week");
    }
    return TAKEN_YES;
}

static int read_date(struct reader *r)
{
    int value;
    r->p->date_span.at = r->at;
    if (take_word(r, AT_WORD_MONTH, &value))
        return read_month_day(r, value);
    if (take_word(r, AT_WORD_NEXT, NULL))
        return read_next(r);
    if (take_word(r, AT_WORD_WEEKDAY, &r->p->weekday)) {
        r->p->date = AT_WEEKDAY;
        return TAKEN_YES;
    }
    if (take_word(r, AT_WORD_DAYS, &r->p->days)) {
        r->p->date = AT_DAYS;
        return TAKEN_YES;
    }
    int taken = read_triple(r);
    size_t digits = digits_at(r->at);
    if (taken == TAKEN_NO && digits >= 5 && digits <= 8)
        return read_concatenated(r, digits);
    if (taken == TAKEN_NO && (digits == 1 || digits == 2))
        return read_day_month(r, digits);
    return taken;
}

/* ---- stamps ---- */

/* Eight digits are MMDDCCYY where the last four are a year that may be meant, as among at's words; MMDDhhmm where they
 * are not. */
static bool is_stamp(const char *text)
{
    size_t digits = digits_at(text);
    const char *end = text + digits;
    if (*end && !(*end == '.' && digits_at(end + 1) == 2 && !end[3]))
        return false;
    return digits == 10 || digits == 12 || (digits == 8 && (*end || number_of(text + 4, 4) < 1960));
}

static int read_stamp(struct reader *r)
{
    size_t year = digits_at(r->at) - 8;
    const char *at = r->at, *day = at + year, *hour = day + 4;
    r->p->stamp = true;
    r->p->date_span = (struct at_span){at, (int)year + 4};
    if (number_of(hour, 2) > 23)
        return refuse(r, hour, 2, "hour: %d is above 23", number_of(hour, 2));
    r->at = hour + 4;
    int code = clock_set(r, hour + 2, number_of(hour, 2), number_of(hour + 2, 2));
    if (code < 0)
        return code;
    if (*r->at == '.') {
        r->p->second = number_of(r->at + 1, 2);
        if (r->p->second > 59)
            return refuse(r, r->at + 1, 2, "second: %d is above 59", r->p->second);
        r->at += 3;
    }
    return date_set(r, year ? AT_YEAR_MONTH_DAY : AT_MONTH_DAY, year ? year_of(at, year) : 0, number_of(day, 2),
        number_of(day + 2, 2));
}

/* ---- the whole ---- */

static int read_count(struct reader *r)
{
    if (*r->at != '+' && *r->at != '-')
        return TAKEN_NO;
    const char *start = r->at;
    bool minus = *r->at++ == '-', over = false;
    int unit;
    skip_blanks(r);
    if (!is_digit(*r->at))
        return expected(r, "a whole number is expected, as in + 3 days");
    for (; is_digit(*r->at); r->at++)
        over |= __builtin_mul_overflow(r->p->count, 10, &r->p->count) ||
                __builtin_add_overflow(r->p->count, *r->at - '0', &r->p->count);
    r->p->count_span = (struct at_span){start, (int)(r->at - start)};
    if (over)
        return refuse(r, start, (int)(r->at - start), "that is too far away: times end in the year 2262");
    if (minus)
        r->p->count = -r->p->count;
    skip_blanks(r);
    if (!take_word(r, AT_WORD_UNIT, &unit))
        return expected(r, "a unit is expected: minutes, hours, days, weeks, months or years");
    r->p->unit = (enum at_unit)unit;
    return TAKEN_YES;
}

/* `fri 9am`: only a clock, so that `tomorrow noon` is left as the slip that at takes it for. */
static int read_day_clock(struct reader *r)
{
    if (at_word_find(r->at).kind == AT_WORD_TIME)
        return refuse(r, r->at, width_at(r->at), "the word for the time stands first: `%.*s tomorrow`, `%.*s fri`",
            width_at(r->at), r->at, width_at(r->at), r->at);
    if (!is_digit(*r->at) || (r->p->date != AT_DAYS && r->p->date != AT_WEEKDAY))
        return TAKEN_NO;
    int taken = read_time(r);
    return taken == TAKEN_NO ? expected(r, "a time of day is written 17:30, 1730 or 5pm") : taken;
}

static int read_base(struct reader *r)
{
    if (take_word(r, AT_WORD_NOW, NULL))
        return TAKEN_YES;
    int taken = read_time(r);
    if (taken == TAKEN_YES)
        return read_date(r);
    if (taken == TAKEN_NO)
        taken = read_date(r);
    return taken == TAKEN_YES ? read_day_clock(r)
           : taken < 0
               ? taken
               : expected(r, "a time or a date is expected, like now, 17:30, 5pm, noon, tomorrow, fri or Jul 31");
}

static int rest_refuse(const struct reader *r)
{
    if (*r->at == ':')
        return expected(r, "seconds do not go with words: write 17:30:15, tomorrow 17:30:15 or 2026-12-24T17:30:15");
    return expected(r, r->p->count_span.at ? "the time ends before this: one increment is the last of it"
                                           : "this does not fit behind what stands before it");
}

int at_read(const char *text, struct at_phrase *out, struct error *e)
{
    struct at_phrase p = {.date = AT_NO_DATE};
    struct reader r = {.text = text, .at = text, .p = &p, .e = e};
    if (strnlen(text, AT_TEXT_MAX + 1) > AT_TEXT_MAX)
        return refuse(&r, text, AT_TEXT_MAX, "a time has no more than %d letters", AT_TEXT_MAX);
    skip_blanks(&r);
    int code = is_stamp(r.at) ? read_stamp(&r) : read_base(&r);
    if (code >= 0 && !p.stamp)
        code = read_count(&r);
    if (code >= 0 && *r.at)
        code = rest_refuse(&r);
    if (code < 0)
        return code;
    *out = p;
    return 0;
}
