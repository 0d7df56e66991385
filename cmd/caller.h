/* What a job keeps of the process that adds it: directory, umask and environment. */
#ifndef AX_CALLER_H
#define AX_CALLER_H

#include <stdbool.h>

#include "lib/base/error.h"
#include "lib/base/strvec.h"
#include "spool/job.h"

struct caller_rules {
    const char *directory;     /* the current one; NULL: it is gone */
    bool clean;                /* keep no environment */
    const struct strvec *drop; /* patterns of names not to keep */
};

/* Fills in what the job does not say itself. */
int caller_keep(struct job *j, const struct caller_rules *rules, struct error *e);

/* The due times of a job without `timezone` are local to the scheduler, which may live by another zone than the caller: where TZ names one, the job gets
 * that. ERROR_USAGE if it is set to something else, such as CET-1CEST. No effect on a job whose due times are not local. */
int caller_timezone(struct job *j, struct error *e);

#endif
