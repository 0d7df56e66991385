/* Occurrences with states of their own: a job's own one, and the extra ones beside it. A place is named by a number:
 * that of the job, or of the extra occurrence (EXTRA_FIRST and above). */
#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/mem.h"
#include "spool/store_private.h"

static struct key extra_key(uint64_t job, uint64_t extra)
{
    struct key k = key_number(job);
    key_u64(&k, extra);
    return k;
}

int store_place(struct store *s, uint64_t number, struct store_place *p, struct error *e)
{
    *p = (struct store_place){.number = number, .job = number};
    if (number >= EXTRA_FIRST) {
        int found = store_state_get(s, number, &p->extra, e);
        if (found)
            return found;
        p->extra_old = p->extra;
        p->job = p->extra.job;
    }
    int found = store_state_get(s, p->job, &p->own, e);
    if (found == STORE_NONE && number >= EXTRA_FIRST)
        return store_damaged(s, "its states", e);
    p->own_old = p->own;
    return found;
}

struct job_state *store_place_state(struct store_place *p)
{
    return p->number >= EXTRA_FIRST ? &p->extra : &p->own;
}

static bool begun(const struct job_state *s)
{
    return s->phase == PHASE_RUNNING || s->phase == PHASE_RETRYING;
}

bool store_place_busy(const struct store_place *p)
{
    bool extra = p->number >= EXTRA_FIRST;
    return (extra && begun(&p->own)) || p->own.busy > (extra && begun(&p->extra));
}

/* ---- extra ones ---- */

static int extra_insert(struct store *s, uint64_t number, const struct job_state *st, struct error *e)
{
    struct key k = extra_key(st->job, number);
    int failed = db_put(s->db, DB_STATES, key_bytes(&k), (struct db_bytes){"", 0}, e);
    return failed ? failed : store_state_put(s, number, NULL, st, e);
}

static int extra_remove(struct store *s, uint64_t number, const struct job_state *st, struct error *e)
{
    struct key k = extra_key(st->job, number), state = key_number(number);
    int failed = db_delete(s->db, DB_STATES, key_bytes(&k), e);
    if (!failed)
        failed = db_delete(s->db, DB_STATES, key_bytes(&state), e);
    if (!failed)
        failed = store_env_drop(s, st->env, e);
    return failed == STORE_NONE ? store_damaged(s, "its states", e) : failed;
}

int store_extra_new(
    struct store *s, struct job_state *own, const struct job_state *extra, uint64_t *number, struct error *e)
{
    *number = EXTRA_FIRST + (uint64_t)s->counters.next_extra;
    int failed = extra_insert(s, *number, extra, e);
    if (failed)
        return failed;
    s->counters.next_extra++;
    s->changed = true;
    own->extras++;
    own->busy += begun(extra);
    return 0;
}

int store_each_extra(struct store *s, uint64_t job, store_extra_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct key from = extra_key(job, 0);
    int failed = db_cursor_new(s->db, DB_STATES, &c, e);
    if (failed)
        return failed;
    uint64_t *numbers = NULL;
    size_t count = 0, capacity = 0;
    for (failed = db_cursor_from(c, key_bytes(&from), &key, &value, e); failed == 0;
         failed = db_cursor_next(c, &key, &value, e)) {
        uint64_t owner, number;
        if (!key_take_u64(&key, &owner) || owner != job || !key_take_u64(&key, &number))
            break;
        MEM_GROW(numbers, capacity, count + 1);
        numbers[count++] = number;
    }
    db_cursor_free(c);
    failed = failed < 0 ? failed : 0;
    for (size_t i = 0; !failed && i < count; i++) {
        struct job_state st;
        failed = store_state_get(s, numbers[i], &st, e);
        if (failed == STORE_NONE)
            failed = store_damaged(s, "its states", e);
        if (!failed && !call(context, numbers[i], &st))
            break;
    }
    free(numbers);
    return failed;
}

/* ---- writing ---- */

struct parked {
    uint64_t number;
    struct job_state state;
};

static bool find_parked(void *context, uint64_t number, const struct job_state *st)
{
    struct parked *p = context;
    struct job_state released = *st;
    if (!life_release(&released, INSTANT_NONE))
        return true;
    *p = (struct parked){number, *st};
    return false;
}

/* No occurrence of the job is active any more: the next parked one may go, the job's own first. */
static int place_release(struct store *s, struct store_place *p, instant now, struct error *e)
{
    struct parked next = {0};
    if (life_release(&p->own, now) || !p->own.extras)
        return 0;
    int failed = store_each_extra(s, p->job, find_parked, &next, e);
    if (failed || !next.number)
        return failed;
    struct job_state released = next.state;
    life_release(&released, now);
    return store_state_put(s, next.number, &next.state, &released, e);
}

static int extra_write(struct store *s, struct store_place *p, struct error *e)
{
    struct job_state *x = &p->extra;
    if (x->last_outcome != p->extra_old.last_outcome || x->last_ended != p->extra_old.last_ended) {
        p->own.last_outcome = x->last_outcome;
        p->own.last_ended = x->last_ended;
        p->own.last_code = x->last_code;
    }
    p->own.busy += (uint32_t)begun(x) - (uint32_t)begun(&p->extra_old);
    int failed = store_state_put(s, p->number, &p->extra_old, x, e);
    if (!failed && job_over(x)) {
        p->own.extras--;
        failed = extra_remove(s, p->number, x, e);
    }
    return failed;
}

int store_place_put(struct store *s, struct store_place *p, instant now, struct error *e)
{
    int failed = p->number >= EXTRA_FIRST ? extra_write(s, p, e) : 0;
    if (!failed && !job_active(&p->own))
        failed = place_release(s, p, now, e);
    return failed ? failed : store_state_put(s, p->job, &p->own_old, &p->own, e);
}

/* Rows without a run are numbered behind the job's last run, whoever they are of. */
int store_place_notes(
    struct store *s, struct store_place *p, const char *name, struct life_notes *notes, struct error *e)
{
    for (int i = 0; p->number >= EXTRA_FIRST && i < notes->count; i++) {
        notes->rows[i].id = (struct run_id){.n = p->own.runs, .note = ++p->own.notes};
        notes->rows[i].extra = p->number;
    }
    return store_notes_put(s, p->job, name, &p->own, notes, e);
}

int store_run_state(struct store *s, const struct run *r, struct job_state *out, struct error *e)
{
    return store_state(s, r->extra ? r->extra : r->id.job, out, e);
}
