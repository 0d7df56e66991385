/* anacrontabs: a text in, its lines out, as crontab.h does it for crontabs. Pure.
 *
 *   period delay identifier command     every so many days, so many minutes after anacron has looked
 *   @monthly delay identifier command   once a month (cronie: @daily @weekly @yearly @annually too)
 *   NAME=value                          all behind the =, blanks and quotes too
 *
 * A \ at the end of a line continues it, and every other \ is dropped: anacron does so, and it is reported. Commands go
 * to /bin/sh, whatever SHELL says. */
#ifndef AX_ANACRONTAB_H
#define AX_ANACRONTAB_H

#include "spool/crontab.h"

struct anacron_job {
    int days;    /* the period; 0: the month, week, day or year that the schedule names */
    int minutes; /* the delay */
    char *id;
};

struct anacrontab {
    /* Lines and settings as those of a crontab. `schedule` is the period as written. `cron` gives it a time of day, as
     * many minutes after midnight as the delay is long; NULL: no cron expression has this period, take the days. */
    struct crontab tab;
    struct anacron_job *jobs; /* one for each line of tab, also the refused ones (id is NULL) */
    size_t capacity;
};

/* Of the rules, dialect, user and home count. Cannot fail, as crontab_read. Environments: crontab_env. */
void anacrontab_read(const char *text, size_t length, const struct crontab_rules *rules, struct anacrontab *out);
void anacrontab_clear(struct anacrontab *a);

#endif
