#include "cmd/commands.h"

#include <stdlib.h>

#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"
#include "lib/time/when.h"
#include "spool/fields.h"

struct start {
    struct common common;
    struct view view;
    const char *due, *from, *until;
    bool quiet, json;
    bool replays;
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

struct started {
    uint64_t number;
    struct store_started what;
    char *name;
};

/* Which options go together, whatever the job. */
static int start_check(struct start *s, struct error *e)
{
    s->replays = s->due || s->from || s->until;
    if (s->due && (s->from || s->until))
        return error_set(e, ERROR_USAGE, "--due names one due time, --from and --until a span: give one of the two");
    if (s->until && !s->from)
        return error_set(e, ERROR_USAGE, "--until goes with --from TIME");
    return 0;
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
        code = store_start(store, j->number, &replay, s->view.now, &out->what, e);
    zone_free(zone);
    return code;
}

static int start_one(
    const struct start *s, struct store *store, const char *reference, struct started *out, struct error *e)
{
    struct job job;
    int code = store_find(store, reference, &out->number, e);
    if (code == 0)
        code = store_job(store, out->number, &job, e);
    if (code < 0)
        return code;
    out->name = mem_string(job.name);
    code = s->replays ? start_replay(s, store, &job, out, e)
                      : store_start(store, out->number, NULL, s->view.now, &out->what, e);
    if (code == 0)
        code = store_audit(store, out->number, s->view.now, s->replays ? "due times replayed" : "started by hand", e);
    job_clear(&job);
    return code;
}

/* All of them in one transaction: if one cannot be started, none is. */
static int start_all(
    const struct start *s, struct store *store, char **references, int count, struct started *list, struct error *e)
{
    int code = store_begin(store, true, e);
    if (code < 0)
        return code;
    for (int i = 0; i < count && code == 0; i++)
        code = start_one(s, store, references[i], &list[i], e);
    if (code == 0)
        return store_commit(store, e);
    store_abort(store);
    return code;
}

static void start_text(struct buf *b, const struct start *s, const struct started *x)
{
    struct buf line = {0};
    buf_format(&line, "job %llu%s%s: ", (unsigned long long)x->number, x->name ? " " : "", x->name ? x->name : "");
    if (!s->replays) {
        buf_text(&line, "starts as soon as there is a slot");
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

static void start_tell(const struct command *self, const struct start *s, const struct started *list, int count)
{
    struct buf b = {0};
    for (int i = 0; i < count && !(s->quiet && !s->json); i++)
        if (s->json)
            start_json(&b, s, &list[i]);
        else
            start_text(&b, s, &list[i]);
    command_print(self, &b);
    buf_clear(&b);
}

static int start_do(const struct command *self, struct start *s, char **references, int count, struct error *e)
{
    struct store *store;
    int code = start_check(s, e);
    if (code == 0)
        code = client_open_job(&s->common, STORE_WRITE, references[0], &store, e);
    if (code < 0)
        return code;
    struct started *list = mem_zero((size_t)count, sizeof *list);
    code = start_all(s, store, references, count, list, e);
    store_close(store); /* wakes the scheduler */
    if (code == 0)
        start_tell(self, s, list, count);
    for (int i = 0; i < count; i++)
        free(list[i].name);
    free(list);
    if (code == 0 && !client_served(&s->common))
        client_hint(self, &s->common);
    return code;
}

static int start_run(const struct command *self, int argc, char **argv)
{
    struct start s = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &s, &exit_code);
    if (first < 0)
        return exit_code;
    if (first == argc)
        return command_usage_error(self, "no job is named: `ax start JOB...`");
    int code = view_init(&s.view, &e);
    if (code == 0) {
        code = start_do(self, &s, argv + first, argc - first, &e);
        view_clear(&s.view);
    }
    return code < 0 ? command_fail(self, &e) : code;
}

const struct command command_start = {
    .name = "start",
    .summary = "run jobs now, or replay due times that have passed",
    .usage = "[--due TIME | --from TIME [--until TIME]] [--json] JOB...",
    .about = "The runs go through the queues and their limits; the schedule stays as it is.\n"
             "Runs of a job do not overlap unless it says so (overlap: allow): they wait for\n"
             "each other. A replayed run gets the due time it stands for in AX_DUE, and the\n"
             "same AX_KEY as then.",
    .options = start_options,
    .run = start_run,
};
