/* What the files of `ax ls` share: which jobs, and which of them first. */
#ifndef AX_LS_H
#define AX_LS_H

#include "cmd/command.h"
#include "cmd/view.h"

enum ls_order { LS_NUMBER, LS_DUE, LS_NAME, LS_STATE, LS_LAST };

struct ls_options {
    struct common common;
    bool all, json, wide;
    unsigned states; /* bits, by view_states; 0: none was named */
    struct strvec tags, queues, names, sources;
    const char *before_text;
    instant before; /* INSTANT_NONE: not asked for */
    int order;      /* enum ls_order */
    int limit;      /* 0: none */
};

/* Whether the job is asked for. Several words of one option: one of them is enough; each option that is given must agree. */
bool ls_wants(const struct ls_options *o, const struct job *j, const struct job_state *s, instant now);

/* ---- ls_sort.c: the first jobs in an order, held as their numbers and what they are ordered by ---- */

struct ls_place {
    int64_t key;
    char *text; /* the name, where names decide; NULL: comes last */
    uint64_t number;
};
struct ls_sort {
    enum ls_order order;
    struct ls_place *places; /* a heap, the last one on top; in order when sorted */
    size_t count, capacity, most;
};
void ls_sort_init(struct ls_sort *l, enum ls_order order, int limit);
void ls_sort_clear(struct ls_sort *l);
void ls_sort_offer(struct ls_sort *l, const struct job *j, const struct job_state *s, instant now);
void ls_sort_finish(struct ls_sort *l);

#endif
