/* Crontab lines as jobs: names, marks, and what the fields are. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/mem.h"
#include "spool/crontab_job.h"
#include "spool/crontab_mark.h"

/* ---- names ---- */

static const struct {
    const char *prefix, *command, *name;
} names[] = {
    {"crontab", "/usr/local/bin/monthly-report", "crontab-monthly-report"},
    {"crontab", "/usr/local/bin/monthly-report", "crontab-monthly-report-2"},
    {"crontab", "/opt/other/monthly-report >/dev/null 2>&1", "crontab-monthly-report-3"},
    {"crontab", "monthly-report-2", "crontab-monthly-report-2-2"}, /* the name was given to another */
    {"crontab", "cd /srv/app && ./manage.py cleanup", "crontab-manage.py-cleanup"},
    {"crontab", "cd /srv/app; ./x", "crontab-cd-app-x"},
    {"crontab", "a  2>&1", "crontab-a"},
    {"crontab", "a 2", "crontab-a-2"},
    {"crontab", "a", "crontab-a-3"}, /* crontab-a-2 is taken */
    {"crontab", "echo \"it's\" \xc3\xa9t\xc3\xa9", "crontab-echo-it-s-t"},
    {"crontab", "", "crontab-job"},
    {"crontab", "   ", "crontab-job-2"},
    {"crontab", ">/tmp/x", "crontab-job-3"},
    {"crontab", "/", "crontab-job-4"},
    {"crontab", "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa", "crontab-aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"},
    {"", "x", "crontab-x"},
    {"-- --", "x", "crontab-x-2"},
    {"2026", "5", "2026-5"},
    {"-n", "x", "n-x"},
    {"\x1b[31m", "\x1b]0;x\x07", "31m-0-x"},
};

static void test_names(void **state)
{
    struct crontab_names given = {0};
    struct error e;
    (void)state;
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        char *name = crontab_names_take(&given, names[i].prefix, names[i].command);
        if (strcmp(name, names[i].name) != 0 || job_name_check(name, &e) < 0)
            fail_msg("row %zu: %s, not %s", i, name, names[i].name);
        free(name);
    }
    crontab_names_clear(&given);
}

static void test_prefix(void **state)
{
    static const char *const rows[][2] = {{"/etc/cron.d/backup", "backup"}, {"my.crontab", "my"}, {"a/b.cron", "b"}, {"/x/web.txt", "web"},
        {"/x/e2.user", "e2.user"}, {".cron", ".cron"}, {"/x/", ""}};
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        char *prefix = crontab_prefix(rows[i][0]);
        assert_string_equal(prefix, rows[i][1]);
        free(prefix);
    }
}

/* ---- marks ---- */

static const struct {
    const char *text, *lines, *marked; /* lines: a letter for each, x is to be marked */
    size_t marks;
} marks[] = {
    {"a\nb\nc\n", "x-x", "#ax# a\nb\n#ax# c\n", 2},
    {"a\nb", "-x", "a\n#ax# b", 1},
    {"#ax# a\nb\n", "xx", "#ax# a\n#ax# b\n", 1},
    {"\n\n a\r\n", "--x", "\n\n#ax#  a\r\n", 1},
    {"#ax#a\n#ax\n", "--", "#ax#a\n#ax\n", 0},
    {"", "", "", 0},
};

static void test_marks(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        struct buf marked = {0}, before = {0}, after = {0};
        int lines[8];
        size_t count = 0, length = strlen(marks[i].text);
        for (int n = 0; marks[i].lines[n]; n++)
            if (marks[i].lines[n] == 'x')
                lines[count++] = n + 1;
        assert_int_equal(crontab_mark(&marked, marks[i].text, length, lines, count), marks[i].marks);
        assert_string_equal(buf_string(&marked), marks[i].marked);
        crontab_unmark(&before, marks[i].text, length);
        crontab_unmark(&after, buf_string(&marked), marked.length);
        assert_string_equal(buf_string(&after), buf_string(&before));
        buf_clear(&marked);
        buf_clear(&before);
        buf_clear(&after);
    }
}

/* ---- jobs ---- */

struct made {
    struct crontab c;
    struct crontab_made job;
    int code;
    struct error e;
};

static const char *home_of(void *context, const char *user)
{
    (void)context;
    return strcmp(user, "other") == 0 ? "/home/other" : strcmp(user, "me") == 0 ? "/home/me" : NULL;
}

/* The last line of the text. */
static struct made make(const char *text, bool system, bool root)
{
    struct crontab_rules rules = {.kind = system ? CRONTAB_SYSTEM : CRONTAB_USER, .cron_tz = true, .home_of = home_of};
    struct crontab_place place = {.source = "crontab:x", .path = "/x", .runner = root ? "root" : "me", .root = root};
    struct made m = {0};
    if (!system) {
        rules.user = "me";
        rules.home = "/home/me";
    }
    crontab_read(text, strlen(text), &rules, &m.c);
    assert_true(m.c.count > 0);
    m.code = crontab_job(&m.c, &m.c.lines[m.c.count - 1], &place, &m.job, &m.e);
    return m;
}

static void made_clear(struct made *m)
{
    if (m->code == 0) {
        job_clear(&m->job.job);
        strvec_clear(&m->job.notes);
    }
    crontab_clear(&m->c);
}

static const char *shown(const char *text)
{
    return text ? text : "-";
}

static char *env_text(const struct job *j)
{
    struct buf b = {0};
    for (size_t i = 0; i < j->env.count; i++)
        buf_format(&b, i ? " %s" : "%s", j->env.items[i]);
    return buf_take(&b);
}

/* user cwd shell mailto mail, and the environment */
static const struct {
    const char *text;
    bool system, root;
    const char *fields, *env;
} jobs[] = {
    {"* * * * * x\n", false, false, "- /home/me /bin/sh me 0", "SHELL=/bin/sh PATH=/usr/bin:/bin"},
    {"* * * * * x\n", false, true, "me /home/me /bin/sh me 0", "SHELL=/bin/sh PATH=/usr/bin:/bin"},
    {"* * * * * me x\n", true, false, "- /home/me /bin/sh me 0", "SHELL=/bin/sh PATH=/usr/bin:/bin"},
    {"* * * * * other x\n", true, true, "other /home/other /bin/sh other 0", "SHELL=/bin/sh PATH=/usr/bin:/bin"},
    {"* * * * * other x\n", true, false, NULL, "it runs as other, and only root can do that: import it as root"},
    {"HOME=/srv\n* * * * * x\n", false, false, "- /srv /bin/sh me 0", "SHELL=/bin/sh HOME=/srv PATH=/usr/bin:/bin"},
    {"HOME=srv\n* * * * * x\n", false, false, "- /home/me /bin/sh me 0", "SHELL=/bin/sh HOME=srv PATH=/usr/bin:/bin"},
    {"SHELL=/bin/bash\nMAILTO=a@b\n* * * * * x\n", false, false, "- /home/me /bin/bash a@b 0", "SHELL=/bin/bash PATH=/usr/bin:/bin MAILTO=a@b"},
    {"MAILTO=\"\"\n* * * * * x\n", false, false, "- /home/me /bin/sh - 1", "SHELL=/bin/sh PATH=/usr/bin:/bin MAILTO="},
    {"MAILTO=-x\n* * * * * x\n", false, false, "- /home/me /bin/sh - 1", "SHELL=/bin/sh PATH=/usr/bin:/bin MAILTO=-x"},
    {"LOGNAME=x\nUSER=y\n* * * * * x\n", false, false, "- /home/me /bin/sh me 0", "SHELL=/bin/sh PATH=/usr/bin:/bin USER=y"},
    {"SHELL=\"\"\n* * * * * x\n", false, false, NULL, "the shell is empty"},
};

static void test_jobs(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof jobs / sizeof *jobs; i++) {
        struct made m = make(jobs[i].text, jobs[i].system, jobs[i].root);
        const struct job *j = &m.job.job;
        if (m.code < 0 || !jobs[i].fields) {
            if (m.code == 0 || jobs[i].fields)
                fail_msg("row %zu: %s", i, m.code < 0 ? m.e.text : "taken");
            assert_string_equal(m.e.text, jobs[i].env);
            made_clear(&m);
            continue;
        }
        char *fields = mem_format("%s %s %s %s %d", shown(j->user), shown(j->cwd), j->shell.items[0], shown(j->mailto), j->mail), *env = env_text(j);
        if (strcmp(fields, jobs[i].fields) != 0 || strcmp(env, jobs[i].env) != 0)
            fail_msg("row %zu: %s; %s", i, fields, env);
        assert_true(j->overlap == OVERLAP_ALLOW && j->catchup == CATCHUP_SKIP && j->weight == 0 && !j->name);
        free(fields);
        free(env);
        made_clear(&m);
    }
}

static void test_blank_command_and_input(void **state)
{
    (void)state;
    struct made m = make("@reboot  %a%%b\n", false, false);
    assert_int_equal(m.code, 0);
    assert_string_equal(m.job.job.command.items[0], ":");
    assert_string_equal(m.job.job.input, "a\n\nb\n");
    assert_int_equal(m.job.job.input_length, 5);
    assert_int_equal(m.job.job.boot, BOOT_MACHINE);
    assert_int_equal(m.job.job.cron.count, 0);
    made_clear(&m);
}

static void test_anacron(void **state)
{
    static const char text[] = "SHELL=/bin/bash\n1 5 day x\n9 5 nine x\n";
    static const struct crontab_rules rules = {.user = "root", .home = "/root"};
    static const struct crontab_place place = {.source = "crontab:x", .runner = "root", .root = true};
    struct anacrontab a;
    (void)state;
    anacrontab_read(text, strlen(text), &rules, &a);
    for (size_t i = 0; i < 2; i++) {
        struct crontab_made made;
        assert_int_equal(crontab_job_anacron(&a, i, &place, &made, NULL), 0);
        assert_string_equal(made.job.shell.items[0], "/bin/sh");
        assert_int_equal(made.job.catchup, CATCHUP_LATEST);
        assert_int_equal(made.job.overlap, OVERLAP_SKIP);
        assert_int_equal(made.job.cron.count, i == 0);
        if (i)
            assert_true(made.job.every == (duration)9 * 24 * 3600 * SECOND);
        job_clear(&made.job);
        strvec_clear(&made.notes);
    }
    anacrontab_clear(&a);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_names),  cmocka_unit_test(test_prefix), cmocka_unit_test(test_marks),
        cmocka_unit_test(test_jobs),   cmocka_unit_test(test_blank_command_and_input), cmocka_unit_test(test_anacron),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
