/* What waits in the store to be brought to somebody: mail, notices. The scheduler only sees to it that an errand of its
 * own goes through it; see store_mail_*, store_notice_*. */
#ifndef AX_COURIER_H
#define AX_COURIER_H

#include "cmd/run/errand.h"
#include "spool/store.h"

struct courier { /* zeroed but for the first six */
    struct loop *loop;
    struct log *log;
    const char *spool;
    struct store *store;
    int64_t (*count)(const struct store *s); /* how much waits */
    const char *name;                        /* of its lines in the log; the command is `ax __NAME SPOOL` */
    struct errand errand;
    struct loop_timer again;
    bool waits;  /* for the timer */
    bool wanted; /* more has come while the errand was on its way */
};

/* After a commit that may have left something, and at the start. */
void courier_look(struct courier *c);
bool courier_busy(const struct courier *c);
void courier_clear(struct courier *c); /* the errand finishes what it does */

/* ---- for the errands ---- */

/* One errand of a name at a time: held until the process ends. */
int courier_lock(const char *spool, const char *name, struct error *e);

/* What could not be brought is tried again; `tries` have failed so far, this one included. INSTANT_NONE: it is given
 * up. */
instant courier_next(uint32_t tries, instant now);

/* The end: `code` of what went wrong (negative) with its error, or the seconds until the next one is due (-1: none). */
int courier_end(int code, const struct error *e, long wait);

/* Seconds until `next`, at least one. */
long courier_wait(instant next, instant now);

#endif
