/* A program of others that is run at the terminal, and waited for. */
#ifndef AX_PROGRAM_H
#define AX_PROGRAM_H

#include "lib/base/error.h"

/* Found in PATH. What is typed to stop it is not meant for us. Returns its exit code (128 and the number for a signal);
 * ERROR_FAILED if it cannot be started. */
int program_run(const char *const *argv, struct error *e);

#endif
