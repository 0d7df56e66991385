#include "cmd/commands.h"

#include <stdlib.h>

#include "cmd/await.h"
#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"
#include "lib/time/duration.h"

struct wait_options {
    struct common common;
    duration timeout;
    bool quiet, json;
};
static const struct option_row wait_options[] = {
    {.word = "timeout", .kind = OPTION_DURATION, .offset = offsetof(struct wait_options, timeout), .placeholder = "DURATION", .help = "wait no longer than that; it exits with 124 then"},
    {.letter = 'q', .word = "quiet", .kind = OPTION_FLAG, .offset = offsetof(struct wait_options, quiet), .help = "print nothing"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct wait_options, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

/* One snapshot for all of them, and all must be there before any is waited for. */
static int wait_find(const struct wait_options *o, char **references, int count, struct awaited *list, struct error *e)
{
    struct store *store;
    char *what = mem_format("job or run `%s`", references[0]);
    int code = client_open_for(&o->common, STORE_READ, what, &store, e);
    free(what);
    if (code < 0)
        return code;
    code = store_begin(store, false, e);
    for (int i = 0; i < count && code == 0; i++)
        code = awaited_find(store, references[i], &list[i], e);
    store_abort(store);
    store_close(store);
    return code;
}

static void wait_tell(const struct command *self, const struct wait_options *o, const struct await *end)
{
    struct buf b = {0}, line = {0};
    if (o->json) {
        struct value v = view_run(&end->last);
        view_line(&b, &v);
    } else if (!o->quiet) {
        char id[RUN_ID_SIZE];
        run_id_format(end->last.id, id);
        if (end->last.id.note)
            buf_format(&line, "job %llu: ", (unsigned long long)end->last.id.job);
        else
            buf_format(&line, "run %s: ", id);
        view_result(&line, &end->last);
        if (end->last.reason)
            buf_format(&line, ": %s", end->last.reason);
        visible_add(&b, line.data, line.length, false);
        buf_char(&b, '\n');
    }
    command_print(self, &b);
    buf_clear(&b);
    buf_clear(&line);
}

static int wait_late(const struct command *self, const struct wait_options *o, const struct awaited *a)
{
    struct buf length = {0};
    char id[RUN_ID_SIZE];
    run_id_format(a->id, id);
    duration_format(&length, o->timeout);
    if (a->id.n || a->id.note)
        command_warn(self, "run %s has not ended within %s", id, buf_string(&length));
    else
        command_warn(self, "job %llu has not ended within %s", (unsigned long long)a->id.job, buf_string(&length));
    buf_clear(&length);
    return AWAIT_TIMEOUT;
}

/* Waits for one; *result becomes its code if all before it were 0. */
static int wait_one(const struct command *self, const struct wait_options *o, const struct awaited *a, const struct monotime *until, int *result, struct error *e)
{
    struct await end;
    bool over = false;
    int passed, code = await_until(&o->common, a, until, &over, &end, e);
    if (code < 0)
        return code;
    if (over) {
        wait_tell(self, o, &end);
        passed = await_code(&end);
        run_clear(&end.last);
    } else {
        passed = wait_late(self, o, a);
    }
    if (!*result)
        *result = passed;
    return 0;
}

/* While nobody serves, nothing ends, and what has ended is not recorded. */
static int wait_hint(const struct command *self, const struct wait_options *o, const struct awaited *list, int count, struct error *e)
{
    bool all = !client_served(&o->common);
    for (int i = 0; i < count && all; i++) {
        struct await end;
        bool over;
        int code = await_look(&o->common, &list[i], &over, &end, e);
        if (code < 0)
            return code;
        if (over)
            run_clear(&end.last);
        else
            client_hint(self, &o->common);
        all = over;
    }
    return 0;
}

static int wait_all(const struct command *self, const struct wait_options *o, const struct awaited *list, int count, struct error *e)
{
    struct monotime until = clock_mono();
    bool bounded = o->timeout != DURATION_NONE;
    until.ns = bounded ? instant_add(until.ns, o->timeout) : INSTANT_NEVER;
    int result = 0, code = wait_hint(self, o, list, count, e);
    for (int i = 0; i < count && code == 0; i++)
        code = wait_one(self, o, &list[i], bounded ? &until : NULL, &result, e);
    return code < 0 ? code : result;
}

static int wait_run(const struct command *self, int argc, char **argv)
{
    struct wait_options o = {.timeout = DURATION_NONE};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    int count = argc - first;
    if (!count)
        return command_usage_error(self, "no job or run is named: `ax wait JOB|RUN...`");
    struct awaited *list = mem_zero((size_t)count, sizeof *list);
    int code = wait_find(&o, argv + first, count, list, &e);
    if (code < 0) {
        code = command_fail(self, &e);
    } else if ((code = wait_all(self, &o, list, count, &e)) < 0) {
        command_fail(self, &e);
        code = AWAIT_ERROR;
    }
    for (int i = 0; i < count; i++)
        awaited_clear(&list[i]);
    free(list);
    return code;
}

const struct command command_wait = {
    .name = "wait",
    .summary = "wait for jobs and runs to end, and pass their exit codes on",
    .usage = "[--timeout DURATION] [--json] JOB|RUN...",
    .about = "A job that is due once: until it has ended for good. Another one: until the run\n"
             "that goes on has ended, or the next one, retries included. RUN: that one alone.\n"
             "Exits with the command's code (128+N: a signal, 124: a time limit, this one's\n"
             "too, 125: no run, or an error); of several with the first that is not 0.",
    .options = wait_options,
    .run = wait_run,
};
