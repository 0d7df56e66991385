/* Hand-over: how a run passes from the scheduler to a worker and its outcome back, so that whoever dies at whatever moment, no attempt starts
 * twice and no outcome that was seen is lost.
 *
 *   state         on disk                                   who may move it on
 *   CLAIMED       run open in the store                     its worker, or a new scheduler: whoever creates runs/J.N (O_EXCL) first
 *   FENCED        runs/J.N there and locked by the worker    the worker
 *   STARTED       start line in runs/J.N, written by the     the worker
 *                 child itself right before exec
 *   ENDED         as before; the report is in the worker     the worker: sends it until it is acknowledged, or leaves it
 *   LEFT          handover/J.N.left (written, synced,        the next scheduler: commits it, then removes it
 *                 renamed); the worker is gone
 *   ACKNOWLEDGED  run ended in the store                     the worker removes runs/J.N
 *
 * A worker's socket lost while a run is on: it is orphaned. It listens at handover/J.N.sock; a scheduler that connects and says adopt
 * gets the report in time; a client that connects and says cancel has the run ended. Once orphaned, a worker takes no further run: it ends after the ack.
 *
 * Why a look can be believed:
 *  - The lock of runs/J.N belongs to the open file (F_OFD_SETLK), which the forked child shares until its exec. So it is free only when the worker is
 *    gone *and* no child of it can still come to its exec; the start line is written before that. No lock and no start line: it never began, and cannot.
 *  - Between creating the file and locking it a worker may be stopped. fence_close therefore takes the lock and takes the owner's write permission off
 *    the file (mode 0400, which needs no room on a full disk); a worker that finds its own new file so, or the lock taken, has lost.
 *  - A worker stopped before it creates the file finds it made by fence_close; so these files stay while a worker of an earlier generation lives.
 *    A worker joins its generation first, and then goes on only if the scheduler that made it still holds its own lock.
 *  - A worker leaves its outcome before it lets go of the lock: look for what was left, at the fence, and for what was left again. */
#ifndef AX_HANDOVER_H
#define AX_HANDOVER_H

#include <stdbool.h>

#include "lib/base/error.h"
#include "lib/base/strvec.h"
#include "lib/sys/child.h"
#include "lib/sys/process.h"
#include "lib/text/value.h"
#include "lib/time/duration.h"
#include "lib/time/instant.h"
#include "spool/folder.h"
#include "spool/run.h"

/* ---- messages ---- */

/* What a worker needs to run a command. All owned. */
struct order {
    struct run_id id;
    struct strvec argv;
    struct strvec env;      /* its beginning */
    char *env_file;         /* NULL: none. Read as the user, from cwd on */
    struct strvec env_last; /* outdoes all */
    char *cwd;
    int umask_bits;
    char *input; /* NULL: /dev/null */
    size_t input_length;
    char *user, *group;
    int nice;
    struct child_limit *limits;
    int limit_count;
    duration timeout, kill_after; /* timeout DURATION_NONE: none */
    int64_t output_max;
    instant not_before; /* hold until then; INSTANT_NONE: at once */
};
/* The worker adds what only a look at users and files tells: HOME, USER, LOGNAME, SHELL (and PWD) of `user` behind `env`, then env_file, then env_last; `cwd` NULL is
 * that user's home. */
void order_clear(struct order *o);
struct value order_write(const struct order *o);
int order_read(const struct value *v, struct order *o, struct error *e);

enum report_how {
    REPORT_EXITED, REPORT_SIGNALED, /* by itself */
    REPORT_TIMEOUT, REPORT_CANCELLED, REPORT_STOPPED, /* we ended it: its limit; ax cancel; the scheduler's stop */
    REPORT_UNSTARTABLE, /* a step before exec failed */
    REPORT_SHORTAGE,    /* the system could not start it now */
    REPORT_FENCED,      /* someone else had created the run's file: not started */
};

struct report {
    struct run_id id;
    enum report_how how;
    int code, signal;            /* exit code (-1: none), signal (0: none) */
    instant started, ended;
    int64_t cpu_user_ns, cpu_system_ns, max_rss; /* bytes; -1 unknown */
    int64_t output_bytes;
    bool output_file;            /* output/J.N stays; else all of it is in `output` */
    char *output;
    size_t output_length;
    char *reason;                /* the step and its errno; what survived; what was left in the background; NULL */
    bool lingers;                /* something still writes: the worker takes no further run */
};
void report_clear(struct report *r);
struct report report_unstarted(struct run_id id, enum report_how how, instant now, char *reason); /* nothing has begun; takes reason over */
struct value report_write(const struct report *r);
int report_read(const struct value *v, struct report *r, struct error *e);

/* Kinds of message, key "t" of each frame:
 *   to the worker    start (order_write), cancel {run, why: "cancel"|"stop", grace: optional, ns, in place of kill_after; a second one may shorten it}, adopt {}, ack {run}
 *   from the worker  hello {run} (the answer to adopt), ended (report_write)
 * order_write and report_write have set "t". */
enum message_kind { MESSAGE_NONE, MESSAGE_START, MESSAGE_CANCEL, MESSAGE_ADOPT, MESSAGE_ACK, MESSAGE_HELLO, MESSAGE_ENDED };
enum message_kind message_kind(const struct value *message); /* MESSAGE_NONE: unknown */
bool message_run(const struct value *message, struct run_id *out); /* key "run"; start and ended have it too */
struct value message_cancel(struct run_id id, bool stop, duration grace); /* grace DURATION_NONE: kill_after */
struct value message_adopt(void);
struct value message_ack(struct run_id id);
struct value message_hello(struct run_id id);

/* ---- the run's file ---- */

enum fence_state {
    FENCE_NONE,    /* no file */
    FENCE_HELD,    /* there, and its worker lives: `holder`; 0: the worker is gone or has not said yet, its child is about to start: look again soon */
    FENCE_UNSTARTED, /* there, no start line, no holder: the command never began (or a scheduler fenced it) */
    FENCE_STARTED, /* there with a start line, no holder */
};
struct fence {
    enum fence_state state;
    pid_t holder;
    uint64_t holder_start;     /* with holder: struct process_id */
    struct process_id command; /* of the start line; pid is also its session */
    char boot[BOOT_ID_SIZE];
    instant started;           /* when the start line was written; INSTANT_NONE: there is none */
};

/* Worker: creates runs/J.N, locks it and writes who it is. Returns the descriptor, or -1 with errno (EEXIST: someone was faster). */
int fence_create(const struct folder *f, struct run_id id, const struct process_id *worker);
/* Child, right before exec: writes the start line. Async-signal-safe. Returns 0 or an errno. */
int fence_start(int fd, pid_t self, const char *boot);
/* Scheduler or client: what does the run's file say? Takes no lock and drops none, not even those of its own process. */
void fence_look(const struct folder *f, struct run_id id, struct fence *out);
/* Scheduler: makes sure that the run cannot start any more. true: fenced now (or before); false: a worker was faster, or the disk has no room: look again. */
bool fence_close(const struct folder *f, struct run_id id);
void fence_remove(const struct folder *f, struct run_id id);
/* Calls back for every file in runs/. */
typedef void fence_call(void *context, struct run_id id);
void fence_each(const struct folder *f, fence_call *call, void *context);

/* ---- outcomes left behind ---- */

int left_write(const struct folder *f, const struct report *r, struct error *e); /* write, fsync, rename, fsync of the folder */
bool left_read(const struct folder *f, struct run_id id, struct report *out);   /* false: none (or not readable: it is set aside as J.N.bad) */
/* Removes all that is in handover/ of a run that is over: half-written outcomes and sockets of dead workers too. */
void left_remove(const struct folder *f, struct run_id id);
/* Calls back for every run that has any of it there (more than once, if it has more of it). */
void left_each(const struct folder *f, fence_call *call, void *context);

/* ---- sockets of orphans ---- */

int orphan_listen(const struct folder *f, struct run_id id);  /* worker: descriptor or -1 with errno; 0600, close-on-exec, non-blocking */
int orphan_connect(const struct folder *f, struct run_id id); /* scheduler, client: descriptor or -1 with errno */
void orphan_remove(const struct folder *f, struct run_id id);

/* ---- generations ---- */

/* Worker: takes the shared lock of its generation, kept for its life. Returns the descriptor of scheduler.lock; or -1, also when `scheduler` does not hold
 * its lock (any more). */
int generation_join(const struct folder *f, uint32_t generation, pid_t scheduler);
/* Scheduler: is a worker of an earlier generation alive? As long as one is, fences must stay. lock_fd: scheduler.lock, the scheduler's own descriptor. */
bool generation_older_alive(int lock_fd, uint32_t generation);

/* ---- what a new scheduler does with an open run ---- */

enum adopt_action {
    ADOPT_FINISH,  /* a report was left: commit it */
    ADOPT_WAIT,    /* its worker lives: connect, and watch its end */
    ADOPT_REQUEUE, /* never started, and fenced now: back into the line */
    ADOPT_LOST,    /* started, nobody knows how it ended */
};
/* The decision, pure. same_boot: the run was claimed in this boot; of another boot only what was left is known, since the run's file is not synced.
 * ADOPT_REQUEUE holds once fence_close has said true. */
enum adopt_action adopt_decide(bool same_boot, bool left, enum fence_state fence);

/* The looking and fencing that adopt_decide needs, in the order that leaves no gap (left, fence, left again). `left` is filled in for ADOPT_FINISH only.
 * After the commit of FINISH, REQUEUE or LOST: left_remove and fence_remove (REQUEUE: not while generation_older_alive). */
enum adopt_action adopt_look(const struct folder *f, const struct run *r, const char *boot, struct fence *fence, struct report *left);

#endif
