/* A spool folder of its own and real worker processes, for the tests of the hand-over. The test program is the worker too: it executes itself. */
#ifndef AX_WORKER_PROCESS_H
#define AX_WORKER_PROCESS_H

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/sys/frame.h"
#include "lib/sys/lockfile.h"
#include "lib/sys/process.h"
#include "spool/folder.h"
#include "spool/handover.h"

#define WORKER_GENERATION 7
#define PATIENCE_MS 20000

struct place {
    char path[128];
    struct folder folder;
    int lock; /* scheduler.lock */
};

static inline void place_open(struct place *p, const char *path)
{
    struct error e;
    snprintf(p->path, sizeof p->path, "%s", path);
    if (folder_open(path, true, &p->folder, &e) != 0) {
        fprintf(stderr, "%s\n", e.text);
        abort();
    }
    p->lock = -1;
}

static inline void place_new(struct place *p)
{
    char path[128];
    const char *below = getenv("TMPDIR");
    snprintf(path, sizeof path, "%s/ax-hand-XXXXXX", below ? below : "/tmp");
    if (!mkdtemp(path))
        abort();
    place_open(p, path);
}

static inline void place_lock(struct place *p)
{
    pid_t holder;
    p->lock = lockfile_open(p->folder.fd, "scheduler.lock", NULL);
    if (p->lock < 0 || lockfile_wait(p->lock, true, 0, 1, 10 * SECOND, &holder) != 0)
        abort();
}

static inline void place_clear(struct place *p, bool removing)
{
    char command[256];
    if (p->lock >= 0)
        close(p->lock);
    folder_clear(&p->folder);
    snprintf(command, sizeof command, "rm -rf %s", p->path);
    if (removing && system(command) != 0)
        abort();
}

static inline int64_t now_ms(void)
{
    return clock_mono().ns / 1000000;
}

/* Executes this program as a worker; `fault` becomes its AX_FAULT. user: 0 stays who we are. */
static inline pid_t worker_process_as(const struct place *p, uint32_t generation, const char *fault, uid_t user, struct frame *socket_end)
{
    int ends[2];
    char number[16];
    snprintf(number, sizeof number, "%u", generation);
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, ends) != 0)
        abort();
    pid_t pid = fork();
    if (pid == 0) {
        if (fault)
            setenv("AX_FAULT", fault, 1);
        else
            unsetenv("AX_FAULT");
        setsid();
        if (user && setresuid(user, user, user) != 0)
            _exit(126);
        if (ends[1] == 3)
            fcntl(3, F_SETFD, 0);
        else
            dup2(ends[1], 3);
        close_range(4, ~0U, CLOSE_RANGE_CLOEXEC);
        execl("/proc/self/exe", "ax", "__worker", p->path, number, NULL);
        _exit(127);
    }
    close(ends[1]);
    *socket_end = (struct frame){.fd = ends[0]};
    return pid;
}

static inline pid_t worker_process(const struct place *p, uint32_t generation, const char *fault, struct frame *socket_end)
{
    return worker_process_as(p, generation, fault, 0, socket_end);
}

static inline void frame_send(struct frame *f, struct value message)
{
    frame_put(f, &message);
    value_clear(&message);
    for (int64_t end = now_ms() + PATIENCE_MS; frame_flush(f) == 1 && now_ms() < end;) {
        struct pollfd one = {.fd = f->fd, .events = POLLOUT};
        poll(&one, 1, 1000);
    }
}

/* The next message: 1; 0: nothing came in time; -1: the other end is gone. */
static inline int frame_wait(struct frame *f, struct value *message, int ms)
{
    for (int64_t end = now_ms() + ms;;) {
        int got = frame_get(f, message);
        if (got)
            return got;
        int64_t left = end - now_ms();
        struct pollfd poll_one = {.fd = f->fd, .events = POLLIN};
        if (left <= 0 || (poll(&poll_one, 1, (int)left) == 0))
            return 0;
    }
}

static inline int frame_wait_report(struct frame *f, struct report *r, int ms)
{
    struct value message;
    int got;
    while ((got = frame_wait(f, &message, ms)) == 1) {
        bool ended = message_kind(&message) == MESSAGE_ENDED && report_read(&message, r, NULL) == 0;
        value_clear(&message);
        if (ended)
            return 1;
    }
    return got;
}

static inline bool wait_gone(pid_t pid, int ms) /* a child */
{
    for (int64_t end = now_ms() + ms; now_ms() < end; usleep(2000)) {
        pid_t got = waitpid(pid, NULL, WNOHANG);
        if (got == pid || (got < 0 && errno == ECHILD))
            return true;
    }
    return false;
}

static inline int folder_entries(int folder, struct buf *names)
{
    char path[64];
    snprintf(path, sizeof path, "ls -A /proc/self/fd/%d/", folder);
    int keep = fcntl(folder, F_DUPFD, 10);
    snprintf(path, sizeof path, "ls -A /proc/%d/fd/%d/", (int)getpid(), keep);
    FILE *f = popen(path, "r");
    char line[300];
    int count = 0;
    while (f && fgets(line, sizeof line, f)) {
        count++;
        buf_text(names, line);
    }
    if (f)
        pclose(f);
    close(keep);
    return count;
}

#endif
