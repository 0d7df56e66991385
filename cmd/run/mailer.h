/* Mail about runs. The scheduler only sees to it that an errand of its own goes through what waits; see store_mail_*.
 */
#ifndef AX_MAILER_H
#define AX_MAILER_H

#include "cmd/run/errand.h"
#include "spool/store.h"

struct mailer { /* zeroed but for the first four */
    struct loop *loop;
    struct log *log;
    const char *spool;
    struct store *store;
    struct errand errand;
    struct loop_timer again;
    bool waits;  /* for the timer */
    bool wanted; /* mail has come while the errand was on its way */
};

/* After a commit that may have left mail, and at the start. */
void mailer_look(struct mailer *m);
bool mailer_busy(const struct mailer *m);
void mailer_clear(struct mailer *m); /* the errand finishes what it does */

int mailer_errand(int argc, char **argv); /* the command of the errand: SPOOL */

#endif
