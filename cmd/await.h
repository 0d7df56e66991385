/* Waiting for jobs and runs to end. */
#ifndef AX_AWAIT_H
#define AX_AWAIT_H

#include "cmd/command.h"
#include "lib/sys/clock.h"
#include "spool/run.h"
#include "spool/store.h"

enum { AWAIT_TIMEOUT = 124, AWAIT_ERROR = 125, AWAIT_SIGNAL = 128 };

/* What is waited for: a run; the end for good of a job that is due once; of another job the end of the occurrence that goes on, or, where none does, of the next one
 * that runs. Retries belong to their occurrence. */
struct awaited {
    struct run_id id; /* n 0: the job */
    bool once;
    uint32_t *open;   /* of a job: its runs that were open; malloc'd */
    size_t open_count, open_capacity;
    uint32_t after;   /* and each run with a higher number */
    uint64_t extra;   /* only this extra occurrence of the job; 0: no matter which */
};
/* Inside a transaction: how far the run is, or the job (n 0). */
int awaited_find(struct store *s, struct run_id id, struct awaited *out, struct error *e);
void awaited_clear(struct awaited *a);

/* How it ended. last is the last row of its history: a run, or why there was none; its outcome is set even where the row is gone by now. run_clear it. */
struct await {
    enum outcome outcome;
    int code; /* exit code or signal */
    struct run last;
};

/* One look; *over: it has ended, and *out is filled in. */
int await_look(const struct common *c, const struct awaited *a, bool *over, struct await *out, struct error *e);
/* Waits, at most until `end` (NULL: for ever). */
int await_until(const struct common *c, const struct awaited *a, const struct monotime *end, bool *over, struct await *out, struct error *e);
/* Waits for a job that is due once. */
int await_job(const struct common *c, uint64_t number, struct await *out, struct error *e);

/* Prints how it ended: a line, or the row as JSON. */
void await_tell(const struct command *self, const struct await *a, bool json);

/* The exit code that passes the outcome on: that of the command, also where the job counts another one than 0 as success; 128+n for a signal; 124 for its
 * time limit; 125 where there is none. */
int await_code(const struct await *a);

#endif
