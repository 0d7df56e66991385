#include "cmd/progress.h"

#include <poll.h>
#include <stdio.h>
#include <unistd.h>

#include "lib/base/buf.h"

#define PROGRESS_FIRST SECOND
#define PROGRESS_EVERY (SECOND / 10)
#define PROGRESS_BAR 30

void progress_begin(struct progress *p)
{
    *p = (struct progress){.on = isatty(STDERR_FILENO), .begun = clock_mono()};
    p->last = p->begun;
}

/* A terminal that is stopped (Ctrl-S) takes nothing: leave the line out then. */
static void progress_write(const struct buf *b)
{
    struct pollfd p = {.fd = STDERR_FILENO, .events = POLLOUT};
    if (poll(&p, 1, 0) == 1 && p.revents & POLLOUT && write(STDERR_FILENO, b->data, b->length) < 0)
        return;
}

static void progress_line(struct buf *b, const char *doing, int64_t done, int64_t total)
{
    buf_format(b, "\r%s ", doing);
    if (total <= 0) {
        buf_format(b, "%lld\033[K", (long long)done);
        return;
    }
    int filled = (int)((double)done / (double)total * PROGRESS_BAR);
    buf_char(b, '[');
    for (int i = 0; i < PROGRESS_BAR; i++)
        buf_char(b, i < filled ? '#' : '.');
    buf_format(b, "] %d%%\033[K", (int)((double)done / (double)total * 100));
}

void progress_show(struct progress *p, const char *doing, int64_t done, int64_t total)
{
    if (!p->on || done % 64)
        return;
    struct monotime now = clock_mono();
    if (now.ns - p->begun.ns < PROGRESS_FIRST || now.ns - p->last.ns < PROGRESS_EVERY)
        return;
    struct buf b = {0};
    progress_line(&b, doing, done, total);
    progress_write(&b);
    buf_clear(&b);
    p->last = now;
    p->shown = true;
}

void progress_end(struct progress *p)
{
    struct buf b = {0};
    buf_text(&b, "\r\033[K");
    if (p->shown)
        progress_write(&b);
    buf_clear(&b);
}
