#include "cmd/commands.h"

#include <stdlib.h>

#include "cmd/cancel_wait.h"
#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/text/visible.h"

struct stop_options {
    struct common common;
    bool quiet, json;
};
static const struct option_row stop_options[] = {
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

struct stopped { /* one word of the command line */
    uint64_t number;
    struct run_id *runs;
    size_t count;
};

/* A run that has ended already is no error of the word, but there is nothing to stop. */
static int stop_one(struct store *s, const char *reference, instant now, struct stopped *out, struct error *e)
{
    struct run_id only;
    struct run run;
    int code = 0;
    if (run_id_parse(reference, &only) && !only.note) {
        code = store_run(s, only, &run, e);
        if (code == 0)
            run_clear(&run);
    } else {
        only = (struct run_id){0};
        code = store_find(s, reference, &only.job, e);
    }
    out->number = only.job;
    if (code == 0)
        code = store_stop(s, only, &out->runs, &out->count, e);
    if (code == 0 && out->count)
        code = store_audit(s, only.job, now, "stopped", e);
    return code;
}

static int stop_all(struct store *s, char **references, int count, struct stopped *list, struct error *e)
{
    instant now = clock_wall();
    int code = store_begin(s, true, e);
    if (code < 0)
        return code;
    for (int i = 0; i < count && code == 0; i++)
        code = stop_one(s, references[i], now, &list[i], e);
    if (code == 0)
        return store_commit(s, e);
    store_abort(s);
    return code;
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

static int stop_do(
    const struct command *self, const struct stop_options *o, char **references, int count, struct error *e)
{
    struct store *store;
    char *what = mem_format("job or run `%s`", references[0]);
    int result = ERROR_NONE, code = client_open_for(&o->common, STORE_WRITE, what, &store, e);
    free(what);
    if (code < 0)
        return code;
    struct stopped *list = mem_zero((size_t)count, sizeof *list);
    code = stop_all(store, references, count, list, e);
    store_close(store); /* wakes the scheduler */
    for (int i = 0; i < count && code == 0; i++)
        code = stop_ends(self, o, &list[i], &result, e);
    for (int i = 0; i < count; i++)
        free(list[i].runs);
    free(list);
    return code < 0 ? code : result;
}

static int stop_run(const struct command *self, int argc, char **argv)
{
    struct stop_options o = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (first == argc)
        return command_usage_error(self, "no job or run is named: `ax stop JOB|RUN...`");
    int code = stop_do(self, &o, argv + first, argc - first, &e);
    return code < 0 ? command_fail(self, &e) : code;
}

const struct command command_stop = {
    .name = "stop",
    .summary = "end runs, and keep their jobs",
    .usage = "[--json] JOB|RUN...",
    .about = "The run is ended with all its processes (TERM, and KILL after kill_after) and is\n"
             "not tried again; the job goes on with its next occurrence. `ax cancel` ends the\n"
             "job as well. Returns 1 if no run was going, or one ended by itself before it\n"
             "could be stopped.",
    .options = stop_options,
    .run = stop_run,
};
