/* The scheduler's log: one line an event, as key=value or as JSON, to one descriptor. Lines of a turn are written together. */
#ifndef AX_LOG_H
#define AX_LOG_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"

enum log_level { LOG_LEVEL_ERROR, LOG_LEVEL_WARNING, LOG_LEVEL_INFO, LOG_LEVEL_DEBUG };
enum log_format { LOG_TEXT, LOG_JSON };
extern const char *const log_level_names[]; /* error warning info debug, NULL */

struct log {
    int fd;
    enum log_level level;
    enum log_format format;
    struct buf waiting;
};

/* An event with pairs of key and text, ended by NULL: log_event(l, LOG_LEVEL_INFO, "stopping", "signal", "TERM", NULL). A pair whose text is NULL is left out.
 * Values are quoted where they need it; control characters are never written raw. */
void log_event(struct log *l, enum log_level level, const char *event, ...) __attribute__((sentinel));

/* A number, for log_event: JSON has it as one. */
#define LOG_NUMBER(n) log_number((struct log_digits){{0}}.text, (n))
struct log_digits {
    char text[26];
};
const char *log_number(char text[26], int64_t n);

void log_flush(struct log *l); /* writes what waits, as far as that does not block */
void log_clear(struct log *l);

#endif
