#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <grp.h>
#include <pwd.h>
#include <signal.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/sys/child.h"

static char folder[] = "/tmp/ax-child-XXXXXX";

#define PATH_ENV "PATH=/usr/local/bin:/usr/bin:/bin"
static char *const plain_env[] = {PATH_ENV, NULL};

static struct child child_of(char *const *argv)
{
    return (struct child){.argv = argv, .envp = plain_env, .in = -1, .out = -1, .err = -1, .keep = -1, .umask_bits = -1};
}

static void read_all(int fd, struct buf *out)
{
    char piece[4096];
    ssize_t n;
    while ((n = read(fd, piece, sizeof piece)) > 0)
        buf_add(out, piece, (size_t)n);
    close(fd);
}

/* Runs it with standard output in a pipe; returns the wait status, or -1 and the failure. */
static int run(struct child c, struct buf *out, struct child_failure *failure)
{
    int ends[2], status;
    assert_int_equal(pipe2(ends, O_CLOEXEC), 0);
    c.out = ends[1];
    pid_t pid = child_spawn(&c, NULL, failure);
    close(ends[1]);
    read_all(ends[0], out);
    if (pid < 0) {
        errno = 0;
        assert_int_equal(waitpid(-1, &status, WNOHANG), -1);
        assert_int_equal(errno, ECHILD); /* reaped */
        return -1;
    }
    assert_int_equal(waitpid(pid, &status, 0), pid);
    return status;
}

static void assert_output(struct child c, const char *expected)
{
    struct buf out = {0};
    struct child_failure f = {0};
    int status = run(c, &out, &f);
    if (status != 0 || strcmp(buf_string(&out), expected) != 0)
        fail_msg("status %d (%s: %s), output \"%s\" instead of \"%s\"", status, child_step_name(f.step), strerror(f.number), buf_string(&out), expected);
    buf_clear(&out);
}

#define SHELL(line) ((char *[]){"/bin/sh", "-c", (line), NULL})

/* ---- what the command finds ---- */

static void ignore_everything(void)
{
    for (int i = 1; i <= SIGRTMAX; i++)
        if (i != SIGCHLD)
            signal(i, SIG_IGN);
}

static void default_everything(void)
{
    for (int i = 1; i <= SIGRTMAX; i++)
        signal(i, SIG_DFL);
}

static void test_signals(void **state)
{
    (void)state;
    sigset_t some, after;
    sigemptyset(&some);
    sigaddset(&some, SIGPIPE);
    sigaddset(&some, SIGRTMAX);
    ignore_everything();
    sigprocmask(SIG_SETMASK, &some, NULL);
    assert_output(child_of((char *[]){"grep", "-E", "^Sig(Blk|Ign)", "/proc/self/status", NULL}),
                  "SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
    sigprocmask(SIG_SETMASK, NULL, &after);
    for (int i = 1; i <= SIGRTMAX; i++)
        if (i < SIGRTMIN - 2 || i >= SIGRTMIN) /* those that the C library keeps to itself */
            assert_int_equal(sigismember(&after, i), i == SIGPIPE || i == SIGRTMAX); /* ours is as it was */
    sigprocmask(SIG_UNBLOCK, &some, NULL);
    default_everything();
}

static void test_session(void **state)
{
    (void)state;
    struct child c = child_of(SHELL("read pid name state parent group session rest < /proc/$$/stat; [ $session = $$ ] && echo own || echo shared"));
    assert_output(c, "shared\n");
    c.new_session = true;
    assert_output(c, "own\n");
}

static void test_settings(void **state)
{
    (void)state;
    const struct child_limit limits[] = {{RLIMIT_CORE, {0, 0}}, {RLIMIT_NOFILE, {20, 30}}};
    struct child c = child_of(SHELL("pwd; umask; nice; ulimit -Sc; ulimit -Sn; ulimit -Hn; echo $0 $#"));
    c.directory = "/usr/lib";
    c.umask_bits = 0027;
    c.nice = 3;
    c.limits = limits;
    c.limit_count = 2;
    assert_output(c, "/usr/lib\n0027\n3\n0\n20\n30\n/bin/sh 0\n");
}

static void test_environment(void **state)
{
    (void)state;
    struct child c = child_of((char *[]){"env", NULL});
    c.envp = (char *[]){"A=1", PATH_ENV, "B=x y", NULL};
    setenv("NOT_THIS", "1", 1);
    assert_output(c, "A=1\n" PATH_ENV "\nB=x y\n");
}

/* ---- descriptors ---- */

/* The descriptor with which the shell has read the folder is gone again when it is looked at. */
#define OPEN_LINE "for i in /proc/$$/fd/*; do [ -e $i ] && echo ${i##*/}; done; :"

static void test_nothing_else_is_open(void **state)
{
    (void)state;
    for (int i = 0; i < 40; i++)
        assert_true(dup(1) > 0); /* not close-on-exec */
    assert_output(child_of(SHELL(OPEN_LINE)), "0\n1\n2\n");
    struct child c = child_of(SHELL(OPEN_LINE));
    c.keep = 20;
    assert_output(c, "0\n1\n2\n3\n");
    for (int i = 3; i < 60; i++)
        close(i);
}

static void test_null(void **state)
{
    (void)state;
    assert_output(child_of(SHELL("readlink /proc/$$/fd/0 /proc/$$/fd/2; cat; echo lost >&2; echo still here")), "/dev/null\n/dev/null\nstill here\n");
}

/* One file for each use, at the numbers 0 to 3 in every order, in a process of its own. */
static const struct placing {
    int in, out, err, keep;
} placings[] = {
    {0, 1, 2, 3}, {1, 0, 2, 3}, {3, 2, 1, 0}, {1, 2, 3, 0}, {2, 0, 1, 3}, {0, 1, 1, -1}, {2, 1, 0, -1}, {-1, 0, 1, 2}, {3, 0, -1, 1}, {1, 3, 3, 2}, {3, 3, 3, 3},
};

static void placing_child(const struct placing *p)
{
    static const char *const names[] = {"a", "b", "c", "d"};
    struct child c = child_of(SHELL("for i in 0 1 2 3; do readlink /proc/$$/fd/$i || echo none; done > result"));
    c.directory = folder;
    c.in = p->in, c.out = p->out, c.err = p->err, c.keep = p->keep;
    for (int i = 0; i < 4; i++)
        close(i);
    for (int i = 0; i < 4; i++) {
        char path[64];
        snprintf(path, sizeof path, "%s/%s", folder, names[i]);
        if (open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600) != i)
            _exit(90);
    }
    const int used[] = {p->in, p->out, p->err, p->keep};
    for (int i = 0; i < 4; i++) { /* those that are not used are closed: 0, 1 or 2 of the parent may be missing */
        bool wanted = false;
        for (int k = 0; k < 4; k++)
            wanted |= used[k] == i;
        if (!wanted)
            close(i);
    }
    int status = 0;
    pid_t pid = child_spawn(&c, NULL, &(struct child_failure){0});
    if (pid < 0 || waitpid(pid, &status, 0) != pid)
        _exit(91);
    _exit(WIFEXITED(status) ? WEXITSTATUS(status) : 92);
}

static void placing_expect(struct buf *out, int fd, bool needed)
{
    if (fd >= 0)
        buf_format(out, "%s/%c\n", folder, "abcd"[fd]);
    else
        buf_text(out, needed ? "/dev/null\n" : "none\n");
}

static void read_file(const char *name, struct buf *out)
{
    char path[64];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    assert_true(fd >= 0);
    read_all(fd, out);
}

static void test_placings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof placings / sizeof *placings; i++) {
        const struct placing *p = &placings[i];
        struct buf found = {0}, expected = {0};
        int status;
        pid_t pid = fork();
        if (pid == 0)
            placing_child(p);
        waitpid(pid, &status, 0);
        read_file("result", &found);
        placing_expect(&expected, p->in, true);
        buf_format(&expected, "%s/result\n", folder); /* its standard output, redirected */
        placing_expect(&expected, p->err, true);
        placing_expect(&expected, p->keep, false);
        if (status != 0 || strcmp(buf_string(&found), buf_string(&expected)) != 0)
            fail_msg("placing %zu: status %x, %s instead of %s", i, status, buf_string(&found), buf_string(&expected));
        buf_clear(&found);
        buf_clear(&expected);
    }
}

static void closed_parent(void)
{
    struct child c = child_of(SHELL("echo to out; echo to err >&2"));
    int status;
    c.directory = folder;
    for (int i = 0; i < 20; i++)
        close(i);
    char path[64];
    snprintf(path, sizeof path, "%s/a", folder);
    c.out = open(path, O_WRONLY | O_TRUNC | O_CREAT | O_CLOEXEC, 0600); /* is 0 now */
    struct child_failure f = {0};
    struct child none = c;
    none.argv = (char *[]){"/no/such/program", NULL};
    none.keep = c.out; /* 3 must not be where the failure is told */
    if (child_spawn(&none, NULL, &f) != -1 || f.step != CHILD_EXEC || f.number != ENOENT)
        _exit(2);
    pid_t pid = child_spawn(&c, NULL, &f);
    _exit(c.out == 0 && pid > 0 && waitpid(pid, &status, 0) == pid && status == 0 ? 0 : 1);
}

static void test_parent_without_descriptors(void **state)
{
    (void)state;
    struct buf found = {0};
    int status;
    pid_t pid = fork();
    if (pid == 0)
        closed_parent();
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
    read_file("a", &found);
    assert_string_equal(buf_string(&found), "to out\n");
    buf_clear(&found);
}

/* ---- looking up the program ---- */

static void make_file(const char *name, const char *text, mode_t mode)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0700);
    assert_true(fd >= 0);
    assert_int_equal(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    assert_int_equal(fchmod(fd, mode), 0);
    close(fd);
}

static void make_folder_of(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    assert_int_equal(mkdir(path, 0755), 0);
}

/* In each PATH F stands for the test's folder, which is also the directory of the command. */
static const struct lookup {
    const char *path, *program;
    const char *output; /* NULL: it fails with */
    int number;
} lookups[] = {
    {"F/one:F/two", "tool", "one\n", 0},
    {"F/two:F/one", "tool", "two\n", 0},
    {"F/none:F/two", "tool", "two\n", 0},
    {"F/plain/x:F/two", "tool", "two\n", 0},        /* ENOTDIR goes on */
    {"F/locked:F/two", "tool", "two\n", 0},         /* so does EACCES */
    {"F/locked:F/none", "tool", NULL, EACCES},      /* but it is remembered */
    {"F/none:F/locked:F/none", "tool", NULL, EACCES},
    {"F/none", "tool", NULL, ENOENT},
    {"", "tool", NULL, ENOENT},
    {":F/none", "here", "here\n", 0},               /* empty: where the command runs */
    {"F/none:", "here", "here\n", 0},
    {"F/none::F/two", "here", "here\n", 0},
    {"one", "tool", "one\n", 0},                    /* relative: likewise */
    {"F/one", "two/tool", "two\n", 0},              /* a slash: no PATH */
    {"F/one", "./here", "here\n", 0},
    {"F/one", "./none", NULL, ENOENT},
    {"F/one", "./plain", NULL, EACCES},
    {"F/one", "./one", NULL, EACCES},               /* a folder */
    {"F/raw:F/one", "tool", NULL, ENOEXEC},         /* no #!: not given to a shell */
    {"F/one", "", NULL, ENOENT},
    {NULL, "true", "", 0},                          /* no PATH: /bin:/usr/bin */
    {NULL, "tool", NULL, ENOENT},
};

static void make_tools(void)
{
    static const char *const folders[] = {"one", "two", "locked", "raw"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++)
        make_folder_of(folders[i]);
    make_file("one/tool", "#!/bin/sh\necho one\n", 0755);
    make_file("two/tool", "#!/bin/sh\necho two\n", 0755);
    make_file("here", "#!/bin/sh\necho here\n", 0755);
    make_file("locked/tool", "#!/bin/sh\necho locked\n", 0644);
    make_file("raw/tool", "echo raw\n", 0755);
    make_file("plain", "#!/bin/sh\n", 0644);
}

static void test_lookups(void **state)
{
    (void)state;
    make_tools();
    for (size_t i = 0; i < sizeof lookups / sizeof *lookups; i++) {
        const struct lookup *l = &lookups[i];
        struct buf path = {0}, out = {0};
        struct child_failure f = {0};
        buf_text(&path, "PATH=");
        for (const char *p = l->path; p && *p; p++)
            if (*p == 'F')
                buf_text(&path, folder);
            else
                buf_char(&path, *p);
        struct child c = child_of((char *[]){(char *)l->program, NULL});
        c.envp = l->path ? (char *[]){path.data, NULL} : (char *[]){"A=1", NULL};
        c.directory = folder;
        int status = run(c, &out, &f);
        bool good = l->output ? status == 0 && strcmp(buf_string(&out), l->output) == 0 : status == -1 && f.step == CHILD_EXEC && f.number == l->number;
        if (!good)
            fail_msg("lookup %zu (%s in %s): status %d, %s: %s", i, l->program, l->path ? l->path : "-", status, child_step_name(f.step), strerror(f.number));
        buf_clear(&path);
        buf_clear(&out);
    }
}

/* ---- failures ---- */

static void assert_failure(const char *what, struct child c, enum child_step step, int number)
{
    struct child_failure f = {0};
    struct buf out = {0};
    int pidfd = -7;
    pid_t pid = child_spawn(&c, &pidfd, &f);
    if (pid != -1 || f.step != step || f.number != number || pidfd != -7)
        fail_msg("%s: pid %d, %s: %s", what, (int)pid, child_step_name(f.step), strerror(f.number));
    assert_int_equal(run(c, &out, &f), -1);
    buf_clear(&out);
}

static int note_fails(void *context, pid_t self)
{
    (void)self;
    return *(int *)context;
}

static void test_failures(void **state)
{
    (void)state;
    struct child c = child_of((char *[]){"true", NULL});
    const struct child_limit wrong[] = {{RLIMIT_NOFILE, {30, 20}}}, wrong_size[] = {{RLIMIT_FSIZE, {30, 20}}}, none[] = {{1000, {1, 1}}};
    int number = ENOSPC;
    c.directory = "/no/such/directory";
    assert_failure("directory", c, CHILD_DIRECTORY, ENOENT);
    c.directory = "/etc/passwd";
    assert_failure("file as directory", c, CHILD_DIRECTORY, ENOTDIR);
    c.directory = NULL;
    c.limits = wrong, c.limit_count = 1;
    assert_failure("soft above hard", c, CHILD_LIMITS, EINVAL);
    c.limits = wrong_size;
    assert_failure("soft above hard file size", c, CHILD_LIMITS, EINVAL);
    c.limits = none;
    assert_failure("no such limit", c, CHILD_LIMITS, EINVAL);
    c.limit_count = 0;
    c.keep = 999;
    assert_failure("descriptor that is not open", c, CHILD_DESCRIPTORS, EBADF);
    c.keep = -1;
    c.note = note_fails, c.note_context = &number;
    assert_failure("note", c, CHILD_NOTE, ENOSPC);
    c.note = NULL;
    size_t huge = 4 << 20; /* one argument longer than the kernel takes */
    char *argument = malloc(huge);
    assert_non_null(argument);
    memset(argument, 'x', huge);
    argument[huge - 1] = '\0';
    c.argv = (char *[]){"true", argument, NULL};
    assert_failure("too long", c, CHILD_EXEC, E2BIG);
    free(argument);
}

/* What root only can do is not possible for others; tried as one of them. */
static void plain_user_child(void)
{
    struct child c = child_of((char *[]){"true", NULL});
    struct child_failure f = {0};
    gid_t group = 4242;
    struct child_user other = {.uid = 4243, .gid = 4242, .groups = &group, .group_count = 1}, self = {.uid = 4242, .gid = 4242};
    const struct child_limit raise[] = {{RLIMIT_NOFILE, {RLIM_INFINITY, RLIM_INFINITY}}};
    if (getuid() == 0 && (setgroups(0, NULL) < 0 || setresgid(4242, 4242, 4242) < 0 || setresuid(4242, 4242, 4242) < 0))
        _exit(1);
    if (getuid() != 4242) {
        self.uid = getuid(), self.gid = getgid();
        other.uid = getuid() + 1;
    }
    c.user = &other;
    if (child_spawn(&c, NULL, &f) != -1 || f.step != CHILD_GROUPS || f.number != EPERM)
        _exit(2);
    c.user = &self;
    if (child_spawn(&c, NULL, &f) < 0)
        _exit(3);
    c.nice = -5;
    if (child_spawn(&c, NULL, &f) != -1 || f.step != CHILD_PRIORITY || (f.number != EACCES && f.number != EPERM))
        _exit(4);
    c.nice = 0;
    c.limits = raise, c.limit_count = 1;
    if (child_spawn(&c, NULL, &f) != -1 || f.step != CHILD_LIMITS || f.number != EPERM)
        _exit(5);
    _exit(0);
}

static void test_plain_user(void **state)
{
    (void)state;
    int status;
    pid_t pid = fork();
    if (pid == 0)
        plain_user_child();
    waitpid(pid, &status, 0);
    assert_true(WIFEXITED(status));
    assert_int_equal(WEXITSTATUS(status), 0);
}

static void no_descriptors_left(void)
{
    struct child c = child_of((char *[]){"true", NULL});
    struct child_failure f = {0};
    struct rlimit few = {3, 3};
    int pidfd;
    for (int i = 3; i < 60; i++)
        close(i);
    if (setrlimit(RLIMIT_NOFILE, &few) < 0 || child_spawn(&c, &pidfd, &f) != -1)
        _exit(1);
    _exit(f.step == CHILD_FORK && f.number == EMFILE && child_failure_is_shortage(&f) ? 0 : 2);
}

static void test_shortage(void **state)
{
    (void)state;
    static const struct { enum child_step step; int number; bool shortage; } rows[] = {
        {CHILD_FORK, EAGAIN, true}, {CHILD_FORK, ENOMEM, true}, {CHILD_FORK, EMFILE, true}, {CHILD_FORK, ENOSPC, true}, {CHILD_DESCRIPTORS, ENFILE, true},
        {CHILD_EXEC, EAGAIN, true}, {CHILD_NOTE, ENOSPC, true}, {CHILD_EXEC, ENOENT, false}, {CHILD_EXEC, EACCES, false}, {CHILD_EXEC, E2BIG, false},
        {CHILD_EXEC, ENOEXEC, false}, {CHILD_DIRECTORY, ENOENT, false}, {CHILD_USER, EPERM, false}, {CHILD_DIRECTORY, ENOSPC, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct child_failure f = {rows[i].step, rows[i].number};
        if (child_failure_is_shortage(&f) != rows[i].shortage)
            fail_msg("row %zu", i);
    }
    int status;
    pid_t pid = fork();
    if (pid == 0)
        no_descriptors_left();
    waitpid(pid, &status, 0);
    assert_int_equal(status, 0);
}

/* ---- the note ---- */

struct note_place {
    int fd;
};

static int note_writes(void *context, pid_t self)
{
    const struct note_place *p = context;
    return write(p->fd, &self, sizeof self) == sizeof self ? 0 : errno;
}

static void test_note(void **state)
{
    (void)state;
    char path[64];
    const struct child_limit no_files[] = {{RLIMIT_FSIZE, {0, 0}}};
    struct note_place place;
    pid_t noted = 0;
    int pidfd = -1, status;
    snprintf(path, sizeof path, "%s/note", folder);
    place.fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0600);
    struct child c = child_of(SHELL("trap '' XFSZ; echo x > /dev/null && ! echo x > written 2> /dev/null; ulimit -Hf; [ -z \"$(cat written)\" ]"));
    c.directory = folder;
    c.note = note_writes, c.note_context = &place;
    c.limits = no_files, c.limit_count = 1; /* the note is written all the same */
    struct child_failure f = {0};
    pid_t pid = child_spawn(&c, &pidfd, &f);
    assert_true(pid > 0);
    assert_true(pidfd >= 0);
    assert_true(fcntl(pidfd, F_GETFD) & FD_CLOEXEC);
    assert_int_equal(pread(place.fd, &noted, sizeof noted, 0), sizeof noted); /* there before exec, and so before child_spawn is back */
    assert_int_equal(noted, pid);
    assert_int_equal(waitpid(pid, &status, 0), pid);
    assert_int_equal(status, 0);
    close(pidfd);
    close(place.fd);
}

/* ---- users ---- */

static void test_user_find(void **state)
{
    (void)state;
    struct child_user u = {0};
    struct error e = {0};
    static const struct { const char *user, *group; int code; uid_t uid; gid_t gid; const char *text; } rows[] = {
        {"root", NULL, 0, 0, 0, NULL},
        {"0", NULL, 0, 0, 0, NULL},
        {"root", "daemon", 0, 0, 1, NULL},
        {"daemon", "0", 0, 1, 0, NULL},
        {"no-such-user", NULL, -ERROR_NOT_FOUND, 0, 0, "there is no user no-such-user"},
        {"root", "no-such-group", -ERROR_NOT_FOUND, 0, 0, "there is no group no-such-group"},
        {"4294967295", NULL, -ERROR_NOT_FOUND, 0, 0, "there is no user 4294967295"},
        {"18446744073709551616", NULL, -ERROR_NOT_FOUND, 0, 0, "there is no user 18446744073709551616"},
        {"", NULL, -ERROR_NOT_FOUND, 0, 0, "there is no user "},
        {"-1", NULL, -ERROR_NOT_FOUND, 0, 0, "there is no user -1"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int code = child_user_find(rows[i].user, rows[i].group, &u, &e);
        if (code != rows[i].code || (code == 0 && (u.uid != rows[i].uid || u.gid != rows[i].gid)) || (code && strcmp(e.text, rows[i].text) != 0))
            fail_msg("row %zu: %d, %s", i, code, e.text);
        if (code == 0) {
            assert_true(u.group_count >= 1);
            assert_int_equal(u.groups[0], u.gid);
            assert_non_null(u.home);
        }
        child_user_clear(&u);
    }
}

static void test_user_own(void **state)
{
    (void)state;
    struct child_user u = {0};
    struct error e;
    assert_int_equal(child_user_find(NULL, "daemon", &u, &e), 0);
    assert_int_equal(u.uid, geteuid());
    assert_int_equal(u.gid, 1);
    child_user_clear(&u);
    assert_int_equal(child_user_find(NULL, "no-such-group", &u, &e), -ERROR_NOT_FOUND);
    assert_string_equal(e.text, "there is no group no-such-group");
}

static void test_user(void **state)
{
    (void)state;
    struct child_user u = {0};
    if (getuid() != 0)
        skip();
    assert_int_equal(child_user_find("daemon", NULL, &u, NULL), 0);
    struct child c = child_of((char *[]){"sh", "-c", "id -u; id -ru; id -g; id -G; grep -E '^[UG]id' /proc/self/status", NULL});
    c.user = &u;
    assert_output(c, "1\n1\n1\n1\nUid:\t1\t1\t1\t1\nGid:\t1\t1\t1\t1\n");
    make_folder_of("private");
    char path[64];
    snprintf(path, sizeof path, "%s/private", folder);
    assert_int_equal(chmod(path, 0700), 0);
    c.directory = path; /* entered as the user, not as root */
    assert_failure("directory of root", c, CHILD_DIRECTORY, EACCES);
    child_user_clear(&u);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) && chmod(folder, 0755) == 0 ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    struct child c = child_of((char *[]){"rm", "-rf", folder, NULL});
    pid_t pid = child_spawn(&c, NULL, NULL);
    return pid > 0 && waitpid(pid, NULL, 0) == pid ? 0 : -1;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_signals), cmocka_unit_test(test_session), cmocka_unit_test(test_settings), cmocka_unit_test(test_environment),
        cmocka_unit_test(test_nothing_else_is_open), cmocka_unit_test(test_null), cmocka_unit_test(test_placings),
        cmocka_unit_test(test_parent_without_descriptors), cmocka_unit_test(test_lookups), cmocka_unit_test(test_failures),
        cmocka_unit_test(test_plain_user), cmocka_unit_test(test_shortage), cmocka_unit_test(test_note), cmocka_unit_test(test_user_find),
        cmocka_unit_test(test_user_own),
        cmocka_unit_test(test_user),
    };
    umask(022);
    return cmocka_run_group_tests_name("child", tests, make_folder, remove_folder);
}
