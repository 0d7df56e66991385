#include "cmd/commands.h"

#include <stdlib.h>

#include "cmd/await.h"
#include "cmd/chosen.h"
#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/time/duration.h"

struct wait_options {
    struct common common;
    struct selector selector;
    duration timeout;
    bool quiet, json;
    struct awaited *list;
    size_t count, capacity;
};
static const struct option_row wait_options[] = {
    SELECTOR_OPTIONS(wait_options, selector),
    {.word = "timeout", .kind = OPTION_DURATION, .offset = offsetof(struct wait_options, timeout), .placeholder = "DURATION", .help = "wait no longer than that; it exits with 124 then"},
    {.letter = 'q', .word = "quiet", .kind = OPTION_FLAG, .offset = offsetof(struct wait_options, quiet), .help = "print nothing"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct wait_options, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

static int wait_find(void *context, struct store *s, const struct chosen *c, struct error *e)
{
    struct wait_options *o = context;
    struct awaited a = {0};
    int code = awaited_find(s, (struct run_id){.job = c->job, .n = c->run}, &a, e);
    if (code < 0)
        return code;
    MEM_GROW(o->list, o->capacity, o->count + 1);
    o->list[o->count++] = a;
    return 0;
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
        if (o->json || !o->quiet)
            await_tell(self, &end, o->json);
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
static int wait_hint(const struct command *self, const struct wait_options *o, struct error *e)
{
    bool all = !client_served(&o->common);
    for (size_t i = 0; i < o->count && all; i++) {
        struct await end;
        bool over;
        int code = await_look(&o->common, &o->list[i], &over, &end, e);
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

static int wait_all(const struct command *self, const struct wait_options *o, struct error *e)
{
    struct monotime until = clock_mono();
    bool bounded = o->timeout != DURATION_NONE;
    until.ns = bounded ? instant_add(until.ns, o->timeout) : INSTANT_NEVER;
    int result = 0, code = wait_hint(self, o, e);
    for (size_t i = 0; i < o->count && code == 0; i++)
        code = wait_one(self, o, &o->list[i], bounded ? &until : NULL, &result, e);
    return code < 0 ? code : result;
}

/* All must be there before any is waited for: an error then is one of the command line, with its own code. */
static int wait_do(const struct command *self, struct wait_options *o, char **words, int count)
{
    struct error e = {0};
    const struct choice choice = {.command = self,
        .common = &o->common,
        .selector = &o->selector,
        .words = words,
        .count = count,
        .runs = true,
        .reads = true,
        .now = clock_wall()};
    if (chosen_do(&choice, wait_find, o, &e) < 0)
        return command_fail(self, &e);
    int code = wait_all(self, o, &e);
    if (code >= 0)
        return code;
    command_fail(self, &e);
    return AWAIT_ERROR;
}

static int wait_run(const struct command *self, int argc, char **argv)
{
    struct wait_options o = {.timeout = DURATION_NONE};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first >= 0)
        exit_code = wait_do(self, &o, argv + first, argc - first);
    for (size_t i = 0; i < o.count; i++)
        awaited_clear(&o.list[i]);
    free(o.list);
    selector_clear(&o.selector);
    return exit_code;
}

const struct command command_wait = {
    .name = "wait",
    .summary = "wait for jobs and runs to end, and pass their exit codes on",
    .usage = "[--timeout DURATION] JOB|RUN...\n[--tag TAG] [--queue QUEUE] [--state STATE] [--all]",
    .about = "A job that is due once: until it has ended for good. Another one: until the run\n"
             "that goes on has ended, or the next one, retries included. RUN: that one alone.\n"
             "Exits with the command's code (128+N: a signal, 124: a time limit, this one's\n"
             "too, 125: no run, or an error); of several with the first that is not 0.",
    .options = wait_options,
    .run = wait_run,
};
