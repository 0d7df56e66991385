#include "cmd/run/pool.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fault.h"
#include "lib/base/mem.h"
#include "lib/sys/child.h"
#include "lib/sys/process.h"

void pool_init(struct pool *p, struct loop *l, const struct pool_calls *calls, void *context)
{
    *p = (struct pool){.loop = l, .calls = calls, .context = context};
}

static void list_add(struct worker **list, struct worker *w)
{
    w->previous = NULL;
    w->next = *list;
    if (*list)
        (*list)->previous = w;
    *list = w;
}

static void list_remove(struct worker **list, struct worker *w)
{
    if (w->previous)
        w->previous->next = w->next;
    else
        *list = w->next;
    if (w->next)
        w->next->previous = w->previous;
}

static void worker_hang_up(struct worker *w)
{
    loop_remove(w->pool->loop, w->socket);
    w->socket = NULL;
    frame_clear(&w->frame);
    w->frame = (struct frame){0};
}

static void worker_free(struct worker *w)
{
    list_remove(w->run ? &w->pool->busy : &w->pool->idle, w);
    if (!w->run)
        w->pool->idle_count--;
    w->pool->count--;
    worker_hang_up(w);
    loop_remove(w->pool->loop, w->end);
    if (w->pidfd >= 0)
        close(w->pidfd);
    free(w);
}

void worker_drop(struct worker *w)
{
    worker_free(w);
}

void pool_clear(struct pool *p)
{
    while (p->idle)
        worker_free(p->idle);
    while (p->busy)
        worker_free(p->busy);
}

/* The messages that have come in; false when the connection is gone. */
static bool worker_receive(struct worker *w)
{
    struct value message;
    int got;
    while ((got = frame_get(&w->frame, &message)) == 1) {
        struct report report;
        if (message_kind(&message) == MESSAGE_ENDED && w->run && report_read(&message, &report, NULL) == 0)
            w->pool->calls->report(w->pool->context, w, &report);
        value_clear(&message);
    }
    return got == 0;
}

static void worker_flush(struct worker *w)
{
    int left = frame_flush(&w->frame);
    if (left >= 0)
        loop_modify(w->pool->loop, w->socket, left ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

static void worker_on_socket(void *context, uint32_t events)
{
    struct worker *w = context;
    bool there = !(events & (EPOLLIN | EPOLLHUP | EPOLLERR)) || worker_receive(w);
    if (there) {
        if (events & EPOLLOUT)
            worker_flush(w);
        return;
    }
    if (!w->run) {
        worker_free(w);
        return;
    }
    worker_hang_up(w);
    w->pool->calls->hung_up(w->pool->context, w);
}

static void worker_on_end(void *context, uint32_t events)
{
    (void)events;
    struct worker *w = context;
    if (w->socket && !worker_receive(w))
        worker_hang_up(w);
    if (w->run)
        w->pool->calls->died(w->pool->context, w);
    worker_free(w);
}

static struct worker *worker_new(struct pool *p, pid_t pid, int pidfd, struct error *e)
{
    struct worker *w = mem_zero(1, sizeof *w);
    *w = (struct worker){.pool = p, .pid = pid, .pidfd = pidfd};
    w->end = loop_add(p->loop, pidfd, EPOLLIN, worker_on_end, w, e);
    if (!w->end) {
        free(w);
        return NULL;
    }
    list_add(&p->idle, w);
    p->idle_count++;
    p->count++;
    return w;
}

static bool worker_attach(struct worker *w, int fd, struct error *e)
{
    w->frame = (struct frame){.fd = fd};
    w->socket = loop_add(w->pool->loop, fd, EPOLLIN, worker_on_socket, w, e);
    if (!w->socket)
        frame_clear(&w->frame);
    return w->socket != NULL;
}

/* A worker is ax itself, executed anew: a small process with nothing of the scheduler's memory or descriptors. */
static pid_t worker_spawn(struct pool *p, int *socket_fd, int *pidfd, struct error *e)
{
    int pair[2];
    char generation[16];
    if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0, pair) != 0) {
        error_errno(e, ERROR_FAILED, errno, "making a socket pair for a worker");
        return -1;
    }
    snprintf(generation, sizeof generation, "%u", p->generation);
    char *argv[] = {"ax", "__worker", (char *)p->spool, generation, NULL};
    struct child child = {.file = "/proc/self/exe", .argv = argv, .envp = environ, .directory = "/", .in = -1, .out = -1,
        .err = -1, .keep = pair[1], .umask_bits = 077, .new_session = true};
    struct child_failure failure;
    pid_t pid = child_spawn(&child, pidfd, &failure);
    close(pair[1]);
    if (pid < 0) {
        error_errno(e, ERROR_FAILED, failure.number, "starting a worker: %s", child_step_name(failure.step));
        close(pair[0]);
        return -1;
    }
    *socket_fd = pair[0];
    return pid;
}

static struct worker *pool_grow(struct pool *p, struct error *e)
{
    int fd = -1, pidfd = -1;
    pid_t pid = worker_spawn(p, &fd, &pidfd, e);
    if (pid < 0)
        return NULL;
    struct worker *w = worker_new(p, pid, pidfd, e);
    if (!w) {
        close(fd);
        close(pidfd);
        return NULL;
    }
    if (!worker_attach(w, fd, e)) {
        worker_free(w);
        return NULL;
    }
    return w;
}

struct worker *pool_take(struct pool *p, void *run, struct error *e)
{
    struct worker *w = p->idle ? p->idle : pool_grow(p, e);
    if (!w)
        return NULL;
    list_remove(&p->idle, w);
    p->idle_count--;
    w->run = run;
    list_add(&p->busy, w);
    return w;
}

void pool_spare(struct pool *p)
{
    if (!p->idle)
        pool_grow(p, NULL);
}

void pool_return(struct worker *w, uint32_t most)
{
    struct pool *p = w->pool;
    list_remove(&p->busy, w);
    w->run = NULL;
    list_add(&p->idle, w);
    p->idle_count++;
    if (w->adopted || !w->socket || p->idle_count > most)
        worker_free(w);
}

bool worker_send(struct worker *w, const struct value *message)
{
    if (!w->socket)
        return true; /* its end tells */
    bool fits = frame_put(&w->frame, message);
    worker_flush(w);
    return fits;
}

static void worker_tell(struct worker *w, struct value message)
{
    worker_send(w, &message);
    value_clear(&message);
}

void worker_acknowledge(struct worker *w, struct run_id id)
{
    worker_tell(w, message_ack(id));
}

void worker_cancel(struct worker *w, struct run_id id, bool stop, duration grace)
{
    worker_tell(w, message_cancel(id, stop, grace));
}

void worker_kill(struct worker *w)
{
    process_signal(w->pidfd, SIGKILL);
}

struct worker *pool_adopt(struct pool *p, struct process_id id, void *run)
{
    int pidfd = process_open(id.pid);
    if (pidfd < 0)
        return NULL;
    /* the pid may have passed on before it was opened; from then on it cannot */
    struct worker *w = process_alive(&id) ? worker_new(p, id.pid, pidfd, NULL) : NULL;
    if (!w) {
        close(pidfd);
        return NULL;
    }
    w->adopted = true;
    list_remove(&p->idle, w);
    p->idle_count--;
    w->run = run;
    list_add(&p->busy, w);
    return w;
}

int worker_connect(struct worker *w, const struct folder *f, struct run_id id)
{
    if (w->socket)
        return 0;
    int fd = orphan_connect(f, id);
    if (fd < 0 || !worker_attach(w, fd, NULL))
        return -1;
    worker_tell(w, message_adopt());
    return 0;
}
