#include "cmd/run/errand.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/child.h"
#include "lib/sys/process.h"

extern char **environ;

#define LINE_MAX_BYTES 65536 /* a longer line is cut into several */

/* ---- its lines ---- */

static void errand_line(struct errand *x, const char *line)
{
    static const char letters[] = "EWID";
    const char *level = *line ? strchr(letters, *line) : NULL;
    if (line[0] == '=' && line[1] == ' ') {
        free(x->result);
        x->result = mem_string(line + 2);
    } else if (level && line[1] == ' ') {
        log_event(x->log, (enum log_level)(level - letters), x->event, "text", line + 2, NULL);
    } else if (*line) {
        log_event(x->log, LOG_LEVEL_WARNING, x->event, "text", line, NULL);
    }
}

static void errand_lines(struct errand *x, bool all)
{
    size_t from = 0;
    for (size_t i = 0; i < x->text.length; i++) {
        if (x->text.data[i] != '\n')
            continue;
        x->text.data[i] = '\0';
        errand_line(x, x->text.data + from);
        from = i + 1;
    }
    if (all || x->text.length - from > LINE_MAX_BYTES) {
        errand_line(x, buf_string(&x->text) + from);
        from = x->text.length;
    }
    memmove(x->text.data, x->text.data + from, x->text.length - from);
    buf_cut(&x->text, x->text.length - from);
}

static void errand_read(struct errand *x)
{
    char bytes[4096];
    ssize_t n;
    while (x->pipe >= 0 && (n = read(x->pipe, bytes, sizeof bytes)) > 0)
        buf_add(&x->text, bytes, (size_t)n);
    if (x->text.length)
        errand_lines(x, false);
}

static void on_output(void *context, uint32_t events)
{
    struct errand *x = context;
    errand_read(x);
    if (events & (EPOLLHUP | EPOLLERR)) { /* its end tells the rest */
        loop_remove(x->loop, x->output);
        x->output = NULL;
    }
}

/* ---- its end ---- */

static void errand_clear(struct errand *x)
{
    loop_timer_stop(x->loop, &x->limit);
    loop_remove(x->loop, x->ended);
    loop_remove(x->loop, x->output);
    if (x->pidfd > 0)
        close(x->pidfd);
    if (x->pipe > 0)
        close(x->pipe);
    buf_clear(&x->text);
    x->ended = x->output = NULL;
    x->pid = 0;
    x->pidfd = x->pipe = -1;
}

static void on_ended(void *context, uint32_t events)
{
    struct errand *x = context;
    (void)events;
    errand_read(x);
    if (x->text.length)
        errand_lines(x, true);
    errand_clear(x);
    char *result = x->result;
    x->result = NULL;
    x->call(x->context, result);
    free(result);
}

/* As long as it is there, its number is no other's. */
static void errand_kill(const struct errand *x)
{
    if (process_signal(x->pidfd, 0) == 0)
        kill(-x->pid, SIGKILL);
    process_signal(x->pidfd, SIGKILL);
}

static void on_limit(struct loop_timer *t)
{
    struct errand *x = t->context;
    log_event(x->log, LOG_LEVEL_ERROR, x->event, "text", "it takes too long, and is ended", NULL);
    errand_kill(x);
}

/* ---- its start ---- */

static int errand_spawn(struct errand *x, char *const argv[], int output, struct error *e)
{
    struct child child = {.file = "/proc/self/exe",
        .argv = argv,
        .envp = environ,
        .directory = "/",
        .in = -1,
        .out = output,
        .err = output,
        .keep = -1,
        .umask_bits = 077,
        .new_session = true};
    struct child_failure failure;
    x->pid = child_spawn(&child, &x->pidfd, &failure);
    if (x->pid > 0)
        return 0;
    x->pid = 0;
    return error_errno(e, ERROR_FAILED, failure.number, "starting `ax %s`: %s", argv[1], child_step_name(failure.step));
}

static int errand_watch(struct errand *x, struct error *e)
{
    x->output = loop_add(x->loop, x->pipe, EPOLLIN, on_output, x, e);
    x->ended = x->output ? loop_add(x->loop, x->pidfd, EPOLLIN, on_ended, x, e) : NULL;
    return x->ended ? 0 : -(int)ERROR_FAILED;
}

int errand_start(struct errand *x, char *const argv[], int64_t limit, struct error *e)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0)
        return error_errno(e, ERROR_FAILED, errno, "making a pipe for `ax %s`", argv[1]);
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    x->pidfd = -1;
    x->pipe = ends[0];
    int failed = errand_spawn(x, argv, ends[1], e);
    close(ends[1]);
    if (!failed)
        failed = errand_watch(x, e);
    if (failed) {
        errand_stop(x);
        return failed;
    }
    x->limit.call = on_limit;
    x->limit.context = x;
    loop_timer_set(x->loop, &x->limit, limit);
    return 0;
}

void errand_leave(struct errand *x)
{
    if (!x->loop)
        return;
    errand_clear(x);
    free(x->result);
    x->result = NULL;
}

void errand_stop(struct errand *x)
{
    if (x->pid > 0)
        errand_kill(x);
    errand_leave(x);
}
