#include "cmd/log_print.h"

#include <string.h>

#include "lib/text/utf8.h"
#include "lib/text/visible.h"

enum { CUT = 1 << 20 }; /* the tail is not looked at again before it has so many bytes */

void log_print_init(struct log_print *p, const struct command *command, bool safe)
{
    *p = (struct log_print){.command = command, .safe = safe, .head = -1, .tail = -1, .cut_at = CUT};
}

void log_print_clear(struct log_print *p)
{
    buf_clear(&p->out);
    buf_clear(&p->held);
    buf_clear(&p->last);
}

bool log_print_full(const struct log_print *p)
{
    return p->head == 0;
}

/* ---- printing ---- */

static void print(struct log_print *p, const char *data, size_t length, bool end)
{
    if (!p->safe) {
        buf_add(&p->out, data, length);
    } else {
        buf_add(&p->held, data, length);
        size_t rest = end ? 0 : utf8_unfinished(buf_string(&p->held), p->held.length);
        size_t whole = p->held.length - rest;
        visible_add(&p->out, buf_string(&p->held), whole, true);
        memmove(p->held.data, buf_string(&p->held) + whole, rest);
        buf_cut(&p->held, rest);
    }
    command_print(p->command, &p->out);
}

static void print_hole(struct log_print *p, int64_t missing)
{
    if (p->safe) {
        print(p, "", 0, true);
        buf_format(&p->out, "\n[... %lld bytes are not kept ...]\n", (long long)missing);
        command_print(p->command, &p->out);
    } else {
        command_warn(p->command, "%lld bytes in the middle are not kept", (long long)missing);
    }
}

/* ---- the first lines ---- */

/* The bytes up to the end of the last line that may be printed. */
static size_t head_length(struct log_print *p, const char *data, size_t length)
{
    const char *at = data, *end = data + length, *newline;
    while (p->head > 0 && (newline = memchr(at, '\n', (size_t)(end - at)))) {
        at = newline + 1;
        p->head--;
    }
    return p->head ? length : (size_t)(at - data);
}

/* ---- the last lines ---- */

/* Where the last lines begin. */
static size_t tail_start(const struct log_print *p)
{
    const char *data = buf_string(&p->last), *newline;
    size_t at = p->last.length;
    if (!p->tail)
        return at;
    if (at && data[at - 1] == '\n')
        at--;
    for (int lines = p->tail; (newline = memrchr(data, '\n', at)); at = (size_t)(newline - data))
        if (--lines == 0)
            return (size_t)(newline - data) + 1;
    return 0;
}

static void tail_cut(struct log_print *p)
{
    size_t start = tail_start(p), rest = p->last.length - start;
    if (start) {
        memmove(p->last.data, p->last.data + start, rest);
        buf_cut(&p->last, rest);
    }
    if (p->hole_at < start)
        p->hole = 0;
    p->hole_at = p->hole ? p->hole_at - start : 0;
    p->cut_at = rest > CUT / 2 ? 2 * rest : CUT;
}

/* ---- for the reader ---- */

void log_print(struct log_print *p, const char *data, size_t length)
{
    if (p->tail < 0) {
        print(p, data, head_length(p, data, length), false);
        return;
    }
    buf_add(&p->last, data, length);
    if (p->last.length >= p->cut_at)
        tail_cut(p);
}

void log_print_hole(struct log_print *p, int64_t missing)
{
    if (p->tail >= 0) {
        p->hole = missing;
        p->hole_at = p->last.length;
    } else if (!log_print_full(p)) {
        print_hole(p, missing);
    }
}

void log_print_release(struct log_print *p)
{
    if (p->tail < 0)
        return;
    tail_cut(p);
    print(p, buf_string(&p->last), p->hole_at, false);
    if (p->hole)
        print_hole(p, p->hole);
    print(p, buf_string(&p->last) + p->hole_at, p->last.length - p->hole_at, false);
    buf_clear(&p->last);
    p->tail = -1;
}

void log_print_end(struct log_print *p)
{
    print(p, "", 0, true);
}
