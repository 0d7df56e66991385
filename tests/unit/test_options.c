#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/strvec.h"
#include "lib/text/options.h"
#include "lib/time/duration.h"

struct target {
    bool json, quiet;
    const char *spool;
    struct strvec tags;
    int workers, on_stop;
    duration timeout;
    int called;
    unsigned ends;
};

static int call(void *target, const struct option_row *row, const char *argument, struct error *e)
{
    struct target *t = target;
    if (argument && strcmp(argument, "bad") == 0)
        return error_set(e, ERROR_USAGE, "bad it is");
    t->called += *(const int *)row->data;
    return 0;
}

static const char *const stops[] = {"wait", "leave", "kill", NULL};
static const int one = 1, ten = 10;

#define PLACE(member) .offset = offsetof(struct target, member)
static const struct option_row rows[] = {
    {'q', "quiet", OPTION_FLAG, PLACE(quiet), .help = "print only the number"},
    {0, "json", OPTION_FLAG, PLACE(json), .help = "print JSON"},
    {0, "spool", OPTION_TEXT, PLACE(spool), "DIR", "use the spool in DIR"},
    {'t', "tag", OPTION_TEXTS, PLACE(tags), "TAG", "only jobs having this tag; may be given several times, then all of them must be there"},
    {'j', "workers", OPTION_INT, PLACE(workers), "N", "run N jobs at a time", .minimum = 1, .maximum = 1000},
    {0, "timeout", OPTION_DURATION, PLACE(timeout), "DURATION", "end it after that"},
    {0, "on-stop", OPTION_CHOICE, PLACE(on_stop), "wait|leave|kill-after-a-while", "what becomes of runs", .choices = stops},
    {0, "ends", OPTION_CHOICES, PLACE(ends), "HOW,...", "one or several", .choices = stops},
    {0, "now", OPTION_CALL, .help = "at once", .call = call, .data = &one},
    {0, "set", OPTION_CALL, 0, "F=V", "a field", .call = call, .data = &ten},
    {0, "secret", OPTION_FLAG, PLACE(json)},
    {0},
};

#define MAX_WORDS 12

static int count_words(char *const *words)
{
    int count = 0;
    while (words[count])
        count++;
    return count;
}

/* What target holds, and the operands, as one text. */
static void show(struct buf *b, const struct target *t, char **words, int first)
{
    if (t->quiet)
        buf_text(b, "quiet ");
    if (t->json)
        buf_text(b, "json ");
    if (t->spool)
        buf_format(b, "spool=%s ", t->spool);
    for (size_t i = 0; i < t->tags.count; i++)
        buf_format(b, "tag=%s ", t->tags.items[i]);
    if (t->workers)
        buf_format(b, "workers=%d ", t->workers);
    if (t->timeout)
        buf_format(b, "timeout=%lld ", (long long)t->timeout);
    if (t->on_stop)
        buf_format(b, "on_stop=%d ", t->on_stop);
    if (t->ends)
        buf_format(b, "ends=%x ", t->ends);
    if (t->called)
        buf_format(b, "called=%d ", t->called);
    buf_char(b, ':');
    for (int i = first; words[i]; i++)
        buf_format(b, " %s", words[i]);
}

static void test_parse(void **state)
{
    static const struct {
        enum option_style style;
        char *words[MAX_WORDS];
        const char *result;
    } cases[] = {
        {OPTIONS_ANYWHERE, {NULL}, ":"},
        {OPTIONS_ANYWHERE, {"--quiet", "--json"}, "quiet json :"},
        {OPTIONS_ANYWHERE, {"a", "-q", "b", "--spool", "/x", "c"}, "quiet spool=/x : a b c"},
        {OPTIONS_ANYWHERE, {"a", "-q", "--", "--json", "b"}, "quiet : a --json b"},
        {OPTIONS_ANYWHERE, {"a", "b", "-j", "7"}, "workers=7 : a b"},
        {OPTIONS_ANYWHERE, {"-", "-q"}, "quiet : -"},
        {OPTIONS_ANYWHERE, {"", "-q"}, "quiet : "},
        {OPTIONS_FIRST, {"-q", "20m", "npm", "--json", "-q"}, "quiet : 20m npm --json -q"},
        {OPTIONS_FIRST, {"-q", "--", "--json"}, "quiet : --json"},
        {OPTIONS_FIRST, {"a", "--", "b"}, ": a -- b"},
        {OPTIONS_ANYWHERE, {"-qj5"}, "quiet workers=5 :"},
        {OPTIONS_ANYWHERE, {"-qj", "5"}, "quiet workers=5 :"},
        {OPTIONS_ANYWHERE, {"--workers=5", "--workers", "6"}, "workers=6 :"},
        {OPTIONS_ANYWHERE, {"--spool="}, "spool= :"},
        {OPTIONS_ANYWHERE, {"--spool", "--json"}, "spool=--json :"},
        {OPTIONS_ANYWHERE, {"-ta", "--tag=b", "-t", "c"}, "tag=a tag=b tag=c :"},
        {OPTIONS_ANYWHERE, {"--timeout", "90s"}, "timeout=90000000000 :"},
        {OPTIONS_ANYWHERE, {"--on-stop", "kill"}, "on_stop=2 :"},
        {OPTIONS_ANYWHERE, {"--ends", "kill"}, "ends=4 :"},
        {OPTIONS_ANYWHERE, {"--ends", "wait,kill,wait", "--ends=leave"}, "ends=7 :"},
        {OPTIONS_ANYWHERE, {"--now", "--set", "a=b", "--set=c=d"}, "called=21 :"},
        {OPTIONS_ANYWHERE, {"--secret"}, "json :"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *words[MAX_WORDS + 1] = {0};
        struct target t = {0};
        struct error e = {0};
        struct buf b = {0};
        memcpy(words, cases[i].words, sizeof cases[i].words);
        int first = options_parse(rows, cases[i].style, count_words(words), words, &t, &e);
        if (first < 0)
            fail_msg("case %zu: %s: %s", i, e.field, e.text);
        show(&b, &t, words, first);
        assert_string_equal(b.data, cases[i].result);
        strvec_clear(&t.tags);
        buf_clear(&b);
    }
}

static void test_refused(void **state)
{
    static const struct {
        char *words[MAX_WORDS];
        const char *field, *text;
    } cases[] = {
        {{"--tiemout", "5s"}, "--tiemout", "unknown option --tiemout; did you mean --timeout?"},
        {{"--tiemout=5s"}, "--tiemout", "unknown option --tiemout; did you mean --timeout?"},
        {{"--time", "5s"}, "--time", "unknown option --time; did you mean --timeout?"},
        {{"--secre"}, "--secre", "unknown option --secre"}, /* a hidden one is not told */
        {{"--deploy"}, "--deploy", "unknown option --deploy"},
        {{"--ends", "wait,kil"}, "--ends", "'kil' is none of wait, leave, kill; did you mean kill?"},
        {{"--ends", "wait,"}, "--ends", "'' is none of wait, leave, kill"},
        {{"a", "-x"}, "-x", "unknown option -x"},
        {{"-qx"}, "-x", "unknown option -x"},
        {{"-json"}, "-j", "a whole number is expected, not 'son'"},
        {{"-spool"}, "-s", "unknown option -s; did you mean --spool?"},
        {{"--json=yes"}, "--json", "takes no argument"},
        {{"--now=1"}, "--now", "takes no argument"},
        {{"--spool"}, "--spool", "an argument is missing: DIR"},
        {{"-qj"}, "-j", "an argument is missing: N"},
        {{"-j0"}, "-j", "0 is below 1"},
        {{"--workers=1001"}, "--workers", "1001 is above 1000"},
        {{"--workers=99999999999999999999"}, "--workers", "99999999999999999999 is above 1000"},
        {{"--workers=-99999999999999999999"}, "--workers", "-99999999999999999999 is below 1"},
        {{"--workers=4x"}, "--workers", "a whole number is expected, not '4x'"},
        {{"--workers="}, "--workers", "a whole number is expected, not ''"},
        {{"--workers= 4"}, "--workers", "a whole number is expected, not ' 4'"},
        {{"--on-stop", "kil"}, "--on-stop", "'kil' is none of wait, leave, kill; did you mean kill?"},
        {{"--on-stop", "never"}, "--on-stop", "'never' is none of wait, leave, kill"},
        {{"--timeout", "90"}, "--timeout", NULL},
        {{"--set", "bad"}, "--set", "bad it is"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char *words[MAX_WORDS + 1] = {0}, *same[MAX_WORDS + 1] = {0};
        struct target t = {0};
        struct error e = {0};
        memcpy(words, cases[i].words, sizeof cases[i].words);
        memcpy(same, words, sizeof same);
        int count = count_words(words);
        if (options_parse(rows, OPTIONS_ANYWHERE, count, words, &t, &e) != -ERROR_USAGE)
            fail_msg("case %zu was taken", i);
        assert_string_equal(e.field, cases[i].field);
        if (cases[i].text)
            assert_string_equal(e.text, cases[i].text);
        assert_memory_equal(words, same, sizeof same);
        assert_int_equal(options_parse(rows, OPTIONS_ANYWHERE, count, words, &t, NULL), -ERROR_USAGE);
    }
}

static void test_usage(void **state)
{
    (void)state;
    struct buf b = {0};
    options_usage(&b, rows);
    assert_string_equal(b.data,
        "  -q, --quiet             print only the number\n"
        "      --json              print JSON\n"
        "      --spool DIR         use the spool in DIR\n"
        "  -t, --tag TAG           only jobs having this tag; may be given several times,\n"
        "                          then all of them must be there\n"
        "  -j, --workers N         run N jobs at a time\n"
        "      --timeout DURATION  end it after that\n"
        "      --on-stop wait|leave|kill-after-a-while\n"
        "                          what becomes of runs\n"
        "      --ends HOW,...      one or several\n"
        "      --now               at once\n"
        "      --set F=V           a field\n");
    buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_parse),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_usage),
    };
    return cmocka_run_group_tests_name("options", tests, NULL, NULL);
}
