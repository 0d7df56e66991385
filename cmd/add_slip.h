/* What is likely a slip in the words of `ax add`: refused, with the line that was meant. */
#ifndef AX_ADD_SLIP_H
#define AX_ADD_SLIP_H

#include <stdbool.h>

#include "lib/base/error.h"
#include "lib/time/instant.h"
#include "lib/time/zone.h"
#include "spool/job.h"

/* The words as typed, and what they were taken for. */
struct add_words {
    char **argv;
    int argc;
    int when, when_end; /* [when, when_end): WHEN; empty if a flag says it */
    int command;        /* first word of the command; argc if there is none */
    bool vector;        /* `--` stands before the command */
};

/* WHEN was not understood: did a shell expand the stars of a cron expression, or does more of the line belong to it? Returns 0 where neither
 * is so. `e` is only changed when it returns negative. */
int add_slip_when(const struct add_words *w, const struct zone *zone, instant now, struct error *e);

/* The same for a cron expression alone, which may stand behind --cron too: its first word is at `when`. */
int add_slip_cron(const struct add_words *w, struct error *e);

/* The command begins with what looks like a part of the time. */
int add_slip_command(const struct add_words *w, const struct zone *zone, instant now, struct error *e);

/* Refuses the command's first word as one that only a shell knows, with the line that gives it to one. */
int add_slip_shell(const struct add_words *w, const char *word, struct error *e);

/* Refuses the line, with the one that insists on it. */
int add_slip_insist(const struct add_words *w, const char *reason, struct error *e);

#endif
