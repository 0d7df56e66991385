/* The field notify: its entries, and when somebody is to be told, by virtual time. Times are in seconds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/life.h"
#include "spool/notify.h"

/* ---- entries ---- */

static void test_entries(void **state)
{
    (void)state;
    static const struct {
        const char *name, *line, *says; /* says NULL: fine */
        int event;
        int64_t after;
    } rows[] = {
        {"failure", "true", NULL, NOTIFY_FAILURE, 0},
        {"gave_up", "true", NULL, NOTIFY_GAVE_UP, 0},
        {"recovery", "true", NULL, NOTIFY_RECOVERY, 0},
        {"late 10m", "true", NULL, NOTIFY_LATE, 600},
        {"late PT1H", "true", NULL, NOTIFY_LATE, 3600},
        {"long 1h30m", "true", NULL, NOTIFY_LONG, 5400},
        {"failures", "true", "did you mean 'failure'?", 0, 0},
        {"faliure", "true", "did you mean 'failure'?", 0, 0},
        {"recover", "true", "did you mean 'recovery'?", 0, 0},
        {"Late 10m", "true", "there is no event 'Late'", 0, 0},
        {"success", "true", "there are failure, gave_up", 0, 0},
        {"", "true", "there is no event ''", 0, 0},
        {"none", "true", "there is no event", 0, 0},
        {"failure 10m", "true", "stands alone", 0, 0},
        {"late", "true", "needs a duration", 0, 0},
        {"long ", "true", "long: ", 0, 0},
        {"late 10", "true", "unit", 0, 0},
        {"late  10m", "true", "late: ", 0, 0},
        {"late 0s", "true", "less than a second", 0, 0},
        {"late -5m", "true", "late: ", 0, 0},
        {"late 10m 20m", "true", "late: ", 0, 0},
        {"failure", " \t", "line is empty", 0, 0},
        {"failure", "", "line is empty", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct error e = {0};
        struct notify_rule rule = {0};
        int failed = notify_check(rows[i].name, rows[i].line, &e);
        if (!failed != !rows[i].says || (failed && !strstr(e.text, rows[i].says)))
            fail_msg("'%s': %s", rows[i].name, e.text);
        if (failed)
            continue;
        assert_int_equal(notify_parse(rows[i].name, &rule, &e), 0);
        assert_int_equal(rule.event, rows[i].event);
        assert_int_equal(rule.after, rows[i].after * SECOND);
    }
}

static struct job job_with(const char *const *entries)
{
    struct job j;
    job_init(&j);
    j.number = 7;
    j.retry_jitter = 0;
    j.shell_line = true;
    strvec_add(&j.command, "true");
    for (; *entries; entries++)
        strvec_add(&j.notify, *entries);
    return j;
}
#define ENTRIES(...) ((const char *const[]){__VA_ARGS__, NULL})

static void test_find(void **state)
{
    (void)state;
    struct notify_rule rule;
    struct error e = {0};
    struct job j = job_with(ENTRIES("failure=a=b", "late 1h=c", "late 10m=d", "long 5m=e"));
    assert_int_equal(job_check(&j, &e), 0);
    assert_true(notify_find(&j, NOTIFY_FAILURE, 0, &rule));
    assert_string_equal(rule.line, "a=b");
    assert_true(notify_find(&j, NOTIFY_GAVE_UP, 0, &rule)); /* nobody named it: it is a failure */
    assert_int_equal(rule.event, NOTIFY_FAILURE);
    assert_false(notify_find(&j, NOTIFY_RECOVERY, 0, &rule));
    assert_false(notify_find(&j, NOTIFY_LATE, 601 * SECOND, &rule));
    assert_int_equal(notify_next(&j, NOTIFY_LATE, -1), 600 * SECOND);
    assert_int_equal(notify_next(&j, NOTIFY_LATE, 600 * SECOND), 3600 * SECOND);
    assert_int_equal(notify_next(&j, NOTIFY_LATE, 3600 * SECOND), DURATION_NONE);
    assert_int_equal(notify_latest(&j, NOTIFY_LATE, 3599 * SECOND), 600 * SECOND);
    assert_int_equal(notify_latest(&j, NOTIFY_LATE, 9999 * SECOND), 3600 * SECOND);
    assert_int_equal(notify_latest(&j, NOTIFY_LATE, 599 * SECOND), DURATION_NONE);
    strvec_add(&j.notify, "gave_up=f");
    assert_true(notify_find(&j, NOTIFY_GAVE_UP, 0, &rule));
    assert_string_equal(rule.line, "f");
    strvec_add(&j.notify, "late 600s=g");
    assert_int_equal(job_check(&j, &e), -ERROR_USAGE);
    assert_string_equal(e.field, "notify");
    assert_non_null(strstr(e.text, "'late 10m' and 'late 600s' are the same"));
    job_clear(&j);
}

/* ---- when ---- */

enum event {
    END,
    CLAIM,
    OK,
    FAILED,
    LOST,
    CANCELLED,
    UNSTARTABLE,
    STOPPED,
    UNCLAIM,
    ALARM,
    PAUSE,
    RESUME,
    SERVED,
    STEP,
    JUMP,
};

struct step {
    int64_t now;
    enum event event;
    const char *want; /* what is told, `-` for nothing, and the next alarm */
};

struct rules {
    const char *notify[4];
    int64_t at, every, jitter, start_within;
    int retries, overlap, catchup;
};

struct player {
    struct job job;
    struct schedule schedule;
    struct zones zones;
    struct life life;
    instant since;
    struct job_state state;
    struct run run;
    struct life_notes notes;
};

static struct life *view(struct player *p, instant now)
{
    struct error e = {0};
    schedule_clear(&p->schedule);
    if (job_schedule(&p->job, &p->zones, &p->schedule, &e) != 0)
        fail_msg("%s: %s", e.field, e.text);
    p->life = (struct life){
        .job = &p->job, .schedule = &p->schedule, .now = now, .since = p->since, .boot = 1, .notes = &p->notes};
    return &p->life;
}

static void play_end(struct player *p, instant now, enum event event)
{
    static const enum outcome outcomes[] = {[OK] = OUTCOME_OK,
        [FAILED] = OUTCOME_FAILED,
        [LOST] = OUTCOME_LOST,
        [CANCELLED] = OUTCOME_CANCELLED,
        [UNSTARTABLE] = OUTCOME_UNSTARTABLE,
        [STOPPED] = OUTCOME_KILLED};
    p->run.outcome = outcomes[event];
    p->run.exit_code = event == OK ? 0 : 1;
    p->run.ended = now;
    life_outcome(view(p, now), &p->state, &p->run, event == STOPPED);
    life_notify_health(&p->state, &p->notes.notice);
    run_clear(&p->run);
}

static void play_event(struct player *p, const struct step *step)
{
    instant now = step->now * SECOND;
    life_notes_clear(&p->notes);
    p->notes.notice.event = NOTIFY_NONE;
    switch (step->event) {
    case CLAIM:
        life_claim(view(p, now), &p->state, &p->run);
        break;
    case UNCLAIM:
        run_clear(&p->run);
        life_unclaim(&p->state, now, &p->notes);
        break;
    case ALARM:
        life_alarm_take(view(p, now), &p->state);
        break;
    case PAUSE:
        life_pause(&p->state);
        break;
    case RESUME:
        life_resume(&p->state, now);
        break;
    case SERVED: /* nobody did until now */
        p->since = now;
        break;
    case JUMP: /* the clock is set forward, from 1000 */
        life_alarm_step(&p->state, now - 1000 * SECOND);
        break;
    case STEP: /* the clock is set back, from 1000 */
        life_clock_step(view(p, now), &p->state, now - 1000 * SECOND);
        break;
    default:
        play_end(p, now, step->event);
    }
}

static void add_result(struct buf *b, const struct player *p)
{
    const struct notice *n = &p->notes.notice;
    if (n->event)
        notify_name(b, n->event, n->after);
    else
        buf_char(b, '-');
    if (n->event && n->id.note)
        buf_format(b, " row");
    else if (n->event && n->id.n)
        buf_format(b, " of run %u", n->id.n);
    if (n->event)
        buf_format(b, " due %" PRId64, n->due / SECOND);
    if (life_alarm(&p->state) != INSTANT_NEVER)
        buf_format(b, ", alarm %" PRId64, life_alarm(&p->state) / SECOND);
}

static void play(const struct rules *r, const struct step *steps)
{
    struct player p = {.job = job_with(r->notify), .since = INSTANT_NONE};
    p.job.at = r->at ? r->at * SECOND : INSTANT_NONE;
    p.job.every = r->every ? r->every * SECOND : DURATION_NONE;
    p.job.start_within = r->start_within ? r->start_within * SECOND : DURATION_NONE;
    p.job.jitter = r->jitter * SECOND;
    p.job.retries = r->retries;
    p.job.overlap = r->overlap;
    p.job.catchup = r->catchup;
    life_begin(view(&p, 0), &p.state);
    for (int i = 0; steps[i].event != END; i++) {
        struct buf got = {0};
        play_event(&p, &steps[i]);
        add_result(&got, &p);
        if (strcmp(buf_string(&got), steps[i].want) != 0)
            fail_msg("row %d: got  \"%s\"\n       want \"%s\"", i + 1, buf_string(&got), steps[i].want);
        buf_clear(&got);
    }
    life_notes_clear(&p.notes);
    run_clear(&p.run);
    schedule_clear(&p.schedule);
    zones_clear(&p.zones);
    job_clear(&p.job);
}
#define PLAY(...) play(&(const struct rules){__VA_ARGS__}, (const struct step[])
#define STEPS_END                                                                                                      \
    {                                                                                                                  \
        0, END, NULL                                                                                                   \
    }

static void test_outcomes(void **state)
{
    (void)state;
    PLAY(.every = 100) { /* each occurrence that ended badly; one ok after it */
        {100, CLAIM, "-"}, {101, OK, "-"},
        {200, CLAIM, "-"}, {201, FAILED, "failure of run 2 due 200"},
        {300, CLAIM, "-"}, {301, UNSTARTABLE, "failure of run 3 due 300"},
        {400, CLAIM, "-"}, {401, OK, "recovery of run 4 due 400"},
        {500, CLAIM, "-"}, {501, OK, "-"}, STEPS_END});
    PLAY(.every = 1000, .retries = 2) { /* attempts that are tried again are nobody's business */
        {1000, CLAIM, "-"}, {1000, FAILED, "-"},
        {1100, CLAIM, "-"}, {1100, OK, "-"},
        {2000, CLAIM, "-"}, {2000, FAILED, "-"},
        {2100, CLAIM, "-"}, {2100, FAILED, "-"},
        {2200, CLAIM, "-"}, {2200, FAILED, "gave_up of run 5 due 2000"},
        {3000, CLAIM, "-"}, {3000, UNSTARTABLE, "failure of run 6 due 3000"}, /* its first run was its last */
        {4000, CLAIM, "-"}, {4000, FAILED, "-"},
        {4100, CLAIM, "-"}, {4100, OK, "recovery of run 8 due 4000"}, STEPS_END});
    PLAY(.every = 100) { /* what somebody wanted is no failure, and no recovery */
        {100, CLAIM, "-"}, {101, FAILED, "failure of run 1 due 100"},
        {200, CLAIM, "-"}, {201, CANCELLED, "-"},
        {300, CLAIM, "-"}, {301, STOPPED, "-"},
        {301, CLAIM, "-"}, {302, OK, "recovery of run 4 due 300"}, STEPS_END});
    PLAY(.at = 100) { /* three reruns, then it has failed */
        {100, CLAIM, "-"}, {101, LOST, "-"}, {101, CLAIM, "-"}, {102, LOST, "-"},
        {102, CLAIM, "-"}, {103, LOST, "-"}, {103, CLAIM, "-"}, {104, LOST, "gave_up of run 4 due 100"}, STEPS_END});
}

static void test_long(void **state)
{
    (void)state;
    PLAY(.notify = {"long 1m=x", "long 10m=y"}, .every = 1000) {
        {1000, CLAIM, "-, alarm 1060"},
        {1059, ALARM, "-, alarm 1060"}, /* not yet */
        {1060, ALARM, "long 1m of run 1 due 1000, alarm 1600"},
        {1060, ALARM, "-, alarm 1600"}, /* once */
        {1600, ALARM, "long 10m of run 1 due 1000"},
        {1700, OK, "-"},
        {2000, CLAIM, "-, alarm 2060"}, {2050, OK, "-"},
        {3000, CLAIM, "-, alarm 3060"},
        {9000, ALARM, "long 10m of run 3 due 3000"}, STEPS_END}); /* nobody served: the larger one alone */
    PLAY(.notify = {"long 1m=x"}, .at = 100, .retries = 3) { /* each run */
        {100, CLAIM, "-, alarm 160"}, {160, ALARM, "long 1m of run 1 due 100"}, {170, FAILED, "-"},
        {200, CLAIM, "-, alarm 260"}, {260, ALARM, "long 1m of run 2 due 100"}, STEPS_END});
    PLAY(.notify = {"long 1m=x"}, .at = 980) { /* the clock is set back by 500: the length stays */
        {980, CLAIM, "-, alarm 1040"}, {500, STEP, "-, alarm 540"}, STEPS_END});
    PLAY(.notify = {"long 1m=x"}, .at = 980) { /* and forward by an hour */
        {980, CLAIM, "-, alarm 1040"}, {4600, JUMP, "-, alarm 4640"}, {4639, ALARM, "-, alarm 4640"},
        {4640, ALARM, "long 1m of run 1 due 980"}, STEPS_END});
    PLAY(.notify = {"late 1m=x"}, .at = 980) { /* what waits for the clock goes by the clock */
        {4600, JUMP, "-, alarm 1040"}, STEPS_END});
}

static void test_late(void **state)
{
    (void)state;
    PLAY(.notify = {"late 1m=x", "late 10m=y"}, .every = 1000) {
        {900, ALARM, "-, alarm 1060"},
        {1000, CLAIM, "-"}, {1500, OK, "-, alarm 2060"}, /* in time */
        {2060, ALARM, "late 1m due 2000, alarm 2600"},
        {2060, ALARM, "-, alarm 2600"},
        {2100, CLAIM, "-"}, /* told already */
        {2110, OK, "-, alarm 3060"},
        {3700, CLAIM, "late 10m of run 3 due 3000"}, /* nobody had said so before it started: the larger one alone */
        {3710, OK, "-, alarm 4060"},
        {4060, ALARM, "late 1m due 4000, alarm 4600"},
        {4600, ALARM, "late 10m due 4000"},
        {4700, CLAIM, "-"}, STEPS_END});
    PLAY(.notify = {"late 1m=x"}, .every = 1000) { /* the worker died before it started: once all the same */
        {1100, CLAIM, "late 1m of run 1 due 1000"}, {1101, UNCLAIM, "-"}, {1102, CLAIM, "-"}, STEPS_END});
    PLAY(.notify = {"late 1m=x"}, .every = 1000, .jitter = 30) { /* what it was given to start in is not late */
        {0, ALARM, "-, alarm 1090"}, {1090, ALARM, "late 1m due 1000"}, STEPS_END});
    PLAY(.notify = {"late 1m=x"}, .every = 1000) { /* a person has paused it */
        {500, PAUSE, "-"}, {1500, ALARM, "-"}, {1600, RESUME, "-, alarm 1660"},
        {1600, CLAIM, "-"}, STEPS_END});
    PLAY(.notify = {"late 1m=x"}, .at = 100) { /* retries are not late */
        {100, CLAIM, "-"}, {101, LOST, "-"}, {500, CLAIM, "-"}, STEPS_END});
}

static void test_missed(void **state)
{
    (void)state;
    PLAY(.notify = {"late 1m=x"}, .every = 1000, .catchup = CATCHUP_SKIP) { /* one message for all of them */
        {5500, SERVED, "-, alarm 1060"},
        {5500, CLAIM, "late 1m row due 1000, alarm 6060"}, STEPS_END});
    PLAY(.notify = {"late 10m=x"}, .every = 1000, .catchup = CATCHUP_SKIP) { /* at once: it will never start */
        {1001, SERVED, "-, alarm 1600"},
        {1002, CLAIM, "late 10m row due 1000, alarm 2600"}, STEPS_END});
    PLAY(.notify = {"late 1m=x"}, .every = 1000) { /* the latest runs, late: that one is told of */
        {5500, SERVED, "-, alarm 1060"},
        {5500, CLAIM, "late 1m of run 1 due 5000"}, STEPS_END});
    PLAY(.notify = {"late 10m=x"}, .every = 1000) { /* or it is in time, and those before it are not */
        {5100, SERVED, "-, alarm 1600"},
        {5100, CLAIM, "late 10m row due 1000"}, STEPS_END});
    PLAY(.notify = {"late 1m=x"}, .at = 100, .start_within = 300) {
        {160, ALARM, "late 1m due 100"},
        {500, CLAIM, "-"}, STEPS_END}); /* missed, and told already */
    PLAY(.notify = {"late 10m=x"}, .at = 100, .start_within = 300) {
        {500, CLAIM, "late 10m row due 100"}, STEPS_END});
    PLAY(.notify = {"late 1m=x"}, .every = 1000, .catchup = CATCHUP_SKIP) { /* while it was paused */
        {500, PAUSE, "-"}, {3500, RESUME, "-, alarm 3560"}, {3500, CLAIM, "-, alarm 4060"}, STEPS_END});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_entries),
        cmocka_unit_test(test_find),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_long),
        cmocka_unit_test(test_late),
        cmocka_unit_test(test_missed),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
