#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/errors.h"

static void add(struct errors *list, const char *file, int line, int column, const char *text)
{
    struct error e = {0};
    error_set(&e, ERROR_USAGE, "%s", text);
    e.line = line;
    e.column = column;
    errors_add(list, file, text[0] == 'w', &e, NULL);
}

static void test_sort(void **state)
{
    (void)state;
    struct errors list = {0};
    errors_sort(&list);
    add(&list, "b", 9, 1, "1");
    add(&list, "a", 3, 2, "w2");
    add(&list, "a", 3, 1, "3");
    add(&list, "b", 9, 1, "4");
    add(&list, "b", 2, 7, "w5");
    add(&list, NULL, 1, 1, "6");
    add(&list, "a", 0, 0, "7");
    assert_int_equal(list.warnings, 2);
    errors_sort(&list);
    struct buf order = {0};
    for (size_t i = 0; i < list.count; i++)
        buf_format(&order, "%s ", list.items[i].error.text);
    assert_string_equal(buf_string(&order), "w5 1 4 7 3 w2 6 ");
    buf_clear(&order);
    errors_clear(&list);
    assert_int_equal(list.count + list.warnings, 0);
}

static void test_format(void **state)
{
    static const struct {
        const char *file, *text; /* the whole text of the file */
        int line, column, width;
        const char *field, *hint;
        bool warning;
        const char *shown;
    } cases[] = {
        {"ax.yaml", "a: 1\nb: x y\n", 2, 4, 3, "", NULL, false, "ax.yaml:2:4: wrong\n    b: x y\n       ^~~\n"},
        {"ax.yaml", "a: 1\r\nb: x y\r\n", 2, 6, 1, "", "quote it", false,
            "ax.yaml:2:6: wrong\n    b: x y\n         ^\n    hint: quote it\n"},
        {"ax.yaml", "\xef\xbb\xbf" "a: 1", 1, 1, 9, "", NULL, true, "ax.yaml:1:1: warning: wrong\n    a: 1\n    ^~~~\n"},
        {"a\x1b[1m.yaml", "\tx\x1b[2J: 1", 1, 2, 1, "", "a\nb", false,
            "a\\e[1m.yaml:1:2: wrong\n    \\tx\\e[2J: 1\n      ^\n    hint: a\\nb\n"},
        {"f", "gr\xc3\xbc\xc3\x9f: \xe6\x97\xa5\xe6\x9c\xac x", 1, 16, 1, "", NULL, false,
            "f:1:16: wrong\n    gr\xc3\xbc\xc3\x9f: \xe6\x97\xa5\xe6\x9c\xac x\n               ^\n"},
        {"f", "\xe6\x97\xa5\xe6\x9c\xac", 1, 1, 6, "", NULL, false, "f:1:1: wrong\n    \xe6\x97\xa5\xe6\x9c\xac\n    ^~~~\n"},
        {"f", "a", 1, 2, 1, "", NULL, false, "f:1:2: wrong\n    a\n     ^\n"},
        {"f", "a", 1, 5, 3, "", NULL, false, "f:1:5: wrong\n    a\n     ^\n"},
        {"f", "a", 7, 1, 1, "", NULL, false, "f:7:1: wrong\n"},
        {"f", "a", 1, 0, 0, "", NULL, false, "f:1: wrong\n"},
        {"f", "a", 0, 0, 0, "cron", NULL, false, "f: cron: wrong\n"},
        {NULL, "a b", 1, 3, 1, "wrong", NULL, false, "line 1, column 3: wrong\n    a b\n      ^\n"},
        {NULL, "", 0, 0, 0, "", NULL, false, "wrong\n"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct errors list = {0};
        struct error e = {0};
        struct buf b = {0};
        error_set(&e, ERROR_USAGE, "wrong");
        error_field(&e, cases[i].field);
        if (cases[i].line)
            assert_int_equal(errors_locate(&e, cases[i].text, strlen(cases[i].text), cases[i].line, cases[i].column, cases[i].width),
                -ERROR_USAGE);
        errors_add(&list, cases[i].file, cases[i].warning, &e, cases[i].hint);
        errors_format(&list.items[0], &b);
        assert_string_equal(buf_string(&b), cases[i].shown);
        buf_clear(&b);
        errors_clear(&list);
    }
}

/* Wherever the place is in a long line, it is shown, with the caret under it. */
static void test_long_lines(void **state)
{
    static const char *const units[] = {"x", "\xc3\xbc", "\xe6\x97\xa5", "\x1b"}; /* one column, two bytes, two columns, shown as \e */
    (void)state;
    for (size_t u = 0; u < sizeof units / sizeof units[0]; u++) {
        for (int before = 0; before < 1200; before += 7) {
            struct buf line = {0}, b = {0};
            for (int i = 0; i < before; i++)
                buf_text(&line, units[u]);
            int column = (int)line.length + 1;
            buf_char(&line, '@');
            for (int i = before; i < 1200; i++)
                buf_text(&line, units[u]);
            struct error e = {0};
            error_set(&e, ERROR_USAGE, "wrong");
            errors_locate_line(&e, line.data, line.length, 1, column, 1);
            errors_format_place(&e, &b);
            char *shown = b.data, *caret = strchr(shown, '\n');
            assert_non_null(caret);
            *caret++ = '\0';
            char *at = strchr(shown, '@');
            assert_non_null(at);
            size_t columns = 0; /* of what is before the place */
            for (char *p = shown; p < at; p++)
                columns += ((unsigned char)*p & 0xc0) != 0x80 ? 1 + (u == 2 && (unsigned char)*p >= 0x80) : 0;
            assert_int_equal(strspn(caret, " "), columns);
            assert_string_equal(caret + columns, "^\n");
            assert_true(columns < 70);
            buf_clear(&line);
            buf_clear(&b);
        }
    }
}

static void test_locate_once(void **state)
{
    (void)state;
    struct error e = {0};
    assert_int_equal(errors_locate(NULL, "a", 1, 1, 1, 1), -ERROR_USAGE);
    error_set(&e, ERROR_EXISTS, "wrong");
    assert_int_equal(errors_locate(&e, "a\nb", 3, 2, 1, 1), -ERROR_EXISTS);
    assert_int_equal(errors_locate(&e, "a\nb", 3, 1, 1, 1), -ERROR_EXISTS); /* the first place stays */
    assert_int_equal(e.line, 2);
    assert_string_equal(e.source, "b");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sort),
        cmocka_unit_test(test_format),
        cmocka_unit_test(test_long_lines),
        cmocka_unit_test(test_locate_once),
    };
    return cmocka_run_group_tests_name("errors", tests, NULL, NULL);
}
