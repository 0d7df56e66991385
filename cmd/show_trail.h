/* What people did with a job: its short trail, for ax show. */
#ifndef AX_SHOW_TRAIL_H
#define AX_SHOW_TRAIL_H

#include "cmd/view.h"
#include "spool/store.h"

struct show_trail {
    struct value list; /* of maps: at, at_ns, uid, what; the oldest first */
};

/* Inside a transaction. */
int show_trail(struct store *store, uint64_t number, struct show_trail *out, struct error *e);
void show_trail_clear(struct show_trail *t);

/* `2026-03-01 13:00:00 +01:00, web: paused`, for people. */
void show_trail_line(struct buf *b, const struct view *v, const struct value *entry);

#endif
