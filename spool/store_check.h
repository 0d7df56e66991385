/* What can be wrong with what a spool holds. */
#ifndef AX_STORE_CHECK_H
#define AX_STORE_CHECK_H

#include "spool/store.h"

/* One thing that is wrong. The texts live until the call returns. */
struct finding {
    const char *kind;  /* a word for machines: index, record ... */
    const char *where; /* `state 12`, a path */
    const char *text;  /* what is wrong */
    const char *todo;  /* what to do; NULL: mended by --fix */
    bool mended;       /* it was */
};
typedef void finding_call(void *context, const struct finding *f);

/* Each inside a transaction; with `mend` a write transaction, and what is safe is put right. `call` may be NULL. */
int store_records(
    struct store *s, size_t *damaged, finding_call *call, void *context, struct error *e); /* what does not decode */
int store_relations(struct store *s, bool mend, finding_call *call, void *context,
    struct error *e); /* what one record says of another that is not so */
int store_recount(struct store *s, bool mend, finding_call *call, void *context, struct error *e); /* counters */
int store_index_check(
    struct store *s, bool mend, finding_call *call, void *context, struct error *e); /* store_index.h */
int store_feed_check(
    struct store *s, bool mend, finding_call *call, void *context, struct error *e); /* the change feed */
int store_readers_dead(
    struct store *s, int *dead, struct error *e); /* readers that died; STORE_WRITE clears them when it is opened */

/* store_each_job of those that can be read. */
int store_each_sound_job(struct store *s, store_job_call *call, void *context, struct error *e);

int64_t store_clock_seen(struct store
        *s); /* the latest wall time that was noted, within a second; INSTANT_NONE. As of the last transaction */

#endif
