/* What the files of the rules share: life.c has the phases, life_due.c the occurrences, life_clock.c the clock,
 * life_notify.c of what somebody is to be told. Nobody else needs it. */
#ifndef AX_LIFE_PARTS_H
#define AX_LIFE_PARTS_H

#include "spool/life.h"

/* ---- rows of history without a run ---- */

void life_notes_begin(struct life_notes *notes); /* of a step: none yet, and no notice */

/* One for the occurrence due at s->due. Takes over reason. */
struct run *life_note(struct life_notes *notes, struct job_state *s, enum outcome outcome, instant now, char *reason);

/* One for the occurrences from `due` to `until`, both included, as far as the schedule has any. */
void life_note_span(
    const struct life *l, struct job_state *s, enum outcome outcome, instant due, instant until, const char *reason);

/* ---- occurrences ---- */

/* Waits for the occurrence. The first reckons what comes after it, and the jitter. */
void life_await(const struct life *l, struct job_state *s, instant due);
void life_occurrence(struct job_state *s, instant due, instant next);

instant life_first_due(const struct life *l);              /* of a job that is new, or newly defined */
instant life_due_after(const struct life *l, instant due); /* INSTANT_NEVER where only the end of the run tells */

/* Of a job with `boot`: when it is due for the boot of l, and that boot is now known. INSTANT_NEVER: it was already, or
 * may not be now. */
instant life_boot_due(const struct life *l, struct job_state *s);

bool life_counts_from_end(const struct job *j); /* every_from: end */

/* The occurrences that have come due by now are skipped, and s waits for the next. */
void life_skip(const struct life *l, struct job_state *s, const char *reason);

/* The schedule, with intervals counted from this due time. Borrowed: not to be cleared. */
struct schedule life_schedule(const struct life *l, instant due);

/* Of the occurrences that have come due: sets s->due and s->next to the one that runs now, with notes for those that do
 * not. False: none of them does, and s has moved on. */
bool life_choose(const struct life *l, struct job_state *s);

/* The occurrence is over, and its last run was r: waits for the next one. False: there is none any more. */
bool life_advance(const struct life *l, struct job_state *s, const struct run *r);

/* ---- what somebody is to be told ---- */

void life_notify_copy(const struct job *j, struct job_state *s); /* out of the definition */
void life_notify_start(const struct life *l, struct job_state *s);
void life_notify_claim(const struct life *l, const struct job_state *before, struct job_state *s, bool started);
void life_notify_outcome(const struct life *l, const struct job_state *s, const struct run *r, uint32_t first); /* first: of the occurrence */

#endif
