/* The wall clock, as the spool has seen it, and the backward steps of it that are still to be applied to waiting jobs. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/pack.h"
#include "spool/record.h"
#include "spool/store_private.h"

#define STEP_LEAST SECOND /* a smaller change of the clock is no step; what is seen is not written more often either */

/* ---- the steps, meta "steps": a list of three numbers each ---- */

/* `step` is to be applied to the jobs from `from` on, below `until`: those that were there when the clock was set. Steps that come while another one is half
 * applied have rows of their own, so that each job is moved once by each. */
struct step {
    int64_t from, until, step;
};
#define STEP_NUMBERS 3

struct steps {
    struct step *items;
    size_t count, capacity;
};

static const struct db_bytes steps_key = {"steps", 5};

static void steps_decode(const struct value *list, struct steps *out)
{
    if (list->kind != VALUE_LIST || list->list.count % STEP_NUMBERS)
        return;
    const struct value *n = list->list.items;
    for (size_t i = 0; i < list->list.count; i++)
        if (n[i].kind != VALUE_INT)
            return;
    for (; out->count < list->list.count / STEP_NUMBERS; n += STEP_NUMBERS) {
        MEM_GROW(out->items, out->capacity, out->count + 1);
        out->items[out->count++] = (struct step){n[0].integer, n[1].integer, n[2].integer};
    }
}

static int steps_read(struct store *s, struct steps *out, struct error *e)
{
    struct db_bytes bytes;
    struct value list = {0};
    int found = db_get(s->db, DB_META, steps_key, &bytes, e);
    if (found)
        return found < 0 ? found : 0;
    if (pack_read(bytes.data, bytes.length, &list, NULL) == 0)
        steps_decode(&list, out); /* damaged: none; jobs that come late are better than none at all */
    value_clear(&list);
    return 0;
}

static int steps_write(struct store *s, const struct steps *steps, struct error *e)
{
    if (!steps->count) {
        int failed = db_delete(s->db, DB_META, steps_key, e);
        return failed < 0 ? failed : 0;
    }
    struct value list = value_list();
    for (size_t i = 0; i < steps->count; i++) {
        value_push(&list, value_int(steps->items[i].from));
        value_push(&list, value_int(steps->items[i].until));
        value_push(&list, value_int(steps->items[i].step));
    }
    buf_reset(&s->record);
    pack_write(&s->record, &list);
    value_clear(&list);
    return db_put(s->db, DB_META, steps_key, (struct db_bytes){s->record.data, s->record.length}, e);
}

/* ---- seeing ---- */

static int step_add(struct store *s, int64_t step, struct error *e)
{
    struct steps steps = {0};
    int failed = steps_read(s, &steps, e);
    if (!failed) {
        MEM_GROW(steps.items, steps.capacity, steps.count + 2);
        steps.items[steps.count++] = (struct step){1, s->counters.next_job, step};
        if (s->counters.next_extra) /* the numbers of extra occurrences lie behind those of all jobs */
            steps.items[steps.count++] = (struct step){(int64_t)EXTRA_FIRST, (int64_t)(EXTRA_FIRST + (uint64_t)s->counters.next_extra), step};
        failed = steps_write(s, &steps, e);
    }
    free(steps.items);
    if (!failed)
        s->counters.clock_total += step;
    return failed;
}

int store_clock(struct store *s, instant now, int64_t step, int64_t *total, struct error *e)
{
    struct counters *c = &s->counters;
    if (total)
        step -= c->clock_total - *total; /* others have seen a part of it */
    if (c->clock != INSTANT_NONE && now < c->clock && now - c->clock < step)
        step = now - c->clock;
    bool stepped = step <= -STEP_LEAST;
    int failed = stepped ? step_add(s, step, e) : 0;
    if (failed)
        return failed;
    if (stepped || c->clock == INSTANT_NONE || now >= c->clock + STEP_LEAST) {
        c->clock = now;
        s->changed = true;
    }
    if (total)
        *total = c->clock_total;
    return 0;
}

/* ---- applying ---- */

static int clock_step_job(struct store *s, uint64_t number, struct db_bytes record, int64_t step, instant now, struct error *e)
{
    struct job_state old, new;
    if (record_read_state(record.data, record.length, &old, NULL) != 0)
        return 0; /* a damaged record must not hold up all others */
    new = old;
    struct job job;
    struct store_life l;
    if (!life_clock_concerns(&old) || store_job_get(s, old.job ? old.job : number, false, &job, NULL) != 0)
        return 0;
    int failed = store_life(s, &job, now, &l, e);
    if (!failed && life_clock_step(&l.life, &new, step))
        failed = store_state_put(s, number, &old, &new, e);
    if (!failed)
        store_life_clear(&l);
    job_clear(&job);
    return failed;
}

/* Moves step->from on; to step->until when it is done. */
static int clock_step_some(struct store *s, struct step *step, instant now, uint32_t limit, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct key first = key_number((uint64_t)step->from);
    uint64_t number = 0;
    int failed = db_cursor_new(s->db, DB_STATES, &c, e);
    if (failed)
        return failed;
    failed = db_cursor_from(c, key_bytes(&first), &key, &value, e);
    for (; failed == 0; failed = db_cursor_next(c, &key, &value, e)) {
        if (!key_take_u64(&key, &number))
            failed = store_damaged(s, "its states", e);
        else if (key.length) /* an extra occurrence of the job: its state has a key of its own */
            continue;
        else if (number >= (uint64_t)step->until || limit-- == 0)
            break; /* go on here */
        else
            failed = clock_step_job(s, number, value, step->step, now, e);
        if (failed)
            break;
    }
    db_cursor_free(c);
    if (failed < 0)
        return failed;
    step->from = failed == DB_NONE || number > (uint64_t)step->until ? step->until : (int64_t)number;
    return 0;
}

int store_clock_stepping(struct store *s, bool *out, struct error *e)
{
    struct db_bytes bytes;
    int found = db_get(s->db, DB_META, steps_key, &bytes, e);
    if (found < 0)
        return found;
    *out = found == 0;
    return 0;
}

int store_clock_step(struct store *s, instant now, uint32_t limit, bool *more, struct error *e)
{
    struct steps steps = {0};
    int failed = steps_read(s, &steps, e);
    bool some = !failed && steps.count;
    if (some)
        failed = clock_step_some(s, &steps.items[0], now, limit, e);
    if (!failed && some && steps.items[0].from >= steps.items[0].until) {
        steps.count--;
        memmove(steps.items, steps.items + 1, steps.count * sizeof *steps.items);
    }
    if (!failed && some)
        failed = steps_write(s, &steps, e);
    if (!failed)
        *more = steps.count > 0;
    free(steps.items);
    return failed;
}
