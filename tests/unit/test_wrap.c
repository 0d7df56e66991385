#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/wrap.h"

static void test_wrap(void **state)
{
    (void)state;
    static const struct {
        struct wrap wrap;
        const char *text, *expected;
    } rows[] = {
        {{0, 0, 0}, "one two three", "one two three"},
        {{0, 0, 7}, "one two three", "one two\nthree"},
        {{0, 0, 8}, "one two three", "one two\nthree"},
        {{0, 0, 6}, "one two three", "one\ntwo\nthree"},
        {{0, 2, 7}, "one two three", "one two\n  three"},
        {{4, 4, 11}, "one two three", "one two\n    three"},
        {{4, 4, 10}, "one two three", "one\n    two\n    three"},
        {{0, 0, 4}, "a wonderful day", "a\nwonderful\nday"},
        {{0, 2, 4}, "wonderful day", "wonderful\n  day"},
        {{0, 0, 20}, "two  blanks  stay", "two  blanks  stay"},
        {{0, 0, 5}, "two  blanks", "two\nblanks"},
        {{0, 0, 6}, "größer als", "größer\nals"},
        {{0, 0, 10}, "größer als", "größer als"},
        {{0, 0, 5}, "日本 語", "日本\n語"},
        {{0, 0, 7}, "日本 語", "日本 語"},
        {{0, 0, 10}, "", ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf b = {0};
        wrap_add(&b, rows[i].wrap, rows[i].text, strlen(rows[i].text));
        if (strcmp(buf_string(&b), rows[i].expected) != 0)
            fail_msg("row %zu: %s", i, buf_string(&b));
        buf_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wrap)};
    return cmocka_run_group_tests_name("wrap", tests, NULL, NULL);
}
