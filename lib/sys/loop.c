#include "lib/sys/loop.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/signalfd.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/mem.h"

#define BATCH 64

struct loop_source {
    struct loop_source *next, *previous; /* list of living ones, or of removed ones */
    int fd;
    uint32_t events;
    bool removed, listening; /* listening: epoll knows it */
    loop_call *call;
    void *context;
};

struct loop {
    int epoll, wall, boot, signals; /* descriptors; wall, boot and signals are -1 until wanted */
    bool turning;
    /* Removed sources live on until the round is over: events of theirs may lie in the same batch, and a new source may have got the same descriptor number. */
    struct loop_source *sources, *removed;

    loop_alarm_call *alarm_call;
    void *alarm_context;
    instant alarm_at;
    bool alarm_stepped; /* a step was seen while setting the alarm: to be told in the next round */

    struct heap timers, due; /* due: being called in this round */
    uint64_t timer_count;    /* for the order of equal times */
    int64_t armed;           /* what the boot timer is set to; 0: not known any more */

    loop_signal_call *signal_call;
    void *signal_context;
};

#define NOT_ARMED INT64_MAX

int loop_new(struct loop **out, struct error *e)
{
    int epoll = epoll_create1(EPOLL_CLOEXEC);
    if (epoll < 0)
        return error_errno(e, ERROR_FAILED, errno, "cannot make an epoll");
    struct loop *l = mem_zero(1, sizeof *l);
    l->epoll = epoll;
    l->wall = l->boot = l->signals = -1;
    l->alarm_at = INSTANT_NEVER;
    l->armed = NOT_ARMED;
    *out = l;
    return 0;
}

static void loop_free_list(struct loop_source **list)
{
    while (*list) {
        struct loop_source *s = *list;
        *list = s->next;
        free(s);
    }
}

void loop_free(struct loop *l)
{
    if (!l)
        return;
    const int own[] = {l->epoll, l->wall, l->boot, l->signals};
    for (size_t i = 0; i < sizeof own / sizeof *own; i++)
        if (own[i] >= 0)
            close(own[i]);
    heap_clear(&l->timers);
    heap_clear(&l->due);
    loop_free_list(&l->sources);
    loop_free_list(&l->removed);
    free(l);
}

/* ---- sources ---- */

static void loop_link(struct loop_source **list, struct loop_source *s)
{
    s->previous = NULL;
    s->next = *list;
    if (*list)
        (*list)->previous = s;
    *list = s;
}

static void loop_unlink(struct loop_source **list, struct loop_source *s)
{
    if (s->previous)
        s->previous->next = s->next;
    else
        *list = s->next;
    if (s->next)
        s->next->previous = s->previous;
}

/* epoll reports errors and hang-ups of all it knows, so a source that wants no events is taken out of it. */
static int loop_tell(struct loop *l, struct loop_source *s, uint32_t events)
{
    struct epoll_event event = {.events = events, .data.ptr = s};
    int operation = !events ? EPOLL_CTL_DEL : s->listening ? EPOLL_CTL_MOD : EPOLL_CTL_ADD;
    if (!events && !s->listening)
        return 0;
    if (epoll_ctl(l->epoll, operation, s->fd, &event) < 0)
        return -1;
    s->listening = events != 0;
    return 0;
}

struct loop_source *loop_add(struct loop *l, int fd, uint32_t events, loop_call *call, void *context, struct error *e)
{
    struct loop_source *s = mem_zero(1, sizeof *s);
    *s = (struct loop_source){.fd = fd, .events = events, .call = call, .context = context};
    if (loop_tell(l, s, events) < 0) {
        error_errno(e, ERROR_FAILED, errno, "cannot watch descriptor %d", fd);
        free(s);
        return NULL;
    }
    loop_link(&l->sources, s);
    return s;
}

void loop_modify(struct loop *l, struct loop_source *s, uint32_t events)
{
    if (!s->removed && s->events != events && loop_tell(l, s, events) == 0)
        s->events = events;
}

void loop_remove(struct loop *l, struct loop_source *s)
{
    if (!s || s->removed)
        return;
    loop_tell(l, s, 0);
    s->removed = true;
    loop_unlink(&l->sources, s);
    if (l->turning)
        loop_link(&l->removed, s);
    else
        free(s);
}

/* ---- the wall-clock alarm ---- */

/* Never disarmed, but set to the end of time: so it goes on reporting steps without leaning on what the kernel does for a timer that is off. */
static struct itimerspec loop_alarm_spec(instant at)
{
    struct itimerspec spec = {0};
    if (at == INSTANT_NEVER)
        spec.it_value.tv_sec = sizeof(time_t) > 4 ? (time_t)INT64_MAX : (time_t)INT32_MAX;
    else if (at <= 0)
        spec.it_value.tv_nsec = 1; /* 0 would disarm */
    else
        spec.it_value = (struct timespec){.tv_sec = (time_t)(at / SECOND), .tv_nsec = at % SECOND};
    return spec;
}

static int loop_alarm_arm(struct loop *l, instant at)
{
    struct itimerspec spec = loop_alarm_spec(at);
    l->alarm_at = at;
    if (timerfd_settime(l->wall, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &spec, NULL) == 0)
        return 0;
    if (errno != ECANCELED)
        return -1;
    l->alarm_stepped = true; /* it is armed all the same, but the descriptor will not tell of this step any more */
    return 0;
}

void loop_alarm_set(struct loop *l, instant at)
{
    if (at != l->alarm_at)
        loop_alarm_arm(l, at);
}

static void loop_alarm_ready(void *context, uint32_t events)
{
    struct loop *l = context;
    uint64_t count;
    (void)events;
    if (read(l->wall, &count, sizeof count) == sizeof count) {
        l->alarm_at = INSTANT_NEVER; /* expired: as good as the end of time */
        l->alarm_call(l->alarm_context, false);
    } else if (errno == ECANCELED) {
        loop_alarm_arm(l, l->alarm_at); /* an expiry that came together with the step was thrown away with it */
        l->alarm_call(l->alarm_context, true);
    }
}

static void loop_alarm_late_step(struct loop *l)
{
    if (l->alarm_stepped) {
        l->alarm_stepped = false;
        l->alarm_call(l->alarm_context, true);
    }
}

int loop_alarm(struct loop *l, loop_alarm_call *call, void *context, struct error *e)
{
    l->wall = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    l->alarm_call = call;
    l->alarm_context = context;
    if (l->wall < 0 || loop_alarm_arm(l, INSTANT_NEVER) < 0)
        return error_errno(e, ERROR_FAILED, errno, "cannot make a timer");
    return loop_add(l, l->wall, EPOLLIN, loop_alarm_ready, l, e) ? 0 : -ERROR_FAILED;
}

/* ---- monotonic timers ----
 * Served by a timerfd and not by the timeout of epoll: that counts milliseconds, and stands still in suspend. */

static void loop_timers_ready(void *context, uint32_t events)
{
    struct loop *l = context;
    int64_t now = clock_mono().ns;
    struct heap_node *node;
    (void)events;
    l->armed = 0; /* setting it anew also makes the descriptor unreadable, so nothing need be read */
    while ((node = heap_first(&l->timers)) && node->key <= now)
        heap_push(&l->due, heap_pop(&l->timers));
    while ((node = heap_pop(&l->due))) {
        struct loop_timer *t = (struct loop_timer *)((char *)node - offsetof(struct loop_timer, node));
        t->call(t);
    }
}

static int loop_timers_open(struct loop *l, struct error *e)
{
    l->boot = timerfd_create(CLOCK_BOOTTIME, TFD_NONBLOCK | TFD_CLOEXEC);
    if (l->boot < 0)
        return error_errno(e, ERROR_FAILED, errno, "cannot make a timer");
    if (loop_add(l, l->boot, EPOLLIN, loop_timers_ready, l, e))
        return 0;
    close(l->boot);
    l->boot = -1;
    return -ERROR_FAILED;
}

/* Once a round, before the wait: however often timers were set and stopped, one system call at most, none if the first one is the same. */
static int loop_timers_arm(struct loop *l, struct error *e)
{
    const struct heap_node *first = heap_first(&l->timers);
    int64_t at = first ? first->key : NOT_ARMED;
    struct itimerspec spec = {0};
    if (at == l->armed)
        return 0;
    int code = l->boot < 0 ? loop_timers_open(l, e) : 0;
    if (code < 0)
        return code;
    if (first)
        spec.it_value = (struct timespec){.tv_sec = (time_t)(at / SECOND), .tv_nsec = at % SECOND};
    if (timerfd_settime(l->boot, TFD_TIMER_ABSTIME, &spec, NULL) < 0)
        return error_errno(e, ERROR_FAILED, errno, "cannot set a timer");
    l->armed = at;
    return 0;
}

void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t after_ns)
{
    int64_t now = clock_mono().ns;
    loop_timer_stop(l, t);
    t->node.key = after_ns <= 0 ? now : after_ns < NOT_ARMED - 1 - now ? now + after_ns : NOT_ARMED - 1;
    t->node.tie = l->timer_count++;
    heap_push(&l->timers, &t->node);
}

void loop_timer_stop(struct loop *l, struct loop_timer *t)
{
    if (!heap_remove(&l->timers, &t->node))
        heap_remove(&l->due, &t->node);
}

/* ---- signals ---- */

static void loop_signals_ready(void *context, uint32_t events)
{
    struct loop *l = context;
    struct signalfd_siginfo infos[8];
    ssize_t got = read(l->signals, infos, sizeof infos);
    (void)events;
    for (size_t i = 0; got > 0 && i < (size_t)got / sizeof *infos; i++)
        l->signal_call(l->signal_context, (int)infos[i].ssi_signo, (int)infos[i].ssi_pid);
}

int loop_signals(struct loop *l, const sigset_t *set, loop_signal_call *call, void *context, struct error *e)
{
    l->signal_call = call;
    l->signal_context = context;
    l->signals = signalfd(-1, set, SFD_NONBLOCK | SFD_CLOEXEC);
    if (l->signals < 0 || sigprocmask(SIG_BLOCK, set, NULL) < 0)
        return error_errno(e, ERROR_FAILED, errno, "cannot receive signals");
    return loop_add(l, l->signals, EPOLLIN, loop_signals_ready, l, e) ? 0 : -ERROR_FAILED;
}

/* ---- a round ---- */

static void loop_deliver(struct loop_source *s, uint32_t events)
{
    /* A callback of the same round may have removed it, or have asked for less. */
    events &= s->events | (s->listening ? EPOLLERR | EPOLLHUP : 0);
    if (!s->removed && events)
        s->call(s->context, events);
}

int loop_signal_open(const sigset_t *set)
{
    return signalfd(-1, set, SFD_CLOEXEC | SFD_NONBLOCK);
}

int loop_signal_next(int fd)
{
    struct signalfd_siginfo info;
    return read(fd, &info, sizeof info) == (ssize_t)sizeof info ? (int)info.ssi_signo : 0;
}

int loop_turn(struct loop *l, struct error *e)
{
    struct epoll_event batch[BATCH];
    int code = loop_timers_arm(l, e);
    if (code < 0)
        return code;
    int got = epoll_wait(l->epoll, batch, BATCH, l->alarm_stepped ? 0 : -1);
    if (got < 0 && errno != EINTR)
        return error_errno(e, ERROR_FAILED, errno, "cannot wait for events");
    l->turning = true;
    loop_alarm_late_step(l);
    for (int i = 0; i < got; i++)
        loop_deliver(batch[i].data.ptr, batch[i].events);
    l->turning = false;
    loop_free_list(&l->removed);
    return 0;
}
