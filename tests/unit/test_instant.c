#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "lib/time/instant.h"
#include "lib/time/zone.h"

static const struct {
    int year, month, day;
    int64_t days;
    int weekday;
} dates[] = {
    {1970, 1, 1, 0, 4},
    {1969, 12, 31, -1, 3},
    {2000, 2, 29, 11016, 2},
    {2026, 3, 1, 20513, 0},
    {1900, 3, 1, -25508, 4},
    {1600, 2, 29, -135081, 2},
    {0, 3, 1, -719468, 3},
    {-1, 12, 31, -719529, 5},
    {2400, 2, 29, 157113, 2},
    {9999, 12, 31, 2932896, 5},
    {-400, 2, 29, -865566, 2},
};

static void test_dates(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof dates / sizeof dates[0]; i++) {
        int64_t days = civil_days(dates[i].year, dates[i].month, dates[i].day);
        assert_int_equal(days, dates[i].days);
        assert_int_equal(civil_weekday(days), dates[i].weekday);
        struct civil c = civil_from_seconds(days * 86400 + 86399);
        assert_int_equal(c.year, dates[i].year);
        assert_int_equal(c.month, dates[i].month);
        assert_int_equal(c.day, dates[i].day);
        assert_int_equal(c.hour * 10000 + c.minute * 100 + c.second, 235959);
    }
}

/* Every day of 1,600 years follows the day before it by the rules of the calendar, and is what libc says. */
static void test_every_day(void **state)
{
    (void)state;
    int year = 1200, month = 1, day = 1;
    for (int64_t days = civil_days(1200, 1, 1); year < 2800; days++) {
        struct civil c = civil_from_seconds(days * 86400);
        if (c.year != year || c.month != month || c.day != day || civil_days(year, month, day) != days)
            fail_msg("day %lld: %d-%d-%d", (long long)days, c.year, c.month, c.day);
        struct tm tm;
        time_t t = (time_t)(days * 86400);
        gmtime_r(&t, &tm);
        if (tm.tm_year + 1900 != year || tm.tm_mon + 1 != month || tm.tm_mday != day ||
            tm.tm_wday != civil_weekday(days))
            fail_msg("day %lld: libc says otherwise", (long long)days);
        if (++day > civil_month_days(year, month)) {
            day = 1;
            year += month == 12;
            month = month % 12 + 1;
        }
    }
}

static void test_month_days(void **state)
{
    (void)state;
    assert_int_equal(civil_month_days(2026, 2), 28);
    assert_int_equal(civil_month_days(2024, 2), 29);
    assert_int_equal(civil_month_days(1900, 2), 28);
    assert_int_equal(civil_month_days(2000, 2), 29);
    assert_int_equal(civil_month_days(2026, 12), 31);
}

static const struct {
    instant a;
    int64_t nanoseconds;
    instant sum;
} additions[] = {
    {1, 2, 3},
    {5, -7, -2},
    {INT64_MAX - 5, 100, INT64_MAX - 1},
    {INT64_MIN + 5, -100, INT64_MIN + 1},
    {0, INT64_MIN, INT64_MIN + 1},
    {0, INT64_MAX, INT64_MAX - 1},
    {INSTANT_NONE, 100, INSTANT_NONE},
    {INSTANT_NEVER, -100, INSTANT_NEVER},
};

static void test_add(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof additions / sizeof additions[0]; i++)
        assert_int_equal(instant_add(additions[i].a, additions[i].nanoseconds), additions[i].sum);
}

static const struct {
    instant t;
    const char *text;
} utc[] = {
    {0, "1970-01-01T00:00:00Z"},
    {INT64_C(1772366400) * SECOND, "2026-03-01T12:00:00Z"},
    {INT64_C(1772366400) * SECOND + SECOND / 2, "2026-03-01T12:00:00.5Z"},
    {INT64_C(1772366400) * SECOND + 1, "2026-03-01T12:00:00.000000001Z"},
    {-1, "1969-12-31T23:59:59.999999999Z"},
    {INT64_MIN + 1, "1677-09-21T00:12:43.145224193Z"},
    {INT64_MAX - 1, "2262-04-11T23:47:16.854775806Z"},
    {INSTANT_NONE, "none"},
    {INSTANT_NEVER, "never"},
};

static void test_format_utc(void **state)
{
    (void)state;
    struct buf b = {0};
    for (size_t i = 0; i < sizeof utc / sizeof utc[0]; i++) {
        buf_reset(&b);
        instant_format_utc(&b, utc[i].t);
        assert_string_equal(buf_string(&b), utc[i].text);
    }
    buf_clear(&b);
}

static const struct {
    instant t;
    const char *tz, *text, *iso;
} local[] = {
    {INT64_C(1772366400) * SECOND, "CET-1", "2026-03-01 13:00:00 +01:00", "2026-03-01T13:00:00+01:00"},
    {INT64_C(1772366400) * SECOND, "UTC0", "2026-03-01 12:00:00 +00:00", "2026-03-01T12:00:00+00:00"},
    {INT64_C(1772366400) * SECOND, "NST3:30", "2026-03-01 08:30:00 -03:30", "2026-03-01T08:30:00-03:30"},
    {INT64_C(1772366400) * SECOND, "LMT-0:53:28", "2026-03-01 12:53:00 +00:53", "2026-03-01T12:53:00+00:53"},
    {INT64_C(1772366400) * SECOND, "LMT4:56:02", "2026-03-01 07:04:00 -04:56", "2026-03-01T07:04:00-04:56"},
    {INT64_C(1772366400) * SECOND, "LMT-0:53:31", "2026-03-01 12:54:00 +00:54", "2026-03-01T12:54:00+00:54"},
    {INT64_C(1772366400) * SECOND, "LMT0:53:31", "2026-03-01 11:06:00 -00:54", "2026-03-01T11:06:00-00:54"},
    {1, "CET-1", "1970-01-01 01:00:00.000000001 +01:00", "1970-01-01T01:00:00.000000001+01:00"},
    {INT64_MAX - 1, "XXX-23:59", "2262-04-12 23:46:16.854775806 +23:59", "2262-04-12T23:46:16.854775806+23:59"},
    {INSTANT_NEVER, "CET-1", "never", "never"},
};

static void test_format_local(void **state)
{
    (void)state;
    struct buf b = {0};
    for (size_t i = 0; i < sizeof local / sizeof local[0]; i++) {
        struct zone *z = NULL;
        assert_int_equal(zone_local(local[i].tz, &z, NULL), 0);
        buf_reset(&b);
        instant_format_local(&b, local[i].t, z, false);
        assert_string_equal(buf_string(&b), local[i].text);
        buf_reset(&b);
        instant_format_local(&b, local[i].t, z, true);
        assert_string_equal(buf_string(&b), local[i].iso);
        zone_free(z);
    }
    buf_clear(&b);
}

/* Berlin's rule of today serves where no zones are installed. */
static struct zone *zone_of(const char *name)
{
    struct zone *z = NULL;
    if (zone_load(name, &z, NULL) && zone_local("CET-1CEST,M3.5.0,M10.5.0/3", &z, NULL))
        fail_msg("no zone %s", name);
    return z;
}

static void check_row(const char *verdict, const char *text, const char *zone, const char *expected)
{
    struct zone *z = zone_of(zone);
    struct error e = {0};
    struct buf b = {0};
    instant t = 7;
    int code = instant_parse_iso(text, z, &t, &e);
    if (!strcmp(verdict, "accept") || !strcmp(verdict, "optional")) { /* ax takes all that is optional */
        if (code)
            fail_msg("%s: %s", text, e.text);
        instant_format_utc(&b, t);
        if (strcmp(buf_string(&b), expected) != 0)
            fail_msg("%s is %s, not %s", text, buf_string(&b), expected);
    } else if (code != -ERROR_USAGE || t != 7 || e.column < 1 || (size_t)e.column > strlen(text) + 1 || !e.text[0]) {
        fail_msg("%s: taken, or refused without a place", text);
    }
    buf_clear(&b);
    zone_free(z);
}

static void test_iso_times(void **state)
{
    (void)state;
    FILE *f = fopen("tests/data/iso-times.tsv", "re");
    assert_non_null(f);
    char line[512];
    int rows = 0;
    for (int n = 0; fgets(line, sizeof line, f); n++) {
        char *rest = line, *column[4];
        for (int i = 0; i < 4; i++)
            column[i] = strsep(&rest, "\t");
        assert_non_null(column[3]);
        if (n == 0)
            continue;
        check_row(column[0], column[1], column[2], column[3]);
        rows++;
    }
    fclose(f);
    assert_true(rows >= 39);
}

static const struct {
    const char *text, *zone, *expected; /* in UTC */
} taken[] = {
    {"2026-03-01 13:00:00 +01:00", "UTC0", "2026-03-01T12:00:00Z"}, /* as ax prints it */
    {"2026-03-01 13:00:00.25 +01:00", "UTC0", "2026-03-01T12:00:00.25Z"},
    {"2026-03-01T12:00:00+0100", "UTC0", "2026-03-01T11:00:00Z"}, /* date +%FT%T%z */
    {"2026-03-01T12:00:00+01", "UTC0", "2026-03-01T11:00:00Z"},
    {"2026-03-01t12:00:00z", "UTC0", "2026-03-01T12:00:00Z"}, {"20260301", "CET-1", "2026-02-28T23:00:00Z"},
    {"20260301T12Z", "CET-1", "2026-03-01T12:00:00Z"},
    {"2026-03-01T12:00:00.123456789987Z", "CET-1", "2026-03-01T12:00:00.123456789Z"},
    {"1678-01-01T00:00:00+23:59", "UTC0", "1677-12-31T00:01:00Z"},
    {"2261-12-31T23:59:59-23:59", "UTC0", "2262-01-01T23:58:59Z"},
    {"2026-10-25T02:30:00", "CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T00:30:00Z"}, /* twice: the first */
    {"2026-10-25T02:30:00+01:00", "CET-1CEST,M3.5.0,M10.5.0/3", "2026-10-25T01:30:00Z"},
    {"2026-03-29T02:30:00+01:00", "CET-1CEST,M3.5.0,M10.5.0/3", "2026-03-29T01:30:00Z"},
    {"2026-10-18", "<-03>3<-02>,M10.3.0/0,M2.3.0/0", "2026-10-18T03:00:00Z"},     /* a day without midnight */
    {"2026-10-18", "<-03>3<-02>,M10.3.6/23:30,M2.3.0/0", "2026-10-18T02:30:00Z"}, /* it begins at 00:30 */
};

static const struct {
    const char *text, *zone;
    int column;
    const char *says;
} wrong[] = {
    {"", "UTC0", 1, "year"}, {"2026", "UTC0", 5, "after the year"}, {"202603", "UTC0", 7, "day"},
    {"2026-02-29", "UTC0", 9, "29 is not in 01-28"}, {"2026-13-01", "UTC0", 6, "13 is not in 01-12"},
    {"2026-03-01T24:00", "UTC0", 12, "24 is not in 00-23"}, {"2026-03-01T23:59:60Z", "UTC0", 18, "60 is not in 00-59"},
    {"2026-03-01T12:00:00+24:00", "UTC0", 21, "24 is not in 00-23"}, {"2026-03-01T12:00:00.Z", "UTC0", 21, "a digit"},
    {"2026-03-01T12:00.5Z", "UTC0", 17, "write 12:00:30"}, {"2026-03-01T12,5", "UTC0", 14, "write 12:00:30"}, {"2026-03-01T1200", "UTC0", 14, "more behind"},
    {"20260301T12:00", "UTC0", 12, "more behind"}, {"2026-03-01Z", "UTC0", 11, "'T' and a time"},
    {"2026-03-01T12:00:00  Z", "UTC0", 20, "more behind"}, {"2026-03-01T12:00:00Z\n", "UTC0", 21, "more behind"},
    {"1677-12-31T00:00:00Z", "UTC0", 1, "1677 is not in 1678-2261"},
    {"9999-12-31T00:00:00Z", "UTC0", 1, "9999 is not in 1678-2261"},
    {"2026-03-29T02:30:00", "CET-1CEST,M3.5.0,M10.5.0/3", 1, "from 2026-03-29 02:00:00 to 2026-03-29 03:00:00"},
    {"2026-10-18T00:30", "<-03>3<-02>,M10.3.0/0,M2.3.0/0", 1, "from 2026-10-18 00:00:00 to 2026-10-18 01:00:00"},
    {"2026-12-30", "<-14>14<+10>-10,J364/0,J365/23:59:59", 1, "to 2026-12-31 00:00:00"}, /* a day that is not there */
};

static void test_iso_more(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        struct zone *z = NULL;
        struct error e = {0};
        struct buf b = {0};
        instant t = 7;
        assert_int_equal(zone_local(taken[i].zone, &z, NULL), 0);
        if (instant_parse_iso(taken[i].text, z, &t, &e))
            fail_msg("%s: %s", taken[i].text, e.text);
        instant_format_utc(&b, t);
        assert_string_equal(buf_string(&b), taken[i].expected);
        buf_clear(&b);
        zone_free(z);
    }
}

static void test_iso_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct zone *z = NULL;
        struct error e = {0};
        instant t = 7;
        assert_int_equal(zone_local(wrong[i].zone, &z, NULL), 0);
        int code = instant_parse_iso(wrong[i].text, z, &t, &e);
        if (code != -ERROR_USAGE || t != 7 || e.column != wrong[i].column || !strstr(e.text, wrong[i].says))
            fail_msg("'%s': column %d: %s", wrong[i].text, e.column, e.text);
        zone_free(z);
    }
}

static const struct {
    const char *text, *expected; /* in UTC; NULL: refused */
    int column;
    const char *says;
} epochs[] = {
    {"@0", "1970-01-01T00:00:00Z", 0, ""},
    {"@1735689600", "2025-01-01T00:00:00Z", 0, ""},
    {"@1735689600.5", "2025-01-01T00:00:00.5Z", 0, ""},
    {"@1735689600.1234567891", "2025-01-01T00:00:00.123456789Z", 0, ""},
    {"@9214646399.999999999", "2261-12-31T23:59:59.999999999Z", 0, ""},
    {"@9214646400", NULL, 2, "too far away"},
    {"@1735689600000", NULL, 2, "not milliseconds"},
    {"@99999999999999999999999999999999", NULL, 2, "too far away"},
    {"@", NULL, 2, "seconds since 1970"},
    {"@-1", NULL, 2, "seconds since 1970"},
    {"@1.", NULL, 4, "a digit"},
    {"@1,5", NULL, 3, "more behind"},
    {"@1 ", NULL, 3, "more behind"},
};

static void test_epoch(void **state)
{
    (void)state;
    struct buf b = {0};
    for (size_t i = 0; i < sizeof epochs / sizeof epochs[0]; i++) {
        struct error e = {0};
        instant t = 7;
        int code = instant_parse_epoch(epochs[i].text, &t, &e);
        buf_reset(&b);
        instant_format_utc(&b, t);
        if (epochs[i].expected ? code != 0 || strcmp(buf_string(&b), epochs[i].expected) != 0
                               : code != -ERROR_USAGE || t != 7 || e.column != epochs[i].column || !strstr(e.text, epochs[i].says))
            fail_msg("%s: %s, column %d: %s", epochs[i].text, buf_string(&b), e.column, e.text);
    }
    buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dates),
        cmocka_unit_test(test_every_day),
        cmocka_unit_test(test_month_days),
        cmocka_unit_test(test_add),
        cmocka_unit_test(test_format_utc),
        cmocka_unit_test(test_format_local),
        cmocka_unit_test(test_iso_times),
        cmocka_unit_test(test_iso_more),
        cmocka_unit_test(test_epoch),
        cmocka_unit_test(test_iso_wrong),
    };
    return cmocka_run_group_tests_name("instant", tests, NULL, NULL);
}
