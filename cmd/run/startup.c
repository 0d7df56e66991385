#include "cmd/run/startup.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/write.h"
#include "spool/envfile.h"
#include "spool/launch.h"

void startup_init(struct startup *s, struct order *o, int null)
{
    *s = (struct startup){.order = o, .null = null, .in = -1};
}

void startup_clear(struct startup *s)
{
    if (s->in >= 0 && s->in != s->null)
        close(s->in);
    child_user_clear(&s->user);
    free(s->reason);
    *s = (struct startup){.in = -1};
}

bool startup_fail(struct startup *s, enum report_how how, char *reason)
{
    free(s->reason);
    s->how = how;
    s->reason = reason;
    return false;
}

static bool startup_step_failed(struct startup *s, const struct child_failure *f, bool shortage)
{
    const struct order *o = s->order;
    const char *what = f->step == CHILD_DIRECTORY ? o->cwd : f->step == CHILD_EXEC ? o->argv.items[0] : NULL;
    if ((f->step == CHILD_USER || f->step == CHILD_GROUPS) && o->user)
        what = o->user;
    char *reason = mem_format("%s%s%s: %s", child_step_name(f->step), what ? " " : "", what ? what : "", strerror(f->number));
    return startup_fail(s, shortage || child_failure_is_shortage(f) ? REPORT_SHORTAGE : REPORT_UNSTARTABLE, reason);
}

/* ---- its input ---- */

/* Sealed memory, read from its beginning; a pipe would have to be fed, and a command that does not read would leave us with the rest. */
static int startup_sealed(const struct order *o)
{
    int fd = memfd_create("ax input", MFD_CLOEXEC | MFD_ALLOW_SEALING);
    if (fd < 0)
        return -1;
    int number = write_all(fd, o->input, o->input_length);
    if (number) {
        close(fd);
        errno = number;
        return -1;
    }
    fcntl(fd, F_ADD_SEALS, F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK | F_SEAL_SEAL);
    char path[64];
    snprintf(path, sizeof path, "/proc/self/fd/%d", fd);
    int reader = open(path, O_RDONLY | O_CLOEXEC);
    number = errno;
    close(fd);
    errno = number;
    return reader;
}

bool startup_input(struct startup *s)
{
    s->in = s->order->input ? startup_sealed(s->order) : s->null;
    return s->in >= 0 || startup_fail(s, REPORT_SHORTAGE, mem_format("making its input: %s", strerror(errno)));
}

/* ---- its user ---- */

static bool startup_user(struct startup *s)
{
    struct order *o = s->order;
    char own[16];
    if (!o->user && !o->group)
        return true;
    struct error e;
    snprintf(own, sizeof own, "%u", (unsigned)getuid());
    int code = child_user_find(o->user ? o->user : own, o->group, &s->user, &e);
    if (code)
        return startup_fail(s, code == -ERROR_NOT_FOUND ? REPORT_UNSTARTABLE : REPORT_SHORTAGE, mem_string(e.text));
    s->has_user = true;
    if (o->user)
        launch_account(&o->env, s->user.name, s->user.home, s->user.shell);
    if (!o->cwd) {
        o->cwd = mem_string(s->user.home);
        strvec_env_set(&o->env, "PWD", o->cwd);
    }
    return true;
}

/* ---- its environment ---- */

struct reading { /* of env_file */
    const char *path;
    int copy;
};

static int startup_read_env(void *context, pid_t self)
{
    (void)self;
    const struct reading *r = context;
    return envfile_copy(r->path, r->copy);
}

/* Read by a process that has become the user: what he may not read is nothing to us either. */
static bool startup_copy_env(struct startup *s, struct reading *r)
{
    char *nothing[] = {NULL};
    struct child_failure failure = {CHILD_NOTE, 0};
    struct child c = {.envp = nothing, .directory = s->order->cwd, .in = -1, .out = -1, .err = -1, .keep = -1, .umask_bits = -1,
                      .user = s->has_user ? &s->user : NULL, .note = startup_read_env, .note_context = r};
    pid_t pid = r->copy < 0 ? -1 : child_spawn(&c, NULL, &failure);
    if (pid >= 0) {
        while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
            ;
        return true;
    }
    struct error e;
    if (!failure.number)
        failure.number = errno;
    if (failure.step != CHILD_NOTE)
        return startup_step_failed(s, &failure, false);
    envfile_failed(r->path, failure.number, &e);
    return startup_fail(s, child_failure_is_shortage(&failure) ? REPORT_SHORTAGE : REPORT_UNSTARTABLE, mem_string(e.text));
}

static bool startup_environment(struct startup *s)
{
    struct order *o = s->order;
    if (o->env_file) {
        struct reading r = {.path = o->env_file, .copy = envfile_room()};
        struct error e;
        bool good = startup_copy_env(s, &r);
        if (good && envfile_take(&o->env, r.path, r.copy, &e) != 0)
            good = startup_fail(s, REPORT_UNSTARTABLE, mem_string(e.text));
        if (r.copy >= 0)
            close(r.copy);
        if (!good)
            return false;
    }
    launch_add(&o->env, &o->env_last);
    return true;
}

bool startup_prepare(struct startup *s)
{
    return startup_user(s) && startup_environment(s);
}

/* ---- the process ---- */

struct child startup_child(const struct startup *s, int out)
{
    const struct order *o = s->order;
    return (struct child){.argv = o->argv.items, .envp = o->env.items, .directory = o->cwd ? o->cwd : "/", .in = s->in, .out = out, .err = out,
                          .keep = -1, .umask_bits = o->umask_bits >= 0 ? o->umask_bits : 022, .nice = o->nice, .limits = o->limits,
                          .limit_count = o->limit_count, .user = s->has_user ? &s->user : NULL, .new_session = true};
}

/* Without room for the start line the run must not begin, but may later. */
bool startup_spawned(struct startup *s, pid_t pid, const struct child_failure *failure)
{
    return pid >= 0 || startup_step_failed(s, failure, failure->step == CHILD_NOTE);
}
