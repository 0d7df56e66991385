/* Lengths of time in nanoseconds. Pure. */
#ifndef AX_DURATION_H
#define AX_DURATION_H

#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"

typedef int64_t duration;

#define DURATION_NONE INT64_C(-1) /* no duration given: no limit */

/* `250ms 90s 15m 1h30m 2d 1w`: whole numbers with units ms s m h d w, largest unit first, each unit once, up to
 * 292 years; `0s` is zero. d is 24 hours, w is 7 days. A bare number, a fraction, a sign, an unknown or
 * upper-case unit, and what overflows are refused: ERROR_USAGE with the column.
 * ISO 8601 durations are taken too: `PT15M`, `P1DT2H`, `P2W`, whole numbers without years and months, whose length is not fixed. */
int duration_parse(const char *text, duration *out, struct error *e);

/* The text that duration_parse reads back to the same value, largest unit first (`1m30s`, `1d12h`); weeks only where
 * they are whole (`2w`, but `30d`). A part of a millisecond is rounded up; DURATION_NONE is `none`. */
void duration_format(struct buf *b, duration d);

/* For people, at most two units, from 30 days on days alone: `in 3m 20s`, `2h 5m ago`, `now`; d may be negative. */
void duration_distance(struct buf *b, duration d);

#endif
