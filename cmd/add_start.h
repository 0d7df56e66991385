/* Could the job be started as things are now? What is not there is likely a slip, and refused with the line that insists. */
#ifndef AX_ADD_START_H
#define AX_ADD_START_H

#include "cmd/add_slip.h"

/* The user and group, the directory and env_file, and last the program: the command's first word, or the shell and, if that is /bin/sh, the first word of its
 * line where it is a plain one. The program is looked for in the directory and the PATH of the job. */
int add_start(const struct add_words *w, const struct job *j, struct error *e);

#endif
