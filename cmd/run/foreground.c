/* Runs that `ax exec` has in the foreground of a client: beside schedule, limits and slots. Each is watched to its end;
 * one whose `ax exec` was killed is recorded as lost, and what is left of its command is ended. */
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/run/scheduler.h"
#include "lib/base/mem.h"
#include "lib/sys/tree.h"

#define AGAIN (100 * INT64_C(1000000))

struct foreground {
    struct scheduler *scheduler;
    struct run run;
    int handle; /* of its `ax exec`; -1: none */
    struct loop_source *source;
    struct loop_timer timer;
    struct foreground *next;
};

static void foreground_look(struct foreground *f);

static struct foreground *foreground_find(struct scheduler *s, struct run_id id)
{
    struct foreground *f = s->foreground;
    while (f && (f->run.id.job != id.job || f->run.id.n != id.n))
        f = f->next;
    return f;
}

static void foreground_unwatch(struct foreground *f)
{
    loop_remove(f->scheduler->loop, f->source);
    f->source = NULL;
    if (f->handle >= 0)
        close(f->handle);
    f->handle = -1;
    loop_timer_stop(f->scheduler->loop, &f->timer);
}

static void foreground_free(struct foreground *f)
{
    struct foreground **place = &f->scheduler->foreground;
    while (*place != f)
        place = &(*place)->next;
    *place = f->next;
    foreground_unwatch(f);
    run_clear(&f->run);
    free(f);
}

static void foreground_later(struct foreground *f)
{
    loop_timer_set(f->scheduler->loop, &f->timer, AGAIN);
}

static void foreground_timer(struct loop_timer *t)
{
    foreground_look(t->context);
}

static void foreground_gone(void *context, uint32_t events)
{
    struct foreground *f = context;
    (void)events;
    foreground_unwatch(f);
    foreground_look(f);
}

/* 0 when the row is not open any more. The usual end: `ax exec` has written it. */
static int foreground_record(struct foreground *f, struct error *e)
{
    struct store *store = f->scheduler->store;
    const struct store_end end = {.run = &f->run};
    int code = store_begin(store, true, e);
    if (code)
        return code;
    code = store_exec_end(store, &end, e);
    if (code == 0)
        return store_commit(store, e);
    store_abort(store);
    return code;
}

/* The command may outlive its `ax exec`. */
static bool foreground_ended(const struct foreground *f, const struct fence *fence)
{
    char id[RUN_ID_SIZE];
    run_id_format(f->run.id, id);
    if (!fence->command.pid || strcmp(fence->boot, f->scheduler->boot) != 0)
        return true;
    char *mark = mem_format("AX_RUN=%s", id), *spool = mem_format("AX_SPOOL=%s", f->scheduler->folder->path);
    const struct tree tree = {
        .session = fence->command.pid, .session_start = fence->command.start, .mark = mark, .mark_too = spool};
    size_t left = tree_signal(&tree, SIGKILL, NULL);
    free(mark);
    free(spool);
    return left == 0;
}

static void foreground_over(struct foreground *f, const struct fence *fence)
{
    struct scheduler *s = f->scheduler;
    struct error e = {0};
    char run[RUN_ID_SIZE];
    if (!foreground_ended(f, fence)) {
        foreground_later(f);
        return;
    }
    free(f->run.reason);
    f->run.reason =
        mem_string(fence->command.pid ? "its ax exec was killed" : "its ax exec was killed before the command started");
    f->run.outcome = OUTCOME_LOST;
    f->run.started = fence->command.pid ? fence->started : INSTANT_NONE;
    f->run.ended = clock_wall();
    if (foreground_record(f, &e) != 0) {
        foreground_later(f);
        return;
    }
    run_id_format(f->run.id, run);
    log_event(s->log, LOG_LEVEL_INFO, "a run in the foreground is over", "run", run, NULL);
    fence_remove(s->folder, f->run.id);
    foreground_free(f);
}

static void foreground_look(struct foreground *f)
{
    struct scheduler *s = f->scheduler;
    struct fence fence = {0};
    struct report left;
    struct process_id now;
    if (adopt_look(s->folder, &f->run, s->boot, &fence, &left) != ADOPT_WAIT) {
        foreground_over(f, &fence);
        return;
    }
    f->handle = fence.holder ? process_open(fence.holder) : -1;
    bool same = f->handle >= 0 && process_identify(fence.holder, &now) && now.start == fence.holder_start;
    f->source = same ? loop_add(s->loop, f->handle, EPOLLIN, foreground_gone, f, NULL) : NULL;
    if (f->source)
        return;
    foreground_unwatch(f);
    foreground_later(f);
}

void foreground_take(struct scheduler *s, struct run *run)
{
    struct foreground *f = mem_zero(1, sizeof *f);
    f->scheduler = s;
    f->run = *run;
    f->handle = -1;
    f->timer.call = foreground_timer;
    f->timer.context = f;
    f->next = s->foreground;
    s->foreground = f;
    foreground_look(f);
}

struct opened {
    struct scheduler *scheduler;
    struct run *items;
    size_t count, capacity;
};

static bool opened_add(void *context, const struct run *r)
{
    struct opened *o = context;
    if (!run_is_foreground(r) || foreground_find(o->scheduler, r->id))
        return true;
    MEM_GROW(o->items, o->capacity, o->count + 1);
    run_copy(&o->items[o->count++], r);
    return true;
}

int foreground_read(struct scheduler *s, struct error *e)
{
    struct opened o = {.scheduler = s};
    int failed = store_begin(s->store, false, e);
    if (failed)
        return failed;
    failed = store_each_open(s->store, opened_add, &o, e);
    store_abort(s->store);
    for (size_t i = 0; i < o.count; i++)
        if (failed)
            run_clear(&o.items[i]);
        else
            foreground_take(s, &o.items[i]);
    free(o.items);
    return failed;
}

void foreground_clear(struct scheduler *s)
{
    while (s->foreground)
        foreground_free(s->foreground);
}
