/* How a spool and its scheduler do, for `ax status` and its --check. */
#ifndef AX_STATUS_H
#define AX_STATUS_H

#include "cmd/client.h"
#include "cmd/view.h"

#define STATUS_ROWS 100000  /* rows of history that are looked at, at most */
#define STATUS_FILES 100000 /* files of output that are measured, at most */

/* Who serves the spool, and what it has said of itself. */
struct served {
    pid_t pid;        /* 0: nobody; -1: a process in another pid namespace */
    instant since;    /* INSTANT_NONE: unknown, and so is what follows */
    char *version;    /* NULL: unknown */
    uint32_t workers; /* 0: unknown */
    char *jobs;       /* its folder of job files; NULL: none */
};
int served_read(struct store *store, struct served *out, struct error *e); /* in a transaction */
void served_clear(struct served *s);

struct status {
    char *spool;
    instant now;
    struct served served;

    uint64_t *states; /* jobs in each of view_states */
    uint64_t jobs;
    uint64_t failing; /* jobs of which the last run went wrong */

    uint64_t overdue_job; /* of what waits though it could start, the oldest; 0: nothing does */
    char *overdue_name;
    instant overdue;

    duration within;      /* the rest is of so long */
    uint64_t runs, failed; /* that have ended; that went wrong */
    uint64_t missed;      /* due times that were missed */
    bool more;            /* there were more than could be looked at */
    struct run last_failed; /* id.n 0: none */

    int64_t mail;         /* waits to be sent */
    int64_t notices;      /* wait to be told (notify) */
    int64_t job_errors;   /* in the folder of job files */
    instant job_errors_at;
    struct strvec job_error_texts;

    int64_t database, output, room; /* bytes; INT64_MAX: room is unknown */
    bool more_output;
};
void status_init(struct status *s, const struct view *v, duration within);
void status_clear(struct status *s);
int status_read(struct status *s, struct store *store, struct error *e);

/* ---- --check ---- */

enum status_level { STATUS_OK, STATUS_WARNING, STATUS_CRITICAL };
enum status_measure { STATUS_OVERDUE, STATUS_FAILED, STATUS_MISSED, STATUS_MAIL, STATUS_ROOM, STATUS_MEASURES };

/* From when on it is a warning, or critical: at or above them, but room at or below. -1: never. Nanoseconds, numbers, bytes. */
struct status_limits {
    struct {
        int64_t warning, critical;
    } of[STATUS_MEASURES];
};
extern const struct status_limits status_limits;

/* `5m,1h`, `1`, `-,10`. ERROR_USAGE. */
int status_limit_parse(const char *text, enum status_measure measure, struct status_limits *limits, struct error *e);

/* One line in the form of the plugins of Nagios: level and text, then `|` and numbers. Pure. */
enum status_level status_check(const struct status *s, const struct status_limits *limits, struct buf *line);

#endif
