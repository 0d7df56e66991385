/* What is run: words, environment, directory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/mem.h"
#include "spool/launch.h"

static const struct launch ours = {.spool = "/spool", .name = "ann", .home = "/home/ann", .shell = "/bin/bash"};

static struct run run_of(uint32_t n)
{
    return (struct run){.id = {12, n, 0}, .due = INT64_C(1767225600) * SECOND, .claimed = INT64_C(1767225700) * SECOND, .attempt = 2, .key = "12-x"};
}

static struct job job_with(const char *word)
{
    struct job j;
    job_init(&j);
    j.number = 12;
    j.name = mem_string("build");
    strvec_add(&j.command, word);
    return j;
}

static void test_clean_environment(void **state)
{
    (void)state;
    static const char *const want[] = {
        "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin", "USER=ann", "LOGNAME=ann", "HOME=/home/ann", "SHELL=/bin/bash",
        "PWD=/home/ann", "MODE=fast", "AX_JOB=12", "AX_NAME=build", "AX_RUN=12.3", "AX_ATTEMPT=2", "AX_DUE=2026-01-01T00:00:00Z", "AX_KEY=12-x", "AX_SPOOL=/spool",
    };
    struct job j = job_with("true");
    struct run r = run_of(3);
    struct strvec env = {0};
    strvec_env_set(&j.env, "MODE", "fast");
    assert_int_equal(launch_environment(&ours, &j, &r, &env, NULL), 0);
    assert_int_equal(env.count, sizeof want / sizeof *want);
    for (size_t i = 0; i < env.count; i++)
        assert_string_equal(env.items[i], want[i]);
    strvec_clear(&env);
    job_clear(&j);
}

static void test_file(void **state)
{
    (void)state;
    static const struct { const char *file, *want; } rows[] = {{"/srv/ax.yaml", "/srv/ax.yaml"}, {"-", NULL}, {NULL, NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job j = job_with("true");
        struct run r = run_of(1);
        struct strvec env = {0};
        j.file = mem_string(rows[i].file);
        assert_int_equal(launch_environment(&ours, &j, &r, &env, NULL), 0);
        const char *got = strvec_env_get(&env, "AX_FILE");
        assert_true(got ? rows[i].want && strcmp(got, rows[i].want) == 0 : !rows[i].want);
        strvec_clear(&env);
        job_clear(&j);
    }
}

/* kept, then env_file, then env, then what ax says: the later wins. */
static void test_what_wins(void **state)
{
    (void)state;
    char file[] = "/tmp/ax-launch-XXXXXX";
    int fd = mkstemp(file);
    dprintf(fd, "# a comment\n\n  FROM_FILE=1\r\nQUOTED=\"a b\"\nBOTH=file\nHOME=/file\n");
    close(fd);
    struct job j = job_with("true");
    struct run r = run_of(1);
    struct strvec env = {0};
    j.has_kept_env = true;
    strvec_env_set(&j.kept_env, "HOME", "/kept");
    strvec_env_set(&j.kept_env, "KEPT", "1");
    strvec_env_set(&j.kept_env, "PWD", "/of/the/caller");
    j.cwd = mem_string("/srv");
    strvec_env_set(&j.kept_env, "AX_RUN", "9.9");
    strvec_env_set(&j.env, "BOTH", "env");
    j.env_file = mem_string(file);
    assert_int_equal(launch_environment(&ours, &j, &r, &env, NULL), 0);
    static const char *const want[][2] = {{"HOME", "/file"}, {"KEPT", "1"}, {"PWD", "/srv"}, {"FROM_FILE", "1"}, {"QUOTED", "a b"}, {"BOTH", "env"}, {"AX_RUN", "12.1"}};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_string_equal(strvec_env_get(&env, want[i][0]), want[i][1]);
    assert_null(strvec_env_get(&env, "AX_FILE"));
    assert_null(strvec_env_get(&env, "USER")); /* a kept environment is the caller's, as it was */
    strvec_clear(&env);
    job_clear(&j);
    unlink(file);
}

/* What whoever reads it would have to wait for, or that has no end, is refused. */
static void test_env_file_without_end(void **state)
{
    (void)state;
    char fifo[] = "/tmp/ax-launch-XXXXXX";
    const char *files[] = {fifo, "/dev/zero", "/tmp"};
    close(mkstemp(fifo));
    unlink(fifo);
    assert_int_equal(mkfifo(fifo, 0600), 0);
    alarm(20);
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        struct job j = job_with("true");
        struct run r = run_of(1);
        struct strvec env = {0};
        struct error e = {0};
        j.env_file = mem_string(files[i]);
        assert_true(launch_environment(&ours, &j, &r, &env, &e) < 0);
        assert_string_equal(e.field, "env_file");
        job_clear(&j);
    }
    alarm(0);
    unlink(fifo);
}

static void test_bad_env_file(void **state)
{
    (void)state;
    char file[] = "/tmp/ax-launch-XXXXXX";
    int fd = mkstemp(file);
    dprintf(fd, "GOOD=1\nnonsense\n");
    close(fd);
    struct job j = job_with("true");
    struct run r = run_of(1);
    struct strvec env = {0};
    struct error e = {0};
    j.env_file = mem_string(file);
    assert_true(launch_environment(&ours, &j, &r, &env, &e) < 0);
    assert_string_equal(e.field, "env_file");
    assert_non_null(strstr(e.text, "line 2"));
    unlink(file);
    e = (struct error){0};
    assert_true(launch_environment(&ours, &j, &r, &env, &e) < 0);
    assert_int_equal(e.sys, 2);
    job_clear(&j);
}

/* One file and what is said of it: the environment it is read into has HOME=/home/ann and EMPTY= . */
static const struct {
    const char *text, *name, *want; /* want NULL: refused, and `name` is what the error says */
} env_file_rows[] = {
    {"A=1\nB=${A}/x", "B", "1/x"},
    {"B=\"${HOME}/x y\"", "B", "/home/ann/x y"},
    {"B='${HOME}/x'", "B", "${HOME}/x"},
    {"A=1\nA=${A}2\nA=${A}3", "A", "123"},
    {"B=<${EMPTY}>", "B", "<>"},
    {"B=$HOME $(id) `id` $$ $ 5$", "B", "$HOME $(id) `id` $$ $ 5$"},
    {"B=$${HOME} $$${HOME}", "B", "${HOME} $${HOME}"},
    {"A='${HOME}'\nB=${A}", "B", "${HOME}"}, /* once, not again */
    {"B=$HOME}", "B", "$HOME}"},
    {"\xef\xbb\xbf" "A=1", "A", "1"},
    {"A=1\nB= x${NOPE}", "line 2, column 5: there is no variable NOPE so far", NULL},
    {"B=${C}\nC=1", "line 1, column 3: there is no variable C", NULL},
    {"B=\"${AX_JOB}\"", "line 1, column 4: there is no variable AX_JOB", NULL},
    {"B=${MODE}", "there is no variable MODE", NULL}, /* `env` comes behind the file */
    {"B=${HOME:-/x}", "line 1, column 3: a `${` that is no ${NAME}", NULL},
    {"B=${}", "column 3: a `${`", NULL},
    {"B=${HOME", "column 3: a `${`", NULL},
    {"B=${1A}", "column 3: a `${`", NULL},
    {"  B", "line 1, column 3: not NAME=VALUE", NULL},
};

static void test_env_file_variables(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof env_file_rows / sizeof *env_file_rows; i++) {
        char file[] = "/tmp/ax-launch-XXXXXX";
        int fd = mkstemp(file);
        dprintf(fd, "%s\n", env_file_rows[i].text);
        close(fd);
        struct job j = job_with("true");
        struct run r = run_of(1);
        struct strvec env = {0};
        struct error e = {0};
        j.has_kept_env = true;
        strvec_env_set(&j.kept_env, "HOME", "/home/ann");
        strvec_env_set(&j.kept_env, "EMPTY", "");
        strvec_env_set(&j.env, "MODE", "fast");
        j.env_file = mem_string(file);
        int code = launch_environment(&ours, &j, &r, &env, &e);
        if (env_file_rows[i].want) {
            assert_string_equal(code ? e.text : "", "");
            assert_string_equal(strvec_env_get(&env, env_file_rows[i].name), env_file_rows[i].want);
        } else {
            assert_true(code < 0);
            if (!strstr(e.text, env_file_rows[i].name))
                fail_msg("%s: %s", env_file_rows[i].text, e.text);
        }
        strvec_clear(&env);
        job_clear(&j);
        unlink(file);
    }
}

static void write_doubled(FILE *f)
{
    fprintf(f, "A0=xxxxxxxxxxxxxxxx\n");
    for (int i = 1; i < 60; i++)
        fprintf(f, "A%d=${A%d}${A%d}\n", i, i - 1, i - 1);
}

static void write_many(FILE *f)
{
    for (int i = 0; i < 100000; i++)
        fprintf(f, "A%d=\n", i);
}

/* Lines that double each other, and very many of them. */
static void refuse_bomb(void (*make)(FILE *), const char *says)
{
    char file[] = "/tmp/ax-launch-XXXXXX";
    FILE *f = fdopen(mkstemp(file), "w");
    make(f);
    fclose(f);
    struct job j = job_with("true");
    struct run r = run_of(1);
    struct strvec env = {0};
    struct error e = {0};
    j.env_file = mem_string(file);
    assert_true(launch_environment(&ours, &j, &r, &env, &e) < 0);
    assert_non_null(strstr(e.text, says));
    job_clear(&j);
    unlink(file);
}

static void test_env_file_bomb(void **state)
{
    (void)state;
    refuse_bomb(write_doubled, "more than 1024 KiB together");
    refuse_bomb(write_many, "line 10001, column 1: more than 10000 variables");
}

static void test_words(void **state)
{
    (void)state;
    struct job j = job_with("echo $HOME");
    struct run r = run_of(1);
    struct order o;
    j.shell_line = true;
    assert_int_equal(launch_order(&ours, &j, &r, &o, NULL), 0);
    assert_int_equal(o.argv.count, 3);
    assert_string_equal(o.argv.items[0], "/bin/sh");
    assert_string_equal(o.argv.items[1], "-c");
    assert_string_equal(o.argv.items[2], "echo $HOME");
    assert_string_equal(o.cwd, "/home/ann");
    assert_int_equal(o.umask_bits, 022);
    assert_true(o.not_before == r.claimed); /* a retry is later than its due time */
    order_clear(&o);
    j.shell_line = false;
    j.cwd = mem_string("/srv");
    j.umask_bits = 027;
    assert_int_equal(launch_order(&ours, &j, &r, &o, NULL), 0);
    assert_int_equal(o.argv.count, 1);
    assert_string_equal(o.cwd, "/srv");
    assert_int_equal(o.umask_bits, 027);
    order_clear(&o);
    job_clear(&j);
}

/* The scheduler looks at no user and no file: what may have to wait for them is left to the worker. */
static void test_left_to_the_worker(void **state)
{
    (void)state;
    struct job j = job_with("true");
    struct run r = run_of(1);
    struct order o;
    struct strvec env = {0};
    struct error e = {0};
    j.user = mem_string("no-such-user-here");
    j.env_file = mem_string("no/such/file");
    strvec_env_set(&j.env, "HOME", "/said");
    assert_int_equal(launch_order(&ours, &j, &r, &o, &e), 0);
    assert_null(o.cwd);
    assert_string_equal(o.env_file, "no/such/file");
    assert_null(strvec_env_get(&o.env, "HOME")); /* of the user, not ours */
    assert_string_equal(strvec_env_get(&o.env_last, "HOME"), "/said");
    assert_string_equal(strvec_env_get(&o.env_last, "AX_RUN"), "12.1");
    order_clear(&o);
    assert_true(launch_environment(&ours, &j, &r, &env, &e) < 0);
    assert_non_null(strstr(e.text, "no-such-user-here"));
    job_clear(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_clean_environment),
        cmocka_unit_test(test_file), cmocka_unit_test(test_what_wins), cmocka_unit_test(test_bad_env_file), cmocka_unit_test(test_env_file_without_end),
        cmocka_unit_test(test_env_file_variables), cmocka_unit_test(test_env_file_bomb),
        cmocka_unit_test(test_words), cmocka_unit_test(test_left_to_the_worker),
    };
    return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
