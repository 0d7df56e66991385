#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/time/when.h"

#define BERLIN "CET-1CEST,M3.5.0,M10.5.0/3"
#define NOON "2026-03-01T12:00:00Z"   /* 13:00 in Berlin */
#define SPRING "2026-03-28T23:30:00Z" /* 00:30 of the day whose 2:00-3:00 is skipped */
#define AUTUMN "2026-10-24T22:30:00Z" /* 00:30 of the day whose 2:00-3:00 comes twice */

static struct zone *zone;

static int set_up(void **state)
{
    (void)state;
    return zone_local(BERLIN, &zone, NULL);
}

static int tear_down(void **state)
{
    (void)state;
    zone_free(zone);
    return 0;
}

static instant utc(const char *text)
{
    instant t = INSTANT_NONE;
    struct error e = {0};
    if (instant_parse_iso(text, zone, &t, &e))
        fail_msg("%s: %s", text, e.text);
    return t;
}

enum { NOW = 1, ROLLED = 2 };

static const struct {
    const char *now, *text;
    enum when_kind kind;
    const char *at; /* in UTC */
    duration every; /* in seconds */
    int flags;
} taken[] = {
    {NOON, "now", WHEN_AT, NOON, 0, NOW},
    {NOON, "at now", WHEN_AT, NOON, 0, NOW},
    {NOON, "20m", WHEN_IN, "2026-03-01T12:20:00Z", 0, 0},
    {NOON, "in 20m", WHEN_IN, "2026-03-01T12:20:00Z", 0, 0},
    {NOON, "in   1h30m", WHEN_IN, "2026-03-01T13:30:00Z", 0, 0},
    {NOON, "250ms", WHEN_IN, "2026-03-01T12:00:00.25Z", 0, 0},
    {NOON, "0s", WHEN_IN, NOON, 0, NOW},
    {NOON, "every 10m", WHEN_EVERY, "2026-03-01T12:10:00Z", 600, 0},
    {NOON, "every 1s", WHEN_EVERY, "2026-03-01T12:00:01Z", 1, 0},
    {NOON, "17:30", WHEN_AT, "2026-03-01T16:30:00Z", 0, 0},
    {NOON, "at 17:30:15", WHEN_AT, "2026-03-01T16:30:15Z", 0, 0},
    {NOON, "13:00", WHEN_AT, "2026-03-02T12:00:00Z", 0, ROLLED}, /* this very moment has passed, as with at */
    {NOON, "today 13:00", WHEN_AT, NOON, 0, 0},
    {NOON, "12:59", WHEN_AT, "2026-03-02T11:59:00Z", 0, ROLLED},
    {NOON, "9:00", WHEN_AT, "2026-03-02T08:00:00Z", 0, ROLLED},
    {NOON, "today 17:30", WHEN_AT, "2026-03-01T16:30:00Z", 0, 0},
    {NOON, "tomorrow 9:00", WHEN_AT, "2026-03-02T08:00:00Z", 0, 0},
    {NOON, "tomorrow  23:59:59", WHEN_AT, "2026-03-02T22:59:59Z", 0, 0},
    {NOON, "Tomorrow 9:00", WHEN_AT, "2026-03-02T08:00:00Z", 0, 0},
    {NOON, "2026-12-24T18:00+01:00", WHEN_AT, "2026-12-24T17:00:00Z", 0, 0},
    {NOON, "at 2026-12-24 18:00", WHEN_AT, "2026-12-24T17:00:00Z", 0, 0},
    {NOON, "20261224T1800", WHEN_AT, "2026-12-24T17:00:00Z", 0, 0},
    {NOON, "20261224 1800", WHEN_AT, "2026-12-24T17:00:00Z", 0, 0},
    {NOON, "2026-12-24", WHEN_AT, "2026-12-23T23:00:00Z", 0, 0},
    {NOON, "at 20261224", WHEN_AT, "2026-12-23T23:00:00Z", 0, 0},
    {NOON, NOON, WHEN_AT, NOON, 0, 0},
    {"2026-12-31T22:59:59Z", "tomorrow 0:00", WHEN_AT, "2026-12-31T23:00:00Z", 0, 0},
    {"2026-12-31T23:00:00Z", "tomorrow 0:00", WHEN_AT, "2027-01-01T23:00:00Z", 0, 0}, /* it is next year already */
    {"2024-02-28T12:00:00Z", "tomorrow 12:00", WHEN_AT, "2024-02-29T11:00:00Z", 0, 0},
    {SPRING, "3:00", WHEN_AT, "2026-03-29T01:00:00Z", 0, 0},
    {SPRING, "tomorrow 2:30", WHEN_AT, "2026-03-30T00:30:00Z", 0, 0},
    {"2026-03-29T10:00:00Z", "2:30", WHEN_AT, "2026-03-30T00:30:00Z", 0, ROLLED}, /* today's gap is over */
    {"2026-03-29T01:10:00Z", "2:30", WHEN_AT, "2026-03-30T00:30:00Z", 0, ROLLED},
    {NOON, "PT15M", WHEN_IN, "2026-03-01T12:15:00Z", 0, 0},
    {NOON, "every P1D", WHEN_EVERY, "2026-03-02T12:00:00Z", 86400, 0},
    {NOON, "@1772366460", WHEN_AT, "2026-03-01T12:01:00Z", 0, 0},
    {NOON, "at @1772366460.25", WHEN_AT, "2026-03-01T12:01:00.25Z", 0, 0},
    /* the words of at */
    {NOON, "tomorrow", WHEN_AT, "2026-03-02T12:00:00Z", 0, 0},
    {NOON, "fri 9am", WHEN_AT, "2026-03-06T08:00:00Z", 0, 0},
    {NOON, "FRI", WHEN_AT, "2026-03-06T12:00:00Z", 0, 0},
    {NOON, "next monday 08:00", WHEN_AT, "2026-03-02T07:00:00Z", 0, 0},
    {NOON, "at 4pm + 2 days", WHEN_AT, "2026-03-03T15:00:00Z", 0, 0},
    {NOON, "now + 3 days", WHEN_AT, "2026-03-04T12:00:00Z", 0, 0},
    {"2026-03-01T12:00:31.5Z", "today", WHEN_AT, NOON, 0, 0}, /* its seconds are cut off: it lies back a little */
    {NOON, "noon", WHEN_AT, "2026-03-02T11:00:00Z", 0, ROLLED},
    {NOON, "12:30pm", WHEN_AT, "2026-03-02T11:30:00Z", 0, ROLLED},
    {NOON, "9am", WHEN_AT, "2026-03-02T08:00:00Z", 0, ROLLED},
    {NOON, "at 1730", WHEN_AT, "2026-03-01T16:30:00Z", 0, 0},
    {NOON, "1730 tomorrow", WHEN_AT, "2026-03-02T16:30:00Z", 0, 0},
    {NOON, "1730utc", WHEN_AT, "2026-03-01T17:30:00Z", 0, 0},
    {NOON, "tomorrow9:00", WHEN_AT, "2026-03-02T08:00:00Z", 0, 0},
    {NOON, "10 am 31 jul 2027", WHEN_AT, "2027-07-31T08:00:00Z", 0, 0}, /* and not five fields of cron */
    {NOON, "17:30 12/24/27", WHEN_AT, "2027-12-24T16:30:00Z", 0, 0},
    {NOON, "24.12.27", WHEN_AT, "2027-12-24T12:00:00Z", 0, 0},
    {NOON, "5.30pm", WHEN_AT, "2026-03-01T16:30:00Z", 0, 0},
    {NOON, "2027-1-4", WHEN_AT, "2027-01-04T12:00:00Z", 0, 0}, /* ISO 8601 has two digits, and the start of the day */
    {NOON, "2027-12-24 + 1 day", WHEN_AT, "2027-12-25T12:00:00Z", 0, 0},
    {NOON, "122427 + 1 day", WHEN_AT, "2027-12-25T12:00:00Z", 0, 0},
    {NOON, "12241800.30", WHEN_AT, "2026-12-24T17:00:30Z", 0, 0},
    {NOON, "at 202612241800", WHEN_AT, "2026-12-24T17:00:00Z", 0, 0},
    {NOON, "24:00", WHEN_AT, "2026-03-01T23:00:00Z", 0, 0},
    {SPRING, "2am today", WHEN_AT, "2026-03-29T00:00:00Z", 0, 0}, /* skipped: at's words are read as summer time */
    {AUTUMN, "2:30", WHEN_AT, "2026-10-25T00:30:00Z", 0, 0}, /* twice: the first */
    {AUTUMN, "2026-10-25T02:30", WHEN_AT, "2026-10-25T00:30:00Z", 0, 0},
    {"2026-10-25T00:31:00Z", "2:30", WHEN_AT, "2026-10-25T01:30:00Z", 0,
        0}, /* the first has passed, the second comes */
    {"2026-10-25T01:31:00Z", "2:30", WHEN_AT, "2026-10-26T01:30:00Z", 0, ROLLED},
};

static void test_taken(void **state)
{
    (void)state;
    struct buf b = {0};
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        struct when w = {0};
        struct error e = {0};
        if (when_parse(taken[i].text, zone, utc(taken[i].now), &w, &e))
            fail_msg("'%s': %s", taken[i].text, e.text);
        buf_reset(&b);
        instant_format_utc(&b, w.at);
        if (w.kind != taken[i].kind || strcmp(buf_string(&b), taken[i].at) != 0 || w.every != taken[i].every * SECOND ||
            w.now != (taken[i].flags == NOW) || w.rolled != (taken[i].flags == ROLLED))
            fail_msg("'%s': kind %d, %s, every %lld, now %d, rolled %d", taken[i].text, w.kind, buf_string(&b),
                (long long)w.every, w.now, w.rolled);
    }
    buf_clear(&b);
}

static const struct {
    const char *now, *text;
    int column, width;
    const char *says;
} refused[] = {
    {NOON, "", 1, 1, "take now, 20m"},
    {NOON, "20", 1, 2, "--in 20m"},
    {NOON, "1730", 1, 4, "--at 17:30"},
    {NOON, "2500", 1, 4, "--in 2500m"},
    {NOON, "20261224", 1, 8, "--at 20261224"},
    {NOON, "99999999999999999999999999", 1, 26, "--in 99999999999999999999m"},
    {NOON, "in 90", 4, 2, "90 has no unit"},
    {NOON, "in", 3, 1, "empty"},
    {NOON, "every  500ms", 8, 5, "one second"},
    {NOON, "every 0s", 7, 2, "one second"},
    {NOON, "every 17:30", 7, 2, "no unit"},
    {NOON, "-5m", 1, 1, "no sign"},
    {NOON, "+20m", 1, 1, "no sign"},
    {NOON, "1.5h", 1, 1, "no fraction"},
    {NOON, "1h30", 3, 2, "no unit"},
    {NOON, "15M", 3, 1, "minutes"},
    {NOON, "5 minutes", 1, 9, "write it without blanks: 5m"},
    {NOON, "99999999999999h", 1, 15, "too long"},
    {NOON, "100000d", 1, 7, "2262"},
    {NOON, "every 100000d", 7, 7, "2262"},
    {NOON, "25:00", 1, 2, "hour: 25 is above 23"},
    {NOON, "at 12:60", 7, 2, "minute: 60 is above 59"},
    {NOON, "12:30:61", 7, 2, "second: 61 is above 59"},
    {NOON, "12:3", 4, 1, "two digits"},
    {NOON, "12:", 4, 1, "two digits"},
    {NOON, "13:30pm", 1, 2, "13 is above 12"},
    {NOON, "12:30:", 7, 1, "two digits"},
    {NOON, "12:30:15:00", 9, 3, "written like"},
    {NOON, "tomorrow 17:30:15 utc", 15, 1, "seconds do not go with words"},
    {NOON, "tomorrow 25:00", 10, 2, "hour: 25"},
    {NOON, "tomorrow noon", 10, 4, "`noon tomorrow`"},
    {NOON, "today 12:59", 1, 11, "2026-03-01 12:59:00 +01:00 is past (1m ago)"},
    {NOON, "2026-03-01T11:00", 1, 16, "2026-03-01 11:00:00 +01:00 is past (2h ago)"},
    {NOON, "at 2026-03-01T11:00", 4, 16, "is past"},
    {NOON, "1678-01-01", 1, 10, "is past"},
    {"2261-12-31T00:00:00Z", "1678-01-01", 1, 10, "is past (106752d ago)"}, /* the distance is too long to hold */
    {NOON, "2026-02-29", 9, 2, "29 is not in 01-28"},
    {NOON, "at 17", 4, 2, "a time or a date is expected"},
    {NOON, "at 20m", 4, 2, "a time or a date is expected"},
    {NOON, "at in 20m", 4, 2, "a time or a date is expected"},
    {NOON, "fri 9", 5, 1, "17:30, 1730 or 5pm"},
    {NOON, "202612241800", 1, 12, "--at 202612241800"},
    {NOON, "@1735689600", 1, 11, "is past (425d ago)"},
    {NOON, "@1735689600000", 2, 13, "not milliseconds"},
    {NOON, "@", 2, 1, "seconds since 1970"},
    {NOON, "at @daily", 5, 1, "seconds since 1970"},
    {NOON, "P1M", 2, 2, "no fixed length"},
    {NOON, "1730 minutes", 1, 4, "no unit"},
    {NOON, "5.30", 1, 4, "with a colon, 5:30"},
    {NOON, "at 2027-06-01T12:00,5", 20, 2, "write 12:00:30"},
    {NOON, "at now + 5", 11, 1, "a unit is expected"},
    {NOON, "weekly", 1, 6, "--calendar 'weekly'"},
    {NOON, "Mon..Fri *-*-* 09:00", 1, 20, "--calendar 'Mon..Fri *-*-* 09:00'"},
    {NOON, "*:0/15", 1, 6, "--calendar"},
    {NOON, "*-*-* 09:00\033[2J", 1, 15, "its flag, --calendar"},
    {NOON, "0 0 2 * * *", 1, 11, "--cron '0 0 2 * * *'"},
    {NOON, "61 2 * * *", 1, 2, "minute: 61 is above 59"},
    {NOON, "0 2 * *", 8, 1, "five fields"},
    {NOON, "*", 2, 1, "five fields"},
    {NOON, "0 2 * * * echo hi", 16, 2, "behind the sixth field"},
    {NOON, "@dayly", 1, 6, "@daily"},
    {NOON, "@daily\n", 1, 7, "not a WHEN"},
    {NOON, "* 2 * * *\n", 1, 10, "not a WHEN"},
    {NOON, "one two three four five", 1, 23, "not a WHEN"},
    {NOON, "at", 3, 1, "the time is empty"},
    {NOON, "now and then", 5, 3, "does not fit"},
    {NOON, "\033[2J", 1, 4, "not a WHEN"},
    {SPRING, "2:30", 1, 4, "there is no 02:30:00 on 2026-03-29"},
    {SPRING, "today 2:00", 1, 10, "put forward then, to 03:00:00"},
    {SPRING, "2026-03-29T02:30", 1, 16, "jumps from 2026-03-29 02:00:00 to 2026-03-29 03:00:00"},
    {"2026-03-28T12:00:00Z", "tomorrow 2:30", 1, 13, "there is no 02:30:00 on 2026-03-29"},
    {"2026-03-28T12:00:00Z", "2:30", 1, 4, "there is no 02:30:00 on 2026-03-29"},
    {"2026-10-25T00:31:00Z", "2026-10-25T02:30", 1, 16, "is past"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct when w = {.at = 7};
        struct error e = {0};
        int code = when_parse(refused[i].text, zone, utc(refused[i].now), &w, &e);
        if (code != -ERROR_USAGE || w.at != 7 || e.column != refused[i].column || e.width != refused[i].width ||
            !strstr(e.text, refused[i].says) || strchr(e.text, '\033'))
            fail_msg("'%s': %d, column %d, width %d: %s", refused[i].text, code, e.column, e.width, e.text);
        assert_string_equal(e.source, refused[i].text);
        assert_int_equal(when_parse(refused[i].text, zone, utc(refused[i].now), &w, NULL), -ERROR_USAGE);
    }
}

static const struct {
    const char *text;
    enum when_kind kind;
} expressions[] = {
    {"0 2 * * *", WHEN_CRON},
    {"*/5 8-18 * * mon-fri", WHEN_CRON},
    {"30 2 1 1 0", WHEN_CRON}, /* five fields without a star */
    {"  0\t2  * * sun", WHEN_CRON},
    {"0 0 30 2 *", WHEN_CRON}, /* a date that never comes */
    {"@daily", WHEN_CRON},
    {"@midnight", WHEN_CRON},
    {"@reboot", WHEN_BOOT},
};

static void test_expressions(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof expressions / sizeof expressions[0]; i++) {
        struct when w = {.at = 7};
        struct error e = {0};
        if (when_parse(expressions[i].text, zone, utc(NOON), &w, &e))
            fail_msg("'%s': %s", expressions[i].text, e.text);
        assert_int_equal(w.kind, expressions[i].kind);
        assert_ptr_equal(w.text, expressions[i].text);
        assert_int_equal(w.at, INSTANT_NONE);
    }
}

/* The flags take what a bare WHEN leaves open, and nothing else. */
static void test_flags(void **state)
{
    (void)state;
    instant now = utc(NOON);
    struct when w;
    assert_int_equal(when_at("20261224", zone, now, &w, NULL), 0);
    assert_int_equal(w.kind, WHEN_AT);
    assert_int_equal(when_at("now", zone, now, &w, NULL), 0);
    assert_true(w.now);
    assert_int_equal(when_in("0s", now, &w, NULL), 0);
    assert_true(w.now && w.kind == WHEN_IN);
    assert_int_equal(when_every("1w", now, &w, NULL), 0);
    assert_int_equal(w.every, 7 * 86400 * SECOND);
    assert_false(w.now);
    static const char *const not_at[] = {"20m", "in 20m", "every 10m", "at 17:30", "@daily", "0 2 * * *", ""};
    for (size_t i = 0; i < sizeof not_at / sizeof not_at[0]; i++)
        assert_int_equal(when_at(not_at[i], zone, now, &w, NULL), -ERROR_USAGE);
    static const char *const not_in[] = {"90", "in 20m", "now", "17:30", ""};
    for (size_t i = 0; i < sizeof not_in / sizeof not_in[0]; i++) {
        assert_int_equal(when_in(not_in[i], now, &w, NULL), -ERROR_USAGE);
        assert_int_equal(when_every(not_in[i], now, &w, NULL), -ERROR_USAGE);
    }
}

static void test_words(void **state)
{
    (void)state;
    static const char *const times[] = {"+", "+3", "+ 3 days", "20m", "1h30m", "3days", "5minutes", "9am", "17:30",
        "9:00", "17:30:15", "today", "Tomorrow", "noon", "midnight", "teatime", "next", "fri", "FRIDAY", "tues", "jan",
        "December", "12/24/27", "24.12.2027", "2026-12-24", "pm", "months", "*", "*/5", "* * * * *"};
    static const char *const others[] = {"", "make", "7z", "1password", "2to3", "20", "x+", "a:b", "12:", "123:45",
        "monitor", "maybe", "./fri", "5", "m", "nextcloud", "*.sh", "3d-print", "date", "sleep", "1/2", "2026-12", "12/24/27/x", "1.2-3"};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++)
        if (!when_looks_like_time(times[i]))
            fail_msg("'%s' is not seen as a time", times[i]);
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++)
        if (when_looks_like_time(others[i]))
            fail_msg("'%s' is seen as a time", others[i]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_expressions),
        cmocka_unit_test(test_flags),
        cmocka_unit_test(test_words),
    };
    return cmocka_run_group_tests_name("when", tests, set_up, tear_down);
}
