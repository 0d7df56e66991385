/* What the command of `ax add` is: a vector, a shell line, or a script that is read. */
#ifndef AX_ADD_COMMAND_H
#define AX_ADD_COMMAND_H

#include "cmd/add_slip.h"
#include "spool/job.h"

/* Sets the job's command from the words behind WHEN, from `line` (-c LINE; may be NULL), or from a script on standard input, which is asked for on a
 * terminal. */
int add_command(struct job *j, const struct add_words *w, const char *line, struct error *e);

#endif
