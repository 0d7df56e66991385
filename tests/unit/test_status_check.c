#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/status.h"

#define NOW (INT64_C(1767225600) * SECOND)
#define MIB (INT64_C(1) << 20)

/* A spool that does well, but for what a row says. */
struct facts {
    bool unserved;
    int64_t job_errors, waits, failed, missed, mail; /* waits: seconds */
    int64_t room; /* MiB; 0: plenty */
};

static void fill(struct status *s, const struct facts *f)
{
    static const struct view view = {.now = NOW};
    status_init(s, &view, 24 * 3600 * SECOND);
    s->served = (struct served){.pid = f->unserved ? 0 : 77, .since = INSTANT_NONE, .jobs = strdup("/etc/jobs")};
    s->job_errors = f->job_errors;
    s->overdue_job = f->waits ? 12 : 0;
    s->overdue = NOW - f->waits * SECOND;
    s->failed = (uint64_t)f->failed;
    s->last_failed.id = (struct run_id){.job = 3, .n = 4};
    s->last_failed.outcome = OUTCOME_TIMEOUT;
    s->missed = (uint64_t)f->missed;
    s->mail = f->mail;
    s->room = f->room ? f->room * MIB : 1 << 30;
    s->jobs = 1;
}

static void test_lines(void **state)
{
    static const struct {
        struct facts facts;
        enum status_level level;
        const char *line; /* as far as the `|` */
    } cases[] = {
        {{0}, STATUS_OK, "AX OK - 1 job, 0 running, 0 queued |"},
        {{.unserved = true}, STATUS_CRITICAL, "AX CRITICAL - nobody serves the spool |"},
        {{.job_errors = 1}, STATUS_WARNING, "AX WARNING - 1 error in the job files of /etc/jobs |"},
        {{.job_errors = 2}, STATUS_WARNING, "AX WARNING - 2 errors in the job files of /etc/jobs |"},
        {{.waits = 299}, STATUS_OK, "AX OK - 1 job, 0 running, 0 queued |"},
        {{.waits = 300}, STATUS_WARNING, "AX WARNING - job 12 waits for 5m already |"},
        {{.waits = 3600}, STATUS_CRITICAL, "AX CRITICAL - job 12 waits for 1h already |"},
        {{.failed = 1}, STATUS_WARNING, "AX WARNING - 1 run went wrong within 1d, the latest 3.4 (timeout) |"},
        {{.failed = 900}, STATUS_WARNING, "AX WARNING - 900 runs went wrong within 1d, the latest 3.4 (timeout) |"},
        {{.missed = 2}, STATUS_WARNING, "AX WARNING - 2 due times were missed within 1d |"},
        {{.mail = 19}, STATUS_OK, "AX OK - 1 job, 0 running, 0 queued, 19 mails waiting |"},
        {{.mail = 20}, STATUS_WARNING, "AX WARNING - 20 mails wait to be sent |"},
        {{.room = 201}, STATUS_OK, "AX OK - 1 job, 0 running, 0 queued |"},
        {{.room = 200}, STATUS_WARNING, "AX WARNING - only 200.0 MiB of room left for the spool |"},
        {{.room = 20}, STATUS_CRITICAL, "AX CRITICAL - only 20.0 MiB of room left for the spool |"},
        /* the gravest first */
        {{.job_errors = 1, .waits = 3600, .failed = 1}, STATUS_CRITICAL,
            "AX CRITICAL - job 12 waits for 1h already; 1 error in the job files of /etc/jobs; 1 run went wrong within 1d, the latest 3.4 (timeout) |"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status s;
        struct buf line = {0};
        fill(&s, &cases[i].facts);
        assert_int_equal(status_check(&s, &status_limits, &line), cases[i].level);
        buf_cut(&line, (size_t)(strchr(line.data, '|') - line.data) + 1);
        assert_string_equal(line.data, cases[i].line);
        buf_clear(&line);
        status_clear(&s);
    }
}

static void test_limits(void **state)
{
    static const struct {
        const char *text;
        enum status_measure measure;
        int64_t warning, critical; /* -2: refused */
    } cases[] = {
        {"5m", STATUS_OVERDUE, 300 * SECOND, -1}, {"5m,1h", STATUS_OVERDUE, 300 * SECOND, 3600 * SECOND}, {"-,1h", STATUS_OVERDUE, -1, 3600 * SECOND},
        {"5", STATUS_OVERDUE, -2, 0}, {"3", STATUS_FAILED, 3, -1}, {"3,9", STATUS_FAILED, 3, 9}, {"-", STATUS_FAILED, -1, -1}, {"3,", STATUS_FAILED, -2, 0},
        {"", STATUS_FAILED, -2, 0}, {"-3", STATUS_FAILED, -2, 0}, {"3,4,5", STATUS_FAILED, -2, 0}, {"3M", STATUS_FAILED, -2, 0}, {"99999999999", STATUS_FAILED, -2, 0},
        {"1000", STATUS_ROOM, 1000, -1}, {"2M,1K", STATUS_ROOM, 2 * MIB, 1024}, {"1K,2M", STATUS_ROOM, -2, 0}, {"9,3", STATUS_FAILED, -2, 0}, {"0", STATUS_FAILED, -2, 0}, {"1GiB", STATUS_ROOM, 1024 * MIB, -1}, {"1X", STATUS_ROOM, -2, 0}, {"1KB", STATUS_ROOM, -2, 0},
        {"1iB", STATUS_ROOM, -2, 0}, {"M", STATUS_ROOM, -2, 0}, {"99999999T", STATUS_ROOM, -2, 0},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct status_limits limits = status_limits, before = limits;
        int code = status_limit_parse(cases[i].text, cases[i].measure, &limits, NULL);
        if (cases[i].warning == -2) {
            if (code == 0)
                fail_msg("%s is taken", cases[i].text);
            assert_memory_equal(&limits, &before, sizeof limits);
            continue;
        }
        if (code != 0)
            fail_msg("%s is refused", cases[i].text);
        assert_int_equal(limits.of[cases[i].measure].warning, cases[i].warning);
        assert_int_equal(limits.of[cases[i].measure].critical, cases[i].critical);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines), cmocka_unit_test(test_limits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
