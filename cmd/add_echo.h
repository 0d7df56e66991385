/* What `ax add` says of the job that it has added, or would add. */
#ifndef AX_ADD_ECHO_H
#define AX_ADD_ECHO_H

#include "cmd/command.h"
#include "cmd/view.h"

struct add_echo {
    bool json, quiet, dry_run;
    uint64_t number;  /* 0: nothing was added */
    instant due;
    bool skipped; /* the clock skips the local time that was asked for */
    const char *word; /* "added", "replaced", "kept" */
};

/* Times are shown in the zone of the view. */
void add_echo(const struct command *self, const struct view *v, const struct job *j, const struct add_echo *echo);

/* On standard error: what the job's expressions say that is likely a slip, and that it, or one of them, never comes. `zone` is that of the job. */
void add_warn(const struct command *self, const struct job *j, const struct zone *zone, const struct add_echo *echo, instant now);

#endif
