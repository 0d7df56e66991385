/* The due time that a job would have if it were added now. */
#ifndef AX_RECKON_H
#define AX_RECKON_H

#include "lib/time/zones.h"
#include "spool/job.h"

/* `zones` has the local zone. INSTANT_NEVER: no time makes it due. */
int reckon_due(const struct job *j, struct zones *zones, instant now, instant *out, struct error *e);

#endif
