/* Names, checks of a whole job, ids of runs, words for outcomes and phases. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/job.h"

static void test_name(void **state)
{
    (void)state;
    static const struct { const char *name, *error; } rows[] = {
        {"backup", NULL}, {"a", NULL}, {"nightly backup", NULL}, {"B\xc3\xa4r", NULL}, {"12a", NULL}, {"1.2.3", NULL}, {"v1.2", NULL}, {"a-b", NULL},
        {".5", NULL}, {"+", NULL},
        {"", "empty"}, {" a", "blank"}, {"a ", "blank"}, {"-a", "option"}, {"12", "number"}, {"0", "number"}, {"99999999999999999999", "number"},
        {"12.3", "run"}, {"0.0", "run"}, {"012.3", "run"}, {"12.", "run"}, {"12.3+1", "run"},
        {"a\nb", "control"}, {"a\x7f", "control"}, {"a\xc2\x85", "control"}, {"a\x1b[31m", "control"}, {"a\xe2\x80\xae" "b", "control"},
        {"\xff", "UTF-8"}, {"a\xc3", "UTF-8"}, {"\xc0\xaf", "UTF-8"}, {"\xed\xa0\x80", "UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error e = {0};
        int failed = job_name_check(rows[i].name, &e);
        if (failed != (rows[i].error ? -ERROR_USAGE : 0) || (failed && !strstr(e.text, rows[i].error)))
            fail_msg("'%s': %d %s", rows[i].name, failed, e.text);
    }
    char name[102];
    memset(name, 'n', sizeof name);
    name[101] = '\0';
    assert_int_equal(job_name_check(name, NULL), -ERROR_USAGE);
    name[100] = '\0';
    assert_int_equal(job_name_check(name, NULL), 0);
}

static struct job job_of(const char *line)
{
    struct job j;
    job_init(&j);
    j.shell_line = true;
    if (line)
        strvec_add(&j.command, line);
    return j;
}

static void wants(struct job *j, const char *field)
{
    struct error e = {0};
    int failed = job_check(j, &e);
    if (failed != (field ? -ERROR_USAGE : 0) || strcmp(e.field, field ? field : "") != 0)
        fail_msg("wanted %s, got %d %s: %s", field ? field : "no error", failed, e.field, e.text);
    job_clear(j);
}

static char *text_of_length(size_t length)
{
    char *text = mem_alloc(length + 1);
    memset(text, 'x', length);
    text[length] = '\0';
    return text;
}

static void test_check(void **state)
{
    (void)state;
    struct job j = job_of("true");
    wants(&j, NULL);
    j = job_of(NULL);
    wants(&j, "command");
    j = job_of(" \t\n");
    wants(&j, "command");
    j = job_of("true");
    strvec_add(&j.command, "false");
    wants(&j, "command");
    j = job_of("");
    j.shell_line = false;
    wants(&j, "command");
    j = job_of(" "); /* as a vector: a program of that name */
    j.shell_line = false;
    wants(&j, NULL);
    j = job_of("true");
    strvec_clear(&j.shell);
    wants(&j, "shell");
    j = job_of("true");
    j.name = mem_string("5");
    wants(&j, "name");
    j = job_of("true");
    j.queue = mem_string("a\n");
    wants(&j, "queue");
    j = job_of("true");
    j.at = 5;
    wants(&j, NULL);
    j = job_of("true");
    j.at = 5;
    j.every = 5 * SECOND;
    wants(&j, "every");
}

static void test_size(void **state)
{
    (void)state;
    struct job j = job_of(NULL);
    strvec_take(&j.command, text_of_length(128 * 1024 - 1));
    wants(&j, NULL);
    j = job_of(NULL);
    strvec_take(&j.command, text_of_length(128 * 1024));
    wants(&j, "command");
    j = job_of("true");
    strvec_take(&j.kept_env, text_of_length(128 * 1024));
    wants(&j, "env");
    j = job_of("true"); /* together more than 6 MiB, whatever the stack limit */
    j.shell_line = false;
    for (int i = 0; i < 49; i++)
        strvec_take(&j.command, text_of_length(128 * 1024 - 1));
    wants(&j, "command");
    for (int more = 0; more < 2; more++) { /* one message to a worker holds it all */
        j = job_of("true");
        j.input = mem_string("");
        j.input_length = ((size_t)240 << 20) + (size_t)more;
        wants(&j, more ? "stdin" : NULL);
    }
    j = job_of("true"); /* pointers count */
    j.shell_line = false;
    for (int i = 0; i < 630000; i++)
        strvec_add(&j.env, "A");
    wants(&j, "command");
}

static void test_run_id(void **state)
{
    (void)state;
    static const struct { const char *text; bool ok; struct run_id id; } rows[] = {
        {"12.3", true, {12, 3, 0}}, {"1.1", true, {1, 1, 0}}, {"12.3+4", true, {12, 3, 4}}, {"12.0+1", true, {12, 0, 1}},
        {"18446744073709551615.4294967295", true, {UINT64_MAX, UINT32_MAX, 0}},
        {"18446744073709551616.1", false, {0}}, {"1.4294967296", false, {0}}, {"", false, {0}}, {"12", false, {0}}, {"12.", false, {0}}, {".3", false, {0}},
        {"12.3.4", false, {0}}, {"12.03", false, {0}}, {"012.3", false, {0}}, {"0.3", false, {0}}, {"12.0", false, {0}}, {"12.3+0", false, {0}}, {"12.3+", false, {0}},
        {" 12.3", false, {0}}, {"12.3 ", false, {0}}, {"-1.3", false, {0}}, {"a.b", false, {0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct run_id id = {0};
        char text[RUN_ID_SIZE];
        if (run_id_parse(rows[i].text, &id) != rows[i].ok)
            fail_msg("'%s'", rows[i].text);
        if (!rows[i].ok)
            continue;
        assert_true(id.job == rows[i].id.job && id.n == rows[i].id.n && id.note == rows[i].id.note);
        run_id_format(id, text);
        assert_string_equal(text, rows[i].text);
    }
    char longest[RUN_ID_SIZE];
    run_id_format((struct run_id){UINT64_MAX, UINT32_MAX, UINT32_MAX}, longest);
    assert_string_equal(longest, "18446744073709551615.4294967295+4294967295");
}

static void test_words(void **state)
{
    (void)state;
    for (enum outcome o = OUTCOME_NONE; o <= OUTCOME_MISSED; o++)
        assert_int_equal(outcome_find(outcome_name(o)), o);
    assert_string_equal(outcome_name(OUTCOME_UNSTARTABLE), "unstartable");
    assert_string_equal(outcome_name((enum outcome)77), "unknown");
    assert_int_equal(outcome_find("nonsense"), -1);
    static const struct { enum phase phase; instant ready; const char *word; } rows[] = {
        {PHASE_WAITING, 11, "waiting"}, {PHASE_WAITING, 10, "queued"}, {PHASE_RETRYING, 11, "retrying"}, {PHASE_RETRYING, 9, "queued"},
        {PHASE_RUNNING, 0, "running"}, {PHASE_DONE, 0, "done"}, {PHASE_FAILED, 0, "failed"}, {PHASE_CANCELLED, 0, "cancelled"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job_state s = {.phase = rows[i].phase, .ready = rows[i].ready};
        assert_string_equal(phase_name(&s, 10), rows[i].word);
    }
    struct job_state short_of = {.phase = PHASE_WAITING, .ready = 11, .shortage = 1}; /* due, but the system could not start it */
    assert_string_equal(phase_name(&short_of, 10), "queued");
}

static void test_schedule(void **state)
{
    (void)state;
    struct job j;
    job_init(&j);
    assert_int_equal(job_schedule_kind(&j), SCHEDULE_NONE);
    j.at = 0;
    assert_int_equal(job_schedule_kind(&j), SCHEDULE_AT);
    j.at = INSTANT_NONE;
    j.every = SECOND;
    assert_int_equal(job_schedule_kind(&j), SCHEDULE_EVERY);
    job_clear(&j);
    job_clear(&j); /* once more does no harm */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_name), cmocka_unit_test(test_check), cmocka_unit_test(test_size),
        cmocka_unit_test(test_run_id), cmocka_unit_test(test_words), cmocka_unit_test(test_schedule),
    };
    return cmocka_run_group_tests_name("job", tests, NULL, NULL);
}
