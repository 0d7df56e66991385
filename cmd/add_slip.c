#include "cmd/add_slip.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/text/visible.h"
#include "lib/time/cron.h"
#include "lib/time/when.h"

/* ---- the line that was meant ---- */

static void slip_words(struct buf *b, char **argv, int from, int to)
{
    for (int i = from; i < to; i++) {
        buf_char(b, ' ');
        visible_shell_word(b, argv[i]);
    }
}

/* `ax add`, what stood before WHEN, `when`, and the words from `rest` on. */
static char *slip_line(const struct add_words *w, const char *when, int rest)
{
    struct buf b = {0};
    buf_text(&b, "ax add");
    slip_words(&b, w->argv, 0, w->when);
    buf_char(&b, ' ');
    visible_shell_word(&b, when);
    slip_words(&b, w->argv, rest, w->argc);
    return buf_take(&b);
}

/* The reason is short: what of it is the user's was cut to fit. */
static int slip_refuse(struct error *e, char *line, const char *reason)
{
    size_t length = strlen(line), room = sizeof e->text - strlen(reason) - sizeof ":  ...", kept = utf8_cut(line, room);
    int code = error_set(e, ERROR_USAGE, "%s: %.*s%s", reason, (int)kept, line, kept < length ? " ..." : "");
    free(line);
    return code;
}

int add_slip_insist(const struct add_words *w, const char *reason, struct error *e)
{
    struct buf b = {0};
    buf_text(&b, "ax add --no-check");
    slip_words(&b, w->argv, 0, w->argc);
    return slip_refuse(e, buf_take(&b), reason);
}

int add_slip_shell(const struct add_words *w, const char *word, struct error *e)
{
    struct buf line = {0}, command = {0};
    for (int i = w->command; i < w->argc; i++)
        buf_format(&command, "%s%s", i > w->command ? " " : "", w->argv[i]);
    buf_text(&line, "ax add");
    slip_words(&line, w->argv, 0, w->command - w->vector);
    buf_text(&line, " -c ");
    visible_shell_word(&line, buf_string(&command));
    char *reason = mem_format("`%.*s` is no program but a matter of the shell", UTF8_WORD(word));
    int code = slip_refuse(e, buf_take(&line), reason);
    free(reason);
    buf_clear(&command);
    return code;
}

/* ---- cron fields in separate words ---- */

static bool slip_is_cron_field(const char *word)
{
    return *word && word[strspn(word, "0123456789*/,-~#?abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")] == '\0';
}

/* One star is all names in the current directory, in order. Returns how many words from `at` on are such a star, 0 if they are not. */
static int slip_expanded(const struct add_words *w, int at, const glob_t *names)
{
    size_t count = names->gl_pathc;
    if (!count || (size_t)(w->argc - at) < count)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(w->argv[at + (int)i], names->gl_pathv[i]) != 0)
            return 0;
    return (int)count;
}

/* Five cron fields from WHEN on, stars perhaps expanded. Returns where the command begins, or 0; the expression is in b. */
static int slip_cron(const struct add_words *w, const glob_t *names, struct buf *b)
{
    int at = w->when;
    bool stars = false;
    for (int field = 0; field < 5; field++) {
        if (at >= w->argc)
            return 0;
        if (field)
            buf_char(b, ' ');
        int expanded = slip_expanded(w, at, names);
        if (!expanded && !slip_is_cron_field(w->argv[at]))
            return 0;
        stars |= expanded || strchr(w->argv[at], '*');
        buf_text(b, expanded ? "*" : w->argv[at]);
        at += expanded ? expanded : 1;
    }
    struct cron cron;
    return stars && cron_parse(buf_string(b), 0, &cron, NULL, NULL) == 0 ? at : 0;
}

int add_slip_cron(const struct add_words *w, struct error *e)
{
    glob_t names = {0};
    struct buf expression = {0};
    int code = 0;
    if (glob("*", 0, NULL, &names) != 0)
        names.gl_pathc = 0;
    int rest = slip_cron(w, &names, &expression);
    if (rest)
        code = slip_refuse(e, slip_line(w, buf_string(&expression), rest), "the shell splits a cron expression and expands its stars, so it must stand in quotes");
    globfree(&names);
    buf_clear(&expression);
    return code;
}

/* ---- a time in several words ---- */

static bool slip_is_digits(const char *word)
{
    return *word && word[strspn(word, "0123456789")] == '\0';
}

/* `now + 3 days`, `+ 3 days`, `3 days`, `in 3 days`: a delay in words. Returns where the command begins, or 0; the delay (3d) is in b. */
static int slip_delay(const struct add_words *w, struct buf *b)
{
    int at = w->when;
    bool every = at < w->argc && strcmp(w->argv[at], "every") == 0;
    if (every || (at < w->argc && (strcmp(w->argv[at], "now") == 0 || strcmp(w->argv[at], "in") == 0)))
        at++;
    const char *number = at < w->argc ? w->argv[at] : "";
    if (strcmp(number, "+") == 0 && at + 1 < w->argc)
        number = w->argv[++at];
    else if (number[0] == '+')
        number++;
    char unit = at + 1 < w->argc ? when_unit(w->argv[at + 1]) : 0;
    if (!slip_is_digits(number) || !unit)
        return 0;
    buf_format(b, "%s%s%c", every ? "every " : "", number, unit);
    return at + 2;
}

static bool slip_continues(const char *word)
{
    return when_looks_like_time(word) || slip_is_digits(word) || when_unit(word) || strcmp(word, "at") == 0;
}

/* The longest run of words from WHEN on that is a time when it stands in one word. */
static int slip_joined(const struct add_words *w, const struct zone *zone, instant now, struct buf *b)
{
    int best = 0;
    struct buf text = {0};
    struct when when;
    for (int at = w->when; at < w->argc && (at < w->when_end || slip_continues(w->argv[at])); at++) {
        if (text.length)
            buf_char(&text, ' ');
        buf_text(&text, w->argv[at]);
        if (at < w->when_end || when_parse(buf_string(&text), zone, now, &when, NULL) < 0)
            continue;
        best = at + 1;
        buf_reset(b);
        buf_text(b, buf_string(&text));
    }
    buf_clear(&text);
    return best;
}

static int slip_time_refuse(const struct add_words *w, const struct zone *zone, instant now, struct error *e)
{
    struct buf meant = {0};
    int rest = slip_delay(w, &meant);
    if (!rest)
        rest = slip_joined(w, zone, now, &meant);
    int code = rest ? slip_refuse(e, slip_line(w, buf_string(&meant), rest), "the time is one word, quoted if need be") : 0;
    buf_clear(&meant);
    return code;
}

/* The last word is the time that should have been the first. */
static int slip_behind_refuse(const struct add_words *w, const struct zone *zone, instant now, struct error *e)
{
    struct when when;
    const char *last = w->argv[w->argc - 1];
    if (w->argc - w->when < 2 || when_parse(last, zone, now, &when, NULL) < 0)
        return 0;
    struct buf b = {0};
    buf_text(&b, "ax add");
    slip_words(&b, w->argv, 0, w->when);
    buf_char(&b, ' ');
    visible_shell_word(&b, last);
    slip_words(&b, w->argv, w->when, w->argc - 1);
    return slip_refuse(e, buf_take(&b), "the time stands in front of the command");
}

int add_slip_when(const struct add_words *w, const struct zone *zone, instant now, struct error *e)
{
    int code = add_slip_cron(w, e);
    if (!code)
        code = slip_time_refuse(w, zone, now, e);
    return code ? code : slip_behind_refuse(w, zone, now, e);
}

/* The words that begin a WHEN of two words. */
static bool slip_begins_when(const char *word)
{
    return !strcmp(word, "now") || !strcmp(word, "in") || !strcmp(word, "at") || !strcmp(word, "every");
}

int add_slip_command(const struct add_words *w, const struct zone *zone, instant now, struct error *e)
{
    if (w->vector || w->command >= w->argc ||
        (!when_looks_like_time(w->argv[w->command]) && !slip_begins_when(w->argv[w->command])))
        return 0;
    int code = w->when < w->when_end ? slip_time_refuse(w, zone, now, e) : 0;
    if (code)
        return code;
    char *reason = mem_format("the command begins with `%.*s`, which looks like a part of the time; if it is a program", UTF8_WORD(w->argv[w->command]));
    code = add_slip_insist(w, reason, e);
    free(reason);
    return code;
}
