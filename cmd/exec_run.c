#include "cmd/exec_run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/sys/loop.h"
#include "lib/sys/tree.h"

#define CHUNK (64 * 1024)
#define KILL_PAUSE (20 * INT64_C(1000000))
#define KILL_TRIES 100 /* then what is left may not be ended by us */

struct going {
    const struct exec_run *x;
    pid_t pid;
    int handle, pipe, signals; /* pipe -1: at its end */
    bool mute;                 /* nobody reads our standard output any more */
    bool exited;
    int status;
    struct rusage usage;
    enum report_how ending;    /* REPORT_EXITED: we are not ending it */
    int64_t at;                /* clock_mono: its time limit, or the next KILL; INT64_MAX: none */
    int kills;
    struct buf denied;
    instant started;
    char boot[BOOT_ID_SIZE];
};

/* ---- its output ---- */

static void going_show(struct going *g, const char *bytes, size_t length)
{
    for (size_t done = 0; done < length && !g->mute;) {
        ssize_t n = write(STDOUT_FILENO, bytes + done, length - done);
        if (n < 0 && errno != EINTR)
            g->mute = true;
        done += n > 0 ? (size_t)n : 0;
    }
}

static void going_drain(struct going *g, size_t most)
{
    char bytes[CHUNK];
    for (size_t got = 0; g->pipe >= 0 && got < most;) {
        ssize_t n = read(g->pipe, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return;
        if (n == 0) {
            close(g->pipe);
            g->pipe = -1;
            return;
        }
        got += (size_t)n;
        if (g->x->writer)
            output_writer_add(g->x->writer, bytes, (size_t)n);
        going_show(g, bytes, (size_t)n);
    }
}

/* ---- ending it ---- */

static size_t going_signal(struct going *g, int number)
{
    char id[RUN_ID_SIZE];
    run_id_format(g->x->startup->order->id, id);
    char *mark = mem_format("AX_RUN=%s", id), *spool = mem_format("AX_SPOOL=%s", g->x->spool);
    const struct tree tree = {.root = getpid(), .session = g->pid, .mark = mark, .mark_too = spool};
    buf_reset(&g->denied);
    size_t left = tree_signal(&tree, number, &g->denied);
    free(mark);
    free(spool);
    return left;
}

/* Asked a second time it does not wait. */
static void going_end(struct going *g, enum report_how how)
{
    duration grace = g->x->startup->order->kill_after;
    if (g->ending != REPORT_EXITED) {
        g->at = clock_mono().ns;
        return;
    }
    g->ending = how;
    g->at = instant_add(clock_mono().ns, grace < 0 ? 0 : grace);
    going_signal(g, SIGTERM);
}

static void going_late(struct going *g)
{
    if (g->ending == REPORT_EXITED) {
        going_end(g, REPORT_TIMEOUT);
        return;
    }
    g->kills++;
    going_signal(g, SIGKILL);
    g->at = clock_mono().ns + KILL_PAUSE;
}

static void going_reap(struct going *g)
{
    int status;
    struct rusage usage;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0) {
        if (pid != g->pid)
            continue; /* a descendant that came to us as its subreaper */
        g->exited = true;
        g->status = status;
        g->usage = usage;
    }
}

/* The end of the process that was started is the end; of what is being ended nothing may be left. */
static bool going_over(struct going *g)
{
    if (g->ending == REPORT_EXITED)
        return g->exited;
    return g->kills >= KILL_TRIES || (g->exited && !going_signal(g, 0));
}

static void going_wait(struct going *g)
{
    struct pollfd p[] = {{.fd = g->pipe, .events = POLLIN}, {.fd = g->signals, .events = POLLIN}};
    int64_t left = g->at == INT64_MAX ? -1 : (g->at - clock_mono().ns + 999999) / 1000000;
    poll(p, 2, left < 0 ? (g->at == INT64_MAX ? -1 : 0) : left > 60000 ? 60000 : (int)left);
    going_drain(g, CHUNK);
    for (int number; (number = loop_signal_next(g->signals)) != 0;)
        if (number != SIGCHLD)
            going_end(g, REPORT_CANCELLED);
    going_reap(g);
    if (g->at != INT64_MAX && clock_mono().ns >= g->at && !(g->exited && g->ending == REPORT_EXITED))
        going_late(g);
}

/* ---- the whole ---- */

static int64_t going_ns(struct timeval t)
{
    return (int64_t)t.tv_sec * SECOND + (int64_t)t.tv_usec * 1000;
}

static void going_report(struct going *g, struct report *out)
{
    *out = report_unstarted(g->x->startup->order->id, g->ending, clock_wall(), NULL);
    out->started = g->started;
    if (g->denied.length)
        out->reason = mem_format("may not be ended by us: %s", buf_string(&g->denied));
    if (!g->exited)
        return;
    if (WIFEXITED(g->status))
        out->code = WEXITSTATUS(g->status);
    else
        out->signal = WTERMSIG(g->status);
    if (g->ending == REPORT_EXITED && out->signal)
        out->how = REPORT_SIGNALED;
    out->cpu_user_ns = going_ns(g->usage.ru_utime);
    out->cpu_system_ns = going_ns(g->usage.ru_stime);
    out->max_rss = g->usage.ru_maxrss * 1024;
}

static int going_signals(void)
{
    sigset_t set;
    sigemptyset(&set);
    static const int wanted[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGCHLD};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        sigaddset(&set, wanted[i]);
    sigprocmask(SIG_BLOCK, &set, NULL);
    signal(SIGPIPE, SIG_IGN);
    signal(SIGCHLD, SIG_DFL); /* of the others that the caller ignores (nohup) we hear nothing */
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    return loop_signal_open(&set);
}

static int going_note(void *context, pid_t self)
{
    const struct going *g = context;
    return fence_start(g->x->fence, self, g->boot);
}

/* The output goes by way of us, as it does by way of a worker: the command finds a pipe, and no terminal. */
static bool going_spawn(struct going *g)
{
    struct startup *s = g->x->startup;
    struct child_failure failure;
    int ends[2];
    if (!startup_input(s))
        return false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return startup_fail(s, REPORT_SHORTAGE, mem_format("making its output: %s", strerror(errno)));
    g->pipe = ends[0];
    fcntl(g->pipe, F_SETFL, O_NONBLOCK);
    if (s->has_user && fchown(ends[1], s->user.uid, (gid_t)-1) != 0) {
        /* As with a worker: writing works all the same. */
    }
    struct child c = startup_child(s, ends[1]);
    if (g->x->fence >= 0) {
        process_boot(g->boot);
        c.note = going_note;
        c.note_context = g;
    }
    g->started = clock_wall();
    g->pid = child_spawn(&c, NULL, &failure);
    close(ends[1]);
    return startup_spawned(s, g->pid, &failure);
}

void exec_run(const struct exec_run *x, struct report *out)
{
    struct startup *s = x->startup;
    struct going g = {.x = x, .pipe = -1, .ending = REPORT_EXITED, .at = INT64_MAX, .signals = going_signals()};
    if (g.signals < 0)
        startup_fail(s, REPORT_SHORTAGE, mem_format("signalfd: %s", strerror(errno)));
    if (g.signals < 0 || !going_spawn(&g)) {
        *out = report_unstarted(s->order->id, s->how, clock_wall(), s->reason);
        s->reason = NULL;
    } else {
        if (s->order->timeout >= 0)
            g.at = instant_add(clock_mono().ns, s->order->timeout);
        while (!going_over(&g))
            going_wait(&g);
        int room = g.pipe < 0 ? 0 : fcntl(g.pipe, F_GETPIPE_SZ);
        going_drain(&g, room > 0 ? (size_t)room : CHUNK);
        going_report(&g, out);
    }
    if (g.pipe >= 0)
        close(g.pipe);
    if (g.signals >= 0)
        close(g.signals);
    buf_clear(&g.denied);
}
