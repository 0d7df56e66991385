/* Records: what the store keeps of a job, of its state and of a run, as msgpack maps.
 *
 * Each map has a format version under `v`, RECORD_VERSION now. An older one is read; a newer one is refused (ERROR_SPOOL), since what it
 * means cannot be known. Unknown keys of a known version are left out. Only what is not default is written. Definitions have the names of
 * fields.h as keys; state and run, written several times a run, have keys of one letter. Numbers of phases, outcomes and outputs are part of the format. */
#ifndef AX_RECORD_H
#define AX_RECORD_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "spool/job.h"
#include "spool/notify.h"
#include "spool/run.h"

#define RECORD_VERSION 1

/* Writing appends to b. kept_env is not in the record: `environment` is the number under which the store keeps it once for all jobs (0: none). */
void record_write_job(struct buf *b, const struct job *j, uint64_t environment);
void record_write_state(struct buf *b, const struct job_state *s);
void record_write_run(struct buf *b, const struct run *r);
void record_write_notice(struct buf *b, const struct notice *n); /* all but its number */

/* Reading makes a new value in *out (nothing in it is cleared before); clear it with job_clear and run_clear. ERROR_SPOOL, and *out untouched, if the
 * bytes are damaged or of a newer ax. A job that is read has an empty kept_env, and has_kept_env if the environment is not 0: filling it in is the store's. */
int record_read_job(const void *data, size_t length, struct job *out, uint64_t *environment, struct error *e);
int record_read_state(const void *data, size_t length, struct job_state *out, struct error *e);
int record_read_run(const void *data, size_t length, struct run *out, struct error *e);
int record_read_notice(const void *data, size_t length, struct notice *out, struct error *e);

/* The names of the members of states, runs and notices, for people: those of the structs. NULL: there is none; so it is of all members of definitions, whose keys are names. */
enum record_kind { RECORD_JOB, RECORD_STATE, RECORD_RUN, RECORD_NOTICE };
const char *record_name(enum record_kind kind, const char *key);
const char *record_key(enum record_kind kind, const char *name);

#endif
