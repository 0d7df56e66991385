/* How long to wait before the next attempt. Pure. */
#ifndef AX_BACKOFF_H
#define AX_BACKOFF_H

#include "lib/time/duration.h"

enum backoff_kind { BACKOFF_EXPONENTIAL, BACKOFF_LINEAR, BACKOFF_FIXED };

struct backoff {
    enum backoff_kind kind;
    const duration *delays; /* one: the base; several: each attempt its own, the last one for all later ones */
    int count;
    duration max; /* cap of what grows, before the jitter: never below the base, not for a list; DURATION_NONE: none */
    int jitter;   /* percent, 0-100: the wait is spread evenly within +-jitter% */
};

/* The wait after failed attempt number `attempt` (1 is the first). Exponential doubles, linear adds the base each time;
 * a list is taken as it is. `random` is any 64-bit number, the source of the jitter. Never negative, never overflows.
 */
duration backoff_delay(const struct backoff *b, int attempt, uint64_t random);

#endif
