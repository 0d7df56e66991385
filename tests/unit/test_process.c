#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sys/process.h"

#define REST " 34817 12 4194304 1 2 3 4 5 6 7 8 20 0 "

static const struct {
    const char *stat;
    bool good;
    struct process_facts facts;
} lines[] = {
    {"12 (sh) S 11 12 10" REST "1 0 9876 100 1\n", true, {{12, 9876}, 11, 10, 'S', 1, "sh"}},
    {"12 (a b) R 11 12 10" REST "3 0 9876 100\n", true, {{12, 9876}, 11, 10, 'R', 3, "a b"}},
    {"12 (a) R 1 (b) Z 11 12 10" REST "1 0 5 0\n", true, {{12, 5}, 11, 10, 'Z', 1, "a) R 1 (b"}},
    {"12 ()) T 11 12 0" REST "1 0 5 0\n", true, {{12, 5}, 11, 0, 'T', 1, ")"}},
    {"12 () S 0 12 10" REST "1 0 18446744073709551615 0\n", true, {{12, UINT64_MAX}, 0, 10, 'S', 1, ""}},
    {"12 (a\nb) S 11 12 10" REST "1 0 5 0\n", true, {{12, 5}, 11, 10, 'S', 1, "a\nb"}},
    {"12 (0123456789012345678901234567890123456789012345678901234567890123456789) S 11 12 10" REST "1 0 5 0\n", true,
     {{12, 5}, 11, 10, 'S', 1, "012345678901234567890123456789012345678901234567890123456789012"}},
    {"12 (sh) S 11 12 10" REST "1 0", false, {{0}, 0, 0, 0, 0, ""}},
    {"12 sh S 11 12 10" REST "1 0 5", false, {{0}, 0, 0, 0, 0, ""}},
    {"12 )sh( S 11 12 10" REST "1 0 5", false, {{0}, 0, 0, 0, 0, ""}},
    {"x (sh) S 11 12 10" REST "1 0 5 0\n", false, {{0}, 0, 0, 0, 0, ""}},
    {"", false, {{0}, 0, 0, 0, 0, ""}},
};

static void test_parse(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
        struct process_facts f = {0};
        const struct process_facts *x = &lines[i].facts;
        bool good = process_parse(lines[i].stat, strlen(lines[i].stat), &f);
        if (good != lines[i].good || f.id.pid != x->id.pid || f.id.start != x->id.start || f.parent != x->parent || f.session != x->session ||
            f.state != x->state || f.threads != x->threads || strcmp(f.command, x->command) != 0)
            fail_msg("line %zu: %s", i, lines[i].stat);
    }
}

static pid_t child_that_waits(void)
{
    struct process_facts f = {0};
    pid_t pid = fork();
    if (pid == 0) {
        alarm(60); /* does not outlive a test that failed */
        prctl(PR_SET_NAME, "a) Z 1 (b");
        for (;;)
            pause();
    }
    while (process_read(pid, &f) && strcmp(f.command, "a) Z 1 (b") != 0)
        ;
    return pid;
}

static void test_life(void **state)
{
    (void)state;
    struct process_id id, other;
    struct process_facts f;
    pid_t pid = child_that_waits();
    assert_true(process_identify(pid, &id));
    assert_int_equal(id.pid, pid);
    assert_true(process_alive(&id));
    assert_false(process_stopped(pid));
    other = id;
    other.start++;
    assert_false(process_alive(&other)); /* its pid was used again */

    kill(pid, SIGSTOP);
    waitpid(pid, NULL, WUNTRACED);
    assert_true(process_stopped(pid));
    assert_true(process_read(pid, &f));
    assert_string_equal(f.command, "a) Z 1 (b");
    assert_int_equal(f.parent, getpid());
    assert_int_equal(f.session, getsid(0));
    assert_true(process_alive(&id));

    int handle = process_open(pid);
    assert_true(handle >= 0);
    struct pollfd end = {.fd = handle, .events = POLLIN};
    assert_int_equal(poll(&end, 1, 0), 0);
    kill(pid, SIGKILL);
    assert_int_equal(poll(&end, 1, 5000), 1);
    close(handle);
    assert_false(process_alive(&id)); /* a zombie */
    assert_true(process_identify(pid, &other));
    assert_int_equal(other.start, id.start);
    waitpid(pid, NULL, 0);
    assert_false(process_identify(pid, &other));
    assert_int_equal(process_open(pid), -1);
}

static void test_start_tells_processes_apart(void **state)
{
    (void)state;
    struct process_id self, first;
    assert_true(process_identify(getpid(), &self));
    assert_true(process_identify(1, &first));
    assert_true(self.start >= first.start);
    assert_true(process_alive(&self));
    assert_false(process_identify(0, &first));
    assert_false(process_identify(-1, &first));
}

static void test_over(void **state)
{
    (void)state;
    static const struct { char state; int threads; bool over; } rows[] = {
        {'R', 1, false}, {'S', 1, false}, {'T', 1, false}, {'Z', 1, true}, {'Z', 0, true}, {'Z', 2, false}, {'X', 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct process_facts f = {.state = rows[i].state, .threads = rows[i].threads};
        assert_int_equal(process_over(&f), rows[i].over);
    }
}

static void test_boot(void **state)
{
    (void)state;
    char a[BOOT_ID_SIZE], b[BOOT_ID_SIZE], id[64] = "", expected[128];
    struct process_id first = {0};
    FILE *file = fopen("/proc/sys/kernel/random/boot_id", "re");
    assert_non_null(file);
    assert_int_equal(fscanf(file, "%63s", id), 1);
    fclose(file);
    process_identify(1, &first);
    snprintf(expected, sizeof expected, "%s/%llu", id, (unsigned long long)first.start);
    process_boot(a);
    process_boot(b);
    assert_string_equal(a, expected);
    assert_string_equal(a, b);
    assert_int_equal(strchr(a, '/') - a, 36);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse), cmocka_unit_test(test_life), cmocka_unit_test(test_start_tells_processes_apart),
        cmocka_unit_test(test_over), cmocka_unit_test(test_boot),
    };
    return cmocka_run_group_tests_name("process", tests, NULL, NULL);
}
