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
#include <string.h>

#include "lib/time/at_reader.h"

/* ---- times of day ---- */

static int half_set(struct at_reader *r, const char *at, int hour, int minute, int half)
{
    if (hour > 12)
        return at_refuse(r, at, at_width(at), "hour: %d is above 12, before am or pm", hour);
    return at_set_clock(r, at, hour % 12 + half, minute);
}

/* 24.12 is a date to those who write so, and 00:12 to at. */
static int dotted_refuse(struct at_reader *r, const char *at)
{
    return at_refuse(r, at, 5, "that may be a date or a time: write %.5s. with the year, or 00:%.2s", at, at + 3);
}

static int read_clock(struct at_reader *r)
{
    const char *at = r->at;
    size_t digits = at_digits(at);
    int half;
    if (at_is_clock(at)) {
        if (!strncmp(at, "24", 2) && at[2] != ':')
            return dotted_refuse(r, at);
        int hour = at_number(at, digits), minute = at_number(at + digits + 1, 2);
        r->at += digits + 3;
        const char *end = r->at;
        at_skip_blanks(r);
        if (at_take_word(r, AT_WORD_HALF, &half))
            return half_set(r, at, hour, minute, half);
        r->at = end;
        int code = at_set_clock(r, at, hour, minute);
        at_skip_blanks(r);
        return code;
    }
    if (digits == 4 && at[4] != '-') {
        r->at += digits;
        int code = at_set_clock(r, at, at_number(at, 2), at_number(at + 2, 2));
        at_skip_blanks(r);
        return code;
    }
    if (digits < 1 || digits > 2)
        return TAKEN_NO;
    int hour = at_take_number(r, digits);
    if (at_take_word(r, AT_WORD_HALF, &half))
        return half_set(r, at, hour, 0, half);
    r->at = at;
    return TAKEN_NO;
}

static int read_time(struct at_reader *r)
{
    int hour, taken;
    if (at_take_word(r, AT_WORD_TIME, &hour))
        taken = at_set_clock(r, r->at, hour, 0);
    else
        taken = read_clock(r);
    if (taken == TAKEN_YES)
        r->p->utc = at_take_word(r, AT_WORD_UTC, NULL);
    return taken;
}

/* ---- the whole ---- */

static int read_count(struct at_reader *r)
{
    if (*r->at != '+' && *r->at != '-')
        return TAKEN_NO;
    const char *start = r->at;
    bool minus = *r->at++ == '-', over = false;
    int unit;
    at_skip_blanks(r);
    if (!at_is_digit(*r->at))
        return at_expected(r, "a whole number is expected, as in + 3 days");
    for (; at_is_digit(*r->at); r->at++)
        over |= __builtin_mul_overflow(r->p->count, 10, &r->p->count) ||
                __builtin_add_overflow(r->p->count, *r->at - '0', &r->p->count);
    r->p->count_span = (struct at_span){start, (int)(r->at - start)};
    if (over)
        return at_refuse(r, start, (int)(r->at - start), "that is too far away: times end in the year 2262");
    if (minus)
        r->p->count = -r->p->count;
    at_skip_blanks(r);
    if (!at_take_word(r, AT_WORD_UNIT, &unit))
        return at_expected(r, "a unit is expected: minutes, hours, days, weeks, months or years");
    r->p->unit = (enum at_unit)unit;
    return TAKEN_YES;
}

/* `fri 9am`: only a clock, so that `tomorrow noon` is left as the slip that at takes it for. */
static int read_day_clock(struct at_reader *r)
{
    if (at_word_find(r->at).kind == AT_WORD_TIME)
        return at_refuse(r, r->at, at_width(r->at), "the word for the time stands first: `%.*s tomorrow`, `%.*s fri`",
            at_width(r->at), r->at, at_width(r->at), r->at);
    if (!at_is_digit(*r->at) || (r->p->date != AT_DAYS && r->p->date != AT_WEEKDAY))
        return TAKEN_NO;
    int taken = read_time(r);
    return taken == TAKEN_NO ? at_expected(r, "a time of day is written 17:30, 1730 or 5pm") : taken;
}

static int read_base(struct at_reader *r)
{
    if (at_take_word(r, AT_WORD_NOW, NULL))
        return TAKEN_YES;
    int taken = read_time(r);
    if (taken == TAKEN_YES)
        return at_read_date(r);
    if (taken == TAKEN_NO)
        taken = at_read_date(r);
    return taken == TAKEN_YES ? read_day_clock(r)
           : taken < 0
               ? taken
               : at_expected(r, "a time or a date is expected, like now, 17:30, 5pm, noon, tomorrow, fri or Jul 31");
}

static int rest_refuse(const struct at_reader *r)
{
    if (*r->at == ':')
        return at_expected(r, "seconds do not go with words: write 17:30:15, tomorrow 17:30:15 or 2026-12-24T17:30:15");
    return at_expected(r, r->p->count_span.at ? "the time ends before this: one increment is the last of it"
                                              : "this does not fit behind what stands before it");
}

int at_read(const char *text, struct at_phrase *out, struct error *e)
{
    struct at_phrase p = {.date = AT_NO_DATE};
    struct at_reader r = {.text = text, .at = text, .p = &p, .e = e};
    if (strnlen(text, AT_TEXT_MAX + 1) > AT_TEXT_MAX)
        return at_refuse(&r, text, AT_TEXT_MAX, "a time has no more than %d letters", AT_TEXT_MAX);
    at_skip_blanks(&r);
    int code = at_is_stamp(r.at) ? at_read_stamp(&r) : read_base(&r);
    if (code >= 0 && !p.stamp)
        code = read_count(&r);
    if (code >= 0 && *r.at)
        code = rest_refuse(&r);
    if (code < 0)
        return code;
    *out = p;
    return 0;
}
