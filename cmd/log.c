#include "cmd/commands.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/client.h"
#include "cmd/log_print.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "spool/handover.h"
#include "spool/output.h"

enum { PART = 64 * 1024 }; /* bytes read and printed together */

struct log_options {
    struct common common;
    bool follow, raw;
    int head, tail; /* lines; -1: not asked for */
};
static const struct option_row log_options[] = {
    {.letter = 'f', .word = "follow", .kind = OPTION_FLAG, .offset = offsetof(struct log_options, follow), .help = "go on until the run has ended, through its retries"},
    {.word = "head", .kind = OPTION_INT, .offset = offsetof(struct log_options, head), .placeholder = "N", .help = "only the first N lines", .minimum = 1, .maximum = INT_MAX},
    {.letter = 'n', .word = "tail", .kind = OPTION_INT, .offset = offsetof(struct log_options, tail), .placeholder = "N", .help = "only the last N lines; with -f those, and what comes", .minimum = 0, .maximum = INT_MAX},
    {.word = "raw", .kind = OPTION_FLAG, .offset = offsetof(struct log_options, raw), .help = "the bytes as they are, on a terminal too"},
    COMMAND_OPTIONS,
    {0},
};

struct log {
    const struct command *command;
    const struct log_options *options;
    struct log_print print;
    struct run run;  /* as last looked at */
    struct job_state state; /* of the job */
    bool left;       /* it has ended, and its worker has left the outcome to the next scheduler */
    bool gone;       /* its claim was given up: it has not started, and its number is free */
    struct output_reader *reader;
    int64_t done;    /* bytes of the run's output that were printed or passed over */
    struct client_watch *watch;
};

/* ---- looking ---- */

static int log_begin(const struct log_options *o, const char *what, struct store **store, struct error *e)
{
    int code = client_open_for(&o->common, STORE_READ, what, store, e);
    if (code < 0)
        return code;
    code = store_begin(*store, false, e);
    if (code < 0)
        store_close(*store);
    return code;
}

static void log_end(struct store *store)
{
    store_abort(store);
    store_close(store);
}

/* While nobody serves the spool, the end of a run and its small output are known only from what its worker has left behind. */
static void log_look_left(struct log *l, const struct folder *f, struct run_id id, struct buf *small)
{
    struct report report;
    if (!left_read(f, id, &report))
        return;
    l->left = true;
    if (!report.output_file)
        buf_add(small, report.output, report.output_length);
    report_clear(&report);
}

/* One look: the run as it is now, the bytes of a small finished output in `small`, the reader of a larger or growing one. */
static int log_look(struct log *l, struct run_id id, struct buf *small, struct error *e)
{
    struct store *store;
    struct run run;
    int code = log_begin(l->options, "such run", &store, e);
    if (code < 0)
        return code;
    code = store_run(store, id, &run, e);
    if (code == 0) {
        run_clear(&l->run);
        l->run = run;
        if (run.output == OUTPUT_INLINE)
            code = store_output(store, id, small, e);
        else if (!l->reader)
            output_reader_open(store_folder(store), id, &l->reader, NULL); /* nothing written yet: later */
        if (code == 0 && run.outcome == OUTCOME_NONE)
            log_look_left(l, store_folder(store), id, small);
    }
    log_end(store);
    return code;
}

static void log_drain(struct log *l)
{
    struct buf part = {0};
    int64_t missing = 0;
    int n;
    while (l->reader && !log_print_full(&l->print) && (n = output_reader_next(l->reader, &part, PART, &missing)) != 0) {
        if (n < 0) {
            log_print_hole(&l->print, missing);
            l->done += missing;
            continue;
        }
        log_print(&l->print, part.data, part.length);
        l->done += n;
        buf_reset(&part);
    }
    buf_clear(&part);
}

/* The look comes before the reading: what was written before the end is all there then. */
static int log_more(struct log *l, struct run_id id, struct error *e)
{
    struct buf small = {0};
    int code = log_look(l, id, &small, e);
    if (code == 0) {
        log_drain(l);
        if ((int64_t)small.length > l->done)
            log_print(&l->print, small.data + l->done, small.length - (size_t)l->done);
        log_print_release(&l->print);
    }
    buf_clear(&small);
    return code;
}

/* A run's output to its end, or to what there is now. */
static int log_run(struct log *l, struct run_id id, struct error *e)
{
    bool seen = false;
    int code;
    l->done = 0;
    l->gone = false;
    while ((code = log_more(l, id, e)) == 0) {
        seen = true;
        if (l->left || l->run.outcome != OUTCOME_NONE || !l->options->follow || log_print_full(&l->print))
            break;
        client_watch_wait(l->watch);
    }
    l->gone = seen && code == -ERROR_NOT_FOUND;
    log_print_end(&l->print);
    output_reader_close(l->reader);
    l->reader = NULL;
    return l->gone ? 0 : code;
}

/* ---- which run ---- */

static bool log_take(void *context, const struct run *r)
{
    struct run *latest = context;
    if (r->id.note)
        return true;
    if (!latest->id.n || r->claimed > latest->claimed) {
        latest->id = r->id;
        latest->claimed = r->claimed;
    }
    return false;
}

static bool log_take_open(void *context, const struct run *r)
{
    log_take(context, r);
    return true;
}

/* Of all jobs the run that was claimed last. */
static int log_latest(struct store *store, struct run_id *id, struct error *e)
{
    struct run latest = {0};
    int code = store_each_open(store, log_take_open, &latest, e);
    if (code == 0)
        code = store_each_run(store, 0, NULL, log_take, &latest, e);
    *id = latest.id;
    return code;
}

/* id->n is 0 if there was no run yet. */
static int log_resolve(struct store *store, const char *reference, struct run_id *id, struct job_state *state, struct error *e)
{
    *state = (struct job_state){.phase = PHASE_DONE};
    if (!reference)
        return log_latest(store, id, e);
    if (run_id_parse(reference, id))
        return 0;
    uint64_t number;
    int code = store_find(store, reference, &number, e);
    if (code == 0)
        code = store_state(store, number, state, e);
    return code < 0 ? code : store_last_run(store, number, id, e);
}

static int log_find(struct log *l, const char *reference, struct run_id *id, struct error *e)
{
    struct store *store;
    char *what = reference ? mem_format("job or run `%s`", reference) : mem_string("run");
    int code = log_begin(l->options, what, &store, e);
    free(what);
    if (code < 0)
        return code;
    struct run_id found = {0};
    code = log_resolve(store, reference, &found, &l->state, e);
    log_end(store);
    if (code == 0)
        *id = found;
    return code;
}

static int log_first(struct log *l, const char *reference, struct run_id *id, struct error *e)
{
    int code = log_find(l, reference, id, e);
    while (code == 0 && !id->n && l->options->follow && !job_over(&l->state)) {
        client_watch_wait(l->watch);
        code = log_find(l, reference, id, e);
    }
    if (code == 0 && !id->n)
        code = error_set(e, ERROR_NOT_FOUND, reference ? "job %s has had no run yet" : "there has been no run yet", reference);
    return code;
}

/* ---- following ---- */

struct log_sought {
    const struct run *run;
    struct run_id found; /* n is 0: none */
};

/* Runs of one job may go beside each other: what belongs together is of one occurrence. */
static bool log_seek(void *context, const struct run *r)
{
    struct log_sought *s = context;
    if (r->id.job != s->run->id.job)
        return false;
    bool same = !r->id.note && r->extra == s->run->extra && r->due == s->run->due && r->cause == s->run->cause;
    if (same)
        s->found = r->id;
    return !same;
}

/* Is the occurrence of the run still to be seen to? */
static bool log_pending(const struct job_state *s, const struct run *r)
{
    return (s->phase == PHASE_RETRYING || s->phase == PHASE_WAITING) && s->due == r->due && s->cause == r->cause;
}

static int log_look_next(struct log *l, struct run_id *next, bool *wait, struct error *e)
{
    struct store *store;
    struct job_state state;
    struct log_sought sought = {.run = &l->run};
    struct run_id from = l->run.id;
    from.n += !l->gone;
    int code = log_begin(l->options, "such run", &store, e);
    if (code < 0)
        return code;
    code = store_each_row(store, from, log_seek, &sought, e);
    *wait = code == 0 && !sought.found.n && store_run_state(store, &l->run, &state, NULL) == 0 && log_pending(&state, &l->run);
    *next = sought.found;
    log_end(store);
    return code;
}

/* After an attempt: does the same occurrence get another one? Sets id to it. */
static int log_next(struct log *l, struct run_id *id, bool *more, struct error *e)
{
    struct run_id next;
    bool wait;
    int code;
    while ((code = log_look_next(l, &next, &wait, e)) == 0 && wait)
        client_watch_wait(l->watch);
    *more = code == 0 && next.n;
    if (*more)
        *id = next;
    return code;
}

static void log_tell_end(const struct log *l)
{
    struct buf text = {0};
    char id[RUN_ID_SIZE];
    run_id_format(l->run.id, id);
    view_result(&text, &l->run);
    if (l->run.reason)
        buf_format(&text, ": %s", l->run.reason);
    if (l->run.reason || (l->print.safe && l->options->follow))
        command_warn(l->command, "run %s: %s", id, buf_string(&text));
    buf_clear(&text);
}

static int log_all(struct log *l, const char *reference, struct error *e)
{
    struct run_id id = {0};
    bool more = true;
    int code = log_first(l, reference, &id, e);
    while (code == 0 && more) {
        code = log_run(l, id, e);
        if (code == 0 && !l->gone && l->run.outcome != OUTCOME_NONE)
            log_tell_end(l);
        more = false;
        if (code == 0 && l->options->follow && !l->left && !log_print_full(&l->print))
            code = log_next(l, &id, &more, e);
    }
    return code;
}

static int log_command_run(const struct command *self, int argc, char **argv)
{
    struct log_options o = {.head = -1, .tail = -1};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (argc - first > 1)
        return command_usage_error(self, "takes one job or run");
    if (o.head >= 0 && o.tail >= 0)
        return command_usage_error(self, "--head and --tail exclude each other: the first lines or the last ones");
    struct log l = {.command = self, .options = &o};
    log_print_init(&l.print, self, !o.raw && isatty(STDOUT_FILENO));
    l.print.head = o.head;
    l.print.tail = o.tail;
    int code = o.follow ? client_watch_new(&o.common, &l.watch, &e) : 0;
    if (code == 0)
        code = log_all(&l, first < argc ? argv[first] : NULL, &e);
    if (code < 0)
        exit_code = command_fail(self, &e);
    client_watch_free(l.watch);
    run_clear(&l.run);
    log_print_clear(&l.print);
    return exit_code;
}

const struct command command_log = {
    .name = "log",
    .aliases = {"logs"},
    .summary = "print what a run has written",
    .usage = "[-f] [--head N | --tail N] [--raw] [RUN|JOB]",
    .about = "RUN is a number such as 12.3. Of a JOB it is the latest run; without either, the\n"
             "latest run of all. On a terminal control characters are made visible; elsewhere\n"
             "the bytes are those that were written.",
    .options = log_options,
    .run = log_command_run,
};
