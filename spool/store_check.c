#include "spool/store_check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/pack.h"
#include "spool/store_entry.h"
#include "spool/store_index.h"

struct checking {
    struct store *store;
    bool mend;
    finding_call *call;
    void *context;
    size_t found;
};

static void tell(struct checking *c, struct finding f)
{
    c->found++;
    if (c->call)
        c->call(c->context, &f);
}

/* False: it is enough. */
typedef bool entry_call(void *context, enum db_table table, struct db_bytes key, struct db_bytes value);

static int each_entry(struct store *s, enum db_table table, entry_call *call, void *context, struct error *e)
{
    struct db_cursor *cursor;
    struct db_bytes key, value;
    int failed = db_cursor_new(s->db, table, &cursor, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(cursor, (struct db_bytes){0}, &key, &value, e); failed == 0;
         failed = db_cursor_next(cursor, &key, &value, e))
        if (!call(context, table, key, value))
            break;
    db_cursor_free(cursor);
    return failed < 0 ? failed : 0;
}

/* ---- records ---- */

static void record_tell(
    struct checking *c, const struct entry_row *row, enum db_table table, struct db_bytes key, const char *why)
{
    char *place = row ? entry_place(row, key) : mem_format("table %s", db_table_name(table));
    tell(c, (struct finding){.kind = "record",
                .where = place,
                .text = why,
                .todo = row ? "`ax dump` writes all but this; `ax load` makes a new spool of it"
                            : "use the newer ax that wrote it, or `ax dump` and `ax load` without it"});
    free(place);
}

static bool record_check(void *context, enum db_table table, struct db_bytes key, struct db_bytes value)
{
    const struct entry_row *row = entry_find(table, key);
    struct error why = {0};
    if (!row)
        record_tell(context, NULL, table, key, "an entry of a kind that this ax does not know");
    else if (entry_check(row, value, &why) < 0)
        record_tell(context, row, table, key, why.text);
    return true;
}

int store_records(struct store *s, size_t *damaged, finding_call *call, void *context, struct error *e)
{
    struct checking c = {.store = s, .call = call, .context = context};
    int failed = 0;
    for (int t = 0; t < DB_TABLES && !failed; t++)
        failed = each_entry(s, t, record_check, &c, e);
    *damaged = c.found;
    return failed;
}

/* ---- indexes ---- */

static void index_tell(void *context, const char *index, enum index_fault fault, const char *place)
{
    static const char *const words[] = {[INDEX_MISSING] = "is missing in its index",
        [INDEX_STALE] = "stands in its index without a reason",
        [INDEX_WRONG] = "has another value in its index"};
    (void)index;
    struct checking *c = context;
    tell(c, (struct finding){.kind = "index", .where = place, .text = words[fault], .mended = c->mend});
}

int store_index_check(struct store *s, bool mend, finding_call *call, void *context, struct error *e)
{
    struct checking c = {.store = s, .mend = mend, .call = call, .context = context};
    return store_indexes(s, mend, index_tell, &c, e);
}

/* ---- counters ---- */

struct counted {
    int64_t job, extra, queue, notice, mails, notices, zones, pending;
};

static void at_least(int64_t *n, uint64_t least)
{
    if (least < INT64_MAX && *n <= (int64_t)least)
        *n = (int64_t)least + 1;
}

static void count_state(struct counted *n, uint64_t number, struct db_bytes value)
{
    struct job_state st;
    if (number >= EXTRA_FIRST)
        at_least(&n->extra, number - EXTRA_FIRST);
    if (record_read_state(value.data, value.length, &st, NULL) == 0)
        n->pending += store_pending(&st);
}

static void count_entry(struct counted *n, const struct entry_row *row, struct db_bytes key, struct db_bytes value)
{
    uint64_t number = 0;
    uint32_t id = 0;
    if (strcmp(row->name, "mail") == 0)
        n->mails++;
    if (strcmp(row->name, "zone") == 0)
        n->zones++;
    if (strcmp(row->name, "queue") == 0 && key_take_u32(&value, &id))
        at_least(&n->queue, id);
    if (strcmp(row->name, "notice") == 0) {
        struct db_bytes rest = {(const char *)key.data + strlen(row->prefix), key.length - strlen(row->prefix)};
        n->notices++;
        if (key_take_u64(&rest, &number))
            at_least(&n->notice, number);
    }
    if (strcmp(row->name, "job") == 0 && key_take_u64(&key, &number))
        at_least(&n->job, number);
    if (strcmp(row->name, "state") == 0 && key_take_u64(&key, &number))
        count_state(n, number, value);
}

static bool count_row(void *context, enum db_table table, struct db_bytes key, struct db_bytes value)
{
    const struct entry_row *row = entry_find(table, key);
    if (row)
        count_entry(context, row, key, value);
    return true;
}

static void count_compare(struct checking *c, const char *name, int64_t *have, int64_t want)
{
    if (*have == want)
        return;
    char *text = mem_format("is %" PRId64 " and should be %" PRId64, *have, want),
         *where = mem_format("counter %s", name);
    tell(c, (struct finding){.kind = "counter", .where = where, .text = text, .mended = c->mend});
    free(text);
    free(where);
    if (c->mend) {
        *have = want;
        c->store->changed = true;
    }
}

int store_recount(struct store *s, bool mend, finding_call *call, void *context, struct error *e)
{
    static const enum db_table tables[] = {DB_META, DB_QUEUES, DB_JOBS, DB_STATES};
    struct checking c = {.store = s, .mend = mend, .call = call, .context = context};
    struct counters *k = &s->counters;
    int failed = s->writing ? 0 : store_counters(s, e);
    struct counted n = {k->next_job, k->next_extra, k->next_queue, k->next_notice, 0, 0, 0, 0};
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !failed; i++)
        failed = each_entry(s, tables[i], count_row, &n, e);
    if (failed)
        return failed;
    count_compare(&c, "next_job", &k->next_job, n.job);
    count_compare(&c, "next_extra", &k->next_extra, n.extra);
    count_compare(&c, "next_queue", &k->next_queue, n.queue);
    count_compare(&c, "next_notice", &k->next_notice, n.notice);
    count_compare(&c, "mails", &k->mails, n.mails);
    count_compare(&c, "notices", &k->notices, n.notices);
    count_compare(&c, "zones", &k->zones, n.zones);
    count_compare(&c, "pending_once", &k->pending_once, n.pending);
    return 0;
}

/* ---- the rest ---- */

struct feed_look {
    const struct store *store;
    size_t wrong;
};

static bool feed_row(void *context, enum db_table table, struct db_bytes key, struct db_bytes value)
{
    struct feed_look *f = context;
    const struct counters *k = &f->store->counters;
    uint64_t sequence = 0;
    (void)table;
    bool good = key_take_u64(&key, &sequence) && !key.length && value.length == 17;
    f->wrong += !good || sequence < (uint64_t)k->feed_first || sequence >= (uint64_t)k->feed_next;
    return true;
}

int store_feed_check(struct store *s, bool mend, finding_call *call, void *context, struct error *e)
{
    struct checking c = {.store = s, .mend = mend, .call = call, .context = context};
    struct feed_look f = {.store = s};
    int failed = each_entry(s, DB_FEED, feed_row, &f, e);
    if (failed || !f.wrong)
        return failed;
    char *text = mem_format("%zu entries are damaged or out of its range", f.wrong);
    tell(&c, (struct finding){.kind = "feed", .where = "table feed", .text = text, .mended = mend});
    free(text);
    failed = mend ? store_feed_forget(s, e) : 0;
    if (!failed && mend)
        store_feed_add(s, FEED_ALL, 0);
    return failed;
}

int store_readers_dead(struct store *s, int *dead, struct error *e)
{
    return db_readers_dead(s->db, dead, e);
}

struct sound {
    struct store *store;
    store_job_call *call;
    void *context;
};

static bool sound_row(void *context, enum db_table table, struct db_bytes key, struct db_bytes value)
{
    const struct sound *x = context;
    uint64_t number;
    struct job_state st;
    struct job j;
    (void)table;
    (void)value;
    if (!key_take_u64(&key, &number) || store_state_get(x->store, number, &st, NULL) != 0 ||
        store_job_get(x->store, number, false, &j, NULL) != 0)
        return true;
    bool more = x->call(x->context, &j, &st);
    job_clear(&j);
    return more;
}

int store_each_sound_job(struct store *s, store_job_call *call, void *context, struct error *e)
{
    struct sound x = {s, call, context};
    return each_entry(s, DB_JOBS, sound_row, &x, e);
}

int64_t store_clock_seen(struct store *s)
{
    return s->counters.clock;
}
