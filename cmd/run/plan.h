/* What to start next, and when to wake: pure decisions over a bounded picture of the due index.
 *
 * A lane is one queue and one priority; its window is a heap of the lane's nearest due entries. The window is a cache of the due index in the
 * store: bounded in number, filled from the index when it runs low, so that memory does not grow with the spool. Because each lane has a window of its own,
 * no crowd of due jobs in one queue can hide the jobs of another.
 *
 * Who gets a free slot: the highest priority, then the earliest ready time, then the lowest number. A job that does not fit its queue's limit holds back
 * its own queue only; one that does not fit the total holds back all that come behind it, so that heavy jobs are not starved by light ones. */
#ifndef AX_PLAN_H
#define AX_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/sys/heap.h"
#include "lib/time/instant.h"
#include "spool/store.h"

#define PLAN_WINDOW 32768 /* due entries in memory, over all lanes */

struct plan_entry;
struct plan_queue;

struct plan_lane {
    struct lane_id id;
    struct plan_queue *queue;
    struct heap heap;
    bool complete;    /* the heap holds all of the lane; else all up to the horizon, itself included */
    bool reload;      /* overfull or in doubt: to be filled anew */
    instant horizon;
    uint64_t horizon_number;
};

struct plan {
    uint32_t slots;       /* the total limit */
    uint32_t used;        /* weight of all open runs */
    size_t window;        /* entries that may be in memory */
    struct plan_lane *lanes;
    size_t lane_count, lane_capacity, lane_most; /* lane_most: so many, before those that are empty are dropped */
    struct plan_queue *queues;   /* hash by id */
    struct plan_entry *entries;  /* hash by job number */
};

void plan_init(struct plan *p, uint32_t slots, size_t window);
void plan_clear(struct plan *p);
size_t plan_queue_count(const struct plan *p); /* queues in memory */

/* ---- the picture ---- */

/* A queue's limit; 0: none. */
void plan_limit(struct plan *p, uint32_t queue, uint32_t limit);

/* The due entry of d->number is now as d says; plan_drop: it has none any more. */
void plan_put(struct plan *p, const struct due *d);
void plan_drop(struct plan *p, uint64_t number);

/* Makes the lane known; one that is new is to be filled. */
void plan_lane(struct plan *p, struct lane_id id);
/* Everything is in doubt: all lanes are to be filled anew. */
void plan_doubt(struct plan *p);

/* Some lane is to be filled. */
bool plan_low(const struct plan *p);
/* A lane that is to be filled, with the place in the index behind which to read on: call plan_fill for each entry until it returns false, then
 * plan_filled, `all` if the index had no more. False: no lane wants it. */
bool plan_wants(struct plan *p, size_t *lane, instant *behind, uint64_t *behind_number);
bool plan_fill(struct plan *p, size_t lane, const struct due *d);
void plan_filled(struct plan *p, size_t lane, bool all);

/* ---- slots ---- */

void plan_started(struct plan *p, uint32_t queue, uint32_t weight);
void plan_ended(struct plan *p, uint32_t queue, uint32_t weight);

/* ---- decisions ---- */

/* The entry that is ready at `now` and gets the next free slot; false: none is ready, or none fits. The entry stays until plan_drop or plan_put. */
bool plan_next(struct plan *p, instant now, struct due *out);

/* The next moment strictly later than now at which an entry comes due; INSTANT_NEVER. What is due already waits for a slot, not for the clock. */
instant plan_wake(const struct plan *p, instant now);

/* True if an entry is ready at `now`, whether or not there is a slot. */
bool plan_due(const struct plan *p, instant now);

#endif
