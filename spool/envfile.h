/* env_file: lines of NAME=VALUE; blank lines and those that begin with # are passed over; one pair of quotes around a value is taken off.
 *
 * In a value, but not in one that stands in single quotes, ${NAME} is what an earlier line says, or the environment that is there already; `$${` is `${` itself. A name that is
 * not there is an error, and so is any other `${`: nothing becomes empty in silence. `$NAME` and all else stays as it is.
 *
 * Reading and understanding are apart: the file of another user's job is read by a process that has become that user. */
#ifndef AX_ENVFILE_H
#define AX_ENVFILE_H

#include "lib/base/error.h"
#include "lib/base/strvec.h"

/* Copies the file to the descriptor `to`. Never waits for the other end of a pipe, or for an end that does not come: what is no plain file, or is larger than
 * 1 MiB, is refused. Async-signal-safe. Returns 0 or an errno. */
int envfile_copy(const char *path, int to);

/* Sets in env what the copy says. `path` is for the errors: ERROR_USAGE, with line and column. */
int envfile_take(struct strvec *env, const char *path, int copy, struct error *e);

/* Both, for a file that we read ourselves. */
int envfile_read(struct strvec *env, const char *path, struct error *e);

int envfile_failed(const char *path, int number, struct error *e); /* the error for envfile_copy's errno */
int envfile_room(void); /* a descriptor for the copy; -1 with errno */

#endif
