#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/cancel_wait.h"
#include "cmd/chosen.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/text/visible.h"

struct cancelled { /* one job */
    uint64_t number;
    enum life_cancel what;
    struct run_id *runs;   /* LIFE_STOPPING: those to be stopped */
    size_t run_count;
    struct job_state state;
    struct run_id open;    /* of these the one that was waited for */
    struct cancel_end end;
    char *source;          /* of a job file; NULL: added by hand */
    bool paused;           /* it was; cancelling ends that too */
};

struct cancel_options {
    struct common common;
    struct selector selector;
    bool quiet, json;
    instant now;
    struct cancelled *list;
    size_t count, capacity;
};
static const struct option_row cancel_options[] = {
    SELECTOR_OPTIONS(cancel_options, selector),
    {.letter = 'q', .word = "quiet", .kind = OPTION_FLAG, .offset = offsetof(struct cancel_options, quiet), .help = "print nothing"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct cancel_options, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

static int cancel_job(struct store *s, struct cancelled *c, instant now, struct error *e)
{
    struct store_cancelled done;
    int code = store_state(s, c->number, &c->state, e);
    c->paused = code == 0 && c->state.paused;
    if (code == 0)
        code = store_cancel(s, c->number, now, &done, e);
    if (code < 0)
        return code;
    c->what = done.what;
    c->runs = done.open;
    c->run_count = done.open_count;
    if (done.what != LIFE_OVER)
        code = store_audit(s, c->number, now, "cancelled", e);
    return code == 0 ? store_state(s, c->number, &c->state, e) : code;
}

static int cancel_one(void *context, struct store *s, const struct chosen *x, struct error *e)
{
    struct cancel_options *o = context;
    struct cancelled c = {.number = x->job};
    struct job j;
    int code = cancel_job(s, &c, o->now, e);
    if (code == 0 && store_job(s, c.number, &j, NULL) == 0) {
        c.source = mem_string(j.source);
        job_clear(&j);
    }
    MEM_GROW(o->list, o->capacity, o->count + 1);
    o->list[o->count++] = c;
    return code;
}

/* ---- what is said ---- */

static const char *cancel_word(const struct cancelled *c)
{
    static const char *const words[] = {
        [CANCEL_STOPPED] = "stopped", [CANCEL_NOT_STARTED] = "cancelled", [CANCEL_ENDED] = "cancelled", [CANCEL_UNKNOWN] = "unknown"};
    if (c->what == LIFE_STOPPING)
        return c->end.done ? "over" : words[c->end.how];
    return c->what == LIFE_CANCELLED ? "cancelled" : "over";
}

static int cancel_code(const struct cancelled *c)
{
    const char *word = cancel_word(c);
    return strcmp(word, "cancelled") == 0 || strcmp(word, "stopped") == 0 ? ERROR_NONE : ERROR_FAILED;
}

static enum outcome cancel_outcome(const struct cancelled *c)
{
    return c->what == LIFE_STOPPING ? c->end.run.outcome : c->what == LIFE_CANCELLED ? OUTCOME_CANCELLED : c->state.last_outcome;
}

static void cancel_over_text(struct buf *b, const struct job_state *s)
{
    buf_format(b, "had ended already: %s", s->last_outcome == OUTCOME_NONE ? "without a run" : outcome_name(s->last_outcome));
    if (s->last_outcome == OUTCOME_FAILED)
        buf_format(b, ", exit %d", s->last_code);
}

static void cancel_text(struct buf *b, const struct cancelled *c)
{
    buf_format(b, "job %llu: ", (unsigned long long)c->number);
    if (c->what == LIFE_CANCELLED)
        buf_text(b, "cancelled, it will not start");
    else if (c->what == LIFE_OVER)
        cancel_over_text(b, &c->state);
    else
        cancel_end_text(b, c->open, &c->end);
    if (c->source && c->what != LIFE_OVER)
        buf_format(b, "; the next apply of source %s brings it back%s", c->source, c->paused ? ", and not paused as it was" : "");
}

static void cancel_json(struct buf *b, const struct cancelled *c)
{
    struct value m = value_map();
    enum outcome o = cancel_outcome(c);
    char id[RUN_ID_SIZE];
    run_id_format(c->open, id);
    value_put(&m, "job", value_int((int64_t)c->number));
    value_put(&m, "result", value_text(cancel_word(c)));
    value_put(&m, "run", c->what == LIFE_STOPPING ? value_text(id) : (struct value){0});
    value_put(&m, "outcome", o == OUTCOME_NONE ? (struct value){0} : value_text(outcome_name(o)));
    value_put(&m, "source", value_text(c->source));
    value_put(&m, "was_paused", value_bool(c->paused));
    view_line(b, &m);
}

static void cancel_tell(const struct command *self, const struct cancel_options *o, const struct cancelled *c)
{
    struct buf b = {0}, text = {0};
    if (o->json) {
        cancel_json(&b, c);
    } else if (!o->quiet) {
        cancel_text(&text, c);
        visible_add(&b, text.data, text.length, false);
        buf_char(&b, '\n');
    }
    command_print(self, &b);
    buf_clear(&b);
    buf_clear(&text);
}

/* ---- the command ---- */

static void cancel_result(const struct command *self, const struct cancel_options *o, struct cancelled *c, int *result)
{
    cancel_tell(self, o, c);
    run_clear(&c->end.run);
    if (cancel_code(c))
        *result = cancel_code(c);
}

/* Waits for the end of each run that was open, and tells. */
static int cancel_end(const struct command *self, const struct cancel_options *o, struct cancelled *c, int *result, struct error *e)
{
    if (c->what != LIFE_STOPPING)
        cancel_result(self, o, c, result);
    for (size_t i = 0; i < c->run_count; i++) {
        c->open = c->runs[i];
        int code = cancel_wait(&o->common, c->open, &c->end, e);
        if (code < 0)
            return code;
        cancel_result(self, o, c, result);
    }
    return 0;
}

static int cancel_do(const struct command *self, struct cancel_options *o, char **words, int count, struct error *e)
{
    const struct choice choice = {.command = self,
        .common = &o->common,
        .selector = &o->selector,
        .words = words,
        .count = count,
        .now = o->now};
    int result = ERROR_NONE, code = chosen_do(&choice, cancel_one, o, e);
    for (size_t i = 0; i < o->count && code == 0; i++)
        code = cancel_end(self, o, &o->list[i], &result, e);
    for (size_t i = 0; i < o->count; i++) {
        free(o->list[i].runs);
        free(o->list[i].source);
    }
    free(o->list);
    return code < 0 ? code : result;
}

static int cancel_run(const struct command *self, int argc, char **argv)
{
    struct cancel_options o = {.now = clock_wall()};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first >= 0)
        exit_code = cancel_do(self, &o, argv + first, argc - first, &e);
    selector_clear(&o.selector);
    return exit_code < 0 ? command_fail(self, &e) : exit_code;
}

const struct command command_cancel = {
    .name = "cancel",
    .aliases = {"rm"},
    .summary = "see to it that jobs do not run, and stop those that do",
    .usage = "JOB...\n[--tag TAG] [--queue QUEUE] [--state STATE] [--all]",
    .about = "When it returns 0 the jobs will not start any more, and those that were running\n"
             "have been stopped with all their processes. Returns 1 if one had ended already,\n"
             "and says how.",
    .options = cancel_options,
    .run = cancel_run,
};
