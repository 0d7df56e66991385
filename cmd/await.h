/* Waiting for a job to end for good, retries included. */
#ifndef AX_AWAIT_H
#define AX_AWAIT_H

#include "cmd/command.h"
#include "spool/run.h"

enum { AWAIT_TIMEOUT = 124, AWAIT_ERROR = 125, AWAIT_SIGNAL = 128 };

/* How it ended. last is the last row of its history: a run, or why there was none; its outcome is set even where the row is gone by now. run_clear it. */
struct await {
    enum outcome outcome;
    int code; /* exit code or signal */
    struct run last;
};

int await_job(const struct common *c, uint64_t number, struct await *out, struct error *e);

/* The exit code that passes the outcome on: that of the command, also where the job counts another one than 0 as success; 128+n for a signal; 124 for its
 * time limit; 125 where there is none. */
int await_code(const struct await *a);

#endif
