/* Going: signals, --on-stop, --until-idle. */
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/run/scheduler.h"
#include "lib/sys/clock.h"
#include "lib/sys/signals.h"

/* Worker processes tell their end by pidfd; here they, and what a dead worker left behind to us as subreaper (or as PID 1), are only reaped. */
static void reap(void)
{
    while (waitpid(-1, NULL, WNOHANG) > 0)
        ;
}

static void stop_end_all(struct scheduler *s, duration grace)
{
    struct active *a, *next;
    HASH_ITER(hh, s->active, a, next) {
        if (a->worker && a->stage == ACTIVE_GIVEN)
            active_tell(a, true, grace);
    }
}

/* The time for waiting is over. PID 1 can leave nothing behind: its end is the end of all. */
static void stop_timeout(struct loop_timer *t)
{
    struct scheduler *s = t->context;
    if (getpid() != 1 || s->options.on_stop == ON_STOP_KILL) {
        s->stop_over = true;
        return;
    }
    s->options.on_stop = ON_STOP_KILL;
    stop_end_all(s, DURATION_NONE);
}

static void stop_begin(struct scheduler *s, const char *signal_name)
{
    log_event(s->log, LOG_LEVEL_INFO, "stopping", "signal", signal_name, "open_runs", LOG_NUMBER(HASH_COUNT(s->active)), NULL);
    scheduler_tell(s, "STOPPING=1");
    s->stopping = true;
    if (getpid() == 1 && s->options.on_stop == ON_STOP_LEAVE)
        s->options.on_stop = ON_STOP_KILL;
    if (s->options.on_stop == ON_STOP_KILL)
        stop_end_all(s, DURATION_NONE);
    s->stop_timer.call = stop_timeout;
    s->stop_timer.context = s;
    if (s->options.on_stop == ON_STOP_WAIT)
        loop_timer_set(s->loop, &s->stop_timer, s->options.stop_timeout);
}

/* A second signal: no more patience. A third one ends the waiting for what KILL does not end, or cannot be written. */
static void stop_hurry(struct scheduler *s)
{
    if (s->options.on_stop != ON_STOP_KILL) {
        stop_timeout(&s->stop_timer);
        return;
    }
    s->stop_over = s->hurried;
    s->hurried = true;
    stop_end_all(s, 0);
}

static void on_signal(void *context, const int signal_number, int sender_pid)
{
    struct scheduler *s = context;
    (void)sender_pid;
    if (signal_number == SIGCHLD)
        reap();
    else if (!s->stopping)
        stop_begin(s, signals_name(signal_number));
    else
        stop_hurry(s);
}

int stop_signals(struct scheduler *s, struct error *e)
{
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGTERM);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGHUP);
    sigaddset(&set, SIGCHLD);
    signal(SIGPIPE, SIG_IGN);
    return loop_signals(s->loop, &set, on_signal, s, e);
}

static void stop_done(struct scheduler *s)
{
    unsigned left = HASH_COUNT(s->active);
    s->done = true;
    s->exit_code = left ? ERROR_LEFT : 0;
    log_event(s->log, LOG_LEVEL_INFO, "stopped", "runs_left", LOG_NUMBER(left), NULL);
}

/* Nothing runs, nothing waits for a slot or a retry, and no one-off job is pending. */
static bool idle(struct scheduler *s)
{
    bool pending = true;
    if (s->active || s->again || s->retry_waits || s->changed || courier_busy(&s->mailer) || courier_busy(&s->notifier) || plan_due(&s->plan, clock_wall()))
        return false;
    if (store_begin(s->store, false, NULL) != 0)
        return false;
    int failed = store_pending_once(s->store, &pending, NULL);
    store_abort(s->store);
    return !failed && !pending;
}

/* Outcomes that are known are written first, but what cannot be written (the disk is full, a writer is stopped) holds us up for a while
 * only: the workers keep it for the next scheduler. --on-stop wait has its time limit anyway. */
static void stop_unwritten(struct scheduler *s)
{
    bool wait = s->reported != NULL;
    if (s->options.on_stop == ON_STOP_WAIT || wait == s->stop_unwritten)
        return;
    s->stop_unwritten = wait;
    if (wait)
        loop_timer_set(s->loop, &s->stop_timer, s->options.stop_timeout);
    else
        loop_timer_stop(s->loop, &s->stop_timer);
}

void stop_look(struct scheduler *s)
{
    if (!s->stopping) {
        if (s->options.until_idle && idle(s))
            stop_done(s);
        return;
    }
    stop_unwritten(s);
    if (!s->active || s->stop_over || (s->options.on_stop == ON_STOP_LEAVE && !s->reported))
        stop_done(s);
}
