/* Another definition for a job that is there, said by a person. */
#ifndef AX_REDEFINE_H
#define AX_REDEFINE_H

#include "spool/store.h"

/* Inside a write transaction: store_update, if the name the job has, or gets, belongs to no other job. ERROR_EXISTS. */
int redefine(struct store *s, const struct job *old, struct job *new, bool reschedules, instant now, struct error *e);

#endif
