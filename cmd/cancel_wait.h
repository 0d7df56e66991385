/* A job was cancelled while a run of it was open: waiting until that run is known not to go on. */
#ifndef AX_CANCEL_WAIT_H
#define AX_CANCEL_WAIT_H

#include "cmd/command.h"
#include "lib/base/buf.h"
#include "spool/run.h"

enum cancel_how {
    CANCEL_STOPPED,     /* it ran, and was stopped */
    CANCEL_NOT_STARTED, /* it had been claimed, and its command never began */
    CANCEL_ENDED,       /* it ended by itself before it could be stopped */
    CANCEL_UNKNOWN,     /* scheduler and worker are gone: run.reason says what is known */
};

struct cancel_end {
    enum cancel_how how;
    struct run run; /* outcome, exit code, signal and reason; run_clear it */
    bool done;      /* CANCEL_ENDED: that was the end of the job, there was nothing left to cancel */
};

/* The scheduler stops the run and records it. If none serves the spool, the run's own worker is told, and its report believed. */
int cancel_wait(const struct common *c, struct run_id id, struct cancel_end *out, struct error *e);

/* `it was running; run 12.3 was stopped`, for people. */
void cancel_end_text(struct buf *b, struct run_id open, const struct cancel_end *end);

#endif
