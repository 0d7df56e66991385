/* A run: one execution of a command for an occurrence; and rows of history that had no run (skipped, missed, cancelled before the start). */
#ifndef AX_RUN_H
#define AX_RUN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "lib/base/strvec.h"
#include "lib/sys/process.h"
#include "lib/time/instant.h"

enum outcome {
    OUTCOME_NONE, /* open */
    OUTCOME_OK, OUTCOME_FAILED, OUTCOME_KILLED, OUTCOME_TIMEOUT, OUTCOME_CANCELLED, OUTCOME_LOST, OUTCOME_UNSTARTABLE, OUTCOME_SKIPPED, OUTCOME_MISSED,
};
const char *outcome_name(enum outcome o);
int outcome_find(const char *name); /* or -1 */
bool outcome_is_bad(enum outcome o); /* it began, or was to, and went wrong by itself: not cancelled, skipped or missed */

/* Why there is a run. */
enum run_cause { CAUSE_SCHEDULE, CAUSE_MANUAL, CAUSE_REPLAY }; /* its due time came; ax start; ax start --due, --from */
const char *run_cause_name(int cause);

/* What has become of the mail about a run. */
enum run_mail { MAIL_NONE, MAIL_PENDING, MAIL_SENT, MAIL_FAILED };
const char *run_mail_name(int mail); /* NULL: there is none */

struct run_id {
    uint64_t job;
    uint32_t n;    /* 12.3: 3. Unique in a job, growing; not always without holes: a claim that never started gives up its number */
    uint32_t note; /* 0: a run; else the note-th history row without a run behind run n */
};

#define RUN_ID_SIZE 48
void run_id_format(struct run_id id, char out[RUN_ID_SIZE]); /* "12.3"; a row without a run is "12.3+1" */
bool run_id_parse(const char *text, struct run_id *out);

struct run {
    struct run_id id;
    enum outcome outcome;
    int cause;             /* enum run_cause */
    uint64_t extra;        /* the extra occurrence it belongs to; 0: the job's own */
    instant due;
    instant last_due;      /* of a row that stands for several occurrences, else INSTANT_NONE */
    uint32_t count;        /* occurrences the row stands for: 1 */
    uint32_t attempt;      /* 1, 2, 3... */
    instant claimed, started, ended; /* INSTANT_NONE where it did not happen. claimed may lie a little ahead: the moment for which the run was claimed, and before
                                        which it does not start */
    int exit_code;         /* -1: none */
    int signal;            /* 0: none */
    int64_t cpu_user_ns, cpu_system_ns, max_rss; /* max_rss in bytes; all -1: unknown */
    int64_t output_bytes;  /* written by the command, all of it */
    enum { OUTPUT_NONE, OUTPUT_INLINE, OUTPUT_FILE } output;
    int mail;              /* enum run_mail */
    char *reason;          /* for people: why skipped, which step could not be started, what survived ...; NULL */
    char *name;            /* of the job then; NULL */
    char *key;             /* AX_KEY */
    struct strvec set;     /* NAME=VALUE in its environment that were said for this occurrence alone */
    uint32_t queue, weight; /* what it counts against */
    uint32_t generation;   /* of the scheduler that claimed it */
    char boot[BOOT_ID_SIZE]; /* where it was claimed */
};

/* It is in the foreground of an ax exec: beside schedule, limits and slots. Only of open runs. */
bool run_is_foreground(const struct run *r);

void run_init(struct run *r); /* nothing has happened, nothing is known; due is INSTANT_NONE */
void run_copy(struct run *to, const struct run *from); /* texts too; what was in `to` is not cleared */
void run_clear(struct run *r);

#endif
