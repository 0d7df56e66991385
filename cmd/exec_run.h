/* A command in the foreground, started as a worker starts it. */
#ifndef AX_EXEC_RUN_H
#define AX_EXEC_RUN_H

#include "cmd/run/startup.h"
#include "spool/output.h"

struct exec_run {
    struct startup *startup;       /* prepared */
    const char *spool;             /* the commands know it by this */
    struct output_writer *writer;  /* NULL: the output is not kept */
    int fence;                     /* the run's file, which the command is noted in; -1: none */
};

/* Starts the command and waits for its end; what it writes is kept, and goes to standard output. Ctrl-C and TERM end it, with all its processes, TERM first and
 * KILL after kill_after; so does its time limit. *out is as from a worker, without the output. */
void exec_run(const struct exec_run *x, struct report *out);

#endif
