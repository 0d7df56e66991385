#include "cmd/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/add_command.h"
#include "cmd/add_echo.h"
#include "cmd/add_slip.h"
#include "cmd/add_start.h"
#include "cmd/await.h"
#include "cmd/caller.h"
#include "cmd/client.h"
#include "cmd/reckon.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"
#include "lib/time/when.h"
#include "spool/fields.h"

struct add {
    struct common common;
    bool replace, keep, wait, quiet, json, clean, no_check, dry_run;
    struct strvec drop;
    const char *line; /* -c LINE */
    struct view view;
    char *directory; /* the current one; NULL: it is gone */
    struct field_context context;
    struct zones zones;
    bool scan;             /* only looks for what add_find_zone wants to know */
    const char *timezone;  /* as it was said */
    const char *when_from; /* the flag or the word that gave the time; NULL: none yet */
    struct add_words words;
    struct job job;
    struct add_echo echo;
};

/* ---- options ---- */

/* Several expressions are one schedule. */
static int add_when_once(struct add *a, const char *from, struct error *e)
{
    bool list = strcmp(from, "--cron") == 0 || strcmp(from, "--calendar") == 0;
    if (a->when_from && !(list && strcmp(from, a->when_from) == 0))
        return error_set(e, ERROR_USAGE, "the time is given already, by `%s`", a->when_from);
    a->when_from = from;
    return 0;
}

static int add_set_now(void *target, const struct option_row *row, const char *argument, struct error *e)
{
    (void)row, (void)argument;
    struct add *a = target;
    int code = add_when_once(a, "--now", e);
    if (code == 0)
        a->job.at = a->view.now;
    return code;
}

/* The flag of a field that says when; NULL: it is another field. */
static const char *add_when_flag(const struct field *f)
{
    static const char *const flags[] = {"--at", "--in", "--every", "--cron", "--calendar", "--boot"};
    for (size_t i = 0; i < sizeof flags / sizeof *flags; i++)
        if (strcmp(flags[i] + 2, f->name) == 0)
            return flags[i];
    return NULL;
}

static int add_set_field(void *target, const struct option_row *row, const char *argument, struct error *e)
{
    struct add *a = target;
    const struct field *f = row->data;
    const char *flag = add_when_flag(f);
    if (f->kind == FIELD_ZONE)
        a->timezone = argument;
    if (a->scan) {
        a->when_from = flag ? flag : a->when_from;
        return 0;
    }
    int code = flag ? add_when_once(a, flag, e) : 0;
    if (code == 0)
        code = field_set_text(&a->job, f, f->kind == FIELD_SAID ? "true" : argument, &a->context, e);
    struct when when;
    if (code == 0 && f->kind == FIELD_AT && when_at(argument, a->context.zone, a->view.now, &when, NULL) == 0)
        a->echo.skipped = when.skipped;
    if (code < 0)
        e->field[0] = '\0'; /* here it is known as the option it was written as */
    return code;
}

#define ADD_FLAG(name_, member_, help_) {.word = name_, .kind = OPTION_FLAG, .offset = offsetof(struct add, member_), .help = help_}
static const struct option_row add_options[] = {
    {.word = "now", .kind = OPTION_CALL, .call = add_set_now, .help = "as soon as there is a slot"},
    {.letter = 'c', .word = "command", .kind = OPTION_TEXT, .offset = offsetof(struct add, line), .placeholder = "LINE", .help = "a line for the shell, in place of COMMAND"},
    ADD_FLAG("replace", replace, "change the job of that name, if there is one"),
    ADD_FLAG("keep", keep, "leave the job of that name as it is, if there is one"),
    ADD_FLAG("wait", wait, "wait for the outcome, retries included, and exit with the command's code (128+N: signal, 124: time limit, 125: an error of ax)"),
    {.letter = 'q', .word = "quiet", .kind = OPTION_FLAG, .offset = offsetof(struct add, quiet), .help = "print only the number of the job"},
    ADD_FLAG("json", json, "print one JSON object; with --wait a second one when it is over: its last run"),
    ADD_FLAG("dry-run", dry_run, "say when what would run, and add nothing"),
    ADD_FLAG("clean-env", clean, "start from a small environment instead of this one"),
    {.word = "env-drop", .kind = OPTION_TEXTS, .offset = offsetof(struct add, drop), .placeholder = "GLOB", .help = "do not keep variables with such names (repeatable)"},
    ADD_FLAG("no-check", no_check, "add it though it looks like a slip"),
    COMMAND_OPTIONS,
    {0},
};

/* ---- words ---- */

static bool add_is_pair(const char *word)
{
    return strcmp(word, "in") == 0 || strcmp(word, "every") == 0 || strcmp(word, "at") == 0;
}

static int add_set_when(struct add *a, const char *text, struct error *e)
{
    struct when when;
    int code = when_parse(text, a->context.zone, a->view.now, &when, e);
    if (code < 0)
        return code;
    if (when.kind == WHEN_CRON)
        return field_set_text(&a->job, field_find("cron"), when.text, &a->context, e);
    if (when.kind == WHEN_BOOT)
        a->job.boot = BOOT_MACHINE;
    else if (when.kind == WHEN_EVERY)
        a->job.every = when.every;
    else
        a->job.at = when.at;
    a->echo.skipped = when.skipped;
    return 0;
}

static int add_parse_when(struct add *a, struct error *e)
{
    struct add_words *w = &a->words;
    const char *word = w->argv[w->when];
    bool pair = add_is_pair(word);
    if (pair && w->when + 1 >= w->argc)
        return error_set(e, ERROR_USAGE, "`%s` wants a time behind it", word);
    w->when_end = w->when + (pair ? 2 : 1);
    w->command = w->when_end;
    char *text = pair ? mem_format("%s %s", word, w->argv[w->when + 1]) : mem_string(word);
    int code = add_set_when(a, text, e);
    if (code < 0) {
        int slip = add_slip_when(w, a->context.zone, a->view.now, e);
        code = slip ? slip : code;
        if (!e->field[0] && !slip)
            error_field(e, "WHEN");
    }
    free(text);
    a->when_from = word;
    return code;
}

/* Was the `--` that options_parse has read the end of the options, and not the argument of one of them? */
static bool add_ended(const struct option_row *rows, char **argv, int first)
{
    if (first < 1 || strcmp(argv[first - 1], "--") != 0)
        return false;
    struct add scratch = {.scan = true};
    int before = options_parse(rows, OPTIONS_FIRST, first - 1, argv, &scratch, NULL);
    strvec_clear(&scratch.drop);
    return before == first - 1;
}

/* --timezone is for all times, those that stand before it too: so it is looked for first. */
static int add_find_zone(struct add *a, const struct option_row *rows, struct error *e)
{
    struct add scan = {.scan = true};
    const struct add_words *w = &a->words;
    int first = options_parse(rows, OPTIONS_FIRST, w->argc, w->argv, &scan, NULL);
    int behind = first < 0 || first >= w->argc ? w->argc : first + (add_is_pair(w->argv[first]) ? 2 : 1);
    if (behind < w->argc && !scan.when_from)
        options_parse(rows, OPTIONS_FIRST, w->argc - behind, w->argv + behind, &scan, NULL);
    strvec_clear(&scan.drop);
    if (!scan.timezone || strcmp(scan.timezone, "local") == 0)
        return 0;
    return zones_get(&a->zones, scan.timezone, &a->context.zone, e) < 0 ? error_field(e, "--timezone") : 0;
}

/* A negative delay looks like an option: say what is wrong with it as a time. */
static int add_minus(const struct add *a, int code, struct error *e)
{
    struct when when;
    if (code != -(int)ERROR_USAGE || e->field[0] != '-' || e->field[1] < '0' || e->field[1] > '9')
        return code;
    for (int i = 0; i < a->words.argc; i++)
        if (strncmp(a->words.argv[i], e->field, strlen(e->field)) == 0)
            return when_parse(a->words.argv[i], a->context.zone, a->view.now, &when, e) < 0 ? error_field(e, "WHEN") : code;
    return code;
}

/* --cron was given the first field only: did the shell split the expression? */
static int add_split_cron(const struct add *a, int code, struct error *e)
{
    struct add_words w = a->words;
    if (strcmp(e->field, "--cron") != 0)
        return code;
    for (int i = 0; i + 1 < w.argc; i++) {
        w.when = i + 1;
        int slip = strcmp(w.argv[i], "--cron") == 0 ? add_slip_cron(&w, e) : 0;
        if (slip)
            return slip;
    }
    return code;
}

static int add_read_options(struct add *a, const struct option_row *rows, int from, struct error *e)
{
    int read = options_parse(rows, OPTIONS_FIRST, a->words.argc - from, a->words.argv + from, a, e);
    return read < 0 ? add_split_cron(a, read, e) : read;
}

/* Options, WHEN unless a flag gave the time, options again, and then the command from words.command on. */
static int add_parse(struct add *a, const struct option_row *rows, struct error *e)
{
    struct add_words *w = &a->words;
    if (add_find_zone(a, rows, e) < 0)
        return -(int)e->code;
    int first = add_read_options(a, rows, 0, e);
    if (first < 0 || a->common.help)
        return first < 0 ? add_minus(a, first, e) : 0;
    w->when = w->when_end = w->command = first;
    w->vector = add_ended(rows, w->argv, first);
    if (a->when_from)
        return 0;
    if (first >= w->argc)
        return error_set(e, ERROR_USAGE, "no time is given: `ax add 20m COMMAND`, or --in, --at, --every, --cron, --calendar, --boot, --now");
    int code = add_parse_when(a, e);
    if (code < 0)
        return code;
    int more = add_read_options(a, rows, w->when_end, e);
    if (more < 0)
        return more;
    w->command = w->when_end + more;
    w->vector = add_ended(rows, w->argv + w->when_end, more);
    return 0;
}

/* A field is known here as its option, but for the command. */
static int add_check_job(const struct add *a, struct error *e)
{
    int code = job_check(&a->job, e);
    const struct field *f = code < 0 ? field_find(e->field) : NULL;
    if (!f || f->kind == FIELD_COMMAND)
        return code;
    char *option = field_option(f->name);
    snprintf(e->field, sizeof e->field, "--%s", option);
    free(option);
    return code;
}

static int add_check(struct add *a, struct error *e)
{
    if (a->replace && a->keep)
        return error_set(e, ERROR_USAGE, "--replace and --keep exclude each other");
    if ((a->replace || a->keep) && !a->job.name)
        return error_set(e, ERROR_USAGE, "%s goes with --name NAME", a->replace ? "--replace" : "--keep");
    if (a->wait && job_schedule_kind(&a->job) != SCHEDULE_AT)
        return error_set(e, ERROR_USAGE, "--wait waits for one outcome, and a job that %s",
                         job_repeats(&a->job) ? "repeats has no last one" : "is started by hand may never have one");
    if (!a->timezone && caller_timezone(&a->job, e) < 0)
        return -(int)e->code;
    struct caller_rules rules = {.directory = a->directory, .clean = a->clean, .drop = &a->drop};
    int code = caller_keep(&a->job, &rules, e);
    if (code == 0)
        code = add_check_job(a, e);
    if (code == 0 && !a->no_check)
        code = add_start(&a->words, &a->job, e);
    return code;
}

/* ---- the deed ---- */

static int add_store_kept(struct store *s, struct add *a, const struct job_state *state, struct error *e)
{
    struct job kept;
    int code = store_job(s, a->echo.number, &kept, e);
    if (code < 0)
        return code;
    if (a->wait && state->repeats) {
        job_clear(&kept);
        return error_set(e, ERROR_USAGE, "--wait waits for one outcome, and job %llu, which would be kept, repeats", (unsigned long long)a->echo.number);
    }
    job_clear(&a->job);
    a->job = kept;
    a->echo.word = "kept";
    return 0;
}

static int add_store(struct store *s, struct add *a, struct error *e)
{
    struct store_added added = {0};
    struct job_state state;
    enum store_twin twin = a->replace ? STORE_REPLACE : a->keep ? STORE_KEEP : STORE_REFUSE;
    int code = store_begin(s, true, e);
    if (code < 0)
        return code;
    code = store_add(s, &a->job, a->view.now, twin, &added, e);
    a->echo.number = added.number;
    a->echo.word = added.replaced ? "replaced" : "added";
    if (code == 0 && added.replaced)
        code = store_audit(s, added.number, a->view.now, "replaced by ax add --replace", e);
    if (code == 0)
        code = store_state(s, added.number, &state, e);
    if (code == 0 && added.kept)
        code = add_store_kept(s, a, &state, e);
    if (code == 0) {
        a->echo.due = state.phase == PHASE_RUNNING && state.replaced ? state.next : state.due;
        return store_commit(s, e);
    }
    store_abort(s);
    return code;
}

static int add_wait(const struct command *self, const struct add *a, uint64_t number, struct error *e)
{
    struct await end;
    int code = await_job(&a->common, number, &end, e);
    if (code < 0)
        return code;
    struct buf b = {0}, line = {0};
    if (a->json) {
        struct value v = view_run(&end.last);
        view_line(&b, &v);
    } else if (!a->quiet) {
        buf_format(&line, "job %llu: ", (unsigned long long)number);
        view_result(&line, &end.last);
        if (end.last.reason)
            buf_format(&line, ": %s", end.last.reason);
        visible_add(&b, line.data, line.length, false);
        buf_char(&b, '\n');
    }
    command_print(self, &b);
    buf_clear(&b);
    buf_clear(&line);
    run_clear(&end.last);
    return await_code(&end);
}

/* The due time that the job would have. */
static int add_reckon(struct add *a, struct error *e)
{
    struct zones zones;
    int code = zones_init(&zones, getenv("TZ"), e);
    if (code == 0)
        code = reckon_due(&a->job, &zones, a->view.now, &a->echo.due, e);
    zones_clear(&zones);
    return code;
}

static void add_tell(const struct command *self, struct add *a)
{
    struct view v = a->view;
    if (a->job.timezone)
        zones_get(&a->zones, a->job.timezone, &v.zone, NULL);
    add_echo(self, &v, &a->job, &a->echo);
    if (strcmp(a->echo.word, "kept") != 0)
        add_warn(self, &a->job, v.zone, &a->echo, v.now);
}

static int add_do(const struct command *self, struct add *a, struct error *e)
{
    a->echo = (struct add_echo){.json = a->json, .quiet = a->quiet, .dry_run = a->dry_run, .word = "added", .skipped = a->echo.skipped};
    if (a->dry_run) {
        if (add_reckon(a, e) < 0)
            return -(int)e->code;
        add_tell(self, a);
        return ERROR_NONE;
    }
    struct store *store;
    int code = client_open(&a->common, STORE_WRITE, &store, e);
    if (code < 0)
        return code;
    code = add_store(store, a, e);
    if (code == -ERROR_EXISTS)
        snprintf(e->text + strlen(e->text), sizeof e->text - strlen(e->text), ": --replace changes it, --keep leaves it as it is");
    bool served = folder_scheduler(store_folder(store)) > 0;
    store_close(store); /* wakes the scheduler */
    if (code < 0)
        return code;
    add_tell(self, a);
    if (!served)
        client_hint(self, &a->common);
    return a->wait ? add_wait(self, a, a->echo.number, e) : ERROR_NONE;
}

static int add_command_line(const struct command *self, struct add *a, struct error *e)
{
    struct command_rows r;
    command_rows_init(&r, self);
    int code = add_parse(a, r.rows, e);
    command_rows_clear(&r);
    if (code < 0 || a->common.help)
        return code;
    if (!a->no_check && !a->line)
        code = add_slip_command(&a->words, a->context.zone, a->view.now, e);
    if (code == 0)
        code = add_command(&a->job, &a->words, a->line, e);
    return code == 0 ? add_check(a, e) : code;
}

static int add_run(const struct command *self, int argc, char **argv)
{
    struct add a = {.words = {.argc = argc, .argv = argv}};
    struct error e = {0};
    job_init(&a.job);
    int code = view_init(&a.view, &e);
    if (code == 0) {
        a.directory = getcwd(NULL, 0);
        a.context = (struct field_context){.zone = a.view.zone, .zones = &a.zones, .now = a.view.now, .directory = a.directory};
        code = add_command_line(self, &a, &e);
    }
    if (code == 0 && a.common.help) {
        struct buf b = {0};
        command_help(&b, self);
        command_print(self, &b);
        buf_clear(&b);
    } else if (code == 0) {
        code = add_do(self, &a, &e);
    }
    if (code < 0) {
        command_fail(self, &e);
        code = a.wait ? AWAIT_ERROR : -code;
    }
    job_clear(&a.job);
    strvec_clear(&a.drop);
    view_clear(&a.view);
    zones_clear(&a.zones);
    free(a.directory);
    return code;
}

const struct command command_add = {
    .name = "add",
    .summary = "add a job: when, and what",
    .usage = "[options] WHEN [--] COMMAND [ARG...]\n[options] WHEN -c LINE\n[options] WHEN -          (a script on standard input)",
    .about = "WHEN is one word: now, 20m, 1h30m, 17:30, 'fri 9am', 2026-12-24T18:00+01:00,\n"
             "'every 10m', '0 2 * * *', @daily, @reboot; or a pair: in 20m, at 17:30,\n"
             "every 10m. --now, --in, --at, --every, --cron, --calendar and --boot take its\n"
             "place.\n\n"
             "Several words are run as they are; one word is a line for the shell. Options\n"
             "stand before the command, in front of WHEN or behind it. The job keeps this\n"
             "directory, umask and environment, less what belongs to the terminal and the\n"
             "login.",
    .options = add_options,
    .field = add_set_field,
    .run = add_run,
};
