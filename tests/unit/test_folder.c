#include "tests/unit/store_fixture.h"

#include <errno.h>
#include <fcntl.h>

static void path_is(const char *wanted, const char *expected)
{
    char *path = folder_path(wanted);
    assert_string_equal(path, expected);
    free(path);
}

static void test_path(void **state)
{
    (void)state;
    char here[4096];
    assert_non_null(getcwd(here, sizeof here));
    char *relative = mem_format("%s/%s", strcmp(here, "/") ? here : "", "some/spool");
    unsetenv("AX_SPOOL");
    path_is("/a/b", "/a/b");
    path_is("/a/b///", "/a/b");
    path_is("/a/b/.", "/a/b");
    path_is("some/spool/", relative);
    setenv("AX_SPOOL", "/from/variable", 1);
    path_is(NULL, "/from/variable");
    path_is("/a", "/a");
    setenv("AX_SPOOL", "", 1);
    if (geteuid() == 0) {
        path_is(NULL, "/var/spool/ax");
    } else {
        setenv("XDG_STATE_HOME", "/state", 1);
        path_is(NULL, "/state/ax");
        setenv("XDG_STATE_HOME", "not/absolute", 1);
        setenv("HOME", "/home/me", 1);
        path_is(NULL, "/home/me/.local/state/ax");
    }
    unsetenv("AX_SPOOL");
    free(relative);
}

static void refused(const char *path, bool create, int sys, const char *word)
{
    struct folder out = {.fd = 77};
    struct error e = {0};
    assert_int_equal(folder_open(path, create, &out, &e), -ERROR_SPOOL);
    assert_int_equal(out.fd, 77);
    assert_int_equal(e.sys, sys);
    if (!strstr(e.text, word))
        fail_msg("`%s` is not in: %s", word, e.text);
}

static int mode_of(const char *folder, const char *name)
{
    char *path = mem_format("%s/%s", folder, name);
    struct stat st;
    assert_int_equal(lstat(path, &st), 0);
    free(path);
    return st.st_mode & 07777;
}

static void test_makes(void **state)
{
    struct fixture *f = *state;
    char *deep = mem_format("%s/a/b/c//", f->folder);
    struct folder out;
    umask(022);
    refused(deep, false, ENOENT, "no spool at");
    OK(folder_open(deep, true, &out, &e));
    assert_int_equal(mode_of(f->folder, "a/b/c"), 0700);
    assert_int_equal(mode_of(f->folder, "a/b/c/runs"), 0700);
    assert_int_equal(mode_of(f->folder, "a/b/c/output"), 0700);
    assert_int_equal(mode_of(f->folder, "a/b/c/handover"), 0700);
    int fds[] = {out.fd, out.runs, out.output, out.handover};
    for (int i = 0; i < 4; i++)
        assert_true(fcntl(fds[i], F_GETFD) & FD_CLOEXEC);
    assert_int_equal(folder_scheduler(&out), 0);
    folder_clear(&out);
    OK(folder_open(deep, false, &out, &e));
    folder_clear(&out);
    free(deep);
}

static void test_refuses(void **state)
{
    struct fixture *f = *state;
    char *spool = mem_format("%s/spool", f->folder), *link = mem_format("%s/link", f->folder),
         *file = mem_format("%s/file", f->folder);
    char *slashed = mem_format("%s/", link);
    struct folder out;
    OK(folder_open(spool, true, &out, &e));
    folder_clear(&out);
    static const int modes[] = {0710, 0701, 0770, 0755, 0777, 01777, 0740};
    for (size_t i = 0; i < sizeof modes / sizeof *modes; i++) {
        assert_int_equal(chmod(spool, (mode_t)modes[i]), 0);
        refused(spool, true, 0, "chmod 700");
    }
    assert_int_equal(chmod(spool, 0700), 0);
    assert_int_equal(symlink(spool, link), 0);
    refused(link, true, 0, "symbolic link");
    refused(slashed, true, 0, "symbolic link");
    close(open(file, O_CREAT | O_WRONLY, 0600));
    refused(file, true, 0, "not a folder");
    if (geteuid() == 0) {
        assert_int_equal(chown(spool, 12345, 12345), 0);
        refused(spool, true, 0, "uid 12345");
    }
    free(spool);
    free(link);
    free(file);
    free(slashed);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_path),
        cmocka_unit_test_setup_teardown(test_makes, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(test_refuses, fixture_setup, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
