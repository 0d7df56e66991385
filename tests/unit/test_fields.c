/* The table of fields: what each takes and refuses, as JSON and as text, and that what is written is read back the same. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text/json.h"
#include "spool/fields.h"
#include "spool/rlimits.h"

#define NOW (INT64_C(1767225600) * SECOND) /* 2026-01-01T00:00:00Z */

static struct field_context context;

static int setup(void **state)
{
    (void)state;
    struct zone *utc;
    if (zone_load("UTC", &utc, NULL) < 0)
        return -1;
    context = (struct field_context){.zone = utc, .now = NOW, .directory = NULL};
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    zone_free((struct zone *)(uintptr_t)context.zone);
    return 0;
}

static struct value json_of(const char *text)
{
    struct value v = {0};
    struct error e = {0};
    if (json_read(text, strlen(text), &v, &e) < 0)
        fail_msg("the test's own JSON %s: %s", text, e.text);
    return v;
}

static char *json_text(const struct value *v)
{
    struct buf b = {0};
    json_write(&b, v, NULL);
    return buf_take(&b);
}

/* A map as import reads it; then what is printed of it, as JSON. NULL: printed as it was written. */
static void test_read(void **state)
{
    (void)state;
    static const struct { const char *in, *out; } rows[] = {
        {"{\"command\":\"echo a; echo b\"}", NULL},
        {"{\"command\":[\"printf\",\"%s\",\"\"]}", NULL},
        {"{\"command\":[\"sleep\",5]}", "{\"command\":[\"sleep\",\"5\"]}"},
        {"{\"command\":\"x\",\"shell\":\"bash\"}", "{\"command\":\"x\",\"shell\":[\"bash\",\"-c\"]}"},
        {"{\"command\":\"x\",\"shell\":[\"bash\",\"-euo\",\"pipefail\",\"-c\"]}", NULL},
        {"{\"command\":\"x\",\"shell\":\"/bin/sh\"}", "{\"command\":\"x\"}"},
        {"{\"command\":\"x\",\"stdin\":\"a\\nb\"}", NULL},
        {"{\"command\":\"x\",\"stdin\":\"\"}", NULL},
        {"{\"command\":\"x\",\"name\":\"n\",\"description\":\"d\",\"tags\":[\"a\",\"b\"]}", NULL},
        {"{\"command\":\"x\",\"tags\":\"a, b,a\"}", "{\"command\":\"x\",\"tags\":[\"a\",\"b\"]}"},
        {"{\"command\":\"x\",\"at\":\"2026-03-01T12:00:00Z\"}", NULL},
        {"{\"command\":\"x\",\"at\":\"2026-03-01T13:00+01:00\"}", "{\"command\":\"x\",\"at\":\"2026-03-01T12:00:00Z\"}"},
        {"{\"command\":\"x\",\"in\":\"20m\"}", "{\"command\":\"x\",\"at\":\"2026-01-01T00:20:00Z\"}"},
        {"{\"command\":\"x\",\"every\":\"90m\"}", "{\"command\":\"x\",\"every\":\"1h30m\"}"},
        {"{\"command\":\"x\",\"start_within\":\"5m\",\"timeout\":\"250ms\",\"kill_after\":\"0s\"}", NULL},
        {"{\"command\":\"x\",\"start_within\":\"none\",\"timeout\":null}", "{\"command\":\"x\"}"},
        {"{\"command\":\"x\",\"queue\":\"gpu\",\"weight\":0,\"priority\":-1000}", NULL},
        {"{\"command\":\"x\",\"queue\":\"default\",\"weight\":1,\"priority\":0}", "{\"command\":\"x\"}"},
        {"{\"command\":\"x\",\"retries\":1000000,\"retry_delay\":\"5s\",\"retry_backoff\":\"linear\",\"retry_max_delay\":\"1h\",\"retry_jitter\":0}", NULL},
        {"{\"command\":\"x\",\"retry_delay\":[\"1s\",\"1m\"],\"retry_backoff\":\"fixed\",\"retry_jitter\":\"25%\"}",
         "{\"command\":\"x\",\"retry_delay\":[\"1s\",\"1m\"],\"retry_backoff\":\"fixed\",\"retry_jitter\":25}"},
        {"{\"command\":\"x\",\"retry_delay\":\"1s, 1m\"}", "{\"command\":\"x\",\"retry_delay\":[\"1s\",\"1m\"]}"},
        {"{\"command\":\"x\",\"retry_delay\":[\"30s\"],\"retry_backoff\":\"exponential\",\"success_exit\":[0]}", "{\"command\":\"x\"}"},
        {"{\"command\":\"x\",\"no_retry_exit\":[2,64,255],\"success_exit\":[0,1]}", NULL},
        {"{\"command\":\"x\",\"no_retry_exit\":3,\"success_exit\":\"1,4-6\"}", "{\"command\":\"x\",\"no_retry_exit\":[3],\"success_exit\":[1,4,5,6]}"},
        {"{\"command\":\"x\",\"if_lost\":\"fail\",\"lost_max\":0}", NULL},
        {"{\"command\":\"x\",\"cwd\":\"/srv/a b\",\"umask\":\"027\",\"env_file\":\"/e\",\"user\":\"u\",\"group\":\"g\",\"nice\":-20}", NULL},
        {"{\"command\":\"x\",\"umask\":\"0\"}", "{\"command\":\"x\",\"umask\":\"000\"}"},
        {"{\"command\":\"x\",\"env\":{\"A\":\"\",\"B c\":\"d=e\"},\"rlimits\":{\"nofile\":\"10:20\",\"as\":\"2G\"}}", NULL},
        {"{\"command\":\"x\",\"env\":{\"N\":5},\"rlimits\":{\"cpu\":60}}", "{\"command\":\"x\",\"env\":{\"N\":\"5\"},\"rlimits\":{\"cpu\":\"60\"}}"},
        {"{\"command\":\"x\",\"output_max\":0}", NULL},
        {"{\"command\":\"x\",\"keep_runs\":1,\"keep_for\":\"1m\"}", NULL},
        {"{\"command\":\"x\",\"keep_runs\":1000,\"keep_for\":\"90d\"}", "{\"command\":\"x\"}"},
        {"{\"command\":\"x\",\"keep_for\":\"none\"}", NULL},
        {"{\"command\":\"x\",\"paused\":true}", NULL},
        {"{\"command\":\"x\",\"paused\":false}", NULL},
        {"{\"command\":\"x\",\"output_max\":\"64K\"}", "{\"command\":\"x\",\"output_max\":65536}"},
        {"{\"command\":\"x\",\"output_max\":\"10M\"}", "{\"command\":\"x\"}"},
        {"{\"command\":\"x\",\"output_max\":\"5k\",\"rlimits\":{\"as\":\"2g\"}}", "{\"command\":\"x\",\"rlimits\":{\"as\":\"2g\"},\"output_max\":5120}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job j, back;
        struct error e = {0};
        struct value in = json_of(rows[i].in);
        job_init(&j);
        job_init(&back);
        if (fields_read(&j, &in, &context, &e) < 0)
            fail_msg("%s: %s: %s", rows[i].in, e.field, e.text);
        struct value out = fields_write(&j, FIELD_PRINT);
        char *text = json_text(&out);
        assert_string_equal(text, rows[i].out ? rows[i].out : rows[i].in);
        assert_int_equal(fields_read(&back, &out, &context, &e), 0);
        struct value again = fields_write(&back, FIELD_RECORD), record = fields_write(&j, FIELD_RECORD);
        assert_true(value_equal(&again, &record));
        free(text);
        value_clear(&in);
        value_clear(&out);
        value_clear(&again);
        value_clear(&record);
        job_clear(&j);
        job_clear(&back);
    }
}

/* Beside a good command. The field is named, the text says what is wrong, and nothing of the field is changed. */
static void test_refused(void **state)
{
    (void)state;
    static const struct { const char *field, *value, *says; } rows[] = {
        {"command", "\"\"", "empty"}, {"command", "\" \\t\"", "empty"}, {"command", "[]", "first word"}, {"command", "[\"\"]", "first word"}, {"command", "5", "shell line"},
        {"command", "[\"a\",[\"b\"]]", "a list"}, {"command", "{\"a\":1}", "a map"}, {"command", "\"a\\u0000b\"", "NUL"}, {"command", "[\"a\",\"b\\u0000\"]", "NUL"},
        {"shell", "\"bash -c\"", "more than one word"}, {"shell", "[]", "empty"}, {"shell", "\"\"", "empty"}, {"shell", "1.5", "fraction"},
        {"stdin", "5", "a whole number"}, {"name", "\"12\"", "number"}, {"name", "\"\"", "empty"}, {"name", "\"a\\u0000b\"", "NUL"}, {"name", "5", "wants a text"},
        {"description", "[]", "a list"}, {"tags", "5", "list of texts"}, {"tags", "[\"a b\"]", "blanks"}, {"tags", "[\"\"]", "empty"}, {"tags", "\"a,,b\"", "empty"},
        {"at", "1767225600", "a time"}, {"at", "\"2025-01-01T00:00Z\"", "past"}, {"at", "\"\"", NULL}, {"at", "\"2026-02-30T00:00Z\"", NULL},
        {"in", "\"90\"", NULL}, {"in", "90", "a duration"}, {"in", "\"-5m\"", NULL}, {"in", "\"1h30\"", NULL}, {"in", "\"99999999999999h\"", NULL}, {"in", "\"\"", NULL},
        {"every", "\"0s\"", NULL}, {"every", "\"10ms\"", NULL}, {"every", "60", NULL}, {"every", "[\"1m\"]", "a duration"},
        {"start_within", "\"0s\"", "longer than 0s"}, {"timeout", "\"0s\"", "longer than 0s"}, {"timeout", "\"-5m\"", NULL}, {"timeout", "\"90\"", NULL}, {"timeout", "90", "unit"},
        {"timeout", "\"\"", NULL}, {"timeout", "true", "a duration"}, {"timeout", "\"99999999999999h\"", NULL}, {"kill_after", "\"none\"", NULL}, {"kill_after", "\"-1s\"", NULL},
        {"queue", "\"5\"", "number"}, {"queue", "\"\"", "empty"}, {"weight", "-1", "from 0 to 10000"}, {"weight", "10001", "from 0 to 10000"}, {"weight", "1.0", "whole number"},
        {"weight", "\"\"", "whole number"}, {"weight", "\"1x\"", "whole number"}, {"weight", "\"1\"", "not a text"}, {"weight", "\"10%\"", "whole number"},
        {"priority", "-1001", "from -1000 to 1000"}, {"priority", "1001", "from -1000 to 1000"}, {"priority", "\"-5\"", "not a text"}, {"command", "[\"a\",true]", "not true or false"}, {"command", "[\"sleep\",0.5]", "with a fraction"}, {"env", "{\"A\":true}", "A: wants a text"},
        {"priority", "\"--1\"", "whole number"}, {"priority", "\"-\"", "whole number"}, {"priority", "\"+1\"", "whole number"},
        {"retries", "-1", "from 0 to 1000000"}, {"retries", "1000001", "from 0 to 1000000"}, {"retries", "\"three\"", "whole number"}, {"retries", "true", "whole number"},
        {"retry_delay", "[]", "takes 1 to"}, {"retry_delay", "\"1s,\"", NULL}, {"retry_delay", "[\"1s\",\"x\"]", NULL}, {"retry_delay", "\"none\"", NULL}, {"retry_delay", "{}", "a map"},
        {"retry_backoff", "\"cubic\"", "exponential, linear, fixed"}, {"retry_backoff", "0", "one of"}, {"retry_backoff", "\"line\"", "one of"},
        {"retry_jitter", "101", "from 0 to 100"}, {"retry_jitter", "\"10%%\"", "percentage"}, {"retry_jitter", "\"%\"", "percentage"}, {"retry_jitter", "-1", "from 0"},
        {"no_retry_exit", "256", "0 to 255"}, {"no_retry_exit", "-1", "exit code"}, {"no_retry_exit", "\"5-3\"", "smaller one first"}, {"no_retry_exit", "\"1,\"", "exit code"},
        {"no_retry_exit", "\"a\"", "exit code"}, {"no_retry_exit", "[1,\"2-\"]", "exit code"}, {"no_retry_exit", "\"0-99999999999999999999\"", "0 to 255"},
        {"success_exit", "[]", "at least one"}, {"success_exit", "[true]", "exit codes"}, {"success_exit", "\"\"", "exit code"},
        {"if_lost", "\"ignore\"", "rerun, fail"}, {"lost_max", "-1", "from 0"},
        {"cwd", "\"sub\"", "whole path"}, {"cwd", "\"\"", "empty"}, {"cwd", "\"/a\\u0000\"", "NUL"}, {"env_file", "\"x\"", "whole path"},
        {"umask", "22", "octal text"}, {"umask", "\"8\"", "octal"}, {"umask", "\"1000\"", "octal"}, {"umask", "\"-1\"", "octal"}, {"umask", "\"\"", "octal"}, {"umask", "\"00022\"", "octal"},
        {"env", "[\"A=1\"]", "a map"}, {"env", "{\"\":\"x\"}", "empty"}, {"env", "{\"A=B\":\"x\"}", "'='"}, {"env", "{\"A\":\"x\\u0000\"}", "A: holds a NUL"},
        {"env", "{\"A\":true}", "A: wants a text"}, {"user", "\"\"", "empty"}, {"group", "7", "wants a text"}, {"nice", "20", "from -20 to 19"}, {"nice", "-21", "from -20 to 19"},
        {"rlimits", "{\"nofiles\":\"5\"}", "no resource limit"}, {"rlimits", "{\"nofile\":\"x\"}", "no limit"}, {"rlimits", "{\"nofile\":\"20:10\"}", "above the hard"},
        {"notify", "{\"failures\":\"x\"}", "did you mean 'failure'"}, {"notify", "{\"late\":\"x\"}", "needs a duration"}, {"notify", "{\"failure\":\" \"}", "line is empty"},
        {"notify", "{\"long 1\":\"x\"}", "long: "}, {"notify", "\"x\"", "a map"},
        {"keep_runs", "0", "from 1"}, {"keep_for", "\"59s\"", "1m"}, {"paused", "\"true\"", "true or false"}, {"paused", "1", "true or false"},
        {"output_max", "-1", "from 0"}, {"output_max", "\"10X\"", "bytes"}, {"output_max", "\"9999999999999T\"", "from 0"}, {"output_max", "\"1M1\"", "bytes"}, {"output_max", "\"M\"", "bytes"},
        {"retry_delays", "\"5s\"", "'retry_delay'"}, {"zzzzzz", "1", "no such field"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job j;
        struct error e = {0};
        struct value map = value_map();
        value_put(&map, rows[i].field, json_of(rows[i].value));
        job_init(&j);
        int failed = fields_read(&j, &map, &context, &e);
        if (failed != -ERROR_USAGE || strcmp(e.field, rows[i].field) != 0 || !e.text[0] || (rows[i].says && !strstr(e.text, rows[i].says)))
            fail_msg("%s %s: got %d %s: %s", rows[i].field, rows[i].value, failed, e.field, e.text);
        struct value left = fields_write(&j, FIELD_RECORD);
        assert_int_equal(left.list.count, 0);
        value_clear(&left);
        value_clear(&map);
        job_clear(&j);
    }
}

static void test_whole(void **state)
{
    (void)state;
    static const struct { const char *in, *field; } rows[] = {
        {"{}", "command"}, {"{\"name\":\"x\"}", "command"}, {"{\"command\":null}", "command"}, {"[]", ""}, {"5", ""},
        {"{\"command\":\"x\",\"in\":\"5m\",\"at\":\"2026-03-01T12:00:00Z\"}", "at"}, {"{\"command\":\"x\",\"at\":\"2026-03-01T12:00:00Z\",\"every\":\"5m\"}", "every"},
        {"{\"command\":\"x\",\"every\":\"5m\",\"in\":\"5m\"}", "in"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job j;
        struct error e = {0};
        struct value in = json_of(rows[i].in);
        job_init(&j);
        assert_int_equal(fields_read(&j, &in, &context, &e), -ERROR_USAGE);
        assert_string_equal(e.field, rows[i].field);
        value_clear(&in);
        job_clear(&j);
    }
}

/* From the command line: one text at a time. */
static void test_text(void **state)
{
    (void)state;
    static const struct { const char *field, *texts[3], *out; } rows[] = {
        {"tags", {"a", "b,c", "a"}, "[\"a\",\"b\",\"c\"]"},
        {"env", {"A=1", "B=x=y", "A=2"}, "{\"A\":\"2\",\"B\":\"x=y\"}"},
        {"env", {"A="}, "{\"A\":\"\"}"},
        {"notify", {"failure=a=b c", "late 1h30m=x", "failure=y"}, "{\"failure\":\"y\",\"late 1h30m\":\"x\"}"},
        {"rlimits", {"nofile=10", "core=0:unlimited"}, "{\"nofile\":\"10\",\"core\":\"0:unlimited\"}"},
        {"retry_delay", {"9s", "1s,5s,1m"}, "[\"1s\",\"5s\",\"1m\"]"}, /* the last one counts */
        {"success_exit", {"0,3"}, "[0,3]"}, {"success_exit", {"7", "3"}, "[3]"},
        {"retries", {"3"}, "3"}, {"priority", {"-5"}, "-5"}, {"retry_jitter", {"20%"}, "20"}, {"timeout", {"90s"}, "\"1m30s\""}, {"timeout", {"5m", "none"}, "null"},
        {"umask", {"77"}, "\"077\""}, {"output_max", {"1K"}, "1024"}, {"command", {"echo"}, "\"echo\""}, {"shell", {"bash"}, "[\"bash\",\"-c\"]"}, {"output_max", {"5k"}, "5120"},
        {"shell", {" bash -eu\t-c "}, "[\"bash\",\"-eu\",\"-c\"]"},
        {"stdin", {"-"}, "\"-\""}, {"every", {"5m"}, "\"5m\""}, {"in", {"0s"}, "null"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job j;
        struct error e = {0};
        const struct field *f = field_find(rows[i].field);
        job_init(&j);
        for (int k = 0; k < 3 && rows[i].texts[k]; k++)
            if (field_set_text(&j, f, rows[i].texts[k], &context, &e) < 0)
                fail_msg("%s %s: %s", f->name, rows[i].texts[k], e.text);
        struct value v = field_get(&j, f, FIELD_PRINT);
        char *text = json_text(&v);
        assert_string_equal(text, rows[i].out);
        free(text);
        value_clear(&v);
        job_clear(&j);
    }
    static const struct { const char *field, *text; } bad[] = {{"env", "A"}, {"env", "=x"}, {"env", ""}, {"rlimits", "nofile"}, {"tags", ""}, {"cwd", "sub"}};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct job j;
        struct error e = {0};
        job_init(&j);
        assert_int_equal(field_set_text(&j, field_find(bad[i].field), bad[i].text, &context, &e), -ERROR_USAGE);
        assert_string_equal(e.field, bad[i].field);
        job_clear(&j);
    }
}

static void test_directory(void **state)
{
    (void)state;
    struct field_context there = context;
    struct job j;
    there.directory = "/home/u";
    job_init(&j);
    assert_int_equal(field_set_text(&j, field_find("cwd"), "sub", &there, NULL), 0);
    assert_string_equal(j.cwd, "/home/u/sub");
    assert_int_equal(field_set_text(&j, field_find("cwd"), "/tmp", &there, NULL), 0);
    assert_string_equal(j.cwd, "/tmp");
    job_clear(&j);
}

/* The table agrees with itself: the default as text, as number and as job_init has it; every row has its help; null goes back to the default. */
static void test_table(void **state)
{
    (void)state;
    struct job j;
    job_init(&j);
    for (const struct field *f = fields; f->name; f++) {
        struct error e = {0};
        assert_ptr_equal(field_find(f->name), f);
        assert_true(f->help && *f->help && (f->placeholder || f->kind == FIELD_SAID));
        if (!field_is_default(&j, f))
            fail_msg("%s: job_init does not have the default of the table", f->name);
        if (f->fallback && field_set_text(&j, f, f->fallback, &context, &e) < 0)
            fail_msg("%s: %s", f->name, e.text);
        if (!field_is_default(&j, f))
            fail_msg("%s: %s is not the default", f->name, f->fallback);
    }
    struct value map = json_of("{\"command\":\"x\",\"shell\":\"b\",\"stdin\":\"y\",\"name\":\"n\",\"tags\":\"t\",\"every\":\"5m\",\"timeout\":\"5m\",\"weight\":5,\"retry_delay\":[\"1s\",\"2s\"],"
                               "\"retry_backoff\":\"fixed\",\"success_exit\":[1],\"cwd\":\"/\",\"umask\":\"7\",\"env\":{\"A\":\"1\"},\"output_max\":1}");
    struct value null = {0};
    assert_int_equal(fields_read(&j, &map, &context, NULL), 0);
    for (const struct field *f = fields; f->name; f++) {
        assert_int_equal(field_is_default(&j, f), value_get(&map, f->name) == NULL);
        assert_int_equal(field_set(&j, f, &null, &context, NULL), 0);
        assert_true(field_is_default(&j, f));
    }
    assert_int_equal(j.input_length, 0);
    assert_false(j.shell_line);
    value_clear(&map);
    job_clear(&j);
    assert_null(field_find("nonsense"));
    assert_string_equal(field_nearest("timeuot"), "timeout");
}

static void test_rlimits(void **state)
{
    (void)state;
    static const struct { const char *name, *text; int resource; rlim_t soft, hard; } rows[] = {
        {"nofile", "1024", RLIMIT_NOFILE, 1024, 1024}, {"nofile", "10:20", RLIMIT_NOFILE, 10, 20}, {"as", "2G", RLIMIT_AS, (rlim_t)2 << 30, (rlim_t)2 << 30},
        {"core", "0:unlimited", RLIMIT_CORE, 0, RLIM_INFINITY}, {"stack", "unlimited", RLIMIT_STACK, RLIM_INFINITY, RLIM_INFINITY},
        {"fsize", "1K:1T", RLIMIT_FSIZE, 1024, (rlim_t)1 << 40}, {"cpu", "60", RLIMIT_CPU, 60, 60}, {"data", "5M", RLIMIT_DATA, 5 << 20, 5 << 20},
        {"nproc", "7", RLIMIT_NPROC, 7, 7}, {"memlock", "64K", RLIMIT_MEMLOCK, 65536, 65536},
    };
    static const char *const bad[][2] = {
        {"rss", "1"}, {"", "1"}, {"nofile", ""}, {"nofile", "-1"}, {"nofile", "1K"}, {"cpu", "1M"}, {"as", "1X"}, {"as", "1KK"}, {"as", "99999999999999999999"}, {"as", "99999999999T"},
        {"nofile", "1:"}, {"nofile", ":1"}, {"nofile", "1:2:3"}, {"nofile", "unlimited:5"}, {"nofile", "unlimite"}, {"nofile", "18446744073709551615"}, {"nofile", " 1"},
    };
    struct strvec list = {0};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct child_limit limit;
        assert_int_equal(rlimits_parse(rows[i].name, rows[i].text, &limit, NULL), 0);
        assert_int_equal(limit.resource, rows[i].resource);
        assert_true(limit.value.rlim_cur == rows[i].soft && limit.value.rlim_max == rows[i].hard);
        strvec_env_set(&list, rows[i].name, rows[i].text);
    }
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        struct child_limit limit;
        if (rlimits_parse(bad[i][0], bad[i][1], &limit, NULL) != -ERROR_USAGE)
            fail_msg("%s=%s", bad[i][0], bad[i][1]);
    }
    struct child_limit *limits;
    int count;
    assert_int_equal(rlimits_all(&list, &limits, &count, NULL), 0);
    assert_int_equal(count, 9);
    assert_int_equal(limits[0].resource, RLIMIT_NOFILE);
    assert_true(limits[0].value.rlim_cur == 10);
    free(limits);
    struct job j;
    struct error e = {0};
    job_init(&j);
    assert_int_equal(fields_limits(&j, &limits, &count, &e), 0);
    assert_int_equal(count, 0);
    strvec_add(&list, "nofile");
    strvec_copy(&j.rlimits, &list);
    assert_int_equal(fields_limits(&j, &limits, &count, &e), -ERROR_USAGE);
    assert_string_equal(e.field, "rlimits");
    strvec_clear(&list);
    job_clear(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read), cmocka_unit_test(test_refused), cmocka_unit_test(test_whole), cmocka_unit_test(test_text),
        cmocka_unit_test(test_directory), cmocka_unit_test(test_table), cmocka_unit_test(test_rlimits),
    };
    return cmocka_run_group_tests_name("fields", tests, setup, teardown);
}
