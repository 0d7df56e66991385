/* A child is described, then spawned: the only code that creates processes, and one way in which a failure before exec comes back. */
#ifndef AX_CHILD_H
#define AX_CHILD_H

#include <stdbool.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "lib/base/error.h"

enum child_step { /* where it failed; child_step_name gives the words */
    CHILD_FORK, CHILD_SESSION, CHILD_DESCRIPTORS, CHILD_PRIORITY, CHILD_LIMITS, CHILD_GROUPS, CHILD_USER, CHILD_DIRECTORY, CHILD_NOTE, CHILD_EXEC,
};

struct child_limit {
    int resource; /* RLIMIT_... */
    struct rlimit value;
};

struct child_user { /* resolved by child_user_find before the fork */
    uid_t uid;
    gid_t gid;
    gid_t *groups;
    int group_count;
    char *name, *home, *shell;
};

struct child {
    const char *file;      /* what is executed; NULL: argv[0], looked up in the PATH of envp when it holds no slash */
    char *const *argv;     /* NULL: nothing is executed, the child ends after its note */
    char *const *envp;
    const char *directory; /* NULL: stay */
    int in, out, err;      /* descriptors that become 0, 1, 2; -1: /dev/null */
    int keep;              /* a further descriptor that becomes 3, or -1; everything else above 2 is closed */
    int umask_bits;        /* -1: stay */
    int nice;              /* added; 0: stay */
    const struct child_limit *limits;
    int limit_count;
    const struct child_user *user; /* NULL: stay */
    bool new_session;              /* setsid */
    /* Runs in the child right before exec, after everything else has worked: writes the pid and start time where they belong. Returns 0 or an errno. Async-signal-safe code only.
     * Descriptors still have the numbers they have in the parent. exec itself may fail after it. */
    int (*note)(void *context, pid_t self);
    void *note_context;
};

struct child_failure {
    enum child_step step;
    int number; /* errno */
};

/* Returns the pid and, if wanted, a pidfd; or -1 with the step and errno of the failure (the child is reaped then). In the child the signal mask is empty and all dispositions are default. */
pid_t child_spawn(const struct child *c, int *pidfd, struct child_failure *failure);

const char *child_step_name(enum child_step step); /* "changing to the directory" ... */
bool child_failure_is_shortage(const struct child_failure *f); /* the system's fault, will pass: EAGAIN, ENOMEM, EMFILE, ENFILE, ENOSPC at fork ... */

/* User by name or number, NULL for our own, with its groups (getpwnam, getgrouplist); group: overrides the primary group, may be NULL. ERROR_NOT_FOUND
 * if there is none. */
int child_user_find(const char *user, const char *group, struct child_user *out, struct error *e);
void child_user_clear(struct child_user *u);

#endif
