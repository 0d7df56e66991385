#include "cmd/status.h"

#include <inttypes.h>
#include <string.h>

#include "cmd/commands.h"
#include "lib/text/visible.h"

struct status_options {
    struct common common;
    bool json, check, limited;
    duration within;
    struct status_limits limits;
};

static int status_limit_set(void *target, const struct option_row *row, const char *argument, struct error *e)
{
    static const enum status_measure measures[] = {STATUS_OVERDUE, STATUS_FAILED, STATUS_MISSED, STATUS_MAIL, STATUS_ROOM};
    struct status_options *o = target;
    o->limited = true;
    return status_limit_parse(argument, measures[row->minimum], &o->limits, e);
}

#define LIMIT(word_, measure_, placeholder_, help_) \
    {.word = word_, .kind = OPTION_CALL, .placeholder = placeholder_, .help = help_, .minimum = measure_, .call = status_limit_set}
static const struct option_row status_options[] = {
    {.word = "check", .kind = OPTION_FLAG, .offset = offsetof(struct status_options, check), .help = "one line for a monitor; exit 0: all well, 1: warning, 2: critical"},
    LIMIT("overdue", STATUS_OVERDUE, "WARN[,CRIT]", "check: something waits for so long though it could start (5m,1h)"),
    LIMIT("failed", STATUS_FAILED, "WARN[,CRIT]", "check: so many runs went wrong (1)"),
    LIMIT("missed", STATUS_MISSED, "WARN[,CRIT]", "check: so many due times were missed (1)"),
    LIMIT("mail", STATUS_MAIL, "WARN[,CRIT]", "check: so many mails wait to be sent (20)"),
    LIMIT("room", STATUS_ROOM, "WARN[,CRIT]", "check: no more room than that on the spool's disk (200M,20M)"),
    {.word = "within", .kind = OPTION_DURATION, .offset = offsetof(struct status_options, within), .placeholder = "D", .help = "how far back runs and missed due times are counted (1d)"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct status_options, json), .help = "one JSON object"},
    COMMAND_OPTIONS,
    {0},
};

/* ---- for people ---- */

static void status_row(struct buf *b, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void status_row(struct buf *b, const char *label, const char *format, ...)
{
    struct buf value = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&value, format, arguments);
    va_end(arguments);
    buf_format(b, "%-11s ", label);
    visible_add(b, value.data, value.length, false);
    buf_char(b, '\n');
    buf_clear(&value);
}

static void status_scheduler(struct buf *b, const struct view *v, const struct served *s)
{
    struct buf text = {0};
    if (!s->pid) {
        status_row(b, "scheduler", "none: nothing runs; `ax run --detach` starts one");
        return;
    }
    if (s->pid > 0)
        buf_format(&text, "pid %d", (int)s->pid);
    else
        buf_text(&text, "in another pid namespace");
    if (s->since != INSTANT_NONE) {
        buf_text(&text, ", serving since ");
        view_moment(&text, v, s->since);
    }
    if (s->version)
        buf_format(&text, ", version %s", s->version);
    if (s->workers)
        buf_format(&text, ", %" PRIu32 " runs at once", s->workers);
    status_row(b, "scheduler", "%s", buf_string(&text));
    buf_clear(&text);
}

static void status_job_files(struct buf *b, const struct view *v, const struct status *s)
{
    struct buf when = {0};
    if (!s->served.jobs)
        return;
    view_distance(&when, v, s->job_errors_at);
    if (s->job_errors)
        status_row(b, "job files", "%s: %" PRId64 " error%s, seen %s", s->served.jobs, s->job_errors, s->job_errors > 1 ? "s" : "", buf_string(&when));
    else
        status_row(b, "job files", "%s", s->served.jobs);
    for (size_t i = 0; i < s->job_error_texts.count; i++)
        status_row(b, "", "%s", s->job_error_texts.items[i]);
    if ((size_t)s->job_errors > s->job_error_texts.count)
        status_row(b, "", "and %zu more", (size_t)s->job_errors - s->job_error_texts.count);
    buf_clear(&when);
}

static void status_jobs(struct buf *b, const struct status *s)
{
    struct buf text = {0};
    for (int i = 0; view_states[i]; i++)
        if (s->states[i])
            buf_format(&text, "%s%" PRIu64 " %s", text.length ? ", " : "", s->states[i], view_states[i]);
    status_row(b, "jobs", "%s", text.length ? buf_string(&text) : "none");
    buf_clear(&text);
    if (s->failing)
        status_row(b, "", "of %" PRIu64 " the last run went wrong", s->failing);
}

static void status_overdue(struct buf *b, const struct view *v, const struct status *s)
{
    struct buf text = {0};
    if (!s->overdue_job || s->overdue > instant_add(s->now, -SECOND)) /* else it is just being taken */
        return;
    buf_format(&text, "job %" PRIu64 "%s%s waits the longest: it could start ", s->overdue_job, s->overdue_name ? " " : "", s->overdue_name ? s->overdue_name : "");
    view_moment(&text, v, s->overdue);
    status_row(b, "overdue", "%s", buf_string(&text));
    buf_clear(&text);
}

static void status_history(struct buf *b, const struct view *v, const struct status *s)
{
    struct buf within = {0}, text = {0};
    duration_format(&within, s->within);
    buf_format(&text, "%s%" PRIu64 " run%s ended, %" PRIu64 " went wrong, %" PRIu64 " due time%s missed", s->more ? "at least " : "", s->runs, s->runs == 1 ? "" : "s", s->failed, s->missed,
        s->missed == 1 ? " was" : "s were");
    status_row(b, "history", "within %s: %s", buf_string(&within), buf_string(&text));
    if (s->failed) {
        char id[RUN_ID_SIZE];
        run_id_format(s->last_failed.id, id);
        buf_reset(&text);
        buf_format(&text, "the latest that went wrong: %s%s%s (", id, s->last_failed.name ? " " : "", s->last_failed.name ? s->last_failed.name : "");
        view_result(&text, &s->last_failed);
        buf_text(&text, "), ");
        view_distance(&text, v, s->last_failed.ended);
        status_row(b, "", "%s", buf_string(&text));
    }
    buf_clear(&within);
    buf_clear(&text);
}

static void status_bytes(struct buf *b, const struct status *s)
{
    struct buf text = {0};
    view_bytes(&text, s->database);
    buf_text(&text, s->more_output ? ", and at least " : ", and ");
    view_bytes(&text, s->output);
    buf_text(&text, " of output");
    if (s->room != INT64_MAX) {
        buf_text(&text, "; room for ");
        view_bytes(&text, s->room);
    }
    status_row(b, "size", "%s", buf_string(&text));
    buf_clear(&text);
}

static void status_people(struct buf *b, const struct view *v, const struct status *s)
{
    status_row(b, "spool", "%s", s->spool);
    status_scheduler(b, v, &s->served);
    status_job_files(b, v, s);
    status_jobs(b, s);
    status_overdue(b, v, s);
    status_history(b, v, s);
    if (s->mail)
        status_row(b, "mail", "%" PRId64 " wait%s to be sent", s->mail, s->mail == 1 ? "s" : "");
    if (s->notices)
        status_row(b, "notices", "%" PRId64 " wait%s to be told", s->notices, s->notices == 1 ? "s" : "");
    status_bytes(b, s);
}

/* ---- for machines ---- */

static struct value scheduler_value(const struct served *s)
{
    struct value m = value_map(), null = {0};
    if (!s->pid) {
        value_clear(&m);
        return null;
    }
    value_put(&m, "pid", s->pid > 0 ? value_int(s->pid) : null);
    view_put_time(&m, "since", s->since);
    value_put(&m, "version", value_text(s->version));
    value_put(&m, "workers", s->workers ? value_int(s->workers) : null);
    value_put(&m, "job_files", value_text(s->jobs));
    return m;
}

static struct value overdue_value(const struct status *s)
{
    if (!s->overdue_job)
        return (struct value){0};
    struct value m = value_map();
    value_put(&m, "job", value_int((int64_t)s->overdue_job));
    value_put(&m, "name", value_text(s->overdue_name));
    view_put_time(&m, "ready", s->overdue);
    return m;
}

static void put_history(struct value *m, const struct status *s)
{
    value_put(m, "within_ns", value_int(s->within));
    value_put(m, "ended_runs", value_int((int64_t)s->runs));
    value_put(m, "failed_runs", value_int((int64_t)s->failed));
    value_put(m, "last_failed", s->last_failed.id.n ? view_run(&s->last_failed) : (struct value){0});
    value_put(m, "missed", value_int((int64_t)s->missed));
    value_put(m, "at_least", value_bool(s->more));
}

static void status_json(struct buf *b, const struct status *s)
{
    struct value m = value_map(), states = value_map(), errors = value_list();
    for (int i = 0; view_states[i]; i++)
        value_put(&states, view_states[i], value_int((int64_t)s->states[i]));
    for (size_t i = 0; i < s->job_error_texts.count; i++)
        value_push(&errors, value_text(s->job_error_texts.items[i]));
    value_put(&m, "spool", value_text(s->spool));
    value_put(&m, "scheduler", scheduler_value(&s->served));
    value_put(&m, "jobs", value_int((int64_t)s->jobs));
    value_put(&m, "states", states);
    value_put(&m, "failing_jobs", value_int((int64_t)s->failing));
    value_put(&m, "overdue", overdue_value(s));
    put_history(&m, s);
    value_put(&m, "mail", value_int(s->mail));
    value_put(&m, "notices", value_int(s->notices));
    value_put(&m, "job_file_errors", value_int(s->job_errors));
    value_put(&m, "job_file_error_texts", errors);
    value_put(&m, "database_bytes", value_int(s->database));
    value_put(&m, "output_bytes", value_int(s->output));
    value_put(&m, "room_bytes", s->room == INT64_MAX ? (struct value){0} : value_int(s->room));
    view_line(b, &m);
}

/* ---- the command ---- */

static int status_look(const struct status_options *o, struct status *s, struct error *e)
{
    struct store *store;
    int failed = client_open(&o->common, STORE_READ, &store, e);
    if (failed)
        return failed;
    failed = status_read(s, store, e);
    store_close(store);
    return failed;
}

/* A monitor wants its line, whatever has happened. */
static int status_failed(const struct command *self, const struct status_options *o, const struct error *e)
{
    struct buf line = {0};
    if (!o->check)
        return command_fail(self, e);
    buf_text(&line, "AX CRITICAL - ");
    visible_add(&line, e->text, strlen(e->text), false);
    buf_char(&line, '\n');
    command_print(self, &line);
    buf_clear(&line);
    return STATUS_CRITICAL;
}

static int status_print(const struct command *self, const struct status_options *o, const struct view *v, const struct status *s)
{
    struct buf b = {0};
    int level = STATUS_OK;
    if (o->check)
        level = status_check(s, &o->limits, &b);
    else if (o->json)
        status_json(&b, s);
    else
        status_people(&b, v, s);
    command_print(self, &b);
    buf_clear(&b);
    return level;
}

static int status_run(const struct command *self, int argc, char **argv)
{
    struct status_options o = {.within = 24 * 3600 * SECOND, .limits = status_limits};
    struct status s = {0};
    struct view v = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (first < argc)
        return command_usage_error(self, "takes no job; `ax why %s` and `ax show %s` tell of one", argv[first], argv[first]);
    if (o.limited && !o.check)
        return command_usage_error(self, "limits are for --check");
    if (o.json && o.check)
        return command_usage_error(self, "--check has a form of its own: not with --json");
    if (view_init(&v, &e) < 0)
        return status_failed(self, &o, &e);
    status_init(&s, &v, o.within);
    exit_code = status_look(&o, &s, &e) < 0 ? status_failed(self, &o, &e) : status_print(self, &o, &v, &s);
    status_clear(&s);
    view_clear(&v);
    return exit_code;
}

const struct command command_status = {
    .name = "status",
    .summary = "tell how the scheduler and the spool do",
    .usage = "[--within D] [--json]\n--check [--overdue WARN[,CRIT]] [--failed WARN[,CRIT]] ...",
    .about = "--check is for monitors that take plugins as Nagios does. That nobody serves the\n"
             "spool is critical; errors in the folder of job files are a warning; for the\n"
             "rest there are limits, WARN and CRIT, of which `-` is none.",
    .options = status_options,
    .run = status_run,
};
