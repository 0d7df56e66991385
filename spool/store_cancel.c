/* Cancelling a job: its own occurrence and the extra ones. */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "spool/store_private.h"

struct extras {
    uint64_t *numbers;
    size_t count, capacity;
};

static bool extras_add(void *context, uint64_t number, const struct job_state *st)
{
    struct extras *x = context;
    (void)st;
    MEM_GROW(x->numbers, x->capacity, x->count + 1);
    x->numbers[x->count++] = number;
    return true;
}

static int cancel_place(
    struct store *s, uint64_t number, instant now, const char *name, struct store_cancelled *out, struct error *e)
{
    struct store_place p;
    struct life_notes notes = {0};
    int failed = store_place(s, number, &p, e);
    if (failed)
        return failed;
    struct job_state *st = store_place_state(&p);
    enum life_cancel how = life_cancel(st, now, &notes);
    if (how == LIFE_STOPPING) {
        out->open = mem_resize(out->open, out->open_count + 1, sizeof *out->open);
        out->open[out->open_count++] = (struct run_id){.job = p.job, .n = st->open};
        out->what = LIFE_STOPPING;
    } else if (how == LIFE_CANCELLED && out->what == LIFE_OVER) {
        out->what = LIFE_CANCELLED;
    }
    if (how == LIFE_CANCELLED)
        failed = store_place_notes(s, &p, name, &notes, e);
    if (!failed && how != LIFE_OVER)
        failed = store_place_put(s, &p, now, e);
    life_notes_clear(&notes);
    return failed;
}

static int cancel_all(struct store *s, uint64_t number, instant now, struct store_cancelled *out, struct error *e)
{
    struct job j;
    struct extras x = {0};
    int failed = store_job_get(s, number, false, &j, e);
    if (failed)
        return failed;
    failed = store_each_extra(s, number, extras_add, &x, e);
    /* The job's own one last: what is parked must not be let go meanwhile. */
    for (size_t i = 0; !failed && i < x.count; i++)
        failed = cancel_place(s, x.numbers[i], now, j.name, out, e);
    if (!failed)
        failed = cancel_place(s, number, now, j.name, out, e);
    free(x.numbers);
    job_clear(&j);
    return failed;
}

int store_cancel(struct store *s, uint64_t number, instant now, struct store_cancelled *out, struct error *e)
{
    struct job_state st;
    struct store_cancelled done = {.what = LIFE_OVER};
    int failed = store_state(s, number, &st, e);
    if (failed)
        return failed;
    s->urgent = true;
    failed = cancel_all(s, number, now, &done, e);
    if (failed) {
        free(done.open);
        return failed;
    }
    if (done.what != LIFE_OVER)
        store_feed_add(s, FEED_DUE, number);
    if (done.what == LIFE_STOPPING)
        store_feed_add(s, FEED_CANCEL, number);
    *out = done;
    return 0;
}
