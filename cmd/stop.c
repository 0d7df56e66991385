#include "cmd/commands.h"

#include <stdlib.h>

#include "cmd/cancel_wait.h"
#include "cmd/chosen.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/text/visible.h"

struct stopped { /* one that was named */
    uint64_t number;
    struct run_id *runs;
    size_t count;
};

struct stop_options {
    struct common common;
    struct selector selector;
    bool quiet, json;
    instant now;
    struct stopped *list;
    size_t count, capacity;
};
static const struct option_row stop_options[] = {
    SELECTOR_OPTIONS(stop_options, selector),
    {.letter = 'q',
        .word = "quiet",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct stop_options, quiet),
        .help = "print nothing"},
    {.word = "json",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct stop_options, json),
        .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

/* A run that has ended already is no error of the word, but there is nothing to stop. */
static int stop_one(void *context, struct store *s, const struct chosen *c, struct error *e)
{
    struct stop_options *o = context;
    struct stopped x = {.number = c->job};
    int code = store_stop(s, (struct run_id){.job = c->job, .n = c->run}, &x.runs, &x.count, e);
    if (code == 0 && x.count)
        code = store_audit(s, c->job, o->now, "stopped", e);
    if (code < 0)
        return code;
    if (!x.count && selector_given(&o->selector))
        return error_set(e, ERROR_FAILED, "no run of job %llu is going", (unsigned long long)c->job);
    MEM_GROW(o->list, o->capacity, o->count + 1);
    o->list[o->count++] = x;
    return 0;
}

static void stop_json(struct buf *b, uint64_t number, struct run_id open, const struct cancel_end *end)
{
    static const char *const words[] = {[CANCEL_STOPPED] = "stopped",
        [CANCEL_NOT_STARTED] = "stopped",
        [CANCEL_ENDED] = "over",
        [CANCEL_UNKNOWN] = "unknown"};
    struct value m = value_map();
    char id[RUN_ID_SIZE];
    run_id_format(open, id);
    value_put(&m, "job", value_int((int64_t)number));
    value_put(&m, "run", end ? value_text(id) : (struct value){0});
    value_put(&m, "result", value_text(end ? words[end->how] : "none"));
    value_put(&m, "outcome",
        end && end->run.outcome != OUTCOME_NONE ? value_text(outcome_name(end->run.outcome)) : (struct value){0});
    view_line(b, &m);
}

/* `end` NULL: no run was open. */
static void stop_tell(const struct command *self, const struct stop_options *o, uint64_t number, struct run_id open,
    const struct cancel_end *end)
{
    struct buf b = {0}, line = {0};
    if (o->json) {
        stop_json(&b, number, open, end);
    } else if (!o->quiet) {
        buf_format(&line, "job %llu: ", (unsigned long long)number);
        if (end)
            cancel_end_text(&line, open, end);
        else
            buf_text(&line, "no run of it is going");
        visible_add(&b, line.data, line.length, false);
        buf_char(&b, '\n');
    }
    command_print(self, &b);
    buf_clear(&b);
    buf_clear(&line);
}

/* Waits until each run is known not to go on. */
static int stop_ends(
    const struct command *self, const struct stop_options *o, const struct stopped *x, int *result, struct error *e)
{
    if (!x->count) {
        stop_tell(self, o, x->number, (struct run_id){0}, NULL);
        *result = ERROR_FAILED;
    }
    for (size_t i = 0; i < x->count; i++) {
        struct cancel_end end;
        int code = cancel_wait(&o->common, x->runs[i], &end, e);
        if (code < 0)
            return code;
        if (end.how == CANCEL_ENDED || end.how == CANCEL_UNKNOWN)
            *result = ERROR_FAILED;
        stop_tell(self, o, x->number, x->runs[i], &end);
        run_clear(&end.run);
    }
    return 0;
}

static int stop_do(const struct command *self, struct stop_options *o, char **words, int count, struct error *e)
{
    const struct choice choice = {.command = self,
        .common = &o->common,
        .selector = &o->selector,
        .words = words,
        .count = count,
        .runs = true,
        .now = o->now};
    int result = ERROR_NONE, code = chosen_do(&choice, stop_one, o, e);
    for (size_t i = 0; i < o->count && code == 0; i++)
        code = stop_ends(self, o, &o->list[i], &result, e);
    for (size_t i = 0; i < o->count; i++)
        free(o->list[i].runs);
    free(o->list);
    return code < 0 ? code : result;
}

static int stop_run(const struct command *self, int argc, char **argv)
{
    struct stop_options o = {.now = clock_wall()};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first >= 0)
        exit_code = stop_do(self, &o, argv + first, argc - first, &e);
    selector_clear(&o.selector);
    return exit_code < 0 ? command_fail(self, &e) : exit_code;
}

const struct command command_stop = {
    .name = "stop",
    .summary = "end runs, and keep their jobs",
    .usage = "JOB|RUN...\n[--tag TAG] [--queue QUEUE] [--state STATE] [--all]",
    .about = "The run is ended with all its processes (TERM, and KILL after kill_after) and is\n"
             "not tried again; the job goes on with its next occurrence. `ax cancel` ends the\n"
             "job as well. Returns 1 if no run was going, or one ended by itself before it\n"
             "could be stopped.",
    .options = stop_options,
    .run = stop_run,
};
