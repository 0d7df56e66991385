/* The life of a job: pure rules, given definition, state and time. Every change of phase is made here and nowhere else.
 *
 *              life_begin          life_claim              life_outcome
 *   (new) ───────────────▶ WAITING ──────────▶ RUNNING ──────────────────▶ DONE | FAILED | CANCELLED
 *                             ▲   ▲               │ retry                     (one-off jobs)
 *                             │   └─ RETRYING ◀───┘
 *                             └───────────────────  next occurrence (jobs that repeat) */
#ifndef AX_LIFE_H
#define AX_LIFE_H

#include "spool/job.h"
#include "spool/run.h"

/* Occurrences that got no run: at most two rows from one step. */
struct life_notes {
    int count;
    struct run rows[2]; /* whole rows but for id.job, queue, weight, generation and boot, and the name where the rule has no job at hand */
};
void life_notes_clear(struct life_notes *n);

/* The state of a job that has just been made. */
void life_begin(const struct job *j, instant now, struct job_state *s);

/* The definition was replaced (ax add --replace): a new due time; a run that is open goes on and is not retried. */
void life_replace(const struct job *j, instant now, struct job_state *s);

enum life_verdict {
    LIFE_START,  /* s is PHASE_RUNNING, run is filled in: claim it */
    LIFE_EARLY,  /* not before s->ready: nothing changed */
    LIFE_MISSED, /* too late (start_within): s has moved on, notes say so */
    LIFE_NOT,    /* not waiting any more: nothing changed */
};
/* Whether the job may be claimed at `now`. Repeating jobs take the latest occurrence that is due; those before it become one `missed` note. */
enum life_verdict life_claim(const struct job *j, struct job_state *s, instant now, struct run *run, struct life_notes *notes);

/* How a run ended by itself: killed by a signal, or ok or failed as success_exit has it. */
enum outcome life_judge(const struct job *j, int exit_code, int signal);

/* The open run has ended with r->outcome (all of r is filled in): retry, next occurrence, or the end. `random` feeds the jitter.
 * OUTCOME_LOST follows if_lost and lost_max; `stopped` says that we ended it ourselves on our way out, which follows if_lost too.
 * A one-off job that ended ok in spite of a cancel is done; every other end after a cancel is cancelled. */
void life_outcome(const struct job *j, struct job_state *s, const struct run *r, bool stopped, instant now, uint64_t random, struct life_notes *notes);

/* The claim never started (a fence was in front, or the worker died before the start): back into the line, nothing counted.
 * If a cancel was asked for meanwhile, this is its end, and a note says so. */
void life_unclaim(struct job_state *s, instant now, struct life_notes *notes);

/* The system could not start it: as life_unclaim, but tried again shortly (100ms doubling to 10s). */
void life_shortage(struct job_state *s, instant now, struct life_notes *notes);

enum life_cancel { LIFE_CANCELLED, LIFE_STOPPING, LIFE_OVER }; /* will not start; asked for, a run is open; had ended already */
enum life_cancel life_cancel(struct job_state *s, instant now, struct life_notes *notes);

/* The wall clock was set by `step` (new minus old). Backward: waits that are lengths (intervals, back-off) keep their length.
 * Returns true if s changed. */
bool life_clock_step(struct job_state *s, int64_t step, instant now);

#endif
