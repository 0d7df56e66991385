#ifndef AX_WRITE_H
#define AX_WRITE_H

#include <stddef.h>

/* All of it to a blocking descriptor, also in pieces and through signals: 0, or the errno (ENOSPC where nothing is taken). Makes nothing but system calls. */
int write_all(int fd, const void *data, size_t length);
int write_synced(int fd, const void *data, size_t length); /* and then fsync(2) */

#endif
