#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/json.h"

#define BYTES(literal) literal, sizeof literal - 1

static void test_read_and_write(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *written; /* NULL: the same */
    } cases[] = {
        {BYTES("null"), NULL},
        {BYTES(" true \n"), "true"},
        {BYTES("-0"), "0"},
        {BYTES("9223372036854775807"), NULL},
        {BYTES("-9223372036854775808"), NULL},
        {BYTES("0.1"), NULL},
        {BYTES("1.0"), NULL},
        {BYTES("1e300"), "1e+300"},
        {BYTES("0.30000000000000004"), NULL},
        {BYTES("\"\""), NULL},
        {BYTES("\"a\\\"b\\\\c\\/d\\b\\f\\n\\r\\t\""), "\"a\\\"b\\\\c/d\\b\\f\\n\\r\\t\""},
        {BYTES("\"\\u0000x\\u001b\""), NULL},
        {BYTES("\"gr\xc3\xbc\xc3\x9f\xf0\x9f\x98\x80\""), NULL},
        {BYTES("\"\\u00fc\\ud83d\\ude00\""), "\"\xc3\xbc\xf0\x9f\x98\x80\""},
        {BYTES("\"\xc2\x9b\x7f\xe2\x80\xae\xf3\xa0\x80\x81\""), "\"\\u009b\\u007f\\u202e\\udb40\\udc01\""},
        {BYTES("[]"), NULL},
        {BYTES("{}"), NULL},
        {BYTES("{ \"z\" : 1 , \"a\" : [ 1 , { \"b\" : null } ] , \"\" : false }"),
            "{\"z\":1,\"a\":[1,{\"b\":null}],\"\":false}"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct value v = {0};
        struct error e = {0};
        struct buf b = {0};
        bool lossy = false;
        if (json_read(cases[i].text, cases[i].length, &v, &e) < 0)
            fail_msg("%s: %s", cases[i].text, e.text);
        json_write(&b, &v, &lossy);
        assert_string_equal(b.data, cases[i].written ? cases[i].written : cases[i].text);
        assert_false(lossy);
        value_clear(&v);
        buf_clear(&b);
    }
}

static void test_refused(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        int line, column, width;
        const char *error;
    } cases[] = {
        {BYTES(""), 1, 1, 1, "the JSON text ends too early"},
        {BYTES("{\"a\":1"), 1, 7, 1, "the JSON text ends too early"},
        {BYTES("{\"a\":\n  nul}"), 2, 3, 3, "not valid JSON: invalid token"},
        {BYTES("{\"a\" 1}"), 1, 6, 1, "not valid JSON: ':' expected"},
        {BYTES("[1,]"), 1, 4, 1, "not valid JSON: unexpected token"},
        {BYTES("{\"a\":1,\"b\":2,\"a\":3}"), 1, 14, 3, "this key stands twice in one object"},
        {BYTES("1 2"), 1, 3, 1, "something follows the JSON value"},
        {BYTES("{}\n{}"), 2, 1, 1, "something follows the JSON value"},
        {BYTES("{\"n\":9223372036854775808}"), 1, 6, 19, "this number does not fit into 64 bits"},
        {BYTES("-9223372036854775809"), 1, 1, 20, "this number does not fit into 64 bits"},
        {BYTES("[1e400]"), 1, 2, 5, "this number does not fit into 64 bits"},
        {BYTES("NaN"), 1, 1, 3, "not valid JSON: invalid token"},
        {BYTES("[-Infinity]"), 1, 2, 1, "not valid JSON: invalid token"},
        {BYTES("\"\xff\""), 1, 2, 1, "not valid JSON: unable to decode byte 0xff"},
        {BYTES("\"\xc0\x80\""), 1, 2, 1, "not valid JSON: unable to decode byte 0xc0"},
        {BYTES("\"\xed\xa0\x80\""), 1, 2, 1, "not valid JSON: unable to decode byte 0xed"},
        {BYTES("\"\\ud800\""), 1, 1, 8, "not valid JSON: invalid Unicode '\\uD800'"},
        {BYTES("\"a\x01\""), 1, 3, 1, "not valid JSON: control character 0x1"},
        {BYTES("\"a\0b\""), 1, 3, 1, "not valid JSON: control character 0x0"},
        {BYTES("{\"a\\u0000\":1}"), 1, 2, 9, "a key must not hold a NUL"},
        {BYTES("'a'"), 1, 1, 1, "not valid JSON: invalid token"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct value v = value_int(42);
        struct error e = {0};
        int code = json_read(cases[i].text, cases[i].length, &v, &e);
        if (code != -ERROR_USAGE || strcmp(e.text, cases[i].error) != 0 || e.line != cases[i].line ||
            e.column != cases[i].column || e.width != cases[i].width)
            fail_msg("case %zu: %d line %d column %d width %d: %s", i, code, e.line, e.column, e.width, e.text);
        assert_int_equal(v.integer, 42);
    }
}

static void test_depth(void **state)
{
    (void)state;
    struct value v = {0};
    struct error e = {0};
    char deep[5000];
    memset(deep, '[', 2500);
    memset(deep + 2500, ']', 2500);
    assert_int_equal(json_read(deep, sizeof deep, &v, &e), -ERROR_USAGE); /* deeper than the library goes */
    assert_string_equal(e.text, "nested too deep");
    assert_int_equal(json_read(deep + 2468, 64, &v, NULL), 0);
    value_clear(&v);
    e = (struct error){0};
    assert_int_equal(json_read(deep + 2467, 66, &v, &e), -ERROR_USAGE);
    assert_string_equal(e.text, "nested too deep: more than 32 levels");
    assert_int_equal(e.column, 33);
    assert_int_equal(v.kind, VALUE_NULL);
}

/* Brackets within texts do not count for the place. */
static void test_depth_place(void **state)
{
    (void)state;
    struct value v = {0};
    struct error e = {0};
    struct buf b = {0};
    buf_text(&b, "{\"]]\\\"[[\":\"[[[\",\n\"b\":[],\"c\":");
    for (int i = 0; i < 40; i++)
        buf_char(&b, '[');
    for (int i = 0; i < 40; i++)
        buf_char(&b, ']');
    buf_char(&b, '}');
    assert_int_equal(json_read(b.data, b.length, &v, &e), -ERROR_USAGE);
    assert_int_equal(e.line, 2);
    assert_int_equal(e.column, 12 + 31);
    assert_memory_equal(e.source, "\"b\":[],\"c\":[[", 13);
    buf_clear(&b);
}

static void test_long_line(void **state)
{
    (void)state;
    struct value v = {0};
    struct error e = {0};
    char text[600];
    memset(text, ' ', sizeof text);
    memcpy(text + 400, "xyz", 3);
    assert_int_equal(json_read(text, sizeof text, &v, &e), -ERROR_USAGE);
    assert_int_equal(e.column, 401);
    assert_string_equal(e.source, ""); /* a piece without the place would mislead */
    assert_int_equal(json_read(text, sizeof text, &v, NULL), -ERROR_USAGE);
}

static void test_write_lossy(void **state)
{
    static const struct {
        const char *data;
        size_t length;
        const char *written;
    } cases[] = {
        {BYTES("\xff"), "\"\xef\xbf\xbd\""},
        {BYTES("a\xc3"), "\"a\xef\xbf\xbd\""},
        {BYTES("\xed\xa0\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
        {BYTES("\xc0\x80z"), "\"\xef\xbf\xbd\xef\xbf\xbdz\""},
        {BYTES("\xf4\x90\x80\x80"), "\"\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\xef\xbf\xbd\""},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct value v = value_bytes(cases[i].data, cases[i].length), again = {0};
        struct buf b = {0};
        bool lossy = false;
        json_write(&b, &v, &lossy);
        assert_string_equal(b.data, cases[i].written);
        assert_true(lossy);
        assert_int_equal(json_read(b.data, b.length, &again, NULL), 0);
        value_clear(&again);
        value_clear(&v);
        buf_clear(&b);
    }
}

static void test_write_not_finite(void **state)
{
    (void)state;
    struct value list = value_list();
    struct buf b = {0};
    value_push(&list, value_real(NAN));
    value_push(&list, value_real(-INFINITY));
    json_write(&b, &list, NULL);
    assert_string_equal(b.data, "[null,null]");
    value_clear(&list);
    buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read_and_write), cmocka_unit_test(test_refused),   cmocka_unit_test(test_depth),
        cmocka_unit_test(test_depth_place),    cmocka_unit_test(test_long_line), cmocka_unit_test(test_write_lossy),
        cmocka_unit_test(test_write_not_finite),
    };
    return cmocka_run_group_tests_name("json", tests, NULL, NULL);
}
