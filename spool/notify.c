#include "spool/notify.h"

#include <string.h>

#include "lib/text/suggest.h"
#include "lib/text/utf8.h"

#define NAME_MOST 100 /* bytes */
#define RULES_MOST 32
#define LINE_MOST 65536

static const struct {
    const char *name;
    bool timed;
} events[] = {
    [NOTIFY_NONE] = {"none", false},
    [NOTIFY_FAILURE] = {"failure", false},
    [NOTIFY_GAVE_UP] = {"gave_up", false},
    [NOTIFY_RECOVERY] = {"recovery", false},
    [NOTIFY_LATE] = {"late", true},
    [NOTIFY_LONG] = {"long", true},
};

const char *notify_event_name(int event)
{
    return events[event].name;
}

/* ---- names of entries ---- */

static int event_unknown(const char *word, struct error *e)
{
    struct suggest s = {.word = word};
    for (int i = NOTIFY_FAILURE; i <= NOTIFY_LAST; i++)
        suggest_offer(&s, events[i].name);
    if (s.best)
        return error_set(e, ERROR_USAGE, "there is no event '%.*s': did you mean '%s'?", UTF8_WORD(word), s.best);
    return error_set(e, ERROR_USAGE, "there is no event '%.*s': there are failure, gave_up, recovery, late and long",
        UTF8_WORD(word));
}

static int event_find(const char *name, size_t length, enum notify_event *out, struct error *e)
{
    char word[64];
    if (length >= sizeof word)
        return event_unknown(name, e);
    memcpy(word, name, length);
    word[length] = '\0';
    for (int i = NOTIFY_FAILURE; i <= NOTIFY_LAST; i++) {
        if (strcmp(word, events[i].name) == 0) {
            *out = (enum notify_event)i;
            return 0;
        }
    }
    return event_unknown(word, e);
}

int notify_parse(const char *name, struct notify_rule *out, struct error *e)
{
    struct notify_rule rule = {.after = 0};
    size_t length = strcspn(name, " ");
    struct error why;
    int failed = event_find(name, length, &rule.event, e);
    if (failed)
        return failed;
    const char *word = events[rule.event].name;
    if (!events[rule.event].timed && name[length])
        return error_set(e, ERROR_USAGE, "'%s' stands alone: only late and long have a duration behind them", word);
    if (events[rule.event].timed && !name[length])
        return error_set(e, ERROR_USAGE, "'%s' needs a duration behind it: `%s 10m`", word, word);
    if (events[rule.event].timed && duration_parse(name + length + 1, &rule.after, &why) < 0)
        return error_set(e, ERROR_USAGE, "%s: %s", word, why.text);
    if (events[rule.event].timed && rule.after < SECOND)
        return error_set(e, ERROR_USAGE, "%s: is less than a second", word);
    *out = rule;
    return 0;
}

void notify_name(struct buf *b, int event, duration after)
{
    buf_text(b, events[event].name);
    if (!events[event].timed)
        return;
    buf_char(b, ' ');
    duration_format(b, after);
}

int notify_check(const char *name, const char *line, struct error *e)
{
    struct notify_rule rule;
    int failed = notify_parse(name, &rule, e);
    if (failed)
        return failed;
    if (strlen(name) >= NAME_MOST)
        return error_set(e, ERROR_USAGE, "%.40s...: the duration is too long a text", name);
    if (!line[strspn(line, " \t\r\n")])
        return error_set(e, ERROR_USAGE, "%s: the line is empty", name);
    if (strlen(line) > LINE_MOST)
        return error_set(e, ERROR_USAGE, "%s: the line is longer than %d bytes: put it into a script", name, LINE_MOST);
    return 0;
}

/* ---- the entries of a job ---- */

/* What is there has been checked. False: it is damaged. */
static bool rule_at(const struct job *j, size_t i, struct notify_rule *out)
{
    char name[NAME_MOST];
    const char *entry = j->notify.items[i], *equals = strchr(entry, '=');
    size_t length = equals ? (size_t)(equals - entry) : 0;
    if (!equals || length >= sizeof name)
        return false;
    memcpy(name, entry, length);
    name[length] = '\0';
    if (notify_parse(name, out, NULL) < 0)
        return false;
    out->line = equals + 1;
    return true;
}

static bool rule_find(const struct job *j, int event, duration after, struct notify_rule *out)
{
    struct notify_rule rule;
    for (size_t i = 0; i < j->notify.count; i++) {
        if (rule_at(j, i, &rule) && rule.event == (enum notify_event)event && rule.after == after) {
            *out = rule;
            return true;
        }
    }
    return false;
}

int notify_check_all(const struct job *j, struct error *e)
{
    struct notify_rule a, b;
    if (j->notify.count > RULES_MOST)
        return error_set(e, ERROR_USAGE, "has more than %d events", RULES_MOST);
    for (size_t i = 0; i < j->notify.count; i++) {
        for (size_t k = 0; k < i; k++) {
            if (!rule_at(j, i, &a) || !rule_at(j, k, &b) || a.event != b.event || a.after != b.after)
                continue;
            return error_set(e, ERROR_USAGE, "'%.*s' and '%.*s' are the same time",
                (int)strcspn(j->notify.items[k], "="), j->notify.items[k], (int)strcspn(j->notify.items[i], "="),
                j->notify.items[i]);
        }
    }
    return 0;
}

bool notify_find(const struct job *j, int event, duration after, struct notify_rule *out)
{
    if (rule_find(j, event, after, out))
        return true;
    return event == NOTIFY_GAVE_UP && rule_find(j, NOTIFY_FAILURE, 0, out);
}

duration notify_next(const struct job *j, enum notify_event event, duration after)
{
    struct notify_rule rule;
    duration best = DURATION_NONE;
    for (size_t i = 0; i < j->notify.count; i++)
        if (rule_at(j, i, &rule) && rule.event == event && rule.after > after &&
            (best == DURATION_NONE || rule.after < best))
            best = rule.after;
    return best;
}

duration notify_latest(const struct job *j, enum notify_event event, duration most)
{
    struct notify_rule rule;
    duration best = DURATION_NONE;
    for (size_t i = 0; i < j->notify.count; i++)
        if (rule_at(j, i, &rule) && rule.event == event && rule.after <= most && rule.after > best)
            best = rule.after;
    return best;
}
