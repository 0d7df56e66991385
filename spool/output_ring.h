/* The end of a long output: a file that holds the last bytes of a stream, written by one process while others read it.
 *
 * A header names the part of the stream that is there: [start, end), the byte at stream position p lying at p modulo size. The writer moves start before
 * it writes over old bytes, and end after it has written new ones; a reader looks at the header again after it has read, and drops what was written over. */
#ifndef AX_OUTPUT_RING_H
#define AX_OUTPUT_RING_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"

struct ring;

/* Both take over fd. ring_new: for an empty file, the stream goes on at `position`. ring_open: NULL while the header is not there yet, or is none. */
struct ring *ring_new(int fd, int64_t size, int64_t position);
struct ring *ring_open(int fd);
void ring_free(struct ring *r); /* NULL allowed */

/* Writes the bytes of the stream from `position` on. 0, or the errno: then they are left out, and what comes later starts anew. */
int ring_add(struct ring *r, int64_t position, const char *data, size_t length);

/* As output_reader_next, from *position on, which it moves. */
int ring_read(struct ring *r, int64_t *position, struct buf *b, size_t max, int64_t *missing);

#endif
