#include "spool/output_ring.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"

#define RING_MAGIC UINT64_C(0x31676e6972207861) /* "ax ring1" */

struct ring_header {
    uint64_t magic;
    int64_t size, start, end;
};

struct ring {
    int fd;
    struct ring_header header;
};

static int ring_write(int fd, const void *data, size_t length, int64_t offset)
{
    while (length) {
        ssize_t n = pwrite(fd, data, length, offset);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        data = (const char *)data + n;
        length -= (size_t)n;
        offset += n;
    }
    return 0;
}

static int ring_write_header(struct ring *r)
{
    return ring_write(r->fd, &r->header, sizeof r->header, 0);
}

static bool ring_read_header(int fd, struct ring_header *h)
{
    return pread(fd, h, sizeof *h, 0) == sizeof *h && h->magic == RING_MAGIC && h->size > 0 && h->start >= 0 && h->end >= h->start &&
           h->end - h->start <= h->size;
}

struct ring *ring_new(int fd, int64_t size, int64_t position)
{
    struct ring *r = mem_zero(1, sizeof *r);
    r->fd = fd;
    r->header = (struct ring_header){.magic = RING_MAGIC, .size = size, .start = position, .end = position};
    return r;
}

struct ring *ring_open(int fd)
{
    struct ring_header h;
    if (!ring_read_header(fd, &h)) {
        close(fd);
        return NULL;
    }
    struct ring *r = mem_zero(1, sizeof *r);
    r->fd = fd;
    r->header = h;
    return r;
}

void ring_free(struct ring *r)
{
    if (!r)
        return;
    close(r->fd);
    free(r);
}

/* The bytes of the stream at `position`, in at most two pieces. */
static int ring_write_data(struct ring *r, int64_t position, const char *data, size_t length)
{
    while (length) {
        int64_t at = position % r->header.size;
        size_t piece = (uint64_t)(r->header.size - at) < length ? (size_t)(r->header.size - at) : length;
        int number = ring_write(r->fd, data, piece, (int64_t)sizeof r->header + at);
        if (number)
            return number;
        position += (int64_t)piece;
        data += piece;
        length -= piece;
    }
    return 0;
}

int ring_add(struct ring *r, int64_t position, const char *data, size_t length)
{
    if ((uint64_t)length > (uint64_t)r->header.size) { /* only its end can stay */
        size_t skip = length - (size_t)r->header.size;
        data += skip;
        length -= skip;
        position += (int64_t)skip;
    }
    int64_t end = position + (int64_t)length;
    if (position != r->header.end) /* bytes were skipped, or lost to a full disk */
        r->header.start = r->header.end = position;
    bool moved = r->header.start < end - r->header.size;
    if (moved)
        r->header.start = end - r->header.size;
    if (r->header.start > r->header.end)
        r->header.end = r->header.start;
    int number = moved || position == r->header.start ? ring_write_header(r) : 0;
    if (!number)
        number = ring_write_data(r, position, data, length);
    if (number)
        r->header.start = end; /* nothing of it can be believed */
    r->header.end = end;
    int second = ring_write_header(r);
    return number ? number : second;
}

int ring_read(struct ring *r, int64_t *position, struct buf *b, size_t max, int64_t *missing)
{
    struct ring_header h;
    if (!ring_read_header(r->fd, &h))
        return 0;
    if (*position < h.start) {
        *missing = h.start - *position;
        *position = h.start;
        return -1;
    }
    if (*position >= h.end)
        return 0;
    int64_t at = *position % h.size;
    int64_t there = h.end - *position < h.size - at ? h.end - *position : h.size - at;
    size_t want = (uint64_t)there < max ? (size_t)there : max;
    buf_reserve(b, want);
    ssize_t n = pread(r->fd, b->data + b->length, want, (int64_t)sizeof h + at);
    if (n <= 0 || !ring_read_header(r->fd, &h))
        return 0;
    if (*position < h.start) { /* written over while it was read */
        *missing = h.start - *position;
        *position = h.start;
        return -1;
    }
    b->length += (size_t)n;
    b->data[b->length] = '\0';
    *position += n;
    return (int)n;
}
