/* A growing string of bytes: the only string builder. A zeroed struct is an empty one.
 * data is NUL-terminated whenever it is not NULL; the bytes themselves may hold NULs. */
#ifndef AX_BUF_H
#define AX_BUF_H

#include <stdarg.h>
#include <stddef.h>

struct buf {
    char *data;
    size_t length, capacity;
};

void buf_clear(struct buf *b);                      /* frees */
void buf_reset(struct buf *b);                      /* empties, keeps the memory */
void buf_reserve(struct buf *b, size_t extra);      /* room for extra more bytes */
void buf_add(struct buf *b, const void *data, size_t length);
void buf_text(struct buf *b, const char *text);
void buf_char(struct buf *b, char c);
void buf_format(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
void buf_vformat(struct buf *b, const char *format, va_list arguments);
void buf_cut(struct buf *b, size_t length);         /* shortens to length */
const char *buf_string(const struct buf *b);        /* "" when empty; valid until the next change */
char *buf_take(struct buf *b);                      /* malloc'd string, never NULL; b is empty afterwards */

#endif
