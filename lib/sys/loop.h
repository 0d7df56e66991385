/* The event loop: epoll, a timerfd and a signalfd. One thread. Callbacks run one after the other and may add and remove sources, their own included. */
#ifndef AX_LOOP_H
#define AX_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/epoll.h>

#include "lib/base/error.h"
#include "lib/sys/clock.h"

struct loop;
struct loop_source; /* a watched descriptor */

int loop_new(struct loop **out, struct error *e);
void loop_free(struct loop *l); /* closes its own descriptors, not those of the sources */

typedef void loop_call(void *context, uint32_t events); /* events: EPOLLIN, EPOLLOUT, EPOLLHUP, EPOLLERR */
struct loop_source *loop_add(struct loop *l, int fd, uint32_t events, loop_call *call, void *context, struct error *e);
void loop_modify(struct loop *l, struct loop_source *s, uint32_t events); /* 0: nothing for now, not even EPOLLHUP */
void loop_remove(struct loop *l, struct loop_source *s); /* before the descriptor is closed; safe inside any callback; NULL allowed */

/* Wall-clock timer: fires once at or after `at`; INSTANT_NEVER disarms; arming it for a past time fires at once. stepped is true
 * (and the timer has not necessarily come due) when the wall clock was set: TFD_TIMER_CANCEL_ON_SET. Even a disarmed timer reports steps. The end of a suspend
 * is reported as a step, too: how far the wall clock moved is wall time less clock_mono(). An alarm that was set stays set over a step. */
typedef void loop_alarm_call(void *context, bool stepped);
int loop_alarm(struct loop *l, loop_alarm_call *call, void *context, struct error *e); /* one per loop */
void loop_alarm_set(struct loop *l, instant at); /* no system call when nothing changes */

/* Monotonic timers, as many as wanted, intrusive: zero the struct. Each fires once; all that are due are taken out before the first is called, so that one
 * set to 0 in a callback fires in the next round. Stop a timer before its memory goes. */
struct loop_timer;
typedef void loop_timer_call(struct loop_timer *t);
#include "lib/sys/heap.h"
struct loop_timer {
    struct heap_node node;
    loop_timer_call *call;
    void *context;
};
void loop_timer_set(struct loop *l, struct loop_timer *t, int64_t after_ns); /* (re)arms */
void loop_timer_stop(struct loop *l, struct loop_timer *t);                  /* no effect on one that is not armed */

/* Blocks the signals in this thread and delivers them as callbacks. Call once, before children are made (child.h resets the mask). */
typedef void loop_signal_call(void *context, const int signal_number, int sender_pid);
int loop_signals(struct loop *l, const sigset_t *set, loop_signal_call *call, void *context, struct error *e);

/* For a process that polls by itself: a descriptor, non-blocking and close-on-exec, that is readable when one of the signals waits (they must be blocked); -1 on failure.
 * loop_signal_next takes one: its number, 0 if none waits. */
int loop_signal_open(const sigset_t *set);
int loop_signal_next(int fd);

/* Waits (for ever, if nothing is due: no wake-ups) and runs the callbacks of one round. Returns 0, or negative if epoll failed. */
int loop_turn(struct loop *l, struct error *e);

#endif
