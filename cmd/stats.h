/* What the history of one job comes to: counts, durations, and how the latest ones compare with those before. Pure. */
#ifndef AX_STATS_H
#define AX_STATS_H

#include "lib/base/buf.h"
#include "lib/time/duration.h"
#include "spool/run.h"

#define STATS_RECENT 30 /* the latest runs, against which the others are held */
#define STATS_BEFORE 10 /* runs there must have been before them */

struct stats {
    uint64_t of[OUTCOME_MISSED + 1]; /* runs of each outcome; of skipped and missed: occurrences */
    uint64_t runs;                   /* all that ended, whatever became of them */
    duration *took;                  /* of runs that have ended by themselves, by a signal or by their time limit, the oldest first */
    size_t count, capacity;
};

void stats_clear(struct stats *s);
void stats_add(struct stats *s, const struct run *r); /* in order of number */

double stats_success(const struct stats *s); /* the part of the runs that went well, 0 to 1, of those that were not cancelled; -1: there are none */

struct stats_durations { /* -1: not known */
    duration p50, p95, p99, max; /* each one that a run took: the smallest that so many per cent did not exceed */
    duration recent;             /* p50 of the latest */
    double trend;                /* that over the p50 of those before: 1.5 is half as long again */
};
struct stats_durations stats_durations(const struct stats *s);

size_t stats_recent(const struct stats *s, const duration **out); /* the latest, oldest first */

/* A character for each value, from the smallest to the largest of them; nearly equal ones are all the same. */
void stats_spark(struct buf *b, const duration *values, size_t count, bool utf8);

#endif
