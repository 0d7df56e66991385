/* `ax help`: the commands, all about one; for other words what they mean, and the manual page that tells more. */
#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/program.h"
#include "lib/base/mem.h"
#include "lib/text/suggest.h"
#include "spool/fields.h"

struct help_options {
    struct common common;
};
static const struct option_row help_options[] = {COMMAND_OPTIONS, {0}};

/* ---- pages ---- */

static const struct topic {
    const char *word, *page, *section;
} topics[] = {
    {"ax", "ax", "1"},
    {"jobs", "ax-jobs", "5"},
    {"files", "ax-jobs", "5"},
    {"yaml", "ax-jobs", "5"},
    {"fields", "ax-jobs", "5"},
    {"schedule", "ax-schedule", "7"},
    {"when", "ax-schedule", "7"},
    {"time", "ax-schedule", "7"},
    {"times", "ax-schedule", "7"},
    {"zones", "ax-schedule", "7"},
    {"dst", "ax-schedule", "7"},
    {"spool", "ax-spool", "7"},
    {"backup", "ax-spool", "7"},
    {"promises", "ax-spool", "7"},
    {"migrate", "ax-migrate", "7"},
    {"crontab", "ax-migrate", "7"},
    {"anacron", "ax-migrate", "7"},
    {"systemd", "ax-migrate", "7"},
    {"supercronic", "ax-migrate", "7"},
    {"pueue", "ax-migrate", "7"},
    {0},
};

/* `ax-jobs` is a word for its page too. */
static const struct topic *topic_find(const char *word)
{
    for (const struct topic *t = topics; t->word; t++)
        if (strcmp(t->word, word) == 0 || strcmp(t->page, word) == 0)
            return t;
    return NULL;
}

static int topic_show(const struct command *self, const struct topic *t)
{
    const char *const argv[] = {"man", t->section, t->page, NULL};
    struct error e = {0};
    int code = program_run(argv, &e);
    if (code < 0)
        command_fail(self, &e);
    if (code != 0)
        command_warn(self, "the manual page %s(%s) tells about it; in the sources it is man/%s.%s", t->page, t->section,
            t->page, t->section);
    return code < 0 ? -code : code;
}

/* ---- words of states and outcomes ---- */

static const struct meaning {
    const char *word, *text;
} meanings[] = {
    {"waiting", "state of a job: for its time, or to be started by hand"},
    {"queued", "state of a job: it is due, and waits for a slot; `ax why JOB` says for which"},
    {"running", "state of a job: its command runs"},
    {"retrying", "state of a job: a run has failed, and is tried again after a while"},
    {"paused", "state of a job: nothing of it starts until `ax resume JOB`"},
    {"done", "state of a job: it was to run once, and did so with success"},
    {"failed", "outcome of a run: it ended with an exit code that is no success;\nstate of a job: so did its last "
               "attempt, and no further one follows"},
    {"cancelled", "outcome of a run: it was ended by `ax cancel` or `ax stop`;\nstate of a job: it will not run again"},
    {"ok", "outcome of a run: it ended with success"},
    {"killed", "outcome of a run: a signal ended it"},
    {"timeout", "outcome of a run: it took longer than `timeout`, and was ended with all its processes"},
    {"lost", "outcome of a run: nobody saw how it ended, as after a power cut; `if_lost` says what follows"},
    {"unstartable", "outcome of a run: the command could not be started; the reason stands with it"},
    {"skipped", "of a due time: it got no run, since `overlap` or a person said so"},
    {"missed", "of a due time: it got no run, since nobody served, or there was no slot in time"},
    {0},
};

static bool meaning_tell(struct buf *b, const char *word)
{
    for (const struct meaning *m = meanings; m->word; m++)
        if (strcmp(m->word, word) == 0) {
            buf_format(b, "%s\n%s\n", m->word, m->text);
            return true;
        }
    return false;
}

/* ---- fields ---- */

static bool field_tell(struct buf *b, const char *word)
{
    char *name = field_key(word, strlen(word)), *option = field_option(name);
    const struct field *f = field_find(name);
    if (f) {
        buf_format(b, "%s\n%s", f->name, f->help);
        if (f->fallback)
            buf_format(b, " (default: %s)", f->fallback);
        buf_format(b, "\n\nA field of jobs: `--%s` of ax add, `ax set JOB %s=VALUE`, `%s: VALUE` in a job file.\n",
            option, f->name, f->name);
        buf_format(b, "More in %s (`ax help %s`).\n", f->group == GROUP_WHEN ? "ax-schedule(7)" : "ax-jobs(5)",
            f->group == GROUP_WHEN ? "schedule" : "jobs");
    }
    free(name);
    free(option);
    return f != NULL;
}

/* ---- which of them ---- */

static int help_unknown(const struct command *self, const char *word)
{
    struct suggest near = {.word = word};
    for (const struct topic *t = topics; t->word; t++)
        suggest_offer(&near, t->word);
    for (const struct field *f = fields; f->name; f++)
        suggest_offer(&near, f->name);
    for (const struct meaning *m = meanings; m->word; m++)
        suggest_offer(&near, m->word);
    for (const struct command *const *c = commands; *c; c++)
        if ((*c)->summary)
            suggest_offer(&near, (*c)->name);
    if (near.best)
        return command_usage_error(self, "there is no help about `%s`; did you mean `ax help %s`?", word, near.best);
    return command_usage_error(self, "there is no help about `%s`; `ax help` lists the commands", word);
}

static int help_word(const struct command *self, const char *word, struct buf *b)
{
    const struct command *c = command_find(word);
    const struct topic *t = topic_find(word);
    if (c) {
        command_help(b, c);
        return ERROR_NONE;
    }
    if (t)
        return topic_show(self, t);
    bool is_field = field_tell(b, word);
    struct buf meaning = {0};
    bool is_meaning = meaning_tell(&meaning, word);
    if (is_meaning)
        buf_format(b, "%s%s", is_field ? "\n" : "", buf_string(&meaning));
    buf_clear(&meaning);
    return is_field || is_meaning ? ERROR_NONE : help_unknown(self, word);
}

static int help_run(const struct command *self, int argc, char **argv)
{
    struct help_options o = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (argc - first > 1)
        return command_usage_error(self, "takes one word");
    struct buf b = {0};
    if (first == argc)
        command_overview(&b);
    else
        exit_code = help_word(self, argv[first], &b);
    command_print(self, &b);
    buf_clear(&b);
    return exit_code;
}

const struct command command_help_row = {
    .name = "help",
    .summary = "list the commands, or tell all about one",
    .usage = "[COMMAND|TOPIC|FIELD|WORD]",
    .about = "TOPIC is jobs, schedule, spool or migrate: the manual page. A field such as\n"
             "catchup, and a state or outcome such as lost, are told in a few words.",
    .options = help_options,
    .run = help_run,
};
