/* What the fields of the group `when` say together. Behind job.h; nobody else needs it. */
#ifndef AX_JOB_SCHEDULE_H
#define AX_JOB_SCHEDULE_H

#include "spool/job.h"

/* At most one schedule, and nothing that goes only with another one. ERROR_USAGE with the field. */
int job_schedule_check(const struct job *j, struct error *e);

#endif
