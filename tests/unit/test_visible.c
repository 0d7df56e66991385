#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/visible.h"

#define BYTES(literal) literal, sizeof literal - 1

static void test_add(void **state)
{
    static const struct {
        const char *data;
        size_t length;
        const char *words, *lines; /* without and with `lines`; NULL: the same */
    } cases[] = {
        {BYTES("plain text"), "plain text", NULL},
        {BYTES(""), "", NULL},
        {BYTES("a\\nb"), "a\\nb", NULL},
        {BYTES("a\nb\tc\r\n"), "a\\nb\\tc\\r\\n", "a\nb\tc\r\n"},
        {BYTES("over\rwritten\r"), "over\\rwritten\\r", NULL},
        {BYTES("\033[31mred\a\b\v"), "\\e[31mred\\x07\\x08\\x0b", NULL},
        {BYTES("a\0b\x7f"), "a\\x00b\\x7f", NULL},
        {BYTES("gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x98\x80"), "gr\xc3\xbc\xc3\x9f \xe6\xbc\xa2 \xf0\x9f\x98\x80", NULL},
        {BYTES("\xc2\x9b" "31m"), "\\u{9b}31m", NULL},                /* C1 in UTF-8: another way to write ESC [ */
        {BYTES("\x9b" "31m"), "\\x9b31m", NULL},                      /* and as a byte */
        {BYTES("\xe2\x80\xae" "exe.txt"), "\\u{202e}exe.txt", NULL},  /* right to left */
        {BYTES("\xe2\x80\x8b\xe2\x81\xa6\xef\xbb\xbf"), "\\u{200b}\\u{2066}\\u{feff}", NULL},
        {BYTES("\xf3\xa0\x81\x81"), "\\u{e0041}", NULL},              /* tags */
        {BYTES("\xc3"), "\\xc3", NULL},                               /* cut off */
        {BYTES("\xe6\xbc" "x"), "\\xe6\\xbcx", NULL},
        {BYTES("\xc0\x8a"), "\\xc0\\x8a", NULL},                      /* a line end written too long */
        {BYTES("\xe0\x80\x8a\xf0\x80\x80\x8a"), "\\xe0\\x80\\x8a\\xf0\\x80\\x80\\x8a", NULL},
        {BYTES("\xed\xa0\x80"), "\\xed\\xa0\\x80", NULL},             /* a surrogate */
        {BYTES("\xf4\x90\x80\x80\xff"), "\\xf4\\x90\\x80\\x80\\xff", NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct buf words = {0}, lines = {0};
        visible_add(&words, cases[i].data, cases[i].length, false);
        visible_add(&lines, cases[i].data, cases[i].length, true);
        assert_string_equal(buf_string(&words), cases[i].words);
        assert_string_equal(buf_string(&lines), cases[i].lines ? cases[i].lines : cases[i].words);
        buf_clear(&words);
        buf_clear(&lines);
    }
}

static const struct {
    const char *word, *shell;
} shell_words[] = {
    {"make", "make"},
    {"--opt=a/b.c,d:e@f%g+h_1", "--opt=a/b.c,d:e@f%g+h_1"},
    {"", "''"},
    {"two words", "'two words'"},
    {"it's", "'it'\\''s'"},
    {"$HOME", "'$HOME'"},
    {"~", "'~'"},
    {"*", "'*'"},
    {"a;b", "'a;b'"},
    {"back\\slash", "'back\\slash'"},
    {"FOO=bar", "'FOO=bar'"},
    {"gr\xc3\xbcn", "'gr\xc3\xbcn'"},
    {"a\nb'c\\d", "$'a\\nb\\'c\\\\d'"},
    {"\033[1m", "$'\\e[1m'"},
    {"\x01" "23", "$'\\00123'"},
    {"\xff" "gr\xc3\xbc", "$'\\377gr\xc3\xbc'"},
    {"\xe2\x80\xae", "$'\\342\\200\\256'"},
};

static void test_shell_word(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof shell_words / sizeof shell_words[0]; i++) {
        struct buf b = {0};
        visible_shell_word(&b, shell_words[i].word);
        assert_string_equal(buf_string(&b), shell_words[i].shell);
        buf_clear(&b);
    }
}

/* A real shell reads the same word back. */
static void test_shell_reads(void **state)
{
    (void)state;
    if (system("command -v bash >/dev/null") != 0)
        skip();
    for (size_t i = 0; i < sizeof shell_words / sizeof shell_words[0]; i++) {
        struct buf line = {0}, command = {0};
        char back[64];
        buf_format(&line, "printf %%s %s", shell_words[i].shell);
        buf_text(&command, "LC_ALL=C exec bash -c ");
        visible_shell_word(&command, line.data);
        FILE *shell = popen(command.data, "r");
        assert_non_null(shell);
        size_t length = fread(back, 1, sizeof back - 1, shell);
        back[length] = '\0';
        assert_int_equal(pclose(shell), 0);
        assert_string_equal(back, shell_words[i].word);
        buf_clear(&line);
        buf_clear(&command);
    }
}

static void test_columns(void **state)
{
    static const struct {
        const char *text;
        size_t width, columns, fit; /* fit: bytes that go into `columns` */
    } cases[] = {
        {"", 0, 5, 0},
        {"abc", 3, 2, 2},
        {"abc", 3, 3, 3},
        {"abc", 3, 0, 0},
        {"gr\xc3\xbcn", 4, 3, 4},
        {"\xe6\xbc\xa2\xe5\xad\x97", 4, 3, 3},           /* wide ones: no half */
        {"\xe6\xbc\xa2\xe5\xad\x97", 4, 4, 6},
        {"e\xcc\x81x", 2, 1, 3},                         /* the accent stays with its letter */
        {"\xf0\x9f\x98\x80", 2, 1, 0},
        {"\xed\x95\x9c\xea\xb8\x80", 4, 2, 3},           /* Hangul */
        {"\xff\xff", 2, 1, 1},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t length = strlen(cases[i].text);
        assert_int_equal(visible_width(cases[i].text, length), cases[i].width);
        assert_int_equal(visible_fit(cases[i].text, length, cases[i].columns), cases[i].fit);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_shell_word),
        cmocka_unit_test(test_shell_reads),
        cmocka_unit_test(test_columns),
    };
    return cmocka_run_group_tests_name("visible", tests, NULL, NULL);
}
