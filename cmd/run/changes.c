/* What clients have changed, read from the store into the plan: the change feed, the limits, and the near part of the due index. */
#include <stdlib.h>

#include "cmd/run/scheduler.h"
#include "lib/base/mem.h"

#define FEED_FEW 256 /* more changed jobs than that: read the whole index */

struct changes {
    struct scheduler *scheduler;
    uint64_t *numbers;
    size_t count, capacity;
    bool all, queues, cancels, foreground;
    int failed; /* in a call, with */
    struct error *error;
};

/* Runs of these jobs that are to be ended, as the states of their occurrences say. (Of a feed that has grown too long only "everything" is left.) */
static int changes_cancels(struct scheduler *s, uint64_t first, uint64_t last, struct error *e)
{
    struct active *a, *next;
    HASH_ITER(hh, s->active, a, next) {
        struct job_state state;
        if (a->cancel || a->run.id.job < first || a->run.id.job > last)
            continue;
        int failed = store_run_state(s->store, &a->run, &state, e);
        if (failed && e->sys)
            return failed;
        if (!failed && (state.cancel || state.stop))
            active_cancel(a);
    }
    return 0;
}

static void changes_add(void *context, const struct feed *f)
{
    struct changes *c = context;
    if (f->kind == FEED_ALL)
        c->all = c->queues = c->cancels = c->foreground = true;
    if (f->kind == FEED_FOREGROUND)
        c->foreground = true;
    if (f->kind == FEED_QUEUES)
        c->queues = true;
    if (f->kind == FEED_CANCEL && !c->failed)
        c->failed = changes_cancels(c->scheduler, f->first, f->last, c->error);
    if (f->kind != FEED_DUE && f->kind != FEED_CANCEL)
        return;
    if (f->last - f->first >= FEED_FEW || c->count + (f->last - f->first) >= FEED_FEW) {
        c->all = true;
        return;
    }
    MEM_GROW(c->numbers, c->capacity, c->count + (f->last - f->first) + 1);
    for (uint64_t n = f->first; n <= f->last; n++)
        c->numbers[c->count++] = n;
}

static bool limit_set(void *context, const struct queue *q)
{
    plan_limit(context, q->id, q->limit);
    return true;
}

int changes_queues(struct scheduler *s, struct error *e)
{
    return store_each_queue(s->store, limit_set, &s->plan, e);
}

static bool lane_known(void *context, struct lane_id id)
{
    plan_lane(context, id);
    return true;
}

static void refresh_due(void *context, const struct due *d, bool there)
{
    struct plan *plan = context;
    if (there)
        plan_put(plan, d);
    else
        plan_drop(plan, d->number);
}

static int read_feed(struct scheduler *s, struct error *e)
{
    struct changes c = {.scheduler = s, .error = e};
    uint64_t position = s->feed_position;
    int failed = store_feed(s->store, &position, changes_add, &c, e);
    if (!failed)
        failed = c.failed;
    if (!failed && c.queues)
        failed = changes_queues(s, e);
    if (!failed && c.cancels)
        failed = changes_cancels(s, 1, UINT64_MAX, e);
    int64_t zones = s->zone_count;
    if (!failed)
        failed = store_zone_count(s->store, &zones, e);
    if (zones != s->zone_count)
        s->zones_changed = true;
    s->zone_count = zones;
    if (c.all)
        s->lanes_changed = true;
    if (c.foreground)
        s->foreground_changed = true;
    for (size_t i = 0; !failed && !c.all && i < c.count; i++)
        failed = store_due_of(s->store, c.numbers[i], refresh_due, &s->plan, e);
    free(c.numbers);
    if (!failed)
        s->feed_position = position;
    return failed;
}

struct filling {
    struct plan *plan;
    size_t lane;
    bool full;
};

static bool fill_one(void *context, const struct due *d)
{
    struct filling *f = context;
    f->full = !plan_fill(f->plan, f->lane, d);
    return !f->full;
}

static int fill_lanes(struct scheduler *s, struct error *e)
{
    int failed = 0;
    if (s->lanes_changed) {
        plan_doubt(&s->plan);
        failed = store_each_lane(s->store, lane_known, &s->plan, e);
        s->lanes_changed = failed != 0;
    }
    struct filling f = {.plan = &s->plan};
    instant behind;
    uint64_t number;
    while (!failed && plan_wants(&s->plan, &f.lane, &behind, &number)) {
        f.full = false;
        failed = store_each_due(s->store, s->plan.lanes[f.lane].id, behind, number, fill_one, &f, e);
        plan_filled(&s->plan, f.lane, !failed && !f.full);
    }
    if (failed)
        s->lanes_changed = true;
    return failed;
}

int changes_read(struct scheduler *s, struct error *e)
{
    if (!s->changed && !s->lanes_changed && !plan_low(&s->plan))
        return 0;
    int failed = store_begin(s->store, false, e);
    if (failed)
        return failed;
    if (s->changed)
        failed = read_feed(s, e);
    if (!failed) {
        s->changed = false;
        failed = fill_lanes(s, e);
    }
    if (!failed)
        failed = store_alarm_first(s->store, &s->alarm, e);
    store_abort(s->store);
    if (!failed && s->foreground_changed) {
        failed = foreground_read(s, e);
        s->foreground_changed = failed != 0;
    }
    return failed;
}
