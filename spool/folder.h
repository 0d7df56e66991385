/* The spool folder: where it is, whether it can be trusted, what lies in it.
 *
 *   data.mdb lock.mdb   the LMDB environment (db.h)
 *   write.lock          taken before every write transaction; names its holder (writelock.h)
 *   scheduler.lock      byte 0: held by the scheduler; byte 1+G: shared by every worker of generation G (handover.h)
 *   runs/J.N            one file a run: fence, start and lock of its worker (handover.h)
 *   output/J.N          what the command of run J.N has written (output.h)
 *   handover/           sockets of orphaned workers (J.N.sock) and outcomes left behind (J.N.left) (handover.h)
 *   reserve             room kept free for cancelling and finishing on a full disk (reserve.h)
 *   scheduler.log       log of a detached scheduler */
#ifndef AX_FOLDER_H
#define AX_FOLDER_H

#include <stdbool.h>
#include <sys/types.h>

#include "lib/base/error.h"

struct folder {
    char *path;  /* absolute */
    int fd;      /* O_PATH-like directory descriptors, close-on-exec */
    int runs, output, handover;
};

/* --spool DIR (wanted, may be NULL), else $AX_SPOOL, else /var/spool/ax for root, $XDG_STATE_HOME/ax or ~/.local/state/ax for others. malloc'd. */
char *folder_path(const char *wanted);

char *folder_absolute(const char *path); /* from the current directory where it is relative; malloc'd */

/* Opens the folder, and makes it with all below it (0700) if `create`. Refused (ERROR_SPOOL, with owner, mode and mend): not ours, writable or readable
 * by others, a symbolic link at the end, on a network file system. Not there and not `create`: ERROR_SPOOL with sys ENOENT. */
int folder_open(const char *path, bool create, struct folder *out, struct error *e);
void folder_clear(struct folder *f);

/* Pid of the scheduler that serves the folder, 0 if none. Not for the scheduler itself: the look would give up its lock (lockfile.h). */
pid_t folder_scheduler(const struct folder *f);

#endif
