#include "cmd/cancel_wait.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/fault.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/sys/frame.h"
#include "lib/sys/process.h"
#include "lib/sys/tree.h"
#include "spool/handover.h"

#define WORKER_SLACK (FAULT_SLACK(30) * SECOND) /* behind the grace, as the scheduler has it */

struct waiting {
    struct run_id id;
    struct run run;          /* as in the store */
    struct job_state state;
    struct job job;
    struct frame orphan;     /* fd 0: not connected */
    struct folder folder;
    bool told;
    int64_t since; /* clock_mono, since nobody but the worker can end it; 0: somebody can */
};

/* ---- what the store says ---- */

/* A worker gets a run a little before its time, and may hear of the cancel while it still holds it. */
static enum cancel_how cancel_stopped(instant started)
{
    return started == INSTANT_NONE ? CANCEL_NOT_STARTED : CANCEL_STOPPED;
}

static void cancel_recorded(const struct waiting *w, struct cancel_end *out)
{
    out->run = w->run;
    out->run.reason = mem_string(w->run.reason);
    out->run.name = out->run.key = NULL;
    out->how = w->run.outcome == OUTCOME_CANCELLED ? cancel_stopped(w->run.started) : w->run.outcome == OUTCOME_LOST ? CANCEL_UNKNOWN : CANCEL_ENDED;
    out->done = out->how == CANCEL_ENDED && w->state.phase != PHASE_CANCELLED;
}

static int cancel_read(struct store *store, struct waiting *w, bool *there, struct error *e)
{
    struct run run;
    struct job job;
    int code = store_state(store, w->id.job, &w->state, e);
    if (code == 0)
        code = store_job(store, w->id.job, &job, e);
    if (code < 0)
        return code;
    job_clear(&w->job);
    w->job = job;
    /* A claim that never started gives up its number: the run is gone then. */
    *there = store_run(store, w->id, &run, NULL) == 0;
    if (*there) {
        run_clear(&w->run);
        w->run = run;
    }
    return 0;
}

static int cancel_look(const struct common *c, struct waiting *w, bool *over, struct cancel_end *out, struct error *e)
{
    struct store *store;
    bool there = false;
    int code = client_open(c, STORE_READ, &store, e);
    if (code < 0)
        return code;
    code = store_begin(store, false, e);
    if (code == 0) {
        code = cancel_read(store, w, &there, e);
        store_abort(store);
    }
    store_close(store);
    if (code < 0)
        return code;
    *over = !there || w->run.outcome != OUTCOME_NONE;
    if (!there)
        *out = (struct cancel_end){.how = CANCEL_NOT_STARTED, .run.outcome = OUTCOME_CANCELLED};
    else if (*over)
        cancel_recorded(w, out);
    return 0;
}

/* ---- no scheduler: what the run's worker says ---- */

static void cancel_left(const struct waiting *w, struct report *r, struct cancel_end *out)
{
    *out = (struct cancel_end){.how = CANCEL_ENDED, .run.exit_code = r->code, .run.signal = r->signal};
    if (r->how == REPORT_CANCELLED || r->how == REPORT_STOPPED) {
        out->how = cancel_stopped(r->started);
        out->run.outcome = OUTCOME_CANCELLED;
    } else if (r->how == REPORT_SHORTAGE || r->how == REPORT_FENCED) {
        out->how = CANCEL_NOT_STARTED;
        out->run.outcome = OUTCOME_CANCELLED;
    } else if (r->how == REPORT_TIMEOUT || r->how == REPORT_UNSTARTABLE) {
        out->run.outcome = r->how == REPORT_TIMEOUT ? OUTCOME_TIMEOUT : OUTCOME_UNSTARTABLE;
    } else {
        out->run.outcome = life_judge(&w->job, r->code, r->signal);
    }
    out->done = out->how == CANCEL_ENDED && out->run.outcome == OUTCOME_OK && !w->state.repeats;
    out->run.reason = mem_string(r->reason);
    report_clear(r);
}

/* Its socket may not be there yet: the worker has to notice first that its scheduler is gone. */
static void cancel_tell(struct waiting *w)
{
    if (w->told)
        return;
    int fd = orphan_connect(&w->folder, w->id);
    if (fd < 0)
        return;
    struct value message = message_cancel(w->id, false, DURATION_NONE);
    w->orphan = (struct frame){.fd = fd};
    frame_put(&w->orphan, &message);
    value_clear(&message);
    w->told = frame_flush(&w->orphan) == 0;
    if (!w->told)
        frame_clear(&w->orphan);
}

/* Worker and scheduler are dead, but what the command left may live: it is known by its session and by the marks in its environment. */
static size_t cancel_end_tree(const struct waiting *w, const struct fence *fence, struct buf *denied)
{
    char run[RUN_ID_SIZE];
    struct process_id now;
    run_id_format(w->id, run);
    char *mark = mem_format("AX_RUN=%s", run), *spool = mem_format("AX_SPOOL=%s", w->folder.path);
    bool reused = process_identify(fence->command.pid, &now) && now.start != fence->command.start;
    struct tree tree = {.session = reused ? 0 : fence->command.pid, .mark = mark, .mark_too = spool};
    const struct timespec pause = {.tv_nsec = 100000000};
    size_t left = tree_signal(&tree, SIGTERM, denied);
    for (int tries = 0; left && tries < 100; tries++) {
        nanosleep(&pause, NULL);
        buf_reset(denied);
        left = tree_signal(&tree, tries < 20 ? 0 : SIGKILL, denied);
    }
    free(mark);
    free(spool);
    return left;
}

static void cancel_lost(const struct waiting *w, const struct fence *fence, const char *boot, struct cancel_end *out)
{
    struct buf denied = {0};
    *out = (struct cancel_end){.how = CANCEL_UNKNOWN, .run.outcome = OUTCOME_NONE};
    if (strcmp(fence->boot, boot) != 0)
        out->run.reason = mem_string("the machine went down while it ran");
    else if (cancel_end_tree(w, fence, &denied))
        out->run.reason = mem_format("its worker and the scheduler are gone; still alive: %s", buf_string(&denied));
    else
        out->run.reason = mem_string("its worker and the scheduler are gone; no process of it is alive");
    buf_clear(&denied);
}

/* Until then the spool has the run as open, and `ax ls` shows the job as running. */
static bool cancel_unrecorded(struct cancel_end *out)
{
    char *reason = out->run.reason;
    const char *when = "to be recorded when a scheduler next runs";
    out->run.reason = reason ? mem_format("%s; %s", reason, when) : mem_string(when);
    free(reason);
    return true;
}

/* A worker that is stopped or stuck hears nothing: after the grace and some slack it is ended, and the run's tree after it. */
static void cancel_overdue(struct waiting *w, const struct fence *fence)
{
    struct process_id now;
    int64_t mono = clock_mono().ns;
    if (!w->since)
        w->since = mono;
    if (fence->holder <= 0 || mono - w->since < instant_add(w->job.kill_after, WORKER_SLACK))
        return;
    int handle = process_open(fence->holder);
    if (handle < 0)
        return;
    if (process_identify(fence->holder, &now) && now.start == fence->holder_start)
        process_signal(handle, SIGKILL);
    close(handle);
}

static bool cancel_orphan(struct waiting *w, struct cancel_end *out)
{
    struct fence fence = {0};
    struct report left = {0};
    char boot[BOOT_ID_SIZE];
    process_boot(boot);
    switch (adopt_look(&w->folder, &w->run, boot, &fence, &left)) {
    case ADOPT_FINISH:
        cancel_left(w, &left, out);
        return cancel_unrecorded(out);
    case ADOPT_REQUEUE: /* and fenced now: no worker can start it any more */
        *out = (struct cancel_end){.how = CANCEL_NOT_STARTED, .run.outcome = OUTCOME_CANCELLED};
        return cancel_unrecorded(out);
    case ADOPT_LOST:
        cancel_lost(w, &fence, boot, out);
        return cancel_unrecorded(out);
    case ADOPT_WAIT:
        break;
    }
    cancel_tell(w);
    cancel_overdue(w, &fence);
    return false;
}

static int cancel_until(const struct common *c, struct waiting *w, struct client_watch *watch, struct cancel_end *out, struct error *e)
{
    for (;;) {
        bool over = false;
        int code = cancel_look(c, w, &over, out, e);
        if (code < 0 || over)
            return code;
        if (folder_scheduler(&w->folder) != 0)
            w->since = 0;
        else if (cancel_orphan(w, out))
            return 0;
        client_watch_wait(watch);
    }
}

int cancel_wait(const struct common *c, struct run_id id, struct cancel_end *out, struct error *e)
{
    struct waiting w = {.id = id};
    struct client_watch *watch;
    char *path = folder_path(c->spool);
    int code = folder_open(path, false, &w.folder, e);
    free(path);
    if (code < 0)
        return code;
    code = client_watch_new(c, &watch, e);
    if (code == 0) {
        job_init(&w.job);
        code = cancel_until(c, &w, watch, out, e);
        client_watch_free(watch);
        job_clear(&w.job);
        run_clear(&w.run);
        frame_clear(&w.orphan);
    }
    folder_clear(&w.folder);
    return code;
}

void cancel_end_text(struct buf *b, struct run_id open, const struct cancel_end *end)
{
    static const char *const texts[] = {
        [CANCEL_STOPPED] = "it was running; run %s was stopped",
        [CANCEL_NOT_STARTED] = "cancelled; run %s was about to start, and has not",
        [CANCEL_ENDED] = "it was running; run %s ended before it could be stopped: ",
        [CANCEL_UNKNOWN] = "how run %s ended nobody can know",
    };
    char id[RUN_ID_SIZE];
    run_id_format(open, id);
    buf_format(b, texts[end->how], id);
    if (end->how == CANCEL_ENDED)
        view_result(b, &end->run);
    if (end->run.reason)
        buf_format(b, " (%s)", end->run.reason);
}
