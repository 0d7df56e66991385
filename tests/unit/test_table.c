#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/table.h"

static const struct table_column columns[] = {
    {.title = "JOB", .right = true},
    {.title = "NAME", .stretch = true},
    {.title = "STATE"},
    {.title = "COMMAND", .stretch = true},
};

static struct table *sample(void)
{
    struct table *t = table_new(columns, 4);
    table_cellf(t, TABLE_PLAIN, "%d", 7);
    table_cell(t, TABLE_PLAIN, "backup");
    table_cell(t, TABLE_GREEN, "ok");
    table_cell(t, TABLE_DIM, "rsync -a /home /backup");
    table_cellf(t, TABLE_PLAIN, "%d", 1200);
    table_cell(t, TABLE_PLAIN, "");
    table_cell(t, TABLE_RED, "failed");
    table_cell(t, TABLE_DIM, "");
    return t;
}

static void test_write(void **state)
{
    static const struct {
        int width;
        bool colour;
        const char *text;
    } cases[] = {
        {0, false,
            " JOB  NAME    STATE   COMMAND\n"
            "   7  backup  ok      rsync -a /home /backup\n"
            "1200          failed\n"},
        {44, false, /* just enough */
            " JOB  NAME    STATE   COMMAND\n"
            "   7  backup  ok      rsync -a /home /backup\n"
            "1200          failed\n"},
        {43, false,
            " JOB  NAME    STATE   COMMAND\n"
            "   7  backup  ok      rsync -a /home /ba...\n"
            "1200          failed\n"},
        {10, false, /* less than there must be: cut as far as it goes */
            " JOB  NAME    STATE   COMMAND\n"
            "   7  backup  ok      rsync...\n"
            "1200          failed\n"},
        {0, true,
            " \033[1mJOB\033[0m  \033[1mNAME\033[0m    \033[1mSTATE\033[0m   \033[1mCOMMAND\033[0m\n"
            "   7  backup  \033[32mok\033[0m      \033[2mrsync -a /home /backup\033[0m\n"
            "1200          \033[31mfailed\033[0m\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct table *t = sample();
        struct buf b = {0};
        table_write(&b, t, cases[i].width, cases[i].colour);
        assert_string_equal(b.data, cases[i].text);
        table_free(t);
        buf_clear(&b);
    }
}

/* Two stretch columns give way together, the wider one first. */
static void test_shared(void **state)
{
    static const struct table_column two[] = {{.title = "A", .stretch = true}, {.title = "B", .stretch = true}};
    static const struct {
        int width;
        const char *text;
    } cases[] = {
        {32, "A                  B\n12345678901234...  1234567890123\n"},
        {28, "A              B\n1234567890...  1234567890123\n"},
        {26, "A             B\n123456789...  123456789...\n"},
        {18, "A         B\n12345...  12345...\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct table *t = table_new(two, 2);
        struct buf b = {0};
        table_cell(t, TABLE_PLAIN, "12345678901234567890123456");
        table_cell(t, TABLE_PLAIN, "1234567890123");
        table_write(&b, t, cases[i].width, false);
        assert_string_equal(b.data, cases[i].text);
        table_free(t);
        buf_clear(&b);
    }
}

static void test_hostile(void **state)
{
    static const struct table_column two[] = {{.title = "NAME", .stretch = true}, {.title = "N", .right = true}};
    (void)state;
    struct table *t = table_new(two, 2);
    struct buf b = {0};
    table_cell(t, TABLE_PLAIN, "a\n\033[2J");
    table_cell(t, TABLE_PLAIN, "1");
    table_cell(t, TABLE_PLAIN, "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2\xe5\xad\x97");
    table_cell(t, TABLE_PLAIN, "22");
    table_cell(t, TABLE_PLAIN, "a row not ended");
    table_write(&b, t, 13, false);
    assert_string_equal(b.data,
        "NAME        N\n"
        "a\\n\\e[2J    1\n"
        "\xe6\xbc\xa2\xe5\xad\x97\xe6\xbc\xa2...  22\n"
        "a row ...\n");
    table_free(t);
    buf_clear(&b);
    table_free(NULL);
}

/* What does not fit is left out, the highest number first; a column is cut to its least before. */
static void test_left_out(void **state)
{
    static const struct table_column four[] = {{.title = "JOB", .right = true}, {.title = "NAME", .stretch = true, .drop = 1},
        {.title = "SCHEDULE", .drop = 2}, {.title = "COMMAND", .stretch = true, .least = 4}};
    static const struct {
        int width;
        const char *text;
    } cases[] = {
        {0, "JOB  NAME       SCHEDULE   COMMAND\n  1  backup-db  every 10m  pg_dumpall\n"},
        {37, "JOB  NAME       SCHEDULE   COMMAND\n  1  backup-db  every 10m  pg_dumpall\n"},
        {32, "JOB  NAME      SCHEDULE   COM...\n  1  backu...  every 10m  pg_...\n"},
        {30, "JOB  NAME      SCHEDULE   C...\n  1  backu...  every 10m  p...\n"},
        {29, "JOB  NAME       COMMAND\n  1  backup-db  pg_dumpall\n"},
        {19, "JOB  NAME      C...\n  1  backu...  p...\n"},
        {18, "JOB  COMMAND\n  1  pg_dumpall\n"},
        {5, "JOB  C...\n  1  p...\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct table *t = table_new(four, 4);
        struct buf b = {0};
        table_cell(t, TABLE_PLAIN, "1");
        table_cell(t, TABLE_PLAIN, "backup-db");
        table_cell(t, TABLE_PLAIN, "every 10m");
        table_cell(t, TABLE_PLAIN, "pg_dumpall");
        table_write(&b, t, cases[i].width, false);
        assert_string_equal(b.data, cases[i].text);
        table_free(t);
        buf_clear(&b);
    }
}

/* Titles stand in front of the first part only; columns do not get narrower. */
static void test_parts(void **state)
{
    static const struct table_column two[] = {{.title = "JOB", .right = true}, {.title = "NAME", .stretch = true}, {.title = "LAST", .drop = 1}};
    static const char *const rows[][3] = {{"1", "long name", "ok"}, {"2", "x", "ok"}, {"10000", "another long name", "ok"}};
    static const char *const texts[] = {"JOB  NAME\n  1  long name\n", "  2  x\n", "10000  anothe...\n"};
    (void)state;
    struct table *t = table_new(two, 3);
    struct buf b = {0};
    for (size_t i = 0; i < 3; i++) {
        for (size_t c = 0; c < 3; c++)
            table_cell(t, TABLE_PLAIN, rows[i][c]);
        table_write(&b, t, 16, false);
        assert_string_equal(b.data, texts[i]);
        buf_reset(&b);
    }
    table_free(t);
    buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_write),
        cmocka_unit_test(test_shared),
        cmocka_unit_test(test_hostile),
        cmocka_unit_test(test_left_out),
        cmocka_unit_test(test_parts),
    };
    return cmocka_run_group_tests_name("table", tests, NULL, NULL);
}
