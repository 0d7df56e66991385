/* Open runs, from the claim to the moment their end is in the store. */
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/run/scheduler.h"
#include "lib/base/fault.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/sys/tree.h"

#define OVERDUE_SLACK (FAULT_SLACK(30) * SECOND) /* behind limit and grace, before a worker is held to be stuck */
#define AGAIN_PAUSE (SECOND / 100)
#define REACH_LEAST SECOND /* a connection that lasts less is no success */
#define REACH_MOST SECOND
#define ENDING_PAUSE (SECOND / 10)
#define ENDING_TERM_TRIES 20 /* two seconds of TERM before KILL */
#define ENDING_MOST_TRIES 100

struct active *active_new(struct scheduler *s, const struct run *r)
{
    struct active *a = mem_zero(1, sizeof *a);
    a->scheduler = s;
    a->run = *r;
    a->timeout = DURATION_NONE;
    HASH_ADD(hh, s->active, run.id, sizeof a->run.id, a);
    plan_started(&s->plan, r->queue, r->weight);
    return a;
}

static void active_release(struct active *a)
{
    if (!a->released)
        plan_ended(&a->scheduler->plan, a->run.queue, a->run.weight);
    a->released = true;
}

void active_free(struct active *a)
{
    struct scheduler *s = a->scheduler;
    active_release(a);
    loop_timer_stop(s->loop, &a->timer);
    loop_timer_stop(s->loop, &a->reaching);
    HASH_DEL(s->active, a);
    run_clear(&a->run);
    report_clear(&a->report);
    free(a->lost_reason);
    free(a);
}

struct active *active_find(struct scheduler *s, struct run_id id)
{
    struct active *a;
    HASH_FIND(hh, s->active, &id, sizeof id, a);
    return a;
}

static void active_end(struct active *a)
{
    struct scheduler *s = a->scheduler;
    a->stage = ACTIVE_REPORTED;
    a->next_reported = NULL;
    *s->reported_end = a;
    s->reported_end = &a->next_reported;
    loop_timer_stop(s->loop, &a->timer);
    active_release(a);
}

void active_report(struct active *a, struct report *r)
{
    if (a->stage == ACTIVE_REPORTED) { /* twice: by an orphan that was adopted in mid-report */
        report_clear(r);
        return;
    }
    a->report = *r;
    active_end(a);
}

void active_lose(struct active *a, const char *reason)
{
    a->lost = true;
    a->lost_reason = mem_string(reason);
    active_end(a);
}

/* The run ends without having started. */
static void active_refuse(struct active *a, enum report_how how, const char *reason)
{
    struct report r = report_unstarted(a->run.id, how, clock_wall(), mem_string(reason));
    active_report(a, &r);
}

static void active_overdue(struct loop_timer *t)
{
    struct active *a = t->context;
    char run[RUN_ID_SIZE];
    run_id_format(a->run.id, run);
    log_event(a->scheduler->log, LOG_LEVEL_WARNING, "worker overdue, ended", "run", run, NULL);
    a->overdue = true;
    if (a->worker)
        worker_kill(a->worker);
}

static void active_watch(struct active *a, duration limit)
{
    a->timer.call = active_overdue;
    a->timer.context = a;
    loop_timer_set(a->scheduler->loop, &a->timer, instant_add(instant_add(limit, a->kill_after), OVERDUE_SLACK));
}

static void active_watch_limit(struct active *a)
{
    if (a->timeout != DURATION_NONE)
        active_watch(a, a->timeout);
}

/* A worker that is stopped or stuck cannot end the run: from the first word on it has the grace and the slack. */
void active_tell(struct active *a, bool stop, duration grace)
{
    worker_cancel(a->worker, a->run.id, stop, grace);
    if (!a->told)
        active_watch(a, 0);
    a->told = true;
}

static void active_send(struct active *a, const struct order *order)
{
    struct scheduler *s = a->scheduler;
    struct value message = order_write(order);
    FAULT_POINT("scheduler-before-start");
    bool sent = worker_send(a->worker, &message);
    FAULT_POINT("scheduler-after-start");
    value_clear(&message);
    if (sent) {
        active_watch_limit(a);
        return;
    }
    pool_return(a->worker, s->options.workers);
    a->worker = NULL;
    active_refuse(a, REPORT_UNSTARTABLE, "command, environment and standard input are more together than can be given to a worker (256 MiB)");
}

void active_give(struct active *a, const struct job *j)
{
    struct scheduler *s = a->scheduler;
    struct error e = {0};
    struct order order;
    a->success = j->success_exit;
    a->timeout = j->timeout;
    a->kill_after = j->kill_after;
    if (launch_order(&s->launch, j, &a->run, &order, &e) != 0) {
        active_refuse(a, REPORT_UNSTARTABLE, e.text);
        return;
    }
    a->worker = pool_take(&s->pool, a, &e);
    if (a->worker) {
        active_send(a, &order);
    } else {
        log_event(s->log, LOG_LEVEL_WARNING, "cannot start a worker", "reason", e.text, NULL);
        active_refuse(a, REPORT_SHORTAGE, e.text);
    }
    order_clear(&order);
}

void active_cancel(struct active *a)
{
    a->cancel = true;
    if (a->stage == ACTIVE_GIVEN && a->worker)
        active_tell(a, false, DURATION_NONE);
}

/* ---- when the worker is not there any more ---- */

/* The run's processes: by session, unless its number has passed on to someone else, and by the marks in their environment. */
static struct tree active_tree(const struct active *a, char mark[], size_t size)
{
    char run[RUN_ID_SIZE];
    run_id_format(a->run.id, run);
    snprintf(mark, size, "AX_RUN=%s", run);
    return (struct tree){.mark = mark, .session = a->fence.command.pid, .session_start = a->fence.command.start};
}

static void active_ending(struct loop_timer *t)
{
    struct active *a = t->context;
    struct scheduler *s = a->scheduler;
    char mark[RUN_ID_SIZE + 16];
    char *spool = mem_format("AX_SPOOL=%s", s->folder->path);
    struct buf denied = {0};
    struct tree tree = active_tree(a, mark, sizeof mark);
    tree.mark_too = spool;
    int signal_number = a->ending_tries < ENDING_TERM_TRIES ? SIGTERM : SIGKILL;
    if (a->ending_tries && signal_number == SIGTERM)
        signal_number = 0; /* TERM once is enough */
    size_t left = tree_signal(&tree, signal_number, &denied);
    free(spool);
    if (left && ++a->ending_tries < ENDING_MOST_TRIES) {
        loop_timer_set(s->loop, &a->timer, ENDING_PAUSE);
    } else {
        const char *how = a->overdue ? "its worker was stuck, and was ended" : "its worker died";
        char *reason = left ? mem_format("%s; still alive: %s", how, buf_string(&denied)) : mem_format("%s while it ran", how);
        active_lose(a, reason);
        free(reason);
    }
    buf_clear(&denied);
}

static void active_end_tree(struct active *a, const struct fence *fence)
{
    struct scheduler *s = a->scheduler;
    if (fence->started != INSTANT_NONE) /* the file system's clock is a little behind */
        a->run.started = fence->started > a->run.claimed ? fence->started : a->run.claimed;
    if (strcmp(fence->boot, s->boot) != 0) {
        active_lose(a, "the machine went down while it ran");
        return;
    }
    a->fence = *fence;
    a->stage = ACTIVE_ENDING;
    a->timer.call = active_ending;
    a->timer.context = a;
    loop_timer_set(s->loop, &a->timer, 0);
}

static void active_again(struct loop_timer *t)
{
    active_resolve(t->context);
}

void active_resolve(struct active *a)
{
    struct scheduler *s = a->scheduler;
    struct fence fence = {0};
    struct report left = {0};
    switch (adopt_look(s->folder, &a->run, s->boot, &fence, &left)) {
    case ADOPT_FINISH:
        active_report(a, &left);
        break;
    case ADOPT_WAIT:
        a->worker = pool_adopt(&s->pool, (struct process_id){fence.holder, fence.holder_start}, a);
        if (a->worker) {
            a->told = false;
            active_watch_limit(a); /* all of the limit from now on: more than is left, never less */
            active_reach(a);
        } else { /* gone between the look and the watch: look again */
            a->timer.call = active_again;
            a->timer.context = a;
            loop_timer_set(s->loop, &a->timer, AGAIN_PAUSE);
        }
        break;
    case ADOPT_REQUEUE:
        /* one of our own that dies so early may do so again: not at once */
        active_refuse(a, a->run.generation == s->generation ? REPORT_SHORTAGE : REPORT_FENCED, "its worker died before it started");
        break;
    case ADOPT_LOST:
        active_end_tree(a, &fence);
        break;
    }
}

void active_reach(struct active *a)
{
    if (!a->worker || a->stage != ACTIVE_GIVEN)
        return;
    struct scheduler *s = a->scheduler;
    if (worker_connect(a->worker, s->folder, a->run.id) != 0)
        return;
    a->reached = clock_mono().ns;
    if (a->cancel)
        active_tell(a, false, DURATION_NONE);
    else if (s->stopping && s->options.on_stop == ON_STOP_KILL) /* it did not hear stop_end_all */
        active_tell(a, true, s->hurried ? 0 : DURATION_NONE);
}

void active_left(struct active *a)
{
    if (a->stage != ACTIVE_GIVEN)
        return;
    if (a->worker)
        worker_drop(a->worker);
    a->worker = NULL;
    active_resolve(a);
}

static void on_report(void *context, struct worker *w, struct report *r)
{
    struct scheduler *s = context;
    struct active *a = w->run;
    char run[RUN_ID_SIZE];
    if (r->id.job == a->run.id.job && r->id.n == a->run.id.n) {
        active_report(a, r);
        return;
    }
    run_id_format(a->run.id, run);
    log_event(s->log, LOG_LEVEL_ERROR, "a worker reports a run that it was not given, ended", "run", run, NULL);
    report_clear(r);
    worker_kill(w);
}

static void active_reach_again(struct loop_timer *t)
{
    active_reach(t->context);
}

/* The worker lives but does not talk to us: it takes itself for orphaned, and listens. Else the folder's watch or its end will tell. One that hangs up
 * at once has no room for one more connection: not again at once. */
static void on_hung_up(void *context, struct worker *w)
{
    struct scheduler *s = context;
    struct active *a = w->run;
    int64_t now = clock_mono().ns;
    if (now - a->reached >= REACH_LEAST) {
        a->reach_pause = 0;
        active_reach(a);
        return;
    }
    a->reach_pause = a->reach_pause ? a->reach_pause * 2 : AGAIN_PAUSE;
    if (a->reach_pause > REACH_MOST)
        a->reach_pause = REACH_MOST;
    a->reaching.call = active_reach_again;
    a->reaching.context = a;
    loop_timer_set(s->loop, &a->reaching, a->reach_pause);
}

static void on_died(void *context, struct worker *w)
{
    struct scheduler *s = context;
    struct active *a = w->run;
    a->worker = NULL;
    if (a->stage == ACTIVE_GIVEN)
        active_resolve(a);
    if (w->adopted)
        s->clean = true;
}

const struct pool_calls active_calls = {.report = on_report, .hung_up = on_hung_up, .died = on_died};
