/* What people do with a job that goes on: stop, retry, skip, pause. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/store_private.h"

/* ---- pause ---- */

int store_pause(struct store *s, uint64_t number, bool pause, instant now, bool *changed, struct error *e)
{
    struct job_state old, new;
    int failed = store_state(s, number, &old, e);
    if (failed)
        return failed;
    new = old;
    *changed = pause ? life_pause(&new) : life_resume(&new, now);
    if (!*changed)
        return 0;
    s->urgent = true;
    failed = store_state_put(s, number, &old, &new, e);
    if (!failed)
        store_feed_add(s, FEED_DUE, number);
    return failed;
}

/* ---- stop ---- */

struct stopping {
    struct store *s;
    struct run_id only, *runs;
    size_t count;
    int failed;
    struct error *error;
};

static bool stop_place(struct stopping *x, uint64_t number, const struct job_state *st)
{
    struct job_state new = *st;
    if (!life_stop(&new) || (x->only.n && x->only.n != st->open))
        return true;
    x->failed = store_state_put(x->s, number, st, &new, x->error);
    x->runs = mem_resize(x->runs, x->count + 1, sizeof *x->runs);
    x->runs[x->count++] = (struct run_id){.job = x->only.job, .n = st->open};
    return !x->failed;
}

static bool stop_extra(void *context, uint64_t number, const struct job_state *st)
{
    return stop_place(context, number, st);
}

int store_stop(struct store *s, struct run_id only, struct run_id **runs, size_t *count, struct error *e)
{
    struct job_state st;
    struct stopping x = {.s = s, .only = only, .error = e};
    int failed = store_state(s, only.job, &st, e);
    if (failed)
        return failed;
    s->urgent = true;
    stop_place(&x, only.job, &st);
    if (!x.failed && st.extras)
        failed = store_each_extra(s, only.job, stop_extra, &x, e);
    if (!failed)
        failed = x.failed;
    if (!failed && x.count)
        store_feed_add(s, FEED_CANCEL, only.job);
    if (failed) {
        free(x.runs);
        return failed;
    }
    *runs = x.runs;
    *count = x.count;
    return 0;
}

/* ---- retry ---- */

struct last {
    struct run run; /* without a number: there was none */
};

static bool last_run(void *context, const struct run *r)
{
    struct last *l = context;
    if (r->id.note)
        return true;
    run_copy(&l->run, r);
    return false;
}

static int not_failed(struct run_id id, const char *was, struct error *e)
{
    if (!id.n)
        return error_set(e, ERROR_FAILED, "job %" PRIu64 " has not failed: its last run was %s", id.job, was);
    return error_set(e, ERROR_FAILED, "run %" PRIu64 ".%" PRIu32 " has not failed: it was %s", id.job, id.n, was);
}

/* The run whose due time is to be replayed: the one that is named, or else the last. */
static int retry_run(struct store *s, struct run_id id, const struct job_state *st, struct run *out, struct error *e)
{
    struct last last = {0};
    int failed = id.n ? store_run(s, id, out, e) : store_each_run(s, id.job, NULL, last_run, &last, e);
    if (failed)
        return failed;
    if (!id.n && !last.run.id.n)
        return not_failed(id, "none yet", e);
    if (!id.n)
        *out = last.run;
    if (out->outcome != OUTCOME_OK && out->outcome != OUTCOME_NONE)
        return 0;
    run_clear(out);
    return not_failed(id, id.n ? "ok" : outcome_name(st->last_outcome), e);
}

int store_retry(struct store *s, struct run_id id, instant now, instant *due, struct error *e)
{
    struct job_state old, new;
    struct run run;
    int failed = store_state(s, id.job, &old, e);
    if (failed)
        return failed;
    new = old;
    if (life_retry(&new, now)) {
        *due = new.due;
        failed = store_state_put(s, id.job, &old, &new, e);
        if (!failed)
            store_feed_add(s, FEED_DUE, id.job);
        return failed;
    }
    bool by_hand = old.phase == PHASE_WAITING && old.runs; /* it waits for a person, or for its next time */
    if (!old.repeats && !by_hand)
        return not_failed((struct run_id){.job = id.job}, old.last_outcome == OUTCOME_NONE ? "none yet" : outcome_name(old.last_outcome), e);
    failed = retry_run(s, id, &old, &run, e);
    if (failed)
        return failed;
    *due = run.due;
    failed = store_start_due(s, id.job, &run, now, e);
    run_clear(&run);
    return failed;
}

/* ---- skip ---- */

int store_skip(struct store *s, uint64_t number, instant now, instant *due, struct error *e)
{
    struct job_state old, new;
    struct job job;
    struct store_life l;
    int failed = store_state(s, number, &old, e);
    if (!failed)
        failed = store_job_get(s, number, false, &job, e);
    if (failed)
        return failed;
    failed = store_life(s, &job, now, &l, e);
    if (failed) {
        job_clear(&job);
        return failed;
    }
    new = old;
    if (!life_skip_next(&l.life, &new, due))
        failed = error_set(e, ERROR_FAILED, "job %" PRIu64 " has no next occurrence to skip%s", number,
            old.repeats ? "" : "; `ax cancel` takes a one-off job back");
    if (!failed)
        failed = store_state_put(s, number, &old, &new, e);
    if (!failed)
        failed = store_notes_put(s, number, job.name, &new, &l.notes, e);
    if (!failed)
        store_feed_add(s, FEED_DUE, number);
    store_life_clear(&l);
    job_clear(&job);
    return failed;
}
