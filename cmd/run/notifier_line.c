#include "cmd/run/notifier_line.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/run/startup.h"
#include "lib/base/mem.h"
#include "spool/notify.h"

/* ---- what is told ---- */

int line_read(struct store *s, const struct notice *n, struct line *out, struct error *e)
{
    struct notify_rule rule;
    struct job job;
    *out = (struct line){.asked = true, .notice = *n, .pidfd = -1, .pipe = -1};
    job_init(&out->job);
    run_init(&out->run);
    int code = store_job(s, n->id.job, &job, e);
    if (code && e->sys)
        return code;
    if (code && code != -(int)ERROR_NOT_FOUND) /* one damaged record must not hold up all others */
        printf("E job %llu: nobody can be told of it: %s\n", (unsigned long long)n->id.job, e->text);
    if (code)
        return 0;
    job_clear(&out->job);
    out->job = job;
    if (!notify_find(&job, n->event, n->after, &rule))
        return 0;
    out->text = mem_string(rule.line);
    out->spool = mem_string(store_folder(s)->path);
    if ((n->id.n || n->id.note) && store_run(s, n->id, &out->run, NULL) == 0)
        return 0;
    out->run.id = (struct run_id){.job = n->id.job}; /* none yet, or it is not kept any more */
    out->run.due = n->due;
    return 0;
}

void line_clear(struct line *l)
{
    free(l->text);
    free(l->spool);
    job_clear(&l->job);
    run_clear(&l->run);
    if (l->pidfd >= 0)
        close(l->pidfd);
    if (l->pipe >= 0)
        close(l->pipe);
    *l = (struct line){.pidfd = -1, .pipe = -1};
}

/* ---- its environment ---- */

static void set_number(struct strvec *env, const char *name, int n, bool there)
{
    char text[24] = "";
    if (there)
        snprintf(text, sizeof text, "%d", n);
    strvec_env_set(env, name, text);
}

static void set_time(struct strvec *env, const char *name, instant t)
{
    struct buf b = {0};
    if (t != INSTANT_NONE)
        instant_format_utc(&b, t);
    strvec_env_set(env, name, buf_string(&b));
    buf_clear(&b);
}

/* All of them are always there, so that `set -u` is no trap. */
static void line_environment(const struct line *l, struct strvec *env)
{
    const struct run *r = &l->run;
    bool is_run = r->id.n && !r->id.note;
    struct buf after = {0};
    if (l->notice.after)
        duration_format(&after, l->notice.after);
    strvec_env_set(env, "AX_EVENT", notify_event_name(l->notice.event));
    strvec_env_set(env, "AX_AFTER", buf_string(&after));
    strvec_env_set(env, "AX_OUTCOME", r->id.n || r->id.note ? outcome_name(r->outcome) : "");
    set_number(env, "AX_EXIT_CODE", r->exit_code, r->exit_code >= 0);
    set_number(env, "AX_SIGNAL", r->signal, r->signal != 0);
    strvec_env_set(env, "AX_REASON", r->reason ? r->reason : "");
    set_time(env, "AX_STARTED", r->started);
    set_time(env, "AX_ENDED", r->ended);
    if (!is_run)
        strvec_env_set(env, "AX_RUN", "");
    if (!is_run)
        strvec_env_set(env, "AX_ATTEMPT", "");
    /* The processes of a run are known by AX_RUN and AX_SPOOL together: the line is none of them, and must not end with
     * it. */
    char *spool = mem_format("%s/.", l->spool);
    strvec_env_set(env, "AX_SPOOL", spool);
    free(spool);
    buf_clear(&after);
}

/* ---- its start ---- */

/* Without limits, niceness and input: those are the command's. */
static int line_order(struct line *l, bool bare, struct order *out, struct error *e)
{
    struct launch launch;
    struct job job = l->job; /* borrows */
    struct order order;
    job.command = (struct strvec){.items = &l->text, .count = 1};
    job.shell_line = true;
    job.input = NULL;
    job.input_length = 0;
    job.nice = 0;
    job.rlimits = (struct strvec){0};
    if (bare) {
        job.cwd = (char *)"/";
        job.env_file = NULL;
    }
    launch_init(&launch, l->spool);
    int failed = launch_order(&launch, &job, &l->run, &order, e);
    launch_clear(&launch);
    if (failed)
        return failed;
    line_environment(l, &order.env_last);
    *out = order;
    return 0;
}

static bool line_spawn(struct line *l, struct startup *s)
{
    struct child_failure failure;
    int ends[2];
    if (!startup_prepare(s) || !startup_input(s))
        return false;
    if (pipe2(ends, O_CLOEXEC) != 0)
        return startup_fail(s, REPORT_SHORTAGE, mem_format("making a pipe: %s", strerror(errno)));
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    struct child c = startup_child(s, ends[1]);
    pid_t pid = child_spawn(&c, &l->pidfd, &failure);
    close(ends[1]);
    if (!startup_spawned(s, pid, &failure)) {
        close(ends[0]);
        l->pidfd = -1;
        return false;
    }
    l->pid = pid;
    l->pipe = ends[0];
    return true;
}

static char *line_try(struct line *l, bool bare)
{
    struct order order;
    struct startup s;
    struct error e;
    char *reason = NULL;
    if (line_order(l, bare, &order, &e) != 0)
        return mem_string(e.text);
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    startup_init(&s, &order, null);
    if (!line_spawn(l, &s))
        reason = mem_string(s.reason ? s.reason : "it could not be started");
    startup_clear(&s);
    if (null >= 0)
        close(null);
    order_clear(&order);
    return reason;
}

/* A directory or env_file that is not there may be the very thing to tell of. */
char *line_start(struct line *l)
{
    char *reason = line_try(l, false);
    if (!reason)
        return NULL;
    char *bare = line_try(l, true);
    if (bare) {
        free(bare);
        return reason;
    }
    free(reason);
    return NULL;
}
