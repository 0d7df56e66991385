/* The field `notify`: which lines are run when something happens to a job. Its entries have the form EVENT=LINE, those
 * of events that wait for a time EVENT DURATION=LINE. Pure. */
#ifndef AX_NOTIFY_H
#define AX_NOTIFY_H

#include <stdbool.h>

#include "lib/base/error.h"
#include "lib/time/duration.h"
#include "spool/job.h"

enum notify_event {
    NOTIFY_NONE,
    NOTIFY_FAILURE,  /* an occurrence has ended badly, and is not tried again */
    NOTIFY_GAVE_UP,  /* the same, after its retries or reruns were used up */
    NOTIFY_RECOVERY, /* the first run that ended ok after such an end */
    NOTIFY_LATE,     /* an occurrence has not started so long after its due time */
    NOTIFY_LONG,     /* a run has been going for so long */
    NOTIFY_LAST = NOTIFY_LONG,
};
const char *notify_event_name(int event); /* as in the field */

struct notify_rule {
    enum notify_event event;
    duration after;   /* 0 of events without a time */
    const char *line; /* borrowed */
};

/* The name of an entry. ERROR_USAGE, with the nearest event. */
int notify_parse(const char *name, struct notify_rule *out, struct error *e);
void notify_name(struct buf *b, int event, duration after); /* the same as text: `late 10m` */

/* An entry by itself; all of them together. ERROR_USAGE. */
int notify_check(const char *name, const char *line, struct error *e);
int notify_check_all(const struct job *j, struct error *e);

/* The rule for what has happened; where giving up has none, that for a failure. False: nobody is to be told. */
bool notify_find(const struct job *j, int event, duration after, struct notify_rule *out);

/* Of the times of `late` or `long` the first above `after` (-1: the first of all); the last that is not above `most`.
 * DURATION_NONE: there is none. */
duration notify_next(const struct job *j, enum notify_event event, duration after);
duration notify_latest(const struct job *j, enum notify_event event, duration most);

/* Something that somebody is to be told; it waits in the store until it has been. */
struct notice {
    uint64_t number; /* in the order in which they came */
    int event;       /* enum notify_event */
    duration after;
    struct run_id id; /* n and note 0: there is no run yet */
    instant due;      /* of the occurrence */
    instant at;       /* when it happened */
    uint32_t tries;   /* so far, that failed */
    instant next;     /* when it is to be told, or told again */
};

#endif
