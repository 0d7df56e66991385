#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include <cmocka.h>

#include "spool/life.h"

#define DAY (24 * 3600 * SECOND)
#define NOW (1000 * DAY)

static void test_keeps(void **state)
{
    (void)state;
    static const struct {
        const char *what;
        struct job_state state;
        struct run run;
        bool kept;
    } rows[] = {
        {"young, among the latest", {.runs = 20}, {.id = {1, 15, 0}, .outcome = OUTCOME_OK, .ended = NOW - DAY}, true},
        {"young, too many behind it", {.runs = 20}, {.id = {1, 10, 0}, .outcome = OUTCOME_OK, .ended = NOW - DAY},
            false},
        {"the last one that is not too many", {.runs = 20},
            {.id = {1, 11, 0}, .outcome = OUTCOME_OK, .ended = NOW - DAY}, true},
        {"old", {.runs = 20}, {.id = {1, 15, 0}, .outcome = OUTCOME_OK, .ended = NOW - 30 * DAY}, false},
        {"not quite old", {.runs = 20}, {.id = {1, 15, 0}, .outcome = OUTCOME_OK, .ended = NOW - 30 * DAY + 1}, true},
        {"old, but the latest", {.runs = 20}, {.id = {1, 20, 0}, .outcome = OUTCOME_OK, .ended = NOW - 90 * DAY}, true},
        {"skips behind the latest", {.runs = 20},
            {.id = {1, 20, 3}, .outcome = OUTCOME_SKIPPED, .ended = NOW - 90 * DAY}, true},
        {"skips behind an old one", {.runs = 20}, {.id = {1, 9, 3}, .outcome = OUTCOME_SKIPPED, .ended = NOW - DAY},
            false},
        {"open", {.runs = 200}, {.id = {1, 15, 0}, .outcome = OUTCOME_NONE, .ended = INSTANT_NONE}, true},
        {"its mail is not sent", {.runs = 200},
            {.id = {1, 15, 0}, .outcome = OUTCOME_OK, .ended = NOW - 90 * DAY, .mail = MAIL_PENDING}, true},
        {"of the occurrence that is tried again", {.runs = 200, .phase = PHASE_RETRYING, .first = 15},
            {.id = {1, 15, 0}, .outcome = OUTCOME_FAILED, .ended = NOW - 90 * DAY}, true},
        {"in front of that occurrence", {.runs = 200, .phase = PHASE_RETRYING, .first = 15},
            {.id = {1, 14, 0}, .outcome = OUTCOME_FAILED, .ended = NOW - 90 * DAY}, false},
        {"of an extra occurrence, and one goes on", {.runs = 200, .extras = 1},
            {.id = {1, 14, 0}, .extra = 9, .outcome = OUTCOME_FAILED, .ended = NOW - 90 * DAY}, true},
        {"of an extra occurrence, and none goes on", {.runs = 200},
            {.id = {1, 14, 0}, .extra = 9, .outcome = OUTCOME_FAILED, .ended = NOW - 90 * DAY}, false},
    };
    const struct life_keep keep = {.keep_runs = 10, .keep_for = 30 * DAY, .now = NOW};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (life_keeps(&rows[i].state, &rows[i].run, &keep) != rows[i].kept)
            fail_msg("%s", rows[i].what);
}

static void test_expiry(void **state)
{
    (void)state;
    struct job_state s = {.phase = PHASE_DONE, .last_ended = NOW, .keep_for = 30 * DAY};
    assert_true(life_expiry(&s) == NOW + 30 * DAY);
    s.phase = PHASE_CANCELLED;
    assert_true(life_expiry(&s) == NOW + 30 * DAY);
    s.phase = PHASE_FAILED; /* it gave up */
    assert_true(life_expiry(&s) == INSTANT_NEVER);
    s.phase = PHASE_WAITING;
    assert_true(life_expiry(&s) == INSTANT_NEVER);
    s.phase = PHASE_DONE;
    s.extras = 1;
    assert_true(life_expiry(&s) == INSTANT_NEVER);
    s.extras = 0;
    s.job = 4; /* an extra occurrence */
    assert_true(life_expiry(&s) == INSTANT_NEVER);
    s.job = 0;
    s.keep_for = DURATION_NONE;
    assert_true(life_expiry(&s) == INSTANT_NEVER);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_keeps), cmocka_unit_test(test_expiry)};
    return cmocka_run_group_tests_name("life_keep", tests, NULL, NULL);
}
