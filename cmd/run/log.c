#include "cmd/run/log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "lib/sys/clock.h"
#include "lib/text/json.h"
#include "lib/text/visible.h"
#include "lib/time/instant.h"

#define LOG_ENOUGH 65536 /* bytes that are written without waiting for the end of the turn */
#define LOG_MOST (1024 * 1024) /* bytes that may wait for a reader */

const char *const log_level_names[] = {"error", "warning", "info", "debug", NULL};

const char *log_number(char text[24], int64_t n)
{
    snprintf(text, 24, "%lld", (long long)n);
    return text;
}

static void log_text_value(struct buf *b, const char *value)
{
    bool bare = value[0] && strspn(value, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./:+-,@%") == strlen(value);
    if (bare) {
        buf_text(b, value);
        return;
    }
    struct buf safe = {0};
    visible_add(&safe, value, strlen(value), false);
    buf_char(b, '"');
    for (size_t i = 0; i < safe.length; i++) {
        if (safe.data[i] == '"')
            buf_char(b, '\\');
        buf_char(b, safe.data[i]);
    }
    buf_char(b, '"');
    buf_clear(&safe);
}

static void log_text_line(struct log *l, const char *time, enum log_level level, const char *event, va_list pairs)
{
    buf_format(&l->waiting, "time=%s level=%s event=", time, log_level_names[level]);
    log_text_value(&l->waiting, event);
    const char *key;
    while ((key = va_arg(pairs, const char *))) {
        const char *value = va_arg(pairs, const char *);
        if (!value)
            continue;
        buf_format(&l->waiting, " %s=", key);
        log_text_value(&l->waiting, value);
    }
    buf_char(&l->waiting, '\n');
}

static void log_json_line(struct log *l, const char *time, enum log_level level, const char *event, va_list pairs)
{
    struct value line = value_map();
    value_put(&line, "time", value_text(time));
    value_put(&line, "level", value_text(log_level_names[level]));
    value_put(&line, "event", value_text(event));
    const char *key;
    while ((key = va_arg(pairs, const char *))) {
        const char *value = va_arg(pairs, const char *);
        if (value)
            value_put(&line, key, value_text(value));
    }
    json_write(&l->waiting, &line, NULL);
    buf_char(&l->waiting, '\n');
    value_clear(&line);
}

void log_event(struct log *l, enum log_level level, const char *event, ...)
{
    if (level > l->level)
        return;
    struct buf time = {0};
    instant_format_utc(&time, clock_wall() / 1000000 * 1000000);
    va_list pairs;
    va_start(pairs, event);
    if (l->format == LOG_JSON)
        log_json_line(l, buf_string(&time), level, event, pairs);
    else
        log_text_line(l, buf_string(&time), level, event, pairs);
    va_end(pairs);
    buf_clear(&time);
    if (l->waiting.length > LOG_ENOUGH)
        log_flush(l);
}

/* A terminal that was stopped or a pipe that nobody reads must not stop the scheduler: what does not fit waits, and is dropped when it is too much. */
void log_flush(struct log *l)
{
    size_t done = 0;
    while (done < l->waiting.length) {
        struct pollfd ready = {.fd = l->fd, .events = POLLOUT};
        if (poll(&ready, 1, 0) != 1 || !(ready.revents & POLLOUT))
            break;
        size_t left = l->waiting.length - done;
        ssize_t n = write(l->fd, l->waiting.data + done, left < PIPE_BUF ? left : PIPE_BUF);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            break;
        done += (size_t)n;
    }
    if (l->waiting.length - done > LOG_MOST)
        done = l->waiting.length;
    if (done) {
        memmove(l->waiting.data, l->waiting.data + done, l->waiting.length - done);
        buf_cut(&l->waiting, l->waiting.length - done);
    }
}

void log_clear(struct log *l)
{
    log_flush(l);
    buf_clear(&l->waiting);
}
