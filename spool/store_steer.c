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
    bool failed;
    struct run run;
};

static bool last_run(void *context, const struct run *r)
{
    struct last *l = context;
    if (r->id.note)
        return true;
    l->failed = r->outcome != OUTCOME_OK;
    run_copy(&l->run, r);
    return false;
}

int store_retry(struct store *s, uint64_t number, instant now, instant *due, struct error *e)
{
    struct job_state old, new;
    struct last last = {0};
    int failed = store_state(s, number, &old, e);
    if (failed)
        return failed;
    new = old;
    if (life_retry(&new, now)) {
        *due = new.due;
        failed = store_state_put(s, number, &old, &new, e);
        if (!failed)
            store_feed_add(s, FEED_DUE, number);
        return failed;
    }
    bool by_hand = old.phase == PHASE_WAITING && old.runs; /* it waits for a person, or for its next time */
    failed = old.repeats || by_hand ? store_each_run(s, number, NULL, last_run, &last, e) : 0;
    if (failed)
        return failed;
    if (!last.failed)
        run_clear(&last.run);
    if (!last.failed)
        return error_set(e, ERROR_FAILED, "job %" PRIu64 " has not failed: its last run was %s", number,
            old.last_outcome == OUTCOME_NONE ? "none yet" : outcome_name(old.last_outcome));
    *due = last.run.due;
    failed = store_start_due(s, number, &last.run, now, e);
    run_clear(&last.run);
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
