/* Intervals aligned to local midnight. Pure. */
#ifndef AX_EVERY_CLOCK_H
#define AX_EVERY_CLOCK_H

#include "lib/time/duration.h"
#include "lib/time/occurrence.h"
#include "lib/time/zone.h"

/* The first moment strictly later than `after` at which the local time of day is a multiple of `every` (more than 0, at
 * most a day), reckoned anew at each midnight; of whole days the first midnight that lies whole intervals from Monday,
 * 5 January 1970. Clock changes: intervals up to an hour follow the local clock (nothing in a skipped hour, again in a
 * repeated one); of longer ones a time that is skipped comes right after the jump, and of one that is there twice the
 * first counts. */
struct occurrence every_clock_next(duration every, const struct zone *z, instant after);

#endif
