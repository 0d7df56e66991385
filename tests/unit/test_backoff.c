#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "lib/time/backoff.h"

#define S INT64_C(1000000000)

static const duration half_minute[] = {30 * S};
static const duration ladder[] = {1 * S, 5 * S, 60 * S};
static const duration huge[] = {INT64_MAX / 2};
static const duration zero[] = {0};

static const struct {
    struct backoff backoff;
    int attempt;
    duration wait;
} table[] = {
    {{BACKOFF_EXPONENTIAL, half_minute, 1, 600 * S, 0}, 1, 30 * S},
    {{BACKOFF_EXPONENTIAL, half_minute, 1, 600 * S, 0}, 2, 60 * S},
    {{BACKOFF_EXPONENTIAL, half_minute, 1, 600 * S, 0}, 5, 480 * S},
    {{BACKOFF_EXPONENTIAL, half_minute, 1, 600 * S, 0}, 6, 600 * S},
    {{BACKOFF_EXPONENTIAL, half_minute, 1, 600 * S, 0}, 63, 600 * S},
    {{BACKOFF_EXPONENTIAL, half_minute, 1, 600 * S, 0}, INT32_MAX, 600 * S},
    {{BACKOFF_EXPONENTIAL, half_minute, 1, DURATION_NONE, 0}, 10, 30 * 512 * S},
    {{BACKOFF_EXPONENTIAL, half_minute, 1, DURATION_NONE, 0}, 200, INT64_MAX},
    {{BACKOFF_EXPONENTIAL, zero, 1, DURATION_NONE, 100}, 200, 0},
    {{BACKOFF_LINEAR, half_minute, 1, DURATION_NONE, 0}, 1, 30 * S},
    {{BACKOFF_LINEAR, half_minute, 1, DURATION_NONE, 0}, 4, 120 * S},
    {{BACKOFF_LINEAR, half_minute, 1, 100 * S, 0}, 4, 100 * S},
    {{BACKOFF_LINEAR, huge, 1, DURATION_NONE, 0}, 3, INT64_MAX},
    {{BACKOFF_FIXED, half_minute, 1, DURATION_NONE, 0}, 9, 30 * S},
    {{BACKOFF_FIXED, half_minute, 1, 0, 0}, 9, 30 * S}, /* the cap is for what grows */
    {{BACKOFF_EXPONENTIAL, half_minute, 1, 10 * S, 0}, 3, 30 * S},
    {{BACKOFF_EXPONENTIAL, ladder, 3, DURATION_NONE, 0}, 1, 1 * S},
    {{BACKOFF_EXPONENTIAL, ladder, 3, DURATION_NONE, 0}, 2, 5 * S},
    {{BACKOFF_EXPONENTIAL, ladder, 3, DURATION_NONE, 0}, 3, 60 * S},
    {{BACKOFF_EXPONENTIAL, ladder, 3, DURATION_NONE, 0}, 4, 60 * S},
    {{BACKOFF_EXPONENTIAL, ladder, 3, 10 * S, 0}, 3, 60 * S}, /* a list says it itself */
    {{BACKOFF_EXPONENTIAL, NULL, 0, DURATION_NONE, 0}, 1, 0},
    {{BACKOFF_EXPONENTIAL, half_minute, 1, 600 * S, 0}, 0, 30 * S},
    {{BACKOFF_EXPONENTIAL, half_minute, 1, 600 * S, 0}, -5, 30 * S},
};

static void test_table(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof table / sizeof table[0]; i++)
        for (uint64_t random = 0; random < 2; random++) {
            duration wait = backoff_delay(&table[i].backoff, table[i].attempt, random ? UINT64_MAX : 0);
            if (wait != table[i].wait)
                fail_msg("row %zu: %lld", i, (long long)wait);
        }
}

static void test_jitter_bounds(void **state)
{
    (void)state;
    struct backoff b = {BACKOFF_FIXED, half_minute, 1, DURATION_NONE, 10};
    assert_int_equal(backoff_delay(&b, 1, 0), 27 * S);
    assert_int_equal(backoff_delay(&b, 1, UINT64_MAX), 33 * S);
    assert_int_equal(backoff_delay(&b, 1, UINT64_MAX / 2), 30 * S);
    b.jitter = 100;
    assert_int_equal(backoff_delay(&b, 1, 0), 0);
    assert_int_equal(backoff_delay(&b, 1, UINT64_MAX), 60 * S);
    b.jitter = 900; /* never negative, whatever is asked */
    assert_int_equal(backoff_delay(&b, 1, 0), 0);
    b = (struct backoff){BACKOFF_EXPONENTIAL, half_minute, 1, DURATION_NONE, 100};
    assert_int_equal(backoff_delay(&b, 300, UINT64_MAX), INT64_MAX);
    assert_int_equal(backoff_delay(&b, 300, 0), 0);
}

/* 1,000 waits with 10 % fall about evenly into the ten parts of their range. */
static void test_jitter_is_even(void **state)
{
    (void)state;
    struct backoff b = {BACKOFF_FIXED, half_minute, 1, DURATION_NONE, 10};
    int parts[10] = {0};
    uint64_t random = 1;
    for (int i = 0; i < 1000; i++) {
        random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
        duration wait = backoff_delay(&b, 1, random);
        assert_in_range(wait, 27 * S, 33 * S);
        int part = (int)((wait - 27 * S) * 10 / (6 * S));
        parts[part > 9 ? 9 : part]++;
    }
    for (int i = 0; i < 10; i++)
        assert_in_range(parts[i], 60, 140);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_table),
        cmocka_unit_test(test_jitter_bounds),
        cmocka_unit_test(test_jitter_is_even),
    };
    return cmocka_run_group_tests_name("backoff", tests, NULL, NULL);
}
