#include "spool/store_index.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/record.h"
#include "spool/store_entry.h"

/* What should be there. Of twins (the same key) the one of the highest rank, then of the highest number; or the sum. */
struct wanted {
    size_t at; /* of the key in `bytes`; the value stands behind it */
    uint32_t key_length, value_length;
    uint32_t rank;
    uint64_t number;
};
struct wants {
    struct store *store;
    struct buf bytes;
    struct wanted *items;
    size_t count, capacity;
};

static void want(struct wants *w, struct db_bytes key, struct db_bytes value, uint32_t rank, uint64_t number)
{
    MEM_GROW(w->items, w->capacity, w->count + 1);
    w->items[w->count++] = (struct wanted){w->bytes.length, (uint32_t)key.length, (uint32_t)value.length, rank, number};
    buf_add(&w->bytes, key.data, key.length);
    buf_add(&w->bytes, value.data, value.length);
}

static void want_key(struct wants *w, const struct key *k, const struct key *v)
{
    want(w, key_bytes(k), v ? key_bytes(v) : (struct db_bytes){"", 0}, 0, 0);
}

static struct db_bytes wanted_key(const struct wants *w, const struct wanted *x)
{
    return (struct db_bytes){w->bytes.data + x->at, x->key_length};
}

static struct db_bytes wanted_value(const struct wants *w, const struct wanted *x)
{
    return (struct db_bytes){w->bytes.data + x->at + x->key_length, x->value_length};
}

/* ---- the rows ---- */

static void want_due(struct wants *w, uint64_t number, const struct job_state *st)
{
    struct key k, v = {.length = 0};
    if (!store_due_key(number, st, &k))
        return;
    key_u32(&v, store_due_weight(st));
    want_key(w, &k, &v);
}

static void want_alarm(struct wants *w, uint64_t number, const struct job_state *st)
{
    instant at = life_alarm(st);
    struct key k = {.length = 6, .bytes = "alarm:"};
    if (at == INSTANT_NEVER)
        return;
    key_time(&k, at);
    key_u64(&k, number);
    want_key(w, &k, NULL);
}

static void want_expiry(struct wants *w, uint64_t number, const struct job_state *st)
{
    instant at = life_expiry(st);
    struct key k = {.length = 7, .bytes = "expiry:"};
    if (at == INSTANT_NEVER)
        return;
    key_time(&k, at);
    key_u64(&k, number);
    want_key(w, &k, NULL);
}

static void want_extra(struct wants *w, uint64_t number, const struct job_state *st)
{
    struct key k = key_number(st->job);
    key_u64(&k, number);
    if (number >= EXTRA_FIRST)
        want_key(w, &k, NULL);
}

static void want_env(struct wants *w, uint64_t id)
{
    struct key k = key_number(id);
    k.bytes[k.length++] = 1;
    if (id)
        want(w, key_bytes(&k), (struct db_bytes){"", 0}, 0, 1);
}

static void want_state_env(struct wants *w, uint64_t number, const struct job_state *st)
{
    (void)number;
    want_env(w, st->env);
}

static void want_job_env(struct wants *w, uint64_t number, const struct job *j, uint64_t environment)
{
    (void)number, (void)j;
    want_env(w, environment);
}

/* Of several jobs of a name the one that lives has it; of those that have ended the one that is in the index. */
static void want_name(struct wants *w, uint64_t number, const struct job *j, uint64_t environment)
{
    struct job_state st;
    struct db_bytes have;
    struct key v = key_number(number);
    (void)environment;
    if (!j->name || store_state_get(w->store, number, &st, NULL) != 0)
        return;
    struct db_bytes key = {j->name, strlen(j->name)};
    bool indexed = key.length && db_get(w->store->db, DB_NAMES, key, &have, NULL) == 0 && have.length == v.length &&
                   memcmp(have.data, v.bytes, v.length) == 0;
    if (!job_over(&st) || indexed)
        want(w, key, key_bytes(&v), job_over(&st) ? 1 : 2, number);
}

static void want_open(struct wants *w, const struct run *r)
{
    struct key k = key_open(r->id);
    if (r->outcome == OUTCOME_NONE && !r->id.note)
        want_key(w, &k, NULL);
}

static void want_ended(struct wants *w, const struct run *r)
{
    struct key k = key_ended(r);
    if (r->outcome != OUTCOME_NONE)
        want_key(w, &k, NULL);
}

struct index_row {
    const char *name; /* of its entries */
    void (*state)(struct wants *w, uint64_t number, const struct job_state *st);
    void (*job)(struct wants *w, uint64_t number, const struct job *j, uint64_t environment);
    void (*run)(struct wants *w, const struct run *r);
    bool sums; /* the value is the number of twins, u64 */
};
static const struct index_row index_rows[] = {
    {.name = "due", .state = want_due},
    {.name = "alarm", .state = want_alarm},
    {.name = "expiry", .state = want_expiry},
    {.name = "extra", .state = want_extra},
    {.name = "name", .job = want_name},
    {.name = "environment count", .state = want_state_env, .job = want_job_env, .sums = true},
    {.name = "open", .run = want_open},
    {.name = "ended", .run = want_ended},
    {0},
};

/* ---- what should be there ---- */

static void want_of(
    struct wants *w, const struct index_row *row, enum db_table table, struct db_bytes key, struct db_bytes value)
{
    uint64_t number = 0, environment;
    struct run_id id = {0};
    struct job_state st;
    struct job j;
    struct run r;
    if (table == DB_STATES && key.length == 8 && record_read_state(value.data, value.length, &st, NULL) == 0) {
        key_take_u64(&key, &number);
        row->state(w, number, &st);
    } else if (table == DB_JOBS && key.length == 8 &&
               record_read_job(value.data, value.length, &j, &environment, NULL) == 0) {
        key_take_u64(&key, &number);
        row->job(w, number, &j, environment);
        job_clear(&j);
    } else if (table == DB_RUNS && key.length == 16 && record_read_run(value.data, value.length, &r, NULL) == 0) {
        if (key_take_u64(&key, &id.job) && key_take_u32(&key, &id.n) && key_take_u32(&key, &id.note))
            r.id = id;
        row->run(w, &r);
        run_clear(&r);
    }
}

static int want_table(struct wants *w, const struct index_row *row, enum db_table table, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    int failed = db_cursor_new(w->store->db, table, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){0}, &key, &value, e); failed == 0;
         failed = db_cursor_next(c, &key, &value, e))
        want_of(w, row, table, key, value);
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

static int bytes_compare(struct db_bytes a, struct db_bytes b)
{
    int order = memcmp(a.data, b.data, a.length < b.length ? a.length : b.length);
    return order ? order : (a.length > b.length) - (a.length < b.length);
}

static int wanted_compare(const void *a, const void *b, void *context)
{
    const struct wants *w = context;
    const struct wanted *x = a, *y = b;
    int order = bytes_compare(wanted_key(w, x), wanted_key(w, y));
    if (!order)
        order = (x->rank < y->rank) - (x->rank > y->rank);
    return order ? order : (x->number < y->number) - (x->number > y->number);
}

static void wants_merge(struct wants *w, bool sums)
{
    size_t kept = 0;
    if (w->count)
        qsort_r(w->items, w->count, sizeof *w->items, wanted_compare, w);
    for (size_t i = 0; i < w->count; i++) {
        struct wanted *last = kept ? &w->items[kept - 1] : NULL;
        if (!last || bytes_compare(wanted_key(w, last), wanted_key(w, &w->items[i])) != 0)
            w->items[kept++] = w->items[i];
        else if (sums)
            last->number++;
    }
    w->count = kept;
    for (size_t i = 0; sums && i < kept; i++) {
        struct wanted *x = &w->items[i];
        struct key v = key_number(x->number), k = {.length = x->key_length};
        memcpy(k.bytes, wanted_key(w, x).data, k.length);
        x->at = w->bytes.length;
        x->value_length = 8;
        buf_add(&w->bytes, k.bytes, k.length);
        buf_add(&w->bytes, v.bytes, v.length);
    }
}

static int wants_fill(struct wants *w, const struct index_row *row, struct error *e)
{
    int failed = row->state ? want_table(w, row, DB_STATES, e) : 0;
    if (!failed && row->job)
        failed = want_table(w, row, DB_JOBS, e);
    if (!failed && row->run)
        failed = want_table(w, row, DB_RUNS, e);
    wants_merge(w, row->sums);
    return failed;
}

static void wants_clear(struct wants *w)
{
    buf_clear(&w->bytes);
    free(w->items);
}

/* ---- what is there ---- */

struct fault {
    enum index_fault what;
    size_t at; /* stale: of the key in `bytes`; else index of the wanted one */
    size_t length;
};
struct faults {
    struct fault *items;
    size_t count, capacity;
    struct buf bytes;
};

static void fault_add(struct faults *f, enum index_fault what, size_t at, size_t length)
{
    MEM_GROW(f->items, f->capacity, f->count + 1);
    f->items[f->count++] = (struct fault){what, at, length};
}

/* An environment that is kept in front of a collision has a count of 0. */
static bool stale_allowed(const struct index_row *row, struct db_bytes value)
{
    uint64_t n = 1;
    return row->sums && key_take_u64(&value, &n) && n == 0;
}

/* Both are in order of their keys. */
static int index_compare(struct wants *w, const struct index_row *row, struct faults *f, struct error *e)
{
    const struct entry_row *entries = entry_named(row->name);
    struct db_cursor *c;
    struct db_bytes key, value;
    size_t i = 0;
    int failed = db_cursor_new(w->store->db, entries->table, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){entries->prefix, strlen(entries->prefix)}, &key, &value, e);
         failed == 0; failed = db_cursor_next(c, &key, &value, e)) {
        if (entry_find(entries->table, key) != entries) {
            if (*entries->prefix && (key.length < strlen(entries->prefix) ||
                                        memcmp(key.data, entries->prefix, strlen(entries->prefix)) != 0))
                break;
            continue;
        }
        for (; i < w->count && bytes_compare(wanted_key(w, &w->items[i]), key) < 0; i++)
            fault_add(f, INDEX_MISSING, i, 0);
        bool here = i < w->count && bytes_compare(wanted_key(w, &w->items[i]), key) == 0;
        if (here && bytes_compare(wanted_value(w, &w->items[i]), value) != 0)
            fault_add(f, INDEX_WRONG, i, 0);
        if (!here && !stale_allowed(row, value)) {
            fault_add(f, INDEX_STALE, f->bytes.length, key.length);
            buf_add(&f->bytes, key.data, key.length);
        }
        i += here;
    }
    for (; failed >= 0 && i < w->count; i++)
        fault_add(f, INDEX_MISSING, i, 0);
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

static int index_mend(
    struct wants *w, const struct entry_row *entries, const struct fault *f, struct db_bytes key, struct error *e)
{
    if (f->what == INDEX_STALE) {
        int failed = db_delete(w->store->db, entries->table, key, e);
        return failed < 0 ? failed : 0;
    }
    return db_put(w->store->db, entries->table, key, wanted_value(w, &w->items[f->at]), e);
}

static int index_one(struct store *s, const struct index_row *row, bool mend, index_call *call, void *context,
    size_t *found, struct error *e)
{
    const struct entry_row *entries = entry_named(row->name);
    struct wants w = {.store = s};
    struct faults faults = {0};
    int failed = wants_fill(&w, row, e);
    if (!failed)
        failed = index_compare(&w, row, &faults, e);
    for (size_t i = 0; !failed && i < faults.count; i++) {
        const struct fault *f = &faults.items[i];
        struct db_bytes key = f->what == INDEX_STALE ? (struct db_bytes){faults.bytes.data + f->at, f->length}
                                                     : wanted_key(&w, &w.items[f->at]);
        char *place = entry_place(entries, key);
        if (call)
            call(context, row->name, f->what, place);
        free(place);
        if (mend)
            failed = index_mend(&w, entries, f, key, e);
    }
    *found += faults.count;
    buf_clear(&faults.bytes);
    free(faults.items);
    wants_clear(&w);
    return failed;
}

int store_indexes(struct store *s, bool mend, index_call *call, void *context, struct error *e)
{
    size_t found = 0;
    int failed = 0;
    for (const struct index_row *row = index_rows; row->name && !failed; row++)
        failed = index_one(s, row, mend, call, context, &found, e);
    if (!failed && mend && found)
        store_feed_add(s, FEED_ALL, 0); /* a scheduler reads everything anew */
    return failed;
}
