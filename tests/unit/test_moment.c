#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "cmd/moment.h"

/* Now is Sunday, 2026-03-29 12:00 in Berlin, where the clock was put forward at 02:00 that night. */
static void test_parse(void **state)
{
    static const struct {
        const char *text, *since, *until, *ahead; /* NULL: refused */
    } cases[] = {
        {"now", "2026-03-29T10:00:00Z", "2026-03-29T10:00:00Z", "2026-03-29T10:00:00Z"},
        {"2h", "2026-03-29T08:00:00Z", "2026-03-29T08:00:00Z", "2026-03-29T12:00:00Z"},
        {"1d12h", "2026-03-27T22:00:00Z", "2026-03-27T22:00:00Z", "2026-03-30T22:00:00Z"},
        {"today", "2026-03-28T23:00:00Z", "2026-03-29T22:00:00Z", "2026-03-28T23:00:00Z"}, /* a day of 23 hours */
        {"yesterday", "2026-03-27T23:00:00Z", "2026-03-28T23:00:00Z", "2026-03-27T23:00:00Z"},
        {"tomorrow", "2026-03-29T22:00:00Z", "2026-03-30T22:00:00Z", "2026-03-29T22:00:00Z"},
        {"17:30", "2026-03-28T16:30:00Z", "2026-03-28T16:30:00Z", "2026-03-29T15:30:00Z"}, /* the last one, the next one */
        {"today 17:30", "2026-03-29T15:30:00Z", "2026-03-29T15:30:00Z", "2026-03-29T15:30:00Z"},
        {"7:05:09", "2026-03-29T05:05:09Z", "2026-03-29T05:05:09Z", "2026-03-29T05:05:09Z"},
        {"yesterday 17:30", "2026-03-28T16:30:00Z", "2026-03-28T16:30:00Z", "2026-03-28T16:30:00Z"},
        {"tomorrow  08:00", "2026-03-30T06:00:00Z", "2026-03-30T06:00:00Z", "2026-03-30T06:00:00Z"},
        {"2026-12-24", "2026-12-23T23:00:00Z", "2026-12-24T23:00:00Z", "2026-12-23T23:00:00Z"},
        {"20261224", "2026-12-23T23:00:00Z", "2026-12-24T23:00:00Z", "2026-12-23T23:00:00Z"},
        {"2026-12-24T18:00", "2026-12-24T17:00:00Z", "2026-12-24T17:00:00Z", "2026-12-24T17:00:00Z"},
        {"2026-12-24 18:00:01 -05:00", "2026-12-24T23:00:01Z", "2026-12-24T23:00:01Z", "2026-12-24T23:00:01Z"},
        {"@86400", "1970-01-02T00:00:00Z", "1970-01-02T00:00:00Z", "1970-01-02T00:00:00Z"},
        {"noon tomorrow", NULL, NULL, "2026-03-30T10:00:00Z"},
        {"", NULL, NULL, NULL},
        {"nix", NULL, NULL, NULL},
        {"-2h", NULL, NULL, NULL},
        {"todays", NULL, NULL, NULL},
        {"today x", NULL, NULL, NULL},
        {"24:01", NULL, NULL, NULL},
        {"02:30", NULL, NULL, NULL}, /* which the clock skipped */
        {"2026-02-30", NULL, NULL, NULL},
    };
    struct zone *z;
    instant now;
    (void)state;
    assert_int_equal(zone_load("Europe/Berlin", &z, NULL), 0);
    assert_int_equal(instant_parse_iso("2026-03-29T10:00:00Z", z, &now, NULL), 0);
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        const char *expected[] = {[MOMENT_SINCE] = cases[i].since, [MOMENT_UNTIL] = cases[i].until, [MOMENT_AHEAD] = cases[i].ahead};
        for (int kind = MOMENT_SINCE; kind <= MOMENT_AHEAD; kind++) {
            struct error e = {0};
            struct buf b = {0};
            instant t = 7;
            int code = moment_parse(cases[i].text, (enum moment_kind)kind, z, now, &t, &e);
            if (code == 0)
                instant_format_utc(&b, t);
            if ((code == 0) != (expected[kind] != NULL) || (code == 0 && strcmp(buf_string(&b), expected[kind]) != 0))
                fail_msg("%s as %d: %s%s, not %s", cases[i].text, kind, buf_string(&b), e.text, expected[kind] ? expected[kind] : "refused");
            if (code < 0) {
                assert_int_equal(code, -ERROR_USAGE);
                assert_int_equal(t, 7);
                assert_true(e.text[0]);
            }
            buf_clear(&b);
        }
    }
    zone_free(z);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_parse)};
    return cmocka_run_group_tests_name("moment", tests, NULL, NULL);
}
