#include "spool/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "spool/output_ring.h"

/* output/J.N is the plain beginning. What comes after the first half of the limit goes into output/J.N.tail, a ring (output_ring.h). */

struct output_writer {
    const struct folder *folder;
    struct run_id id;
    int64_t head_limit, ring_limit, limit;
    int64_t total;
    int64_t head;     /* bytes in the plain file */
    bool head_closed; /* full, or a write failed: nothing more goes there */
    int fd, failed;   /* failed: the first errno */
    struct ring *ring;
    char first[OUTPUT_INLINE_MAX];
};

static void output_name(struct run_id id, const char *ending, char out[RUN_ID_SIZE + 8])
{
    char text[RUN_ID_SIZE];
    run_id_format(id, text);
    memcpy(mempcpy(out, text, strlen(text)), ending, strlen(ending) + 1);
}

struct output_writer *output_writer_new(const struct folder *f, struct run_id id, int64_t limit)
{
    struct output_writer *w = mem_alloc(sizeof *w);
    int64_t kept = limit > 0 ? limit : 0;
    w->folder = f;
    w->id = id;
    w->limit = kept;
    w->head_limit = kept / 2;
    w->ring_limit = kept - kept / 2;
    w->total = w->head = 0;
    w->head_closed = false;
    w->fd = -1;
    w->failed = 0;
    w->ring = NULL;
    return w;
}

static void output_fail(struct output_writer *w, int number)
{
    if (!w->failed)
        w->failed = number;
}

static int output_create(struct output_writer *w, const char *ending)
{
    char name[RUN_ID_SIZE + 8];
    output_name(w->id, ending, name);
    int fd = openat(w->folder->output, name, O_RDWR | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        output_fail(w, errno);
    return fd;
}

/* Returns how many bytes went into the plain file. After a failure the rest goes to the ring: the reader sees a hole in between. */
static size_t output_add_head(struct output_writer *w, const char *data, size_t length)
{
    if (w->head_closed)
        return 0;
    if (w->fd < 0 && (w->fd = output_create(w, "")) < 0) {
        w->head_closed = true;
        return 0;
    }
    size_t want = (uint64_t)(w->head_limit - w->head) < length ? (size_t)(w->head_limit - w->head) : length;
    size_t done = 0;
    while (done < want) {
        ssize_t n = pwrite(w->fd, data + done, want - done, w->head);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            output_fail(w, n < 0 ? errno : ENOSPC);
            w->head_closed = true;
            return done;
        }
        done += (size_t)n;
        w->head += n;
    }
    w->head_closed = w->head == w->head_limit;
    return done;
}

static void output_add_tail(struct output_writer *w, const char *data, size_t length)
{
    int64_t position = w->total - (int64_t)length;
    if (!w->ring_limit)
        return;
    if (!w->ring) {
        int fd = output_create(w, ".tail");
        if (fd < 0)
            return; /* tried again with the next bytes */
        w->ring = ring_new(fd, w->ring_limit, position);
    }
    int number = ring_add(w->ring, position, data, length);
    if (number)
        output_fail(w, number);
}

void output_writer_add(struct output_writer *w, const void *data, size_t length)
{
    if (!length)
        return;
    if (w->total < OUTPUT_INLINE_MAX) {
        size_t room = OUTPUT_INLINE_MAX - (size_t)w->total;
        memcpy(w->first + w->total, data, length < room ? length : room);
    }
    w->total += (int64_t)length;
    size_t done = output_add_head(w, data, length);
    if (done < length)
        output_add_tail(w, (const char *)data + done, length - done);
}

int64_t output_writer_total(const struct output_writer *w)
{
    return w->total;
}

int output_writer_errno(const struct output_writer *w)
{
    return w->failed;
}

const char *output_writer_inline(const struct output_writer *w, size_t *length)
{
    /* Bytes that a full disk refused are still in memory, so a small output is whole all the same. */
    if (w->total > OUTPUT_INLINE_MAX || w->total > w->limit)
        return NULL;
    *length = (size_t)w->total;
    return w->first;
}

void output_writer_free(struct output_writer *w, bool remove_file)
{
    if (!w)
        return;
    if (remove_file && (w->fd >= 0 || w->ring))
        output_remove(w->folder, w->id);
    if (w->fd >= 0)
        close(w->fd);
    ring_free(w->ring);
    free(w);
}

void output_remove(const struct folder *f, struct run_id id)
{
    char name[RUN_ID_SIZE + 8];
    output_name(id, "", name);
    unlinkat(f->output, name, 0);
    output_name(id, ".tail", name);
    unlinkat(f->output, name, 0);
}

/* ---- reading ---- */

struct output_reader {
    int folder, fd; /* fd -1: the plain file could not be made, everything is in the ring */
    struct run_id id;
    int64_t position;
    struct ring *ring;
};

static int output_open(int folder, struct run_id id, const char *ending)
{
    char name[RUN_ID_SIZE + 8];
    output_name(id, ending, name);
    return openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
}

int output_reader_open(const struct folder *f, struct run_id id, struct output_reader **out, struct error *e)
{
    char text[RUN_ID_SIZE];
    run_id_format(id, text);
    int fd = output_open(f->output, id, "");
    if (fd < 0 && errno == ENOENT) {
        int tail = output_open(f->output, id, ".tail");
        if (tail < 0)
            return error_set(e, ERROR_NOT_FOUND, "run %s has written nothing yet", text);
        close(tail);
    } else if (fd < 0) {
        return error_errno(e, ERROR_SPOOL, errno, "output of run %s", text);
    }
    int folder = fcntl(f->output, F_DUPFD_CLOEXEC, 3); /* the reader may outlive f */
    if (folder < 0) {
        int number = errno;
        if (fd >= 0)
            close(fd);
        return error_errno(e, ERROR_SPOOL, number, "output of run %s", text);
    }
    struct output_reader *r = mem_zero(1, sizeof *r);
    r->folder = folder;
    r->fd = fd;
    r->id = id;
    *out = r;
    return 0;
}

void output_reader_close(struct output_reader *r)
{
    if (!r)
        return;
    if (r->fd >= 0)
        close(r->fd);
    close(r->folder);
    ring_free(r->ring);
    free(r);
}

static int output_read_head(struct output_reader *r, struct buf *b, size_t max)
{
    if (r->fd < 0)
        return 0;
    buf_reserve(b, max);
    ssize_t n;
    do
        n = pread(r->fd, b->data + b->length, max, r->position);
    while (n < 0 && errno == EINTR);
    if (n <= 0)
        return 0;
    b->length += (size_t)n;
    b->data[b->length] = '\0';
    r->position += n;
    return (int)n;
}

int output_reader_next(struct output_reader *r, struct buf *b, size_t max, int64_t *missing)
{
    if (!max)
        return 0;
    if (max > (1 << 20))
        max = 1 << 20;
    if (!r->ring) {
        /* Look for the ring first, then read on: the plain file does not grow any more once the ring is there. */
        int fd = output_open(r->folder, r->id, ".tail");
        if (fd >= 0)
            r->ring = ring_open(fd);
    }
    int n = output_read_head(r, b, max);
    if (n || !r->ring)
        return n;
    return ring_read(r->ring, &r->position, b, max, missing);
}
