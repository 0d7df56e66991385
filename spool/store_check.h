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
int store_readers(struct store *s, finding_call *call, void *context,
    struct error *e); /* clears readers that died; in no transaction; STORE_WRITE */

#endif
