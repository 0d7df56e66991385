#include "cmd/commands.h"

#include <inttypes.h>
#include <stdlib.h>

#include "cmd/chosen.h"
#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"

enum { SLICE = 1000 }; /* rows of one transaction: others write in between */

struct prune {
    struct common common;
    struct view view;
    duration older; /* DURATION_NONE: as each job says */
    int keep;       /* 0: as each job says */
    bool dry_run, failed, quiet, json;
    struct store_numbers jobs;
    struct store_pruned pruned;
};

static const struct option_row prune_options[] = {
    {.word = "older-than",
        .kind = OPTION_DURATION,
        .offset = offsetof(struct prune, older),
        .placeholder = "DURATION",
        .help = "what is older than that, in place of keep_for"},
    {.word = "keep",
        .kind = OPTION_INT,
        .offset = offsetof(struct prune, keep),
        .placeholder = "N",
        .minimum = 1,
        .maximum = 1000000000,
        .help = "all but the latest N runs, in place of keep_runs"},
    {.word = "failed", .kind = OPTION_FLAG, .offset = offsetof(struct prune, failed), .help = "jobs that gave up too"},
    {.word = "dry-run", .kind = OPTION_FLAG, .offset = offsetof(struct prune, dry_run), .help = "say what would go"},
    {.letter = 'q',
        .word = "quiet",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct prune, quiet),
        .help = "print nothing"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct prune, json), .help = "one JSON object"},
    COMMAND_OPTIONS,
    {0},
};

/* ---- which jobs ---- */

static void prune_add(struct prune *p, uint64_t number)
{
    MEM_GROW(p->jobs.items, p->jobs.capacity, p->jobs.count + 1);
    p->jobs.items[p->jobs.count++] = number;
}

static int prune_named(void *context, struct store *s, const struct chosen *x, struct error *e)
{
    (void)s;
    (void)e;
    prune_add(context, x->job);
    return 0;
}

static bool prune_each(void *context, const struct job *j, const struct job_state *st)
{
    (void)st;
    prune_add(context, j->number);
    return true;
}

static int prune_find(const struct command *self, struct prune *p, char **words, int count, struct error *e)
{
    const struct choice choice = {
        .command = self, .common = &p->common, .words = words, .count = count, .reads = true, .now = p->view.now};
    if (count)
        return chosen_do(&choice, prune_named, p, e);
    struct store *store;
    int code = client_open(&p->common, STORE_READ, &store, e);
    if (code < 0)
        return client_absent(e) ? 0 : code;
    code = store_begin(store, false, e);
    if (code == 0)
        code = store_each_job(store, 1, prune_each, p, e);
    store_abort(store);
    store_close(store);
    return code;
}

/* ---- one job ---- */

/* A job that gave up goes only when that is said. */
static bool prune_whole(const struct prune *p, const struct job *j, const struct job_state *st)
{
    duration kept = p->older != DURATION_NONE ? p->older : j->keep_for;
    if (!job_over(st) || (st->phase == PHASE_FAILED && !p->failed))
        return false;
    return kept != DURATION_NONE &&
           (st->last_ended == INSTANT_NONE || instant_add(st->last_ended, kept) <= p->view.now);
}

static int prune_job(const struct prune *p, struct store *s, uint64_t number, struct store_pruned *out, struct error *e)
{
    struct job job;
    struct job_state st;
    bool gone = false;
    if (store_state(s, number, &st, NULL) < 0)
        return 0; /* gone meanwhile */
    int code = store_job(s, number, &job, e);
    if (code < 0)
        return code;
    const struct life_keep keep = {.keep_runs = p->keep ? p->keep : job.keep_runs,
        .keep_for = p->older != DURATION_NONE ? p->older : job.keep_for,
        .now = p->view.now};
    if (prune_whole(p, &job, &st))
        code = store_prune_job(s, number, out, &gone, e);
    if (code == 0 && !gone)
        code = store_prune_by(s, &job, &st, &keep, SLICE, out, e);
    job_clear(&job);
    return code;
}

/* ---- in slices ---- */

static void prune_sum(struct prune *p, const struct store_pruned *more)
{
    p->pruned.jobs += more->jobs;
    p->pruned.rows += more->rows;
    p->pruned.bytes += more->bytes;
}

/* As many jobs as a transaction should have, from *next on. A job with more rows than that is gone on with in the next
 * one. */
static int prune_slice(struct prune *p, struct store *s, size_t *next, struct error *e)
{
    struct store_pruned done = {.only_counts = p->dry_run};
    int code = store_begin(s, !p->dry_run, e);
    while (code == 0 && *next < p->jobs.count && done.rows + done.jobs < SLICE) {
        uint64_t before = done.rows;
        code = prune_job(p, s, p->jobs.items[*next], &done, e);
        *next += done.rows - before < SLICE || p->dry_run;
    }
    if (code == 0 && !p->dry_run)
        code = store_commit(s, e);
    else
        store_abort(s);
    if (code == 0)
        prune_sum(p, &done);
    return code;
}

/* Files of outputs that are gone, and what has come due by itself. */
static int prune_rest(struct prune *p, struct store *s, struct error *e)
{
    bool more = !p->dry_run;
    int code = 0;
    while (code == 0 && more) {
        struct store_pruned done = {0};
        code = store_begin(s, true, e);
        if (code == 0)
            code = store_prune(s, p->view.now, &done, &more, e);
        if (code == 0)
            code = store_commit(s, e);
        else
            store_abort(s);
        prune_sum(p, &done);
    }
    return code;
}

static int prune_all(struct prune *p, struct error *e)
{
    struct store *store;
    size_t next = 0;
    int code = client_open(&p->common, p->dry_run ? STORE_READ : STORE_WRITE, &store, e);
    if (code < 0)
        return client_absent(e) ? 0 : code;
    while (code == 0 && next < p->jobs.count)
        code = prune_slice(p, store, &next, e);
    if (code == 0)
        code = prune_rest(p, store, e);
    store_close(store);
    return code;
}

/* ---- the command ---- */

static void prune_tell(const struct command *self, const struct prune *p)
{
    struct buf b = {0};
    if (p->json) {
        struct value m = value_map();
        value_put(&m, "jobs", value_int((int64_t)p->pruned.jobs));
        value_put(&m, "rows", value_int((int64_t)p->pruned.rows));
        value_put(&m, "output_bytes", value_int(p->pruned.bytes));
        value_put(&m, "dry_run", value_bool(p->dry_run));
        view_line(&b, &m);
    } else if (!p->quiet) {
        buf_format(&b, "%s %" PRIu64 " job%s and %" PRIu64 " row%s of history, with ",
            p->dry_run ? "would forget" : "forgot", p->pruned.jobs, p->pruned.jobs == 1 ? "" : "s", p->pruned.rows,
            p->pruned.rows == 1 ? "" : "s");
        view_bytes(&b, p->pruned.bytes);
        buf_text(&b, " of output\n");
    }
    command_print(self, &b);
    buf_clear(&b);
}

static int prune_run(const struct command *self, int argc, char **argv)
{
    struct prune p = {.older = DURATION_NONE};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &p, &exit_code);
    if (first < 0)
        return exit_code;
    int code = view_init(&p.view, &e);
    if (code == 0)
        code = prune_find(self, &p, argv + first, argc - first, &e);
    if (code == 0)
        code = prune_all(&p, &e);
    if (code == 0)
        prune_tell(self, &p);
    free(p.jobs.items);
    view_clear(&p.view);
    return code < 0 ? command_fail(self, &e) : code;
}

const struct command command_prune = {
    .name = "prune",
    .summary = "forget what is over: old runs, and jobs that are done or cancelled",
    .usage = "[--older-than DURATION] [--keep N] [--failed] [--dry-run]\n[OPTIONS] JOB...",
    .about = "The scheduler does it by itself, a little at a time, as keep_runs and keep_for\n"
             "of each job say. Here it is done at once, and by other rules if wanted. What is\n"
             "not over stays, the latest run of a job that goes on too, and jobs that gave up\n"
             "stay unless --failed says otherwise. Numbers are not given again.",
    .options = prune_options,
    .run = prune_run,
};
