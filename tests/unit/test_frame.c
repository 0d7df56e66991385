#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <sys/socket.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/frame.h"
#include "lib/text/pack.h"

static void connect_ends(struct frame *a, struct frame *b)
{
    int ends[2];
    assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
    *a = (struct frame){.fd = ends[0]};
    *b = (struct frame){.fd = ends[1]};
}

static struct value message(int number, size_t padding)
{
    struct value m = value_map();
    char *text = mem_zero(padding + 1, 1);
    memset(text, 'x', padding);
    value_put(&m, "n", value_int(number));
    value_put(&m, "pad", value_text(text));
    free(text);
    return m;
}

static void put(struct frame *f, int number, size_t padding)
{
    struct value m = message(number, padding);
    frame_put(f, &m);
    value_clear(&m);
}

static void expect(struct frame *f, int number, size_t padding)
{
    struct value got = {0}, m = message(number, padding);
    assert_int_equal(frame_get(f, &got), 1);
    assert_true(value_equal(&got, &m));
    value_clear(&got);
    value_clear(&m);
}

static void expect_none(struct frame *f, int answer)
{
    struct value got = {.kind = VALUE_INT, .integer = 7};
    assert_int_equal(frame_get(f, &got), answer);
    assert_int_equal(got.integer, 7);
}

static void test_there_and_back(void **state)
{
    (void)state;
    struct frame a, b;
    connect_ends(&a, &b);
    expect_none(&b, 0);
    for (int i = 0; i < 20; i++)
        put(&a, i, (size_t)i * 400);
    expect_none(&b, 0); /* not flushed */
    assert_int_equal(frame_flush(&a), 0);
    for (int i = 0; i < 20; i++)
        expect(&b, i, (size_t)i * 400);
    expect_none(&b, 0);
    put(&b, 99, 1);
    assert_int_equal(frame_flush(&b), 0);
    expect(&a, 99, 1);
    frame_clear(&a);
    expect_none(&b, -1);
    frame_clear(&b);
    assert_int_equal(b.fd, 0);
}

static void test_full_socket(void **state)
{
    (void)state;
    struct frame a, b;
    struct value got = {0};
    const size_t large = 5 << 20;
    connect_ends(&a, &b);
    put(&a, 1, large);
    put(&a, 2, 10);
    assert_int_equal(frame_flush(&a), 1);
    int answer = 0, rounds = 0;
    while ((answer = frame_get(&b, &got)) == 0 && rounds++ < 100000)
        frame_flush(&a);
    assert_int_equal(answer, 1);
    struct value m = message(1, large);
    assert_true(value_equal(&got, &m));
    value_clear(&m);
    value_clear(&got);
    assert_int_equal(frame_flush(&a), 0);
    expect(&b, 2, 10);
    expect_none(&b, 0);
    assert_true(b.in.capacity <= 65536 && a.out.capacity <= 65536); /* the memory of the large one is given back */
    frame_clear(&a);
    frame_clear(&b);
}

static void test_byte_by_byte(void **state)
{
    (void)state;
    struct frame a, b;
    connect_ends(&a, &b);
    put(&a, 1, 5);
    put(&a, 2, 300);
    size_t first = 0;
    for (size_t i = 0; i < a.out.length; i++) {
        struct value got = {0};
        assert_int_equal(send(a.fd, a.out.data + i, 1, 0), 1);
        int answer = frame_get(&b, &got);
        if (answer == 1 && !first)
            first = i + 1;
        else
            assert_int_equal(answer, i + 1 == a.out.length);
        value_clear(&got);
    }
    assert_int_equal(first, 4 + a.out.data[3]); /* just when its last byte has come */
    frame_clear(&a);
    frame_clear(&b);
}

static void test_last_words(void **state)
{
    (void)state;
    struct frame a, b;
    connect_ends(&a, &b);
    put(&a, 1, 10);
    put(&a, 2, 10);
    put(&a, 3, 10);
    assert_int_equal(send(a.fd, a.out.data, a.out.length - 5, 0), (ssize_t)a.out.length - 5);
    frame_clear(&a);
    expect(&b, 1, 10);
    expect(&b, 2, 10);
    expect_none(&b, -1);
    expect_none(&b, -1);
    put(&b, 4, 10);
    assert_int_equal(frame_flush(&b), -1); /* and no SIGPIPE */
    frame_clear(&b);
}

static void test_peer_gone(void **state)
{
    (void)state;
    struct frame a, b;
    connect_ends(&a, &b);
    frame_clear(&a);
    put(&b, 1, 10);
    assert_int_equal(frame_flush(&b), -1);
    frame_clear(&b);
}

static const struct {
    const char *bytes;
    size_t length;
    int answer;
} raw[] = {
    {"\0\0\0\1\x80", 5, 1},              /* an empty map */
    {"\0\0\0\1\xc0", 5, -1},             /* nil */
    {"\0\0\0\1\x90", 5, -1},             /* a list */
    {"\0\0\0\0", 4, -1},                 /* nothing at all */
    {"\0\0\0\2\x80\x80", 6, -1},         /* two values */
    {"\0\0\0\2\x81\xa1", 6, -1},         /* half a value */
    {"\0\0\0\1\xc1", 5, -1},             /* a byte that msgpack does not use */
    {"\xff\xff\xff\xff", 4, -1},         /* too long */
    {"GET / HTTP/1.1\r\n\r\n", 18, -1},  /* some text */
    {"        ", 8, -1},
    {"\0\0\0", 3, 0},
    {"\0\0\0\1", 4, 0},
    {"\x0f\xff\xff\xff\x80", 5, 0},      /* just within the limit: no memory is taken before it comes */
};

static void test_nonsense(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof raw / sizeof *raw; i++) {
        struct frame a, b;
        struct value got = {0};
        connect_ends(&a, &b);
        assert_int_equal(send(a.fd, raw[i].bytes, raw[i].length, 0), (ssize_t)raw[i].length);
        int answer = frame_get(&b, &got);
        if (answer != raw[i].answer || b.in.capacity > 4 << 20)
            fail_msg("row %zu: %d, %zu bytes", i, answer, b.in.capacity);
        value_clear(&got);
        expect_none(&b, raw[i].answer < 0 ? -1 : 0);
        frame_clear(&a);
        frame_clear(&b);
    }
}

/* Refused, and nothing else is lost by it. */
static void test_too_large(void **state)
{
    (void)state;
    struct frame a, b;
    struct value m = value_map(), got;
    char *text = mem_zero(1, FRAME_MAX + 1);
    connect_ends(&a, &b);
    put(&a, 1, 10);
    value_put(&m, "input", value_bytes(text, FRAME_MAX + 1));
    free(text);
    assert_false(frame_put(&a, &m));
    value_clear(&m);
    put(&a, 2, 10);
    assert_int_equal(frame_flush(&a), 0);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(frame_get(&b, &got), 1);
        value_clear(&got);
    }
    expect_none(&b, 0);
    frame_clear(&a);
    frame_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_there_and_back), cmocka_unit_test(test_full_socket), cmocka_unit_test(test_byte_by_byte), cmocka_unit_test(test_last_words),
        cmocka_unit_test(test_peer_gone), cmocka_unit_test(test_nonsense), cmocka_unit_test(test_too_large),
    };
    return cmocka_run_group_tests_name("frame", tests, NULL, NULL);
}
