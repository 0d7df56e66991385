/* Finding and ending all processes of one command, those that changed session, group or parent included. */
#ifndef AX_TREE_H
#define AX_TREE_H

#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/buf.h"

/* How members are known: descendants of `root` (which may be a subreaper such as the calling worker, then itself excluded), processes of session `session`,
 * what descends from one of these, processes whose environment (/proc/PID/environ) has `mark` (such as `AX_RUN_ID=...`, NULL: not looked at). Zombies do not count. Any of the three may be absent (0, NULL). The caller is never a
 * member. */
struct tree {
    pid_t root;
    pid_t session;
    uint64_t session_start; /* start time of the session's first process, 0: unknown. If that pid is another process now, the session is over and not looked at */
    const char *mark;
    const char *mark_too; /* NULL, or an entry that must be there besides `mark` */
    pid_t spare[4]; /* never touched, nor what descends from them only by way of them: 0 where unused */
};

/* Sends the signal to every member (and SIGCONT after a SIGTERM to those that are stopped); returns how many members there are now. With SIGKILL and SIGSTOP call again until it returns 0. Where we may not
 * signal a member (EPERM), it is counted, and named in `denied` (`pid 123 (sudo)`), if that is not NULL. */
size_t tree_signal(const struct tree *t, int signal_number, struct buf *denied);

size_t tree_count(const struct tree *t);

#endif
