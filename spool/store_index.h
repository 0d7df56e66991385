/* The indexes: entries that can be reckoned from others. Each is a row; a row says what should be there, and a walk
 * compares. */
#ifndef AX_STORE_INDEX_H
#define AX_STORE_INDEX_H

#include "spool/store_private.h"

enum index_fault {
    INDEX_MISSING,
    INDEX_STALE,
    INDEX_WRONG
}; /* not there; there without a reason; with another value */
/* `place` names the entry. */
typedef void index_call(void *context, const char *index, enum index_fault fault, const char *place);

/* Compares all of them; with `mend`, inside a write transaction, puts right what differs. `call` may be NULL. A source
 * that does not decode counts for nothing: its entries are stale. */
int store_indexes(struct store *s, bool mend, index_call *call, void *context, struct error *e);

#endif
