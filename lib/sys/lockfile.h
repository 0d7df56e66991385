/* POSIX record locks (fcntl F_SETLK), which name their holder. A process must open a locked file once only and keep that descriptor: closing any
 * descriptor of the file gives all its locks up. */
#ifndef AX_LOCKFILE_H
#define AX_LOCKFILE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "lib/base/error.h"
#include "lib/time/duration.h"

/* Opens (and creates, 0600) a file to lock: O_RDWR | O_CLOEXEC | O_NOFOLLOW, `name` below `folder`. Returns the descriptor or a negative code. */
int lockfile_open(int folder, const char *name, struct error *e);

/* Takes the lock on bytes [start, start + length) (length 0: to the end of the file and beyond). Returns 0, or -1 at once when someone else holds it;
 * *holder is then its pid (0 if it has just gone, -1 if it has none here: another pid namespace). holder may be NULL. */
int lockfile_try(int fd, bool exclusive, uint64_t start, uint64_t length, pid_t *holder);

/* As lockfile_try, but waits up to `patience`; wakes when the lock comes free. Uses SIGALRM meanwhile, and puts its action and mask back. */
int lockfile_wait(int fd, bool exclusive, uint64_t start, uint64_t length, duration patience, pid_t *holder);

void lockfile_release(int fd, uint64_t start, uint64_t length);

/* Who would stop an exclusive lock of the bytes: a pid, 0 for nobody, -1 for one without a pid here. Takes nothing. */
pid_t lockfile_holder(int fd, uint64_t start, uint64_t length);

#endif
