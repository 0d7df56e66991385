/* Mail about runs, as cron sends it: who wants it, and what is written above the output. Pure, but for mail_program. */
#ifndef AX_MAIL_H
#define AX_MAIL_H

#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/strvec.h"
#include "spool/job.h"
#include "spool/run.h"

/* Whether a run that has ended is to be mailed: `mailto` names somebody, and `mail` says so. A run that is tried again
 * is mailed as well. */
bool mail_wanted(const struct job *j, const struct run *r);

/* The addresses of `mailto`: between commas, each of letters, digits and what addresses have besides, none that a
 * mailer would take for an option. ERROR_USAGE. */
int mail_addresses(const char *mailto, struct strvec *out, struct error *e);

const char *mail_program(void); /* that takes messages as sendmail does: what AX_SENDMAIL names, else the usual one */

struct mail {
    const struct job *job;
    const struct run *run;
    const char *user, *home, *host; /* whose run it was, and where; home may be NULL */
};

/* The header, up to and with the empty line. Nothing that a job or its output holds can add lines to it. */
void mail_header(const struct mail *m, struct buf *b);

#endif
