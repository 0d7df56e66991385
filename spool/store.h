/* The store: jobs, their states, runs and queues, in words of jobs and runs. No type of the database leaves it.
 *
 * Everything below store_begin works inside a transaction: a read transaction sees one state of the whole, a write transaction is wholly on disk
 * (synced) when store_commit returns 0, or did not happen. Never print, prompt or wait for anything inside one. */
#ifndef AX_STORE_H
#define AX_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/text/value.h"
#include "lib/time/zones.h"
#include "spool/folder.h"
#include "spool/job.h"
#include "spool/life.h"
#include "spool/run.h"

struct store;

enum store_use {
    STORE_READ,   /* the spool must be there */
    STORE_WRITE,  /* makes it if need be; wakes the scheduler when closed */
    STORE_SERVE,  /* the scheduler's: as STORE_WRITE, and write transactions never wait (store_begin gives STORE_BUSY) */
};
int store_open(const char *path, enum store_use use, struct store **out, struct error *e);
void store_close(struct store *s); /* NULL allowed. Clients close before they print */
const struct folder *store_folder(const struct store *s);

#define STORE_BUSY 1 /* STORE_SERVE: another process writes now; e says who; try again soon */
int store_begin(struct store *s, bool write, struct error *e);
int store_commit(struct store *s, struct error *e); /* a read transaction is just ended */
void store_abort(struct store *s);                  /* no effect without a transaction */

/* ---- jobs ---- */

enum store_twin { STORE_REFUSE, STORE_REPLACE, STORE_KEEP }; /* what to do when the name is taken */
struct store_added {
    uint64_t number;
    bool replaced, kept; /* the job of that name was changed; was left as it is */
};
/* Adds the job (and sets j->number). The name of a finished one-off job is free. ERROR_EXISTS when the name is taken and twin is STORE_REFUSE. */
int store_add(struct store *s, struct job *j, instant now, enum store_twin twin, struct store_added *out, struct error *e);

/* Number from a number or a name. ERROR_NOT_FOUND names near ones. */
int store_find(struct store *s, const char *reference, uint64_t *number, struct error *e);
/* The names that begin so, in their order, those of jobs that are over too; the call returns false when it has enough. */
typedef bool store_name_call(void *context, const char *name, size_t length);
int store_each_name(struct store *s, const char *beginning, store_name_call *call, void *context, struct error *e);
int store_job(struct store *s, uint64_t number, struct job *out, struct error *e); /* out is initialised; job_clear it */
int store_state(struct store *s, uint64_t number, struct job_state *out, struct error *e);

/* ---- jobs of files ---- */

struct store_numbers {
    uint64_t *items; /* malloc'd */
    size_t count, capacity;
};
/* Job numbers that a source had when it was applied last; some may be gone, or have passed to another owner. Added to *out. */
int store_source_jobs(struct store *s, const char *source, struct store_numbers *out, struct error *e);
int store_sources(struct store *s, struct strvec *labels, struct error *e); /* all that have jobs; added to *labels */
int store_source_set(struct store *s, const char *source, const struct store_numbers *numbers, struct error *e);

/* The job that has the name, whether or not it has ended. */
int store_named(struct store *s, const char *name, uint64_t *number, bool *there, struct error *e);

/* Another definition for a job; it keeps number and history, and unless `reschedule` its phase and due time. One that has ended lives again with `reschedule`. */
int store_update(struct store *s, uint64_t number, struct job *j, bool reschedule, instant now, struct error *e);

/* life_pause, life_resume; *changed: it was not so already. */
int store_pause(struct store *s, uint64_t number, bool pause, instant now, bool *changed, struct error *e);

/* The open runs of a job are to be ended (or only run `only.n`, if that is not 0); the job goes on. *runs is malloc'd. */
int store_stop(struct store *s, struct run_id only, struct run_id **runs, size_t *count, struct error *e);

/* What has failed once more, now: of a one-off job its occurrence, from the first attempt on; of others the due time of the run, or of the last run if id.n is 0, as a
 * replay. *due: which. ERROR_FAILED: it has not failed. */
int store_retry(struct store *s, struct run_id id, instant now, instant *due, struct error *e);

/* The next occurrence gets no run. ERROR_FAILED: there is none to skip. */
int store_skip(struct store *s, uint64_t number, instant now, instant *due, struct error *e);

/* A short trail of what people did with a job: the last entries are kept. `what` is one line. */
struct audit {
    instant at;
    uint32_t uid;
    char *what;
};
int store_audit(struct store *s, uint64_t number, instant now, const char *what, struct error *e); /* in the transaction of the deed */
typedef bool store_audit_call(void *context, const struct audit *a);
int store_each_audit(struct store *s, uint64_t number, store_audit_call *call, void *context, struct error *e); /* oldest first */

/* The job is to run no more; a run that is open goes on to its end. */
int store_retire(struct store *s, uint64_t number, instant now, struct error *e);

/* Calls back with the jobs from number `from` on, in order of number, until the call returns false. `j` and `st` live until the call returns. */
typedef bool store_job_call(void *context, const struct job *j, const struct job_state *st);
int store_each_job(struct store *s, uint64_t from, store_job_call *call, void *context, struct error *e);

/* Calls back with the states of all jobs, without their definitions: far less to read. */
typedef bool store_state_call(void *context, uint64_t number, const struct job_state *st);
int store_each_state(struct store *s, store_state_call *call, void *context, struct error *e);

/* Cancels the job, its own occurrence and the extra ones. */
struct store_cancelled {
    enum life_cancel what; /* LIFE_STOPPING: some run is open and is to be stopped; LIFE_CANCELLED: none was, and something waited; LIFE_OVER */
    struct run_id *open;   /* malloc'd */
    size_t open_count;
};
int store_cancel(struct store *s, uint64_t number, instant now, struct store_cancelled *out, struct error *e);

/* One more run, beside the schedule, which stays as it is: now, or one for each due time in a span that has passed. A one-off job that has ended is due once more.
 * ERROR_USAGE where there is no such due time; ERROR_FAILED where `shifts` finds no next occurrence (life_shift). */
#define STORE_REPLAY_MAX 10000
struct store_replay {
    instant from, until; /* both included; the same: one due time */
};
struct store_how {
    const struct store_replay *replay; /* NULL: now */
    const struct strvec *env;          /* NAME=VALUE, for these runs only; NULL */
    bool shifts;
};
struct store_started {
    size_t count;
    instant first, last;
    uint64_t extra; /* the extra occurrence, of several the last; 0: the job's own */
};
int store_start(struct store *s, uint64_t number, const struct store_how *how, instant now, struct store_started *out, struct error *e);

/* The state of the occurrence that the run belongs to. */
int store_run_state(struct store *s, const struct run *r, struct job_state *out, struct error *e);

/* ---- runs ---- */

/* What a claim has come to. run and job are only filled in for LIFE_START; run_clear and job_clear them. */
struct store_claimed {
    enum life_verdict verdict;
    struct job job; /* the definition, environments included */
    struct run run; /* in the store as open */
};
struct store_turn { /* of the scheduler */
    instant now;
    instant since; /* struct life */
    uint32_t generation;
};
/* Claims the job for the scheduler of this generation, if life_claim agrees. LIFE_REPLACE: run.id is the run to be stopped. An error with sys 0 is about this job alone (its record does not
 * decode): nothing was changed. */
int store_claim(struct store *s, uint64_t number, const struct store_turn *turn, struct store_claimed *out, struct error *e);

/* How an open run ended. */
struct store_end {
    const struct run *run; /* with outcome, times and all */
    bool stopped;          /* by us on our way out (life_outcome) */
    const void *output;    /* the bytes for OUTPUT_INLINE */
    size_t length;
    uint64_t random;       /* feeds the jitter of a retry */
    instant since;         /* struct life */
};
/* Records it and moves the job on. 0 also when the run is not open (any more): *was_open says so. */
int store_finish(struct store *s, const struct store_end *end, instant now, bool *was_open, struct error *e);
int store_unclaim(struct store *s, struct run_id id, bool shortage, instant now, struct error *e); /* life_unclaim or life_shortage; the run's row goes */

/* A run in the foreground of a client, beside schedule, limits and retries: open, of generation 0. The client makes its fence before the commit. `out` is filled in as
 * for a claim. Its end is recorded unless it has been already. */
int store_exec_begin(struct store *s, uint64_t number, instant now, struct run *out, struct error *e);
int store_exec_end(struct store *s, const struct store_end *end, struct error *e); /* of `end` only run, output and length count */

int store_run(struct store *s, struct run_id id, struct run *out, struct error *e);
int store_output(struct store *s, struct run_id id, struct buf *out, struct error *e); /* the bytes of OUTPUT_INLINE */

typedef bool store_run_call(void *context, const struct run *r);
int store_each_open(struct store *s, store_run_call *call, void *context, struct error *e);
typedef void store_id_call(void *context, struct run_id id);
int store_each_open_id(struct store *s, store_id_call *call, void *context, struct error *e); /* of which the record may be damaged */
/* History of one job (number 0: of all), ended rows, newest first; `before`: only rows that come later in that order than this one (NULL: from the start). */
int store_each_run(struct store *s, uint64_t number, const struct run *before, store_run_call *call, void *context, struct error *e);
/* The rows of a span, latest end first; of a long history the rest is not read. */
struct store_rows {
    uint64_t number;      /* of one job; 0: of all */
    instant since, until; /* since <= ended < until. INSTANT_NONE, INSTANT_NEVER: no bound */
};
int store_each_ended(struct store *s, const struct store_rows *rows, const struct run *before, store_run_call *call, void *context, struct error *e);
/* All rows, open ones too, in order of job, run and note, from this one on. */
int store_each_row(struct store *s, struct run_id from, store_run_call *call, void *context, struct error *e);
int store_last_run(struct store *s, uint64_t job, struct run_id *out, struct error *e); /* n is 0 if it has had none */

/* ---- forgetting ---- */

#define STORE_PRUNE_STEP 16
struct store_pruned {
    uint64_t jobs, rows; /* rows of history */
    uint64_t files;      /* of these, outputs that have a file, which a later step removes */
    int64_t bytes;       /* of output */
    bool only_counts;    /* nothing is done */
};
/* A bounded step within a write transaction: jobs that are over and may go now, with all that is known of them, and files of outputs that are gone. *more: another step has
 * something to do. store_finish sees to the runs of jobs that go on. */
int store_prune(struct store *s, instant now, struct store_pruned *out, bool *more, struct error *e);
bool store_prune_wanted(struct store *s, instant now); /* in any transaction */
/* By hand: the oldest rows of a job as far as `keep` lets them go, at most so many; a job that is over, whatever its age. *gone false: it is not over, or something is still
 * to be sent about it. */
int store_prune_by(struct store *s, const struct job *j, const struct job_state *st, const struct life_keep *keep, size_t most, struct store_pruned *out, struct error *e);
int store_prune_job(struct store *s, uint64_t number, struct store_pruned *out, bool *gone, struct error *e);

/* ---- due index ---- */

/* A lane is one queue and one priority. Within a lane jobs are in order of ready time, then number. */
struct lane_id {
    uint32_t queue;
    int32_t priority;
};
struct due {
    struct lane_id lane;
    instant ready;
    uint64_t number; /* of the job, or of an extra occurrence */
    uint32_t weight;
};
typedef bool store_lane_call(void *context, struct lane_id lane);
int store_each_lane(struct store *s, store_lane_call *call, void *context, struct error *e); /* one seek a lane */
typedef bool store_due_call(void *context, const struct due *d);
/* The lane's jobs strictly behind (ready, number), in order. */
int store_each_due(struct store *s, struct lane_id lane, instant ready, uint64_t number, store_due_call *call, void *context, struct error *e);
/* After the commit of a write transaction of STORE_SERVE: the due entries that it has moved, in the order in which it has; an entry may be there several times, the last is
 * how it is. False: too many, read the index. Valid until the next transaction. */
struct store_moved {
    struct due due; /* at least its number */
    bool there;
};
bool store_moved(const struct store *s, const struct store_moved **out, size_t *count);

int store_due_count(struct store *s, uint64_t *out, struct error *e); /* jobs waiting or retrying */

/* ---- notices: what somebody is to be told (field notify) ---- */

/* They are written by the transaction that makes them true, and stay until they have been told or given up: at least once. */
int64_t store_notice_count(const struct store *s);  /* that wait; as of the last transaction */
int64_t store_notice_latest(const struct store *s); /* how many there ever were */
typedef bool store_notice_call(void *context, const struct notice *n);
int store_each_notice(struct store *s, store_notice_call *call, void *context, struct error *e); /* in order of number */
int store_notice_again(struct store *s, const struct notice *n, struct error *e); /* tries and next are others now */
int store_notice_done(struct store *s, const struct notice *n, struct error *e);

/* The alarm that comes first (INSTANT_NEVER: there is none), of a job or an extra occurrence; and life_alarm_take for it. An error with sys 0 is about this one
 * alone: it will not ring again. */
struct store_alarm {
    instant at;
    uint64_t number;
};
int store_alarm_first(struct store *s, struct store_alarm *out, struct error *e);
int store_alarm_step(struct store *s, const struct run *open, int64_t step, struct error *e); /* life_alarm_step */
int store_alarm_take(struct store *s, const struct store_alarm *a, instant now, struct error *e);

/* ---- the clock ---- */

/* Part of a write transaction of whoever knows the time. A clock that is behind what was last seen here (by a second or more) has been set back: that is noted as a
 * step to be applied to the jobs that are there. store_add does it by itself. A scheduler knows more: `step`, by how much the clock was set since its last
 * call, and in *total the sum of all steps noted, as of then (NULL: not known); what others have noted meanwhile is not noted twice. */
int store_clock(struct store *s, instant now, int64_t step, int64_t *total, struct error *e);
/* Applies the steps that are noted, by life_clock_step, to at most `limit` jobs; *more: there are further ones. It goes on where the last committed one was. */
int store_clock_step(struct store *s, instant now, uint32_t limit, bool *more, struct error *e);

/* ---- zones and boots ---- */

/* The zone of jobs that name none is that of the scheduler: of the latest one, or the caller's where there has been none. `out` is zones_clear'ed by the caller. */
int store_zones_init(struct store *s, struct zones *out, struct error *e);

/* Loads the zones of all jobs anew. `changed` takes the names of those whose rules are others than those by which due times were reckoned (`local`: that of the machine). `folders` takes where to watch for changes. */
int store_zones_watch(struct store *s, struct strvec *folders, struct strvec *changed, struct error *e);
int store_zone_count(struct store *s, int64_t *out, struct error *e); /* zones that jobs have used: another number means new ones */
/* Applies life_zone_change to at most `limit` jobs from number *from on, and moves it on; 0 at the end, when the new rules are noted too. */
int store_zone_step(struct store *s, instant now, uint64_t *from, uint32_t limit, struct error *e);

/* A scheduler has started: applies life_boot to the jobs that wait for it; *due of them are due now. */
int store_boot(struct store *s, instant now, size_t *due, struct error *e);

/* ---- change feed: what clients changed, for the scheduler ---- */

enum feed_kind { FEED_DUE, FEED_CANCEL, FEED_QUEUES, FEED_ALL, FEED_FOREGROUND }; /* due entries of jobs may have changed; a run is to be stopped; limits; everything */
struct feed {
    enum feed_kind kind;
    uint64_t first, last; /* job numbers, both included */
};
typedef void store_feed_call(void *context, const struct feed *f);
/* Calls back for what came after *position and moves it on. */
int store_feed(struct store *s, uint64_t *position, store_feed_call *call, void *context, struct error *e);
int store_feed_trim(struct store *s, uint64_t position, struct error *e); /* forget all up to it: a part of the next write transaction */
/* Calls back with the due entries of a job as they are now, its own (*there false if it has none) and those of its extra occurrences. */
typedef void store_due_of_call(void *context, const struct due *d, bool there);
int store_due_of(struct store *s, uint64_t number, store_due_of_call *call, void *context, struct error *e);

/* ---- queues ---- */

struct queue {
    uint32_t id; /* default is 1 */
    char name[101];
    uint32_t limit; /* 0: none */
};
int store_queue_set(struct store *s, const char *name, uint32_t limit, struct error *e);
int store_queue_remove(struct store *s, const char *name, struct error *e); /* gives the limit up; ERROR_NOT_FOUND */
typedef bool store_queue_call(void *context, const struct queue *q);
int store_each_queue(struct store *s, store_queue_call *call, void *context, struct error *e);

/* ---- mail about runs that waits to be sent; store_finish adds it ---- */

struct store_mail {
    struct run_id id;
    uint32_t tries; /* so many have failed */
    instant next;
};
int64_t store_mail_count(const struct store *s); /* as of the last transaction */
int store_mail_next(struct store *s, struct store_mail *out, bool *there, struct error *e); /* the one to be tried first */
/* MAIL_SENT, MAIL_FAILED: it waits no more; MAIL_PENDING: is tried again at `next`. */
int store_mail_done(struct store *s, const struct store_mail *m, enum run_mail result, instant next, struct error *e);

/* ---- settings: small values by name, of whoever needs to remember something ---- */

int store_setting(struct store *s, const char *name, struct value *out, struct error *e); /* null where there is none */
int store_setting_put(struct store *s, const char *name, const struct value *v, struct error *e); /* null takes it away */

/* ---- for the scheduler ---- */

struct store_generation {
    uint32_t number;
    uint64_t feed_position;
    int64_t clock_total; /* for store_clock */
    bool clock_steps;    /* store_clock_step has work */
};
/* A new generation: counts up, forgets the feed (the caller reads the whole index afterwards), looks at the clock, and makes due what waits for a start of the scheduler (store_boot). A write transaction of its own; STORE_BUSY
 * as in store_begin. `about`: what it says of itself to those who ask (the setting "scheduler"); NULL: nothing. */
int store_generation(struct store *s, instant now, const struct value *about, struct store_generation *out, struct error *e);

/* Counts by phase are not kept: what --until-idle asks is whether any one-off job is pending. */
int store_pending_once(struct store *s, bool *out, struct error *e);

#endif
