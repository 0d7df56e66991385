/* What a job's schedule says that is allowed and yet likely a slip. */
#ifndef AX_SLIPS_H
#define AX_SLIPS_H

#include "lib/base/strvec.h"
#include "lib/time/zone.h"
#include "spool/job.h"

struct slips {
    struct strvec texts; /* each with the expression it is about */
    char *never;         /* that no due time is ahead, and why; NULL: there is one */
};

/* Adds what there is to say. `zone` is that of the job, `due` the time it will be due next. */
void slips_find(struct slips *s, const struct job *j, const struct zone *zone, instant due, instant now);
void slips_clear(struct slips *s);

#endif
