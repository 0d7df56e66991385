/* base64 (RFC 4648), with padding and on one line. */
#ifndef AX_BASE64_H
#define AX_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"

void base64_write(struct buf *b, const void *data, size_t length); /* appends */
bool base64_read(
    struct buf *b, const char *text, size_t length); /* appends; false, and b as it was, where it is none */

#endif
