#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/await.h"
#include "cmd/chosen.h"
#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"
#include "lib/time/when.h"
#include "spool/fields.h"

struct started {
    uint64_t number;
    struct store_started what;
    char *name;
};

struct start {
    struct common common;
    struct selector selector;
    struct view view;
    const char *due, *from, *until;
    struct strvec settings;
    bool quiet, json, shift, wait;
    bool replays;
    struct strvec env;
    char *trail;
    struct started *list;
    size_t count, capacity;
};

static const struct option_row start_options[] = {
    {.word = "due",
        .kind = OPTION_TEXT,
        .offset = offsetof(struct start, due),
        .placeholder = "TIME",
        .help = "replay this due time, which has passed"},
    {.word = "from",
        .kind = OPTION_TEXT,
        .offset = offsetof(struct start, from),
        .placeholder = "TIME",
        .help = "replay all due times from this one"},
    {.word = "until",
        .kind = OPTION_TEXT,
        .offset = offsetof(struct start, until),
        .placeholder = "TIME",
        .help = "up to this one, a date with its whole day; without it, up to now"},
    {.word = "shift",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct start, shift),
        .help = "in place of the next run: the schedule goes on behind it"},
    {.word = "set",
        .kind = OPTION_TEXTS,
        .offset = offsetof(struct start, settings),
        .placeholder = "NAME=VALUE",
        .help = "a variable in the environment of this run (repeatable)"},
    {.word = "wait",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct start, wait),
        .help = "wait for its end, and exit with the command's code"},
    SELECTOR_OPTIONS(start, selector),
    {.letter = 'q',
        .word = "quiet",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct start, quiet),
        .help = "print nothing"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct start, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

static int start_time(const struct zone *z, const char *option, const char *text, instant *out, struct error *e)
{
    int code = *text == '@' ? instant_parse_epoch(text, out, e) : instant_parse_iso(text, z, out, e);
    return code < 0 ? error_field(e, option) : 0;
}

/* A date alone takes in its day, as not_after has it; of today what has passed. */
static int start_until(const struct start *s, const struct zone *z, struct store_replay *r, struct error *e)
{
    struct job scratch;
    const struct field_context context = {.zone = z, .now = s->view.now};
    instant moment;
    int code = start_time(z, "--until", s->until, &moment, e);
    if (code < 0)
        return code;
    r->until = moment;
    job_init(&scratch);
    if (field_set_text(&scratch, field_find("not_after"), s->until, &context, NULL) == 0 && scratch.not_after > moment)
        r->until = moment < s->view.now && scratch.not_after > s->view.now ? s->view.now : scratch.not_after;
    job_clear(&scratch);
    return 0;
}

/* As --env of ax add has it; the trail has the names alone, since values may be secrets. */
static int start_env(struct start *s, struct error *e)
{
    struct job scratch;
    struct buf names = {0};
    int code = 0;
    job_init(&scratch);
    for (size_t i = 0; i < s->settings.count && code == 0; i++) {
        code = field_set_text(&scratch, field_find("env"), s->settings.items[i], &(struct field_context){0}, e);
        buf_format(&names, "%s%.*s", i ? ", " : "; set ", (int)strcspn(s->settings.items[i], "="), s->settings.items[i]);
    }
    if (code < 0)
        error_set(e, ERROR_USAGE, "--set: give NAME=VALUE, with a name");
    strvec_copy(&s->env, &scratch.env);
    s->trail = mem_format("%s%s%s", s->replays ? "due times replayed" : "started by hand",
        s->shift ? " in place of the next run" : "", buf_string(&names));
    buf_clear(&names);
    job_clear(&scratch);
    return code;
}

/* Which options go together, whatever the job. */
static int start_check(struct start *s, struct error *e)
{
    s->replays = s->due || s->from || s->until;
    if (s->due && (s->from || s->until))
        return error_set(e, ERROR_USAGE, "--due names one due time, --from and --until a span: give one of the two");
    if (s->until && !s->from)
        return error_set(e, ERROR_USAGE, "--until goes with --from TIME");
    if (s->shift && s->replays)
        return error_set(e, ERROR_USAGE, "--shift is for a run now, not for due times that have passed");
    if (s->wait && s->from)
        return error_set(e, ERROR_USAGE, "--wait is for one run of each job, not for a span of due times");
    return start_env(s, e);
}

/* Local times are those of the job, as its schedule has them. */
static int start_span(const struct start *s, const struct zone *z, struct store_replay *r, struct error *e)
{
    int code = start_time(z, s->due ? "--due" : "--from", s->due ? s->due : s->from, &r->from, e);
    r->until = s->due ? r->from : s->view.now;
    if (code == 0 && s->until)
        code = start_until(s, z, r, e);
    if (code == 0 && r->until < r->from)
        return error_set(e, ERROR_USAGE, "--until lies before --from");
    return code;
}

static int start_replay(
    const struct start *s, struct store *store, const struct job *j, struct started *out, struct error *e)
{
    struct zone *zone = NULL;
    struct store_replay replay;
    int code = j->timezone ? zone_load(j->timezone, &zone, e) : 0;
    if (code == 0)
        code = start_span(s, zone ? zone : s->view.zone, &replay, e);
    if (code == 0)
        code = store_start(store, j->number, &(struct store_how){&replay, &s->env, false}, s->view.now, &out->what, e);
    zone_free(zone);
    return code;
}

static int start_one(void *context, struct store *store, const struct chosen *c, struct error *e)
{
    struct start *s = context;
    struct started x = {.number = c->job};
    struct job job;
    int code = store_job(store, c->job, &job, e);
    if (code < 0)
        return code;
    code = s->replays ? start_replay(s, store, &job, &x, e)
                      : store_start(store, c->job, &(struct store_how){NULL, &s->env, s->shift}, s->view.now, &x.what, e);
    if (code == 0)
        code = store_audit(store, c->job, s->view.now, s->trail, e);
    if (code == 0) {
        x.name = mem_string(job.name);
        MEM_GROW(s->list, s->capacity, s->count + 1);
        s->list[s->count++] = x;
    }
    job_clear(&job);
    return code;
}

static void start_text(struct buf *b, const struct start *s, const struct started *x)
{
    struct buf line = {0};
    buf_format(&line, "job %llu%s%s: ", (unsigned long long)x->number, x->name ? " " : "", x->name ? x->name : "");
    if (!s->replays) {
        buf_text(&line, s->shift ? "starts as soon as there is a slot, in place of its next run" : "starts as soon as there is a slot");
    } else if (x->what.count == 1) {
        buf_text(&line, "replays its due time ");
        view_time(&line, &s->view, x->what.first);
    } else {
        buf_format(&line, "replays %zu due times, ", x->what.count);
        view_time(&line, &s->view, x->what.first);
        buf_text(&line, " to ");
        view_time(&line, &s->view, x->what.last);
    }
    visible_add(b, line.data, line.length, false);
    buf_char(b, '\n');
    buf_clear(&line);
}

static void start_json(struct buf *b, const struct start *s, const struct started *x)
{
    struct value m = value_map();
    value_put(&m, "job", value_int((int64_t)x->number));
    value_put(&m, "name", value_text(x->name));
    value_put(&m, "cause", value_text(run_cause_name(s->replays ? CAUSE_REPLAY : CAUSE_MANUAL)));
    value_put(&m, "count", value_int((int64_t)x->what.count));
    view_put_time(&m, "due", x->what.first);
    view_put_time(&m, "last_due", x->what.last);
    view_line(b, &m);
}

static void start_tell(const struct command *self, const struct start *s)
{
    struct buf b = {0};
    for (size_t i = 0; i < s->count && !(s->quiet && !s->json); i++)
        if (s->json)
            start_json(&b, s, &s->list[i]);
        else
            start_text(&b, s, &s->list[i]);
    command_print(self, &b);
    buf_clear(&b);
}

/* ---- waiting ---- */

static int start_wait(const struct command *self, const struct start *s, const struct started *x, int *result, struct error *e)
{
    const struct awaited a = {.id.job = x->number, .extra = x->what.extra, .once = true};
    struct await end;
    bool over = false;
    int code = await_until(&s->common, &a, NULL, &over, &end, e);
    if (code < 0)
        return code;
    if (s->json || !s->quiet)
        await_tell(self, &end, s->json);
    if (!*result)
        *result = await_code(&end);
    run_clear(&end.last);
    return 0;
}

static int start_wait_all(const struct command *self, const struct start *s, struct error *e)
{
    int result = 0, code = 0;
    for (size_t i = 0; i < s->count && code == 0; i++)
        code = start_wait(self, s, &s->list[i], &result, e);
    return code < 0 ? code : result;
}

/* ---- the command ---- */

static int start_do(const struct command *self, struct start *s, char **words, int count, struct error *e)
{
    const struct choice choice = {.command = self,
        .common = &s->common,
        .selector = &s->selector,
        .words = words,
        .count = count,
        .now = s->view.now};
    int code = start_check(s, e);
    if (code == 0)
        code = chosen_do(&choice, start_one, s, e);
    if (code < 0)
        return code;
    start_tell(self, s);
    if (!client_served(&s->common))
        client_hint(self, &s->common);
    return s->wait ? start_wait_all(self, s, e) : 0;
}

static void start_clear(struct start *s)
{
    for (size_t i = 0; i < s->count; i++)
        free(s->list[i].name);
    free(s->list);
    free(s->trail);
    strvec_clear(&s->env);
    strvec_clear(&s->settings);
    selector_clear(&s->selector);
    view_clear(&s->view);
}

/* With --wait an error of ax has a code of its own: the others are the command's. */
static int start_fail(const struct command *self, const struct start *s, struct error *e)
{
    int code = command_fail(self, e);
    return s->wait && s->count ? AWAIT_ERROR : code;
}

static int start_run(const struct command *self, int argc, char **argv)
{
    struct start s = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &s, &exit_code);
    if (first >= 0) {
        exit_code = view_init(&s.view, &e);
        if (exit_code == 0)
            exit_code = start_do(self, &s, argv + first, argc - first, &e);
        if (exit_code < 0)
            exit_code = start_fail(self, &s, &e);
    }
    start_clear(&s);
    return exit_code;
}

const struct command command_start = {
    .name = "start",
    .summary = "run jobs now, or replay due times that have passed",
    .usage = "[--wait] [--set NAME=VALUE] [--shift] JOB...\n--due TIME | --from TIME [--until TIME] JOB...\n"
             "[--tag TAG] [--queue QUEUE] [--state STATE] [--all]",
    .about = "The runs go through the queues and their limits; the schedule stays as it is,\n"
             "unless --shift makes the run take the place of the next one: an interval is\n"
             "counted on from now, any other schedule goes on with the due time behind it.\n"
             "Runs of a job do not overlap unless it says so (overlap: allow): they wait for\n"
             "each other. A replayed run gets the due time it stands for in AX_DUE, and the\n"
             "same AX_KEY as then.",
    .options = start_options,
    .run = start_run,
};
