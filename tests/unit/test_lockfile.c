#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "lib/sys/clock.h"
#include "lib/sys/lockfile.h"

#define MS INT64_C(1000000)

static char folder_name[] = "/tmp/ax-lockfile-XXXXXX";
static int folder = -1;

static int make_folder(void **state)
{
    (void)state;
    if (!mkdtemp(folder_name))
        return -1;
    folder = open(folder_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    return folder < 0 ? -1 : 0;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"lock", "link", "elsewhere"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        unlinkat(folder, names[i], 0);
    unlinkat(folder, "folder", AT_REMOVEDIR);
    close(folder);
    return rmdir(folder_name);
}

/* A process that takes a lock, holds it for `hold`, and ends. */
struct other {
    bool exclusive;
    uint64_t start, length;
    int64_t hold; /* < 0: until it is killed */
};

static pid_t other_begin(const struct other *o)
{
    int ready[2];
    char byte = 'x';
    assert_int_equal(pipe(ready), 0);
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60); /* does not outlive a test that failed */
        int fd = lockfile_open(folder, "lock", NULL);
        if (fd < 0 || lockfile_try(fd, o->exclusive, o->start, o->length, NULL) < 0)
            _exit(1);
        if (write(ready[1], &byte, 1) != 1)
            _exit(1);
        struct timespec hold = {.tv_sec = o->hold / SECOND, .tv_nsec = o->hold % SECOND};
        while (o->hold < 0)
            pause();
        nanosleep(&hold, NULL);
        _exit(0);
    }
    close(ready[1]);
    assert_int_equal(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return pid;
}

static void other_end(pid_t pid)
{
    kill(pid, SIGKILL);
    waitpid(pid, NULL, 0);
}

static const struct {
    struct other held;
    bool exclusive;
    uint64_t start, length;
    bool taken;
} rows[] = {
    {{true, 0, 1, -1}, true, 0, 1, false},
    {{true, 0, 1, -1}, false, 0, 1, false},
    {{false, 0, 1, -1}, true, 0, 1, false},
    {{false, 0, 1, -1}, false, 0, 1, true},
    {{true, 0, 1, -1}, true, 1, 1, true},
    {{true, 7, 1, -1}, true, 1, 0, false}, /* length 0: to the end and beyond */
    {{true, 0, 0, -1}, true, UINT64_C(1) << 40, 1, false},
    {{true, 7, 1, -1}, true, 1, 6, true},
    {{true, 7, 1, -1}, true, 1, 7, false},
};

static void test_try(void **state)
{
    (void)state;
    int fd = lockfile_open(folder, "lock", NULL);
    assert_true(fd >= 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        pid_t other = other_begin(&rows[i].held), holder = 0;
        int got = lockfile_try(fd, rows[i].exclusive, rows[i].start, rows[i].length, &holder);
        if (got != (rows[i].taken ? 0 : -1) || holder != (rows[i].taken ? 0 : other))
            fail_msg("row %zu: %d, holder %d of %d", i, got, (int)holder, (int)other);
        assert_int_equal(lockfile_holder(fd, rows[i].held.start, rows[i].held.length), other);
        lockfile_release(fd, 0, 0);
        other_end(other);
        assert_int_equal(lockfile_holder(fd, 0, 0), 0);
    }
    close(fd);
}

static void handler_of_the_caller(int signal_number)
{
    (void)signal_number;
    _exit(99);
}

static void test_wait(void **state)
{
    (void)state;
    static const struct { int64_t hold, patience; int got; int64_t least, most; } waits[] = {
        {100 * MS, 5000 * MS, 0, 50 * MS, 2000 * MS},
        {-1, 150 * MS, -1, 150 * MS, 2000 * MS},
        {-1, 0, -1, 0, 50 * MS},
        {0, 1000 * MS, 0, 0, 900 * MS},
    };
    struct sigaction before = {.sa_handler = handler_of_the_caller}, after;
    sigset_t mask_before, mask_after;
    sigaction(SIGALRM, &before, NULL);
    sigemptyset(&mask_before);
    sigaddset(&mask_before, SIGALRM);
    sigprocmask(SIG_BLOCK, &mask_before, NULL);
    int fd = lockfile_open(folder, "lock", NULL);
    for (size_t i = 0; i < sizeof waits / sizeof *waits; i++) {
        pid_t other = other_begin(&(struct other){true, 0, 1, waits[i].hold}), holder = 0;
        int64_t start = clock_mono().ns;
        int got = lockfile_wait(fd, true, 0, 1, waits[i].patience, &holder);
        int64_t took = clock_mono().ns - start;
        if (got != waits[i].got || took < waits[i].least || took > waits[i].most || (got < 0 && holder != other))
            fail_msg("wait %zu: %d after %lld ms, holder %d", i, got, (long long)(took / MS), (int)holder);
        lockfile_release(fd, 0, 1);
        other_end(other);
    }
    close(fd);
    sigaction(SIGALRM, NULL, &after);
    sigprocmask(SIG_BLOCK, NULL, &mask_after);
    assert_ptr_equal(after.sa_handler, handler_of_the_caller);
    assert_true(sigismember(&mask_after, SIGALRM));
    sigpending(&mask_after);
    assert_false(sigismember(&mask_after, SIGALRM));
    signal(SIGALRM, SIG_DFL);
    sigprocmask(SIG_UNBLOCK, &mask_before, NULL);
}

static void test_a_stopped_holder_is_named(void **state)
{
    (void)state;
    int fd = lockfile_open(folder, "lock", NULL);
    pid_t other = other_begin(&(struct other){true, 0, 1, -1}), holder = 0;
    kill(other, SIGSTOP);
    assert_int_equal(lockfile_wait(fd, true, 0, 1, 50 * MS, &holder), -1);
    assert_int_equal(holder, other);
    kill(other, SIGKILL); /* wakes the next one at once */
    assert_int_equal(lockfile_wait(fd, true, 0, 1, 5000 * MS, &holder), 0);
    waitpid(other, NULL, 0);
    close(fd);
}

static void test_open(void **state)
{
    (void)state;
    struct stat s;
    struct error e = {0};
    int fd = lockfile_open(folder, "elsewhere", &e);
    assert_true(fd >= 0);
    assert_int_equal(fstat(fd, &s), 0);
    assert_int_equal(s.st_mode & 07777, 0600);
    assert_true(fcntl(fd, F_GETFD) & FD_CLOEXEC);
    close(fd);
    assert_int_equal(symlinkat("elsewhere", folder, "link"), 0);
    assert_int_equal(lockfile_open(folder, "link", &e), -ERROR_SPOOL);
    assert_int_equal(e.sys, ELOOP);
    assert_int_equal(mkdirat(folder, "folder", 0700), 0);
    assert_int_equal(lockfile_open(folder, "folder", &e), -ERROR_SPOOL);
    assert_int_equal(e.sys, EISDIR);
    unlinkat(folder, "elsewhere", 0);
    assert_int_equal(mkfifoat(folder, "elsewhere", 0600), 0);
    assert_int_equal(lockfile_open(folder, "elsewhere", &e), -ERROR_SPOOL);
    assert_non_null(strstr(e.text, "plain file"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_try), cmocka_unit_test(test_wait), cmocka_unit_test(test_a_stopped_holder_is_named), cmocka_unit_test(test_open),
    };
    umask(022);
    return cmocka_run_group_tests_name("lockfile", tests, make_folder, remove_folder);
}
