/* What is over goes after a while: runs of a job, jobs that are over, files of their output.
 *
 * meta "expiry:" time, job u64   nothing: a job that is over and may go then (life_expiry)
 *      "file:" job u64, n u32    nothing: the output of a run that is gone; its file is removed by a later transaction,
 * so that neither a death in between nor an abort leaves a row without its file, or a file that nobody knows */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/output.h"
#include "spool/store_private.h"

static const struct db_bytes expiries = {"expiry:", 7}, files = {"file:", 5};

static struct key prune_key(struct db_bytes prefix)
{
    struct key k = {.length = prefix.length};
    memcpy(k.bytes, prefix.data, prefix.length);
    return k;
}

static bool prune_behind(struct db_bytes *key, struct db_bytes prefix)
{
    if (key->length < prefix.length || memcmp(key->data, prefix.data, prefix.length) != 0)
        return false;
    *key = (struct db_bytes){(const char *)key->data + prefix.length, key->length - prefix.length};
    return true;
}

/* ---- the index of jobs that are over ---- */

static struct key expiry_key(instant at, uint64_t number)
{
    struct key k = prune_key(expiries);
    key_time(&k, at);
    key_u64(&k, number);
    return k;
}

int store_expiry_move(
    struct store *s, uint64_t number, const struct job_state *old, const struct job_state *new, struct error *e)
{
    instant was = old ? life_expiry(old) : INSTANT_NEVER, is = new ? life_expiry(new) : INSTANT_NEVER;
    int failed = 0;
    if (was == is)
        return 0;
    if (was != INSTANT_NEVER) {
        struct key k = expiry_key(was, number);
        failed = db_delete(s->db, DB_META, key_bytes(&k), e);
    }
    if (failed >= 0 && is != INSTANT_NEVER) {
        struct key k = expiry_key(is, number);
        failed = db_put(s->db, DB_META, key_bytes(&k), (struct db_bytes){"", 0}, e);
    }
    return failed < 0 ? failed : 0;
}

/* ---- rows ---- */

static int row_delete(struct store *s, const struct run *r, struct store_pruned *out, struct error *e)
{
    struct key row = key_run(r->id), output = key_open(r->id), ended = key_ended(r);
    int failed = db_delete(s->db, DB_RUNS, key_bytes(&row), e);
    if (failed >= 0)
        failed = db_delete(s->db, DB_ENDED, key_bytes(&ended), e);
    if (failed >= 0 && r->output == OUTPUT_INLINE)
        failed = db_delete(s->db, DB_OUTPUTS, key_bytes(&output), e);
    if (failed >= 0 && r->output == OUTPUT_FILE) {
        struct key k = prune_key(files);
        key_u64(&k, r->id.job);
        key_u32(&k, r->id.n);
        failed = db_put(s->db, DB_META, key_bytes(&k), (struct db_bytes){"", 0}, e);
        out->files++;
    }
    if (failed < 0)
        return failed;
    out->rows++;
    out->bytes += r->output_bytes;
    return 0;
}

struct pruning {
    const struct job_state *state;
    const struct life_keep *keep; /* NULL: all may go */
    struct run *items;            /* without their texts */
    size_t count, capacity, most;
};

static bool pruning_row(void *context, const struct run *r)
{
    struct pruning *p = context;
    if (r->id.job != p->state->job || p->count == p->most || (p->keep && life_keeps(p->state, r, p->keep)))
        return false;
    MEM_GROW(p->items, p->capacity, p->count + 1);
    p->items[p->count] = *r;
    p->items[p->count].name = p->items[p->count].key = p->items[p->count].reason = NULL;
    p->count++;
    return true;
}

/* The oldest rows of the job, as far as they may go, at most so many. */
static int prune_rows(struct store *s, uint64_t number, const struct job_state *st, const struct life_keep *keep,
    size_t most, struct store_pruned *out, struct error *e)
{
    struct job_state state = *st;
    state.job = number;
    struct pruning p = {.state = &state, .keep = keep, .most = most};
    int failed = store_each_row(s, (struct run_id){.job = number}, pruning_row, &p, e);
    for (size_t i = 0; !failed && i < p.count; i++) {
        if (out->only_counts) {
            out->rows++;
            out->bytes += p.items[i].output_bytes;
        } else {
            failed = row_delete(s, &p.items[i], out, e);
        }
    }
    free(p.items);
    return failed;
}

int store_prune_runs(struct store *s, const struct job *j, const struct job_state *st, instant now, struct error *e)
{
    const struct life_keep keep = {.keep_runs = j->keep_runs, .keep_for = j->keep_for, .now = now};
    struct store_pruned pruned = {0};
    return st->runs > 1 ? prune_rows(s, j->number, st, &keep, STORE_PRUNE_STEP, &pruned, e) : 0;
}

/* ---- jobs ---- */

static int prune_source(struct store *s, const char *source, uint64_t number, struct error *e)
{
    struct store_numbers numbers = {0};
    int failed = source ? store_source_jobs(s, source, &numbers, e) : 0;
    size_t kept = 0;
    for (size_t i = 0; i < numbers.count; i++)
        if (numbers.items[i] != number)
            numbers.items[kept++] = numbers.items[i];
    if (!failed && kept != numbers.count) {
        numbers.count = kept;
        failed = store_source_set(s, source, &numbers, e);
    }
    free(numbers.items);
    return failed;
}

static bool notice_is_of(void *context, const struct notice *n)
{
    uint64_t *number = context;
    if (n->id.job != *number)
        return true;
    *number = 0;
    return false;
}

/* What is still to be sent about it needs it. */
static int prune_is_awaited(struct store *s, uint64_t number, bool *awaited, struct error *e)
{
    uint64_t looked_for = number;
    int failed = store_notice_count(s) ? store_each_notice(s, notice_is_of, &looked_for, e) : 0;
    *awaited = looked_for != number;
    if (!failed && !*awaited && store_mail_count(s))
        failed = store_mail_of(s, number, awaited, e);
    return failed;
}

int store_prune_job(struct store *s, uint64_t number, struct store_pruned *out, bool *gone, struct error *e)
{
    struct job_state st;
    bool awaited = false;
    *gone = false;
    int failed = store_state(s, number, &st, e);
    if (failed || !job_over(&st) || st.extras)
        return failed;
    failed = prune_is_awaited(s, number, &awaited, e);
    if (failed || awaited)
        return failed;
    failed = prune_rows(s, number, &st, NULL, SIZE_MAX, out, e);
    if (!failed && !out->only_counts)
        failed = store_job_remove(s, number, &st, e);
    *gone = !failed;
    out->jobs += !failed;
    return failed;
}

int store_job_forget(struct store *s, uint64_t number, const char *source, struct error *e)
{
    int failed = store_audit_drop(s, number, e);
    return failed ? failed : prune_source(s, source, number, e);
}

/* ---- a step of it ---- */

struct list {
    uint64_t numbers[STORE_PRUNE_STEP];
    uint32_t runs[STORE_PRUNE_STEP];
    size_t count;
    bool more;
};

/* The first entries behind the prefix; of expiries those of a time that has come. */
static int prune_list(struct store *s, struct db_bytes prefix, instant now, struct list *out, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    *out = (struct list){0};
    int failed = db_cursor_new(s->db, DB_META, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, prefix, &key, &value, e); failed == 0 && prune_behind(&key, prefix);
         failed = db_cursor_next(c, &key, &value, e)) {
        instant at = INSTANT_NONE;
        uint64_t number;
        uint32_t n = 0;
        bool timed = prefix.data == expiries.data;
        if ((timed && !key_take_time(&key, &at)) || !key_take_u64(&key, &number) || (!timed && !key_take_u32(&key, &n)))
            continue;
        if (at > now)
            break;
        if ((out->more = out->count == STORE_PRUNE_STEP))
            break;
        out->numbers[out->count] = number;
        out->runs[out->count++] = n;
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

static int prune_files(struct store *s, bool *more, struct error *e)
{
    struct list l;
    int failed = prune_list(s, files, INSTANT_NEVER, &l, e);
    for (size_t i = 0; !failed && i < l.count; i++) {
        struct run_id id = {.job = l.numbers[i], .n = l.runs[i]};
        struct key k = prune_key(files);
        key_u64(&k, id.job);
        key_u32(&k, id.n);
        output_remove(&s->folder, id);
        failed = db_delete(s->db, DB_META, key_bytes(&k), e);
        failed = failed < 0 ? failed : 0;
    }
    *more = *more || l.more;
    return failed;
}

int store_prune(struct store *s, instant now, struct store_pruned *out, bool *more, struct error *e)
{
    struct list l;
    size_t stays = 0;
    *more = false;
    int failed = prune_files(s, more, e);
    if (!failed)
        failed = prune_list(s, expiries, now, &l, e);
    for (size_t i = 0; !failed && i < l.count; i++) {
        bool gone;
        failed = store_prune_job(s, l.numbers[i], out, &gone, e);
        stays += !failed && !gone;
    }
    if (!failed)
        *more = *more || (l.more && l.count > stays) || out->files;
    return failed;
}

bool store_prune_wanted(struct store *s, instant now)
{
    struct list l = {0}, f = {0};
    return prune_list(s, files, INSTANT_NEVER, &f, NULL) == 0 && prune_list(s, expiries, now, &l, NULL) == 0 &&
           (f.count || l.count);
}

/* ---- by hand ---- */

int store_prune_by(struct store *s, const struct job *j, const struct job_state *st, const struct life_keep *keep,
    size_t most, struct store_pruned *out, struct error *e)
{
    return prune_rows(s, j->number, st, keep, most, out, e);
}
