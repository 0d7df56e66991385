#include "spool/writelock.h"

#include <stdbool.h>
#include <unistd.h>

#include "lib/sys/clock.h"
#include "lib/sys/lockfile.h"
#include "lib/sys/process.h"

static int writelock_open(struct writelock *l, const struct folder *f, struct error *e)
{
    if (l->fd < 0) {
        int fd = lockfile_open(f->fd, "write.lock", e);
        if (fd < 0)
            return fd;
        l->fd = fd;
    }
    return 0;
}

void writelock_clear(struct writelock *l)
{
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
}

void writelock_release(struct writelock *l)
{
    lockfile_release(l->fd, 0, 0);
    sigprocmask(SIG_SETMASK, &l->signals, NULL);
}

static bool writelock_take_now(struct writelock *l, pid_t *holder)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, &l->signals);
    if (lockfile_try(l->fd, true, 0, 0, holder) == 0)
        return true;
    sigprocmask(SIG_SETMASK, &l->signals, NULL);
    return false;
}

static int writelock_refuse(const struct folder *f, pid_t holder, struct error *e)
{
    if (!holder)
        return error_set(e, ERROR_SPOOL, "other processes keep on writing to the spool %s: try again", f->path);
    if (process_stopped(holder))
        return error_set(e, ERROR_SPOOL,
            "process %ld is stopped while it writes to the spool %s: kill -CONT %ld lets it go on", (long)holder,
            f->path, (long)holder);
    return error_set(e, ERROR_SPOOL,
        "process %ld has been writing to the spool %s all the time: try again when it is done", (long)holder, f->path);
}

int writelock_take(struct writelock *l, const struct folder *f, duration patience, struct error *e)
{
    int failed = writelock_open(l, f, e);
    if (failed)
        return failed;
    pid_t holder = 0;
    int64_t until = 0;
    while (!writelock_take_now(l, &holder)) {
        int64_t now = clock_mono().ns;
        if (!until)
            until = now + patience;
        if (now >= until) {
            failed = writelock_refuse(f, holder, e);
            return patience ? failed : WRITELOCK_BUSY;
        }
        if (lockfile_wait(l->fd, true, 0, 0, until - now, &holder) == 0)
            lockfile_release(l->fd, 0, 0); /* to be taken again with signals blocked */
    }
    return 0;
}
