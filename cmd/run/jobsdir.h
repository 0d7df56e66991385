/* ax run --jobs DIR: the folder of job files that the scheduler keeps the spool to. */
#ifndef AX_JOBSDIR_H
#define AX_JOBSDIR_H

#include <stdbool.h>
#include <stdint.h>

#include "cmd/run/errand.h"
#include "lib/base/strvec.h"
#include "lib/sys/watch.h"

struct jobsdir {     /* zeroed: there is none */
    char *directory; /* absolute, not resolved: a link may be swapped */
    const char *spool;
    struct loop *loop;
    struct log *log;
    struct watch *watch;
    struct jobsdir_watch *watches;
    size_t watch_count, watch_capacity;
    struct errand errand;
    struct loop_timer settle;
    bool changed; /* while an errand runs */
    bool applied; /* the first errand is over */
};

/* Watches the folder, then applies it for the first time: the loop is to be turned until `applied`. ERROR_NOT_FOUND,
 * ERROR_USAGE: no such folder. */
int jobsdir_begin(struct jobsdir *d, const char *directory, struct error *e);
void jobsdir_event(struct jobsdir *d, int number, uint32_t event, const char *name);
void jobsdir_clear(struct jobsdir *d);

int jobsdir_errand(int argc, char **argv); /* the command of the errand: SPOOL DIR */

#define JOBSDIR_NOTED 10

#endif
