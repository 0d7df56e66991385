#include <inttypes.h>
#include <stdlib.h>

#include "cmd/why.h"
#include "lib/base/mem.h"
#include "spool/slots.h"

#define ROOM_LEAST (64 * 1024) /* below that no claim can be written */
#define ON_TIME SECOND

struct whys {
    const struct why *w;
    const struct job_state *own, *st;
    const struct why_place *p;
    const struct view *v;
    struct why_reasons *out;
};

void why_reasons_clear(struct why_reasons *r)
{
    for (size_t i = 0; i < r->count; i++)
        free(r->items[i].text);
    free(r->items);
    *r = (struct why_reasons){0};
}

static void add(struct whys *y, const char *word, instant until, const char *format, ...) __attribute__((format(printf, 4, 5)));
static void add(struct whys *y, const char *word, instant until, const char *format, ...)
{
    struct buf text = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&text, format, arguments);
    va_end(arguments);
    if (until != INSTANT_NONE) {
        buf_char(&text, ' ');
        view_moment(&text, y->v, until);
    }
    MEM_GROW(y->out->items, y->out->capacity, y->out->count + 1);
    y->out->items[y->out->count++] = (struct why_reason){word, until, buf_take(&text)};
}

/* As add, of a time that has passed: it ends nothing. */
#define add_since(y, word, since, ...) (add(y, word, since, __VA_ARGS__), (y)->out->items[(y)->out->count - 1].until = INSTANT_NONE)

/* ---- it has ended ---- */

static void last_outcome(struct buf *b, const struct job_state *st)
{
    struct run r;
    run_init(&r);
    r.outcome = st->last_outcome;
    r.exit_code = st->last_outcome == OUTCOME_FAILED ? st->last_code : -1;
    r.signal = st->last_outcome == OUTCOME_KILLED ? st->last_code : 0;
    view_result(b, &r);
}

static void why_over(struct whys *y)
{
    const struct job_state *st = y->st;
    struct buf how = {0};
    last_outcome(&how, st);
    if (st->phase == PHASE_CANCELLED)
        add(y, "cancelled", INSTANT_NONE, "it was cancelled, and runs no more");
    else if (st->phase == PHASE_DONE)
        add(y, "done", INSTANT_NONE, st->repeats ? "its schedule has no further due time" : "it ran, as it was to");
    else if (st->last_outcome == OUTCOME_MISSED)
        add(y, "missed", INSTANT_NONE, "its due time was missed, and it has no other; history says why, `ax retry %" PRIu64 "` runs it now", y->w->job.number);
    else if (st->repeats)
        add(y, "ended", INSTANT_NONE, "its schedule has no further due time; its last run: %s", buf_string(&how));
    else
        add(y, "failed", INSTANT_NONE, "its last run went wrong (%s) and it is not tried again; `ax retry %" PRIu64 "` does", buf_string(&how), y->w->job.number);
    buf_clear(&how);
}

/* ---- a run is open ---- */

static void why_next(struct whys *y)
{
    static const char *const then[] = {
        [OVERLAP_SKIP] = "it is skipped", [OVERLAP_QUEUE] = "it runs after that (overlap: queue)",
        [OVERLAP_REPLACE] = "it takes the place of that run (overlap: replace)", [OVERLAP_ALLOW] = "it runs beside it (overlap: allow)"};
    const struct job_state *st = y->st;
    if (!st->repeats || st->next == INSTANT_NEVER || st->next == INSTANT_NONE)
        return;
    if (st->next <= y->v->now)
        add(y, "overlap", INSTANT_NONE, "its next due time has come while that run goes: %s", then[y->w->job.overlap]);
    else
        add(y, "time", st->next, y->w->job.overlap == OVERLAP_SKIP ? "if that run is over by then, it is due next" : "it is due next");
}

static void why_running(struct whys *y)
{
    const struct job_state *st = y->st;
    const struct run *r = &y->p->run;
    char id[RUN_ID_SIZE];
    run_id_format((struct run_id){.job = y->w->job.number, .n = r->id.n ? r->id.n : st->open}, id);
    if (r->claimed != INSTANT_NONE && r->claimed > y->v->now)
        add(y, "running", r->claimed, "run %s has been given to a worker, which starts it", id);
    else if (r->claimed != INSTANT_NONE)
        add_since(y, "running", r->claimed, "run %s is going (attempt %" PRIu32 "), since", id, view_attempts(st));
    else
        add(y, "running", INSTANT_NONE, "run %s is going (attempt %" PRIu32 ")", id, view_attempts(st));
    if (st->cancel)
        add(y, "cancel", INSTANT_NONE, "it is being stopped: the job was cancelled");
    else if (st->stop)
        add(y, "stop", INSTANT_NONE, "that run is being stopped (ax stop)");
    else if (st->overtaken)
        add(y, "replace", INSTANT_NONE, "that run is being stopped for the next occurrence (overlap: replace)");
    if (st->retired)
        add(y, "retired", INSTANT_NONE, "it is the last run: its job file names the job no more");
    if (!y->w->served.pid)
        add(y, "no-scheduler", INSTANT_NONE, "nobody serves the spool: the run goes on, and its outcome is recorded when a scheduler is there again");
    if (y->own->paused)
        add(y, "paused", INSTANT_NONE, "the job is paused: after that run nothing of it starts until `ax resume %" PRIu64 "`", y->w->job.number);
    why_next(y);
}

/* ---- it waits ---- */

static void why_without_due(struct whys *y)
{
    const struct job *j = &y->w->job;
    if (j->boot == BOOT_MACHINE)
        add(y, "boot", INSTANT_NONE, "it waits for the next boot of the machine");
    else if (j->boot == BOOT_SCHEDULER)
        add(y, "boot", INSTANT_NONE, "it waits for the next start of the scheduler");
    else if (job_schedule_kind(j) == SCHEDULE_NONE)
        add(y, "by-hand", INSTANT_NONE, "it has no schedule: it runs when `ax start %" PRIu64 "` says so", j->number);
    else
        add(y, "never", INSTANT_NONE, "its schedule has no further due time");
}

static void why_paused(struct whys *y)
{
    bool passed = y->st->ready <= y->v->now;
    add(y, "paused", INSTANT_NONE, "nothing of it starts until `ax resume %" PRIu64 "`%s", y->w->job.number,
        !passed ? "" : y->st->repeats ? "; a due time has passed meanwhile, and counts as missed then" : "; it is due since before, and runs then");
}

static bool why_time(struct whys *y)
{
    const struct job_state *st = y->st;
    if (st->shortage)
        add(y, "shortage", st->ready, "the system could not start it, %" PRIu32 " time%s in a row (processes, memory or files ran out); it is tried again", st->shortage, st->shortage == 1 ? "" : "s");
    else if (st->ready <= y->v->now)
        return false;
    else if (st->phase == PHASE_RETRYING) {
        struct buf how = {0};
        last_outcome(&how, st);
        add(y, "retry", st->ready, "its last attempt went wrong (%s); attempt %" PRIu32 " is", buf_string(&how), st->attempt + 1);
        buf_clear(&how);
    } else if (st->due > y->v->now)
        add(y, "time", st->due, "it waits for its due time,");
    else if (y->w->job.jitter)
        add(y, "jitter", st->ready, "its due time has come, and its jitter lets it start");
    else
        add(y, "time", st->ready, "it may start");
    return true;
}

/* It could start now: what stands in front of it. */
static void why_ready(struct whys *y)
{
    const struct why *w = y->w;
    const struct job_state *st = y->st;
    uint32_t used = w->used > UINT32_MAX ? UINT32_MAX : (uint32_t)w->used, queue_used = w->queue_used > UINT32_MAX ? UINT32_MAX : (uint32_t)w->queue_used;
    if (!w->served.pid)
        add(y, "no-scheduler", INSTANT_NONE, "it could start, but nobody serves the spool; `ax run --detach` starts the scheduler");
    else if (w->room < ROOM_LEAST)
        add(y, "disk-full", INSTANT_NONE, "it could start, but the disk of the spool is full: nothing starts until there is room");
    else if (w->queue.limit && !slots_fit(st->weight, queue_used, w->queue.limit))
        add(y, "queue", INSTANT_NONE, "its queue %s is full: %" PRIu64 " of %" PRIu32 " are taken, and it takes %" PRIu32, w->queue.name, w->queue_used, w->queue.limit, st->weight);
    else if (w->served.workers && !slots_fit(st->weight, used, w->served.workers))
        add(y, "slot", INSTANT_NONE, "no slot is free: %" PRIu64 " of %" PRIu32 " are taken (ax run -j), and it takes %" PRIu32, w->used, w->served.workers, st->weight);
    else if (y->p->ahead)
        add(y, "behind", INSTANT_NONE, "%s%" PRIu64 " of its queue go%s before it (priority, then time)", y->p->ahead >= WHY_AHEAD ? "at least " : "", y->p->ahead, y->p->ahead == 1 ? "es" : "");
    else if (y->p->kept.number)
        add(y, "slot", INSTANT_NONE, "the free slots are kept for another that goes before it and takes %" PRIu32 ": %" PRIu64 " of %" PRIu32 " are taken", y->p->kept.weight, w->used, w->served.workers);
    else
        add(y, "now", INSTANT_NONE, "nothing stands against it: the scheduler takes it at any moment");
    if (w->served.pid && y->p->ahead && y->out->items[y->out->count - 1].word[0] != 'b')
        add(y, "behind", INSTANT_NONE, "%s%" PRIu64 " of its queue go%s before it (priority, then time)", y->p->ahead >= WHY_AHEAD ? "at least " : "", y->p->ahead, y->p->ahead == 1 ? "es" : "");
}

static void why_waiting(struct whys *y)
{
    const struct job_state *st = y->st;
    if (st->paused)
        why_paused(y);
    if (st->due == INSTANT_NEVER) {
        why_without_due(y);
    } else if (st->ready == INSTANT_NEVER) {
        add(y, "overlap", INSTANT_NONE, "it is due, and waits for another occurrence of the job to end (overlap: %s)", y->w->job.overlap == OVERLAP_QUEUE ? "queue" : "they do not run beside each other");
    } else if (!why_time(y)) {
        if (!st->paused)
            why_ready(y);
        return;
    }
    if (!y->w->served.pid)
        add(y, "no-scheduler", INSTANT_NONE, "nobody serves the spool, so it will not start; `ax run --detach` starts the scheduler");
}

void why_reasons(const struct why *w, const struct why_place *p, const struct view *v, struct why_reasons *out)
{
    struct whys y = {.w = w, .own = &w->places[0].state, .st = &p->state, .p = p, .v = v, .out = out};
    if (job_over(&p->state))
        why_over(&y);
    else if (p->state.phase == PHASE_RUNNING)
        why_running(&y);
    else
        why_waiting(&y);
    if (w->foreground && p == &w->places[0])
        add(&y, "foreground", INSTANT_NONE, "its run %llu.%u goes in the foreground of an ax exec, beside the schedule",
            (unsigned long long)w->job.number, (unsigned)w->foreground);
}

/* ---- history ---- */

static void why_late(struct buf *b, const struct why *w, const struct run *r)
{
    duration late = r->due == INSTANT_NONE || r->claimed == INSTANT_NONE ? 0 : instant_add(r->claimed, -r->due);
    if (late <= ON_TIME) {
        buf_text(b, "on time");
        return;
    }
    view_length(b, late);
    buf_text(b, " late: ");
    if (w->served.since != INSTANT_NONE && r->due < w->served.since && r->claimed >= w->served.since)
        buf_text(b, "the scheduler came after the due time");
    else if (w->job.jitter && late <= w->job.jitter + ON_TIME)
        buf_text(b, "within its jitter");
    else
        buf_text(b, "nobody served, no slot was free, its queue was full, the job was paused, or an occurrence before it still went");
}

void why_row(struct buf *b, const struct why *w, const struct run *r)
{
    if (r->id.note)
        buf_text(b, r->reason ? r->reason : "no reason was recorded");
    else if (r->attempt > 1)
        buf_format(b, "attempt %" PRIu32 " for its due time", r->attempt);
    else if (r->cause == CAUSE_MANUAL)
        buf_text(b, "started by hand");
    else if (r->cause == CAUSE_REPLAY)
        buf_text(b, "a due time of the past, replayed by hand");
    else
        why_late(b, w, r);
}
