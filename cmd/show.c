#include "cmd/commands.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/client.h"
#include "cmd/show_next.h"
#include "cmd/show_runs.h"
#include "cmd/show_shell.h"
#include "cmd/export_yaml.h"
#include "cmd/show_trail.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/json.h"
#include "lib/text/visible.h"
#include "lib/text/wrap.h"
#include "spool/fields.h"

struct show_options {
    struct common common;
    bool json, shell, raw, yaml, values;
};
static const struct option_row show_options[] = {
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct show_options, json), .help = "one JSON object"},
    {.word = "shell", .kind = OPTION_FLAG, .offset = offsetof(struct show_options, shell), .help = "the line that adds the same job, for a shell"},
    {.word = "yaml", .kind = OPTION_FLAG, .offset = offsetof(struct show_options, yaml), .help = "the job file that it would stand in, as `ax export` has it"},
    {.word = "raw", .kind = OPTION_FLAG, .offset = offsetof(struct show_options, raw), .help = "the command and nothing else, byte for byte; of a list of words a NUL stands behind each"},
    {.word = "values", .kind = OPTION_FLAG, .offset = offsetof(struct show_options, values), .help = "show the values of the kept environment"},
    COMMAND_OPTIONS,
    {0},
};

struct shown { /* what is known of one job */
    struct job job;
    struct job_state state;
    struct run run; /* the open one; id.n 0: none */
    struct zones zones;
    struct show_next next;
    struct show_runs runs;
    struct show_trail trail;
    struct export_yaml yaml;
};

static void shown_clear(struct shown *s)
{
    job_clear(&s->job);
    run_clear(&s->run);
    show_runs_clear(&s->runs);
    show_trail_clear(&s->trail);
    export_yaml_clear(&s->yaml);
    zones_clear(&s->zones);
}

/* Times are shown in the zone in which the job's are local. One that is gone takes nothing but the list of due times. */
static void shown_reckon(struct shown *s, struct view *v)
{
    if (s->job.timezone)
        zones_get(&s->zones, s->job.timezone, &v->zone, NULL);
    show_next(&s->job, &s->state, &s->zones, v->now, &s->next, NULL);
}

static int shown_read(struct store *store, const char *reference, struct shown *out, struct error *e)
{
    uint64_t number;
    int code = store_find(store, reference, &number, e);
    if (code == 0)
        code = store_state(store, number, &out->state, e);
    if (code == 0)
        code = store_job(store, number, &out->job, e);
    struct run_id open = {.job = number, .n = out->state.open};
    if (code == 0 && out->state.phase == PHASE_RUNNING && store_run(store, open, &out->run, NULL) < 0)
        run_init(&out->run);
    if (code == 0)
        code = show_runs(store, number, &out->runs, e);
    if (code == 0)
        code = store_zones_init(store, &out->zones, e);
    return code < 0 ? code : show_trail(store, number, &out->trail, e);
}

static int shown_yaml(const struct show_options *o, struct store *store, struct shown *s, struct error *e)
{
    s->yaml.environment = o->values;
    int code = export_yaml_limits(&s->yaml, store, e);
    if (code == 0)
        export_yaml_add(&s->yaml, store, &s->job);
    return code;
}

static int shown_find(const struct show_options *o, const char *reference, struct shown *out, struct error *e)
{
    struct store *store;
    int code = client_open_job(&o->common, STORE_READ, reference, &store, e);
    if (code < 0)
        return code;
    code = store_begin(store, false, e);
    if (code == 0) {
        run_init(&out->run);
        code = shown_read(store, reference, out, e);
        if (code == 0 && o->yaml)
            code = shown_yaml(o, store, out, e);
        store_abort(store);
    }
    store_close(store);
    return code;
}

/* ---- for people ---- */

static void show_row(struct buf *b, const char *label, const struct buf *value)
{
    buf_format(b, "%-16s ", label);
    visible_add(b, value->data, value->length, false);
    buf_char(b, '\n');
}

static void show_text(struct buf *b, const char *label, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void show_text(struct buf *b, const char *label, const char *format, ...)
{
    struct buf value = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&value, format, arguments);
    va_end(arguments);
    show_row(b, label, &value);
    buf_clear(&value);
}

static void show_moment(struct buf *b, const struct view *v, const char *label, instant t)
{
    struct buf value = {0};
    view_moment(&value, v, t);
    show_row(b, label, &value);
    buf_clear(&value);
}

static void show_due(struct buf *b, const struct view *v, const struct shown *s)
{
    const char *words = s->state.due == INSTANT_NEVER ? view_without_due(&s->job) : NULL;
    if (words)
        show_text(b, "due", "%s", job_over(&s->state) ? "-" : words);
    else
        show_moment(b, v, "due", s->state.due);
}

/* Only of a job that has more than the one due time that stands above. */
static void show_list(struct buf *b, const struct view *v, const struct show_next *next)
{
    for (int i = 0; i < next->count && next->count > 1; i++) {
        struct buf value = {0};
        const char *note = view_note(next->items[i].note);
        view_moment(&value, v, next->items[i].at);
        if (note)
            buf_format(&value, "; %s", note);
        show_row(b, i ? "" : "next", &value);
        buf_clear(&value);
    }
}

/* A text as it is, all else as JSON, of which people read lists and maps without being told how. */
static void show_field(struct buf *b, const struct job *j, const struct field *f)
{
    struct value v = field_get(j, f, FIELD_PRINT);
    struct buf text = {0};
    if (v.kind == VALUE_TEXT)
        buf_add(&text, v.text.data, v.text.length);
    else
        json_write(&text, &v, NULL);
    show_row(b, f->name, &text);
    buf_clear(&text);
    value_clear(&v);
}

static void show_names(struct buf *b, const struct view *v, const char *label, const struct buf *names)
{
    struct buf text = {0};
    visible_add(&text, names->data, names->length, false);
    buf_format(b, "%-16s ", label);
    wrap_add(b, (struct wrap){.column = 17, .indent = 17, .width = v->width}, buf_string(&text), text.length);
    buf_char(b, '\n');
    buf_clear(&text);
}

/* Values may be secrets: names only, unless they are asked for. */
static void show_kept(struct buf *b, const struct view *v, const struct job *j, bool values)
{
    struct buf names = {0};
    for (size_t i = 0; i < j->kept_env.count; i++) {
        const char *entry = j->kept_env.items[i];
        if (values)
            show_text(b, i ? "" : "kept environment", "%s", entry);
        else
            buf_format(&names, "%s%.*s", i ? " " : "", (int)strcspn(entry, "="), entry);
    }
    if (names.length)
        show_names(b, v, "kept environment", &names);
    buf_clear(&names);
}

static void show_expressions(struct buf *b, const char *name, const struct strvec *texts)
{
    for (size_t i = 0; i < texts->count; i++)
        show_text(b, i ? "" : name, "%s", texts->items[i]);
}

static void show_bound(struct buf *b, const struct view *v, const char *name, instant t)
{
    if (t != INSTANT_NONE)
        show_moment(b, v, name, t);
}

/* What stands under the state, in a form of its own. */
static void show_schedule(struct buf *b, const struct view *v, const struct job *j)
{
    show_expressions(b, "cron", &j->cron);
    show_expressions(b, "calendar", &j->calendar);
    show_expressions(b, "except", &j->except);
    show_bound(b, v, "not_before", j->not_before);
    show_bound(b, v, "not_after", j->not_after);
}

static bool show_has_form(const struct field *f)
{
    switch (f->kind) {
    case FIELD_COMMAND:
    case FIELD_IN:
    case FIELD_AT:
    case FIELD_CRON:
    case FIELD_CALENDAR:
    case FIELD_EXCEPT:
    case FIELD_BOUND:
        return true;
    default:
        return false;
    }
}

static void show_state(struct buf *b, const struct view *v, const struct shown *s)
{
    const struct job_state *st = &s->state;
    const struct job *j = &s->job;
    show_text(b, "state", "%s", phase_name(st, v->now));
    show_due(b, v, s);
    if (st->phase == PHASE_RETRYING)
        show_moment(b, v, "next attempt", st->ready);
    if (st->phase == PHASE_WAITING && j->jitter && st->ready > st->due)
        show_moment(b, v, "starts", st->ready);
    if (s->run.id.n) {
        char id[RUN_ID_SIZE];
        run_id_format(s->run.id, id);
        show_text(b, "running", "%s, attempt %u", id, s->run.attempt);
        show_moment(b, v, "since", s->run.started != INSTANT_NONE ? s->run.started : s->run.claimed);
    }
    if (st->phase == PHASE_RUNNING && view_after(st) != INSTANT_NEVER)
        show_moment(b, v, "then", st->next);
    show_list(b, v, &s->next);
    if (st->replaced)
        show_text(b, "replaced", "while it runs: the rules below are for what comes then");
    if (view_attempts(st))
        show_text(b, "attempts", "%u", view_attempts(st));
    if (st->runs)
        show_text(b, "runs", "%u", st->runs);
    if (st->last_outcome == OUTCOME_NONE)
        return;
    show_text(b, "last outcome", st->last_outcome == OUTCOME_FAILED ? "%s, exit %d" : "%s", outcome_name(st->last_outcome), st->last_code);
    show_moment(b, v, "last ended", st->last_ended);
}

static void show_latest(struct buf *b, const struct view *v, const struct show_runs *runs)
{
    for (int i = 0; i < runs->count; i++) {
        struct buf line = {0};
        show_runs_line(&line, v, &runs->items[i]);
        show_row(b, i ? "" : "latest runs", &line);
        buf_clear(&line);
    }
}

static void show_done(struct buf *b, const struct view *v, const struct show_trail *t)
{
    for (size_t i = 0; i < t->list.list.count; i++) {
        struct buf line = {0};
        show_trail_line(&line, v, &t->list.list.items[i]);
        show_row(b, i ? "" : "what was done", &line);
        buf_clear(&line);
    }
}

static void show_origin(struct buf *b, const struct view *v, const struct job *j)
{
    const struct passwd *user = getpwuid(j->creator);
    if (j->source)
        show_text(b, "source", "%s", j->source);
    if (j->file)
        show_text(b, "file", "%s", j->file);
    show_moment(b, v, "added", j->added);
    if (user)
        show_text(b, "by", "%s (uid %u)", user->pw_name, j->creator);
    else
        show_text(b, "by", "uid %u", j->creator);
}

static void show_people(struct buf *b, const struct show_options *o, const struct view *v, const struct shown *s)
{
    const struct job *j = &s->job;
    show_text(b, "job", "%llu", (unsigned long long)j->number);
    struct buf words = {0};
    view_words(&words, j);
    show_row(b, j->shell_line ? "shell line" : "command", &words);
    buf_clear(&words);
    show_state(b, v, s);
    show_schedule(b, v, j);
    for (const struct field *f = fields; f->name; f++)
        if (!show_has_form(f) && !field_is_default(j, f))
            show_field(b, j, f);
    show_kept(b, v, j, o->values);
    show_origin(b, v, j);
    show_done(b, v, &s->trail);
    show_latest(b, v, &s->runs);
}

/* ---- for machines ---- */

static struct value show_kept_value(const struct job *j, bool values)
{
    if (!j->has_kept_env)
        return (struct value){0};
    struct value m = value_map();
    for (size_t i = 0; i < j->kept_env.count; i++) {
        const char *entry = j->kept_env.items[i];
        char *name = mem_format("%.*s", (int)strcspn(entry, "="), entry);
        value_put(&m, name, values ? value_text(entry + strlen(name) + 1) : (struct value){0});
        free(name);
    }
    return m;
}

static struct value show_upcoming(const struct show_next *next)
{
    struct value list = value_list();
    struct buf b = {0};
    for (int i = 0; i < next->count; i++) {
        buf_reset(&b);
        instant_format_utc(&b, next->items[i].at);
        value_push(&list, value_text(buf_string(&b)));
    }
    buf_clear(&b);
    return list;
}

static void show_json(struct buf *b, const struct show_options *o, const struct view *v, struct shown *s)
{
    struct value m = view_job(&s->job, &s->state, v->now);
    char id[RUN_ID_SIZE];
    run_id_format(s->run.id, id);
    value_put(&m, "running", s->run.id.n ? value_text(id) : (struct value){0});
    for (const struct field *f = fields; f->name; f++)
        if (f->kind != FIELD_IN && !value_get(&m, f->name) && !field_is_default(&s->job, f))
            value_put(&m, f->name, field_get(&s->job, f, FIELD_PRINT));
    value_put(&m, "upcoming", show_upcoming(&s->next));
    value_put(&m, "kept_env", show_kept_value(&s->job, o->values));
    value_put(&m, "file", value_text(s->job.file));
    value_put(&m, "creator", value_int(s->job.creator));
    value_put(&m, "latest_runs", show_runs_value(&s->runs));
    value_put(&m, "trail", s->trail.list);
    s->trail.list = (struct value){0};
    view_line(b, &m);
}

/* For a file or a pipe; on a terminal it does not do what it may say. */
static void show_raw(struct buf *b, const struct job *j)
{
    bool people = isatty(STDOUT_FILENO);
    for (size_t i = 0; i < j->command.count; i++) {
        const char *word = j->command.items[i];
        if (people) {
            visible_add(b, word, strlen(word), true);
            buf_char(b, '\n');
        } else {
            buf_add(b, word, strlen(word) + (j->shell_line ? 0 : 1));
        }
    }
}

static void show_left_out(const struct command *self, const struct show_options *o, const struct job *j)
{
    if (!o->values && j->kept_env.count)
        command_warn(self, "the environment that the job has kept is not in the line; `ax show --shell --values %llu` puts it in", (unsigned long long)j->number);
    if (j->input && memchr(j->input, '\0', j->input_length))
        command_warn(self, "stdin holds a NUL byte, which no command line can say: it ends there in the line; `ax export` has it whole");
}

static int show_run(const struct command *self, int argc, char **argv)
{
    struct show_options o = {0};
    struct view v = {0};
    struct shown s = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (argc - first != 1)
        return command_usage_error(self, "takes one job: its number or its name");
    if (o.json + o.shell + o.raw + o.yaml > 1)
        return command_usage_error(self, "--json, --yaml, --shell and --raw exclude each other");
    struct buf b = {0};
    if (view_init(&v, &e) < 0 || shown_find(&o, argv[first], &s, &e) < 0) {
        exit_code = command_fail(self, &e);
    } else {
        shown_reckon(&s, &v);
        if (o.json)
            show_json(&b, &o, &v, &s);
        else if (o.shell)
            show_shell(&b, &v, &s.job, o.values);
        else if (o.raw)
            show_raw(&b, &s.job);
        else if (o.yaml)
            export_yaml_write(&b, &s.yaml);
        else
            show_people(&b, &o, &v, &s);
        command_print(self, &b);
        if (o.shell)
            show_left_out(self, &o, &s.job);
        if (s.yaml.lossy_count)
            command_warn(self, "YAML cannot say bytes that are no UTF-8: they were written as U+FFFD; `ax show --shell` has them as they are");
    }
    buf_clear(&b);
    shown_clear(&s);
    view_clear(&v);
    return exit_code;
}

const struct command command_show = {
    .name = "show",
    .summary = "tell all about a job",
    .usage = "[--json | --yaml | --shell | --raw] [--values] JOB",
    .about = "JOB is a number or a name. Shows its state and every field that is not at its\n"
             "default.",
    .options = show_options,
    .run = show_run,
};
