/* The next due times of a job, for `ax show`. */
#ifndef AX_SHOW_NEXT_H
#define AX_SHOW_NEXT_H

#include "lib/time/occurrence.h"
#include "spool/job.h"

#define SHOW_NEXT_MAX 5
struct show_next {
    struct occurrence items[SHOW_NEXT_MAX];
    int count;
};

/* From the one that is to come on, as the state has it. `zones` has the local zone. Of a job that ended, or whose next due time hangs on the end of a run or
 * on a boot, there is none but what the state knows. */
int show_next(const struct job *j, const struct job_state *s, struct zones *zones, instant now, struct show_next *out, struct error *e);

#endif
