/* Ending a command: TERM to the whole tree, a grace time, KILL until nothing of it is left. */
#include "cmd/run/worker_parts.h"

#include <signal.h>
#include <stdlib.h>

#include "lib/base/fault.h"
#include "lib/base/mem.h"
#include "lib/sys/tree.h"

#define PAUSE_FIRST (2 * INT64_C(1000000))
#define PAUSE_MOST SECOND
#define DENIED_PATIENCE (2 * SECOND) /* for what we may not signal; it may end with the rest */

struct marks { /* in the environment of the command, unless it was changed: its processes are found by them wherever they are */
    char *run, *spool;
};

static struct tree end_tree(struct work *w, struct marks *m)
{
    char run[RUN_ID_SIZE];
    run_id_format(w->order.id, run);
    m->run = mem_format("AX_RUN=%s", run);
    m->spool = mem_format("AX_SPOOL=%s", w->folder.path);
    return (struct tree){.root = w->self.pid, .session = w->pid, .mark = m->run, .mark_too = m->spool};
}

static void marks_clear(struct marks *m)
{
    free(m->run);
    free(m->spool);
}

static size_t end_signal(struct work *w, int number, struct buf *denied)
{
    struct marks m;
    struct tree t = end_tree(w, &m);
    size_t count = tree_signal(&t, number, denied);
    marks_clear(&m);
    return count;
}

size_t end_count(struct work *w)
{
    struct marks m;
    struct tree t = end_tree(w, &m);
    size_t count = tree_count(&t);
    marks_clear(&m);
    return count;
}

static void end_over(struct work *w, const struct buf *denied)
{
    loop_timer_stop(w->loop, &w->killing);
    command_finish(w, w->ending, denied && denied->length ? mem_format("may not be ended by us: %s", buf_string(denied)) : NULL);
}

static void end_kill(struct loop_timer *t)
{
    struct work *w = t->context;
    struct buf denied = {0};
    int64_t now = clock_mono().ns;
    if (!w->kill_pause) {
        FAULT_POINT("worker-killing");
        w->kill_pause = PAUSE_FIRST;
        w->give_up_at.ns = now + DENIED_PATIENCE;
    } else if (w->kill_pause < PAUSE_MOST) {
        w->kill_pause *= 2;
    }
    size_t left = end_signal(w, SIGKILL, &denied);
    if (denied.length && now >= w->give_up_at.ns) {
        end_over(w, &denied);
    } else {
        loop_timer_set(w->loop, &w->killing, w->kill_pause);
        if (!left)
            command_reap(w);
    }
    buf_clear(&denied);
}

void end_begin(struct work *w, enum report_how how, duration grace)
{
    FAULT_POINT("worker-ending");
    w->ending = how;
    w->kill_pause = 0;
    if (grace < 0)
        grace = 0;
    loop_timer_stop(w->loop, &w->limit);
    end_signal(w, SIGTERM, NULL); /* tree.h wakes those that are stopped */
    w->kill_at.ns = instant_add(clock_mono().ns, grace);
    w->killing.call = end_kill;
    w->killing.context = w;
    loop_timer_set(w->loop, &w->killing, grace);
}

void end_hurry(struct work *w, enum report_how how, duration grace)
{
    if (w->ending == REPORT_STOPPED) /* what a person wants outdoes what our own stop does, which may be run again */
        w->ending = how;
    if (w->kill_pause || grace < 0)
        return;
    int64_t at = instant_add(clock_mono().ns, grace);
    if (at < w->kill_at.ns) {
        w->kill_at.ns = at;
        loop_timer_set(w->loop, &w->killing, grace);
    }
}

void end_check(struct work *w)
{
    if (w->exited && w->alone && !end_count(w))
        end_over(w, NULL);
}
