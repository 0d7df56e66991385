/* Is this word the beginning of a time? A guess, for catching slips. */
#include <string.h>
#include <strings.h>

#include "lib/time/when.h"

static const char *const words[] = {"today", "tomorrow", "noon", "midnight", "teatime", "next", "mon", "monday", "tue",
    "tues", "tuesday", "wed", "wednesday", "thu", "thur", "thurs", "thursday", "fri", "friday", "sat", "saturday",
    "sun", "sunday", "jan", "january", "feb", "february", "mar", "march", "apr", "april", "may", "jun", "june", "jul",
    "july", "aug", "august", "sep", "sept", "september", "oct", "october", "nov", "november", "dec", "december", "am",
    "pm", "utc", "month", "months", "year", "years"};

/* Also what at, sleep and systemd take, but not the 7 of 7z or the 1 of 1password. */
static const char *const units[] = {"ms", "s", "sec", "secs", "second", "seconds", "m", "min", "mins", "minute",
    "minutes", "h", "hr", "hrs", "hour", "hours", "d", "day", "days", "w", "week", "weeks", "month", "months", "y",
    "year", "years", "am", "pm"};

static bool is_among(const char *word, size_t length, const char *const *list, size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (strlen(list[i]) == length && !strncasecmp(list[i], word, length))
            return true;
    return false;
}

/* 20m, 1h30m, 3days, 9am: nothing but pairs of a number and a unit. */
static bool is_quantity(const char *word)
{
    do {
        size_t digits = strspn(word, "0123456789");
        word += digits;
        size_t letters = strcspn(word, "0123456789");
        if (!digits || !is_among(word, letters, units, sizeof units / sizeof units[0]))
            return false;
        word += letters;
    } while (*word);
    return true;
}

static bool is_clock(const char *word)
{
    size_t hour = strspn(word, "0123456789");
    if (hour < 1 || hour > 2 || word[hour] != ':')
        return false;
    return strspn(word + hour + 1, "0123456789") == 2;
}

/* 12/24/27, 24.12.2027, 2027-12-24 */
static bool is_date(const char *word)
{
    size_t first = strspn(word, "0123456789");
    char by = word[first];
    if (!first || first > 4 || !by || !strchr("/.-", by))
        return false;
    word += first + 1;
    size_t second = strspn(word, "0123456789"),
           third = word[second] == by ? strspn(word + second + 1, "0123456789") : 0;
    return second && second < 3 && third && third < 5 && !word[second + 1 + third];
}

bool when_looks_like_time(const char *word)
{
    if (*word == '+' || (*word == '*' && (!word[1] || word[1] == '/' || word[1] == ' ')))
        return true;
    return is_clock(word) || is_date(word) || is_quantity(word) ||
           is_among(word, strlen(word), words, sizeof words / sizeof words[0]);
}
