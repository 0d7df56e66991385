#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/why.h"
#include "lib/base/mem.h"

#define NOW (INT64_C(1767225600) * SECOND)
#define T(seconds) (NOW + (seconds) * SECOND)

enum { ONCE, EVERY, BOOT_M, BOOT_S, HAND };
#define RUNS .phase = PHASE_RUNNING, .open = 3, .due = T(-5), .ready = T(-5), .next = INSTANT_NEVER
#define IS_DUE .due = T(-5), .ready = T(-5), .next = INSTANT_NEVER

/* An idle spool that is served, but for what a row says. */
struct facts {
    int kind, overlap;
    duration jitter;
    struct job_state state;
    bool unserved;
    uint32_t limit, queue_used, used, workers; /* workers 0: 5 */
    uint64_t ahead;
    bool full;
    uint32_t kept; /* weight of what the free slots are kept for */
};

static const struct {
    const char *words; /* of all reasons */
    const char *text;  /* in the first */
    struct facts facts;
} cases[] = {
    /* it has ended */
    {"done", "it ran, as it was to", {.state = {.phase = PHASE_DONE, .last_outcome = OUTCOME_OK}}},
    {"done", "no further due time", {EVERY, .state = {.phase = PHASE_DONE, .repeats = true, .last_outcome = OUTCOME_OK}}},
    {"failed", "failed, exit 3) and it is not tried again", {.state = {.phase = PHASE_FAILED, .last_outcome = OUTCOME_FAILED, .last_code = 3}}},
    {"ended", "no further due time; its last run: killed, SIGTERM", {EVERY, .state = {.phase = PHASE_FAILED, .repeats = true, .last_outcome = OUTCOME_KILLED, .last_code = 15}}},
    {"missed", "its due time was missed", {.state = {.phase = PHASE_FAILED, .last_outcome = OUTCOME_MISSED}}},
    {"cancelled", "was cancelled", {.state = {.phase = PHASE_CANCELLED}}},
    /* it waits for a time */
    {"time", "its due time, 2026-01-01 00:01:00 +00:00 (in 1m)", {.state = {.due = T(60), .ready = T(60)}}},
    {"time no-scheduler", "its due time", {.state = {.due = T(60), .ready = T(60)}, .unserved = true}},
    {"jitter", "its jitter lets it start 2026-01-01 00:00:09", {EVERY, .jitter = 20 * SECOND, .state = {.due = T(-5), .ready = T(9)}}},
    {"retry", "(failed, exit 1); attempt 2 is 2026-01-01 00:00:30", {.state = {.phase = PHASE_RETRYING, .due = T(-5), .ready = T(30), .attempt = 1, .last_outcome = OUTCOME_FAILED, .last_code = 1}}},
    {"shortage", "3 times in a row", {.state = {.due = T(-5), .ready = T(3), .shortage = 3}}},
    {"boot", "boot of the machine", {BOOT_M, .state = {.due = INSTANT_NEVER, .ready = INSTANT_NEVER, .repeats = true}}},
    {"boot", "start of the scheduler", {BOOT_S, .state = {.due = INSTANT_NEVER, .ready = INSTANT_NEVER, .repeats = true}}},
    {"by-hand", "`ax start 7`", {HAND, .state = {.due = INSTANT_NEVER, .ready = INSTANT_NEVER}}},
    /* it is paused */
    {"paused time", "`ax resume 7`", {.state = {.due = T(60), .ready = T(60), .paused = true}}},
    {"paused", "and runs then", {.state = {IS_DUE, .paused = true}}},
    {"paused", "counts as missed", {EVERY, .state = {IS_DUE, .paused = true, .repeats = true}}},
    /* another occurrence */
    {"overlap", "(overlap: queue)", {EVERY, OVERLAP_QUEUE, .state = {.due = T(-5), .ready = INSTANT_NEVER, .repeats = true}}},
    /* it could start */
    {"now", "at any moment", {.state = {IS_DUE, .weight = 1}}},
    {"no-scheduler", "nobody serves", {.state = {IS_DUE, .weight = 1}, .unserved = true}},
    {"disk-full", "is full", {.state = {IS_DUE, .weight = 1}, .full = true}},
    {"queue", "queue slow is full: 2 of 2", {.state = {IS_DUE, .weight = 1}, .limit = 2, .queue_used = 2, .used = 2}},
    {"queue", "1 of 2 are taken, and it takes 2", {.state = {IS_DUE, .weight = 2}, .limit = 2, .queue_used = 1, .used = 1}},
    {"now", "", {.state = {IS_DUE, .weight = 9}, .limit = 2}}, /* heavier than all: alone it fits */
    {"now", "", {.state = {IS_DUE, .weight = 1}, .limit = 2, .queue_used = 1, .used = 1}},
    {"slot", "5 of 5", {.state = {IS_DUE, .weight = 1}, .used = 5}},
    {"slot behind", "5 of 5", {.state = {IS_DUE, .weight = 1}, .used = 5, .ahead = 4}},
    {"slot", "1 of 1", {.state = {IS_DUE, .weight = 1}, .used = 1, .workers = 1}},
    {"slot", "kept for another that goes before it and takes 4", {.state = {IS_DUE, .weight = 1}, .used = 3, .kept = 4}},
    {"behind", "1 of its queue goes before it", {.state = {IS_DUE, .weight = 1}, .ahead = 1}},
    {"behind", "at least 1000", {.state = {IS_DUE, .weight = 1}, .ahead = WHY_AHEAD}},
    /* it runs */
    {"running", "run 7.3 is going (attempt 1), since 2025-12-31 23:59:56", {.state = {RUNS}}},
    {"running no-scheduler", "7.3", {.state = {RUNS}, .unserved = true}},
    {"running cancel", "7.3", {.state = {RUNS, .cancel = true}}},
    {"running stop", "7.3", {.state = {RUNS, .stop = true}}},
    {"running replace", "7.3", {.state = {RUNS, .overtaken = true}}},
    {"running retired", "7.3", {.state = {RUNS, .retired = true}}},
    {"running paused", "7.3", {.state = {RUNS, .paused = true}}},
    {"running time", "7.3", {EVERY, .state = {.phase = PHASE_RUNNING, .open = 3, .due = T(-5), .next = T(5), .repeats = true}}},
    {"running overlap", "7.3", {EVERY, .state = {.phase = PHASE_RUNNING, .open = 3, .due = T(-5), .next = T(-1), .repeats = true}}},
};

static void fill(struct why *w, const struct facts *f)
{
    *w = (struct why){.place_count = 1, .queue = {.id = 2, .name = "slow", .limit = f->limit}, .queue_used = f->queue_used, .used = f->used};
    w->served = (struct served){.pid = f->unserved ? 0 : 9, .since = f->unserved ? INSTANT_NONE : T(-100), .workers = f->workers ? f->workers : 5};
    w->room = f->full ? 4096 : 1 << 30;
    job_init(&w->job);
    w->job.number = 7;
    w->job.overlap = f->overlap;
    w->job.jitter = f->jitter;
    w->job.at = f->kind == ONCE ? T(-5) : INSTANT_NONE;
    w->job.every = f->kind == EVERY ? 60 * SECOND : DURATION_NONE;
    w->job.boot = f->kind == BOOT_M ? BOOT_MACHINE : f->kind == BOOT_S ? BOOT_SCHEDULER : BOOT_NONE;
    w->places[0] = (struct why_place){.number = 7, .state = f->state, .ahead = f->ahead};
    w->places[0].kept = (struct due){.number = f->kept ? 8 : 0, .weight = f->kept};
    run_init(&w->places[0].run);
    if (f->state.phase == PHASE_RUNNING) {
        w->places[0].run.id = (struct run_id){.job = 7, .n = 3};
        w->places[0].run.claimed = T(-4);
    }
}

static void test_reasons(void **state)
{
    (void)state;
    struct zone *zone;
    assert_int_equal(zone_local("UTC", &zone, NULL), 0);
    const struct view view = {.zone = zone, .now = NOW};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        struct why w;
        struct why_reasons r = {0};
        struct buf words = {0};
        fill(&w, &cases[i].facts);
        why_reasons(&w, &w.places[0], &view, &r);
        for (size_t k = 0; k < r.count; k++)
            buf_format(&words, "%s%s", k ? " " : "", r.items[k].word);
        if (strcmp(buf_string(&words), cases[i].words) != 0 || !strstr(r.items[0].text, cases[i].text))
            fail_msg("row %zu, %s: %s: %s", i, cases[i].words, buf_string(&words), r.items[0].text);
        buf_clear(&words);
        why_reasons_clear(&r);
        why_clear(&w);
    }
    zone_free(zone);
}

static void test_rows(void **state)
{
    static const struct {
        struct run run;
        duration jitter;
        instant since;
        const char *text;
    } rows[] = {
        {{.due = T(-5), .claimed = T(-5), .attempt = 1}, 0, T(-100), "on time"},
        {{.due = T(-50), .claimed = T(-5), .attempt = 1}, 0, T(-10), "45.0s late: the scheduler came after"},
        {{.due = T(-50), .claimed = T(-45), .attempt = 1}, 0, T(-10), "5.00s late: nobody served, no slot was free"},
        {{.due = T(-50), .claimed = T(-45), .attempt = 1}, 6 * SECOND, T(-100), "5.00s late: within its jitter"},
        {{.due = T(-50), .claimed = T(-5), .attempt = 2}, 0, T(-100), "attempt 2"},
        {{.due = T(-50), .claimed = T(-5), .attempt = 1, .cause = CAUSE_MANUAL}, 0, T(-100), "started by hand"},
        {{.due = T(-50), .claimed = T(-5), .attempt = 1, .cause = CAUSE_REPLAY}, 0, T(-100), "replayed by hand"},
        {{.id = {.note = 1}, .due = T(-50), .reason = (char *)"no scheduler was running"}, 0, T(-100), "no scheduler was running"},
    };
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct why w = {.job.jitter = rows[i].jitter, .served.since = rows[i].since};
        struct buf b = {0};
        why_row(&b, &w, &rows[i].run);
        if (!strstr(buf_string(&b), rows[i].text))
            fail_msg("row %zu: %s", i, buf_string(&b));
        buf_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_reasons), cmocka_unit_test(test_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
