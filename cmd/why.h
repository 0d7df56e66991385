/* Why a job runs, waits or does neither: what is known of it, and the reasons that follow. */
#ifndef AX_WHY_H
#define AX_WHY_H

#include "cmd/status.h"
#include "spool/store.h"

#define WHY_PLACES 10 /* occurrences that are told of, at most */
#define WHY_ROWS 5    /* rows of history */
#define WHY_AHEAD 1000 /* counted, at most */

/* An occurrence: the job's own, or an extra one. */
struct why_place {
    uint64_t number; /* of the job, or EXTRA_FIRST and above */
    struct job_state state;
    struct run run;  /* its open one; id.n 0: none. Borrows nothing, owns its texts */
    uint64_t ahead;  /* of its queue, could start now, and go before it */
    struct due kept; /* of another queue, goes before it, and is too heavy for the slots that are free; number 0: none */
};

struct why {
    struct job job;
    struct why_place places[WHY_PLACES]; /* the job's own first */
    size_t place_count;
    uint64_t more;       /* further extra occurrences */
    struct queue queue;
    uint32_t foreground; /* the number of its run in the foreground of an ax exec; 0: none */
    uint64_t queue_used, used; /* weight of open runs: of the queue, of all */
    struct served served;
    int64_t room;        /* bytes */
    struct run rows[WHY_ROWS]; /* newest first */
    size_t row_count;
};
void why_clear(struct why *w);

/* One thing that explains. `word` is for machines and stays as it is. */
struct why_reason {
    const char *word;
    instant until; /* INSTANT_NONE: no time ends it */
    char *text;
};
struct why_reasons {
    struct why_reason *items;
    size_t count, capacity;
};
void why_reasons_clear(struct why_reasons *r);

/* The reasons of one occurrence, the one that counts first. Pure. */
void why_reasons(const struct why *w, const struct why_place *p, const struct view *v, struct why_reasons *out);

/* How a row of history came about: `on time`, `started by hand`... Pure. */
void why_row(struct buf *b, const struct why *w, const struct run *r);

#endif
