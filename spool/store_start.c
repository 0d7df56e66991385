/* Runs beside the schedule: ax start, now or for due times that have passed. */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "spool/store_private.h"

struct dues {
    instant *items;
    size_t count, capacity;
};

static int dues_add(struct dues *d, instant due, struct error *e)
{
    if (d->count == STORE_REPLAY_MAX)
        return error_set(
            e, ERROR_USAGE, "there are more than %d due times in that span: replay it in parts", STORE_REPLAY_MAX);
    MEM_GROW(d->items, d->capacity, d->count + 1);
    d->items[d->count++] = due;
    return 0;
}

/* Intervals are counted from one due time of the job, backwards too. */
static void replay_anchor(struct schedule *s, const struct job *j, const struct job_state *st, instant from)
{
    if (s->kind != SCHEDULE_EVERY || s->every_from == EVERY_FROM_CLOCK)
        return;
    instant due = st->due != INSTANT_NEVER ? st->due : instant_add(j->added, j->every);
    schedule_begin(s, due);
    if (due > from)
        s->start -= (instant)(((uint64_t)due - (uint64_t)from) / (uint64_t)j->every) * j->every;
}

static int replay_none(uint64_t number, const struct store_replay *r, const struct schedule *s, struct error *e)
{
    struct buf text = {0};
    instant next = schedule_next(s, r->from).at;
    instant_format_utc(&text, r->from);
    if (r->from == r->until) {
        buf_format(&text, " is no due time of job %" PRIu64, number);
    } else {
        buf_text(&text, " to ");
        instant_format_utc(&text, r->until);
        buf_format(&text, " holds no due time of job %" PRIu64, number);
    }
    if (next != INSTANT_NEVER) {
        buf_text(&text, "; the next one after it is ");
        instant_format_utc(&text, next);
    }
    error_set(e, ERROR_USAGE, "%s", buf_string(&text));
    buf_clear(&text);
    return -(int)ERROR_USAGE;
}

static int replay_dues(const struct store_life *l, const struct job_state *st, const struct store_replay *r,
    struct dues *out, struct error *e)
{
    struct schedule s = l->schedule; /* borrowed */
    if (r->until > l->life.now)
        return error_set(e, ERROR_USAGE, "a due time to come is not replayed: it runs by itself");
    if (s.kind == SCHEDULE_NONE && r->from == r->until)
        return dues_add(out, r->from, e);
    replay_anchor(&s, l->life.job, st, r->from);
    instant due = r->from == INSTANT_NONE ? r->from : r->from - 1;
    while ((due = schedule_next(&s, due).at) <= r->until && due != INSTANT_NEVER)
        if (dues_add(out, due, e) < 0)
            return -(int)ERROR_USAGE;
    return out->count ? 0 : replay_none(l->life.job->number, r, &s, e);
}

struct starting {
    struct store *s;
    const struct job *job;
    const struct strvec *env; /* NULL, or of these runs only */
    instant now;
};

static int starting_env(const struct starting *x, struct job_state *st, struct error *e)
{
    return x->env && x->env->count ? store_env_take(x->s, x->env, &st->env, e) : 0;
}

/* One after the other, unless they may overlap: the others are parked. */
static int start_extra(
    const struct starting *x, struct job_state *own, int cause, instant due, uint64_t *number, struct error *e)
{
    struct job_state extra;
    bool alone = !own->extras && !job_active(own);
    instant ready = alone || x->job->overlap == OVERLAP_ALLOW ? x->now : INSTANT_NEVER;
    life_extra(own, x->job->number, cause, due, ready, &extra);
    int failed = starting_env(x, &extra, e);
    return failed < 0 ? failed : store_extra_new(x->s, own, &extra, number, e);
}

static int start_replays(const struct starting *x, const struct store_life *l, const struct store_replay *replay,
    struct job_state *own, struct store_started *out, struct error *e)
{
    struct dues dues = {0};
    int failed = replay_dues(l, own, replay, &dues, e);
    for (size_t i = 0; !failed && i < dues.count; i++)
        failed = start_extra(x, own, CAUSE_REPLAY, dues.items[i], &out->extra, e);
    if (!failed) {
        out->count = dues.count;
        out->first = dues.items[0];
        out->last = dues.items[dues.count - 1];
    }
    free(dues.items);
    return failed;
}

static int start_job(struct store *s, struct store_life *l, const struct store_how *how, struct job_state *own,
    struct store_started *out, struct error *e)
{
    const struct starting x = {s, l->life.job, how->env, l->life.now};
    instant now = l->life.now;
    bool moved = false, again = job_over(own) && !own->repeats;
    *out = (struct store_started){.count = 1, .first = now, .last = now};
    if (how->replay)
        return start_replays(&x, l, how->replay, own, out, e);
    if (how->shifts && !life_shift(&l->life, own, &moved) && !moved)
        return error_set(e, ERROR_FAILED, "job %" PRIu64 " has no next occurrence whose place the run could take", x.job->number);
    if (again)
        life_again(&l->life, own);
    return moved || again ? starting_env(&x, own, e) : start_extra(&x, own, CAUSE_MANUAL, now, &out->extra, e);
}

int store_start_due(struct store *s, uint64_t number, const struct run *run, instant now, struct error *e)
{
    struct job_state old, new;
    struct job job;
    uint64_t extra;
    int failed = store_state(s, number, &old, e);
    if (!failed)
        failed = store_job_get(s, number, false, &job, e);
    if (failed)
        return failed;
    new = old;
    const struct starting x = {s, &job, &run->set, now};
    failed = start_extra(&x, &new, CAUSE_REPLAY, run->due, &extra, e);
    if (!failed)
        failed = store_state_put(s, number, &old, &new, e);
    if (!failed)
        store_feed_add(s, FEED_DUE, number);
    job_clear(&job);
    return failed;
}

int store_start(struct store *s, uint64_t number, const struct store_how *how, instant now, struct store_started *out,
    struct error *e)
{
    struct job_state old, new;
    struct job job;
    struct store_life l;
    int failed = store_state(s, number, &old, e);
    if (!failed)
        failed = store_job_get(s, number, false, &job, e);
    if (failed)
        return failed;
    new = old;
    failed = store_life(s, &job, now, &l, e);
    if (!failed) {
        failed = start_job(s, &l, how, &new, out, e);
        if (!failed)
            failed = store_notes_put(s, number, job.name, &new, &l.notes, e);
        store_life_clear(&l);
    }
    if (!failed)
        failed = store_state_put(s, number, &old, &new, e);
    if (!failed)
        store_feed_add(s, FEED_DUE, number);
    job_clear(&job);
    return failed;
}
