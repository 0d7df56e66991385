#include "lib/time/duration_iso.h"

#include <string.h>

static const struct part {
    char letter;
    bool timed;      /* stands behind the T */
    int64_t seconds; /* 0: has no fixed length */
} parts[] = {
    {'Y', false, 0},
    {'M', false, 0},
    {'W', false, 604800},
    {'D', false, 86400},
    {'H', true, 3600},
    {'M', true, 60},
    {'S', true, 1},
};
enum { PARTS = sizeof parts / sizeof parts[0] };

struct reader {
    const char *text, *at;
    bool timed; /* the T is behind us */
    int last;   /* the part that was read, -1 */
    duration sum;
    struct error *e;
};

static int refuse(const struct reader *r, const char *at, int width, const char *what)
{
    error_set(r->e, ERROR_USAGE, "%s", what);
    return error_place(r->e, r->text, 1, (int)(at - r->text) + 1, width > 0 ? width : 1);
}

bool duration_is_iso(const char *text)
{
    return text[0] == 'P' && (text[1] == 'T' || (text[1] >= '0' && text[1] <= '9'));
}

static int part_find(char letter, bool timed)
{
    for (int i = 0; i < PARTS; i++)
        if (letter && parts[i].letter == letter && parts[i].timed == timed)
            return i;
    return -1;
}

static int letter_refuse(const struct reader *r, const char *at)
{
    if (*at == '.' || *at == ',')
        return refuse(r, at, 1, "a duration has no fraction: write PT1H30M for one and a half hours");
    if (!r->timed && part_find(*at, true) >= 0)
        return refuse(r, at, 1, "hours, minutes and seconds stand behind a T, as in PT15M or P1DT2H");
    return refuse(r, at, 1,
        r->timed ? "H, M or S is expected behind the number, as in PT1H30M"
                 : "W, D or a T is expected, as in P2W or P1DT2H");
}

/* One number and its letter. */
static int part_read(struct reader *r)
{
    const char *start = r->at;
    size_t digits = strspn(start, "0123456789");
    int64_t number = 0;
    bool over = false;
    if (!digits)
        return refuse(r, start, 1, "a number is expected, as in PT15M, P1DT2H or P2W");
    for (size_t i = 0; i < digits; i++)
        over |= __builtin_mul_overflow(number, 10, &number) || __builtin_add_overflow(number, start[i] - '0', &number);
    r->at += digits;
    int part = part_find(*r->at, r->timed);
    if (part < 0)
        return letter_refuse(r, r->at);
    if (!parts[part].seconds)
        return refuse(r, start, (int)digits + 1, "years and months have no fixed length: write days or weeks");
    if (part <= r->last)
        return refuse(r, start, (int)digits + 1, "the largest part comes first and each part once, as in P1DT2H30M");
    over |= __builtin_mul_overflow(number, parts[part].seconds * INT64_C(1000000000), &number);
    if (over || __builtin_add_overflow(r->sum, number, &r->sum))
        return refuse(r, start, (int)digits, "the duration is too long: 292 years is the most");
    r->last = part;
    r->at++;
    return 0;
}

int duration_parse_iso(const char *text, duration *out, struct error *e)
{
    struct reader r = {.text = text, .at = text + 1, .last = -1, .e = e};
    do {
        if (*r.at == 'T' && !r.timed) {
            r.timed = true;
            r.at++;
        }
        int code = part_read(&r);
        if (code)
            return code;
    } while (*r.at);
    *out = r.sum;
    return 0;
}
