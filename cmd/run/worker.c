#include "cmd/run/worker.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/run/worker_parts.h"
#include "lib/base/fault.h"
#include "lib/base/mem.h"

#define WORKER_SOCKET 3
#define HOLD_MOST (5 * SECOND) /* far more than a scheduler claims ahead */
#define RETRY_FIRST (SECOND / 10)
#define RETRY_MOST (30 * SECOND)

/* ---- the outcome ---- */

static void work_next(struct work *w)
{
    if (w->spent && !command_draining(w))
        w->over = true;
}

static void work_leave(struct work *w)
{
    FAULT_POINT("worker-leaving");
    if (left_write(&w->folder, &w->report, NULL) != 0) {
        w->retry_pause = w->retry_pause ? w->retry_pause * 2 : RETRY_FIRST;
        if (w->retry_pause > RETRY_MOST)
            w->retry_pause = RETRY_MOST;
        loop_timer_set(w->loop, &w->retry, w->retry_pause);
        return;
    }
    FAULT_POINT("worker-left");
    peer_listen_end(w);
    command_forget(w, false);
    work_next(w);
}

static void work_retry(struct loop_timer *t)
{
    work_tend(t->context);
}

void work_tend(struct work *w)
{
    if (w->scheduler)
        return;
    if (w->stage == WORK_ENDED)
        work_leave(w);
    else if (w->stage == WORK_RUNNING && !peer_listen(w))
        loop_timer_set(w->loop, &w->retry, SECOND);
}

void work_ended(struct work *w, struct report *r)
{
    w->report = *r;
    w->stage = WORK_ENDED;
    if (w->report.lingers)
        w->spent = true;
    FAULT_POINT("worker-ended");
    if (!w->scheduler) {
        work_tend(w);
        return;
    }
    struct value message = report_write(&w->report);
    peer_send(w->scheduler, &message);
    value_clear(&message);
    FAULT_POINT("worker-reported");
}

void work_orphaned(struct work *w)
{
    FAULT_POINT("worker-orphaned");
    w->spent = true;
    if (w->stage == WORK_HELD) { /* never begun: the next scheduler fences it and takes it back into the line */
        order_clear(&w->order);
        w->stage = WORK_IDLE;
    }
    if (w->stage == WORK_IDLE)
        work_next(w);
    else
        work_tend(w);
}

/* ---- messages ---- */

/* The run does not start: ended before it began, or given back. */
static void work_drop_held(struct work *w, enum report_how how, const char *reason)
{
    struct report r = report_unstarted(w->order.id, how, clock_wall(), mem_string(reason));
    loop_alarm_set(w->loop, INSTANT_NEVER);
    work_ended(w, &r);
}

/* A clock that is set during the hold, or before the order came, may have moved the time away by hours, and the run would keep its slot for so long:
 * back into the line. */
static void work_time(void *context, bool stepped)
{
    struct work *w = context;
    if (w->stage != WORK_HELD)
        return;
    if (w->order.not_before == INSTANT_NONE || clock_wall() >= w->order.not_before)
        command_launch(w);
    else if (stepped || w->order.not_before > instant_add(clock_wall(), HOLD_MOST))
        work_drop_held(w, REPORT_FENCED, "the clock was set shortly before its time");
    else
        loop_alarm_set(w->loop, w->order.not_before);
}

static void work_refuse(struct peer *from, const struct value *message, enum report_how how, const char *reason)
{
    struct report r = report_unstarted((struct run_id){0}, how, clock_wall(), mem_string(reason));
    if (message_run(message, &r.id)) {
        struct value answer = report_write(&r);
        peer_send(from, &answer);
        value_clear(&answer);
    }
    report_clear(&r);
}

static void work_on_start(struct work *w, struct peer *from, const struct value *message)
{
    struct error e;
    if (from != w->scheduler)
        return;
    if (w->stage != WORK_IDLE || w->spent) {
        work_refuse(from, message, REPORT_SHORTAGE, "its worker was not free");
        return;
    }
    if (order_read(message, &w->order, &e) != 0) {
        work_refuse(from, message, REPORT_UNSTARTABLE, e.text);
        return;
    }
    FAULT_POINT("worker-ordered");
    w->stage = WORK_HELD;
    if (w->order.not_before != INSTANT_NONE && !w->alarm) {
        if (loop_alarm(w->loop, work_time, w, &e) != 0) {
            work_refuse(from, message, REPORT_SHORTAGE, e.text);
            order_clear(&w->order);
            w->stage = WORK_IDLE;
            return;
        }
        w->alarm = true;
    }
    work_time(w, false);
}

static bool work_is_current(const struct work *w, const struct value *message)
{
    struct run_id id;
    return w->stage != WORK_IDLE && message_run(message, &id) && id.job == w->order.id.job && id.n == w->order.id.n;
}

static void work_on_cancel(struct work *w, struct peer *from, const struct value *message)
{
    (void)from;
    if (!work_is_current(w, message))
        return; /* its report and this have crossed */
    const struct value *why = value_get(message, "why"), *grace = value_get(message, "grace");
    enum report_how how = why && why->kind == VALUE_TEXT && strcmp(why->text.data, "stop") == 0 ? REPORT_STOPPED : REPORT_CANCELLED;
    duration wanted = grace && grace->kind == VALUE_INT && grace->integer >= 0 ? grace->integer : DURATION_NONE;
    if (w->stage == WORK_HELD)
        work_drop_held(w, how, NULL);
    else if (w->stage == WORK_RUNNING && w->ending == REPORT_EXITED)
        end_begin(w, how, wanted != DURATION_NONE ? wanted : w->order.kill_after);
    else if (w->stage == WORK_RUNNING)
        end_hurry(w, how, wanted);
}

/* The newest one wins: a scheduler that holds the lock now, while the connection of one that is gone may not have been noticed yet. */
static void work_on_adopt(struct work *w, struct peer *from, const struct value *message)
{
    (void)message;
    if (w->stage == WORK_IDLE)
        return;
    if (w->scheduler && w->scheduler != from)
        peer_free(w->scheduler);
    w->scheduler = from;
    w->spent = true;
    FAULT_POINT("worker-adopted");
    struct value hello = message_hello(w->order.id);
    peer_send(from, &hello);
    value_clear(&hello);
    if (w->stage != WORK_ENDED)
        return;
    loop_timer_stop(w->loop, &w->retry);
    struct value report = report_write(&w->report);
    peer_send(from, &report);
    value_clear(&report);
}

static void work_on_ack(struct work *w, struct peer *from, const struct value *message)
{
    if (from != w->scheduler || w->stage != WORK_ENDED || !work_is_current(w, message))
        return;
    FAULT_POINT("worker-acked");
    if (w->retry_pause)
        left_remove(&w->folder, w->order.id); /* an attempt to leave it may have come half-way */
    peer_listen_end(w);
    command_forget(w, true);
    work_next(w);
}

void work_message(struct work *w, struct peer *from, const struct value *message)
{
    static void (*const calls[])(struct work *, struct peer *, const struct value *) = {
        [MESSAGE_START] = work_on_start, [MESSAGE_CANCEL] = work_on_cancel, [MESSAGE_ADOPT] = work_on_adopt, [MESSAGE_ACK] = work_on_ack,
        [MESSAGE_ENDED] = NULL,
    };
    enum message_kind kind = message_kind(message);
    if (calls[kind])
        calls[kind](w, from, message);
}

/* ---- the process ---- */

static void work_signal(void *context, const int number, int sender)
{
    (void)number;
    (void)sender;
    command_reap(context);
}

static void worker_settle(void)
{
    static const int ignored[] = {SIGHUP, SIGINT, SIGTERM, SIGQUIT, SIGPIPE, SIGTSTP, SIGXFSZ};
    for (size_t i = 0; i < sizeof ignored / sizeof *ignored; i++)
        signal(ignored[i], SIG_IGN);
    signal(SIGCHLD, SIG_DFL);
    umask(077);
    fcntl(WORKER_SOCKET, F_SETFD, FD_CLOEXEC);
    fcntl(WORKER_SOCKET, F_SETFL, fcntl(WORKER_SOCKET, F_GETFL) | O_NONBLOCK);
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_NAME, "ax-worker");
}

static pid_t worker_scheduler(void)
{
    struct ucred who;
    socklen_t size = sizeof who;
    return getsockopt(WORKER_SOCKET, SOL_SOCKET, SO_PEERCRED, &who, &size) == 0 ? who.pid : -1;
}

static int work_init(struct work *w, const char *spool, uint32_t generation, struct error *e)
{
    sigset_t children;
    sigemptyset(&children);
    sigaddset(&children, SIGCHLD);
    *w = (struct work){.null = -1, .generation = -1, .listener = -1, .fence = -1, .pipe = -1, .retry = {.call = work_retry, .context = w}};
    process_boot(w->boot);
    if (!process_identify(getpid(), &w->self))
        return error_set(e, ERROR_FAILED, "/proc is not there");
    int code = folder_open(spool, false, &w->folder, e);
    if (code)
        return code;
    FAULT_POINT("worker-joining");
    w->generation = generation_join(&w->folder, generation, worker_scheduler());
    if (w->generation < 0)
        return error_set(e, ERROR_FAILED, "the scheduler of this worker is gone");
    FAULT_POINT("worker-joined");
    w->null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    if (w->null < 0)
        return error_errno(e, ERROR_FAILED, errno, "/dev/null");
    if ((code = loop_new(&w->loop, e)) || (code = loop_signals(w->loop, &children, work_signal, w, e)))
        return code;
    w->scheduler = peer_add(w, WORKER_SOCKET);
    return w->scheduler ? 0 : error_set(e, ERROR_FAILED, "no room for the scheduler's connection");
}

static void work_clear(struct work *w)
{
    while (w->peers)
        peer_free(w->peers);
    order_clear(&w->order);
    if (w->loop)
        loop_free(w->loop);
    if (w->folder.path)
        folder_clear(&w->folder);
}

int worker_main(int argc, char **argv)
{
    struct work w;
    struct error e;
    if (argc < 2) {
        fputs("ax __worker: started by the scheduler, not by hand\n", stderr);
        return ERROR_USAGE;
    }
    worker_settle();
    int code = work_init(&w, argv[argc - 2], (uint32_t)strtoul(argv[argc - 1], NULL, 10), &e);
    while (!w.over && !code)
        code = loop_turn(w.loop, &e);
    work_clear(&w);
    if (code)
        fprintf(stderr, "ax __worker: %s\n", e.text);
    return -code;
}
