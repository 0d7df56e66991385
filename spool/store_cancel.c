/* Cancelling a job: its own occurrence and the extra ones. */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "spool/store_private.h"

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

struct cancelling {
    struct store *s;
    instant now;
    const char *name;
    struct store_cancelled *out;
    int failed;
    struct error *error;
};

static bool cancel_extra(void *context, uint64_t number, const struct job_state *st)
{
    struct cancelling *x = context;
    (void)st;
    x->failed = cancel_place(x->s, number, x->now, x->name, x->out, x->error);
    return !x->failed;
}

static int cancel_all(struct store *s, uint64_t number, instant now, struct store_cancelled *out, struct error *e)
{
    struct job j;
    int failed = store_job_get(s, number, false, &j, e);
    if (failed)
        return failed;
    struct cancelling x = {.s = s, .now = now, .name = j.name, .out = out, .error = e};
    failed = store_each_extra(s, number, cancel_extra, &x, e);
    failed = x.failed ? x.failed : failed;
    /* The job's own one last: what is parked must not be let go meanwhile. */
    if (!failed)
        failed = cancel_place(s, number, now, j.name, out, e);
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
