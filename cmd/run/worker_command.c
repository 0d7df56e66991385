/* The command of a worker: described, spawned, drained, reaped, reported. */
#include "cmd/run/worker_parts.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/fault.h"
#include "lib/base/mem.h"
#include "lib/sys/child.h"
#include "spool/envfile.h"
#include "spool/launch.h"

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

/* Sealed memory, read from its beginning; a pipe would have to be fed, and a command that does not read would leave us with the rest. */
static int command_input(const struct order *o)
{
    int fd = memfd_create("ax input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    for (size_t done = 0; done < o->input_length;) {
        ssize_t n = write(fd, o->input + done, o->input_length - done);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0) {
            int number = n < 0 ? errno : ENOSPC;
            close(fd);
            errno = number;
            return -1;
        }
        done += (size_t)n;
    }
    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int reader = open(path, O_RDONLY | O_CLOEXEC);
    int number = errno;
    close(fd);
    errno = number;
    return reader;
}

struct start { /* what a start needs besides the order */
    int in, out;
    struct child_user user;
    bool has_user;
};

static void start_clear(struct start *s, const struct work *w)
{
    if (s->in >= 0 && s->in != w->null)
        close(s->in);
    if (s->out >= 0)
        close(s->out);
    child_user_clear(&s->user);
}

static void command_no_start(struct work *w, enum report_how how, char *reason)
{
    struct report r = report_unstarted(w->order.id, how, clock_wall(), reason);
    work_ended(w, &r);
}

static char *start_failure(const struct order *o, const struct child_failure *f)
{
    const char *what = f->step == CHILD_DIRECTORY ? o->cwd : f->step == CHILD_EXEC ? o->argv.items[0] : NULL;
    if ((f->step == CHILD_USER || f->step == CHILD_GROUPS) && o->user)
        what = o->user;
    return mem_format("%s%s%s: %s", child_step_name(f->step), what ? " " : "", what ? what : "", strerror(f->number));
}

static bool start_user(struct work *w, struct start *s)
{
    struct order *o = &w->order;
    char own[16];
    if (!o->user && !o->group)
        return true;
    struct error e;
    snprintf(own, sizeof own, "%u", (unsigned)getuid());
    int code = child_user_find(o->user ? o->user : own, o->group, &s->user, &e);
    if (code) {
        command_no_start(w, code == -ERROR_NOT_FOUND ? REPORT_UNSTARTABLE : REPORT_SHORTAGE, mem_string(e.text));
        return false;
    }
    s->has_user = true;
    if (o->user)
        launch_account(&o->env, s->user.name, s->user.home, s->user.shell);
    if (!o->cwd) {
        o->cwd = mem_string(s->user.home);
        strvec_env_set(&o->env, "PWD", o->cwd);
    }
    return true;
}

struct reading { /* of env_file */
    const char *path;
    int copy;
};

static int start_read_env(void *context, pid_t self)
{
    (void)self;
    const struct reading *r = context;
    return envfile_copy(r->path, r->copy);
}

/* Read by a process that has become the user: what he may not read is nothing to us either. */
static bool start_copy_env(struct work *w, const struct start *s, struct reading *r)
{
    char *nothing[] = {NULL};
    struct child_failure failure = {CHILD_NOTE, 0};
    struct child c = {.envp = nothing, .directory = w->order.cwd, .in = -1, .out = -1, .err = -1, .keep = -1, .umask_bits = -1,
                      .user = s->has_user ? &s->user : NULL, .note = start_read_env, .note_context = r};
    pid_t pid = r->copy < 0 ? -1 : child_spawn(&c, NULL, &failure);
    if (pid >= 0) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
        return true;
    }
    struct error e;
    if (!failure.number)
        failure.number = errno;
    if (failure.step != CHILD_NOTE) {
        command_no_start(w, child_failure_is_shortage(&failure) ? REPORT_SHORTAGE : REPORT_UNSTARTABLE, start_failure(&w->order, &failure));
    } else {
        envfile_failed(r->path, failure.number, &e);
        command_no_start(w, child_failure_is_shortage(&failure) ? REPORT_SHORTAGE : REPORT_UNSTARTABLE, mem_string(e.text));
    }
    return false;
}

static bool start_environment(struct work *w, const struct start *s)
{
    struct order *o = &w->order;
    if (o->env_file) {
        struct reading r = {.path = o->env_file, .copy = envfile_room()};
        struct error e;
        bool good = start_copy_env(w, s, &r);
        if (good && envfile_take(&o->env, r.path, r.copy, &e) != 0) {
            command_no_start(w, REPORT_UNSTARTABLE, mem_string(e.text));
            good = false;
        }
        if (r.copy >= 0)
            close(r.copy);
        if (!good)
            return false;
    }
    launch_add(&o->env, &o->env_last);
    return true;
}

static bool start_descriptors(struct work *w, struct start *s)
{
    int ends[2];
    s->in = w->order.input ? command_input(&w->order) : w->null;
    if (s->in < 0 || pipe2(ends, O_CLOEXEC) != 0) {
        command_no_start(w, REPORT_SHORTAGE, mem_format("making its input and output: %s", strerror(errno)));
        return false;
    }
    s->out = ends[1];
    w->pipe = ends[0];
    fcntl(w->pipe, F_SETFL, O_NONBLOCK);
    if (s->has_user && fchown(s->out, s->user.uid, (gid_t)-1) != 0) {
        /* It cannot open /dev/stdout by name then; writing works all the same. */
    }
    w->reading = loop_add(w->loop, w->pipe, EPOLLIN, command_readable, w, NULL);
    if (!w->reading) {
        command_no_start(w, REPORT_SHORTAGE, mem_string("watching its output"));
        return false;
    }
    w->writer = output_writer_new(&w->folder, w->order.id, w->order.output_max);
    return true;
}

static int start_note(void *context, pid_t self)
{
    struct work *w = context;
    return fence_start(w->fence, self, w->boot);
}

static void start_spawn(struct work *w, const struct start *s)
{
    const struct order *o = &w->order;
    struct child_failure failure;
    struct child c = {.argv = o->argv.items, .envp = o->env.items, .directory = o->cwd ? o->cwd : "/", .in = s->in, .out = s->out, .err = s->out,
                      .keep = -1, .umask_bits = o->umask_bits >= 0 ? o->umask_bits : 022, .nice = o->nice, .limits = o->limits, .limit_count = o->limit_count,
                      .user = s->has_user ? &s->user : NULL, .new_session = true, .note = start_note, .note_context = w};
    w->started = clock_wall();
    pid_t pid = child_spawn(&c, NULL, &failure);
    if (pid < 0) {
        /* Without room for the start line the run must not begin, but may later. */
        bool shortage = failure.step == CHILD_NOTE || child_failure_is_shortage(&failure);
        command_no_start(w, shortage ? REPORT_SHORTAGE : REPORT_UNSTARTABLE, start_failure(o, &failure));
        return;
    }
    w->pid = pid;
    w->stage = WORK_RUNNING;
    FAULT_POINT("worker-started");
}

static void command_limit(struct loop_timer *t)
{
    struct work *w = t->context;
    end_begin(w, REPORT_TIMEOUT, w->order.kill_after);
}

void command_launch(struct work *w)
{
    struct start s = {.in = -1, .out = -1};
    w->fence = fence_create(&w->folder, w->order.id, &w->self);
    if (w->fence < 0) {
        bool faster = errno == EEXIST;
        command_no_start(w, faster ? REPORT_FENCED : REPORT_SHORTAGE, faster ? NULL : mem_format("making the run's file: %s", strerror(errno)));
        return;
    }
    FAULT_POINT("worker-fenced");
    w->exited = w->alone = false;
    w->ending = REPORT_EXITED;
    if (start_user(w, &s) && start_environment(w, &s) && start_descriptors(w, &s))
        start_spawn(w, &s);
    start_clear(&s, w);
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
