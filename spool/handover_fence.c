#include "spool/handover.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/fault.h"
#include "spool/handover_parts.h"

/* runs/J.N: `worker PID START`, then `started PID START BOOT`, each in one write. Mode 0400: closed by fence_close. */

/* A lock of the open file, not of the process: the child between fork and exec keeps it when the worker dies. */
static bool fence_lock(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_SETLK, &lock) == 0;
}

static bool fence_is_locked(int fd)
{
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    return fcntl(fd, F_OFD_GETLK, &lock) != 0 || lock.l_type != F_UNLCK;
}

static bool fence_is_closed(int fd)
{
    struct stat s;
    return fstat(fd, &s) != 0 || !(s.st_mode & S_IWUSR);
}

int fence_create(const struct folder *f, struct run_id id, const struct process_id *worker)
{
    char name[RUN_ID_SIZE];
    run_id_format(id, name);
    int fd = openat(f->runs, name, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return -1;
    FAULT_POINT("worker-fence-made");
    if (!fence_lock(fd) || fence_is_closed(fd)) {
        close(fd);
        errno = EEXIST;
        return -1;
    }
    FAULT_POINT("worker-fence-locked");
    char line[64];
    int length = snprintf(line, sizeof line, "worker %d %llu\n", (int)worker->pid, (unsigned long long)worker->start);
    ssize_t n = write(fd, line, (size_t)length);
    if (n != length) {
        int number = n < 0 ? errno : ENOSPC;
        fence_remove(f, id); /* under our lock: nobody has believed it yet, and this run does not start */
        close(fd);
        errno = number;
        return -1;
    }
    return fd;
}

/* ---- in the child, between fork and exec: nothing but system calls ---- */

static char *fence_put_text(char *p, const char *text)
{
    while (*text)
        *p++ = *text++;
    return p;
}

static char *fence_put_number(char *p, uint64_t n)
{
    char digits[24];
    int count = 0;
    do
        digits[count++] = (char)('0' + n % 10);
    while (n /= 10);
    while (count)
        *p++ = digits[--count];
    return p;
}

int fence_start(int fd, pid_t self, const char *boot)
{
    char line[BOOT_ID_SIZE + 80];
    struct process_id id = {.pid = self};
    process_identify(self, &id);
    char *p = fence_put_text(line, "started ");
    p = fence_put_number(p, (uint64_t)self);
    *p++ = ' ';
    p = fence_put_number(p, id.start);
    *p++ = ' ';
    p = fence_put_text(p, boot);
    *p++ = '\n';
    FAULT_POINT("worker-child-noting");
    ssize_t n = write(fd, line, (size_t)(p - line));
    if (n != p - line)
        return n < 0 ? errno : ENOSPC;
    FAULT_POINT("worker-child-noted");
    return 0;
}

/* ---- looking ---- */

static void fence_parse_worker(const char *line, struct fence *out)
{
    struct process_id worker;
    unsigned long long start;
    int pid;
    if (sscanf(line, "worker %d %llu", &pid, &start) != 2 || pid <= 0)
        return;
    worker = (struct process_id){.pid = pid, .start = start};
    if (process_alive(&worker)) {
        out->holder = pid;
        out->holder_start = start;
    }
}

static bool fence_parse_start(const char *line, struct fence *out)
{
    unsigned long long start;
    int pid;
    char boot[BOOT_ID_SIZE];
    _Static_assert(BOOT_ID_SIZE == 64, "the width below");
    if (sscanf(line, "started %d %llu %63s", &pid, &start, boot) != 3 || pid <= 0)
        return false;
    out->command = (struct process_id){.pid = pid, .start = start};
    memcpy(out->boot, boot, sizeof boot);
    return true;
}

static bool fence_read(int fd, struct fence *out) /* true: there is a start line */
{
    char text[512];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    bool started = false;
    char *rest = text;
    for (char *line; (line = strsep(&rest, "\n"));) {
        fence_parse_worker(line, out);
        started = fence_parse_start(line, out) || started;
    }
    return started;
}

void fence_look(const struct folder *f, struct run_id id, struct fence *out)
{
    *out = (struct fence){.state = FENCE_NONE, .started = INSTANT_NONE};
    struct stat s;
    char name[RUN_ID_SIZE];
    run_id_format(id, name);
    int fd = openat(f->runs, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) {
        if (errno != ENOENT)
            out->state = FENCE_HELD; /* such as no descriptor free: say nothing that could be wrong */
        return;
    }
    bool held = fence_is_locked(fd); /* before reading: what is written without the lock is not written at all */
    bool started = fence_read(fd, out);
    if (started && fstat(fd, &s) == 0) /* nothing is written after the start line */
        out->started = (instant)s.st_mtim.tv_sec * SECOND + s.st_mtim.tv_nsec;
    if (held) {
        out->state = FENCE_HELD;
    } else {
        out->state = started ? FENCE_STARTED : FENCE_UNSTARTED;
        out->holder = 0;
    }
    close(fd);
}

bool fence_close(const struct folder *f, struct run_id id)
{
    char name[RUN_ID_SIZE];
    run_id_format(id, name);
    struct fence seen = {0};
    int fd = openat(f->runs, name, O_RDONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0400);
    if (fd >= 0) { /* nobody had made it */
        close(fd);
        return true;
    }
    if (errno != EEXIST || (fd = openat(f->runs, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK)) < 0)
        return false;
    bool closed = fence_is_closed(fd);
    if (!closed) {
        /* Someone was faster; if no lock is held, he is gone, or has not come to locking and finds it closed. To lock for writing the file must be open for it. */
        int writable = openat(f->runs, name, O_RDWR | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
        if (writable >= 0) {
            closed = fence_lock(writable) && !fence_read(writable, &seen) && fchmod(writable, 0400) == 0;
            close(writable);
        }
    }
    close(fd);
    return closed;
}

void fence_remove(const struct folder *f, struct run_id id)
{
    char name[RUN_ID_SIZE];
    run_id_format(id, name);
    unlinkat(f->runs, name, 0);
}

void fence_each(const struct folder *f, fence_call *call, void *context)
{
    handover_each(f->runs, "", call, context);
}
