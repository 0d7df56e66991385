/* The workers of a scheduler: processes that each run one command at a time, and the connections to them.
 *
 * A pool worker is our child on a socketpair. An adopted worker is one whose scheduler is gone: it is no child of ours, the connection comes later or never, and its end is told
 * by a pidfd. Both look the same to the scheduler. */
#ifndef AX_POOL_H
#define AX_POOL_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/error.h"
#include "lib/sys/frame.h"
#include "lib/sys/loop.h"
#include "lib/sys/process.h"
#include "spool/handover.h"

struct pool;

struct worker {
    struct pool *pool;
    struct frame frame;            /* fd 0: not connected */
    struct loop_source *socket;    /* NULL when not connected */
    pid_t pid;
    int pidfd;
    struct loop_source *end;
    void *run;                     /* what the owner has given it to do; NULL: idle */
    bool adopted;
    struct worker *previous, *next; /* in the pool's list of all, or of idle ones */
};

/* What the owner of the pool is told. report: the worker's run has ended; taken over by the callee. hung_up: the connection is gone while run was set. died: the process is gone while run
 * was set; the worker is freed after the call. */
struct pool_calls {
    void (*report)(void *context, struct worker *w, struct report *r);
    void (*hung_up)(void *context, struct worker *w);
    void (*died)(void *context, struct worker *w);
};

struct pool {
    struct loop *loop;
    const char *spool;
    uint32_t generation;
    const struct pool_calls *calls;
    void *context;
    struct worker *idle, *busy;
    uint32_t idle_count, count;
};

void pool_init(struct pool *p, struct loop *l, const struct pool_calls *calls, void *context);
void pool_clear(struct pool *p); /* closes all connections; the processes find out by themselves */

/* An idle worker, or a new one; it is the caller's until pool_return. NULL: the system cannot start one now. */
struct worker *pool_take(struct pool *p, void *run, struct error *e);
/* Has at least one idle worker ready, so that the next run need not wait for a process to start. */
void pool_spare(struct pool *p);
/* The worker is free again; keep at most `most` idle ones. */
void pool_return(struct worker *w, uint32_t most);

/* Sends a message; what does not fit the socket follows by itself. False: it is too large to be sent at all. */
bool worker_send(struct worker *w, const struct value *message);
void worker_acknowledge(struct worker *w, struct run_id id);
/* Ends the run: because of ax cancel, or of our stop. grace: between TERM and KILL, DURATION_NONE: the job's kill_after. */
void worker_cancel(struct worker *w, struct run_id id, bool stop, duration grace);
void worker_kill(struct worker *w); /* SIGKILL: a worker that does not do its duty */

/* Watches the end of a worker that is no child of ours. NULL: it is gone already, though its pid may be someone else's now. */
struct worker *pool_adopt(struct pool *p, struct process_id id, void *run);
/* The adopted worker listens now: connects and says so. 0, or -1 if it cannot be reached (yet). */
int worker_connect(struct worker *w, const struct folder *f, struct run_id id);
/* Gives a worker up without waiting for its end. */
void worker_drop(struct worker *w);

#endif
