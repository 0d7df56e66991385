#include "lib/time/at_reader.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

bool at_is_digit(char c)
{
    return c >= '0' && c <= '9';
}

size_t at_digits(const char *text)
{
    return strspn(text, "0123456789");
}

int at_number(const char *at, size_t digits)
{
    int value = 0;
    for (size_t i = 0; i < digits; i++)
        value = value * 10 + (at[i] - '0');
    return value;
}

void at_skip_blanks(struct at_reader *r)
{
    r->at += strspn(r->at, " \t");
}

int at_width(const char *at)
{
    size_t letters = strspn(at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"), digits = at_digits(at);
    return letters ? (int)letters : digits ? (int)digits : 1;
}

int at_refuse(const struct at_reader *r, const char *at, int width, const char *format, ...)
{
    char line[256];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(line, sizeof line, format, arguments);
    va_end(arguments);
    error_set(r->e, ERROR_USAGE, "%s", line);
    return error_place(r->e, r->text, 1, (int)(at - r->text) + 1, width > 0 ? width : 1);
}

int at_expected(const struct at_reader *r, const char *what)
{
    return at_refuse(r, r->at, at_width(r->at), "%s", what);
}

bool at_take_word(struct at_reader *r, enum at_word_kind kind, int *value)
{
    struct at_word word = at_word_find(r->at);
    if (word.kind != kind)
        return false;
    if (value)
        *value = word.value;
    r->at += strlen(word.name);
    at_skip_blanks(r);
    return true;
}

int at_take_number(struct at_reader *r, size_t digits)
{
    int value = at_number(r->at, digits);
    r->at += digits;
    at_skip_blanks(r);
    return value;
}

bool at_is_clock(const char *at)
{
    size_t hour = at_digits(at);
    if (hour < 1 || hour > 2 || !at[hour] || !strchr(":.,'hH", at[hour]))
        return false;
    const char *minute = at + hour + 1;
    return at_digits(minute) == 2 && !(at[hour] == '.' && minute[2] == '.' && at_is_digit(minute[3]));
}

int at_set_clock(struct at_reader *r, const char *at, int hour, int minute)
{
    if (hour > 24)
        return at_refuse(r, at, at_width(at), "hour: %d is above 24", hour);
    if (minute > 59)
        return at_refuse(r, at, (int)(r->at - at), "minute: %d is above 59", minute);
    r->p->timed = true;
    r->p->hour = hour;
    r->p->minute = minute;
    return TAKEN_YES;
}
