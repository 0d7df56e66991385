/* What the files of `ax history` share. */
#ifndef AX_HISTORY_H
#define AX_HISTORY_H

#include "cmd/client.h"
#include "cmd/view.h"

struct history_options {
    struct common common;
    bool json, wide, stats;
    int limit;         /* 0: none */
    unsigned outcomes; /* bits: 1 << (outcome - 1); 0: all */
    const char *since, *until;
    struct store_rows rows; /* what they say, and the job */
};

bool history_wants(const struct history_options *o, const struct run *r); /* by its outcome */

/* A line for each job. */
int history_stats(const struct command *self, struct store *store, const struct history_options *o, const struct view *v, struct error *e);

#endif
