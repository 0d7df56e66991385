/* From an order to a process: what has to be looked up and opened right before a command starts. The workers and `ax exec` start commands by it. */
#ifndef AX_STARTUP_H
#define AX_STARTUP_H

#include "lib/sys/child.h"
#include "spool/handover.h"

struct startup {
    struct order *order; /* lent; its environment and directory are completed */
    int null;            /* /dev/null, lent */
    int in;
    struct child_user user;
    bool has_user;
    enum report_how how; /* after a failure: REPORT_UNSTARTABLE, REPORT_SHORTAGE */
    char *reason;        /* and why; malloc'd */
};
void startup_init(struct startup *s, struct order *o, int null);
void startup_clear(struct startup *s);

/* Each false: it cannot start, s->how and s->reason say why. */
bool startup_prepare(struct startup *s);                   /* the user, and then the whole environment */
bool startup_fail(struct startup *s, enum report_how how, char *reason); /* takes reason over; false */
bool startup_input(struct startup *s);                     /* what it reads */
bool startup_spawned(struct startup *s, pid_t pid, const struct child_failure *failure); /* judges child_spawn */

/* The child, with its output going to `out`. It borrows. */
struct child startup_child(const struct startup *s, int out);

#endif
