/* msgpack: the door to msgpack-c. Text is written as str, whatever its bytes; both str and bin are read as text. */
#ifndef AX_PACK_H
#define AX_PACK_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/text/value.h"

void pack_write(struct buf *b, const struct value *v); /* appends */

/* Exactly one msgpack value. Depth (64) and sizes are bounded by the input; ERROR_SPOOL if it does not decode. */
int pack_read(const void *data, size_t length, struct value *out, struct error *e);

#endif
