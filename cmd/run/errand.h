/* Work that must not hold the scheduler up, done by a child of its own: `ax` itself, with a command that is not for
 * people. It writes lines to its standard output, which go into the log: `E text`, `W text`, `I text`, `D text` by
 * level; and `= text` once, when it has done all of it: the result. */
#ifndef AX_ERRAND_H
#define AX_ERRAND_H

#include <stdbool.h>

#include "cmd/run/log.h"
#include "lib/sys/loop.h"

struct errand;

/* The errand is over: `result` is what stood behind `=`, NULL if it failed, died or took too long. The errand can be
 * started again in the call. */
typedef void errand_call(void *context, const char *result);

struct errand { /* zero it, fill in the first five members */
    struct loop *loop;
    struct log *log;
    const char *event; /* name of its lines in the log */
    errand_call *call;
    void *context;

    pid_t pid; /* 0: none runs */
    int pidfd, pipe;
    struct loop_source *ended, *output;
    struct buf text;
    char *result;
    struct loop_timer limit;
};

/* argv[0] is "ax". `limit`: nanoseconds, then it is killed, with its session. ERROR_FAILED if it cannot be started;
 * nothing is called then. */
int errand_start(struct errand *x, char *const argv[], int64_t limit, struct error *e);
void errand_stop(struct errand *x);  /* kills it, calls nothing */
void errand_leave(struct errand *x); /* lets it go on by itself, calls nothing */

#endif
