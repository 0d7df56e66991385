/* What one record says of another that is not so. */
#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/record.h"
#include "spool/store_check.h"
#include "spool/store_private.h"

struct relating {
    struct store *store;
    bool mend;
    finding_call *call;
    void *context;
    struct error *e;
    struct store_numbers queues; /* ids that there are */
};

static void tell(struct relating *r, const char *where, const char *todo, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void tell(struct relating *r, const char *where, const char *todo, const char *format, ...)
{
    struct buf text = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&text, format, arguments);
    va_end(arguments);
    if (r->call)
        r->call(r->context, &(struct finding){.kind = "relation",
                                .where = where,
                                .text = buf_string(&text),
                                .todo = todo,
                                .mended = !todo && r->mend});
    buf_clear(&text);
}

/* Negative, or whether there is such an entry. */
static int there(struct relating *r, enum db_table table, const struct key *k)
{
    struct db_bytes value;
    int found = db_get(r->store->db, table, key_bytes(k), &value, r->e);
    return found < 0 ? found : found == 0;
}

#define BY_HAND "`ax dump`, then `ax load` into a new spool leaves it out"

/* ---- jobs ---- */

static int relate_job(struct relating *r, uint64_t number, struct db_bytes value)
{
    struct job j;
    struct key k = key_number(number);
    uint64_t environment = 0;
    char where[48];
    int found = there(r, DB_STATES, &k);
    snprintf(where, sizeof where, "job %" PRIu64, number);
    if (found == 0)
        tell(r, where, "nothing tells when it is due: take its definition from `ax dump` and add it anew",
            "it has no state");
    if (found < 0 || record_read_job(value.data, value.length, &j, &environment, NULL) != 0)
        return found < 0 ? found : 0;
    job_clear(&j);
    k = key_number(environment);
    k.bytes[k.length++] = 0;
    found = environment ? there(r, DB_ENVS, &k) : 1;
    if (found == 0)
        tell(r, where, "add it anew from a shell with the environment it should have",
            "the environment that it has kept is not there: it cannot run");
    return found < 0 ? found : 0;
}

/* ---- states ---- */

static bool queue_known(const struct relating *r, uint32_t id)
{
    for (size_t i = 0; i < r->queues.count; i++)
        if (r->queues.items[i] == id)
            return true;
    return false;
}

static int relate_extra(struct relating *r, uint64_t number, const struct job_state *st, const char *where)
{
    struct key k = key_number(st->job);
    int found = st->job && st->job < EXTRA_FIRST ? there(r, DB_STATES, &k) : 0;
    (void)number;
    if (found == 0)
        tell(r, where, BY_HAND, "it is an occurrence of job %" PRIu64 ", which there is not", st->job);
    return found < 0 ? found : 0;
}

struct extras {
    uint32_t count, busy;
};

static bool count_extra(void *context, uint64_t number, const struct job_state *st)
{
    struct extras *x = context;
    (void)number;
    x->count++;
    x->busy += st->phase == PHASE_RUNNING || st->phase == PHASE_RETRYING;
    return true;
}

/* The counts of the extra occurrences, which say whether another one may begin. */
static int relate_counts(struct relating *r, uint64_t number, const struct job_state *st, const char *where)
{
    struct extras x = {0};
    struct error why = {0};
    int failed = store_each_extra(r->store, number, count_extra, &x, &why);
    if (failed < 0 && why.sys) {
        if (r->e)
            *r->e = why;
        return failed;
    }
    if (failed < 0 || (st->extras == x.count && st->busy == x.busy))
        return 0; /* one that does not decode is told of as such */
    tell(r, where, NULL, "it counts %u occurrences beside its own, %u of them begun, and there are %u and %u",
        st->extras, st->busy, x.count, x.busy);
    if (!r->mend)
        return 0;
    struct job_state new = *st;
    new.extras = x.count;
    new.busy = x.busy;
    return store_state_put(r->store, number, st, &new, r->e);
}

static int relate_run_open(struct relating *r, uint64_t number, const struct job_state *st, const char *where)
{
    struct run_id id = {.job = number >= EXTRA_FIRST ? st->job : number, .n = st->open};
    struct key k = key_open(id);
    if (st->phase != PHASE_RUNNING)
        return 0;
    int found = there(r, DB_OPEN, &k);
    if (found == 0)
        tell(r, where, "nothing will end it: `ax cancel` the job and add it anew",
            "it says that run %u goes on, and there is no such open run", st->open);
    return found < 0 ? found : 0;
}

static int relate_state(struct relating *r, uint64_t number, struct db_bytes value)
{
    struct job_state st;
    struct key k = key_number(number);
    char where[48];
    snprintf(where, sizeof where, number >= EXTRA_FIRST ? "occurrence %" PRIu64 : "state %" PRIu64,
        number >= EXTRA_FIRST ? number - EXTRA_FIRST : number);
    if (record_read_state(value.data, value.length, &st, NULL) != 0)
        return 0;
    if (!queue_known(r, st.queue))
        tell(r, where, "`ax set JOB queue=NAME` gives the job a queue",
            "its queue has the number %u, and there is none of it", st.queue);
    int failed = relate_run_open(r, number, &st, where);
    if (failed || number >= EXTRA_FIRST)
        return failed ? failed : relate_extra(r, number, &st, where);
    int found = there(r, DB_JOBS, &k);
    if (found == 0)
        tell(r, where, BY_HAND, "there is no definition of its job");
    return found < 0 ? found : relate_counts(r, number, &st, where);
}

/* ---- runs, outputs, names ---- */

static int relate_run(struct relating *r, struct run_id id, struct db_bytes value)
{
    struct run run;
    struct key k = key_open(id);
    char name[RUN_ID_SIZE], where[RUN_ID_SIZE + 8];
    if (record_read_run(value.data, value.length, &run, NULL) != 0)
        return 0;
    int found = run.output == OUTPUT_INLINE ? there(r, DB_OUTPUTS, &k) : 1;
    run_clear(&run);
    run_id_format(id, name);
    snprintf(where, sizeof where, "run %s", name);
    if (found == 0)
        tell(r, where, "it is gone: nothing can be done", "its output is not there");
    return found < 0 ? found : 0;
}

static int relate_output(struct relating *r, struct run_id id)
{
    struct key k = key_run(id);
    char name[RUN_ID_SIZE], where[RUN_ID_SIZE + 8];
    int found = there(r, DB_RUNS, &k);
    run_id_format(id, name);
    snprintf(where, sizeof where, "output %s", name);
    if (found)
        return found < 0 ? found : 0;
    tell(r, where, NULL, "there is no run of it");
    k = key_open(id);
    int failed = r->mend ? db_delete(r->store->db, DB_OUTPUTS, key_bytes(&k), r->e) : 0;
    return failed < 0 ? failed : 0;
}

/* ---- environments ---- */

static int relate_env(struct relating *r, struct db_bytes key)
{
    struct db_bytes rest = key;
    uint64_t id = 0;
    bool is_text = key_take_u64(&rest, &id) && rest.length == 1 && *(const char *)rest.data == 0;
    struct key count = key_number(id), text = key_number(id);
    count.bytes[count.length++] = 1;
    text.bytes[text.length++] = 0;
    int found = is_text ? there(r, DB_ENVS, &count) : 1;
    if (found)
        return found < 0 ? found : 0;
    char where[48];
    snprintf(where, sizeof where, "environment %" PRIu64, id);
    tell(r, where, NULL, "nobody has it");
    int failed = r->mend ? db_delete(r->store->db, DB_ENVS, key_bytes(&text), r->e) : 0;
    return failed < 0 ? failed : 0;
}

/* ---- the walk ---- */

static int relate(struct relating *r, enum db_table table, struct db_bytes key, struct db_bytes value)
{
    struct db_bytes rest = key;
    struct run_id id = {0};
    uint64_t number = 0;
    if (table == DB_ENVS)
        return relate_env(r, key);
    if (!key_take_u64(&rest, &number))
        return 0;
    id.job = number;
    if (table == DB_JOBS)
        return relate_job(r, number, value);
    if (table == DB_STATES)
        return rest.length ? 0 : relate_state(r, number, value);
    if (!key_take_u32(&rest, &id.n))
        return 0;
    return table == DB_OUTPUTS ? relate_output(r, id) : key_take_u32(&rest, &id.note) ? relate_run(r, id, value) : 0;
}

/* The position is sought anew after each entry, since mending changes what lies there. */
static int relate_table(struct relating *r, enum db_table table)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct buf at = {0};
    int failed = db_cursor_new(r->store->db, table, &c, r->e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){0}, &key, &value, r->e); failed == 0;) {
        buf_reset(&at);
        buf_add(&at, key.data, key.length);
        buf_char(&at, '\0'); /* the next key there can be */
        failed = relate(r, table, key, value);
        if (!failed)
            failed = r->mend ? db_cursor_from(c, (struct db_bytes){at.data, at.length}, &key, &value, r->e)
                             : db_cursor_next(c, &key, &value, r->e);
    }
    buf_clear(&at);
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

static bool add_queue(void *context, const struct queue *q)
{
    struct store_numbers *n = context;
    MEM_GROW(n->items, n->capacity, n->count + 1);
    n->items[n->count++] = q->id;
    return true;
}

int store_relations(struct store *s, bool mend, finding_call *call, void *context, struct error *e)
{
    static const enum db_table tables[] = {DB_JOBS, DB_STATES, DB_RUNS, DB_OUTPUTS, DB_ENVS};
    struct relating r = {.store = s, .mend = mend, .call = call, .context = context, .e = e};
    struct error why = {0};
    if (store_each_queue(s, add_queue, &r.queues, &why) < 0 && why.sys) {
        free(r.queues.items);
        return store_damaged(s, "its queues", e);
    }
    int failed = 0;
    for (size_t i = 0; i < sizeof tables / sizeof *tables && !failed; i++)
        failed = relate_table(&r, tables[i]);
    free(r.queues.items);
    return failed;
}
