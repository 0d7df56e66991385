#include "lib/time/when.h"

#include <string.h>
#include <strings.h>

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

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

static int too_far(const char *text, struct error *e)
{
    error_set(e, ERROR_USAGE, "that is too far away: times end in the year 2262");
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
    int code = duration_parse(text, &d, e);
    if (code)
        return code;
    instant at = later(now, d);
    if (at == INSTANT_NEVER)
        return too_far(text, e);
    *out = (struct when){.kind = WHEN_IN, .at = at, .now = d == 0};
    return 0;
}

int when_every(const char *text, instant now, struct when *out, struct error *e)
{
    duration d;
    int code = duration_parse(text, &d, e);
    if (code)
        return code;
    if (d < SECOND) {
        error_set(e, ERROR_USAGE, "an interval is one second or longer");
        return place(e, text, text, (int)strlen(text));
    }
    instant first = later(now, d);
    if (first == INSTANT_NEVER)
        return too_far(text, e);
    *out = (struct when){.kind = WHEN_EVERY, .at = first, .every = d};
    return 0;
}

/* ---- times of day ---- */

enum day { DAY_NEXT /* today, or tomorrow if that has passed */, DAY_TODAY, DAY_TOMORROW };

struct clock_time {
    int part[3]; /* hour, minute, second */
};

/* Begins like H:MM or HH:MM: then it is meant as one, and what is wrong with it is said. */
static bool looks_like_clock(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits >= 1 && digits <= 2 && text[digits] == ':';
}

static int read_clock(const char *text, const char *at, struct clock_time *out, struct error *e)
{
    static const char *const names[] = {"hour", "minute", "second"};
    static const int most[] = {23, 59, 59};
    *out = (struct clock_time){0};
    for (int i = 0; i < 3; i++) {
        size_t digits = strspn(at, "0123456789");
        if (digits > 2 || digits < (i ? 2 : 1)) {
            error_set(e, ERROR_USAGE, "%s: two digits are expected, as in 17:30 or 17:30:15", names[i]);
            return place(e, text, at, (int)digits);
        }
        for (size_t k = 0; k < digits; k++)
            out->part[i] = out->part[i] * 10 + (at[k] - '0');
        if (out->part[i] > most[i]) {
            error_set(e, ERROR_USAGE, "%s: %d is above %d", names[i], out->part[i], most[i]);
            return place(e, text, at, (int)digits);
        }
        at += digits;
        if (i > 0 && !*at)
            return 0;
        if (i == 2 || *at != ':') {
            error_set(e, ERROR_USAGE, "a time of day is written like 17:30 or 17:30:15");
            return place(e, text, at, (int)strlen(at));
        }
        at++;
    }
    return 0;
}

static struct civil on_day(const struct zone *z, instant now, int days, const struct clock_time *clock)
{
    struct civil c = zone_civil(z, now);
    c = civil_from_seconds((civil_days(c.year, c.month, c.day) + days) * 86400);
    c.hour = clock->part[0];
    c.minute = clock->part[1];
    c.second = clock->part[2];
    return c;
}

/* The first moment from now on at which the clock shows the time on that day; past if there is none. */
static struct zone_local_time find_on_day(const struct zone *z, instant now, const struct civil *c, bool *past)
{
    struct zone_local_time found = zone_resolve(z, c);
    if (found.fit == ZONE_FOLD && found.first < now)
        found.first = found.second;
    *past = (found.fit == ZONE_GAP ? found.jump : found.first) < now;
    return found;
}

static int skipped(const char *text, const struct zone *z, const struct civil *c, instant jump, struct error *e)
{
    struct civil after = zone_civil(z, jump);
    error_set(e, ERROR_USAGE,
        "there is no %02d:%02d:%02d on %04d-%02d-%02d in %.100s: the clock is put forward then, "
        "to %02d:%02d:%02d",
        c->hour, c->minute, c->second, c->year, c->month, c->day, zone_name(z), after.hour, after.minute, after.second);
    return place(e, text, text, (int)strlen(text));
}

static int is_past(const char *text, const struct zone *z, instant at, instant now, struct error *e)
{
    struct buf b = {0};
    duration distance;
    instant_format_local(&b, at, z, false);
    buf_text(&b, " is past (");
    duration_distance(&b, __builtin_sub_overflow(at, now, &distance) ? INT64_MIN : distance);
    buf_char(&b, ')');
    error_set(e, ERROR_USAGE, "%s", buf_string(&b));
    buf_clear(&b);
    return place(e, text, text, (int)strlen(text));
}

struct time_of_day {
    const char *text, *clock; /* the whole, and where its HH:MM begins */
    enum day day;
};

static int at_clock(const struct time_of_day *s, const struct zone *z, instant now, struct when *out, struct error *e)
{
    struct clock_time clock;
    bool past = false, rolled = false;
    int code = read_clock(s->text, s->clock, &clock, e);
    if (code)
        return code;
    struct civil c = on_day(z, now, s->day == DAY_TOMORROW, &clock);
    struct zone_local_time found = find_on_day(z, now, &c, &past);
    if (past && s->day == DAY_NEXT) {
        rolled = true;
        c = on_day(z, now, 1, &clock);
        found = find_on_day(z, now, &c, &past);
    }
    if (found.fit == ZONE_GAP)
        return skipped(s->text, z, &c, found.jump, e);
    if (past)
        return is_past(s->text, z, found.first, now, e);
    *out = (struct when){.kind = WHEN_AT, .at = found.first, .rolled = rolled};
    return 0;
}

/* ---- times ---- */

static int not_a_time(const char *text, struct error *e)
{
    if (!*text)
        error_set(e, ERROR_USAGE, "the time is empty: take now, 17:30, tomorrow 9:00 or 2026-12-24T18:00");
    else
        error_set(e, ERROR_USAGE, "that is not a time: take now, 17:30, tomorrow 9:00 or 2026-12-24T18:00");
    return place(e, text, text, (int)strlen(text));
}

static bool looks_like_date(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return (digits == 4 && text[4] == '-') || digits == 8;
}

static int at_date(const char *text, const struct zone *z, instant now, struct when *out, struct error *e)
{
    instant at;
    int code = instant_parse_iso(text, z, &at, e);
    if (code)
        return code;
    if (at < now)
        return is_past(text, z, at, now, e);
    *out = (struct when){.kind = WHEN_AT, .at = at};
    return 0;
}

int when_at(const char *text, const struct zone *z, instant now, struct when *out, struct error *e)
{
    struct time_of_day s = {.text = text, .clock = text, .day = DAY_NEXT};
    if (!strcasecmp(text, "now")) {
        *out = (struct when){.kind = WHEN_AT, .at = now, .now = true};
        return 0;
    }
    if (looks_like_clock(text))
        return at_clock(&s, z, now, out, e);
    if ((s.clock = after_word(text, "today")))
        s.day = DAY_TODAY;
    else if ((s.clock = after_word(text, "tomorrow")))
        s.day = DAY_TOMORROW;
    if (s.clock)
        return at_clock(&s, z, now, out, e);
    return looks_like_date(text) ? at_date(text, z, now, out, e) : not_a_time(text, e);
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
    else
        error_set(e, ERROR_USAGE,
            "bare digits may mean anything: write --in %.20sm for minutes, --in %.20ss for seconds", text, text);
    return place(e, text, text, (int)length);
}

/* Also what is not quite one, such as -5m, 1.5h and `5 minutes`: then the words for a duration say what is wrong. */
static bool looks_like_duration(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    if (digits && text[digits])
        return is_letter(text[digits]) ? strcspn(text + digits, "Tt") > 0 : digits < 8 && strchr("., ", text[digits]);
    return (*text == '-' || *text == '+') && is_digit(text[1]);
}

static bool is_time_word(const char *text)
{
    return !strcasecmp(text, "now") || after_word(text, "today") || after_word(text, "tomorrow");
}

static int not_a_when(const char *text, struct error *e)
{
    error_set(
        e, ERROR_USAGE, "that is not a WHEN: take now, 20m, 17:30, 'tomorrow 9:00', 2026-12-24T18:00 or 'every 10m'");
    return place(e, text, text, (int)strlen(text));
}

/* `@daily`, or five or six fields of digits, stars, names and what joins them. */
static bool looks_like_cron(const char *text)
{
    if (text[0] == '@')
        return text[1] >= 'a' && text[1] <= 'z';
    if (text[strspn(text, " \t0123456789*,/-abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ#?~")] || !strpbrk(text, "0123456789*"))
        return false;
    int fields = 0;
    for (text += strspn(text, " \t"); *text; text += strspn(text, " \t")) {
        fields++;
        text += strcspn(text, " \t");
    }
    return fields == 5 || fields == 6;
}

static int not_yet_cron(const char *text, struct error *e)
{
    error_set(e, ERROR_USAGE, "cron expressions are not read by this version; repeat by an interval, as in 'every 10m'");
    return place(e, text, text, (int)strlen(text));
}

int when_parse(const char *text, const struct zone *z, instant now, struct when *out, struct error *e)
{
    const char *part;
    if ((part = after_word(text, "in")))
        return shift(when_in(part, now, out, e), text, part, e);
    if ((part = after_word(text, "every")))
        return shift(when_every(part, now, out, e), text, part, e);
    if ((part = after_word(text, "at")))
        return shift(when_at(part, z, now, out, e), text, part, e);
    if (looks_like_cron(text))
        return not_yet_cron(text, e);
    size_t digits = strspn(text, "0123456789");
    if (digits && !text[digits])
        return bare_digits(text, digits, e);
    if (looks_like_duration(text))
        return when_in(text, now, out, e);
    if (looks_like_date(text) || looks_like_clock(text) || is_time_word(text))
        return when_at(text, z, now, out, e);
    return not_a_when(text, e);
}
