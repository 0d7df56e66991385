/* A line on standard error that tells how far a long piece of work is: only on a terminal, and only when it takes longer than a second. */
#ifndef AX_PROGRESS_H
#define AX_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/sys/clock.h"

struct progress {
    bool on, shown;
    struct monotime begun, last;
};

void progress_begin(struct progress *p);
/* total 0: not known. Never waits for the terminal, so that it may be called inside a transaction; cheap enough to be called for each item. */
void progress_show(struct progress *p, const char *doing, int64_t done, int64_t total);
void progress_end(struct progress *p); /* takes the line away */

#endif
