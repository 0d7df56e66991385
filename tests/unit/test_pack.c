#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/json.h"
#include "lib/text/pack.h"

static void test_round_trip(void **state)
{
    static const char *const texts[] = {
        "null", "true", "false", "0", "127", "128", "-1", "-32", "-33", "-129", "65536", "4294967296",
        "9223372036854775807", "-9223372036854775808", "0.1", "-1e300", "\"\"", "\"a\\u0000b\"", "[]", "{}",
        "[[],{},[{}],\"\"]", "{\"\":1}", "{\"name\":\"x\",\"env\":{\"A\":\"1\",\"B\":\"\"},\"list\":[1,2.5,null,true]}",
        "[0,1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16]",
        "\"thirty-two bytes and some more, so that it is str 8\"",
    };
    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct value v = {0}, again = {0};
        struct buf b = {0};
        assert_int_equal(json_read(texts[i], strlen(texts[i]), &v, NULL), 0);
        pack_write(&b, &v);
        if (pack_read(b.data, b.length, &again, NULL) < 0 || !value_equal(&v, &again))
            fail_msg("%s", texts[i]);
        /* Every shorter piece is cut off, and nothing of it is kept. */
        for (size_t length = 0; length < b.length; length++) {
            char *piece = malloc(length + 1); /* exact, for the sanitizer */
            char *exact = realloc(memcpy(piece, b.data, length), length ? length : 1);
            struct value untouched = value_int(42);
            struct error e = {0};
            assert_int_equal(pack_read(exact, length, &untouched, &e), -ERROR_SPOOL);
            assert_int_equal(untouched.integer, 42);
            assert_non_null(strstr(e.text, "cut off"));
            free(exact);
        }
        value_clear(&v);
        value_clear(&again);
        buf_clear(&b);
    }
}

static void test_large(void **state)
{
    (void)state;
    struct value list = value_list(), again = {0};
    struct buf text = {0}, b = {0};
    for (int i = 0; i < 70000; i++)
        buf_char(&text, (char)i);
    for (int i = 0; i < 70000; i++)
        value_push(&list, value_int(i));
    value_push(&list, value_bytes(text.data, 300));
    value_push(&list, value_bytes(text.data, text.length));
    pack_write(&b, &list);
    assert_int_equal(pack_read(b.data, b.length, &again, NULL), 0);
    assert_true(value_equal(&list, &again));
    value_clear(&list);
    value_clear(&again);
    buf_clear(&text);
    buf_clear(&b);
}

#define BYTES(literal) literal, sizeof literal - 1

static void test_foreign(void **state)
{
    static const struct {
        const char *data;
        size_t length;
        const char *json; /* NULL: refused with ... */
        const char *text;
    } cases[] = {
        {BYTES("\xc4\x02hi"), "\"hi\"", NULL},                             /* bin is read as text */
        {BYTES("\xca\x3f\x00\x00\x00"), "0.5", NULL},                      /* a float of 32 bits */
        {BYTES("\xcf\x7f\xff\xff\xff\xff\xff\xff\xff"), "9223372036854775807", NULL},
        {BYTES("\xcf\x80\x00\x00\x00\x00\x00\x00\x00"), NULL, "not what ax writes"},
        {BYTES("\xc1"), NULL, "not what ax writes"},                       /* never used */
        {BYTES("\xd4\x01x"), NULL, "not what ax writes"},                  /* ext */
        {BYTES("\xc9\xff\xff\xff\xff"), NULL, "not what ax writes"},       /* ext of 4 GiB */
        {BYTES("\x81\x01\x02"), NULL, "not what ax writes"},               /* a key that is no text */
        {BYTES("\x81\xa3q\0r\xa1v"), NULL, "not what ax writes"},          /* a key with a NUL */
        {BYTES("\x82\xa1q\xa4text\x91\xa1k\xa1v"), NULL, "not what ax writes"}, /* a key that is a list, after a good one */
        {BYTES("\xdd\xff\xff\xff\xff\x01"), NULL, "cut off"},              /* a list of 4,294,967,295 */
        {BYTES("\xdf\xff\xff\xff\xff\xa1k"), NULL, "cut off"},             /* a map of as many */
        {BYTES("\xdb\xff\xff\xff\xffxyz"), NULL, "cut off"},               /* a text of as many bytes */
        {BYTES("\x93\x93\x93\x01\x01"), NULL, "cut off"},                  /* more items than bytes, together */
        {BYTES("\x01\x02"), NULL, "something follows"},
        {BYTES(""), NULL, "cut off"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct value v = {0};
        struct buf b = {0};
        struct error e = {0};
        int code = pack_read(cases[i].data, cases[i].length, &v, &e);
        json_write(&b, &v, NULL);
        if (cases[i].json && (code < 0 || strcmp(b.data, cases[i].json) != 0))
            fail_msg("case %zu: %s %s", i, b.data, e.text);
        if (!cases[i].json && (code != -ERROR_SPOOL || !strstr(e.text, cases[i].text)))
            fail_msg("case %zu: %d %s", i, code, e.text);
        buf_clear(&b);
        value_clear(&v);
    }
}

static void test_depth(void **state)
{
    (void)state;
    char deep[200];
    struct value v = {0};
    struct error e = {0};
    memset(deep, '\x91', sizeof deep);
    deep[64] = '\x01';
    assert_int_equal(pack_read(deep, 65, &v, NULL), 0);
    value_clear(&v);
    deep[64] = '\x91';
    deep[65] = '\x01';
    assert_int_equal(pack_read(deep, 66, &v, &e), -ERROR_SPOOL);
    assert_non_null(strstr(e.text, "nested too deep"));
}

/* Random changes to a good record: decoded or refused, never a fault or a leak. */
static void test_damage(void **state)
{
    static const char text[] = "{\"name\":\"x\",\"env\":{\"A\":\"1\"},\"list\":[1,2.5,null,[[],{\"a\":{}}]],\"n\":-70000}";
    (void)state;
    struct value v = {0};
    struct buf b = {0};
    unsigned seed = 1;
    assert_int_equal(json_read(text, strlen(text), &v, NULL), 0);
    pack_write(&b, &v);
    value_clear(&v);
    for (int i = 0; i < 20000; i++) {
        char copy[128];
        assert_true(b.length <= sizeof copy);
        memcpy(copy, b.data, b.length);
        for (int n = 0; n < 3; n++) {
            seed = seed * 1103515245 + 12345;
            copy[(seed >> 8) % b.length] = (char)(seed >> 20);
        }
        if (pack_read(copy, b.length, &v, NULL) == 0)
            value_clear(&v);
    }
    buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round_trip), cmocka_unit_test(test_large),  cmocka_unit_test(test_foreign),
        cmocka_unit_test(test_depth),      cmocka_unit_test(test_damage),
    };
    return cmocka_run_group_tests_name("pack", tests, NULL, NULL);
}
