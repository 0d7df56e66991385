#include "lib/sys/child.h"

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/base/strvec.h"

#define TARGETS 4 /* 0, 1, 2 and keep as 3 */

#define STACK (64 * 1024)

/* All that the new process needs, made before it: between its start and exec nothing may allocate. It lies in memory that both processes share, and the parent
 * sleeps until exec or the end, so that a failure is simply written down here. */
struct child_plan {
    const struct child *child;
    struct strvec programs; /* the paths to try, in order */
    int sources[TARGETS];
    struct child_failure failure; /* number 0: none */
    _Alignas(64) char stack[STACK];
};

/* ---- which file to execute ---- */

static const char *child_search_path(char *const *envp)
{
    for (char *const *entry = envp; entry && *entry; entry++)
        if (strncmp(*entry, "PATH=", 5) == 0)
            return *entry + 5;
    return "/bin:/usr/bin"; /* as execvpe(3) does */
}

static void child_find_programs(struct strvec *out, const struct child *c)
{
    const char *name = c->file || !c->argv ? c->file : c->argv[0];
    if (!name || !*name)
        return;
    if (c->file || strchr(name, '/')) {
        strvec_add(out, name);
        return;
    }
    for (const char *path = child_search_path(c->envp);; path++) {
        size_t length = strcspn(path, ":");
        /* an empty entry is the directory the command runs in */
        strvec_take(out, mem_format("%.*s%s%s", (int)length, path, length ? "/" : "./", name));
        path += length;
        if (!*path)
            return;
    }
}

/* The rules of execvpe(3): go on where a file is not there; one that may not be executed is remembered. But a file without `#!` is not given to a shell. */
static int child_execute(const struct child_plan *plan)
{
    bool denied = false;
    int number = ENOENT;
    for (size_t i = 0; i < plan->programs.count; i++) {
        execve(plan->programs.items[i], plan->child->argv, plan->child->envp);
        number = errno;
        if (number == EACCES)
            denied = true;
        else if (number != ENOENT && number != ENOTDIR && number != ESTALE && number != ENODEV && number != ETIMEDOUT)
            return number;
    }
    return denied ? EACCES : number;
}

/* ---- the steps, in the new process: each returns 0 or an errno ---- */

/* Moves what becomes 0 to 3 out of the way of 0 to 3: they may lie there in any order. Their final places are taken at the very end,
 * so that the note may use descriptors under the numbers that the parent knows. */
static int child_descriptors(struct child_plan *plan)
{
    const struct child *c = plan->child;
    const int wanted[TARGETS] = {c->in, c->out, c->err, c->keep};
    for (int i = 0; i < TARGETS; i++) {
        plan->sources[i] = -1;
        if (wanted[i] < 0 && i == TARGETS - 1)
            continue;
        int fd = wanted[i] < 0 ? open("/dev/null", O_RDWR | O_CLOEXEC) : wanted[i];
        if (fd < 0)
            return errno;
        plan->sources[i] = fcntl(fd, F_DUPFD_CLOEXEC, TARGETS);
        if (plan->sources[i] < 0)
            return errno;
    }
    return 0;
}

static int child_place_descriptors(const struct child_plan *plan)
{
    for (int i = 0; i < TARGETS; i++)
        if (plan->sources[i] >= 0 && dup2(plan->sources[i], i) < 0)
            return errno;
    unsigned first = plan->sources[TARGETS - 1] >= 0 ? TARGETS : TARGETS - 1;
    return syscall(SYS_close_range, first, ~0U, CLOSE_RANGE_CLOEXEC) < 0 ? errno : 0;
}

static int child_session(struct child_plan *plan)
{
    return plan->child->new_session && setsid() < 0 ? errno : 0;
}

static int child_priority(struct child_plan *plan)
{
    if (!plan->child->nice)
        return 0;
    errno = 0;
    int now = getpriority(PRIO_PROCESS, 0);
    if (now == -1 && errno)
        return errno;
    return setpriority(PRIO_PROCESS, 0, now + plan->child->nice) < 0 ? errno : 0;
}

/* A limit of the file size must not stop the note from being written: here the hard limit is only raised, where that is asked for and while we have the
 * right to, and the limit itself is set after the note, when it is only a lowering. */
static int child_file_size(const struct rlimit *wanted)
{
    struct rlimit wide;
    if (wanted->rlim_cur > wanted->rlim_max)
        return EINVAL;
    if (getrlimit(RLIMIT_FSIZE, &wide) < 0)
        return errno;
    if (wide.rlim_max < wanted->rlim_max)
        wide.rlim_max = wanted->rlim_max;
    wide.rlim_cur = wide.rlim_max;
    return setrlimit(RLIMIT_FSIZE, &wide) < 0 ? errno : 0;
}

static int child_limits(struct child_plan *plan)
{
    const struct child *c = plan->child;
    for (int i = 0; i < c->limit_count; i++) {
        const struct child_limit *l = &c->limits[i];
        int number = 0;
        if (l->resource == RLIMIT_FSIZE)
            number = child_file_size(&l->value);
        else if (setrlimit(l->resource, &l->value) < 0)
            number = errno;
        if (number)
            return number;
    }
    return 0;
}

static int child_narrow_file_size(const struct child *c)
{
    for (int i = 0; i < c->limit_count; i++)
        if (c->limits[i].resource == RLIMIT_FSIZE && setrlimit(RLIMIT_FSIZE, &c->limits[i].value) < 0)
            return errno;
    return 0;
}

/* A plain user may name himself: there is nothing to change, and no right to do it. */
static bool child_is_user_already(const struct child_user *u)
{
    return geteuid() != 0 && u->uid == geteuid() && u->uid == getuid() && u->gid == getegid() && u->gid == getgid();
}

static int child_groups(struct child_plan *plan)
{
    const struct child_user *u = plan->child->user;
    if (!u || child_is_user_already(u))
        return 0;
    if (setgroups((size_t)u->group_count, u->groups) < 0 || setresgid(u->gid, u->gid, u->gid) < 0)
        return errno;
    return 0;
}

static int child_user(struct child_plan *plan)
{
    const struct child_user *u = plan->child->user;
    if (!u || child_is_user_already(u))
        return 0;
    return setresuid(u->uid, u->uid, u->uid) < 0 ? errno : 0;
}

static int child_directory(struct child_plan *plan)
{
    const struct child *c = plan->child;
    if (c->umask_bits >= 0)
        umask((mode_t)c->umask_bits);
    return c->directory && chdir(c->directory) < 0 ? errno : 0;
}

static int child_note(struct child_plan *plan)
{
    const struct child *c = plan->child;
    return c->note ? c->note(c->note_context, getpid()) : 0;
}

static int child_exec(struct child_plan *plan)
{
    if (!plan->child->argv)
        return 0;
    sigset_t none;
    int number = child_narrow_file_size(plan->child);
    if (!number)
        number = child_place_descriptors(plan);
    if (number)
        return number;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, NULL);
    return child_execute(plan);
}

static const struct child_row {
    enum child_step step;
    int (*call)(struct child_plan *plan);
} child_rows[] = {
    {CHILD_SESSION, child_session},
    {CHILD_DESCRIPTORS, child_descriptors},
    {CHILD_PRIORITY, child_priority}, /* this and the limits may need rights that the user does not have */
    {CHILD_LIMITS, child_limits},
    {CHILD_GROUPS, child_groups},
    {CHILD_USER, child_user},
    {CHILD_DIRECTORY, child_directory}, /* as the user, who may or may not enter it */
    {CHILD_NOTE, child_note},
    {CHILD_EXEC, child_exec},
};

/* Straight to the kernel: the C library keeps two real-time signals to itself, and they can be inherited as ignored, too. */
static void child_default_signals(void)
{
    static const unsigned long action[8]; /* SIG_DFL, no flags, whatever the order of the members */
    for (int i = 1; i < _NSIG; i++)
        syscall(SYS_rt_sigaction, i, action, NULL, (size_t)_NSIG / 8);
}

static int child_run(void *context)
{
    struct child_plan *plan = context;
    child_default_signals();
    for (size_t i = 0; i < sizeof child_rows / sizeof *child_rows && !plan->failure.number; i++) {
        plan->failure.step = child_rows[i].step;
        plan->failure.number = child_rows[i].call(plan);
    }
    return 127;
}

/* ---- in the parent ---- */

/* Shares the memory with the child until it executes, as vfork(2) does: copying the page tables cost a third of a short run. But not with one that becomes
 * another user. All signals are blocked around it: none may reach a handler of ours in the child. */
static pid_t child_clone(struct child_plan *plan, int *pidfd)
{
    int flags = CLONE_VFORK | SIGCHLD | (plan->child->user ? 0 : CLONE_VM) | (pidfd ? CLONE_PIDFD : 0);
    sigset_t all, before;
    sigfillset(&all);
    sigprocmask(SIG_SETMASK, &all, &before);
    pid_t pid = clone(child_run, plan->stack + STACK, flags, plan, pidfd);
    int number = errno;
    sigprocmask(SIG_SETMASK, &before, NULL);
    errno = number;
    return pid;
}

static void child_reap(pid_t pid)
{
    while (waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
}

static pid_t child_spawn_plan(struct child_plan *plan, int *pidfd, struct child_failure *failure)
{
    int handle = -1;
    pid_t pid = child_clone(plan, pidfd ? &handle : NULL);
    if (pid < 0) {
        *failure = (struct child_failure){CHILD_FORK, errno};
        return -1;
    }
    if (plan->failure.number) {
        *failure = plan->failure;
        child_reap(pid);
        if (handle >= 0)
            close(handle);
        return -1;
    }
    if (pidfd)
        *pidfd = handle;
    return pid;
}

pid_t child_spawn(const struct child *c, int *pidfd, struct child_failure *failure)
{
    struct child_failure found = {CHILD_FORK, 0};
    struct child_plan *plan = mmap(NULL, sizeof *plan, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    pid_t pid = -1;
    if (plan == MAP_FAILED) {
        found.number = errno;
    } else {
        plan->child = c;
        child_find_programs(&plan->programs, c);
        pid = child_spawn_plan(plan, pidfd, &found);
        strvec_clear(&plan->programs);
        munmap(plan, sizeof *plan);
    }
    if (pid < 0 && failure)
        *failure = found;
    return pid;
}

const char *child_step_name(enum child_step step)
{
    static const char *const names[] = {
        [CHILD_FORK] = "making a process",
        [CHILD_SESSION] = "making a session",
        [CHILD_DESCRIPTORS] = "setting up the descriptors",
        [CHILD_PRIORITY] = "changing the priority",
        [CHILD_LIMITS] = "setting the limits",
        [CHILD_GROUPS] = "changing the groups",
        [CHILD_USER] = "changing the user",
        [CHILD_DIRECTORY] = "changing to the directory",
        [CHILD_NOTE] = "noting the start",
        [CHILD_EXEC] = "executing the command",
    };
    return (unsigned)step < sizeof names / sizeof *names ? names[step] : "an unknown step";
}

bool child_failure_is_shortage(const struct child_failure *f)
{
    switch (f->number) {
    case EAGAIN: case ENOMEM: case EMFILE: case ENFILE:
        return true;
    case ENOSPC: case EDQUOT:
        return f->step == CHILD_FORK || f->step == CHILD_NOTE;
    }
    return false;
}
