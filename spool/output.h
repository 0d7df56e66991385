/* The output of a run: written by its worker, read by anyone. Of what is longer than the limit the first half and the last half are kept. */
#ifndef AX_OUTPUT_H
#define AX_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "spool/folder.h"
#include "spool/run.h"

#define OUTPUT_INLINE_MAX 4096 /* outputs up to this size move into the store */

/* Writer: the file is made at the first byte, so that commands that write nothing cost nothing. */
struct output_writer;
struct output_writer *output_writer_new(const struct folder *f, struct run_id id, int64_t limit);
/* A full disk does not stop the command: what cannot be written is counted and left out; the first errno is kept. */
void output_writer_add(struct output_writer *w, const void *data, size_t length);
int64_t output_writer_total(const struct output_writer *w); /* bytes given so far */
int output_writer_errno(const struct output_writer *w);
/* All bytes so far, if they are at most OUTPUT_INLINE_MAX and none was lost; else NULL. Valid until the next call. */
const char *output_writer_inline(const struct output_writer *w, size_t *length);
void output_writer_free(struct output_writer *w, bool remove_file); /* NULL allowed */

/* Reader of a file, live or finished. */
struct output_reader;
int output_reader_open(const struct folder *f, struct run_id id, struct output_reader **out, struct error *e); /* ERROR_NOT_FOUND: nothing written yet */
void output_reader_close(struct output_reader *r);
/* Appends the next bytes (up to max) to b and returns how many; 0: none for now; -1: a hole: *missing bytes were left out here, go on reading. */
int output_reader_next(struct output_reader *r, struct buf *b, size_t max, int64_t *missing);

void output_remove(const struct folder *f, struct run_id id);

#endif
