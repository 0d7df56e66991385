#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/error.h"
#include "lib/base/mem.h"
#include "lib/text/utf8.h"

/* `head` and then the two bytes of é, `count` times; malloc'd. */
static char *accents(const char *head, int count)
{
    size_t length = strlen(head);
    char *text = mem_zero(length + (size_t)count * 2 + 1, 1);
    memcpy(text, head, length);
    for (int i = 0; i < count; i++)
        memcpy(text + length + 2 * i, "\xc3\xa9", 2);
    return text;
}

/* All that is left are whole characters, and the end says whether something is missing. */
static void assert_cut(const char *text, const char *head, const char *end)
{
    size_t length = strlen(text), tail = strlen(end), at = strlen(head);
    assert_memory_equal(text, head, at);
    assert_string_equal(text + length - tail, end);
    for (; at < length - tail; at += 2)
        assert_memory_equal(text + at, "\xc3\xa9", 2);
    assert_int_equal(at, length - tail);
}

static void test_long(void **state)
{
    (void)state;
    struct error e;
    for (const char *head = "abcd"; *head; head++) { /* each phase of the cut */
        char *text = accents(head, 400);
        assert_int_equal(error_set(&e, ERROR_USAGE, "%s", text), -ERROR_USAGE);
        assert_cut(e.text, head, "...");
        assert_true(strlen(e.text) > sizeof e.text - 8);
        error_errno(&e, ERROR_FAILED, ENOENT, "%s", text);
        assert_cut(e.text, head, "...: No such file or directory");
        error_place(&e, text, 1, 1, 1);
        assert_cut(e.source, head, "");
        error_field(&e, text);
        assert_cut(e.field, head, "...");
        free(text);
    }
    error_errno(&e, ERROR_FAILED, ENOENT, "reading %s", "x");
    assert_string_equal(e.text, "reading x: No such file or directory");
}

static void test_cut(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t most, kept;
    } rows[] = {
        {"", 5, 0},
        {"abc", 5, 3},
        {"abc", 3, 3},
        {"abcd", 3, 3},
        {"ab\xc3\xa9", 3, 2},             /* é */
        {"ab\xc3\xa9", 4, 4},
        {"a\xf0\x9f\x98\x80z", 4, 1},     /* four bytes */
        {"a\xf0\x9f\x98\x80z", 5, 5},
        {"\x80\x80\x80\x80\x80\x80", 4, 4}, /* no UTF-8 at all */
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (utf8_cut(rows[i].text, rows[i].most) != rows[i].kept)
            fail_msg("row %zu: %zu", i, utf8_cut(rows[i].text, rows[i].most));
}

static void test_unfinished(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t rest;
    } rows[] = {
        {"", 0}, {"a", 0}, {"a\xc3\xa9", 0}, {"a\xc3", 1}, {"\xe2\x82", 2}, {"\xf0\x9f\x98", 3}, {"\xf0\x9f\x98\x80", 0}, {"\x80\x80\x80\x80", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (utf8_unfinished(rows[i].text, strlen(rows[i].text)) != rows[i].rest)
            fail_msg("row %zu: %zu", i, utf8_unfinished(rows[i].text, strlen(rows[i].text)));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_cut),
        cmocka_unit_test(test_unfinished),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
