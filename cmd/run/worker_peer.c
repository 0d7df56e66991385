#include "cmd/run/worker_parts.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/fault.h"
#include "lib/base/mem.h"

#define PEERS_MOST 16

void peer_free(struct peer *p)
{
    struct work *w = p->work;
    for (struct peer **at = &w->peers; *at; at = &(*at)->next) {
        if (*at == p) {
            *at = p->next;
            w->peer_count--;
            break;
        }
    }
    if (w->scheduler == p)
        w->scheduler = NULL;
    loop_remove(w->loop, p->source);
    frame_clear(&p->frame);
    free(p);
}

/* A peer that is gone is noticed by reading: what it sent before, such as an ack, must be taken first. */
static void peer_flush(struct peer *p)
{
    int left = frame_flush(&p->frame);
    loop_modify(p->work->loop, p->source, left == 1 ? EPOLLIN | EPOLLOUT : EPOLLIN);
}

void peer_send(struct peer *p, const struct value *message)
{
    frame_put(&p->frame, message);
    if (frame_flush(&p->frame) == 1)
        loop_modify(p->work->loop, p->source, EPOLLIN | EPOLLOUT);
}

static void peer_event(void *context, uint32_t events)
{
    struct peer *p = context;
    struct work *w = p->work;
    if (events & EPOLLOUT)
        peer_flush(p);
    if (!(events & ~(uint32_t)EPOLLOUT))
        return;
    struct value message;
    int got;
    while (!w->over && (got = frame_get(&p->frame, &message)) != 0) {
        if (got < 0) {
            bool scheduler = p == w->scheduler;
            peer_free(p);
            if (scheduler)
                work_orphaned(w);
            return;
        }
        work_message(w, p, &message);
        value_clear(&message);
    }
}

struct peer *peer_add(struct work *w, int fd)
{
    if (w->peer_count >= PEERS_MOST) {
        close(fd);
        return NULL;
    }
    struct peer *p = mem_zero(1, sizeof *p);
    p->work = w;
    p->frame.fd = fd;
    p->source = loop_add(w->loop, fd, EPOLLIN, peer_event, p, NULL);
    if (!p->source) {
        frame_clear(&p->frame);
        free(p);
        return NULL;
    }
    p->next = w->peers;
    w->peers = p;
    w->peer_count++;
    return p;
}

static void peer_accept(void *context, uint32_t events)
{
    (void)events;
    struct work *w = context;
    int fd = accept4(w->listener, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    if (fd >= 0) {
        peer_add(w, fd);
    } else if (errno != EAGAIN && errno != EINTR && errno != ECONNABORTED) {
        peer_listen_end(w); /* no descriptor free: listening on would spin */
        loop_timer_set(w->loop, &w->retry, SECOND);
    }
}

bool peer_listen(struct work *w)
{
    if (w->listener >= 0)
        return true;
    int fd = orphan_listen(&w->folder, w->order.id);
    if (fd < 0)
        return false;
    w->listening = loop_add(w->loop, fd, EPOLLIN, peer_accept, w, NULL);
    if (!w->listening) {
        orphan_remove(&w->folder, w->order.id);
        close(fd);
        return false;
    }
    w->listener = fd;
    FAULT_POINT("worker-listening");
    return true;
}

void peer_listen_end(struct work *w)
{
    if (w->listener < 0)
        return;
    orphan_remove(&w->folder, w->order.id);
    FAULT_POINT("worker-socket-removed");
    loop_remove(w->loop, w->listening);
    close(w->listener);
    w->listener = -1;
}
