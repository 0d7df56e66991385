/* --at: ISO 8601 first, times of day, seconds since 1970, and then the words of at(1). */
#include <string.h>
#include <strings.h>

#include "lib/time/at.h"
#include "lib/time/when.h"
#include "lib/time/when_refuse.h"

static int place(struct error *e, const char *text, const char *at, int width)
{
    return error_place(e, text, 1, (int)(at - text) + 1, width > 0 ? width : 1);
}

/* What stands behind the word and its blanks, or NULL if the text does not begin with it. */
static const char *after_word(const char *text, const char *word)
{
    size_t length = strlen(word);
    if (strncasecmp(text, word, length) != 0 || text[length] != ' ')
        return NULL;
    text += length;
    return text + strspn(text, " ");
}

/* ---- times of day ---- */

enum day { DAY_NEXT /* today, or tomorrow if that has passed */, DAY_TODAY, DAY_TOMORROW };

struct clock_time {
    int part[3]; /* hour, minute, second */
};

/* Nothing but H:MM[:SS], or what is meant as one: what is wrong with it is said. 24:00 is left to at. */
static bool looks_like_clock(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return digits >= 1 && digits <= 2 && text[digits] == ':' && !text[strspn(text, "0123456789:")] &&
           strncmp(text, "24:", 3) != 0;
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

/* The first moment not before `from` at which the clock shows the time on that day; past if there is none. */
static struct zone_local_time find_on_day(const struct zone *z, instant from, const struct civil *c, bool *past)
{
    struct zone_local_time found = zone_resolve(z, c);
    if (found.fit == ZONE_FOLD && found.first < from)
        found.first = found.second;
    *past = (found.fit == ZONE_GAP ? found.jump : found.first) < from;
    return found;
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
    instant from = instant_add(now, s->day == DAY_NEXT); /* the very moment has passed, as with at */
    struct zone_local_time found = find_on_day(z, from, &c, &past);
    if (past && s->day == DAY_NEXT) {
        rolled = true;
        c = on_day(z, now, 1, &clock);
        found = find_on_day(z, now, &c, &past);
    }
    if (found.fit == ZONE_GAP)
        return when_refuse_skipped(s->text, z, &c, found.jump, e);
    if (past)
        return when_refuse_past(s->text, z, found.first, now, e);
    *out = (struct when){.kind = WHEN_AT, .at = found.first, .rolled = rolled};
    return 0;
}

/* ---- times ---- */

static int not_a_time(const char *text, struct error *e)
{
    error_set(e, ERROR_USAGE, "the time is empty: take now, 17:30, 'fri 9am', 'noon tomorrow' or 2026-12-24T18:00");
    return error_place(e, text, 1, 1, 1);
}

static int not_past(const char *text, const struct zone *z, instant now, instant at, struct when *out, struct error *e)
{
    if (at < now)
        return when_refuse_past(text, z, at, now, e);
    *out = (struct when){.kind = WHEN_AT, .at = at};
    return 0;
}

static int at_epoch(const char *text, const struct zone *z, instant now, struct when *out, struct error *e)
{
    instant at;
    int code = instant_parse_epoch(text, &at, e);
    return code ? code : not_past(text, z, now, at, out, e);
}

static int at_words(const char *text, const struct zone *z, instant now, struct when *out, struct error *e)
{
    struct at at;
    int code = at_parse(text, z, now, &at, e);
    if (code == 0)
        *out = (struct when){.kind = WHEN_AT, .at = at.at, .rolled = at.rolled, .skipped = at.skipped};
    return code;
}

static bool looks_like_date(const char *text)
{
    size_t digits = strspn(text, "0123456789");
    return (digits == 4 && text[4] == '-') || digits == 8;
}

/* Digits that are no ISO date may be one in at's words: 2027-1-4, 12242027. */
static int at_date(const char *text, const struct zone *z, instant now, struct when *out, struct error *e)
{
    instant at;
    int code = instant_parse_iso(text, z, &at, e);
    if (code == 0)
        return not_past(text, z, now, at, out, e);
    return at_words(text, z, now, out, NULL) == 0 ? 0 : code;
}

int when_at(const char *text, const struct zone *z, instant now, struct when *out, struct error *e)
{
    struct time_of_day s = {.text = text, .clock = text, .day = DAY_NEXT};
    if (!*text)
        return not_a_time(text, e);
    if (!strcasecmp(text, "now")) {
        *out = (struct when){.kind = WHEN_AT, .at = now, .now = true};
        return 0;
    }
    if (*text == '@')
        return at_epoch(text, z, now, out, e);
    if (looks_like_clock(text))
        return at_clock(&s, z, now, out, e);
    if ((s.clock = after_word(text, "today")))
        s.day = DAY_TODAY;
    else if ((s.clock = after_word(text, "tomorrow")))
        s.day = DAY_TOMORROW;
    if (s.clock && looks_like_clock(s.clock))
        return at_clock(&s, z, now, out, e);
    return looks_like_date(text) ? at_date(text, z, now, out, e) : at_words(text, z, now, out, e);
}
