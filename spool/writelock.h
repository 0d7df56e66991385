/* The lock in front of every write transaction: the file write.lock.
 *
 * The mutex of LMDB has no name and cannot be waited for with a limit: behind a stopped process it would hang for ever.
 * Who holds this lock, and only who holds it, may take that mutex. While it is held nothing but SIGKILL and SIGSTOP can
 * end or stop the process. */
#ifndef AX_WRITELOCK_H
#define AX_WRITELOCK_H

#include <signal.h>

#include "lib/base/error.h"
#include "lib/time/duration.h"
#include "spool/folder.h"

struct writelock {
    int fd;           /* -1: not open yet */
    sigset_t signals; /* blocked before the lock was taken */
};
#define WRITELOCK_INIT                                                                                                 \
    {                                                                                                                  \
        .fd = -1                                                                                                       \
    }

void writelock_clear(struct writelock *l);

#define WRITELOCK_BUSY 1
/* 0: held. When the patience is over: ERROR_SPOOL that names the holder, and with a patience of 0 WRITELOCK_BUSY, e
 * filled in as well. */
int writelock_take(struct writelock *l, const struct folder *f, duration patience, struct error *e);
void writelock_release(struct writelock *l);

#endif
