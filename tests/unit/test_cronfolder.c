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

#include "spool/cronfolder.h"

static char folder[64];

static char *at(const char *name)
{
    static char path[200];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void put(const char *name, mode_t mode)
{
    FILE *f = fopen(at(name), "we");
    assert_non_null(f);
    fprintf(f, "text of %s\n", name);
    fclose(f);
    assert_int_equal(chmod(at(name), mode), 0);
}

static int setup(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/test_cronfolder.XXXXXX");
    return !mkdtemp(folder);
}

static int teardown(void **state)
{
    (void)state;
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command);
}

struct expected {
    const char *name, *skipped; /* skipped: words of the reason; NULL: it counts */
};

static void check(enum cronfolder_kind kind, const struct expected *rows, size_t count)
{
    struct cronfolder f;
    struct error e = {0};
    if (cronfolder_read(folder, kind, &f, &e) < 0)
        fail_msg("%s", e.text);
    assert_int_equal(f.count, count);
    for (size_t i = 0; i < count; i++) {
        const struct cronfolder_file *file = &f.files[i];
        assert_string_equal(file->name, rows[i].name);
        assert_string_equal(file->path, at(rows[i].name));
        if (!rows[i].skipped != !file->skipped || (file->skipped && !strstr(file->skipped, rows[i].skipped)))
            fail_msg("%s: %s", file->name, file->skipped ? file->skipped : "it counts");
        assert_true(!file->skipped && kind == CRONFOLDER_TABLES ? file->text.length > 8 : !file->text.length);
    }
    cronfolder_clear(&f);
}

#define CHECK(kind, rows) check(kind, rows, sizeof rows / sizeof rows[0])

/* What cron 3.0pl1 says in its log of the same files. */
static void test_tables(void **state)
{
    (void)state;
    static const struct expected rows[] = {
        {".placeholder", "'.'"},
        {"a b", "letters"},
        {"backup", NULL},
        {"b~", "'~'"},
        {"c.dpkg-dist", "'.'"},
        {"executable", NULL},
        {"fifo", "no plain file"},
        {"folder", "a folder"},
        {"group", "others can write to it (mode 0664)"},
        {"hard", "hard links"},
        {"hard2", "hard links"},
        {"link", NULL},
        {"link-away", "No such file"},
        {"link-group", "others can write"},
        {"other", "others can write"},
        {"x_y-Z9", NULL},
    };
    static const char *const plain[] = {".placeholder", "a b", "b~", "backup", "c.dpkg-dist", "hard", "x_y-Z9"};
    for (size_t i = 0; i < sizeof plain / sizeof plain[0]; i++)
        put(plain[i], 0644);
    put("executable", 0755);
    put("group", 0664);
    put("other", 0646);
    assert_int_equal(mkfifo(at("fifo"), 0600), 0);
    assert_int_equal(mkdir(at("folder"), 0755), 0);
    assert_int_equal(symlink("backup", at("link")), 0);
    assert_int_equal(symlink("nowhere", at("link-away")), 0);
    assert_int_equal(symlink("group", at("link-group")), 0);
    char from[200];
    strcpy(from, at("hard"));
    assert_int_equal(link(from, at("hard2")), 0);
    CHECK(CRONFOLDER_TABLES, rows);
}

static void test_scripts(void **state)
{
    (void)state;
    static const struct expected rows[] = {
        {"0anacron", NULL},
        {"backup.sh", "'.'"},
        {"link", NULL},
        {"plain", "not executable"},
        {"secret", NULL},
        {"shared", "others can write"},
    };
    put("0anacron", 0755);
    put("backup.sh", 0755);
    put("plain", 0644);
    put("secret", 0111);
    put("shared", 0775);
    assert_int_equal(symlink("0anacron", at("link")), 0);
    CHECK(CRONFOLDER_SCRIPTS, rows);
}

static void test_owners(void **state)
{
    (void)state;
    static const struct expected rows[] = {{"link", "the symbolic link belongs to user 1"},
        {"link2", "it belongs to user 1"}, {"mine", NULL}, {"theirs", "it belongs to user 1"}};
    if (geteuid() != 0)
        skip();
    put("mine", 0644);
    put("theirs", 0644);
    assert_int_equal(chown(at("theirs"), 1, 1), 0);
    assert_int_equal(symlink("mine", at("link")), 0);
    assert_int_equal(lchown(at("link"), 1, 1), 0);
    assert_int_equal(symlink("theirs", at("link2")), 0);
    CHECK(CRONFOLDER_TABLES, rows);
}

static void test_folder(void **state)
{
    (void)state;
    struct cronfolder f = {.count = 7};
    struct error e = {0};
    assert_int_equal(chmod(folder, 0777), 0);
    assert_int_equal(cronfolder_read(folder, CRONFOLDER_TABLES, &f, &e), -ERROR_USAGE);
    assert_non_null(strstr(e.text, "others can write to it (mode 0777)"));
    assert_int_equal(cronfolder_read(at("nothing"), CRONFOLDER_TABLES, &f, &e), -ERROR_NOT_FOUND);
    assert_int_equal(cronfolder_read("", CRONFOLDER_TABLES, &f, &e), -ERROR_NOT_FOUND);
    assert_int_equal(f.count, 7);
}

static void test_table(void **state)
{
    (void)state;
    struct buf text = {0};
    struct error e = {0};
    put("crontab.new", 0600);
    assert_int_equal(cronfolder_table(at("crontab.new"), &text, &e), 0);
    assert_string_equal(text.data, "text of crontab.new\n");
    put("shared", 0666);
    assert_int_equal(cronfolder_table(at("shared"), &text, &e), -ERROR_USAGE);
    assert_non_null(strstr(e.text, "others can write"));
    assert_int_equal(cronfolder_table(folder, &text, &e), -ERROR_USAGE);
    assert_int_equal(cronfolder_table(at("nothing"), &text, &e), -ERROR_NOT_FOUND);
    assert_int_equal(text.length, 20);
    buf_clear(&text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tables, setup, teardown),
        cmocka_unit_test_setup_teardown(test_scripts, setup, teardown),
        cmocka_unit_test_setup_teardown(test_owners, setup, teardown),
        cmocka_unit_test_setup_teardown(test_folder, setup, teardown),
        cmocka_unit_test_setup_teardown(test_table, setup, teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
