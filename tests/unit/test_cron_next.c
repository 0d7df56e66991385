#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "lib/time/cron.h"

static struct zone *zone_of(const char *name)
{
    struct zone *z = NULL;
    if (zone_load(name, &z, NULL))
        fail_msg("no zone %s", name);
    return z;
}

static void parse(const char *text, struct cron *c)
{
    struct error e = {0};
    if (cron_parse(text, 1, c, NULL, &e))
        fail_msg("%s: %s", text, e.text);
}

/* `2026-03-29T01:00:00Z`, which may lie beyond the reach of an instant. */
static int64_t seconds_of(const char *text)
{
    struct civil c = {0};
    if (sscanf(text, "%d-%d-%dT%d:%d:%dZ", &c.year, &c.month, &c.day, &c.hour, &c.minute, &c.second) != 6)
        fail_msg("%s is no time", text);
    return civil_seconds(&c);
}

static void check_row(const char *text, const char *zone, const char *from, char *next)
{
    struct cron c;
    struct zone *z = zone_of(zone);
    parse(text, &c);
    int64_t t = seconds_of(from);
    for (char *word; (word = strsep(&next, ","));) {
        int64_t expected = strcmp(word, "never") ? seconds_of(word) : INT64_MAX;
        int64_t after = t;
        t = cron_next_seconds(&c, z, after);
        if (t != expected)
            fail_msg("%s in %s from %s: %lld, not %s", text, zone, from, (long long)t, word);
        if (after > INT64_MAX / SECOND || (t > INT64_MAX / SECOND && t != INT64_MAX))
            continue;
        instant at = t == INT64_MAX ? INSTANT_NEVER : t * SECOND;
        assert_int_equal(cron_next(&c, z, after * SECOND).at, at);
        assert_int_equal(cron_next(&c, z, after * SECOND + SECOND - 1).at, at);
    }
    zone_free(z);
}

static void test_data(void **state)
{
    (void)state;
    FILE *f = fopen("tests/data/cron-next.tsv", "re");
    assert_non_null(f);
    char line[1024];
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
    assert_true(rows >= 649);
}

/* What the field cases say, and days of the extensions, checked with cal(1). */
static const struct {
    const char *text, *zone, *from;
    const char *next;
} days[] = {
    {"15 6 */3 * 2", "UTC", "2027-03-01T00:00:00Z", "2027-03-16T06:15:00Z,2027-04-13T06:15:00Z,2027-05-04T06:15:00Z"},
    {"15 6 1-31/3 * 2", "UTC", "2027-03-01T00:00:00Z",
        "2027-03-01T06:15:00Z,2027-03-02T06:15:00Z,2027-03-04T06:15:00Z"},
    {"0 8 * * FRI-MON", "UTC", "2027-03-01T00:00:00Z",
        "2027-03-01T08:00:00Z,2027-03-05T08:00:00Z,2027-03-06T08:00:00Z,2027-03-07T08:00:00Z,2027-03-08T08:00:00Z,2027-"
        "03-12T08:00:00Z"},
    {"30 18 * * 6#4", "UTC", "2027-01-01T00:00:00Z",
        "2027-01-23T18:30:00Z,2027-02-27T18:30:00Z,2027-03-27T18:30:00Z,2027-04-24T18:30:00Z,2027-05-22T18:30:00Z,2027-"
        "06-26T18:30:00Z,2027-07-24T18:30:00Z"},
    {"30 18 * * sat#5", "UTC", "2027-01-01T00:00:00Z",
        "2027-01-30T18:30:00Z,2027-05-29T18:30:00Z,2027-07-31T18:30:00Z,2027-10-30T18:30:00Z"},
    {"0 0 31 4,5 *", "UTC", "2027-01-01T00:00:00Z", "2027-05-31T00:00:00Z"},
    {"0 0 L * *", "UTC", "2028-01-31T00:00:00Z", "2028-02-29T00:00:00Z,2028-03-31T00:00:00Z,2028-04-30T00:00:00Z"},
    {"0 0 LW * *", "UTC", "2027-01-01T00:00:00Z",
        "2027-01-29T00:00:00Z,2027-02-26T00:00:00Z,2027-03-31T00:00:00Z,2027-04-30T00:00:00Z,2027-05-31T00:00:00Z"},
    {"0 0 15W * *", "UTC", "2027-05-01T00:00:00Z",
        "2027-05-14T00:00:00Z,2027-06-15T00:00:00Z,2027-07-15T00:00:00Z,2027-08-16T00:00:00Z"},
    {"0 0 1W * *", "UTC", "2027-04-30T00:00:00Z",
        "2027-05-03T00:00:00Z,2027-06-01T00:00:00Z,2027-07-01T00:00:00Z,2027-08-02T00:00:00Z"},
    {"0 0 31W * *", "UTC", "2027-01-01T00:00:00Z",
        "2027-01-29T00:00:00Z,2027-03-31T00:00:00Z,2027-05-31T00:00:00Z,2027-07-30T00:00:00Z,2027-08-31T00:00:00Z,2027-"
        "10-29T00:00:00Z"},
    {"0 0 * * 5L", "UTC", "2027-01-01T00:00:00Z",
        "2027-01-29T00:00:00Z,2027-02-26T00:00:00Z,2027-03-26T00:00:00Z,2027-04-30T00:00:00Z"},
    {"0 0 * * 7l,1#1", "UTC", "2027-01-01T00:00:00Z",
        "2027-01-04T00:00:00Z,2027-01-31T00:00:00Z,2027-02-01T00:00:00Z,2027-02-28T00:00:00Z"},
    {"0 0 1 * friL", "UTC", "2027-01-01T00:00:00Z", "2027-01-29T00:00:00Z,2027-02-01T00:00:00Z,2027-02-26T00:00:00Z"},
    {"0 0 ? * 5", "UTC", "2027-01-01T00:00:00Z", "2027-01-08T00:00:00Z,2027-01-15T00:00:00Z"},
    {"0 0 13 * ?", "UTC", "2027-01-01T00:00:00Z", "2027-01-13T00:00:00Z,2027-02-13T00:00:00Z"},
    {"0 22-1 * * *", "UTC", "2027-01-01T12:00:00Z",
        "2027-01-01T22:00:00Z,2027-01-01T23:00:00Z,2027-01-02T00:00:00Z,2027-01-02T01:00:00Z,2027-01-02T22:00:00Z"},
    {"0 0 1 nov-feb *", "UTC", "2027-01-01T12:00:00Z",
        "2027-02-01T00:00:00Z,2027-11-01T00:00:00Z,2027-12-01T00:00:00Z,2028-01-01T00:00:00Z"},
    {"0 0 29 2 0", "UTC", "2096-02-28T00:00:00Z", "2096-02-29T00:00:00Z,2097-02-03T00:00:00Z"},
    {"0 0 29 2 *", "UTC", "2096-02-29T00:00:00Z", "2104-02-29T00:00:00Z"},
    {"0 0 */29 2 mon", "UTC", "2072-02-29T00:00:00Z", "2077-02-01T00:00:00Z"}, /* 29 February is not in */
    {"0 0 * 2 mon#5", "Europe/Berlin", "2072-03-01T00:00:00Z",
        "2112-02-28T23:00:00Z"}, /* a leap day that is a Monday */
    {"0 0 * 2 0#5", "UTC", "2028-01-01T00:00:00Z",
        "2032-02-29T00:00:00Z,2060-02-29T00:00:00Z,2088-02-29T00:00:00Z,2128-02-29T00:00:00Z"},
    {"@reboot", "UTC", "2028-01-01T00:00:00Z", "never"}, {"0 0 31W 2 *", "UTC", "2028-01-01T00:00:00Z", "never"},
    {"0 0 30 2 ?", "America/New_York", "2028-01-01T00:00:00Z", "never"},
    /* six fields follow the local clock, though all is fixed */
    {"0 30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-29T00:30:00Z"},
    {"0 30 2 * * *", "Europe/Berlin", "2027-10-30T12:00:00Z",
        "2027-10-31T00:30:00Z,2027-10-31T01:30:00Z,2027-11-01T01:30:00Z"},
    {"0 30 2 * 3 sunL", "Europe/Berlin", "2027-03-27T12:00:00Z", "never"}, /* always skipped */
    {"30 2 * 3 sunL", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:00:00Z,2028-03-26T01:00:00Z"},
    {"59 59 1 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T00:59:59Z,2027-03-28T23:59:59Z"},
    {"*/20 * * * *", "America/New_York", "2027-11-07T04:59:00Z",
        "2027-11-07T05:00:00Z,2027-11-07T05:20:00Z,2027-11-07T05:40:00Z,2027-11-07T06:00:00Z,2027-11-07T06:20:00Z,2027-"
        "11-07T06:40:00Z"},
    {"30 2 * * *", "Europe/Berlin", "2027-10-31T01:10:00Z",
        "2027-11-01T01:30:00Z"}, /* the start lies between the two */
    {"0 0 * * *", "America/Sao_Paulo", "2018-11-03T12:00:00Z", "2018-11-04T03:00:00Z,2018-11-05T02:00:00Z"},
    {"0 12 30 12 *", "Pacific/Apia", "2011-12-29T12:00:00Z", "2012-12-29T22:00:00Z"}, /* a day that was not there */
};

static void test_days(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof days / sizeof days[0]; i++) {
        char next[512];
        snprintf(next, sizeof next, "%s", days[i].next);
        check_row(days[i].text, days[i].zone, days[i].from, next);
    }
}

static const struct {
    const char *text, *zone, *after, *at;
    enum occurrence_note note;
} notes[] = {
    {"30 2 * * *", "Europe/Berlin", "2027-03-26T12:00:00Z", "2027-03-27T01:30:00Z", OCCURRENCE_PLAIN},
    {"30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:00:00Z", OCCURRENCE_MOVED},
    {"0,30 2 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:00:00Z", OCCURRENCE_MERGED},
    {"0 2,3 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:00:00Z", OCCURRENCE_MERGED},
    {"0 3 * * *", "Europe/Berlin", "2027-03-27T12:00:00Z", "2027-03-28T01:00:00Z", OCCURRENCE_PLAIN},
    {"30 2 * * *", "Europe/Berlin", "2027-10-30T12:00:00Z", "2027-10-31T00:30:00Z", OCCURRENCE_FIRST},
    {"30 3 * * *", "Europe/Berlin", "2027-10-30T12:00:00Z", "2027-10-31T02:30:00Z", OCCURRENCE_PLAIN},
    {"30 * * * *", "Europe/Berlin", "2027-10-31T00:00:00Z", "2027-10-31T00:30:00Z", OCCURRENCE_PLAIN},
    {"30 * * * *", "Europe/Berlin", "2027-10-31T00:30:00Z", "2027-10-31T01:30:00Z", OCCURRENCE_AGAIN},
    {"30 * * * *", "Europe/Berlin", "2027-10-31T01:30:00Z", "2027-10-31T02:30:00Z", OCCURRENCE_PLAIN},
};

static void test_notes(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof notes / sizeof notes[0]; i++) {
        struct cron c;
        struct zone *z = zone_of(notes[i].zone);
        parse(notes[i].text, &c);
        struct occurrence o = cron_next(&c, z, seconds_of(notes[i].after) * SECOND);
        if (o.at != seconds_of(notes[i].at) * SECOND || o.note != notes[i].note)
            fail_msg(
                "%s after %s: %lld, note %d", notes[i].text, notes[i].after, (long long)(o.at / SECOND), (int)o.note);
        zone_free(z);
    }
}

static const struct {
    const char *text, *zone, *from, *warning; /* "": none */
} gaps[] = {
    {"30 2 * * *", "Europe/Berlin", "2027-01-01T00:00:00Z",
        "the clock goes from 2027-03-28 02:00 to 03:00: what it skips comes once, right after"},
    {"*/5 2 * * *", "Europe/Berlin", "2027-01-01T00:00:00Z",
        "the clock goes from 2027-03-28 02:00 to 03:00: what it skips does not come that day"},
    {"0 30 2 * * *", "Europe/Berlin", "2027-01-01T00:00:00Z",
        "the clock goes from 2027-03-28 02:00 to 03:00: what it skips does not come that day"},
    {"30 2 28 3 *", "Europe/Berlin", "2032-06-01T00:00:00Z", ""}, /* a Sunday again in 2038 */
    {"30 2 28 3 *", "Europe/Berlin", "2027-01-01T00:00:00Z",
        "the clock goes from 2027-03-28 02:00 to 03:00: what it skips comes once, right after"},
    {"0 3 * * *", "Europe/Berlin", "2027-01-01T00:00:00Z", ""},
    {"59 1 * * *", "Europe/Berlin", "2027-01-01T00:00:00Z", ""},
    {"*/5 * * * *", "Europe/Berlin", "2027-01-01T00:00:00Z", ""},
    {"30 2 * * *", "UTC", "2027-01-01T00:00:00Z", ""},
    {"0 12 * * *", "Pacific/Apia", "2011-12-01T00:00:00Z",
        "the clock goes from 2011-12-30 00:00 to 2011-12-31 00:00: what it skips does not come that day"},
};

static void test_gaps(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof gaps / sizeof gaps[0]; i++) {
        struct cron c;
        struct buf b = {0};
        struct zone *z = zone_of(gaps[i].zone);
        parse(gaps[i].text, &c);
        bool warned = cron_gap_warning(&c, z, seconds_of(gaps[i].from) * SECOND, &b);
        if (warned != (*gaps[i].warning != '\0') || strcmp(buf_string(&b), gaps[i].warning) != 0)
            fail_msg("%s in %s: '%s'", gaps[i].text, gaps[i].zone, buf_string(&b));
        buf_clear(&b);
        zone_free(z);
    }
}

/* The ends of time. */
static void test_ends(void **state)
{
    (void)state;
    struct cron c;
    parse("* * * * *", &c);
    assert_int_equal(cron_next(&c, NULL, INSTANT_NEVER).at, INSTANT_NEVER);
    assert_int_equal(cron_next(&c, NULL, INT64_MAX - 1).at, INSTANT_NEVER);
    assert_int_equal(cron_next(&c, NULL, INT64_MIN + 1).at, INT64_C(-9223372020) * SECOND);
    assert_int_equal(cron_next(&c, NULL, -1).at, 0);
    assert_int_equal(cron_next(&c, NULL, 0).at, 60 * SECOND);
    assert_int_equal(cron_next_seconds(&c, NULL, INT64_MAX), INT64_MAX);
    assert_int_equal(cron_next_seconds(&c, NULL, INT64_MIN), INT64_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_days),
        cmocka_unit_test(test_notes),
        cmocka_unit_test(test_gaps),
        cmocka_unit_test(test_ends),
    };
    return cmocka_run_group_tests_name("cron_next", tests, NULL, NULL);
}
