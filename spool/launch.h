/* What exactly will be run: the argument vector, environment, directory and limits of a job's command. */
#ifndef AX_LAUNCH_H
#define AX_LAUNCH_H

#include "lib/base/error.h"
#include "spool/handover.h"
#include "spool/job.h"

/* What does not change from run to run: read once, since looking an account up costs more than starting a command. */
struct launch {
    char *spool;               /* the commands find it in AX_SPOOL */
    char *name, *home, *shell; /* of the account ax itself runs under; NULL where the password file has none */
};
void launch_init(struct launch *l, const char *spool);
void launch_clear(struct launch *l);

/* Makes the order for a claimed run. It only reads the job: what has to look at users and files, and may have to wait for them, is for the worker. An error
 * means that the command cannot be started; its text says why. */
int launch_order(const struct launch *l, const struct job *j, const struct run *r, struct order *out, struct error *e);

/* The environment as the worker will make it: the kept or the small clean one, PWD, then HOME and the like of `user`, then env_file, then env, then AX_JOB,
 * AX_NAME, AX_RUN, AX_ATTEMPT, AX_DUE, AX_KEY, AX_SPOOL. Looks at users and files, with the rights of the caller: not for the scheduler. */
int launch_environment(const struct launch *l, const struct job *j, const struct run *r, struct strvec *out, struct error *e);

/* The steps of it. */
void launch_account(struct strvec *env, const char *name, const char *home, const char *shell); /* NULL: not known */
void launch_add(struct strvec *env, const struct strvec *more);

#endif
