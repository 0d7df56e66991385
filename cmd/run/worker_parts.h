/* What the files of the worker share. `struct work` is all of its state.
 *
 *   stage     start        its time    the command exits    limit, cancel       scheduler gone       ack
 *   IDLE      HELD         -           -                    -                   the end (drains on)  -
 *   HELD      refused      RUNNING     -                    ENDED, not started  the end, no start    -
 *   RUNNING   refused      -           ENDED                ending: ENDED once  listens for another  -
 *                                                           the tree is gone
 *   ENDED     refused      -           -                    -                   leaves it: the end   IDLE
 *
 * HELD becomes RUNNING only past the fence: someone faster, or a step that fails, gives ENDED. `spent`: after ENDED comes the end instead of IDLE. */
#ifndef AX_WORKER_PARTS_H
#define AX_WORKER_PARTS_H

#include <stdbool.h>
#include <sys/resource.h>

#include "lib/sys/frame.h"
#include "lib/sys/loop.h"
#include "spool/handover.h"
#include "spool/output.h"

enum work_stage { WORK_IDLE, WORK_HELD, WORK_RUNNING, WORK_ENDED };

struct peer { /* a connection: the scheduler, or someone who came to an orphan's socket */
    struct work *work;
    struct frame frame;
    struct loop_source *source;
    struct peer *next;
};

struct work {
    struct folder folder;
    struct loop *loop;
    struct process_id self;
    char boot[BOOT_ID_SIZE];
    int null;       /* /dev/null, for standard input */
    int generation; /* scheduler.lock, with our lock */
    bool alarm;     /* the loop's alarm is set up */

    enum work_stage stage;
    bool spent;     /* takes no further run */
    bool over;      /* leave the loop */

    struct peer *peers, *scheduler; /* scheduler: one of peers, or NULL */
    int peer_count;
    int listener;                   /* -1: none */
    struct loop_source *listening;
    struct loop_timer retry;        /* what a full disk or table refused */
    duration retry_pause;

    struct order order;
    int fence;            /* runs/J.N; -1: none of ours */
    pid_t pid;            /* the command; 0: none */
    bool exited, alone;   /* exited: status and usage are known; alone: we have no children left */
    int status;
    struct rusage usage;
    instant started;
    struct loop_timer limit;

    int pipe;             /* the command's output; -1: at its end */
    struct loop_source *reading;
    struct output_writer *writer;

    enum report_how ending; /* REPORT_TIMEOUT, _CANCELLED, _STOPPED; REPORT_EXITED: we are not ending it */
    struct loop_timer killing;
    struct monotime kill_at, give_up_at;
    duration kill_pause; /* 0: KILL has not been sent */

    struct report report; /* from ENDED on */
};

/* worker.c: the table */
void work_message(struct work *w, struct peer *from, const struct value *message);
void work_orphaned(struct work *w); /* the scheduler's connection is gone */
void work_tend(struct work *w);     /* does, or tries again, what an orphan has to: listen, or leave the outcome */
void work_ended(struct work *w, struct report *r); /* takes r over: sends or leaves it */

/* worker_command.c */
void command_launch(struct work *w);
void command_reap(struct work *w);   /* after SIGCHLD */
void command_finish(struct work *w, enum report_how how, char *reason); /* builds the report; reason may be NULL, is taken over */
void command_forget(struct work *w, bool acknowledged); /* after ack, or when the outcome was left */
bool command_draining(const struct work *w);

/* worker_end.c: ending the tree */
void end_begin(struct work *w, enum report_how how, duration grace);
void end_hurry(struct work *w, enum report_how how, duration grace); /* asked again while it is being ended */
void end_check(struct work *w); /* a process is gone: was it the last? */
size_t end_count(struct work *w); /* processes of the run that are alive */

/* worker_peer.c */
struct peer *peer_add(struct work *w, int fd); /* takes fd over; NULL: no room */
void peer_free(struct peer *p);
void peer_send(struct peer *p, const struct value *message);
bool peer_listen(struct work *w);
void peer_listen_end(struct work *w); /* and removes the socket */

#endif
