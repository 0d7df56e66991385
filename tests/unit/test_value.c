#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/json.h"
#include "lib/text/value.h"

/* Trees are written as JSON here, to be readable. */
static struct value parse(const char *text)
{
    struct value v = {0};
    assert_int_equal(json_read(text, strlen(text), &v, NULL), 0);
    return v;
}

static void test_equal(void **state)
{
    static const struct {
        const char *a, *b;
        bool equal;
    } cases[] = {
        {"null", "null", true},
        {"null", "false", false},
        {"true", "true", true},
        {"true", "false", false},
        {"7", "7", true},
        {"7", "8", false},
        {"7", "7.0", false},
        {"0.5", "0.5", true},
        {"0.5", "0.25", false},
        {"\"a\"", "\"a\"", true},
        {"\"a\"", "\"b\"", false},
        {"\"a\"", "\"a\\u0000\"", false},
        {"[]", "[]", true},
        {"[]", "{}", false},
        {"[1,2]", "[1,2]", true},
        {"[1,2]", "[2,1]", false},
        {"[1,2]", "[1]", false},
        {"{\"a\":1,\"b\":[2]}", "{\"a\":1,\"b\":[2]}", true},
        {"{\"a\":1,\"b\":[2]}", "{\"b\":[2],\"a\":1}", true},
        {"{\"a\":1,\"b\":[2]}", "{\"a\":1,\"b\":[3]}", false},
        {"{\"a\":1}", "{\"b\":1}", false},
        {"{\"a\":1}", "{\"a\":1,\"b\":1}", false},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct value a = parse(cases[i].a), b = parse(cases[i].b);
        if (value_equal(&a, &b) != cases[i].equal || value_equal(&b, &a) != cases[i].equal)
            fail_msg("%s and %s", cases[i].a, cases[i].b);
        value_clear(&a);
        value_clear(&b);
    }
    struct value nan = value_real(NAN);
    assert_true(value_equal(&nan, &nan));
}

static void test_map(void **state)
{
    (void)state;
    struct value map = value_map();
    char key[16];
    for (int i = 0; i < 100; i++) {
        snprintf(key, sizeof key, "k%d", i);
        assert_int_equal(value_put(&map, key, value_int(i))->integer, i);
    }
    assert_int_equal(map.list.count, 100);
    assert_string_equal(map.list.keys[42], "k42");
    assert_int_equal(value_get(&map, "k99")->integer, 99);
    assert_null(value_get(&map, "k100"));
    assert_null(value_get(value_get(&map, "k1"), "k1"));
    value_clear(&map);
    assert_int_equal(map.kind, VALUE_NULL);
}

static void test_text(void **state)
{
    (void)state;
    struct value nul = value_bytes("a\0b", 3), none = value_text(NULL), empty = value_bytes(NULL, 0);
    assert_int_equal(nul.text.length, 3);
    assert_memory_equal(nul.text.data, "a\0b", 4);
    assert_int_equal(none.kind, VALUE_NULL);
    assert_string_equal(empty.text.data, "");
    value_clear(&nul);
    value_clear(&empty);
}

static void test_reserve(void **state)
{
    (void)state;
    struct value list = value_list();
    value_reserve(&list, 3);
    struct value *first = value_push(&list, value_text("x"));
    value_push(&list, value_list());
    value_push(&list, value_map());
    assert_ptr_equal(first, &list.list.items[0]);
    value_push(&list, value_int(4));
    assert_int_equal(list.list.count, 4);
    assert_int_equal(list.list.items[3].integer, 4);
    value_clear(&list);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_equal),
        cmocka_unit_test(test_map),
        cmocka_unit_test(test_text),
        cmocka_unit_test(test_reserve),
    };
    return cmocka_run_group_tests_name("value", tests, NULL, NULL);
}
