/* One turn of the scheduler: everything that came in is looked at, decided on and committed in one transaction; only then do commands start
 * and workers hear that their reports are safe. A turn is bounded: what is left over is for the next one, so that clients and timers get their time. */
#include <stdlib.h>

#include "cmd/run/scheduler.h"
#include "lib/base/fault.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "spool/output.h"

#define TURN_REPORTS 128
#define TURN_CLAIMS 64
#define TURN_ALARMS 64
#define TURN_STEPPED 1000             /* jobs looked at a turn after a step of the clock */
#define AHEAD (30 * INT64_C(1000000)) /* runs are claimed and handed over this long before they are due; the worker holds them */
#define STEP_LEAST SECOND             /* a smaller change of the clock is no step */
#define FEED_TRIM 256                 /* changes that were read are forgotten with the next transaction, at the latest after so many */
#define BUSY_PAUSE INT64_C(2000000)
#define FULL_PAUSE SECOND

/* ---- the transaction of a turn ---- */

/* What a report means for the store. */
static enum outcome report_outcome(const struct active *a)
{
    switch (a->report.how) {
    case REPORT_EXITED:
        return exits_has(&a->success, a->report.code) ? OUTCOME_OK : OUTCOME_FAILED;
    case REPORT_SIGNALED:
    case REPORT_STOPPED:
        return OUTCOME_KILLED;
    case REPORT_TIMEOUT:
        return OUTCOME_TIMEOUT;
    case REPORT_CANCELLED:
        return OUTCOME_CANCELLED;
    case REPORT_UNSTARTABLE:
        return OUTCOME_UNSTARTABLE;
    case REPORT_SHORTAGE:
    case REPORT_FENCED:
        break;
    }
    return OUTCOME_NONE;
}

static void run_take_report(struct run *run, const struct report *r)
{
    run->started = r->started;
    run->ended = r->ended;
    run->exit_code = r->code;
    run->signal = r->signal;
    run->cpu_user_ns = r->cpu_user_ns;
    run->cpu_system_ns = r->cpu_system_ns;
    run->max_rss = r->max_rss;
    run->output_bytes = r->output_bytes;
    run->output = r->output_file ? OUTPUT_FILE : r->output_length ? OUTPUT_INLINE : OUTPUT_NONE;
    run->reason = mem_string(r->reason);
}

static int record_end(struct scheduler *s, struct active *a, instant now, struct error *e)
{
    if (!a->lost && (a->report.how == REPORT_SHORTAGE || a->report.how == REPORT_FENCED))
        return store_unclaim(s->store, a->run.id, a->report.how == REPORT_SHORTAGE, now, e);
    free(a->run.reason);
    a->run.reason = NULL;
    if (a->lost) {
        a->run.outcome = OUTCOME_LOST;
        a->run.ended = now;
        a->run.reason = mem_string(a->lost_reason);
    } else {
        run_take_report(&a->run, &a->report);
        a->run.outcome = report_outcome(a);
        if (a->overtaken && a->run.outcome == OUTCOME_CANCELLED && !a->run.reason)
            a->run.reason = mem_string("stopped for the next occurrence (overlap: replace)");
    }
    bool was_open;
    s->random = s->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    struct store_end end = {.run = &a->run, .stopped = !a->lost && a->report.how == REPORT_STOPPED, .output = a->report.output,
        .length = a->report.output_length, .random = s->random, .since = s->since};
    return store_finish(s->store, &end, now, &was_open, e);
}

/* One damaged record must not hold up all others. */
static int record_stuck(struct scheduler *s, struct active *a, struct error *e)
{
    char run[RUN_ID_SIZE];
    run_id_format(a->run.id, run);
    log_event(s->log, LOG_LEVEL_ERROR, "an outcome cannot be recorded", "run", run, "reason", e->text, NULL);
    a->stuck = true;
    *e = (struct error){0};
    return 0;
}

static int record_ends(struct scheduler *s, instant now, size_t *count, struct error *e)
{
    int failed = 0;
    *count = 0;
    for (struct active *a = s->reported; !failed && a && *count < TURN_REPORTS; a = a->next_reported) {
        failed = record_end(s, a, now, e);
        if (failed && !e->sys)
            failed = record_stuck(s, a, e);
        ++*count;
    }
    return failed;
}

/* A claim of this turn: an open run once the transaction is on disk. */
struct claim {
    struct active *active;
    struct job job;
};

struct turn {
    struct scheduler *scheduler;
    instant now;
    size_t ends;
    bool stepping, more_steps; /* steps of the clock are applied; there are more to apply */
    int64_t clock_total;
    bool zoning;        /* due times are reckoned anew after a change of zones */
    uint64_t zone_next; /* from where on in the next turn */
    bool prune_more;
    struct claim claims[TURN_CLAIMS];
    size_t claim_count;
    size_t others; /* claims that came to something else */
    struct active *overtaken[TURN_CLAIMS]; /* to be stopped for the next occurrence */
    size_t overtaken_count;
    struct store_alarm alarm; /* that comes first after all this */
    int64_t notices;          /* that there were before */
};

static int claim_one(struct turn *t, const struct due *due, struct error *e)
{
    struct scheduler *s = t->scheduler;
    struct store_claimed claimed;
    instant at = due->ready > t->now ? due->ready : t->now;
    struct store_turn turn = {.now = at, .since = s->since, .generation = s->generation};
    int failed = store_claim(s->store, due->number, &turn, &claimed, e);
    if (failed && e->sys)
        return failed;
    plan_drop(&s->plan, due->number);
    if (failed) { /* one damaged record must not hold up all others */
        log_event(s->log, LOG_LEVEL_ERROR, "a job cannot be run", "job", LOG_NUMBER((int64_t)due->number), "reason", e->text, NULL);
        *e = (struct error){0};
        return 0;
    }
    if (claimed.verdict == LIFE_START) {
        t->claims[t->claim_count++] = (struct claim){active_new(s, &claimed.run), claimed.job};
        return 0;
    }
    if (claimed.verdict == LIFE_REPLACE && active_find(s, claimed.run.id))
        t->overtaken[t->overtaken_count++] = active_find(s, claimed.run.id);
    t->others++;
    return 0;
}

static int claim_due(struct turn *t, struct error *e)
{
    struct scheduler *s = t->scheduler;
    struct due due;
    int failed = 0;
    while (!failed && !s->stopping && t->claim_count < TURN_CLAIMS && t->others < TURN_CLAIMS &&
           plan_next(&s->plan, t->now + AHEAD, &due))
        failed = claim_one(t, &due, e);
    return failed;
}

static int alarm_one(struct turn *t, struct error *e)
{
    struct scheduler *s = t->scheduler;
    int failed = store_alarm_take(s->store, &t->alarm, t->now, e);
    if (failed && !e->sys) { /* one damaged record must not hold up all others */
        log_event(s->log, LOG_LEVEL_ERROR, "a job cannot be watched", "job", LOG_NUMBER((int64_t)t->alarm.number), "reason", e->text, NULL);
        *e = (struct error){0};
        failed = 0;
    }
    return failed ? failed : store_alarm_first(s->store, &t->alarm, e);
}

/* What could still be claimed now tells itself how late it is: only once. */
static int take_alarms(struct turn *t, struct error *e)
{
    struct scheduler *s = t->scheduler;
    struct due due;
    int failed = store_alarm_first(s->store, &t->alarm, e);
    if (!s->stopping && plan_next(&s->plan, t->now, &due))
        return failed;
    for (int i = 0; !failed && i < TURN_ALARMS && t->alarm.at <= t->now; i++)
        failed = alarm_one(t, e);
    return failed;
}

/* Nothing else is decided while waiting jobs still have times of the old clock: they would be moved once more. */
static int step_jobs(struct turn *t, struct error *e)
{
    struct scheduler *s = t->scheduler;
    t->clock_total = s->clock_total;
    int failed = store_clock(s->store, t->now, s->clock_step, &t->clock_total, e);
    t->stepping = s->stepping || (!failed && t->clock_total != s->clock_total);
    if (!failed && t->stepping)
        failed = store_clock_step(s->store, t->now, TURN_STEPPED, &t->more_steps, e);
    return failed;
}

static int step_runs(struct turn *t, struct error *e)
{
    struct active *a, *next;
    int failed = 0;
    HASH_ITER(hh, t->scheduler->active, a, next) {
        failed = store_alarm_step(t->scheduler->store, &a->run, t->scheduler->clock_jump, e);
        if (failed && e->sys)
            break;
        failed = 0; /* a damaged record is told of when the run ends */
    }
    return failed;
}

static int zone_jobs(struct turn *t, struct error *e)
{
    struct scheduler *s = t->scheduler;
    t->zone_next = s->zone_from;
    t->zoning = s->zone_from != 0;
    return t->zoning ? store_zone_step(s->store, t->now, &t->zone_next, TURN_STEPPED, e) : 0;
}

/* All that moves due times comes before claims: what is claimed is due by the new time and the new rules. */
static int move_jobs(struct turn *t, struct error *e)
{
    int failed = step_jobs(t, e);
    if (!failed && t->scheduler->clock_jump)
        failed = step_runs(t, e);
    if (!failed && !t->more_steps)
        failed = zone_jobs(t, e);
    return failed;
}

/* Only on turns that are there anyway, or that go on with it. What is damaged stays, and holds nothing up. */
static int turn_prune(struct turn *t, struct error *e)
{
    struct scheduler *s = t->scheduler;
    struct store_pruned pruned = {0};
    if (!t->ends && !s->pruning)
        return 0;
    int failed = store_prune(s->store, t->now, &pruned, &t->prune_more, e);
    if (pruned.jobs)
        log_event(s->log, LOG_LEVEL_DEBUG, "forgotten", "jobs", LOG_NUMBER((int64_t)pruned.jobs), "rows", LOG_NUMBER((int64_t)pruned.rows), NULL);
    if (!failed || e->sys)
        return failed;
    log_event(s->log, LOG_LEVEL_WARNING, "what is old cannot be forgotten", "reason", e->text, NULL);
    t->prune_more = false;
    *e = (struct error){0};
    return 0;
}

static int turn_write(struct turn *t, struct error *e)
{
    struct scheduler *s = t->scheduler;
    int failed = move_jobs(t, e);
    bool settled = !t->more_steps && !t->zone_next;
    if (!failed && settled)
        failed = record_ends(s, t->now, &t->ends, e);
    if (!failed && settled)
        failed = claim_due(t, e);
    if (!failed)
        failed = settled ? take_alarms(t, e) : store_alarm_first(s->store, &t->alarm, e);
    if (!failed && settled)
        failed = turn_prune(t, e);
    if (!failed && s->feed_trimmed != s->feed_position)
        failed = store_feed_trim(s->store, s->feed_position, e);
    if (!failed) {
        FAULT_POINT("scheduler-before-commit");
        failed = store_commit(s->store, e);
        FAULT_POINT("scheduler-after-commit");
    }
    return failed;
}

/* Nothing of it happened: the claims are undone, the reports stay where they are. */
static void turn_undo(struct turn *t)
{
    struct scheduler *s = t->scheduler;
    store_abort(s->store);
    for (size_t i = 0; i < t->claim_count; i++) {
        active_free(t->claims[i].active);
        job_clear(&t->claims[i].job);
    }
    s->lanes_changed = true;
}

/* ---- after the commit ---- */

static void log_end(struct scheduler *s, const struct active *a)
{
    char run[RUN_ID_SIZE];
    run_id_format(a->run.id, run);
    enum outcome o = a->run.outcome;
    if (o == OUTCOME_NONE) {
        log_event(s->log, LOG_LEVEL_INFO, "not started, goes back into the line", "run", run, "reason", a->report.reason, NULL);
        return;
    }
    enum log_level level = o == OUTCOME_OK || o == OUTCOME_CANCELLED ? LOG_LEVEL_INFO : LOG_LEVEL_WARNING;
    log_event(s->log, level, "ended", "run", run, "name", a->run.name, "outcome", outcome_name(o), "exit_code",
        a->run.exit_code >= 0 ? LOG_NUMBER(a->run.exit_code) : NULL, "signal",
        a->run.signal ? LOG_NUMBER(a->run.signal) : NULL, "reason", a->run.reason, NULL);
}

/* The worker may forget the run now. */
static void acknowledge(struct scheduler *s, struct active *a)
{
    struct worker *w = a->worker;
    FAULT_POINT("scheduler-before-acknowledge");
    if (w && w->socket) {
        worker_acknowledge(w, a->run.id);
        if (a->report.lingers)
            worker_drop(w);
        else
            pool_return(w, s->options.workers);
    } else {
        if (w)
            worker_drop(w);
        left_remove(s->folder, a->run.id);
        if (a->run.output == OUTPUT_INLINE)
            output_remove(s->folder, a->run.id);
        if (a->report.how != REPORT_FENCED || a->lost)
            fence_remove(s->folder, a->run.id);
    }
}

static void ends_done(struct scheduler *s, size_t count)
{
    while (count-- && s->reported) {
        struct active *a = s->reported;
        s->reported = a->next_reported;
        if (!s->reported)
            s->reported_end = &s->reported;
        if (a->stuck)
            continue;
        log_end(s, a);
        acknowledge(s, a);
        active_free(a);
    }
}

static void claims_done(struct turn *t)
{
    for (size_t i = 0; i < t->claim_count; i++) {
        struct claim *c = &t->claims[i];
        char run[RUN_ID_SIZE];
        run_id_format(c->active->run.id, run);
        log_event(t->scheduler->log, LOG_LEVEL_DEBUG, "claimed", "run", run, "name", c->job.name, NULL);
        active_give(c->active, &c->job);
        job_clear(&c->job);
    }
    for (size_t i = 0; i < t->overtaken_count; i++) {
        t->overtaken[i]->overtaken = true;
        active_cancel(t->overtaken[i]);
    }
}

/* What the transaction has done to the due index. */
static void moved_done(struct scheduler *s)
{
    const struct store_moved *moved;
    size_t count;
    if (!store_moved(s->store, &moved, &count))
        s->lanes_changed = true;
    for (size_t i = 0; !s->lanes_changed && i < count; i++)
        if (moved[i].there)
            plan_put(&s->plan, &moved[i].due);
        else
            plan_drop(&s->plan, moved[i].due.number);
}

static void turn_done(struct turn *t)
{
    struct scheduler *s = t->scheduler;
    s->feed_trimmed = s->feed_position;
    s->clock_step = s->clock_jump = 0;
    s->clock_total = t->clock_total;
    s->stepping = t->more_steps;
    s->zone_from = t->zone_next;
    if ((t->stepping && !s->stepping) || (t->zoning && !s->zone_from))
        s->lanes_changed = true;
    moved_done(s);
    s->retry_tries = 0;
    if (t->ends)
        courier_look(&s->mailer);
    if (t->notices != store_notice_latest(s->store))
        courier_look(&s->notifier);
    s->alarm = t->alarm;
    s->pruning = t->prune_more;
    ends_done(s, t->ends);
    claims_done(t);
    if (t->claim_count && s->plan.used < s->plan.slots && !s->stopping)
        pool_spare(&s->pool);
    struct due more;
    s->again = s->reported || s->alarm.at <= t->now || s->stepping || s->zone_from || s->pruning || s->lanes_changed || plan_low(&s->plan) ||
               (!s->stopping && plan_next(&s->plan, t->now + AHEAD, &more));
}

/* ---- when the store cannot be written ---- */

static void turn_retry(struct loop_timer *timer)
{
    ((struct scheduler *)timer->context)->retry_waits = false;
}

static void turn_wait(struct scheduler *s, int64_t pause)
{
    s->retry.call = turn_retry;
    s->retry.context = s;
    s->retry_waits = true;
    loop_timer_set(s->loop, &s->retry, pause);
}

/* Another process writes: soon again, more slowly the longer it lasts. */
static void turn_busy(struct scheduler *s, const struct error *e)
{
    if (s->retry_tries == 64)
        log_event(s->log, LOG_LEVEL_WARNING, "cannot write to the spool", "reason", e->text, NULL);
    int64_t pause = BUSY_PAUSE * (1 + s->retry_tries);
    if (s->retry_tries < 128)
        s->retry_tries++;
    turn_wait(s, pause);
}

static void turn_full(struct scheduler *s, const struct error *e)
{
    if (s->retry_tries++ % 60 == 0)
        log_event(s->log, LOG_LEVEL_ERROR, "cannot write to the spool; outcomes are kept and tried again", "reason", e->text, NULL);
    turn_wait(s, FULL_PAUSE);
}

/* ---- the clock ---- */

static void turn_clock(struct scheduler *s, instant now)
{
    int64_t difference = now - clock_mono().ns;
    int64_t step = difference - s->wall_minus_mono;
    s->wall_minus_mono = difference;
    if (step > -STEP_LEAST && step < STEP_LEAST)
        return;
    struct buf text = {0};
    duration_format(&text, step < 0 ? -step : step);
    log_event(s->log, LOG_LEVEL_WARNING, "the clock was set", "direction", step < 0 ? "back" : "forward", "by", buf_string(&text), NULL);
    buf_clear(&text);
    if (step < 0) {
        s->clock_step += step;
    } else {
        s->since = now; /* what has come due meanwhile was missed */
        s->clock_jump += step;
    }
}

static bool turn_has_work(struct scheduler *s, instant now)
{
    struct due due;
    return s->reported || s->alarm.at <= now || s->stepping || s->clock_step || s->clock_jump || s->zone_from || s->pruning || s->feed_position - s->feed_trimmed > FEED_TRIM ||
           (!s->stopping && plan_next(&s->plan, now + AHEAD, &due));
}

static void turn_commit(struct scheduler *s, instant now)
{
    struct error e = {0};
    int begun = store_begin(s->store, true, &e);
    if (begun == STORE_BUSY) {
        turn_busy(s, &e);
        return;
    }
    struct turn *t = mem_zero(1, sizeof *t);
    t->scheduler = s;
    t->now = now;
    t->notices = store_notice_latest(s->store);
    if (begun == 0 && turn_write(t, &e) == 0) {
        turn_done(t);
    } else {
        turn_undo(t);
        turn_full(s, &e);
    }
    free(t);
}

static void turn_alarm(struct scheduler *s, instant now)
{
    instant wake = s->stopping ? INSTANT_NEVER : plan_wake(&s->plan, now + AHEAD);
    wake = wake == INSTANT_NEVER ? wake : wake - AHEAD;
    loop_alarm_set(s->loop, s->alarm.at > now && s->alarm.at < wake ? s->alarm.at : wake);
}

void turn_take(struct scheduler *s)
{
    struct error e = {0};
    instant now = clock_wall();
    s->again = false;
    turn_clock(s, now);
    if ((s->zones_changed && zonewatch_look(s, &e) != 0) || changes_read(s, &e) != 0) {
        turn_full(s, &e);
        return;
    }
    if (!s->retry_waits && turn_has_work(s, now))
        turn_commit(s, now);
    turn_alarm(s, now); /* the same moment as for the decision, or what came due in between would be missed */
}
