#include "lib/sys/process.h"

#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* Reads a small file of /proc; returns the bytes, or -1. */
static ssize_t process_file(const char *path, char *out, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return -1;
    ssize_t got;
    do
        got = read(fd, out, size - 1);
    while (got < 0 && errno == EINTR);
    close(fd);
    if (got >= 0)
        out[got] = '\0';
    return got;
}

/* `PID (COMMAND) STATE PPID ...`: the command may hold blanks, parentheses and line ends, so it ends at the last `)`. */
bool process_parse(const char *stat, size_t length, struct process_facts *out)
{
    struct process_facts f = {0};
    const char *open = memchr(stat, '(', length), *close = memrchr(stat, ')', length);
    if (!open || !close || close < open)
        return false;
    size_t name = (size_t)(close - open) - 1;
    if (name >= sizeof f.command)
        name = sizeof f.command - 1;
    memcpy(f.command, open + 1, name);
    /* fields 3 state, 4 parent, 6 session, 20 threads, 22 start */
    int got = sscanf(close + 1, " %c %d %*d %d %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %*s %d %*s %" SCNu64,
                     &f.state, &f.parent, &f.session, &f.threads, &f.id.start);
    f.id.pid = (pid_t)strtol(stat, NULL, 10);
    if (got != 5 || f.id.pid <= 0)
        return false;
    *out = f;
    return true;
}

bool process_read(pid_t pid, struct process_facts *out)
{
    char path[64], text[2048];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    ssize_t got = pid > 0 ? process_file(path, text, sizeof text) : -1;
    return got > 0 && process_parse(text, (size_t)got, out);
}

/* The first thread of a process may end before the others: the process then looks like a zombie, but lives. */
bool process_over(const struct process_facts *f)
{
    return f->state == 'X' || f->state == 'x' || (f->state == 'Z' && f->threads <= 1);
}

bool process_identify(pid_t pid, struct process_id *out)
{
    struct process_facts f;
    if (!process_read(pid, &f))
        return false;
    *out = f.id;
    return true;
}

bool process_alive(const struct process_id *p)
{
    struct process_facts f;
    return process_read(p->pid, &f) && f.id.start == p->start && !process_over(&f);
}

bool process_stopped(pid_t pid)
{
    struct process_facts f;
    return process_read(pid, &f) && f.state == 'T';
}

void process_boot(char out[BOOT_ID_SIZE])
{
    char id[BOOT_ID_SIZE];
    struct process_facts first = {0};
    ssize_t got = process_file("/proc/sys/kernel/random/boot_id", id, 40);
    while (got > 0 && isspace((unsigned char)id[got - 1]))
        got--;
    id[got > 0 ? got : 0] = '\0';
    process_read(1, &first); /* hidden from us: 0, the same for all of this boot */
    snprintf(out, BOOT_ID_SIZE, "%.36s/%" PRIu64, id, first.id.start);
}

int process_open(pid_t pid)
{
    return (int)syscall(SYS_pidfd_open, pid, 0);
}

int process_signal(int handle, int number)
{
    return (int)syscall(SYS_pidfd_send_signal, handle, number, NULL, 0);
}
