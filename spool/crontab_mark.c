#include "spool/crontab_mark.h"

#include <string.h>

enum { MARK = sizeof CRONTAB_MARK - 1 };

static bool is_marked(const char *text, const char *end)
{
    return end - text >= MARK && memcmp(text, CRONTAB_MARK, MARK) == 0;
}

static const char *line_end(const char *text, const char *end)
{
    const char *newline = memchr(text, '\n', (size_t)(end - text));
    return newline ? newline + 1 : end;
}

size_t crontab_unmark(struct buf *to, const char *text, size_t length)
{
    const char *end = text + length;
    size_t marks = 0;
    while (text < end) {
        const char *next = line_end(text, end);
        bool marked = is_marked(text, end);
        const char *from = text + (marked ? MARK : 0);
        buf_add(to, from, (size_t)(next - from));
        marks += marked;
        text = next;
    }
    return marks;
}

size_t crontab_mark(struct buf *to, const char *text, size_t length, const int *lines, size_t count)
{
    const char *end = text + length;
    size_t marks = 0, i = 0;
    for (int line = 1; text < end; line++) {
        const char *next = line_end(text, end);
        bool wanted = i < count && lines[i] == line;
        if (wanted && !is_marked(text, end)) {
            buf_text(to, CRONTAB_MARK);
            marks++;
        }
        buf_add(to, text, (size_t)(next - text));
        i += wanted;
        text = next;
    }
    return marks;
}
