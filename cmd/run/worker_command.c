/* The command of a worker: described, spawned, drained, reaped, reported. */
#include "cmd/run/worker_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/run/startup.h"
#include "lib/base/fault.h"
#include "lib/base/mem.h"
#include "lib/sys/child.h"

#define DRAIN_CHUNK (64 * 1024)
#define DRAIN_TURN (512 * 1024) /* read in one turn, so that a flood leaves time for limits and messages */

/* ---- its output ---- */

static void command_pipe_end(struct work *w)
{
    loop_remove(w->loop, w->reading);
    w->reading = NULL;
    if (w->pipe >= 0)
        close(w->pipe);
    w->pipe = -1;
}

static void command_drain(struct work *w, size_t most)
{
    char bytes[DRAIN_CHUNK];
    for (size_t got = 0; w->pipe >= 0 && got < most;) {
        ssize_t n = read(w->pipe, bytes, sizeof bytes);
        if (n > 0) {
            output_writer_add(w->writer, bytes, (size_t)n);
            got += (size_t)n;
        } else if (n == 0) {
            command_pipe_end(w);
        } else if (errno != EINTR) {
            return;
        }
    }
}

bool command_draining(const struct work *w)
{
    return w->pipe >= 0;
}

static void command_readable(void *context, uint32_t events)
{
    (void)events;
    struct work *w = context;
    command_drain(w, DRAIN_TURN);
    if (w->pipe < 0 && w->stage == WORK_IDLE && w->spent) { /* what was left in the background has closed its output */
        output_writer_free(w->writer, false);
        w->writer = NULL;
        w->over = true;
    }
}

/* ---- starting it ---- */

static void command_no_start(struct work *w, enum report_how how, char *reason)
{
    struct report r = report_unstarted(w->order.id, how, clock_wall(), reason);
    work_ended(w, &r);
}

static bool start_descriptors(struct work *w, struct startup *s, int *out)
{
    int ends[2];
    if (!startup_input(s))
        return false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return startup_fail(s, REPORT_SHORTAGE, mem_format("making its output: %s", strerror(errno)));
    *out = ends[1];
    w->pipe = ends[0];
    fcntl(w->pipe, F_SETFL, O_NONBLOCK);
    if (s->has_user && fchown(*out, s->user.uid, (gid_t)-1) != 0) {
        /* It cannot open /dev/stdout by name then; writing works all the same. */
    }
    w->reading = loop_add(w->loop, w->pipe, EPOLLIN, command_readable, w, NULL);
    if (!w->reading)
        return startup_fail(s, REPORT_SHORTAGE, mem_string("watching its output"));
    w->writer = output_writer_new(&w->folder, w->order.id, w->order.output_max);
    return true;
}

static int start_note(void *context, pid_t self)
{
    struct work *w = context;
    return fence_start(w->fence, self, w->boot);
}

static bool start_spawn(struct work *w, struct startup *s, int out)
{
    struct child_failure failure;
    struct child c = startup_child(s, out);
    c.note = start_note;
    c.note_context = w;
    w->started = clock_wall();
    pid_t pid = child_spawn(&c, NULL, &failure);
    if (!startup_spawned(s, pid, &failure))
        return false;
    w->pid = pid;
    w->stage = WORK_RUNNING;
    FAULT_POINT("worker-started");
    return true;
}

static void command_limit(struct loop_timer *t)
{
    struct work *w = t->context;
    end_begin(w, REPORT_TIMEOUT, w->order.kill_after);
}

void command_launch(struct work *w)
{
    struct startup s;
    int out = -1;
    w->fence = fence_create(&w->folder, w->order.id, &w->self);
    if (w->fence < 0) {
        bool faster = errno == EEXIST;
        command_no_start(w, faster ? REPORT_FENCED : REPORT_SHORTAGE, faster ? NULL : mem_format("making the run's file: %s", strerror(errno)));
        return;
    }
    FAULT_POINT("worker-fenced");
    w->exited = w->alone = false;
    w->ending = REPORT_EXITED;
    startup_init(&s, &w->order, w->null);
    if (!(startup_prepare(&s) && start_descriptors(w, &s, &out) && start_spawn(w, &s, out))) {
        command_no_start(w, s.how, s.reason);
        s.reason = NULL;
    }
    if (out >= 0)
        close(out);
    startup_clear(&s);
    if (w->stage != WORK_RUNNING) {
        command_pipe_end(w);
    } else if (w->order.timeout >= 0) {
        w->limit.call = command_limit;
        w->limit.context = w;
        loop_timer_set(w->loop, &w->limit, w->order.timeout);
    }
}

/* ---- its end ---- */

static int64_t command_ns(struct timeval t)
{
    return (int64_t)t.tv_sec * SECOND + (int64_t)t.tv_usec * 1000;
}

static struct report command_report(const struct work *w, enum report_how how, char *reason)
{
    struct report r = report_unstarted(w->order.id, how, clock_wall(), reason);
    r.started = w->started;
    if (!w->exited)
        return r;
    if (WIFEXITED(w->status))
        r.code = WEXITSTATUS(w->status);
    else
        r.signal = WTERMSIG(w->status);
    if (how == REPORT_EXITED && r.signal)
        r.how = REPORT_SIGNALED;
    r.cpu_user_ns = command_ns(w->usage.ru_utime);
    r.cpu_system_ns = command_ns(w->usage.ru_stime);
    r.max_rss = w->usage.ru_maxrss * 1024;
    return r;
}

static void report_add_reason(struct report *r, char *text)
{
    char *old = r->reason;
    r->reason = old ? mem_format("%s; %s", old, text) : mem_string(text);
    free(old);
    free(text);
}

static void command_report_left(struct work *w, struct report *r)
{
    size_t left = w->alone ? 0 : end_count(w);
    r->lingers = left || w->pipe >= 0;
    if (left && !r->reason)
        report_add_reason(r, mem_format("left %zu process%s in the background", left, left == 1 ? "" : "es"));
    else if (r->lingers && !left)
        report_add_reason(r, mem_string("its output is still held open"));
}

static void command_report_output(struct work *w, struct report *r)
{
    size_t length;
    const char *bytes = w->pipe < 0 ? output_writer_inline(w->writer, &length) : NULL;
    r->output_bytes = output_writer_total(w->writer);
    r->output_file = !bytes;
    if (bytes && length) {
        r->output = mem_copy(bytes, length);
        r->output_length = length;
    }
    int number = bytes ? 0 : output_writer_errno(w->writer);
    if (number)
        report_add_reason(r, mem_format("some of its output could not be kept: %s", strerror(number)));
}

void command_finish(struct work *w, enum report_how how, char *reason)
{
    FAULT_POINT("worker-reaped");
    loop_timer_stop(w->loop, &w->limit);
    int room = w->pipe < 0 ? 0 : fcntl(w->pipe, F_GETPIPE_SZ);
    command_drain(w, room > 0 ? (size_t)room : DRAIN_CHUNK); /* what is in the pipe right now */
    struct report r = command_report(w, how, reason);
    command_report_left(w, &r);
    command_report_output(w, &r);
    work_ended(w, &r);
}

void command_reap(struct work *w)
{
    int status;
    struct rusage usage;
    pid_t pid;
    while ((pid = wait4(-1, &status, WNOHANG, &usage)) > 0 || (pid < 0 && errno == EINTR)) {
        if (pid < 0 || pid != w->pid || w->exited)
            continue; /* a descendant that came to us as its subreaper */
        w->exited = true;
        w->status = status;
        w->usage = usage;
    }
    w->alone = pid < 0;
    if (w->stage != WORK_RUNNING || !w->exited)
        return;
    if (w->ending == REPORT_EXITED)
        command_finish(w, REPORT_EXITED, NULL);
    else
        end_check(w);
}

void command_forget(struct work *w, bool acknowledged)
{
    if (acknowledged && w->fence >= 0)
        fence_remove(&w->folder, w->order.id);
    FAULT_POINT("worker-fence-removed");
    if (w->pipe < 0) {
        output_writer_free(w->writer, !w->report.output_file);
        w->writer = NULL;
    }
    if (w->fence >= 0)
        close(w->fence);
    w->fence = -1;
    w->pid = 0;
    report_clear(&w->report);
    order_clear(&w->order);
    w->stage = WORK_IDLE;
}
