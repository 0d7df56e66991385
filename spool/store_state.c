/* A walk over the states of all jobs. */
#include <stdlib.h>

#include "spool/record.h"
#include "spool/store_private.h"

#define NUMBER_MOST (UINT64_C(1) << 56) /* behind it come the keys that are words: no job ever gets there */

int store_each_state(struct store *s, store_state_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    uint64_t number;
    int failed = db_cursor_new(s->db, DB_STATES, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){0}, &key, &value, e); failed == 0; failed = db_cursor_next(c, &key, &value, e)) {
        struct job_state st;
        if (!key_take_u64(&key, &number) || number >= NUMBER_MOST)
            break;
        if (key.length) /* names an extra occurrence of the job */
            continue;
        failed = record_read_state(value.data, value.length, &st, e);
        if (failed || !call(context, number, &st))
            break;
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}
