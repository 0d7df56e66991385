#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/mail.h"

static void test_wanted(void **state)
{
    (void)state;
    static const struct {
        enum mail_rule rule;
        enum outcome outcome;
        int64_t bytes;
        bool want;
    } rows[] = {
        {MAIL_OUTPUT, OUTCOME_OK, 0, false},
        {MAIL_OUTPUT, OUTCOME_OK, 1, true},
        {MAIL_OUTPUT, OUTCOME_FAILED, 0, false},
        {MAIL_NEVER, OUTCOME_FAILED, 9, false},
        {MAIL_FAILURE, OUTCOME_OK, 9, false},
        {MAIL_FAILURE, OUTCOME_FAILED, 0, true},
        {MAIL_FAILURE, OUTCOME_TIMEOUT, 0, true},
        {MAIL_FAILURE, OUTCOME_CANCELLED, 0, false},
        {MAIL_FAILURE, OUTCOME_LOST, 0, true},
        {MAIL_ALWAYS, OUTCOME_OK, 0, true},
        {MAIL_ALWAYS, OUTCOME_CANCELLED, 0, true},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct job j;
        struct run r;
        job_init(&j);
        run_init(&r);
        j.mail = rows[i].rule;
        r.outcome = rows[i].outcome;
        r.output_bytes = rows[i].bytes;
        assert_false(mail_wanted(&j, &r)); /* nobody is named */
        j.mailto = mem_string("ops");
        if (mail_wanted(&j, &r) != rows[i].want)
            fail_msg("row %zu", i);
        job_clear(&j);
        run_clear(&r);
    }
}

static void test_addresses(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        int count; /* 0: refused */
    } rows[] = {
        {"root", 1},
        {"ops@example.org", 1},
        {"a@b.c, d+e@f.g", 2},
        {"a,b,c", 3},
        {"jürgen@exämple.org", 1},
        {"", 0},
        {"a,", 0},
        {",a", 0},
        {"-oQ/tmp", 0},
        {"a b", 0},
        {"a\nb", 0},
        {"a;b", 0},
        {"|sh", 0},
        {"/etc/x", 0},
        {"a\tb", 0},
        {"<a@b>", 0},
        {"a(b)", 0},
        {"\"a\"@b", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct strvec out = {0};
        struct error e = {0};
        int failed = mail_addresses(rows[i].text, &out, &e);
        if ((failed == 0) != (rows[i].count > 0) || (!failed && (int)out.count != rows[i].count))
            fail_msg("%s: %d, %zu", rows[i].text, failed, out.count);
        strvec_clear(&out);
    }
}

static char *header(const char *name, const char *command, const char *reason)
{
    struct job j;
    struct run r;
    struct buf b = {0};
    job_init(&j);
    run_init(&r);
    j.name = mem_string(name);
    j.mailto = mem_string("ops@example.org");
    strvec_add(&j.command, command);
    j.shell_line = true;
    strvec_env_set(&j.env, "PATH", "/usr/bin:/bin");
    r.id = (struct run_id){.job = 7, .n = 2};
    r.outcome = OUTCOME_FAILED;
    r.exit_code = 3;
    r.attempt = 2;
    r.due = 0;
    r.reason = mem_string(reason);
    mail_header(&(struct mail){.job = &j, .run = &r, .user = "web", .host = "pi"}, &b);
    job_clear(&j);
    run_clear(&r);
    return buf_take(&b);
}

static void test_header(void **state)
{
    (void)state;
    char *text = header("backup", "rsync -a", NULL);
    assert_string_equal(text, "From: web (Cron Daemon)\n"
                              "To: ops@example.org\n"
                              "Subject: Cron <web@pi> backup (failed, exit 3, attempt 2)\n"
                              "MIME-Version: 1.0\n"
                              "Content-Type: text/plain; charset=UTF-8\n"
                              "Content-Transfer-Encoding: 8bit\n"
                              "Auto-Submitted: auto-generated\n"
                              "X-Cron-Env: <SHELL=/bin/sh>\n"
                              "X-Cron-Env: <PATH=/usr/bin:/bin>\n"
                              "X-Cron-Env: <LOGNAME=web>\n"
                              "X-Ax-Run: 7.2\n"
                              "X-Ax-Outcome: failed, exit 3, attempt 2\n"
                              "X-Ax-Due: 1970-01-01T00:00:00Z\n"
                              "\n");
    free(text);
    text = header(NULL, "echo a\nBcc: everyone@example.org\n\nbody", "why\r\nX: y");
    assert_non_null(strstr(text, "Subject: Cron <web@pi> echo a Bcc: everyone@example.org  body (failed"));
    assert_non_null(strstr(text, "X-Ax-Reason: why  X: y\n"));
    assert_null(strstr(text, "\nBcc"));
    assert_null(strstr(text, "\n\nbody"));
    free(text);
    text = header("übung", "x", NULL);
    assert_non_null(strstr(text,
        "Subject: =?UTF-8?B?Q3JvbiA8d2ViQHBpPiDDvGJ1bmcgKGZhaWxlZCwgZXhpdCAzLCBhdHRlbXB0?=\n =?UTF-8?B?IDIp?=\n"));
    free(text);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wanted), cmocka_unit_test(test_addresses), cmocka_unit_test(test_header)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
