/* Changes of files: the door to inotify. */
#ifndef AX_WATCH_H
#define AX_WATCH_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/error.h"

enum watch_event {
    WATCH_WRITTEN = 1,  /* a descriptor that was open for writing was closed (IN_CLOSE_WRITE) */
    WATCH_ARRIVED = 2,  /* created in, or moved into, the folder */
    WATCH_GONE = 4,     /* deleted from, or moved out of, the folder; or the watched thing itself is gone */
    WATCH_MODIFIED = 8, /* bytes were written (IN_MODIFY) */
    WATCH_OVERFLOW = 16, /* events were lost: look at everything; reported to every watch */
    WATCH_RIGHTS = 32    /* owner, mode or another attribute is another one (IN_ATTRIB) */
};

struct watch;

int watch_new(struct watch **out, struct error *e); /* non-blocking, close-on-exec */
void watch_free(struct watch *w);
int watch_fd(const struct watch *w); /* readable when there is something for watch_read */

/* Watches a file or folder; returns a watch number >= 0, or a negative code (ERROR_NOT_FOUND: it is not there). Two watches of one thing are two numbers. */
int watch_add(struct watch *w, const char *path, uint32_t events, struct error *e);
void watch_remove(struct watch *w, int number);

/* Calls back for each event that waits now. The callback may add and remove watches. That the
 * watched thing itself is gone is said once. name: the entry's name for a folder, else "". */
typedef void watch_call(void *context, int number, uint32_t event, const char *name);
void watch_read(struct watch *w, watch_call *call, void *context);

#endif
