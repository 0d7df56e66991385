/* The scheduler: one thread that turns what comes in (changes of the spool, the clock, reports of workers, signals) into one transaction a turn and then
 * into messages to workers. It never waits for a command, a client or a full pipe.
 *
 *   turn.c     a turn: decide, commit claims and outcomes, then acknowledge and start
 *   changes.c  what clients have changed, and the near part of the due index, read into the plan
 *   active.c   the open runs: what becomes of them when they end or their worker does
 *   adopt.c    what a new scheduler finds: open runs, orphans, outcomes and fences left behind
 *   stop.c     signals, --on-stop, --until-idle */
#ifndef AX_SCHEDULER_H
#define AX_SCHEDULER_H

#include <stdbool.h>
#include <stdint.h>
#include <uthash.h>

#include "cmd/run/log.h"
#include "cmd/run/plan.h"
#include "cmd/run/pool.h"
#include "cmd/run/jobsdir.h"
#include "cmd/run/courier.h"
#include "lib/sys/loop.h"
#include "lib/sys/watch.h"
#include "spool/handover.h"
#include "spool/launch.h"
#include "spool/store.h"

enum on_stop { ON_STOP_WAIT, ON_STOP_LEAVE, ON_STOP_KILL };

struct scheduler_options {
    uint32_t workers; /* slots */
    int on_stop;      /* enum on_stop */
    duration stop_timeout;
    bool until_idle;
    const char *jobs; /* folder of job files; NULL: none */
    const char *manager; /* socket of a service manager (manager.h); NULL: none */
    int ready_fd;     /* written to when the scheduler serves; -1: none */
};

/* An open run. */
enum active_stage {
    ACTIVE_GIVEN,    /* a worker has it, or is to be found again */
    ACTIVE_ENDING,   /* its worker died: what lives of its tree is being ended */
    ACTIVE_REPORTED, /* waits to be committed */
};
struct active {
    struct scheduler *scheduler;
    struct run run;
    enum active_stage stage;
    struct worker *worker; /* NULL: none any more */
    struct exits success;
    duration timeout, kill_after;
    bool cancel;           /* ax cancel wants it ended, or: */
    bool overtaken;        /* the next occurrence does */
    bool overdue;          /* its worker was stuck, and has been ended */
    bool told;             /* its worker has heard that the run is to end */
    struct report report;  /* from ACTIVE_REPORTED on */
    bool lost;             /* instead of a report: nobody knows */
    char *lost_reason;
    struct fence fence;    /* of ACTIVE_ENDING */
    int ending_tries;
    struct loop_timer timer; /* ACTIVE_GIVEN: the worker is overdue; ACTIVE_ENDING: next try */
    struct loop_timer reaching; /* next try to connect to its worker */
    int64_t reached, reach_pause; /* when it was connected (monotonic); before the next try */
    bool released;           /* its slot is free again */
    bool stuck;              /* its end cannot be recorded: the job's record is damaged. Its worker keeps the outcome */
    struct active *next_reported;
    UT_hash_handle hh; /* by run.id */
};

struct scheduler {
    struct scheduler_options options;
    struct log *log;
    struct store *store;
    const struct folder *folder;
    int lock; /* scheduler.lock */
    struct loop *loop;
    struct watch *watch;
    struct jobsdir jobsdir;
    struct courier mailer, notifier;
    int watch_data, watch_handover;
    struct plan plan;
    struct pool pool;
    struct launch launch;
    char boot[BOOT_ID_SIZE];
    uint32_t generation;
    uint64_t feed_position, feed_trimmed;
    uint64_t random;

    struct active *active; /* hash of all open runs */
    struct active *reported, **reported_end;
    struct foreground *foreground; /* open runs of ax exec */
    bool foreground_changed;       /* there may be new ones */
    struct run_id *aside;  /* open runs of which the record is damaged */
    size_t aside_count;

    bool changed;           /* a client has written */
    bool lanes_changed;     /* which lanes there are is in doubt */
    int64_t wall_minus_mono; /* of the last turn, to measure steps of the clock */
    int64_t clock_step;      /* by how much it was set, not told to the store yet */
    int64_t clock_jump;      /* by how much it was set forward, not told to the open runs yet */
    int64_t clock_total;     /* store_clock */
    bool stepping;           /* the store has steps to apply to waiting jobs */
    instant since;           /* we have served without a break, and the clock without a jump forward, since then */
    bool zones_changed;      /* zones are to be looked at */
    int64_t zone_count;      /* of the store, when it was last looked at */
    uint64_t zone_from;      /* due times are being reckoned anew, from this job on; 0: none */
    struct strvec zone_folders; /* watched, by zone_watches */
    int *zone_watches;
    size_t zone_watch_capacity;
    struct loop_timer zone_timer;
    struct store_alarm alarm;  /* of the store, the first: something may have to be told then */
    bool pruning;            /* there may be more that may go (store_prune) */
    bool clean;              /* fences may be removable now */
    bool again;              /* there is more to do: do not wait */
    struct loop_timer retry; /* the store was busy or full */
    bool retry_waits;
    int retry_tries;

    bool stopping, hurried;
    struct loop_timer stop_timer;
    bool stop_unwritten; /* the timer runs because of outcomes that wait to be written */
    bool stop_over;
    bool done;
    int exit_code;
};

/* Serves the spool until told to stop. Returns the exit code, or a negative code with the error (already served: ERROR_EXISTS). */
int scheduler_run(const char *spool, const struct scheduler_options *options, struct log *log, struct error *e);

/* ---- shared by the files above ---- */

void scheduler_tell(struct scheduler *s, const char *state); /* the service manager, if there is one */

void turn_take(struct scheduler *s);  /* one turn, after the loop's callbacks */

int zonewatch_look(struct scheduler *s, struct error *e); /* a read transaction of its own */
bool zonewatch_event(struct scheduler *s, int number);    /* true: it was for us */
void zonewatch_clear(struct scheduler *s);

int changes_read(struct scheduler *s, struct error *e);   /* if there are any; a read transaction of its own */
int changes_queues(struct scheduler *s, struct error *e); /* inside a transaction: the limits, as they are now */

struct active *active_new(struct scheduler *s, const struct run *r); /* takes the run over; counts it against the limits */
void active_free(struct active *a);   /* gives its slot free */
struct active *active_find(struct scheduler *s, struct run_id id);
void active_give(struct active *a, const struct job *j); /* to a worker; what cannot be started is reported as such */
void active_cancel(struct active *a);
void active_tell(struct active *a, bool stop, duration grace); /* the worker is to end it: cancelled, or with us (stop) */
void active_report(struct active *a, struct report *r);  /* takes the report over */
void active_lose(struct active *a, const char *reason);
extern const struct pool_calls active_calls; /* what becomes of workers */
void active_resolve(struct active *a);      /* no worker has it: look at what is on disk */
void active_reach(struct active *a);        /* connects to a worker that takes itself for orphaned, if it listens yet */

void active_left(struct active *a);         /* its worker has left the outcome: it will not tell us */

int adopt_begin(struct scheduler *s, struct error *e);  /* at start, before the first turn */
void adopt_arrived(struct scheduler *s, const char *name); /* something has appeared in handover/ */
void adopt_clean(struct scheduler *s);      /* fences and outcomes of runs that are over */

void foreground_take(struct scheduler *s, struct run *run);   /* an open run of ax exec; takes it over, and watches its end */
int foreground_read(struct scheduler *s, struct error *e);    /* those that are new; a read transaction of its own */
void foreground_clear(struct scheduler *s);

int stop_signals(struct scheduler *s, struct error *e);
void stop_look(struct scheduler *s);        /* at the end of a turn: is it time to go? */

#endif
