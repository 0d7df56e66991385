#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/base64.h"

static const struct {
    const char *bytes;
    size_t length;
    const char *text;
} rows[] = {
    {"", 0, ""},
    {"f", 1, "Zg=="},
    {"fo", 2, "Zm8="},
    {"foo", 3, "Zm9v"},
    {"foob", 4, "Zm9vYg=="},
    {"\0\377\376", 3, "AP/+"},
};

static void both_ways(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct buf text = {0}, bytes = {0};
        base64_write(&text, rows[i].bytes, rows[i].length);
        assert_string_equal(buf_string(&text), rows[i].text);
        assert_true(base64_read(&bytes, rows[i].text, strlen(rows[i].text)));
        assert_int_equal(bytes.length, rows[i].length);
        assert_memory_equal(buf_string(&bytes), rows[i].bytes, rows[i].length);
        buf_clear(&text);
        buf_clear(&bytes);
    }
}

static void refused(void **state)
{
    static const char *const bad[] = {
        "Z", "Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm 9", "Zm9v\n", "Zm-v"};
    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct buf b = {0};
        buf_text(&b, "before");
        assert_false(base64_read(&b, bad[i], strlen(bad[i])));
        assert_string_equal(buf_string(&b), "before");
        buf_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(both_ways), cmocka_unit_test(refused)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
