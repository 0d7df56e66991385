/* The latest rows of a job's history, for `ax show`. */
#ifndef AX_SHOW_RUNS_H
#define AX_SHOW_RUNS_H

#include "cmd/view.h"
#include "spool/store.h"

#define SHOW_RUNS_MAX 5
struct show_runs {
    struct run items[SHOW_RUNS_MAX]; /* newest first */
    int count;
};

int show_runs(struct store *store, uint64_t number, struct show_runs *out, struct error *e); /* inside a transaction */
void show_runs_clear(struct show_runs *r);

void show_runs_line(struct buf *b, const struct view *v, const struct run *r); /* `12.3, ok, 2026-12-24 ... (3h ago), took 1.23s` */
struct value show_runs_value(const struct show_runs *r);

#endif
