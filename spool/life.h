/* The life of a job: pure rules, given definition, state and time. Every change of phase is made here and nowhere else.
 *
 *              life_begin          life_claim              life_outcome
 *   (new) ───────────────▶ WAITING ──────────▶ RUNNING ──────────────────▶ DONE | FAILED | CANCELLED
 *                             ▲   ▲               │ retry                     (one-off jobs)
 *                             │   └─ RETRYING ◀───┘
 *                             └───────────────────  next occurrence (jobs that repeat) */
#ifndef AX_LIFE_H
#define AX_LIFE_H

#include "lib/time/schedule.h"
#include "spool/job.h"
#include "spool/notify.h"
#include "spool/run.h"

/* Occurrences that got no run: a few rows from one step. */
#define LIFE_NOTES_MAX 4
struct life_notes {
    int count;
    struct run rows[LIFE_NOTES_MAX]; /* whole rows but for id.job, queue, weight, generation and boot, and the name where the rule has no job at hand */
    struct notice notice; /* what somebody may want to be told after the step: event, after, due, at, id.n and id.note; NOTIFY_NONE: nothing */
};
void life_notes_clear(struct life_notes *n);

/* What the rules look at, apart from the state. */
struct life {
    const struct job *job;
    const struct schedule *schedule; /* job_schedule of it */
    instant now;
    uint64_t random;      /* feeds jitter and back-off */
    instant since;        /* the scheduler has served without a break, and the clock without a jump, since then: what was due before was missed, what is due later
                             is only late. INSTANT_NONE: always */
    uint64_t boot;        /* names this boot of the machine; for a job with `boot: scheduler` this start of the scheduler */
    bool busy;            /* another occurrence of the job has begun and is not over */
    struct life_notes *notes;
};

/* The state of a job that has just been made. */
void life_begin(const struct life *l, struct job_state *s);

/* The definition was replaced (ax add --replace): a new due time; a run that is open goes on and is not retried. */
void life_replace(const struct life *l, struct job_state *s);

/* The definition has changed in other things than its schedule. */
void life_keep(const struct life *l, struct job_state *s);

/* The job is to run no more: what waits is cancelled, a run that is open goes on to its end. */
void life_retire(struct job_state *s, instant now, struct life_notes *notes);

enum life_verdict {
    LIFE_START,   /* s is PHASE_RUNNING, run is filled in: claim it */
    LIFE_EARLY,   /* not before life_wake: nothing changed */
    LIFE_MISSED,  /* it gets no run: s has moved on, notes say so */
    LIFE_PARKED,  /* it waits for life_release: another occurrence of the job is active, and they do not overlap */
    LIFE_REPLACE, /* the run that is open is to be stopped: the next occurrence takes its place (overlap) */
    LIFE_NOT,     /* not waiting any more: nothing changed */
};

/* Whether the job may be claimed now. What was missed while nobody served follows `catchup`; of times that passed while there was no slot the latest runs,
 * with `overlap: queue` each. Notes tell of those that get no run. */
enum life_verdict life_claim(const struct life *l, struct job_state *s, struct run *run);

/* The other occurrence is over: a parked one may be claimed. Returns false if it is not parked. */
bool life_release(struct job_state *s, instant now);

/* The occurrence that has just been claimed becomes an extra one, and the job goes on with the next: overlap: allow. False: it does not overlap. */
bool life_part(const struct life *l, struct job_state *s, uint64_t extra, struct run *run, struct job_state *out);

/* An extra occurrence that may start at `ready`; INSTANT_NEVER: parked. */
void life_extra(const struct job_state *s, uint64_t job, int cause, instant due, instant ready, struct job_state *out);

/* ax start of a one-off job that has ended: it is due once more, now. */
void life_again(const struct life *l, struct job_state *s);

/* When life_claim has something to do: the key of the due index. INSTANT_NEVER: not by time. False: the job has no place in the index. */
bool life_wake(const struct job_state *s, instant *out);

/* After another boot (of the machine, or start of the scheduler) than the one it knows: due now. Returns true if s changed. */
bool life_boot(const struct life *l, struct job_state *s);

/* How a run ended by itself: killed by a signal, or ok or failed as success_exit has it. */
enum outcome life_judge(const struct job *j, int exit_code, int signal);

/* The open run has ended with r->outcome (all of r is filled in): retry, next occurrence, or the end.
 * OUTCOME_LOST follows if_lost and lost_max; `stopped` says that we ended it ourselves on our way out, which follows if_lost too.
 * A one-off job that ended ok in spite of a cancel is done; every other end after a cancel is cancelled. */
void life_outcome(const struct life *l, struct job_state *s, const struct run *r, bool stopped);

/* The claim never started (a fence was in front, or the worker died before the start): back into the line, nothing counted.
 * If a cancel was asked for meanwhile, this is its end, and a note says so. */
void life_unclaim(struct job_state *s, instant now, struct life_notes *notes);

/* The system could not start it: as life_unclaim, but tried again shortly (100ms doubling to 10s). */
void life_shortage(struct job_state *s, instant now, struct life_notes *notes);

/* Nothing of the job is claimed until it is resumed; a run that is open goes on. What was due meanwhile was missed. They return false if there is nothing to change. */
bool life_pause(struct job_state *s);
bool life_resume(struct job_state *s, instant now);

/* The run that is open is to be ended, and the job goes on as if it had ended by itself and is not to be tried again. False: none is open. */
bool life_stop(struct job_state *s);

/* ax retry of a one-off job that has failed: its occurrence once more from the first attempt on, now. False: it has not. */
bool life_retry(struct job_state *s, instant now);

/* The next occurrence of a repeating job that has not begun gets no run. False: there is none. *due is it. */
bool life_skip_next(const struct life *l, struct job_state *s, instant *due);

/* ax start --shift: a run by hand takes the place of the next occurrence. An interval is counted on from now; any other schedule goes on with the due time behind that
 * occurrence, and a note says so; a one-off job that waits is due now, and false is returned with *moved. False otherwise: there is no next occurrence. */
bool life_shift(const struct life *l, struct job_state *s, bool *moved);

/* When a job that is over, done or cancelled, may be forgotten; INSTANT_NEVER: not by its age. */
instant life_expiry(const struct job_state *s);

/* Whether a row of the job's history is kept: of so many latest runs, and not older than that. Always: the latest run, those of an occurrence that is not over, and those
 * with mail that is not sent yet. */
struct life_keep {
    int keep_runs;
    duration keep_for;
    instant now;
};
bool life_keeps(const struct job_state *s, const struct run *r, const struct life_keep *k);

enum life_cancel { LIFE_CANCELLED, LIFE_STOPPING, LIFE_OVER }; /* will not start; asked for, a run is open; had ended already */
enum life_cancel life_cancel(struct job_state *s, instant now, struct life_notes *notes);

/* When life_alarm_take has something to do: a waiting occurrence is late, or the open run takes long (field notify). INSTANT_NEVER. */
instant life_alarm(const struct job_state *s);
void life_alarm_take(const struct life *l, struct job_state *s);

/* The wall clock was set forward by `step` while the open run went on: its length is not that of the jump. Returns true if s changed. */
bool life_alarm_step(struct job_state *s, int64_t step);

/* After life_outcome, of whichever occurrence it was: the state of the job itself tells a recovery from any other ok. */
void life_notify_health(struct job_state *own, struct notice *n);

/* The wall clock was set back by `step` (new minus old, negative). Waits that are lengths (intervals, back-off) keep their length; due times by the clock are
 * reckoned anew, but what has run at a fixed time does not run again for it, unless the step is longer than three hours. Returns true if s changed. */
bool life_clock_concerns(const struct job_state *s); /* false: it cannot change this one */
bool life_clock_step(const struct life *l, struct job_state *s, int64_t step);

/* The rules of its zone have changed: a due time to come is reckoned anew. Returns true if s changed. */
bool life_zone_change(const struct life *l, struct job_state *s);

#endif
