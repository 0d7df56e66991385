/* Whole years of virtual time, in zones whose clocks change, with a scheduler that goes down, most of all around the changes, runs that take long, fail, are lost or never
 * start, and a clock that is set. The due times are found by a walk over each minute of the year, by the rule as it is written, and then counted: each has exactly one first
 * run, or is in exactly one note. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/life.h"
#include "tests/unit/sanitized.h"

#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static uint64_t seed;

static uint64_t random_below(uint64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % n;
}

static bool one_in(uint64_t n)
{
    return random_below(n) == 0;
}

static const char *show(instant t)
{
    static char texts[4][64];
    static int turn;
    struct buf b = {0};
    char *text = texts[turn++ % 4];
    instant_format_utc(&b, t);
    snprintf(text, sizeof texts[0], "%s", buf_string(&b));
    buf_clear(&b);
    return text;
}

/* ---- zones and schedules ---- */

static const struct { const char *name; int year; } zones_walked[] = {
    {"Europe/Berlin", 2026}, {"America/New_York", 2026}, {"Australia/Lord_Howe", 2026}, {"Asia/Kathmandu", 2026}, {"Africa/Casablanca", 2026}, {"Pacific/Apia", 2011}, /* without a 30 December */
};
#define ZONES (sizeof zones_walked / sizeof *zones_walked)

enum rule {
    FIXED,  /* of a repeated time the first; a skipped one right after the jump, if that is of at most three hours */
    JUMPS,  /* the same after jumps of any length */
    LOCAL,  /* what the clock shows */
    ONCE,   /* of a repeated time the first; a skipped one not at all */
};

static bool at_half_two(int64_t m) { return m == 150; }
static bool at_quarters(int64_t m) { return m == 75 || m == 135 || m == 195; }
static bool at_midnight(int64_t m) { return m == 0; }
static bool each_twenty(int64_t m) { return m % 20 == 0; }
static bool each_ten(int64_t m) { return m % 10 == 0; }
static bool five_hours(int64_t m) { return m % 300 == 0; }

static const struct plan {
    const char *cron, *calendar;
    duration every;
    enum rule rule;
    bool (*due)(int64_t minute_of_day);
} plans[] = {
    {"30 2 * * *", NULL, 0, FIXED, at_half_two}, {"15 1,2,3 * * *", NULL, 0, FIXED, at_quarters}, {"0 0 * * *", NULL, 0, FIXED, at_midnight},
    {"*/20 * * * *", NULL, 0, LOCAL, each_twenty}, {NULL, "*-*-* 02:30", 0, ONCE, at_half_two}, {NULL, "*:0/20", 0, ONCE, each_twenty},
    {NULL, NULL, 5 * HOUR, JUMPS, five_hours}, {NULL, NULL, 10 * MINUTE, LOCAL, each_ten},
};
#define PLANS (sizeof plans / sizeof *plans)

enum { YEAR_MINUTES = 366 * 24 * 60, WALK = YEAR_MINUTES + 40 * 24 * 60 };
struct walk {
    struct zones zones;
    const struct zone *zone;
    instant from;
    int64_t *local; /* what the clock shows at each minute */
};

static void walk_init(struct walk *w, const char *name, int year)
{
    struct error e = {0};
    assert_int_equal(zones_init(&w->zones, "UTC", &e), 0);
    assert_int_equal(zones_get(&w->zones, name, &w->zone, &e), 0);
    w->from = civil_days(year, 1, 1) * DAY;
    w->local = mem_zero(WALK, sizeof *w->local);
    for (int i = 0; i < WALK; i++)
        w->local[i] = (w->from + i * MINUTE) / MINUTE + zone_offset_at(w->zone, w->from + i * MINUTE).seconds / 60;
}

static bool shown_before(const struct walk *w, int i)
{
    for (int back = i - 1; back >= 0 && back > i - 26 * 60; back--)
        if (w->local[back] == w->local[i])
            return true;
    return false;
}

static bool skipped_there(const struct walk *w, int i, const struct plan *plan)
{
    int64_t jump = i ? w->local[i] - w->local[i - 1] - 1 : 0;
    if (jump <= 0 || plan->rule == LOCAL || plan->rule == ONCE || (plan->rule == FIXED && jump > 180))
        return false;
    for (int64_t local = w->local[i - 1] + 1; local < w->local[i]; local++)
        if (plan->due(local % 1440))
            return true;
    return false;
}

struct times {
    instant *items;
    uint8_t *runs, *notes;
    size_t count, capacity;
};

static void times_list(struct times *l, const struct walk *w, const struct plan *plan)
{
    for (int i = 1; i < WALK; i++) {
        bool due = plan->due(w->local[i] % 1440) && (plan->rule == LOCAL || !shown_before(w, i));
        if (!due && !skipped_there(w, i, plan))
            continue;
        MEM_GROW(l->items, l->capacity, l->count + 1);
        l->items[l->count++] = w->from + i * MINUTE;
    }
    l->runs = mem_zero(l->count, 1);
    l->notes = mem_zero(l->count, 1);
}

static void times_move(struct times *l, duration offset)
{
    for (size_t i = 0; i < l->count; i++) {
        l->items[i] += offset;
        if (i + 1 < l->count && l->items[i] >= l->items[i + 1])
            l->items[i] = l->items[i + 1] - 1;
    }
}

static void times_clear(struct times *l)
{
    free(l->items);
    free(l->runs);
    free(l->notes);
    *l = (struct times){0};
}

/* The first at or after t. */
static size_t times_find(const struct times *l, instant t)
{
    size_t low = 0, high = l->count;
    while (low < high) {
        size_t middle = (low + high) / 2;
        *(l->items[middle] < t ? &low : &high) = l->items[middle] < t ? middle + 1 : middle;
    }
    return low;
}

/* ---- one job through a year ---- */

struct year {
    struct job job;
    struct schedule schedule;
    struct job_state state;
    struct life_notes notes;
    struct run run;
    struct times times;
    const struct walk *walk;
    instant now, since, latest; /* latest: that was ever seen */
    size_t first;               /* its first occurrence */
    int starts;
    char text[256];
};

#define CHECK(y, true_thing) \
    do { \
        if (!(true_thing)) \
            fail_msg("%s at %s: not so: %s", (y)->text, show((y)->now), #true_thing); \
    } while (0)

static void random_rules(struct year *y)
{
    struct job *j = &y->job;
    j->catchup = (int)random_below(3);
    j->catchup_max = (int[]){1, 3, 100}[random_below(3)];
    j->catchup_within = one_in(3) ? 2 * HOUR : DURATION_NONE;
    j->overlap = (int)random_below(4);
    j->start_within = one_in(4) ? 10 * MINUTE : DURATION_NONE;
    j->retries = (int)random_below(3);
    j->retry_jitter = 0;
    j->retry_backoff = BACKOFF_FIXED;
    j->if_lost = one_in(2) ? IF_LOST_FAIL : IF_LOST_RERUN;
    j->jitter = one_in(3) ? 5 * MINUTE : 0;
    j->spread = one_in(3) ? 40 * MINUTE : 0;
}

static struct life *view(struct year *y, struct life *l)
{
    *l = (struct life){.job = &y->job, .schedule = &y->schedule, .now = y->now, .random = random_below(UINT32_MAX) << 16, .since = y->since, .boot = 1, .notes = &y->notes};
    if (y->now > y->latest)
        y->latest = y->now;
    return l;
}

static void year_init(struct year *y, struct walk *w, const struct plan *plan)
{
    struct error e = {0};
    struct life l;
    *y = (struct year){.walk = w, .now = w->from + 10 * DAY, .since = INSTANT_NONE, .latest = INSTANT_NONE};
    job_init(&y->job);
    y->job.number = 7;
    y->job.timezone = mem_string(zone_name(w->zone));
    if (plan->cron)
        strvec_add(&y->job.cron, plan->cron);
    if (plan->calendar)
        strvec_add(&y->job.calendar, plan->calendar);
    y->job.every = plan->every ? plan->every : DURATION_NONE;
    y->job.every_from = plan->every ? EVERY_FROM_CLOCK : EVERY_FROM_START;
    random_rules(y);
    snprintf(y->text, sizeof y->text, "%s '%s%s' every %lld min catchup %d max %d within %d overlap %d start_within %d retries %d jitter %d spread %d", y->job.timezone,
        plan->cron ? plan->cron : "", plan->calendar ? plan->calendar : "", (long long)(plan->every / MINUTE), y->job.catchup, y->job.catchup_max,
        y->job.catchup_within != DURATION_NONE, y->job.overlap, y->job.start_within != DURATION_NONE, y->job.retries, y->job.jitter > 0, y->job.spread > 0);
    assert_int_equal(job_schedule(&y->job, &w->zones, &y->schedule, &e), 0);
    times_list(&y->times, w, plan);
    times_move(&y->times, y->schedule.offset);
    life_begin(view(y, &l), &y->state);
    y->first = times_find(&y->times, y->now + 1);
    CHECK(y, y->state.due == y->times.items[y->first]);
}

static void year_clear(struct year *y)
{
    times_clear(&y->times);
    schedule_clear(&y->schedule);
    job_clear(&y->job);
}

/* ---- the books ---- */

static size_t year_find(struct year *y, instant due)
{
    size_t i = times_find(&y->times, due);
    if (i == y->times.count || y->times.items[i] != due)
        fail_msg("%s at %s: there is no due time %s", y->text, show(y->now), show(due));
    return i;
}

static void count_notes(struct year *y)
{
    CHECK(y, y->notes.count <= LIFE_NOTES_MAX);
    for (int i = 0; i < y->notes.count; i++) {
        const struct run *r = &y->notes.rows[i];
        if (strncmp(r->reason, "attempt", 7) == 0)
            continue; /* a retry was given up: its occurrence has had a run */
        size_t from = year_find(y, r->due), to = r->count > 1 ? year_find(y, r->last_due) : from;
        CHECK(y, to - from + 1 == r->count);
        for (; from <= to; from++)
            y->times.notes[from]++;
    }
    life_notes_clear(&y->notes);
}

static void check_books(struct year *y)
{
    size_t end = year_find(y, y->state.due);
    for (size_t i = y->first; i < y->times.count; i++) {
        int got = y->times.runs[i] + y->times.notes[i];
        if (i < end ? got != 1 : got > (i == end && y->state.phase == PHASE_RETRYING))
            fail_msg("%s: due %s: %d first runs, %d notes", y->text, show(y->times.items[i]), y->times.runs[i], y->times.notes[i]);
    }
}

/* It never waits for a later time than the next one. */
static void check_silence(struct year *y)
{
    instant wake;
    if (y->state.phase != PHASE_WAITING || !life_wake(&y->state, &wake))
        return;
    instant next = y->times.items[times_find(&y->times, y->latest + 1)];
    if (y->state.due > next || wake > next + 5 * MINUTE + 10 * SECOND)
        fail_msg("%s at %s: waits for %s (due %s), though %s comes before", y->text, show(y->now), show(wake), show(y->state.due), show(next));
}

/* ---- what happens ---- */

static bool change_is_near(const struct year *y)
{
    return zone_next_change(y->walk->zone, y->now - 4 * HOUR) < y->now + 12 * HOUR;
}

/* The scheduler is down for a while from now on, or the clock is set forward. */
static void go_down(struct year *y)
{
    static const duration lengths[] = {30 * SECOND, 10 * MINUTE, 2 * HOUR, 30 * HOUR, 9 * DAY};
    y->now += (duration)random_below((uint64_t)lengths[random_below(change_is_near(y) ? 3 : 5)]);
    y->since = y->now;
}

static void end_run(struct year *y, enum outcome outcome, instant ended)
{
    struct life l;
    bool first = y->run.id.n == y->state.first;
    size_t i = year_find(y, y->run.due);
    y->times.runs[i] += first;
    y->run.outcome = outcome;
    y->run.exit_code = outcome == OUTCOME_OK ? 0 : 1;
    y->run.ended = ended;
    life_outcome(view(y, &l), &y->state, &y->run, false);
    run_clear(&y->run);
    count_notes(y);
}

static void give_back(struct year *y)
{
    run_clear(&y->run);
    if (one_in(2))
        life_unclaim(&y->state, y->now, &y->notes);
    else
        life_shortage(&y->state, y->now, &y->notes);
    count_notes(y);
}

/* True if the next occurrence came first, and the run was stopped for it. */
static bool overtaken(struct year *y, instant end)
{
    instant wake;
    struct life l;
    struct run none;
    if (!life_wake(&y->state, &wake) || wake > end)
        return false;
    y->now = wake > y->now ? wake : y->now;
    CHECK(y, life_claim(view(y, &l), &y->state, &none) == LIFE_REPLACE);
    CHECK(y, life_claim(view(y, &l), &y->state, &none) == LIFE_NOT);
    y->now += (instant)random_below(30) * SECOND;
    if (one_in(5))
        give_back(y);
    else
        end_run(y, one_in(3) ? OUTCOME_OK : OUTCOME_CANCELLED, y->now);
    return true;
}

/* It runs beside the job, which goes on with the next. */
static void part(struct year *y)
{
    struct life l;
    struct job_state extra;
    CHECK(y, life_part(view(y, &l), &y->state, EXTRA_FIRST, &y->run, &extra));
    CHECK(y, !extra.repeats && extra.due == y->run.due && y->state.phase == PHASE_WAITING);
    y->times.runs[year_find(y, y->run.due)]++;
    y->starts++;
    run_clear(&y->run);
}

/* A run that was started by hand is going on: the occurrence is skipped, or waits for its end. */
static void claim_busy(struct year *y)
{
    struct life l;
    view(y, &l)->busy = true;
    enum life_verdict said = life_claim(&l, &y->state, &y->run);
    count_notes(y);
    CHECK(y, said == (y->job.overlap == OVERLAP_SKIP ? LIFE_MISSED : LIFE_PARKED));
    if (said != LIFE_PARKED)
        return;
    y->now += (instant)random_below(3600) * SECOND;
    CHECK(y, life_release(&y->state, y->now));
    view(y, &l);
}

static void run_it(struct year *y)
{
    static const enum outcome outcomes[] = {OUTCOME_OK, OUTCOME_OK, OUTCOME_OK, OUTCOME_FAILED, OUTCOME_TIMEOUT, OUTCOME_UNSTARTABLE};
    y->starts++;
    CHECK(y, y->run.due <= y->now || y->run.id.n != y->state.first);
    if (one_in(40)) {
        give_back(y);
        return;
    }
    instant end = y->now + (instant)random_below(one_in(10) ? 5 * 3600 : 600) * SECOND;
    if (overtaken(y, end))
        return;
    y->now = end;
    if (!one_in(change_is_near(y) ? 3 : 60)) {
        end_run(y, outcomes[random_below(6)], end);
        return;
    }
    go_down(y);
    end_run(y, one_in(3) ? OUTCOME_LOST : OUTCOME_OK, end);
}

static void live(struct year *y, instant until)
{
    struct life l;
    while (y->now < until) {
        instant wake;
        CHECK(y, life_wake(&y->state, &wake) && wake != INSTANT_NEVER);
        check_silence(y);
        if (one_in(change_is_near(y) ? 4 : 100)) {
            if (wake > y->now) /* somewhere before it comes due */
                y->now += (instant)random_below((uint64_t)(wake - y->now));
            go_down(y);
        } else if (wake > y->now) {
            CHECK(y, life_claim(view(y, &l), &y->state, &y->run) == LIFE_EARLY);
            y->now = wake;
        }
        if (one_in(20)) /* no slot */
            y->now += (instant)random_below(one_in(5) ? 7200 : 300) * SECOND;
        if (one_in(50) && y->state.phase == PHASE_WAITING && y->job.overlap != OVERLAP_ALLOW && y->state.ready <= y->now) {
            claim_busy(y);
            continue;
        }
        enum life_verdict said = life_claim(view(y, &l), &y->state, &y->run);
        count_notes(y);
        CHECK(y, said == LIFE_START || said == LIFE_MISSED || wake > y->now);
        if (said == LIFE_START && y->job.overlap == OVERLAP_ALLOW && y->run.id.n == y->state.first)
            part(y);
        else if (said == LIFE_START)
            run_it(y);
    }
}

enum { CONFIGURATIONS = SANITIZED(4, 1) };

static void test_counted(void **state)
{
    (void)state;
    for (size_t z = 0; z < ZONES; z++) {
        struct walk w = {0};
        walk_init(&w, zones_walked[z].name, zones_walked[z].year);
        for (size_t p = 0; p < PLANS; p++)
            for (int i = 0; i < CONFIGURATIONS; i++) {
                struct year y;
                seed = z * 1000 + p * 100 + (uint64_t)i;
                year_init(&y, &w, &plans[p]);
                live(&y, w.from + YEAR_MINUTES * MINUTE);
                check_books(&y);
                CHECK(&y, y.starts > 20);
                year_clear(&y);
            }
        free(w.local);
        zones_clear(&w.zones);
    }
}

/* ---- the clock is set back ---- */

/* What has fixed times has each once, though the clock shows some twice; what follows the clock goes on at once. */
static void test_set_back(void **state)
{
    (void)state;
    for (size_t z = 0; z < ZONES; z++) {
        struct walk w = {0};
        walk_init(&w, zones_walked[z].name, zones_walked[z].year);
        for (size_t p = 0; p < PLANS; p++) {
            struct year y;
            struct life l;
            seed = z * 1000 + p * 100 + 77;
            year_init(&y, &w, &plans[p]);
            y.job.start_within = DURATION_NONE;
            for (int i = 0; i < 200; i++) {
                live(&y, y.now + (instant)random_below(40) * HOUR);
                bool fixed = plans[p].rule != LOCAL && plans[p].due != each_twenty;
                int64_t step = -(int64_t)random_below(one_in(2) ? 3 * 3600 : 20) * SECOND - SECOND; /* several may come in a row */
                y.now += step;
                life_clock_step(view(&y, &l), &y.state, step);
                if (fixed) {
                    check_silence(&y);
                    continue;
                }
                instant next = y.times.items[times_find(&y.times, y.now + 1)];
                CHECK(&y, y.state.phase != PHASE_WAITING || y.state.due <= next);
                y.latest = y.now;
                memset(y.times.runs, 0, y.times.count); /* they come again */
                memset(y.times.notes, 0, y.times.count);
            }
            if (plans[p].rule != LOCAL && plans[p].due != each_twenty)
                check_books(&y);
            year_clear(&y);
        }
        free(w.local);
        zones_clear(&w.zones);
    }
}

/* By more than three hours: every next time is reckoned anew. */
static void test_set_back_far(void **state)
{
    (void)state;
    for (size_t z = 0; z < ZONES; z++) {
        struct walk w = {0};
        walk_init(&w, zones_walked[z].name, zones_walked[z].year);
        for (size_t p = 0; p < PLANS; p++) {
            struct year y;
            struct life l;
            seed = z * 1000 + p * 100 + 55;
            year_init(&y, &w, &plans[p]);
            for (int i = 0; i < 20; i++) {
                live(&y, y.now + 8 * DAY + (instant)random_below(40) * HOUR);
                int64_t step = -3 * HOUR - SECOND - (int64_t)random_below(60 * 3600) * SECOND;
                y.now += step;
                y.latest = y.now;
                life_clock_step(view(&y, &l), &y.state, step);
                check_silence(&y);
                memset(y.times.runs, 0, y.times.count);
                memset(y.times.notes, 0, y.times.count);
            }
            year_clear(&y);
        }
        free(w.local);
        zones_clear(&w.zones);
    }
}

/* A machine without a clock battery: months forward at a stroke. One run at most, or as many as catchup: all allows. */
static void test_months_forward(void **state)
{
    (void)state;
    struct walk w = {0};
    walk_init(&w, "Europe/Berlin", 2026);
    for (size_t p = 0; p < PLANS; p++)
        for (int catchup = CATCHUP_LATEST; catchup <= CATCHUP_ALL; catchup++) {
            struct year y;
            struct life l;
            seed = p;
            year_init(&y, &w, &plans[p]);
            y.job.catchup = catchup;
            y.job.catchup_max = 3;
            y.job.overlap = OVERLAP_SKIP;
            y.job.catchup_within = y.job.start_within = DURATION_NONE;
            y.job.jitter = y.job.retries = 0;
            instant wake, jumped = y.now += 200 * DAY + 90 * SECOND;
            y.since = y.now;
            int runs = 0;
            while (life_wake(&y.state, &wake) && wake <= y.now) {
                CHECK(&y, runs < 10);
                enum life_verdict said = life_claim(view(&y, &l), &y.state, &y.run);
                count_notes(&y);
                if (said == LIFE_START) {
                    runs++;
                    end_run(&y, OUTCOME_OK, y.now);
                }
            }
            assert_int_equal(y.now, jumped);
            assert_int_equal(runs, catchup == CATCHUP_ALL ? 3 : catchup == CATCHUP_LATEST);
            check_silence(&y);
            check_books(&y);
            year_clear(&y);
        }
    free(w.local);
    zones_clear(&w.zones);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_counted), cmocka_unit_test(test_set_back), cmocka_unit_test(test_set_back_far), cmocka_unit_test(test_months_forward),
    };
    return cmocka_run_group_tests_name("years", tests, NULL, NULL);
}
