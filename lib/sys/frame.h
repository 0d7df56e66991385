/* Messages over a stream socket: 4 bytes length (big endian), then a msgpack map. Non-blocking both ways. */
#ifndef AX_FRAME_H
#define AX_FRAME_H

#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/text/value.h"

struct frame { /* one end; zero it and set fd */
    int fd;
    struct buf in, out;
    size_t sent, taken; /* of out, of in */
    bool broken;        /* the peer is gone, or has sent nonsense */
};

void frame_clear(struct frame *f); /* frees the buffers and closes fd (if > 0) */

#define FRAME_MAX ((size_t)256 << 20) /* bytes of a message */

/* Queues a message (a map); false: it is larger than FRAME_MAX, nothing was queued. frame_flush sends what the socket takes: 0 all sent, 1 some is waiting (poll for writing), -1 the peer is gone. */
bool frame_put(struct frame *f, const struct value *message);
int frame_flush(struct frame *f);

/* Reads what is there. 1: *message holds the next message (call again), 0: no whole one yet, -1: the peer is gone (or sent nonsense). What was whole before the
 * peer went is still given out. */
int frame_get(struct frame *f, struct value *message);

#endif
