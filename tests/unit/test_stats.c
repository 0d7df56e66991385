#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/stats.h"

static void add(struct stats *s, enum outcome outcome, duration took)
{
    struct run r;
    run_init(&r);
    r.id = (struct run_id){.job = 1, .n = 1};
    r.outcome = outcome;
    r.started = 1000;
    r.ended = 1000 + took;
    stats_add(s, &r);
}

/* The ranks of 1..n, whatever their order was. */
static void test_percentiles(void **state)
{
    static const struct {
        int count;
        duration p50, p95, p99, max;
    } cases[] = {
        {0, -1, -1, -1, -1}, {1, 1, 1, 1, 1}, {2, 1, 2, 2, 2}, {3, 2, 3, 3, 3}, {10, 5, 10, 10, 10}, {100, 50, 95, 99, 100}, {1000, 500, 950, 990, 1000},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stats s = {0};
        for (int n = 0; n < cases[i].count; n++)
            add(&s, OUTCOME_OK, (n * 7919) % cases[i].count + 1); /* 7919 is prime: each once */
        struct stats_durations d = stats_durations(&s);
        assert_int_equal(d.p50, cases[i].p50);
        assert_int_equal(d.p95, cases[i].p95);
        assert_int_equal(d.p99, cases[i].p99);
        assert_int_equal(d.max, cases[i].max);
        stats_clear(&s);
    }
}

static void test_trend(void **state)
{
    static const struct {
        int before, recent; /* how long the earlier runs took, and the latest 30 */
        int count;          /* earlier runs */
        double trend;
    } cases[] = {{100, 100, 10, 1}, {100, 150, 10, 1.5}, {100, 50, 500, 0.5}, {100, 150, 9, -1}, {0, 150, 10, -1}};
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct stats s = {0};
        for (int n = 0; n < cases[i].count; n++)
            add(&s, OUTCOME_OK, cases[i].before);
        for (int n = 0; n < STATS_RECENT; n++)
            add(&s, OUTCOME_OK, n ? cases[i].recent : 100000);
        struct stats_durations d = stats_durations(&s);
        assert_true(d.trend > cases[i].trend - 0.001 && d.trend < cases[i].trend + 0.001);
        assert_int_equal(d.recent, cases[i].recent);
        stats_clear(&s);
    }
}

static void test_outcomes(void **state)
{
    struct stats s = {0};
    (void)state;
    assert_true(stats_success(&s) < 0);
    add(&s, OUTCOME_CANCELLED, 5);
    assert_true(stats_success(&s) < 0);
    for (int i = 0; i < 3; i++)
        add(&s, OUTCOME_OK, 5);
    add(&s, OUTCOME_LOST, 9);
    add(&s, OUTCOME_UNSTARTABLE, 9);
    add(&s, OUTCOME_FAILED, 7);
    assert_true(stats_success(&s) == 0.5);
    struct run missed;
    run_init(&missed);
    missed.id = (struct run_id){.job = 1, .n = 1, .note = 1};
    missed.outcome = OUTCOME_MISSED;
    missed.count = 12;
    stats_add(&s, &missed);
    assert_true(stats_success(&s) == 0.5);
    assert_int_equal(s.of[OUTCOME_MISSED], 12);
    assert_int_equal(s.runs, 7);
    assert_int_equal(stats_durations(&s).max, 7); /* of those that were cancelled, lost or never started nothing is known */
    stats_clear(&s);
}

static void test_spark(void **state)
{
    static const struct {
        duration values[8];
        size_t count;
        const char *blocks, *plain;
    } cases[] = {
        {{0}, 0, "", ""},
        {{5}, 1, "▃", ","},
        {{100, 101, 109}, 3, "▃▃▃", ",,,"},
        {{0, 1, 2, 3, 4, 5, 6, 7}, 8, "▁▂▃▄▅▆▇█", "_.,-~=*#"},
        {{1000, 10, 10}, 3, "█▁▁", "#__"},
        {{0, 0}, 2, "▃▃", ",,"},
        {{INT64_MAX, 0}, 2, "█▁", "#_"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct buf b = {0};
        stats_spark(&b, cases[i].values, cases[i].count, true);
        assert_string_equal(buf_string(&b), cases[i].blocks);
        buf_reset(&b);
        stats_spark(&b, cases[i].values, cases[i].count, false);
        assert_string_equal(buf_string(&b), cases[i].plain);
        buf_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_percentiles),
        cmocka_unit_test(test_trend),
        cmocka_unit_test(test_outcomes),
        cmocka_unit_test(test_spark),
    };
    return cmocka_run_group_tests_name("stats", tests, NULL, NULL);
}
