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

#endif
