/* JSON (RFC 8259): the door to jansson. */
#ifndef AX_JSON_H
#define AX_JSON_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/text/value.h"

/* One JSON value and nothing behind it. Duplicate keys and invalid UTF-8 are refused. ERROR_USAGE with line and column. */
int json_read(const char *text, size_t length, struct value *out, struct error *e);

/* Compact, one line without the line end, always valid UTF-8: bytes of a text that are not UTF-8 are each written as U+FFFD.
 * `lossy`, if not NULL, is set to true when that happened. */
void json_write(struct buf *b, const struct value *v, bool *lossy);

#endif
