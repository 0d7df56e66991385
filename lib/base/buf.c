#include "lib/base/buf.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

void buf_clear(struct buf *b)
{
    free(b->data);
    *b = (struct buf){0};
}

void buf_reset(struct buf *b)
{
    buf_cut(b, 0);
}

void buf_reserve(struct buf *b, size_t extra)
{
    MEM_GROW(b->data, b->capacity, b->length + extra + 1);
    b->data[b->length] = '\0';
}

void buf_add(struct buf *b, const void *data, size_t length)
{
    buf_reserve(b, length);
    if (length)
        memcpy(b->data + b->length, data, length);
    b->length += length;
    b->data[b->length] = '\0';
}

void buf_text(struct buf *b, const char *text)
{
    buf_add(b, text, strlen(text));
}

void buf_char(struct buf *b, char c)
{
    buf_add(b, &c, 1);
}

void buf_vformat(struct buf *b, const char *format, va_list arguments)
{
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    if (length > 0) {
        buf_reserve(b, (size_t)length);
        vsnprintf(b->data + b->length, (size_t)length + 1, format, again);
        b->length += (size_t)length;
    }
    va_end(again);
}

void buf_format(struct buf *b, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(b, format, arguments);
    va_end(arguments);
}

void buf_cut(struct buf *b, size_t length)
{
    if (length <= b->length && b->data) {
        b->length = length;
        b->data[length] = '\0';
    }
}

const char *buf_string(const struct buf *b)
{
    return b->data ? b->data : "";
}

char *buf_take(struct buf *b)
{
    buf_reserve(b, 0);
    char *text = b->data;
    *b = (struct buf){0};
    return text;
}
