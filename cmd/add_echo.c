#include "cmd/add_echo.h"

#include <string.h>

#include "cmd/slips.h"
#include "lib/text/visible.h"
#include "spool/fields.h"

static void echo_json(struct buf *b, const struct job *j, const struct add_echo *echo)
{
    static const char *const schedule[] = {"every", "cron", "calendar", "boot", "timezone"};
    struct value m = value_map();
    value_put(&m, "job", echo->number ? value_int((int64_t)echo->number) : (struct value){0});
    value_put(&m, "name", value_text(j->name));
    view_put_time(&m, "due", echo->due);
    value_put(&m, "kind", value_text(view_schedule_kind(j)));
    for (size_t i = 0; i < sizeof schedule / sizeof *schedule; i++)
        value_put(&m, schedule[i], view_field(j, schedule[i]));
    value_put(&m, "command", field_get(j, field_find("command"), FIELD_PRINT));
    value_put(&m, "replaced", value_bool(strcmp(echo->word, "replaced") == 0));
    value_put(&m, "kept", value_bool(strcmp(echo->word, "kept") == 0));
    value_put(&m, "dry_run", value_bool(echo->dry_run));
    view_line(b, &m);
}

static void echo_text(struct buf *b, const struct view *v, const struct job *j, const struct add_echo *echo)
{
    struct buf line = {0};
    if (echo->number)
        buf_format(&line, "job %llu", (unsigned long long)echo->number);
    else
        buf_text(&line, "not added");
    if (j->name)
        buf_format(&line, " %s", j->name);
    if (strcmp(echo->word, "added") != 0)
        buf_format(&line, " (%s)", echo->word);
    buf_text(&line, ": ");
    if (echo->due != INSTANT_NEVER || !view_without_due(j)) {
        view_moment(&line, v, echo->due);
        buf_text(&line, ", ");
    }
    view_kind(&line, j, echo->due == INSTANT_NEVER);
    if (echo->dry_run) {
        buf_text(&line, j->shell_line ? ": shell line: " : ": ");
        view_words(&line, j);
    }
    visible_add(b, line.data, line.length, false);
    buf_char(b, '\n');
    buf_clear(&line);
}

void add_echo(const struct command *self, const struct view *v, const struct job *j, const struct add_echo *echo)
{
    struct buf b = {0};
    if (echo->json)
        echo_json(&b, j, echo);
    else if (echo->quiet && echo->number)
        buf_format(&b, "%llu\n", (unsigned long long)echo->number);
    else
        echo_text(&b, v, j, echo);
    command_print(self, &b);
    buf_clear(&b);
}

/* ---- warnings ---- */

static bool hangs_on_number(const struct job *j)
{
    bool chosen = j->spread > 0;
    for (size_t i = 0; i < j->cron.count; i++)
        chosen |= strchr(j->cron.items[i], '~') != NULL;
    return chosen;
}

void add_warn(const struct command *self, const struct job *j, const struct zone *zone, const struct add_echo *echo, instant now)
{
    struct slips slips = {0};
    slips_find(&slips, j, zone, echo->due, now);
    if (echo->skipped)
        command_warn(self, "warning: the clock skips that local time, which is read as if the clock had been put forward already");
    for (size_t i = 0; i < slips.texts.count; i++)
        command_warn(self, "warning: %s", slips.texts.items[i]);
    if (slips.never)
        command_warn(self, "%s", slips.never);
    if (echo->dry_run && !j->name && hangs_on_number(j))
        command_warn(self, "warning: without a name what `spread` or `~` chooses hangs on the number of the job, which it does not have yet");
    slips_clear(&slips);
}
