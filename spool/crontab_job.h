/* From a line of a crontab to a job that does what cron did with it: every run starts (overlap: allow), what was missed stays missed,
 * cron's environment and shell, the home as directory; it takes no slot, so that the daemons of @reboot lines do not keep others
 * waiting. */
#ifndef AX_CRONTAB_JOB_H
#define AX_CRONTAB_JOB_H

#include "spool/anacrontab.h"
#include "spool/job.h"

/* Where the lines come from, and who they are run by. */
struct crontab_place {
    const char *source; /* label of who owns the jobs */
    const char *path;   /* for AX_FILE; NULL: none */
    const char *runner; /* the user that ax is run by */
    bool root;          /* that is root, so that commands can be run as others */
};

struct crontab_made {
    struct job job;
    struct strvec notes; /* what will differ from cron, those of the line included */
};

/* A line that was not refused. The name is left empty. ERROR_USAGE where ax cannot do what the line says: another user, say, without being root. */
int crontab_job(const struct crontab *c, const struct crontab_line *l, const struct crontab_place *place, struct crontab_made *out, struct error *e);

/* The same of an anacrontab: a run that was missed is made up for, and one at a time. */
int crontab_job_anacron(const struct anacrontab *a, size_t index, const struct crontab_place *place, struct crontab_made *out, struct error *e);

/* ---- names ---- */

/* Names that were given. A zeroed struct is an empty one. */
struct crontab_names {
    struct crontab_name *all; /* a hash table */
};

/* A name made from the prefix and the command: the same for the same line, whatever stands around it; only lines that would get the same name depend on their
 * order (backup, backup-2). malloc'd. */
char *crontab_names_take(struct crontab_names *names, const char *prefix, const char *command);
void crontab_names_clear(struct crontab_names *names);

/* The last part of a path, as a prefix; .cron, .crontab and .txt are left off. malloc'd. */
char *crontab_prefix(const char *path);

#endif
