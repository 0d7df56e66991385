/* Reading runs: those that are open, and history. */
#include "spool/record.h"
#include "spool/store_private.h"

static bool run_id_take(struct db_bytes *key, struct run_id *id, bool note)
{
    id->note = 0;
    return key_take_u64(key, &id->job) && key_take_u32(key, &id->n) && (!note || key_take_u32(key, &id->note));
}

/* Reads the run that an index names and calls back. *more: go on. */
static int run_call(struct store *s, struct run_id id, store_run_call *call, void *context, bool *more, struct error *e)
{
    struct run r;
    int found = store_run_get(s, id, &r, e);
    if (found)
        return found < 0 ? found : store_damaged(s, "its runs", e);
    *more = call(context, &r);
    run_clear(&r);
    return 0;
}

int store_each_open_id(struct store *s, store_id_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct run_id id;
    int failed = db_cursor_new(s->db, DB_OPEN, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){0}, &key, &value, e); failed == 0; failed = db_cursor_next(c, &key, &value, e))
        if (run_id_take(&key, &id, false)) /* what else is there is no run */
            call(context, id);
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_each_open(struct store *s, store_run_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    bool more = true;
    int failed = db_cursor_new(s->db, DB_OPEN, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){0}, &key, &value, e); failed == 0 && more;
         failed = more ? db_cursor_next(c, &key, &value, e) : 0) {
        struct run_id id;
        failed = run_id_take(&key, &id, false) ? run_call(s, id, call, context, &more, e)
                                               : store_damaged(s, "its open runs", e);
        if (failed)
            break;
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

/* ---- history ---- */

/* A row as it stands in the table of runs. */
static int row_read(struct store *s, struct db_bytes key, struct db_bytes value, struct run *out, struct error *e)
{
    struct run_id id;
    if (!run_id_take(&key, &id, true))
        return store_damaged(s, "its runs", e);
    int failed = record_read_run(value.data, value.length, out, e);
    if (!failed)
        out->id = id;
    return failed;
}

static bool key_is_of(struct db_bytes key, uint64_t job)
{
    uint64_t number;
    return key_take_u64(&key, &number) && number == job;
}

static int history_of_job(struct store *s, struct db_cursor *c, uint64_t number, const struct run *before,
    store_run_call *call, void *context, struct error *e)
{
    struct key from = before ? key_run(before->id) : key_number(number + 1);
    struct db_bytes key, value;
    bool more = true;
    int failed = db_cursor_before(c, key_bytes(&from), &key, &value, e);
    for (; failed == 0 && more; failed = more ? db_cursor_previous(c, &key, &value, e) : 0) {
        struct run r;
        if (key.length >= sizeof(uint64_t) && !key_is_of(key, number))
            break;
        failed = row_read(s, key, value, &r, e);
        if (failed)
            break;
        more = r.outcome == OUTCOME_NONE || call(context, &r);
        run_clear(&r);
    }
    return failed;
}

static int history_by_end(struct store *s, struct db_cursor *c, const struct store_rows *rows, const struct run *before,
    store_run_call *call, void *context, struct error *e)
{
    struct key from = {.length = 0};
    struct db_bytes key, value;
    bool more = true;
    if (before)
        from = key_ended(before);
    else
        key_time(&from, rows->until);
    int failed = db_cursor_before(c, key_bytes(&from), &key, &value, e);
    for (; failed == 0 && more; failed = more ? db_cursor_previous(c, &key, &value, e) : 0) {
        struct run_id id;
        instant ended;
        if (!key_take_time(&key, &ended) || !run_id_take(&key, &id, true))
            return store_damaged(s, "its history", e);
        if (ended < rows->since)
            break;
        if (!rows->number || id.job == rows->number)
            failed = run_call(s, id, call, context, &more, e);
        if (failed)
            break;
    }
    return failed;
}

int store_each_run(struct store *s, uint64_t number, const struct run *before, store_run_call *call, void *context, struct error *e)
{
    const struct store_rows all = {.since = INSTANT_NONE, .until = INSTANT_NEVER};
    if (!number)
        return store_each_ended(s, &all, before, call, context, e);
    struct db_cursor *c;
    int failed = db_cursor_new(s->db, DB_RUNS, &c, e);
    if (failed)
        return failed;
    failed = history_of_job(s, c, number, before, call, context, e);
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_each_ended(struct store *s, const struct store_rows *rows, const struct run *before, store_run_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    int failed = db_cursor_new(s->db, DB_ENDED, &c, e);
    if (failed)
        return failed;
    failed = history_by_end(s, c, rows, before, call, context, e);
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_each_row(struct store *s, struct run_id from, store_run_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct key first = key_run(from);
    bool more = true;
    int failed = db_cursor_new(s->db, DB_RUNS, &c, e);
    if (failed)
        return failed;
    failed = db_cursor_from(c, key_bytes(&first), &key, &value, e);
    for (; failed == 0 && more; failed = more ? db_cursor_next(c, &key, &value, e) : 0) {
        struct run r;
        failed = row_read(s, key, value, &r, e);
        if (failed)
            break;
        more = call(context, &r);
        run_clear(&r);
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_last_run(struct store *s, uint64_t job, struct run_id *out, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct key from = key_number(job + 1);
    struct run_id id = {0};
    int failed = db_cursor_new(s->db, DB_RUNS, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_before(c, key_bytes(&from), &key, &value, e); failed == 0 && key_is_of(key, job); failed = db_cursor_previous(c, &key, &value, e))
        if (run_id_take(&key, &id, true) && !id.note)
            break;
    db_cursor_free(c);
    if (failed >= 0)
        *out = id;
    if (failed >= 0 && (id.note || !id.job))
        *out = (struct run_id){.job = job};
    return failed < 0 ? failed : 0;
}
