#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/mem.h"
#include "lib/time/cron.h"
#include "spool/anacrontab.h"

static const struct crontab_rules debian = {.user = "root", .home = "/h"};
static const struct crontab_rules cronie = {.dialect = CRONTAB_CRONIE, .user = "root", .home = "/h"};

static bool same(const char *a, const char *b)
{
    return a && b ? !strcmp(a, b) : a == b;
}

/* As `anacron -T` and a run of anacron 2.3 have it. */
static const struct {
    const char *text;
    const struct crontab_rules *rules;
    enum crontab_status status;
    const char *reason; /* how it begins */
    int days, minutes;
    const char *id, *cron, *command;
} lines[] = {
    {"1\t5\tcron.daily\trun-parts --report /etc/cron.daily", &debian, CRONTAB_JOB, NULL, 1, 5, "cron.daily",
        "5 0 * * *", "run-parts --report /etc/cron.daily"},
    {"7 70 w x", &debian, CRONTAB_JOB, NULL, 7, 70, "w", "10 1 * * 0", "x"},
    {" @monthly 15 m  x  ", &debian, CRONTAB_JOB, NULL, 0, 15, "m", "15 0 1 * *", "x  "},
    {"10 0 a-b_c x", &debian, CRONTAB_JOB, NULL, 10, 0, "a-b_c", NULL, "x"},
    {"1 5000 d x", &debian, CRONTAB_JOB, NULL, 1, 5000, "d", "59 23 * * *", "x"},
    {"0 0 z x", &debian, CRONTAB_REPORTED, "a period of 0 days", 0, 0, "z", NULL, "x"},
    {"1 0 a A=b date +%H # x", &debian, CRONTAB_JOB, NULL, 1, 0, "a", "0 0 * * *", "A=b date +%H # x"},
    {"1 0 a echo a\\\\b c\\d %", &debian, CRONTAB_REPORTED, "anacron drops the backslashes", 1, 0, "a", "0 0 * * *",
        "echo ab cd %"},
    {"1 0 a x \\\n   y", &debian, CRONTAB_JOB, NULL, 1, 0, "a", "0 0 * * *", "x     y"},
    {"1 0 a x\r", &debian, CRONTAB_REPORTED, "the line ends in a carriage return", 1, 0, "a", "0 0 * * *", "x"},
    {"@daily 0 d x", &debian, CRONTAB_REFUSED, "Unknown named period", 0, 0, NULL, NULL, NULL},
    {"@weekly 0 d x", &cronie, CRONTAB_JOB, NULL, 0, 0, "d", "0 0 * * 0", "x"},
    {"@yearly 0 d x", &cronie, CRONTAB_JOB, NULL, 0, 0, "d", "0 0 1 1 *", "x"},
    {"@foo 0 d x", &cronie, CRONTAB_REFUSED, "Unknown named period", 0, 0, NULL, NULL, NULL},
    {"1 0 a/b x", &debian, CRONTAB_REFUSED, "Invalid syntax", 0, 0, NULL, NULL, NULL},
    {"1 0 a", &debian, CRONTAB_REFUSED, "Invalid syntax", 0, 0, NULL, NULL, NULL},
    {"1x 0 a x", &debian, CRONTAB_REFUSED, "Invalid syntax", 0, 0, NULL, NULL, NULL},
    {"-1 0 a x", &debian, CRONTAB_REFUSED, "Invalid syntax", 0, 0, NULL, NULL, NULL},
    {"E F=g", &debian, CRONTAB_REFUSED, "Invalid syntax", 0, 0, NULL, NULL, NULL},
    {"99999999999 0 a x", &debian, CRONTAB_REFUSED, "number out of range", 0, 0, NULL, NULL, NULL},
    {"1 2147483648 a x", &debian, CRONTAB_REFUSED, "number out of range", 0, 0, NULL, NULL, NULL},
};

static void check_taken(size_t i, const struct crontab_line *l, const struct anacron_job *job)
{
    struct cron c;
    assert_int_equal(job->days, lines[i].days);
    assert_int_equal(job->minutes, lines[i].minutes);
    assert_true(!l->cron || cron_parse(l->cron, 0, &c, NULL, NULL) == 0);
    assert_true(l->notes.count >= 1);
}

static void test_lines(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        struct anacrontab a;
        anacrontab_read(lines[i].text, strlen(lines[i].text), lines[i].rules, &a);
        assert_int_equal(a.tab.count, 1);
        const struct crontab_line *l = &a.tab.lines[0];
        size_t shown = lines[i].reason ? strlen(lines[i].reason) : 0;
        if (l->status != lines[i].status || (l->reason == NULL) != (lines[i].reason == NULL) ||
            (shown && strncmp(l->reason, lines[i].reason, shown)))
            fail_msg("%s: status %d: %s", lines[i].text, (int)l->status, l->reason ? l->reason : "no reason");
        if (!same(a.jobs[0].id, lines[i].id) || !same(l->cron, lines[i].cron) || !same(l->command, lines[i].command))
            fail_msg("%s: '%s'", lines[i].text, l->command ? l->command : "(none)");
        if (l->status != CRONTAB_REFUSED)
            check_taken(i, l, &a.jobs[0]);
        anacrontab_clear(&a);
    }
}

static void test_file(void **state)
{
    (void)state;
    static const char text[] = "# c\\\ngoes on\nA= \"q\" \n  C  =c # d\nPATH=/p\n\n# each day\n1 0 one x\nA=\n1 \\\n0 "
                               "two y\nSHELL=/bin/bash\n1 0 three z\nnonsense\n";
    struct anacrontab a;
    struct strvec env = {0};
    anacrontab_read(text, strlen(text), &debian, &a);
    assert_int_equal(a.tab.count, 4);
    assert_int_equal(a.tab.jobs, 3);
    assert_int_equal(a.tab.refused, 1);
    assert_int_equal(a.tab.lines[0].line, 8);
    assert_string_equal(a.tab.lines[0].comment, "each day");
    assert_int_equal(a.tab.lines[1].line, 10);
    assert_int_equal(a.tab.lines[2].line, 13);
    assert_int_equal(a.tab.lines[2].notes.count, 2); /* the fixed time; SHELL */
    crontab_env(&a.tab, &a.tab.lines[0], &env);
    assert_string_equal(strvec_env_get(&env, "A"), " \"q\" ");
    assert_string_equal(strvec_env_get(&env, "C"), "c # d");
    assert_string_equal(strvec_env_get(&env, "PATH"), "/p");
    assert_string_equal(strvec_env_get(&env, "HOME"), "/h");
    crontab_env(&a.tab, &a.tab.lines[1], &env);
    assert_string_equal(strvec_env_get(&env, "A"), "");
    strvec_clear(&env);
    anacrontab_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_file)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
