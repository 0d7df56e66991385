#include "lib/time/when.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "lib/time/cron.h"
#include "lib/time/when_notation.h"
#include "lib/time/when_refuse.h"

static int place(struct error *e, const char *text, const char *at, int width)
{
    return error_place(e, text, 1, (int)(at - text) + 1, width > 0 ? width : 1);
}

/* What stands behind the word and its blanks, or NULL if the text does not begin with it. */
static const char *after_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    if (strncasecmp(text, word, length) != 0 || (text[length] && text[length] != ' '))
        return NULL;
    text += length;
    return text + strspn(text, " ");
}

/* ---- delays and intervals ---- */

char when_unit(const char *word)
{
    static const struct {
        const char *word;
        char unit;
    } units[] = {{"second", 's'}, {"seconds", 's'}, {"sec", 's'}, {"secs", 's'}, {"s", 's'}, {"minute", 'm'},
        {"minutes", 'm'}, {"min", 'm'}, {"mins", 'm'}, {"m", 'm'}, {"hour", 'h'}, {"hours", 'h'}, {"h", 'h'},
        {"day", 'd'}, {"days", 'd'}, {"d", 'd'}, {"week", 'w'}, {"weeks", 'w'}, {"w", 'w'}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].word, word) == 0)
            return units[i].unit;
    return 0;
}

/* `20 minutes`: refused with what it is written like. 0: it is something else. */
static int unit_apart(const char *text, struct error *e)
{
    size_t digits = strspn(text, "0123456789"), blanks = strspn(text + digits, " ");
    char unit = digits && digits < 4 && blanks ? when_unit(text + digits + blanks) : 0;
    if (!unit)
        return 0;
    error_set(e, ERROR_USAGE, "write it without blanks: %.*s%c", (int)digits, text, unit);
    return place(e, text, text, (int)strlen(text));
}

static instant later(instant now, duration d)
{
    instant at;
    return __builtin_add_overflow(now, d, &at) ? INSTANT_NEVER : at;
}

int when_in(const char *text, instant now, struct when *out, struct error *e)
{
    duration d;
    int code = unit_apart(text, e);
    if (!code)
        code = duration_parse(text, &d, e);
    if (code)
        return code;
    instant at = later(now, d);
    if (at == INSTANT_NEVER)
        return when_refuse_far(text, e);
    *out = (struct when){.kind = WHEN_IN, .at = at, .now = d == 0};
    return 0;
}

int when_every(const char *text, instant now, struct when *out, struct error *e)
{
    duration d;
    int code = unit_apart(text, e);
    if (!code)
        code = duration_parse(text, &d, e);
    if (code && !(*text >= '0' && *text <= '9')) {
        error_set(e, ERROR_USAGE,
            "an interval is expected, like 10m or 1h30m; days and times of day are a cron expression such as '0 9 * * "
            "mon' or a calendar expression such as --calendar 'Mon 09:00'");
        return place(e, text, text, (int)strlen(text));
    }
    if (code)
        return code;
    if (d < SECOND) {
        error_set(e, ERROR_USAGE, "an interval is one second or longer");
        return place(e, text, text, (int)strlen(text));
    }
    instant first = later(now, d);
    if (first == INSTANT_NEVER)
        return when_refuse_far(text, e);
    *out = (struct when){.kind = WHEN_EVERY, .at = first, .every = d};
    return 0;
}

/* ---- WHEN ---- */

/* Moves the place of an error from a part of the text into the whole. */
static int shift(int code, const char *text, const char *part, struct error *e)
{
    if (code && e && e->column) {
        int column = e->column + (int)(part - text), width = e->width;
        e->line = e->column = 0;
        return error_place(e, text, 1, column, width);
    }
    return code;
}

/* 20 may be minutes, 1730 a time, 20261224 a date: which one is for the caller to say. */
static int bare_digits(const char *text, size_t length, struct error *e)
{
    if (length == 4 && strncmp(text, "2400", 4) < 0 && text[2] < '6')
        error_set(e, ERROR_USAGE,
            "bare digits may mean anything: write --at %.2s:%s for the time, or --in %ss, --in %sm", text, text + 2,
            text, text);
    else if (length == 8)
        error_set(e, ERROR_USAGE, "bare digits may mean anything: write --at %s for the date", text);
    else if (length == 10 || length == 12)
        error_set(e, ERROR_USAGE,
            "bare digits may mean anything: write --at %s for the time, or --at @%s for seconds since 1970", text,
            text);
    else
        error_set(e, ERROR_USAGE,
            "bare digits may mean anything: write --in %.20sm for minutes, --in %.20ss for seconds", text, text);
    return place(e, text, text, (int)length);
}

static int not_a_when(const char *text, struct error *e)
{
    error_set(e, ERROR_USAGE,
        "that is not a WHEN: take now, 20m, 17:30, 'fri 9am', 2026-12-24T18:00, 'every 10m', '0 2 * * *' or @daily");
    return place(e, text, text, (int)strlen(text));
}

/* Shows the text behind its flag, unless that would have to be quoted with care. */
static int flag_refuse(const char *text, const char *what, const char *flag, struct error *e)
{
    size_t plain = strspn(text, "*/,.:~-+#? 0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_");
    if (text[plain])
        error_set(e, ERROR_USAGE, "%s goes with its flag, %s", what, flag);
    else
        error_set(e, ERROR_USAGE, "%s goes with its flag: write %s '%s'", what, flag, text);
    return place(e, text, text, (int)strlen(text));
}

static int cron_when(const char *text, struct when *out, struct error *e)
{
    struct cron c;
    int code = cron_parse(text, 0, &c, NULL, e);
    if (code < 0)
        return code;
    *out = (struct when){.kind = c.reboot ? WHEN_BOOT : WHEN_CRON, .at = INSTANT_NONE, .text = text};
    return 0;
}

/* `17.30`: a time of day as some write it. */
static bool is_dotted_time(const char *text)
{
    size_t hour = strspn(text, "0123456789");
    return hour >= 1 && hour <= 2 && text[hour] == '.' && strspn(text + hour + 1, "0123456789") == 2 && !text[hour + 3];
}

static int dotted_time(const char *text, struct error *e)
{
    error_set(e, ERROR_USAGE, "a time of day is written with a colon, %.*s:%s, and a delay with units, like 1h30m",
        (int)strcspn(text, "."), text, strchr(text, '.') + 1);
    return place(e, text, text, (int)strlen(text));
}

/* `tomorrow at 9am`: people put an `at` between day and time. */
static int time_words(const char *text, const struct zone *z, instant now, struct when *out, struct error *e)
{
    char shorter[64];
    const char *at = strstr(text, " at ");
    int code = when_at(text, z, now, out, e);
    if (code == 0 || !at || strlen(text) >= sizeof shorter)
        return code;
    snprintf(shorter, sizeof shorter, "%.*s%s", (int)(at - text), text, at + sizeof " at" - 1);
    return when_at(shorter, z, now, out, NULL) == 0 ? 0 : code;
}

int when_parse(const char *text, const struct zone *z, instant now, struct when *out, struct error *e)
{
    const char *part;
    if ((part = after_word(text, "in")))
        return shift(when_in(part, now, out, e), text, part, e);
    if ((part = after_word(text, "every")))
        return shift(when_every(part, now, out, e), text, part, e);
    if ((part = after_word(text, "at")))
        return shift(time_words(part, z, now, out, e), text, part, e);
    if (is_dotted_time(text))
        return dotted_time(text, e);
    switch (when_notation(text)) {
    case NOTATION_DIGITS:
        return bare_digits(text, strlen(text), e);
    case NOTATION_DURATION:
        return when_in(text, now, out, e);
    case NOTATION_EPOCH:
    case NOTATION_TIME:
        return time_words(text, z, now, out, e);
    case NOTATION_NICKNAME:
    case NOTATION_CRON:
        return cron_when(text, out, e);
    case NOTATION_CRON_SIX:
        return flag_refuse(text, "a cron expression of six fields, seconds first,", "--cron", e);
    case NOTATION_CALENDAR:
        return flag_refuse(text, "a calendar expression", "--calendar", e);
    case NOTATION_NONE:
        break;
    }
    return not_a_when(text, e);
}
