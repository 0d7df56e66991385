/* The scheduler's decisions, driven by virtual time: who gets a slot, when to wake, and that the bounded window never hides a job. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "cmd/run/plan.h"

/* The due index of the store, as an array that is searched in full. */
#define INDEX_MOST 4096
struct index {
    struct due items[INDEX_MOST];
    size_t count;
};

static int order(const struct due *a, instant ready, uint64_t number)
{
    if (a->ready != ready)
        return a->ready < ready ? -1 : 1;
    return a->number < number ? -1 : a->number > number;
}

/* Fills every lane that wants it, as the scheduler does from the store. */
static void fill(struct plan *p, const struct index *x)
{
    size_t lane;
    instant behind;
    uint64_t number;
    while (plan_wants(p, &lane, &behind, &number)) {
        struct lane_id id = p->lanes[lane].id;
        bool full = false;
        while (!full) {
            const struct due *best = NULL;
            for (size_t i = 0; i < x->count; i++) {
                const struct due *d = &x->items[i];
                if (d->lane.queue == id.queue && d->lane.priority == id.priority && order(d, behind, number) > 0 &&
                    (!best || order(d, best->ready, best->number) < 0))
                    best = d;
            }
            if (!best)
                break;
            behind = best->ready;
            number = best->number;
            full = !plan_fill(p, lane, best);
        }
        plan_filled(p, lane, !full);
    }
}

static struct due due(uint64_t number, instant ready, int priority)
{
    return (struct due){.lane = {1, priority}, .ready = ready, .number = number, .weight = 1};
}

static struct due due_in(uint32_t queue, uint64_t number, instant ready, uint32_t weight)
{
    return (struct due){.lane = {queue, 0}, .ready = ready, .number = number, .weight = weight};
}

static void put(struct plan *p, struct due d)
{
    static const struct index none = {.count = 0};
    plan_lane(p, d.lane);
    fill(p, &none);
    plan_put(p, &d);
}

/* The number of the job that is next at `now`, 0 if none; it is taken out and takes a slot. */
static uint64_t start(struct plan *p, instant now)
{
    struct due d;
    if (!plan_next(p, now, &d))
        return 0;
    plan_drop(p, d.number);
    plan_started(p, d.lane.queue, d.weight);
    return d.number;
}

static void test_a_new_earlier_job_moves_the_timer(void **state)
{
    (void)state;
    struct plan p;
    plan_init(&p, 5, 100);
    put(&p, due(1, 1000, 0));
    assert_int_equal(plan_wake(&p, 10), 1000);
    put(&p, due(2, 500, 0));
    assert_int_equal(plan_wake(&p, 10), 500);
    put(&p, due(3, 700, 9));
    assert_int_equal(plan_wake(&p, 10), 500);
    plan_clear(&p);
}

static void test_a_cancelled_head_moves_the_timer(void **state)
{
    (void)state;
    struct plan p;
    plan_init(&p, 5, 100);
    put(&p, due(1, 500, 0));
    put(&p, due(2, 1000, 0));
    plan_drop(&p, 1);
    assert_int_equal(plan_wake(&p, 10), 1000);
    plan_drop(&p, 2);
    assert_int_equal(plan_wake(&p, 10), INSTANT_NEVER);
    plan_drop(&p, 2);
    plan_clear(&p);
}

static void test_a_job_that_moves_is_there_once(void **state)
{
    (void)state;
    struct plan p;
    plan_init(&p, 5, 100);
    put(&p, due(1, 500, 0));
    put(&p, due(1, 900, 3));
    assert_int_equal(plan_wake(&p, 10), 900);
    assert_int_equal(start(&p, 899), 0);
    assert_int_equal(start(&p, 900), 1);
    assert_int_equal(start(&p, 900), 0);
    plan_clear(&p);
}

static void test_priority_then_due_time_then_number(void **state)
{
    (void)state;
    struct plan p;
    plan_init(&p, 100, 100);
    put(&p, due(4, 30, 0));
    put(&p, due(3, 20, 0));
    put(&p, due(2, 20, 0));
    put(&p, due(9, 40, 5));
    put(&p, due(1, 10, -1));
    put(&p, due(5, 50, 10)); /* the highest, but not yet due */
    static const uint64_t want[] = {9, 2, 3, 4, 1, 0};
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(start(&p, 40), want[i]);
    assert_int_equal(start(&p, 50), 5);
    plan_clear(&p);
}

static void test_limits(void **state)
{
    (void)state;
    static const struct {
        const char *about;
        uint32_t slots, limit; /* of queue 2 */
        struct due jobs[4];
        uint64_t want[5]; /* what starts before anything ends */
    } rows[] = {
        {"slots", 2, 0, {{{1, 0}, 1, 1, 1}, {{1, 0}, 1, 2, 1}, {{1, 0}, 1, 3, 1}}, {1, 2}},
        {"a full queue does not hold back others", 5, 1, {{{2, 0}, 1, 1, 1}, {{2, 0}, 1, 2, 1}, {{1, 0}, 2, 3, 1}}, {1, 3}},
        {"its higher priority neither", 5, 1, {{{2, 9}, 1, 1, 1}, {{2, 9}, 1, 2, 1}, {{1, 0}, 2, 3, 1}}, {1, 3}},
        {"a queue is served in order, small ones do not overtake", 9, 3, {{{2, 0}, 1, 1, 2}, {{2, 0}, 2, 2, 2}, {{2, 0}, 3, 3, 1}}, {1}},
        {"a heavy one is not starved of the total", 4, 0, {{{1, 0}, 1, 1, 1}, {{1, 0}, 2, 2, 4}, {{1, 0}, 3, 3, 1}}, {1}},
        {"weight 0 takes no slot", 1, 0, {{{1, 0}, 1, 1, 0}, {{1, 0}, 1, 2, 0}, {{1, 0}, 1, 3, 1}, {{1, 0}, 1, 4, 1}}, {1, 2, 3}},
        {"heavier than the limit runs alone", 3, 0, {{{1, 0}, 1, 1, 7}, {{1, 0}, 1, 2, 1}}, {1}},
        {"lower priority in a full queue waits", 9, 1, {{{2, 5}, 1, 1, 1}, {{2, 0}, 1, 2, 1}}, {1}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct plan p;
        plan_init(&p, rows[i].slots, 100);
        plan_limit(&p, 2, rows[i].limit);
        for (size_t j = 0; j < 4 && rows[i].jobs[j].number; j++)
            put(&p, rows[i].jobs[j]);
        for (size_t j = 0; j < 5; j++) {
            uint64_t got = start(&p, 100);
            if (got != rows[i].want[j])
                fail_msg("%s: step %zu: job %llu, wanted %llu", rows[i].about, j, (unsigned long long)got, (unsigned long long)rows[i].want[j]);
            if (!got)
                break;
        }
        plan_clear(&p);
    }
}

static void test_a_slot_that_comes_free_goes_to_the_best(void **state)
{
    (void)state;
    struct plan p;
    plan_init(&p, 1, 100);
    put(&p, due(1, 1, 0));
    assert_int_equal(start(&p, 10), 1);
    put(&p, due(2, 2, 0));
    put(&p, due(3, 3, 7));
    assert_int_equal(start(&p, 10), 0);
    assert_true(plan_due(&p, 10));
    assert_int_equal(plan_wake(&p, 10), INSTANT_NEVER); /* waits for the slot, not for the clock */
    plan_ended(&p, 1, 1);
    assert_int_equal(start(&p, 10), 3);
    plan_clear(&p);
}

static void test_a_crowd_in_one_queue_hides_nobody(void **state)
{
    (void)state;
    static struct index x;
    struct plan p;
    plan_init(&p, 10, 64);
    plan_limit(&p, 2, 1);
    x.count = 0;
    for (uint64_t n = 1; n <= 2000; n++)
        x.items[x.count++] = due_in(2, n, (instant)n, 1);
    x.items[x.count++] = due_in(3, 5000, 3000, 1);
    plan_lane(&p, (struct lane_id){2, 0});
    plan_lane(&p, (struct lane_id){3, 0});
    fill(&p, &x);
    assert_int_equal(start(&p, 4000), 1);
    assert_int_equal(start(&p, 4000), 5000);
    assert_int_equal(start(&p, 4000), 0);
    plan_clear(&p);
}

static uint64_t seed = 20261201;
static uint32_t dice(uint32_t sides)
{
    seed = seed * UINT64_C(6364136223846793005) + 1;
    return (uint32_t)(seed >> 33) % sides;
}

static struct due *index_find(struct index *x, uint64_t number)
{
    for (size_t i = 0; i < x->count; i++)
        if (x->items[i].number == number)
            return &x->items[i];
    return NULL;
}

static const struct due *index_best(const struct index *x, instant now)
{
    const struct due *best = NULL;
    for (size_t i = 0; i < x->count; i++) {
        const struct due *d = &x->items[i];
        if (d->ready > now)
            continue;
        if (!best || d->lane.priority > best->lane.priority ||
            (d->lane.priority == best->lane.priority && order(d, best->ready, best->number) < 0))
            best = d;
    }
    return best;
}

/* Adds, moves, cancels and starts at random, in a window far smaller than the index, compared with the whole index at each step. */
static void test_the_window_is_only_a_cache(void **state)
{
    (void)state;
    static struct index x;
    struct plan p;
    plan_init(&p, 1000000, 64);
    x.count = 0;
    instant now = 0;
    uint64_t last = 0;
    size_t most = 0;
    for (int step = 0; step < 20000; step++) {
        uint32_t what = dice(10);
        if (what < 4 && x.count < 1000) {
            struct due d = {.lane = {1 + dice(3), (int32_t)dice(2)}, .ready = now + dice(3000), .number = ++last, .weight = 1};
            x.items[x.count++] = d;
            plan_lane(&p, d.lane);
            plan_put(&p, &d);
        } else if (what == 4 && x.count) {
            struct due *d = &x.items[dice((uint32_t)x.count)];
            plan_drop(&p, d->number);
            *d = x.items[--x.count];
        } else if (what == 5 && x.count) {
            struct due *d = &x.items[dice((uint32_t)x.count)];
            d->ready = now + dice(3000);
            plan_put(&p, d);
        } else if (what == 6 && dice(50) == 0) {
            plan_doubt(&p);
        } else {
            now += dice(20);
        }
        fill(&p, &x);
        const struct due *best = index_best(&x, now);
        struct due got;
        bool there = plan_next(&p, now, &got);
        assert_int_equal(there, best != NULL);
        if (there) {
            assert_int_equal(got.number, best->number);
            plan_drop(&p, got.number);
            struct due *taken = index_find(&x, got.number);
            *taken = x.items[--x.count];
            fill(&p, &x);
        }
        size_t held = 0;
        for (size_t i = 0; i < p.lane_count; i++)
            held += p.lanes[i].heap.count;
        most = held > most ? held : most;
    }
    assert_true(last > 3000);
    assert_true(most <= 6 * 2 * 16 + 6); /* six lanes, each at most twice its share */
    plan_clear(&p);
}

static void test_the_wake_time_is_that_of_the_whole_index(void **state)
{
    (void)state;
    static struct index x;
    struct plan p;
    plan_init(&p, 0, 32);
    x.count = 0;
    for (uint64_t n = 1; n <= 300; n++)
        x.items[x.count++] = (struct due){.lane = {1, (int32_t)(n % 3)}, .ready = (instant)(1 + dice(100000)), .number = n, .weight = 1};
    for (int i = 0; i < 3; i++)
        plan_lane(&p, (struct lane_id){1, i});
    while (x.count) {
        fill(&p, &x);
        size_t first = 0;
        for (size_t i = 1; i < x.count; i++)
            if (x.items[i].ready < x.items[first].ready)
                first = i;
        assert_int_equal(plan_wake(&p, 0), x.items[first].ready);
        plan_drop(&p, x.items[first].number);
        x.items[first] = x.items[--x.count];
    }
    plan_clear(&p);
}

/* Memory does not grow with the number of queues and priorities that were ever used, and those that are used stay right. */
static void test_lanes_come_and_go(void **state)
{
    (void)state;
    struct plan p;
    struct due kept = due_in(7, 1000000, 900, 1), d;
    plan_init(&p, 500, 100000);
    plan_limit(&p, 7, 1);
    plan_started(&p, 5, 3);
    put(&p, due_in(7, 1000001, 800, 1));
    for (uint32_t i = 10; i < 5000; i++) {
        put(&p, due_in(i, i, 500, 1));
        if (i == 3000)
            put(&p, kept);
        assert_int_equal(start(&p, 600), i);
        plan_ended(&p, i, 1);
        assert_in_range(p.lane_count, 1, 200);
    }
    assert_in_range(plan_queue_count(&p), 2, 200); /* with a limit, with runs */
    plan_drop(&p, 1000001);
    assert_true(plan_next(&p, 900, &d));
    assert_int_equal(d.number, kept.number);
    assert_int_equal(d.lane.queue, 7);
    plan_ended(&p, 5, 3);
    assert_int_equal(p.used, 0);
    plan_clear(&p);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_a_new_earlier_job_moves_the_timer),
        cmocka_unit_test(test_a_cancelled_head_moves_the_timer),
        cmocka_unit_test(test_a_job_that_moves_is_there_once),
        cmocka_unit_test(test_priority_then_due_time_then_number),
        cmocka_unit_test(test_limits),
        cmocka_unit_test(test_a_slot_that_comes_free_goes_to_the_best),
        cmocka_unit_test(test_a_crowd_in_one_queue_hides_nobody),
        cmocka_unit_test(test_the_window_is_only_a_cache),
        cmocka_unit_test(test_lanes_come_and_go),
        cmocka_unit_test(test_the_wake_time_is_that_of_the_whole_index),
    };
    return cmocka_run_group_tests_name("plan", tests, NULL, NULL);
}
