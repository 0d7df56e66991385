/* Notices and alarms in the store: each is there exactly when it should be. */
#include "spool/notify.h"
#include "tests/unit/store_fixture.h"

static struct store *begin(void **state)
{
    struct fixture *f = *state;
    OK(store_begin(f->s, true, &e));
    return f->s;
}

static uint64_t add(struct store *s, duration every, int overlap, const char *const *entries)
{
    struct job j;
    struct store_added added;
    fixture_job(&j, NULL, INSTANT_NONE);
    j.every = every;
    j.overlap = overlap;
    for (; *entries; entries++)
        strvec_add(&j.notify, *entries);
    OK(store_add(s, &j, NOW, STORE_REFUSE, &added, &e));
    job_clear(&j);
    return added.number;
}
#define ENTRIES(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct run claim(struct store *s, uint64_t number, instant now)
{
    struct store_claimed c;
    OK(store_claim(s, number, &(struct store_turn){.now = now, .since = INSTANT_NONE, .generation = 1}, &c, &e));
    assert_int_equal(c.verdict, LIFE_START);
    job_clear(&c.job);
    return c.run;
}

static void finish(struct store *s, struct run *r, enum outcome outcome, instant now)
{
    bool was_open;
    r->outcome = outcome;
    r->exit_code = outcome == OUTCOME_OK ? 0 : 1;
    r->ended = now;
    OK(store_finish(s, &(struct store_end){.run = r, .since = INSTANT_NONE}, now, &was_open, &e));
    assert_true(was_open);
    run_clear(r);
}

static void alarm_is(struct store *s, instant at, uint64_t number)
{
    struct store_alarm a;
    OK(store_alarm_first(s, &a, &e));
    assert_int_equal(a.at, at);
    assert_int_equal(a.number, number);
}

static void ring(struct store *s, instant now)
{
    struct store_alarm a;
    OK(store_alarm_first(s, &a, &e));
    assert_true(a.at <= now);
    OK(store_alarm_take(s, &a, now, &e));
}

static bool keep_notice(void *context, const struct notice *n)
{
    *(struct notice *)context = *n;
    return false;
}

static struct notice first_notice(struct store *s)
{
    struct notice n = {.number = 0};
    OK(store_each_notice(s, keep_notice, &n, &e));
    return n;
}

static void test_outcomes(void **state)
{
    struct fixture *f = *state;
    struct store *s = begin(state);
    uint64_t number = add(s, T(100), OVERLAP_SKIP, ENTRIES("failure=x", "recovery=y"));
    struct run r = claim(s, number, NOW + T(100));
    OK(store_commit(s, &e));

    s = begin(state); /* as the outcome, so the notice */
    struct run copy;
    run_copy(&copy, &r);
    finish(s, &copy, OUTCOME_FAILED, NOW + T(101));
    assert_int_equal(store_notice_count(s), 1);
    store_abort(s);
    s = begin(state);
    assert_int_equal(store_notice_count(s), 0);
    assert_int_equal(first_notice(s).number, 0);
    finish(s, &r, OUTCOME_FAILED, NOW + T(101));
    OK(store_commit(s, &e));

    s = begin(state);
    assert_int_equal(store_notice_count(s), 1);
    struct notice n = first_notice(s);
    assert_int_equal(n.event, NOTIFY_FAILURE);
    assert_int_equal(n.id.job, number);
    assert_int_equal(n.id.n, 1);
    assert_int_equal(n.due, NOW + T(100));
    n.tries = 2;
    n.next = NOW + T(500);
    OK(store_notice_again(s, &n, &e));
    struct notice again = first_notice(s);
    assert_int_equal(again.tries, 2);
    assert_int_equal(again.next, NOW + T(500));
    OK(store_notice_done(s, &n, &e));
    OK(store_notice_done(s, &n, &e)); /* somebody else was faster */
    assert_int_equal(store_notice_count(s), 0);
    assert_int_equal(store_notice_latest(s), 1);

    r = claim(s, number, NOW + T(200));
    finish(s, &r, OUTCOME_OK, NOW + T(201));
    n = first_notice(s);
    assert_int_equal(n.event, NOTIFY_RECOVERY);
    assert_int_equal(n.number, 2);
    alarm_is(s, INSTANT_NEVER, 0);
    OK(store_commit(f->s, &e));
}

static void test_nobody_asks(void **state)
{
    struct store *s = begin(state);
    uint64_t number = add(s, T(100), OVERLAP_SKIP, ENTRIES("recovery=y"));
    struct run r = claim(s, number, NOW + T(100));
    finish(s, &r, OUTCOME_FAILED, NOW + T(101));
    assert_int_equal(store_notice_count(s), 0);
    r = claim(s, number, NOW + T(200)); /* but that it failed is known */
    finish(s, &r, OUTCOME_OK, NOW + T(201));
    assert_int_equal(store_notice_count(s), 1);
    store_abort(s);
}

static void test_alarm_follows_state(void **state)
{
    struct store *s = begin(state);
    bool changed;
    struct store_cancelled cancelled;
    uint64_t number = add(s, T(100), OVERLAP_SKIP, ENTRIES("late 30s=x", "long 1m=y"));
    alarm_is(s, NOW + T(130), number);
    OK(store_pause(s, number, true, NOW, &changed, &e));
    alarm_is(s, INSTANT_NEVER, 0);
    OK(store_pause(s, number, false, NOW + T(1), &changed, &e));
    alarm_is(s, NOW + T(130), number);
    struct run r = claim(s, number, NOW + T(101));
    alarm_is(s, NOW + T(161), number);
    ring(s, NOW + T(161));
    alarm_is(s, INSTANT_NEVER, 0);
    assert_int_equal(first_notice(s).event, NOTIFY_LONG);
    assert_int_equal(first_notice(s).id.n, 1);
    finish(s, &r, OUTCOME_OK, NOW + T(170));
    alarm_is(s, NOW + T(230), number);
    OK(store_cancel(s, number, NOW + T(180), &cancelled, &e));
    free(cancelled.open);
    alarm_is(s, INSTANT_NEVER, 0);
    store_abort(s);
}

static void test_first_alarm(void **state)
{
    struct store *s = begin(state);
    uint64_t a = add(s, T(100), OVERLAP_SKIP, ENTRIES("late 50s=x"));
    uint64_t b = add(s, T(100), OVERLAP_SKIP, ENTRIES("late 20s=x"));
    add(s, T(100), OVERLAP_SKIP, ENTRIES("failure=x"));
    alarm_is(s, NOW + T(120), b);
    ring(s, NOW + T(120));
    alarm_is(s, NOW + T(150), a);
    assert_int_equal(first_notice(s).id.job, b);
    assert_int_equal(first_notice(s).id.n, 0);
    store_abort(s);
}

static void test_extra(void **state) /* overlap: allow */
{
    struct store *s = begin(state);
    uint64_t number = add(s, T(100), OVERLAP_ALLOW, ENTRIES("long 5m=x", "failure=y", "recovery=z"));
    struct run one = claim(s, number, NOW + T(100)), two = claim(s, number, NOW + T(200));
    assert_true(one.extra >= EXTRA_FIRST && two.extra >= EXTRA_FIRST);
    alarm_is(s, NOW + T(400), one.extra);
    OK(store_alarm_step(s, &one, T(1000), &e)); /* the clock was set forward */
    alarm_is(s, NOW + T(500), two.extra);
    OK(store_alarm_step(s, &one, T(-1000), &e));
    ring(s, NOW + T(400));
    assert_int_equal(first_notice(s).id.n, 1);
    assert_int_equal(first_notice(s).id.job, number);
    alarm_is(s, NOW + T(500), two.extra);
    finish(s, &two, OUTCOME_FAILED, NOW + T(450)); /* the health is that of the job */
    alarm_is(s, INSTANT_NEVER, 0);
    finish(s, &one, OUTCOME_OK, NOW + T(460));
    assert_int_equal(store_notice_count(s), 3);
    store_abort(s);
}

int main(void)
{
#define OPEN(test) cmocka_unit_test_setup_teardown(test, fixture_setup_open, fixture_teardown)
    const struct CMUnitTest tests[] = {
        OPEN(test_outcomes),
        OPEN(test_nobody_asks),
        OPEN(test_alarm_follows_state),
        OPEN(test_first_alarm),
        OPEN(test_extra),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
