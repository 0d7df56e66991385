#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/json.h"
#include "lib/text/yaml.h"
#include "tests/unit/sanitized.h"

#define BYTES(literal) literal, sizeof literal - 1
#define COUNT(array) (sizeof array / sizeof array[0])

/* On the heap and not a byte longer, so that a sanitizer sees a read past its end. */
static int read_exact(const char *text, size_t length, struct value *out, struct errors *errors)
{
    char *exact = malloc(length ? length : 1);
    assert_non_null(exact);
    memcpy(exact, text, length);
    int code = yaml_read("f", exact, length, out, errors);
    free(exact);
    return code;
}

/* `line:column+width message`, and ` | hint`, one a line. */
static void describe(struct buf *b, struct errors *errors)
{
    errors_sort(errors);
    for (size_t i = 0; i < errors->count; i++) {
        const struct errors_item *item = &errors->items[i];
        assert_string_equal(item->file, "f");
        assert_int_equal(item->error.code, ERROR_USAGE);
        buf_format(b, "%s%d:%d+%d %s%s", i ? "\n" : "", item->error.line, item->error.column, item->error.width, item->warning ? "warning: " : "",
            item->error.text);
        if (item->hint)
            buf_format(b, " | %s", item->hint);
    }
}

/* As JSON; texts without quotes in <>, so that it is seen what is plain. */
static void show(struct buf *b, const struct value *v)
{
    if (v->kind == VALUE_TEXT && v->plain) {
        buf_format(b, "<%s>", v->text.data);
    } else if (v->kind == VALUE_LIST || v->kind == VALUE_MAP) {
        buf_char(b, v->kind == VALUE_MAP ? '{' : '[');
        for (size_t i = 0; i < v->list.count; i++) {
            buf_text(b, i ? "," : "");
            buf_format(b, v->kind == VALUE_MAP ? "%s:" : "", v->kind == VALUE_MAP ? v->list.keys[i] : "");
            show(b, &v->list.items[i]);
        }
        buf_char(b, v->kind == VALUE_MAP ? '}' : ']');
    } else {
        json_write(b, v, NULL);
    }
}

static void test_read(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *shown;
    } cases[] = {
        {BYTES(""), "[]"},
        {BYTES("# only a comment\n"), "[]"},
        {BYTES("---\n"), "[null]"},
        {BYTES("a: 1\n---\n---\nb: 2\n...\n"), "[{a:<1>},null,{b:<2>}]"},
        {BYTES("\xef\xbb\xbf" "a: 1"), "[{a:<1>}]"},
        {BYTES("\xef\xbb\xbf" "a: 1\n\xef\xbb\xbf---\nb: |\n  c\n\xef\xbb\xbf--- d\n...\n\xef\xbb\xbf--- e"), "[{a:<1>},{b:\"c\\n\"},<d>,<e>]"},
        {BYTES("---\r\n\xef\xbb\xbf" "a: b\r\n\xef\xbb\xbf---\r\nc: d\r\n"), "[{a:<b>},{c:<d>}]"},
        {BYTES("a: 1\r\nb:\r\n  - c\r\n  - d e\r\n"), "[{a:<1>,b:[<c>,<d e>]}]"},
        {BYTES("%YAML 1.2\n---\na: 1\n"), "[{a:<1>}]"},
        /* what YAML 1.1 would make something else of */
        {BYTES("[no, on, Yes, y, 22:30, 010, 0x1f, 1_000, 1.0, 1e3, .inf, 2026-01-01, =, TRUE, true]"),
            "[[<no>,<on>,<Yes>,<y>,<22:30>,<010>,<0x1f>,<1_000>,<1.0>,<1e3>,<.inf>,<2026-01-01>,<=>,<TRUE>,<true>]]"},
        {BYTES("[null, ~, Null, NULL, \"null\", '~', '', ]"), "[[null,null,<Null>,<NULL>,\"null\",\"~\",\"\"]]"},
        {BYTES("a:\nb: \nc: {d}"), "[{a:null,b:null,c:{d:null}}]"},
        {BYTES("no: 1\n~: 2\nnull: 3\n1: 4\n"), "[{no:<1>,~:<2>,null:<3>,1:<4>}]"},
        /* texts */
        {BYTES("a: b\n  c\n\n  d"), "[{a:<b c\nd>}]"},
        {BYTES("a: |\n  b\n   c\n\n  d\n\n"), "[{a:\"b\\n c\\n\\nd\\n\"}]"},
        {BYTES("a: |-\n  b\n"), "[{a:\"b\"}]"},
        {BYTES("a: >+\n  b\n  c\n\n"), "[{a:\"b c\\n\\n\"}]"},
        {BYTES("a: \"\\x41\\u00fc\\t\\0\"\nb: 'it''s'"), "[{a:\"A\xc3\xbc\\t\\u0000\",b:\"it's\"}]"},
        {BYTES("a: echo a:b \"c d\" [x] {y} $HOME/z #w"), "[{a:<echo a:b \"c d\" [x] {y} $HOME/z>}]"},
        /* tags */
        {BYTES("[!!str 5, !!str, ! 5, !!int \"5\", !!int -5, !!float 1.5, !!bool true, !!null '', !!null ]"),
            "[[\"5\",\"\",\"5\",<5>,<-5>,<1.5>,<true>,null,null]]"},
        {BYTES("!!map {a: !!seq [b]}"), "[{a:[<b>]}]"},
        {BYTES("%TAG !y! tag:yaml.org,2002:\n---\n!y!str 5"), "[\"5\"]"},
        /* anchors */
        {BYTES("a: &x [1, {b: 2}]\nc: *x\nd: *x"), "[{a:[<1>,{b:<2>}],c:[<1>,{b:<2>}],d:[<1>,{b:<2>}]}]"},
        {BYTES("a: &x 1\nb: *x\nc: &x 2\nd: *x"), "[{a:<1>,b:<1>,c:<2>,d:<2>}]"},
        {BYTES("&k a: *k\n*k : b\n"), NULL},
        {BYTES("- &k a\n- {*k : b}\n"), "[[<a>,{a:<b>}]]"},
        {BYTES("- &k [&k x, *k]\n- *k"), "[[[<x>,<x>],[<x>,<x>]]]"},
        {BYTES("a: &x ~\nb: *x"), "[{a:null,b:null}]"},
        /* merges */
        {BYTES("- &a {x: 1, y: 2}\n- &b {y: 3, z: 4}\n- {y: 0, <<: *a}\n- {<<: [*a, *b], w: 5}\n- {<<: [*b, *a]}"),
            "[[{x:<1>,y:<2>},{y:<3>,z:<4>},{y:<0>,x:<1>},{w:<5>,x:<1>,y:<2>,z:<4>},{y:<3>,z:<4>,x:<1>}]]"},
        {BYTES("a: {<<: &m {x: &v [1], y: 2}, x: 3}\nb: *m\nc: *v\n"), "[{a:{x:<3>,y:<2>},b:{x:[<1>],y:<2>},c:[<1>]}]"},
        {BYTES("- &a {x: 1}\n- &b {<<: *a, y: 2}\n- {<<: *b}\n- {<<: {}}\n- {<<: []}\n"), "[[{x:<1>},{y:<2>,x:<1>},{y:<2>,x:<1>},{},{}]]"},
        {BYTES("\"<<\": 1"), "[{<<:<1>}]"},
        {BYTES("a: <<"), "[{a:<<<>}]"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value v = {0};
        struct errors errors = {0};
        struct buf b = {0};
        int code = read_exact(cases[i].text, cases[i].length, &v, &errors);
        if (!cases[i].shown) {
            assert_int_equal(code, -ERROR_USAGE);
        } else {
            describe(&b, &errors);
            if (code)
                fail_msg("%s: %s", cases[i].text, buf_string(&b));
            buf_reset(&b);
            show(&b, &v);
            assert_string_equal(buf_string(&b), cases[i].shown);
        }
        value_clear(&v);
        errors_clear(&errors);
        buf_clear(&b);
    }
}

#define QUOTE(char, why) "a text must not begin with `" char "` without quotes: " why

static void test_refused(void **state)
{
    static const struct {
        const char *text;
        size_t length;
        const char *errors;
    } cases[] = {
        /* unquoted schedules and commands */
        {BYTES("cron: */5 * * * *"), "1:7+11 " QUOTE("*", "it begins an alias") " | quote the schedule: cron: \"*/5 * * * *\""},
        {BYTES("j:\n  cron: * * * * * # x\n  b: 1"),
            "2:9+13 " QUOTE("*", "it begins an alias") " | quote the schedule: cron: \"* * * * *\""},
        {BYTES("calendar: *-*-* 02:00"), "1:11+11 " QUOTE("*", "it begins an alias") " | quote the schedule: calendar: \"*-*-* 02:00\""},
        {BYTES("- */5 * * * *"), "1:3+11 " QUOTE("*", "it begins an alias") " | quote the text: \"*/5 * * * *\""},
        {BYTES("cron: [*/5 1 1 1 1, @daily]"), "1:8+1 " QUOTE("*", "it begins an alias") " | quote the text"},
        {BYTES("cron: *a b"), "1:7+4 " QUOTE("*", "it begins an alias") " | quote the schedule: cron: \"*a b\""},
        {BYTES("cron: @daily"), "1:7+6 " QUOTE("@", "it is reserved") " | quote the schedule: cron: \"@daily\""},
        {BYTES("c: `date`"), "1:4+6 " QUOTE("`", "it is reserved") " | quote the text: c: \"`date`\""},
        {BYTES("c: %x"), "1:4+2 " QUOTE("%", "it begins a directive") " | quote the text: c: \"%x\""},
        {BYTES("c: & b"), "1:4+3 " QUOTE("&", "it begins an anchor") " | quote the text: c: \"& b\""},
        {BYTES("c: > x"), "1:4+3 " QUOTE(">", "it begins a text of several lines") " | quote the text: c: \"> x\""},
        {BYTES("c: ? x"), "1:4+3 " QUOTE("?", "it begins a key") " | quote the text: c: \"? x\""},
        {BYTES("c: , x"), "1:4+3 " QUOTE(",", "it separates the items of a list") " | quote the text: c: \", x\""},
        {BYTES("c: !x!y z"), "1:4+6 " QUOTE("!", "it begins a tag") " | quote the text: c: \"!x!y z\""},
        {BYTES("command: [ -x a ] && b\nd: 1"), "1:19+4 something follows the list | quote the command: command: \"[ -x a ] && b\""},
        {BYTES("command: [ -x a ] || b"), "1:19+4 something follows the list | quote the command: command: \"[ -x a ] || b\""},
        {BYTES("command: [ \"$A\" = b ] && c"),
            "1:17+1 `,` or `]` is missing here | quote the command: command: '[ \"$A\" = b ] && c' (if it is no list)"},
        {BYTES("command: \"$HOME/x\" -f"),
            "1:20+2 something follows the quoted text | quote the command: command: '\"$HOME/x\" -f'"},
        {BYTES("- \"$HOME/x\" -f\n- b"), "1:13+2 something follows the quoted text | quote the text: '\"$HOME/x\" -f'"},
        {BYTES("cron: \"*/5\" * * * *"), "1:13+7 something follows the quoted text | quote the schedule: cron: \"*/5 * * * *\""},
        {BYTES("a: 'it's'"), "1:8+2 something follows the quoted text | within single quotes a single quote is written ''"},
        {BYTES("a: \"say \"hi\"\""), "1:10+4 something follows the quoted text | within double quotes a double quote is written \\\""},
        {BYTES("a: {b: 1}}"), "1:10+1 something follows the map | quote the text: a: \"{b: 1}}\""},
        {BYTES("command: curl -H \"A: b\""), "1:20+1 `: ` within a text without quotes | quote the command: command: 'curl -H \"A: b\"'"},
        {BYTES("a: b:"), "1:5+1 `: ` within a text without quotes | quote the text: a: \"b:\""},
        {BYTES("a: - x"), "1:4+1 no list may begin here | quote the text: a: \"- x\"; or begin the list in the next line"},
        {BYTES("a: {{ x }}"), "1:5+1 a key must be a text, not a map | a text that begins with `{` or `[` must be quoted"},
        /* indentation */
        {BYTES("a:\n\tb: 1"), "2:1+1 a tab in the indentation: YAML takes blanks only | use two blanks for each level"},
        {BYTES("a:\n  b: 1\n\tc: 2"), "3:1+1 a tab in the indentation: YAML takes blanks only | use two blanks for each level"},
        {BYTES("a: |\n  b\n\tc"), "3:1+1 a tab in the indentation: YAML takes blanks only | use two blanks for each level"},
        {BYTES("a: 1\n b: 2"), "2:2+1 no key may stand here: the text of the line above goes on | the keys of one map begin in one column; a key "
                               "has either a text or a map"},
        {BYTES("a:\n  b:1\n  c: 2"), "3:3+1 no key may stand here: the text of the line above goes on | is a blank missing behind the `:` of that line?"},
        {BYTES("a:\n  - b\n  -c\n  - d"), "3:3+1 a blank is missing behind the `-`"},
        {BYTES("a:\n    b: 1\n  c: 2"),
            "3:3+4 this line is not in line with the keys of the map that begins in line 1, column 1 | the keys of one map begin in one column"},
        {BYTES("- a\nb: 1"), "2:1+4 an item of the list that begins in line 1 is expected here | items begin with `- ` in one column; keys of an item "
                             "stand below its first key"},
        {BYTES("a: 1\n- b"), "2:1+3 an item of a list stands among the keys of the map that begins in line 1 | the items of a list stand below a key "
                             "that has no other value"},
        {BYTES("a: 1\nfoo bar\nb: 2"),
            "2:1+7 a `:` with a blank behind it is missing here | `key: value`; a text of several lines needs `|` behind its key, and stands deeper than it"},
        {BYTES("a: 1\n: x"), "2:1+1 a key is missing in front of the `:`"},
        {BYTES("{: x}"), "1:2+1 a key is missing in front of the `:`"},
        /* what is not closed, or closes nothing */
        {BYTES("a: \"b\nc: d\n"), "1:4+1 this quote is never closed"},
        {BYTES("a: 'b\n---\nc: d\n"), "1:4+1 this quote is never closed"},
        {BYTES("a: \"b\nc: \"d\"\n"), "1:4+1 the quote that opens here is closed in line 2, and something follows it there | is a quote missing in between?"},
        {BYTES("a: {b: 1\nc: 2"), "1:4+1 this `{` is never closed"},
        {BYTES("a: [b"), "1:4+1 this `[` is never closed"},
        {BYTES("a: 1\n}"), "2:1+1 a `}` that closes nothing"},
        {BYTES("a: ]"), "1:4+1 " QUOTE("]", "it ends a list") " | quote the text: a: \"]\""},
        /* escapes, directives, documents */
        {BYTES("a: \"b\\q\"\nc: \"\\d\""),
            "1:6+2 `\\q` means nothing within double quotes | write \\\\ for a backslash, or use single quotes, which leave backslashes alone\n"
            "2:5+2 `\\d` means nothing within double quotes | write \\\\ for a backslash, or use single quotes, which leave backslashes alone"},
        {BYTES("a: \"\\u12\""), "1:5+2 \\x, \\u and \\U want 2, 4 and 8 hexadecimal digits of a character"},
        {BYTES("a: \"\\ud800\""), "1:5+2 \\x, \\u and \\U want 2, 4 and 8 hexadecimal digits of a character"},
        {BYTES("%FOO\n---\na"), "1:1+4 a line that begins with `%` is a directive of YAML, and this one is not known"},
        {BYTES("%YAML 2.0\n---\na"), "1:1+9 a line that begins with `%` is a directive of YAML, and this one is not known"},
        {BYTES("a: 1\n...\nb: 2"), "3:1+4 the document ended above this | a further document begins with a line `---`"},
        /* keys */
        {BYTES("a: 1\nb: 2\na: 3\n\"a\": 4"), "3:1+1 the key `a` stands twice in one map: in line 1, and here in line 3\n"
                                             "4:1+1 the key `a` stands twice in one map: in line 1, and here in line 4"},
        {BYTES("a:\n  b: {x: 1, y: 2, x: 3}\nc: 1\nc: 2"), "2:19+1 the key `x` stands twice in one map: in line 2, and here in line 2\n"
                                                         "4:1+1 the key `c` stands twice in one map: in line 3, and here in line 4"},
        {BYTES("? [a]\n: b"), "1:3+1 a key must be a text, not a list | a text that begins with `{` or `[` must be quoted"},
        {BYTES("- &a [x]\n- *a : b"), "2:3+2 a key must be a text, not a list"},
        {BYTES("\"a\\0b\": 1"), "1:1+1 a key must not hold a NUL"},
        {BYTES("<<: 5"), "1:1+2 `<<` takes a map, or a list of maps | quote it if it is meant as a plain key: \"<<\""},
        {BYTES("<<: [{a: 1}, 2]"), "1:1+2 `<<` takes a map, or a list of maps | quote it if it is meant as a plain key: \"<<\""},
        {BYTES("<<: &m {a: &v 1}\n<<: {b: *v}\nx: *m"), "2:1+2 `<<` stands twice in one map | `<<: [*a, *b]` takes several"},
        /* tags and anchors */
        {BYTES("a: !foo b"), "1:4+4 the tag `!foo` is not known (!!str !!int !!float !!bool !!null !!seq !!map are) | a text that begins with `!` must be "
                             "quoted"},
        {BYTES("a: !!binary b"), "1:4+8 the tag `!!binary` is not known (!!str !!int !!float !!bool !!null !!seq !!map are) | a text that begins with `!` "
                                 "must be quoted"},
        {BYTES("[!!int x, !!bool yes, !!null 5, !!float ., !!map [], !!str []]"),
            "1:2+5 `!!int` does not fit what it stands in front of\n1:11+6 `!!bool` does not fit what it stands in front of\n"
            "1:23+6 `!!null` does not fit what it stands in front of\n1:33+7 `!!float` does not fit what it stands in front of\n"
            "1:44+5 `!!map` does not fit what it stands in front of\n1:54+5 `!!str` does not fit what it stands in front of"},
        {BYTES("a: *b"), "1:4+2 there is no anchor `&b` for this alias | a text that begins with `*` must be quoted"},
        {BYTES("a: &b 1\n---\na: *b"), "3:4+2 there is no anchor `&b` for this alias | a text that begins with `*` must be quoted"},
        {BYTES("a: &b [*b]\nc: &d {e: *d, *d : 1}"), "1:8+2 this alias stands within what it names\n2:11+2 this alias stands within what it names\n"
                                                    "2:15+2 this alias stands within what it names"},
        /* bytes */
        {BYTES("a: \xff\xfe\nb: \xc3\nc: \xc0\x80"),
            "1:4+1 the byte 0xff is not UTF-8 | save the file as UTF-8\n2:4+1 the byte 0xc3 is not UTF-8 | save the file as UTF-8\n"
            "3:4+1 the byte 0xc0 is not UTF-8 | save the file as UTF-8"},
        {BYTES("# \xe4\xf6\ncron: */5\na: 1\na: \x01"),
            "1:3+1 the byte 0xe4 is not UTF-8 | save the file as UTF-8\n"
            "2:7+3 " QUOTE("*", "it begins an alias") " | quote the schedule: cron: \"*/5\"\n"
            "4:1+1 the key `a` stands twice in one map: in line 3, and here in line 4\n"
            "4:4+1 the control character U+0001 must not stand in a file | in double quotes it can be written as \\xNN or \\uNNNN"},
        {BYTES("a: gr\xc3\xbc\xc3\x9f\x01"),
            "1:10+1 the control character U+0001 must not stand in a file | in double quotes it can be written as \\xNN or \\uNNNN"},
        {BYTES("a: 1\nb\0c"), "2:2+1 a NUL byte: this is no text"},
        {BYTES("\xff\xfe" "a\0"), "1:1+1 this is UTF-16, not UTF-8 | save the file as UTF-8"},
        /* columns are bytes, lines are those of an editor */
        {BYTES("\xef\xbb\xbf" "\"\xc3\xbc\": *x\ny: [\"\xe2\x80\xa8\", *y]\r\n\r\nz: *z"),
            "1:7+2 there is no anchor `&x` for this alias | a text that begins with `*` must be quoted\n"
            "2:12+2 there is no anchor `&y` for this alias | a text that begins with `*` must be quoted\n"
            "4:4+2 there is no anchor `&z` for this alias | a text that begins with `*` must be quoted"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value v = value_int(42);
        struct errors errors = {0};
        struct buf b = {0};
        int code = read_exact(cases[i].text, cases[i].length, &v, &errors);
        describe(&b, &errors);
        if (strcmp(buf_string(&b), cases[i].errors) != 0)
            fail_msg("case %zu: %s\n%s\nexpected\n%s", i, cases[i].text, buf_string(&b), cases[i].errors);
        assert_int_equal(code, -ERROR_USAGE);
        assert_int_equal(v.integer, 42); /* untouched */
        errors_clear(&errors);
        buf_clear(&b);
    }
}

/* All of a file in one go: what libyaml stops at, and what it does not see. */
static void test_all_at_once(void **state)
{
    static const char text[] = "jobs:\n"
                               "  a:\n"
                               "    cron: */5 * * * *   # every five\n"
                               "    timeout: 1\n"
                               "  b:\n"
                               "    cron: @daily\n"
                               "    command: \"$HOME/x\" -f\n"
                               "    timeout: 1\n"
                               "    timeout: 2\n"
                               "  c:\n"
                               "    command: [ -x a ] && b\n"
                               "  d:\n"
                               "    command: curl -H \"A: b\"\n"
                               "    stdin: \"x\\q\"\n"
                               "  a:\n"
                               "    command: x # y\n";
    static const int lines[] = {3, 6, 7, 9, 11, 13, 14, 15, 16};
    (void)state;
    struct errors errors = {0};
    struct value v = {0};
    assert_int_equal(read_exact(text, sizeof text - 1, &v, &errors), -ERROR_USAGE);
    errors_sort(&errors);
    assert_int_equal(errors.count, COUNT(lines));
    assert_int_equal(errors.warnings, 1);
    for (size_t i = 0; i < COUNT(lines); i++)
        assert_int_equal(errors.items[i].error.line, lines[i]);
    assert_string_equal(errors.items[1].error.source, "    cron: @daily"); /* not as it was mended */
    errors_clear(&errors);
}

static void test_warning(void **state)
{
    static const struct {
        const char *text;
        int column; /* of the warning; 0: there is none; below 0: it is about a word of a list */
    } cases[] = {
        {"command: echo # a", 15},
        {"{command: echo \t# a\n}", 17},
        {"command: echo\n  a # b", 5},
        {"command: \"echo\" # a", 0},
        {"command: echo#a", 0},
        {"command: echo\n# a", 0},
        {"command: # a\n  echo", 0},
        {"command: |\n  echo # a\n", 0},
        {"command: [echo, a] # b", 0},
        {"command: [sh, -c, echo a #b\n  ]", -26},
        {"command: [echo, a # b\n  ]", -19},
        {"command:\n  - sh\n  - echo a # b", -12},
        {"command:\n  - echo\n  - a #b", -7},
        {"command:\n  - tar\n  - --verbose  # say what\n  - c  #\n", 0},
        {"command:\n  - echo\n  - 'a # b'", 0},
        {"command:\n  - [a b # c\n  ]", 0}, /* which is refused elsewhere */
        {"tags: [a #b\n  ]", 0},
        {"timeout: 10m # a", 0},
        {"- command # a", 0},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct errors errors = {0};
        struct value v = {0};
        int code = read_exact(cases[i].text, strlen(cases[i].text), &v, &errors);
        assert_int_equal(code, 0);
        if (cases[i].column != 0) {
            assert_int_equal(errors.count, 1);
            assert_true(errors.items[0].warning);
            assert_int_equal(errors.items[0].error.column, abs(cases[i].column));
            assert_string_equal(errors.items[0].error.text,
                cases[i].column > 0 ? "the command ends here: ` #` begins a comment" : "a word of the command ends here: ` #` begins a comment");
        } else {
            assert_int_equal(errors.count, 0);
        }
        errors_clear(&errors);
        value_clear(&v);
    }
}

static void test_places(void **state)
{
    (void)state;
    static const char text[] = "# x\n---\nk\xc3\xa4y: \"\xe6\x97\xa5\"\nl:\n  - a\n  - {b: c, \"d\":\n  e}\n";
    struct errors errors = {0};
    struct value v = {0};
    assert_int_equal(read_exact(text, sizeof text - 1, &v, &errors), 0);
    const struct value *map = &v.list.items[0], *first = &map->list.items[0], *list = &map->list.items[1], *inner = &list->list.items[1],
                       *last = &inner->list.items[1];
    const int places[][2] = {{map->line, map->column}, {first->key_line, first->key_column}, {first->line, first->column}, {list->key_line, list->key_column},
        {list->line, list->column}, {inner->line, inner->column}, {last->key_line, last->key_column}, {last->line, last->column}};
    const int expected[][2] = {{3, 1}, {3, 1}, {3, 7}, {4, 1}, {5, 3}, {6, 5}, {6, 12}, {7, 3}};
    for (size_t i = 0; i < COUNT(places); i++)
        if (places[i][0] != expected[i][0] || places[i][1] != expected[i][1])
            fail_msg("place %zu is %d:%d", i, places[i][0], places[i][1]);
    value_clear(&v);
}

/* ---- limits ---- */

static void repeat(struct buf *b, const char *text, size_t times)
{
    for (size_t i = 0; i < times; i++)
        buf_text(b, text);
}

static void expect_error(const struct buf *b, const char *text)
{
    struct errors errors = {0};
    struct value v = {0};
    int code = read_exact(buf_string(b), b->length, &v, &errors);
    if (!text && code)
        fail_msg("%s", errors.items[0].error.text);
    if (text) {
        assert_int_equal(code, -ERROR_USAGE);
        assert_string_equal(errors.items[0].error.text, text);
    }
    value_clear(&v);
    errors_clear(&errors);
}

static void test_depth(void **state)
{
    static const struct {
        const char *open, *leaf, *close; /* close: to be repeated */
    } cases[] = {{"[", "", "]"}, {"{a: ", "", "}"}, {"- ", "x", ""}, {"[{a: ", "", "}]"}};
    static const char deep[] = "nested too deep: more than 100 levels";
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        size_t levels = YAML_DEPTH_MAX / (i == 3 ? 2 : 1);
        for (size_t more = 0; more < 2; more++) {
            struct buf b = {0};
            repeat(&b, cases[i].open, levels + more);
            buf_text(&b, cases[i].leaf);
            repeat(&b, cases[i].close, levels + more);
            expect_error(&b, more ? deep : NULL);
            buf_clear(&b);
        }
        struct buf b = {0};
        repeat(&b, cases[i].open, 100000);
        expect_error(&b, deep);
        buf_clear(&b);
    }
    struct buf b = {0}; /* an alias is as deep as what it names */
    buf_text(&b, "- &a ");
    repeat(&b, "[", 60);
    repeat(&b, "]", 60);
    buf_text(&b, "\n- ");
    repeat(&b, "[", 39);
    buf_text(&b, "*a");
    repeat(&b, "]", 39);
    expect_error(&b, NULL);
    buf_text(&b, "\n- ");
    repeat(&b, "[", 40);
    buf_text(&b, "*a");
    repeat(&b, "]", 40);
    expect_error(&b, deep);
    buf_clear(&b);
}

static void test_bombs(void **state)
{
    static const char nodes[] = "more than 2000000 values (each alias counts as what it stands for)";
    (void)state;
    struct buf b = {0}; /* nine levels of nine */
    buf_text(&b, "a: &a [x, x, x, x, x, x, x, x, x]\n");
    for (char c = 'b'; c <= 'i'; c++)
        buf_format(&b, "%c: &%c [*%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c, *%c]\n", c, c, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1, c - 1);
    expect_error(&b, nodes);
    buf_reset(&b);
    buf_text(&b, "a: &a {x: x, y: y}\n"); /* by merges, and by keys */
    for (char c = 'b'; c <= 'z'; c++)
        buf_format(&b, "%c: &%c {x: *%c, y: *%c}\n", c, c, c - 1, c - 1);
    expect_error(&b, nodes);
    buf_reset(&b);
    buf_text(&b, "a: &a \""); /* few values, much text */
    repeat(&b, "0123456789abcdef", 1 << 16);
    buf_text(&b, "\"\nb: [*a");
    repeat(&b, ", *a", 70);
    buf_text(&b, "]\n");
    expect_error(&b, "more than 64 MiB of text (each alias counts as what it stands for)");
    buf_reset(&b);
    buf_text(&b, "env: &e {A: 1}\njobs:\n"); /* what people do */
    repeat(&b, "  - {<<: *e, env: *e}\n", 1000);
    expect_error(&b, NULL);
    buf_clear(&b);
}

static void test_sizes(void **state)
{
    (void)state;
    struct buf b = {0};
    struct errors errors = {0};
    struct value v = {0};
    assert_int_equal(yaml_read("f", "", (size_t)YAML_SIZE_MAX + 1, &v, &errors), -ERROR_USAGE);
    assert_string_equal(errors.items[0].error.text, "larger than 64 MiB");
    errors_clear(&errors);
    repeat(&b, "- {a: 1, a: 2}\n- command: x # y\n", 1000);
    assert_int_equal(read_exact(b.data, b.length, &v, &errors), -ERROR_USAGE);
    assert_int_equal(errors.count - errors.warnings, 200);
    assert_in_range(errors.warnings, 199, 200);
    errors_clear(&errors);
    buf_reset(&b);
    repeat(&b, "- cron: */5 * * * *\n", 1000);
    assert_int_equal(read_exact(b.data, b.length, &v, &errors), -ERROR_USAGE);
    assert_int_equal(errors.count, 200);
    assert_string_equal(errors.items[199].error.text, "too many errors: what follows is not read");
    errors_clear(&errors);
    buf_clear(&b);
}

/* ---- writing ---- */

static void test_write(void **state)
{
    static const struct {
        const char *json, *yaml;
    } cases[] = {
        {"{}", "{}\n"},
        {"[]", "[]\n"},
        {"\"\"", "\"\"\n"},
        {"null", "null\n"},
        {"{\"a\":{},\"b\":[],\"c\":null,\"d\":true,\"e\":-5,\"f\":1.5}", "a: {}\nb: []\nc: null\nd: true\ne: -5\nf: 1.5\n"},
        {"{\"jobs\":{\"a\":{\"cron\":\"*/5 * * * *\",\"command\":\"echo 'a' \\\"b\\\"\",\"tags\":[\"x\",\"y z\",\"1\",2],\"env\":{\"A\":\"no\"}}}}",
            "jobs:\n  a:\n    cron: \"*/5 * * * *\"\n    command: echo 'a' \"b\"\n    tags: [x, y z, \"1\", 2]\n    env:\n      A: \"no\"\n"},
        {"[{\"a\":1,\"b\":[{\"c\":2},[[3],{\"d\":4}]]},5]", "- a: 1\n  b:\n    - c: 2\n    - - [3]\n      - d: 4\n- 5\n"},
        {"{\"a\":\"b\\nc\\n\",\"d\":[\"e\\nf\"]}", "a: |\n  b\n  c\nd:\n  - |-\n    e\n    f\n"},
        {"{\"a\":\"b\\n\\n\",\"c\":\" d\\n\\te\\n\\n f\"}", "a: |+\n  b\n\nc: |2-\n   d\n  \te\n\n   f\n"},
        {"[\"\\n\",\"a\\n \\n\",\"a\\u001b\\n\"]", "- \"\\n\"\n- \"a\\n \\n\"\n- \"a\\e\\n\"\n"},
        {"\"a\\nb\"", "|-\n  a\n  b\n"},
        {"[\"a: b\",\"a:b\",\"a:\",\"a #b\",\"a#b\",\" a\",\"a \"]", "- \"a: b\"\n- a:b\n- \"a:\"\n- \"a #b\"\n- a#b\n- \" a\"\n- \"a \"\n"},
        {"[\"-\",\"-a\",\"- a\",\"--- a\",\"...\",\"?a\",\"@a\",\"%a\",\"a,b\",\"a[b]\"]",
            "- \"-\"\n- -a\n- \"- a\"\n- \"--- a\"\n- \"...\"\n- \"?a\"\n- \"@a\"\n- \"%a\"\n- \"a,b\"\n- \"a[b]\"\n"},
        {"[\"no\",\"On\",\"TRUE\",\"~\",\"Null\",\"nope\",\"<<\",\"=\"]", "- \"no\"\n- \"On\"\n- \"TRUE\"\n- \"~\"\n- \"Null\"\n- nope\n- \"<<\"\n- \"=\"\n"},
        {"[\"12\",\"1.5\",\"0x1f\",\"22:30\",\"2026-01-01\",\".5\",\".Inf\",\"-1\",\"1e3\",\"1_0\",\"10m\",\"1.2.3-rc\",\".hidden\"]",
            "- \"12\"\n- \"1.5\"\n- \"0x1f\"\n- \"22:30\"\n- \"2026-01-01\"\n- \".5\"\n- \".Inf\"\n- \"-1\"\n- \"1e3\"\n- \"1_0\"\n- 10m\n- 1.2.3-rc\n- .hidden\n"},
        {"[\"\\u00fc\",\"\\u202e\",\"\\u0085\",\"\\u0000\",\"\\t\",\"\\ud83d\\ude00\"]",
            "- \xc3\xbc\n- \"\\u202E\"\n- \"\\x85\"\n- \"\\x00\"\n- \"\\t\"\n- \xf0\x9f\x98\x80\n"},
        {"{\"\":1,\"a b\":2,\"a: b\":3,\"no\":4,\"5\":6,\"a\\nb\":7,\"<<\":8,\"~\":9}",
            "\"\": 1\na b: 2\n\"a: b\": 3\n\"no\": 4\n\"5\": 6\n\"a\\nb\": 7\n\"<<\": 8\n\"~\": 9\n"},
        {"[\"C:\\\\x\",\"it's \\\"x\\\": y\"]", "- C:\\x\n- 'it''s \"x\": y'\n"},
    };
    (void)state;
    for (size_t i = 0; i < COUNT(cases); i++) {
        struct value v = {0};
        struct buf b = {0};
        assert_int_equal(json_read(cases[i].json, strlen(cases[i].json), &v, NULL), 0);
        assert_true(yaml_write(&b, &v));
        assert_string_equal(buf_string(&b), cases[i].yaml);
        value_clear(&v);
        buf_clear(&b);
    }
}

/* A text that was quoted because it could be taken for something else is still a text; numbers and the like are plain. */
static bool same_text(const struct value *wrote, const struct value *read)
{
    char *end;
    strtod(read->text.data, &end);
    return value_equal(wrote, read) && (wrote->plain || !read->plain || *end);
}

static bool same(const struct value *wrote, const struct value *read)
{
    struct buf b = {0};
    bool equal = wrote->kind == read->kind;
    if (!equal && wrote->kind >= VALUE_TEXT)
        return false;
    if (wrote->kind == VALUE_TEXT || wrote->kind == VALUE_NULL)
        return equal && (wrote->kind == VALUE_NULL || same_text(wrote, read));
    if (wrote->kind == VALUE_LIST || wrote->kind == VALUE_MAP) {
        equal &= wrote->list.count == read->list.count;
        for (size_t i = 0; equal && i < wrote->list.count; i++)
            equal = (wrote->kind == VALUE_LIST || strcmp(wrote->list.keys[i], read->list.keys[i]) == 0) &&
                same(&wrote->list.items[i], &read->list.items[i]);
        return equal;
    }
    json_write(&b, wrote, NULL);
    equal = read->kind == VALUE_TEXT && read->plain && strtod(read->text.data, NULL) == strtod(b.data, NULL) &&
        (wrote->kind != VALUE_BOOL || strcmp(read->text.data, b.data) == 0);
    buf_clear(&b);
    return equal;
}

static void check_round(const struct value *v)
{
    struct buf b = {0}, why = {0};
    struct errors errors = {0};
    struct value again = {0};
    assert_true(yaml_write(&b, v));
    int code = read_exact(b.data, b.length, &again, &errors);
    describe(&why, &errors);
    if (code || errors.count || again.list.count != 1 || !same(v, &again.list.items[0]))
        fail_msg("not read back the same:\n%s%s", b.data, buf_string(&why));
    errors_clear(&errors);
    value_clear(&again);
    buf_clear(&why);
    buf_clear(&b);
}

static unsigned next_random(unsigned *seed, unsigned below)
{
    *seed = *seed * 1103515245 + 12345;
    return (*seed >> 16) % below;
}

static struct value random_text(unsigned *seed)
{
    static const char *const pieces[] = {" ", " ", "\n", "\n", "\t", ":", "#", "-", "a", "b", "\"", "'", "\\", ",", "[", "]", "{", "}", "&", "*", "!", "|", ">", "%", "@",
        "`", "?", "~", "1", "0", ".", "e", "_", "<<", "=", "no", "true", "null", "---", "...", "\r", "\x1b", "\x7f", "\xc2\x85", "\xe2\x80\xa8", "\xef\xbb\xbf", "\xc3\xbc",
        "\xf0\x9f\x98\x80", "\xef\xbf\xbf", "x y", "\n\n", "\n ", " \n"};
    struct buf b = {0};
    for (unsigned i = next_random(seed, 7); i > 0; i--)
        buf_text(&b, pieces[next_random(seed, COUNT(pieces))]);
    struct value v = value_text(buf_string(&b));
    buf_clear(&b);
    return v;
}

static struct value random_value(unsigned *seed, int depth)
{
    unsigned kind = next_random(seed, depth > 3 ? 6 : 11);
    if (kind == 0)
        return (struct value){0};
    if (kind == 1)
        return value_bool(next_random(seed, 2));
    if (kind == 2)
        return value_int((int64_t)next_random(seed, 1000) - 500);
    if (kind < 6)
        return random_text(seed);
    struct value v = kind < 8 ? value_list() : value_map();
    for (unsigned i = next_random(seed, 4); i > 0; i--) {
        struct value item = random_value(seed, depth + 1), key = random_text(seed);
        if (v.kind == VALUE_LIST)
            value_push(&v, item);
        else if (!value_get(&v, key.text.data))
            value_put(&v, key.text.data, item);
        else
            value_clear(&item);
        value_clear(&key);
    }
    return v;
}

static void test_round_trip(void **state)
{
    (void)state;
    unsigned seed = 1;
    for (int i = 0; i < SANITIZED(30000, 3000); i++) {
        struct value v = random_value(&seed, 0);
        check_round(&v);
        value_clear(&v);
    }
    struct value v = value_map();
    struct buf key = {0};
    repeat(&key, "long ", 1000);
    struct value deep = value_list();
    value_push(value_push(&deep, value_list()), value_text("x"));
    value_put(&v, key.data, deep);
    repeat(&key, "\x01", 1000);
    value_put(&v, key.data, value_text(key.data));
    value_put(&v, "nul", value_bytes("a\0b\0", 4));
    value_put(&v, "real", value_real(0.1));
    value_put(&v, "min", value_int(INT64_MIN));
    check_round(&v);
    value_clear(&v);
    buf_clear(&key);
}

/* What was read plain is written plain: `timeout: 10` stays a number. */
static void test_write_plain(void **state)
{
    (void)state;
    static const char text[] = "a: 10\nb: true\nc: no\nd: \"10\"\ne: \"no\"\nf: [22:30, 1.5, \"1.5\"]\ng: 2026-01-01 10:00\n";
    struct errors errors = {0};
    struct value v = {0};
    struct buf b = {0};
    assert_int_equal(read_exact(text, sizeof text - 1, &v, &errors), 0);
    assert_true(yaml_write(&b, &v.list.items[0]));
    assert_string_equal(b.data, text);
    buf_clear(&b);
    value_clear(&v);
}

static void test_write_bytes(void **state)
{
    (void)state;
    struct value v = value_bytes("a\xff\nb", 4), list = value_list();
    struct buf b = {0};
    assert_false(yaml_write(&b, &v));
    assert_string_equal(b.data, "\"a\xef\xbf\xbd\\nb\"\n");
    buf_reset(&b);
    value_push(&list, v);
    assert_false(yaml_write(&b, &list));
    buf_reset(&b);
    struct value map = value_map();
    value_put(&map, "\xc3", list);
    assert_false(yaml_write(&b, &map));
    buf_reset(&b);
    v = value_real(INFINITY);
    assert_true(yaml_write(&b, &v));
    assert_string_equal(b.data, ".inf\n");
    value_clear(&map);
    buf_clear(&b);
}

static void test_write_comment(void **state)
{
    (void)state;
    struct buf b = {0};
    yaml_write_comment(&b, 2, "a\n\nb \r\n\x1b[1m\xff\tc");
    yaml_write_comment(&b, 0, "");
    yaml_write_comment(&b, 0, "end\n");
    assert_string_equal(b.data, "  # a\n  #\n  # b\n  # \\e[1m\\xff\tc\n# end\n");
    buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),          cmocka_unit_test(test_refused),    cmocka_unit_test(test_all_at_once), cmocka_unit_test(test_warning),
        cmocka_unit_test(test_places),        cmocka_unit_test(test_depth),      cmocka_unit_test(test_bombs),       cmocka_unit_test(test_sizes),
        cmocka_unit_test(test_write),         cmocka_unit_test(test_round_trip), cmocka_unit_test(test_write_plain), cmocka_unit_test(test_write_bytes),
        cmocka_unit_test(test_write_comment),
    };
    return cmocka_run_group_tests_name("yaml", tests, NULL, NULL);
}
