#include "cmd/run/log.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/sys/clock.h"
#include "lib/text/json.h"
#include "lib/text/visible.h"
#include "lib/time/instant.h"

#define LOG_ENOUGH 65536 /* bytes that are written without waiting for the end of the turn */
#define LOG_MOST (1024 * 1024) /* bytes that may wait for a reader */

const char *const log_level_names[] = {"error", "warning", "info", "debug", NULL};

#define LOG_NUMBER_MARK '\1' /* in front of the digits: tells them from a text */

const char *log_number(char text[26], int64_t n)
{
    snprintf(text, 26, "%c%lld", LOG_NUMBER_MARK, (long long)n);
    return text;
}

static bool log_is_number(const char *value)
{
    const char *digits = value + 1 + (value[0] && value[1] == '-');
    return value[0] == LOG_NUMBER_MARK && digits[0] && !digits[strspn(digits, "0123456789")];
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
        log_text_value(&l->waiting, log_is_number(value) ? value + 1 : value);
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
            value_put(&line, key, log_is_number(value) ? value_int(strtoll(value + 1, NULL, 10)) : value_text(value));
    }
    json_write(&l->waiting, &line, NULL);
    buf_char(&l->waiting, '\n');
    value_clear(&line);
}

/* All lines alike: to the millisecond. */
static void log_time(struct buf *b, instant now)
{
    instant_format_utc(b, now - now % SECOND);
    buf_cut(b, b->length - 1); /* the Z */
    buf_format(b, ".%03dZ", (int)(now % SECOND / 1000000));
}

void log_event(struct log *l, enum log_level level, const char *event, ...)
{
    if (level > l->level)
        return;
    struct buf time = {0};
    log_time(&time, clock_wall());
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
