#include "lib/time/when_notation.h"

#include <stdbool.h>
#include <string.h>
#include <strings.h>

#include "lib/time/at_phrase.h"
#include "lib/time/duration_iso.h"

#define DIGITS "0123456789"
#define BLANKS " \t"
#define LETTERS "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"

static bool is_letter(char c)
{
    return c && strchr(LETTERS, c);
}

/* systemd's words for calendar expressions. */
static bool is_calendar_word(const char *text)
{
    static const char *const words[] = {
        "minutely", "hourly", "daily", "weekly", "monthly", "quarterly", "semiannually", "yearly", "annually"};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++)
        if (!strcasecmp(text, words[i]))
            return true;
    return false;
}

/* Stars in a date or a clock, and ranges of days, stand in no other notation. */
static bool is_calendar(const char *text)
{
    static const char *const marks[] = {"*-", "-*", "*:", ":*", ".."};
    for (size_t i = 0; i < sizeof marks / sizeof marks[0]; i++)
        if (strstr(text, marks[i]))
            return true;
    return is_calendar_word(text);
}

/* ---- cron ---- */

/* No expression holds a line end or the like. */
static bool is_one_line(const char *text)
{
    while (*text && (*text == '\t' || (unsigned char)*text >= ' ') && *text != 0x7f)
        text++;
    return !*text;
}

static bool is_star(const char *field, size_t length)
{
    return field[0] == '*' && (length == 1 || field[1] == '/');
}

/* Five or six fields of digits, stars, names and what joins them; or any number of fields with a star among them. */
static enum when_notation cron_notation(const char *text)
{
    bool plain = !text[strspn(text, BLANKS "*,/-#?~" DIGITS LETTERS)] && strpbrk(text, "*" DIGITS), star = false;
    int fields = 0;
    if (!is_one_line(text))
        return NOTATION_NONE;
    for (const char *at = text + strspn(text, BLANKS); *at; at += strspn(at, BLANKS)) {
        size_t length = strcspn(at, BLANKS);
        star |= is_star(at, length);
        fields++;
        at += length;
    }
    if (!star && !(plain && (fields == 5 || fields == 6)))
        return NOTATION_NONE;
    return fields == 6 ? NOTATION_CRON_SIX : NOTATION_CRON;
}

/* ---- times and durations ---- */

static enum at_word_kind word_at(const char *text)
{
    return at_word_find(text + strspn(text, BLANKS)).kind;
}

/* A word that may begin a phrase of at, or go on behind its clock. */
static bool is_time_word(enum at_word_kind kind)
{
    return kind != AT_WORD_NONE && kind != AT_WORD_UNIT && kind != AT_WORD_HALF;
}

static bool goes_on(const char *text)
{
    text += strspn(text, BLANKS);
    return is_time_word(word_at(text)) || (*text && strchr(DIGITS "+-", *text));
}

/* 9:00, 9am, 31 jul, 12/24/27, 24.12.27, 5.30pm, 27-12-24: begins with one or two digits. */
static bool is_short(const char *text, size_t digits)
{
    enum at_word_kind kind = word_at(text + digits);
    size_t more = strspn(text + digits + 1, DIGITS);
    switch (text[digits]) {
    case ':':
    case '/':
        return true;
    case '-':
        return digits == 2;
    case '.':
        return more && (text[digits + 1 + more] == '.' || word_at(text + digits + 1 + more) == AT_WORD_HALF);
    default:
        return kind == AT_WORD_HALF || kind == AT_WORD_MONTH;
    }
}

/* 2026-12-24, 20261224T1800, 1730 tomorrow, 122427 + 1 day, 202612241800.30 */
static bool is_long(const char *text, size_t digits)
{
    char next = text[digits];
    if (digits == 4 && (next == '-' || is_time_word(at_word_find(text + 4).kind)))
        return true;
    if (digits == 8 && (next == 'T' || next == 't'))
        return true;
    if (next == '.')
        return digits == 8 || digits == 10 || digits == 12;
    return digits <= 8 && (next == '+' || next == ' ') && goes_on(text + digits);
}

static bool is_time(const char *text)
{
    size_t digits = strspn(text, DIGITS);
    if (!digits)
        return is_time_word(at_word_find(text).kind);
    return digits <= 2 ? is_short(text, digits) : digits >= 4 && is_long(text, digits);
}

static bool is_duration(const char *text)
{
    size_t digits = strspn(text, DIGITS);
    if (digits && text[digits])
        return strchr("., ", text[digits]) || is_letter(text[digits]);
    return duration_is_iso(text) || ((*text == '-' || *text == '+') && text[1] && strchr(DIGITS, text[1]));
}

enum when_notation when_notation(const char *text)
{
    if (*text == '@' && is_letter(text[1]))
        return is_one_line(text) ? NOTATION_NICKNAME : NOTATION_NONE;
    if (*text == '@')
        return NOTATION_EPOCH;
    if (*text && !text[strspn(text, DIGITS)])
        return NOTATION_DIGITS;
    enum when_notation cron = cron_notation(text);
    if (is_calendar(text) && cron == NOTATION_NONE)
        return NOTATION_CALENDAR;
    if (is_time(text) && !strpbrk(text, "*"))
        return NOTATION_TIME;
    if (cron != NOTATION_NONE)
        return cron;
    return is_duration(text) ? NOTATION_DURATION : NOTATION_NONE;
}
