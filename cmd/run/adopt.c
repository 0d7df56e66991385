/* What a new scheduler finds: runs that are still open in the store, workers that outlived their scheduler, outcomes and fences left behind. */
#include <stdlib.h>
#include <string.h>

#include "cmd/run/scheduler.h"
#include "lib/base/fault.h"
#include "lib/base/mem.h"

struct found {
    struct run run;
    struct exits success;
    duration timeout, kill_after;
    bool cancel, overtaken;
};

struct findings {
    struct run_id *ids;
    struct found *items;
    size_t id_count, id_capacity, count;
};

static void found_id(void *context, struct run_id id)
{
    struct findings *f = context;
    MEM_GROW(f->ids, f->id_capacity, f->id_count + 1);
    f->ids[f->id_count++] = id;
}

static void found_take(struct found *f, const struct job *j)
{
    f->success = j->success_exit;
    f->timeout = j->timeout;
    f->kill_after = j->kill_after;
}

/* What the job says about the run's end, as far as the job is still there, and still the one that the run was started for. */
static void found_complete(struct scheduler *s, struct found *f)
{
    struct job job;
    struct job_state state = {0};
    job_init(&job);
    found_take(f, &job);
    job_clear(&job);
    if (store_run_state(s->store, &f->run, &state, NULL) == 0)
        f->cancel = state.cancel || state.overtaken || state.stop;
    f->overtaken = state.overtaken && !state.cancel && !state.stop;
    if (!state.replaced && store_job(s->store, f->run.id.job, &job, NULL) == 0) {
        found_take(f, &job);
        job_clear(&job);
    }
}

/* A run whose record is damaged is left as it is, and so is all that its worker leaves; the others are served. */
static void found_damaged(struct scheduler *s, struct run_id id, const struct error *why)
{
    char run[RUN_ID_SIZE];
    run_id_format(id, run);
    log_event(s->log, LOG_LEVEL_ERROR, "an open run cannot be taken over", "run", run, "reason", why->text, NULL);
    s->aside = mem_resize(s->aside, s->aside_count + 1, sizeof *s->aside);
    s->aside[s->aside_count++] = id;
}

static bool is_aside(const struct scheduler *s, struct run_id id)
{
    for (size_t i = 0; i < s->aside_count; i++)
        if (s->aside[i].job == id.job && s->aside[i].n == id.n)
            return true;
    return false;
}

static int find_one(struct scheduler *s, struct findings *f, struct run_id id, struct error *e)
{
    struct found *item = &f->items[f->count];
    *item = (struct found){0};
    struct error why = {0};
    if (store_run(s->store, id, &item->run, &why) == 0) {
        found_complete(s, item);
        f->count++;
        return 0;
    }
    if (why.sys) {
        *e = why;
        return -(int)ERROR_SPOOL;
    }
    found_damaged(s, id, &why);
    return 0;
}

static int find_open(struct scheduler *s, struct findings *f, struct error *e)
{
    int failed = store_begin(s->store, false, e);
    if (failed)
        return failed;
    failed = changes_queues(s, e);
    if (!failed)
        failed = store_each_open_id(s->store, found_id, f, e);
    f->items = mem_zero(f->id_count + 1, sizeof *f->items);
    for (size_t i = 0; !failed && i < f->id_count; i++)
        failed = find_one(s, f, f->ids[i], e);
    store_abort(s->store);
    return failed;
}

int adopt_begin(struct scheduler *s, struct error *e)
{
    struct findings f = {0};
    int failed = find_open(s, &f, e);
    for (size_t i = 0; i < f.count; i++) {
        if (failed) {
            run_clear(&f.items[i].run);
            continue;
        }
        if (run_is_foreground(&f.items[i].run)) {
            foreground_take(s, &f.items[i].run);
            continue;
        }
        char run[RUN_ID_SIZE];
        run_id_format(f.items[i].run.id, run);
        log_event(s->log, LOG_LEVEL_INFO, "found an open run", "run", run, NULL);
        struct active *a = active_new(s, &f.items[i].run);
        a->success = f.items[i].success;
        a->timeout = f.items[i].timeout;
        a->kill_after = f.items[i].kill_after;
        a->cancel = f.items[i].cancel;
        a->overtaken = f.items[i].overtaken;
        active_resolve(a);
    }
    free(f.items);
    free(f.ids);
    s->clean = true;
    return failed;
}

/* J.N.sock: an orphan listens. J.N.left: the outcome of a run; its worker may live on for what was left in the background. */
void adopt_arrived(struct scheduler *s, const char *name)
{
    char text[RUN_ID_SIZE];
    struct run_id id;
    const char *suffix = strrchr(name, '.');
    size_t length = suffix ? (size_t)(suffix - name) : 0;
    if (!length || length >= sizeof text)
        return;
    memcpy(text, name, length);
    text[length] = '\0';
    if (!run_id_parse(text, &id))
        return;
    struct active *a = active_find(s, id);
    if (a && strcmp(suffix, ".sock") == 0)
        active_reach(a);
    if (a && strcmp(suffix, ".left") == 0)
        active_left(a);
    if (!a)
        s->clean = true;
}

static void clean_left(void *context, struct run_id id)
{
    struct scheduler *s = context;
    if (active_find(s, id) || is_aside(s, id))
        return;
    left_remove(s->folder, id);
    fence_remove(s->folder, id);
}

static void clean_fence(void *context, struct run_id id)
{
    struct scheduler *s = context;
    struct fence fence;
    if (active_find(s, id) || is_aside(s, id))
        return;
    fence_look(s->folder, id, &fence);
    if (fence.state != FENCE_HELD) /* by an ax exec */
        fence_remove(s->folder, id);
}

/* A fence stays as long as a worker lives that might still have the order for its run in its socket. */
void adopt_clean(struct scheduler *s)
{
    s->clean = false;
    left_each(s->folder, clean_left, s);
    if (!generation_older_alive(s->lock, s->generation))
        fence_each(s->folder, clean_fence, s);
}
