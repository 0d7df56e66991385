/* Lines of a crontab that ax has taken over: they are comments to cron, and ax still reads them. Pure. */
#ifndef AX_CRONTAB_MARK_H
#define AX_CRONTAB_MARK_H

#include <stdbool.h>

#include "lib/base/buf.h"

#define CRONTAB_MARK "#ax# " /* stands in front of the line */

/* Adds the text with the marks off. Returns how many there were. */
size_t crontab_unmark(struct buf *to, const char *text, size_t length);

/* Adds the text with the lines marked (numbers from 1, ascending) that are not yet. Returns how many were. */
size_t crontab_mark(struct buf *to, const char *text, size_t length, const int *lines, size_t count);

#endif
