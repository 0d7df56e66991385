#include "lib/sys/lockfile.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "lib/sys/clock.h"

int lockfile_open(int folder, const char *name, struct error *e)
{
    struct stat s;
    int fd = openat(folder, name, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY | O_NONBLOCK, 0600);
    if (fd < 0)
        return error_errno(e, ERROR_SPOOL, errno, "cannot open %s", name);
    if (fstat(fd, &s) < 0 || !S_ISREG(s.st_mode)) {
        close(fd);
        return error_set(e, ERROR_SPOOL, "%s is not a plain file", name);
    }
    return fd;
}

static struct flock lockfile_range(int type, uint64_t start, uint64_t length)
{
    return (struct flock){.l_type = (short)type, .l_whence = SEEK_SET, .l_start = (off_t)start, .l_len = (off_t)length};
}

static pid_t lockfile_in_the_way(int fd, int type, uint64_t start, uint64_t length)
{
    struct flock lock = lockfile_range(type, start, length);
    if (fcntl(fd, F_GETLK, &lock) < 0 || lock.l_type == F_UNLCK)
        return 0;
    return lock.l_pid > 0 ? lock.l_pid : -1;
}

int lockfile_try(int fd, bool exclusive, uint64_t start, uint64_t length, pid_t *holder)
{
    int type = exclusive ? F_WRLCK : F_RDLCK;
    struct flock lock = lockfile_range(type, start, length);
    if (fcntl(fd, F_SETLK, &lock) == 0)
        return 0;
    if (holder)
        *holder = lockfile_in_the_way(fd, type, start, length);
    return -1;
}

static void lockfile_wake(int signal_number)
{
    (void)signal_number;
}

/* What interrupts F_SETLKW: SIGALRM, with a handler that does nothing. */
struct lockfile_alarm {
    timer_t timer;
    struct sigaction action;
    sigset_t mask;
};

static int lockfile_alarm_begin(struct lockfile_alarm *a, duration patience)
{
    struct sigevent event = {.sigev_notify = SIGEV_SIGNAL, .sigev_signo = SIGALRM};
    if (timer_create(CLOCK_BOOTTIME, &event, &a->timer) < 0)
        return -1;
    struct sigaction wake = {.sa_handler = lockfile_wake}; /* no SA_RESTART */
    sigset_t alarm_only;
    sigemptyset(&alarm_only);
    sigaddset(&alarm_only, SIGALRM);
    sigaction(SIGALRM, &wake, &a->action);
    sigprocmask(SIG_UNBLOCK, &alarm_only, &a->mask);
    /* It goes on every 10 ms, since the first alarm may come just before fcntl begins to wait. */
    struct itimerspec when = {.it_value = {.tv_sec = patience / SECOND, .tv_nsec = patience % SECOND}, .it_interval = {.tv_nsec = 10000000}};
    timer_settime(a->timer, 0, &when, NULL);
    return 0;
}

static void lockfile_alarm_end(struct lockfile_alarm *a)
{
    timer_delete(a->timer);
    sigprocmask(SIG_SETMASK, &a->mask, NULL);
    /* A last alarm that is pending on a blocked signal would hit the old action later: ignoring a signal throws it away. */
    struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGALRM, &ignore, NULL);
    sigaction(SIGALRM, &a->action, NULL);
}

static int lockfile_wait_for(int fd, struct flock *lock, int64_t deadline)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    for (;;) {
        if (fcntl(fd, F_SETLKW, lock) == 0)
            return 0;
        if (errno == EDEADLK) /* two that wait for each other: the other one may lose patience first */
            nanosleep(&pause, NULL);
        else if (errno != EINTR)
            return -1;
        if (clock_mono().ns >= deadline)
            return -1;
    }
}

int lockfile_wait(int fd, bool exclusive, uint64_t start, uint64_t length, duration patience, pid_t *holder)
{
    struct lockfile_alarm alarm_clock;
    struct flock lock = lockfile_range(exclusive ? F_WRLCK : F_RDLCK, start, length);
    if (lockfile_try(fd, exclusive, start, length, holder) == 0)
        return 0;
    if (patience <= 0)
        return -1;
    if (lockfile_alarm_begin(&alarm_clock, patience) < 0)
        return -1;
    int64_t now = clock_mono().ns;
    int got = lockfile_wait_for(fd, &lock, patience > INT64_MAX - now ? INT64_MAX : now + patience);
    lockfile_alarm_end(&alarm_clock);
    return got == 0 ? 0 : lockfile_try(fd, exclusive, start, length, holder);
}

void lockfile_release(int fd, uint64_t start, uint64_t length)
{
    struct flock lock = lockfile_range(F_UNLCK, start, length);
    fcntl(fd, F_SETLK, &lock);
}

pid_t lockfile_holder(int fd, uint64_t start, uint64_t length)
{
    return lockfile_in_the_way(fd, F_WRLCK, start, length);
}
