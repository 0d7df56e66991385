#include "lib/text/wrap.h"

#include <string.h>

#include "lib/text/utf8.h"

static int wrap_columns(const char *text, size_t length)
{
    int columns = 0;
    for (size_t at = 0; at < length;) {
        uint32_t character;
        size_t size = utf8_decode(text + at, length - at, &character);
        columns += size ? utf8_width(character) : 1;
        at += size ? size : 1;
    }
    return columns;
}

void wrap_add(struct buf *b, struct wrap w, const char *text, size_t length)
{
    const char *end = text + length;
    int begin = w.column, column = w.column;
    while (text < end) {
        const char *word = text;
        while (word < end && *word == ' ')
            word++;
        const char *blank = memchr(word, ' ', (size_t)(end - word));
        const char *after = blank ? blank : end;
        int gap = (int)(word - text), columns = wrap_columns(word, (size_t)(after - word));
        if (w.width > 0 && column > begin && column + gap + columns > w.width) {
            buf_format(b, "\n%*s", w.indent, "");
            begin = column = w.indent;
        } else {
            buf_add(b, text, (size_t)gap);
            column += gap;
        }
        buf_add(b, word, (size_t)(after - word));
        column += columns;
        text = after;
    }
}
