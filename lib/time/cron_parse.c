/* Cron expressions as text: the fields, and the nicknames. */
#include <string.h>

#include "lib/text/suggest.h"
#include "lib/time/cron_parts.h"

static const struct nickname {
    const char *name, *meaning;
} nicknames[] = {
    {"@reboot", NULL},
    {"@yearly", "0 0 1 1 *"},
    {"@annually", "0 0 1 1 *"},
    {"@monthly", "0 0 1 * *"},
    {"@weekly", "0 0 * * 0"},
    {"@daily", "0 0 * * *"},
    {"@midnight", "0 0 * * *"},
    {"@hourly", "0 * * * *"},
};
enum { NICKNAMES = sizeof nicknames / sizeof nicknames[0] };

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Cuts the text at its blanks. Returns how many parts there are; one more than fits stands for all that are too many.
 */
static int split(const char *text, struct cron_text parts[CRON_FIELDS + 1])
{
    int count = 0;
    for (const char *at = text; count <= CRON_FIELDS; count++) {
        while (blank(*at))
            at++;
        if (!*at)
            break;
        const char *start = at;
        while (*at && !blank(*at))
            at++;
        parts[count] = (struct cron_text){text, start, (int)(at - start)};
    }
    return count;
}

static int place(struct error *e, const struct cron_text *part)
{
    return error_place(e, part->whole, 1, (int)(part->at - part->whole) + 1, part->length > 1 ? part->length : 1);
}

/* ---- fields ---- */

static int refuse_count(const char *text, const struct cron_text *parts, int count, struct error *e)
{
    if (count > CRON_FIELDS) {
        error_set(e, ERROR_USAGE,
            "there is more behind the sixth field: a cron expression has five fields, or six with seconds in front");
        return place(e, &parts[CRON_FIELDS]);
    }
    size_t length = strlen(text);
    error_set(e, ERROR_USAGE,
        "%s: it is missing: a cron expression has five fields, minute hour day-of-month month day-of-week",
        cron_field_name(CRON_MINUTE + count));
    return place(e, &(struct cron_text){text, text + length, 1});
}

static void warn_days(
    const struct cron_text *days, const struct cron_text *weekdays, const struct cron *c, struct strvec *warnings)
{
    bool every_day = c->days == 0xfffffffe, every_weekday = c->weekdays == 0x7f;
    if (!warnings || every_day || every_weekday)
        return;
    struct buf b = {0};
    if (c->both)
        buf_format(&b, "%s begins with *, so a day must match day-of-month and day-of-week",
            cron_field_name(*days->at == '*' ? CRON_DAY : CRON_WEEKDAY));
    else
        buf_format(&b, "day-of-month %.*s and day-of-week %.*s are both set: a day that matches either is enough",
            cron_shown(days->at, days->length), days->at, cron_shown(weekdays->at, weekdays->length), weekdays->at);
    strvec_add(warnings, buf_string(&b));
    buf_clear(&b);
}

static bool begins_with_star(const struct cron_text *field)
{
    return *field->at == '*' || *field->at == '?';
}

static int parse_fields(const char *text, const struct cron_reader *r, struct cron *out)
{
    struct cron_text parts[CRON_FIELDS + 1];
    int count = split(text, parts);
    if (count != CRON_FIELDS && count != CRON_FIELDS - 1)
        return refuse_count(text, parts, count, r->e);
    struct cron c = {.seconds = 1, .has_seconds = count == CRON_FIELDS};
    int first = c.has_seconds ? CRON_SECOND : CRON_MINUTE;
    for (int i = 0; i < count; i++) {
        int code = cron_field_parse(r, first + i, &parts[i], &c);
        if (code)
            return code;
    }
    const struct cron_text *days = &parts[CRON_DAY - first], *weekdays = &parts[CRON_WEEKDAY - first];
    c.both = begins_with_star(days) || begins_with_star(weekdays);
    c.local = c.has_seconds || *parts[CRON_MINUTE - first].at == '*' || *parts[CRON_HOUR - first].at == '*';
    warn_days(days, weekdays, &c, r->warnings);
    *out = c;
    return 0;
}

/* ---- nicknames ---- */

static int refuse_nickname(const struct cron_text *word, struct error *e)
{
    char lower[16] = "";
    for (int i = 0; i < word->length && word->length < (int)sizeof lower; i++)
        lower[i] = word->at[i] >= 'A' && word->at[i] <= 'Z' ? (char)(word->at[i] + 32) : word->at[i];
    struct suggest s = {.word = lower};
    for (int i = 0; i < NICKNAMES; i++)
        suggest_offer(&s, nicknames[i].name);
    int shown = cron_shown(word->at, word->length);
    if (s.best)
        error_set(e, ERROR_USAGE, "'%.*s' is no nickname of cron: did you mean %s?", shown, word->at, s.best);
    else
        error_set(e, ERROR_USAGE,
            "'%.*s' is no nickname of cron: there are @yearly, @monthly, @weekly, @daily, @hourly and @reboot", shown,
            word->at);
    return place(e, word);
}

static int parse_nickname(const char *text, const struct cron_reader *r, struct cron *out)
{
    struct cron_text parts[CRON_FIELDS + 1];
    int count = split(text, parts);
    const struct nickname *found = NULL;
    for (int i = 0; i < NICKNAMES; i++)
        if ((int)strlen(nicknames[i].name) == parts->length &&
            !memcmp(nicknames[i].name, parts->at, (size_t)parts->length))
            found = &nicknames[i];
    if (!found)
        return refuse_nickname(parts, r->e);
    if (count > 1) {
        error_set(r->e, ERROR_USAGE, "%s stands alone: there is more behind it", found->name);
        return place(r->e, &parts[1]);
    }
    if (found->meaning)
        return parse_fields(found->meaning, r, out);
    *out = (struct cron){.reboot = true};
    return 0;
}

/* A line end in a word would make two lines of the error that shows the word. */
static int refuse_control(const char *text, struct error *e)
{
    for (const char *p = text; *p; p++)
        if (((unsigned char)*p < ' ' && *p != '\t') || *p == 0x7f) {
            error_set(e, ERROR_USAGE, "a cron expression is one line, without control characters");
            return error_place(e, text, 1, (int)(p - text) + 1, 1);
        }
    return 0;
}

int cron_parse(const char *text, uint64_t seed, struct cron *out, struct strvec *warnings, struct error *e)
{
    struct strvec found = {0};
    struct cron_reader r = {.seed = seed, .warnings = warnings ? &found : NULL, .e = e};
    const char *first = text + strspn(text, " \t");
    int code = refuse_control(text, e);
    if (!code)
        code = *first == '@' ? parse_nickname(text, &r, out) : parse_fields(text, &r, out);
    for (size_t i = 0; !code && i < found.count; i++)
        strvec_add(warnings, found.items[i]);
    strvec_clear(&found);
    return code;
}
