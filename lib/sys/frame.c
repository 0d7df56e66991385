#include "lib/sys/frame.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "lib/text/pack.h"

#define HEAD 4
#define FRAME_KEEP ((size_t)64 << 10)   /* an empty buffer larger than this is given back */
#define FRAME_STEP ((size_t)1 << 20)    /* at most so much memory ahead of what has really come */

void frame_clear(struct frame *f)
{
    buf_clear(&f->in);
    buf_clear(&f->out);
    if (f->fd > 0)
        close(f->fd);
    *f = (struct frame){0};
}

static void frame_empty(struct buf *b)
{
    if (b->capacity > FRAME_KEEP)
        buf_clear(b);
    else
        buf_reset(b);
}

static uint32_t frame_number(const char *head)
{
    const unsigned char *h = (const unsigned char *)head;
    return (uint32_t)h[0] << 24 | (uint32_t)h[1] << 16 | (uint32_t)h[2] << 8 | h[3];
}

/* ---- sending ---- */

bool frame_put(struct frame *f, const struct value *message)
{
    size_t head = f->out.length;
    buf_add(&f->out, "\0\0\0\0", HEAD);
    pack_write(&f->out, message);
    size_t length = f->out.length - head - HEAD;
    if (length > FRAME_MAX) { /* the other end would take it for nonsense */
        buf_cut(&f->out, head);
        return false;
    }
    for (int i = 0; i < HEAD; i++)
        f->out.data[head + (size_t)i] = (char)(length >> (24 - 8 * i));
    return true;
}

int frame_flush(struct frame *f)
{
    while (!f->broken && f->sent < f->out.length) {
        ssize_t n = send(f->fd, f->out.data + f->sent, f->out.length - f->sent, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n >= 0)
            f->sent += (size_t)n;
        else if (errno == EAGAIN || errno == EWOULDBLOCK)
            return 1;
        else if (errno != EINTR)
            f->broken = true;
    }
    f->sent = 0;
    frame_empty(&f->out);
    return f->broken ? -1 : 0;
}

/* ---- receiving ---- */

/* 1: a message, 0: not all of it is there, -1: nonsense. */
static int frame_take(struct frame *f, struct value *message)
{
    size_t there = f->in.length - f->taken;
    const char *start = there ? f->in.data + f->taken : NULL;
    if (there < HEAD)
        return 0;
    uint32_t length = frame_number(start);
    if (length > FRAME_MAX) /* nonsense; any text taken for a length is more */
        return -1;
    if (there - HEAD < length)
        return 0;
    struct value v = {0};
    if (pack_read(start + HEAD, length, &v, NULL) < 0)
        return -1;
    if (v.kind != VALUE_MAP) {
        value_clear(&v);
        return -1;
    }
    f->taken += HEAD + length;
    *message = v;
    return 1;
}

/* Bytes to make room for: what is missing of the next message, within reason. */
static size_t frame_missing(const struct frame *f)
{
    size_t missing = 0;
    if (f->in.length >= HEAD)
        missing = frame_number(f->in.data) + HEAD - f->in.length;
    if (missing < 4096)
        return 4096;
    return missing < FRAME_STEP ? missing : FRAME_STEP;
}

/* 1: something came, 0: nothing for now, -1: the end. */
static int frame_receive(struct frame *f)
{
    if (f->taken == f->in.length) {
        frame_empty(&f->in);
    } else if (f->taken) {
        memmove(f->in.data, f->in.data + f->taken, f->in.length - f->taken);
        buf_cut(&f->in, f->in.length - f->taken);
    }
    f->taken = 0;
    size_t room = frame_missing(f);
    buf_reserve(&f->in, room);
    for (;;) {
        ssize_t n = recv(f->fd, f->in.data + f->in.length, room, MSG_DONTWAIT);
        if (n > 0) {
            f->in.length += (size_t)n;
            f->in.data[f->in.length] = '\0';
            return 1;
        }
        if (n < 0 && errno == EINTR)
            continue;
        return n < 0 && (errno == EAGAIN || errno == EWOULDBLOCK) ? 0 : -1;
    }
}

int frame_get(struct frame *f, struct value *message)
{
    while (!f->broken) {
        int got = frame_take(f, message);
        if (got == 1)
            return 1;
        if (got == 0)
            got = frame_receive(f);
        if (got == 0)
            return 0;
        if (got < 0)
            f->broken = true;
    }
    return -1;
}
