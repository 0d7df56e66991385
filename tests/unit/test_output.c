#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

#include <cmocka.h>

#include "spool/output.h"

static const struct run_id run = {.job = 12, .n = 3};

struct place {
    char path[64];
    struct folder folder;
};

static int place_make(void **state)
{
    struct place *p = calloc(1, sizeof *p);
    strcpy(p->path, "/tmp/ax-output-XXXXXX");
    assert_non_null(mkdtemp(p->path));
    p->folder.output = open(p->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    *state = p;
    return 0;
}

static int place_end(void **state)
{
    struct place *p = *state;
    output_remove(&p->folder, run);
    close(p->folder.output);
    assert_int_equal(rmdir(p->path), 0); /* nothing else was left there */
    free(p);
    return 0;
}

/* What a reader gets, a hole written as <N>. */
static void read_on(struct output_reader *r, struct buf *b, size_t max)
{
    int64_t missing;
    int n;
    while ((n = output_reader_next(r, b, max, &missing)) != 0)
        if (n < 0)
            buf_format(b, "<%lld>", (long long)missing);
}

static char *read_all(const struct folder *f, size_t max)
{
    struct output_reader *r;
    struct error e;
    struct buf b = {0};
    if (output_reader_open(f, run, &r, &e) != 0)
        return strdup(e.code == ERROR_NOT_FOUND ? "(none)" : e.text);
    read_on(r, &b, max);
    output_reader_close(r);
    return buf_take(&b);
}

struct row {
    const char *name;
    int64_t limit;
    const char *writes[8];
    const char *want;
};

static const struct row rows[] = {
    {"nothing makes no file", 10, {NULL}, "(none)"},
    {"empty writes make no file", 10, {"", "", NULL}, "(none)"},
    {"short", 10, {"abc", NULL}, "abc"},
    {"in pieces", 10, {"a", "b", "c", NULL}, "abc"},
    {"half the limit", 10, {"abcde", NULL}, "abcde"},
    {"one over half", 10, {"abcdef", NULL}, "abcdef"},
    {"up to the limit", 10, {"abcdefghij", NULL}, "abcdefghij"},
    {"up to the limit, in pieces", 10, {"abcd", "efgh", "ij", NULL}, "abcdefghij"},
    {"one over", 10, {"abcdefghijk", NULL}, "abcde<1>ghijk"},
    {"one over, in pieces", 10, {"abcdefghij", "k", NULL}, "abcde<1>ghijk"},
    {"the ring goes round", 10, {"abcdefghij", "klm", "nop", NULL}, "abcde<6>lmnop"},
    {"one write larger than the ring", 10, {"abcde", "0123456789xyz", NULL}, "abcde<8>89xyz"},
    {"a large write, then a small one", 10, {"abcde", "0123456789xyz", "!", NULL}, "abcde<9>9xyz!"},
    {"odd limit: the tail has the middle byte", 5, {"abcdefgh", NULL}, "ab<3>fgh"},
    {"limit 1: the last byte", 1, {"abc", "d", NULL}, "<3>d"},
    {"limit 0: nothing", 0, {"abc", NULL}, ""},
};

static void test_head_and_tail(void **state)
{
    struct place *p = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct row *row = &rows[i];
        struct output_writer *w = output_writer_new(&p->folder, run, row->limit);
        int64_t total = 0;
        for (const char *const *text = row->writes; *text; text++) {
            output_writer_add(w, *text, strlen(*text));
            total += (int64_t)strlen(*text);
        }
        assert_int_equal(output_writer_total(w), total);
        assert_int_equal(output_writer_errno(w), 0);
        for (size_t max = 1; max < 100; max *= 3) {
            char *got = read_all(&p->folder, max);
            if (strcmp(got, row->want) != 0)
                fail_msg("%s: got %s, want %s", row->name, got, row->want);
            free(got);
        }
        output_writer_free(w, true);
        char *got = read_all(&p->folder, 100);
        assert_string_equal(got, "(none)");
        free(got);
    }
}

static void test_bytes_are_kept(void **state) /* OU-01 */
{
    struct place *p = *state;
    static const char bytes[] = "a\0b\377\376\033]0;x\007end";
    struct output_writer *w = output_writer_new(&p->folder, run, 1000);
    output_writer_add(w, bytes, sizeof bytes - 1);
    size_t length = 0;
    const char *small = output_writer_inline(w, &length);
    assert_int_equal(length, 14);
    assert_memory_equal(small, bytes, 14);
    output_writer_free(w, false);
    struct output_reader *r;
    struct error e;
    struct buf b = {0};
    int64_t missing;
    assert_int_equal(output_reader_open(&p->folder, run, &r, &e), 0);
    assert_int_equal(output_reader_next(r, &b, 100, &missing), 14);
    assert_memory_equal(b.data, bytes, 14);
    output_reader_close(r);
    buf_clear(&b);
}

static void test_inline(void **state)
{
    struct place *p = *state;
    static char block[OUTPUT_INLINE_MAX + 1];
    size_t length = 7;
    memset(block, 'x', sizeof block);
    struct output_writer *w = output_writer_new(&p->folder, run, 100000);
    assert_non_null(output_writer_inline(w, &length));
    assert_int_equal(length, 0);
    output_writer_add(w, block, 100);
    output_writer_add(w, block, OUTPUT_INLINE_MAX - 100);
    assert_non_null(output_writer_inline(w, &length));
    assert_int_equal(length, OUTPUT_INLINE_MAX);
    output_writer_add(w, block, 1);
    assert_null(output_writer_inline(w, &length));
    output_writer_free(w, true);
    w = output_writer_new(&p->folder, run, 4);
    output_writer_add(w, block, 5);
    assert_null(output_writer_inline(w, &length)); /* some of it is cut away */
    output_writer_free(w, true);
}

static void test_followed_while_written(void **state)
{
    struct place *p = *state;
    struct output_writer *w = output_writer_new(&p->folder, run, 20);
    struct output_reader *r;
    struct error e;
    struct buf b = {0};
    output_writer_add(w, "abc", 3);
    assert_int_equal(output_reader_open(&p->folder, run, &r, &e), 0);
    read_on(r, &b, 100);
    output_writer_add(w, "defgh", 5);
    read_on(r, &b, 100);
    output_writer_add(w, "ijklmno", 7);
    read_on(r, &b, 100);
    output_writer_add(w, "pqrstuvwxyz", 11);
    read_on(r, &b, 100);
    output_writer_add(w, "0123456789ABCDE", 15); /* more than the ring holds, between two looks */
    read_on(r, &b, 100);
    assert_string_equal(buf_string(&b), "abcdefghijklmno<1>qrstuvwxyz<5>56789ABCDE");
    output_reader_close(r);
    output_writer_free(w, true);
    buf_clear(&b);
}

static void test_random_pieces(void **state)
{
    struct place *p = *state;
    enum { TOTAL = 20000, LIMIT = 3001 };
    static char all[TOTAL];
    uint32_t seed = 12345;
    for (int i = 0; i < TOTAL; i++)
        all[i] = (char)('a' + (i * 7 + i / 26) % 26);
    struct output_writer *w = output_writer_new(&p->folder, run, LIMIT);
    for (int at = 0; at < TOTAL;) {
        seed = seed * 1103515245 + 12345;
        int n = (int)(seed >> 16) % 700 + 1;
        n = n < TOTAL - at ? n : TOTAL - at;
        output_writer_add(w, all + at, (size_t)n);
        at += n;
    }
    char *got = read_all(&p->folder, 1000), want[LIMIT + 40];
    snprintf(want, sizeof want, "%.*s<%d>%.*s", LIMIT / 2, all, TOTAL - LIMIT, LIMIT - LIMIT / 2, all + TOTAL - (LIMIT - LIMIT / 2));
    assert_string_equal(got, want);
    free(got);
    output_writer_free(w, true);
}

/* A limit on the size of files stands for the full disk: pwrite fails in the middle, and works again later. */
static void test_full_disk(void **state)
{
    struct place *p = *state;
    struct rlimit old, small = {.rlim_cur = 6};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    struct output_writer *w = output_writer_new(&p->folder, run, 40);
    setrlimit(RLIMIT_FSIZE, &small);
    output_writer_add(w, "abcdefghij", 10); /* four of them are lost */
    assert_int_equal(output_writer_errno(w), EFBIG);
    output_writer_add(w, "klm", 3);
    setrlimit(RLIMIT_FSIZE, &old);
    output_writer_add(w, "nop", 3);
    output_writer_add(w, "qr", 2);
    assert_int_equal(output_writer_total(w), 18);
    char *got = read_all(&p->folder, 100);
    assert_string_equal(got, "abcdef<7>nopqr");
    free(got);
    size_t length;
    assert_non_null(output_writer_inline(w, &length)); /* memory has it all */
    assert_int_equal(length, 18);
    output_writer_free(w, true);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_head_and_tail, place_make, place_end),
        cmocka_unit_test_setup_teardown(test_bytes_are_kept, place_make, place_end),
        cmocka_unit_test_setup_teardown(test_inline, place_make, place_end),
        cmocka_unit_test_setup_teardown(test_followed_while_written, place_make, place_end),
        cmocka_unit_test_setup_teardown(test_random_pieces, place_make, place_end),
        cmocka_unit_test_setup_teardown(test_full_disk, place_make, place_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
