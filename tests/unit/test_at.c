#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/time/at.h"

#define WEDNESDAY "2026-06-17T10:20:30Z"
#define SPRING "2026-03-28T11:00:00Z" /* the day before the one whose 2:00-3:00 is skipped in Berlin */
#define JANUARY "2026-01-31T09:00:00Z"

/* Berlin's rule of today serves where no zones are installed. */
static struct zone *zone_of(const char *name)
{
    struct zone *z = NULL;
    if (zone_load(name, &z, NULL) &&
        zone_local(strstr(name, "York") ? "EST5EDT,M3.2.0,M11.1.0" : "CET-1CEST,M3.5.0,M10.5.0/3", &z, NULL))
        fail_msg("no zone %s", name);
    return z;
}

static instant utc(const char *text)
{
    instant t = INSTANT_NONE;
    struct zone *z = zone_of("UTC");
    if (instant_parse_iso(text, z, &t, NULL))
        fail_msg("%s is no instant", text);
    zone_free(z);
    return t;
}

/* True if at's words give what is expected: an instant, or `refused` with a place. */
static bool gives(const char *now, const char *zone, const char *text, const char *expected, struct buf *got)
{
    struct zone *z = zone_of(zone);
    struct at at = {.at = 7};
    struct error e = {0};
    int code = at_parse(text, z, utc(now), &at, &e);
    zone_free(z);
    buf_reset(got);
    if (code == 0) {
        instant_format_utc(got, at.at);
        return !strcmp(buf_string(got), expected) && at.cut == (at.at < utc(now));
    }
    buf_format(got, "refused at column %d, width %d: %s", e.column, e.width, e.text);
    return !strcmp(expected, "refused") && code == -ERROR_USAGE && at.at == 7 && e.text[0] && e.column >= 1 &&
           (size_t)e.column <= strlen(text) + 1 && e.width >= 1;
}

/* Where at's own answer is wrong, and ours another: see at.c. */
static const struct {
    const char *now, *text, *expected;
} quirks[] = {
    {SPRING, "02:30 tomorrow", "2026-03-29T00:30:00Z"},
    {SPRING, "02:30 2026-03-29", "2026-03-29T00:30:00Z"},
    {SPRING, "now + 24 hours", "2026-03-29T11:00:00Z"},
    {SPRING, "now + 15 hours", "2026-03-29T02:00:00Z"},
    {"2026-10-31T16:00:00Z", "now + 24 hours", "2026-11-01T16:00:00Z"},
    {JANUARY, "next month", "2026-02-28T09:00:00Z"},
    {JANUARY, "now + 3 months", "2026-04-30T09:00:00Z"},
    {JANUARY, "noon + 1 month", "2026-02-28T12:00:00Z"},
};

static const char *quirk(const char *now, const char *text)
{
    for (size_t i = 0; i < sizeof quirks / sizeof quirks[0]; i++)
        if (!strcmp(quirks[i].now, now) && !strcmp(quirks[i].text, text))
            return quirks[i].expected;
    fail_msg("'%s' has no answer of its own", text);
    return NULL;
}

static void test_rows(void **state)
{
    (void)state;
    FILE *f = fopen("tests/data/at-times.tsv", "re");
    assert_non_null(f);
    struct buf got = {0};
    char line[512];
    int rows = 0, wrong = 0;
    for (int n = 0; fgets(line, sizeof line, f); n++) {
        char *rest = line, *column[5];
        line[strcspn(line, "\n")] = '\0';
        for (int i = 0; i < 5; i++)
            column[i] = strsep(&rest, "\t");
        assert_non_null(column[4]);
        if (n == 0)
            continue;
        rows++;
        const char *expected = strncmp(column[4], "quirk:", 6) ? column[3] : quirk(column[0], column[2]);
        if (gives(column[0], column[1], column[2], expected, &got))
            continue;
        wrong++;
        print_error("%s %s '%s': %s, not %s\n", column[0], column[1], column[2], buf_string(&got), expected);
    }
    fclose(f);
    buf_clear(&got);
    assert_int_equal(wrong, 0);
    assert_true(rows >= 77);
}

/* Beyond the rows; those without a remark are what at 3.2.5 gives. */
static const struct {
    const char *now, *zone, *text, *expected;
} taken[] = {
    /* notations */
    {WEDNESDAY, "UTC", "0pm", "2026-06-17T12:00:00Z"},
    {WEDNESDAY, "UTC", "2400", "2026-06-18T00:00:00Z"},
    {WEDNESDAY, "UTC", "24:30", "2026-06-18T00:30:00Z"},
    {WEDNESDAY, "UTC", "24:00 tomorrow", "2026-06-19T00:00:00Z"},
    {WEDNESDAY, "UTC", "5.30pm", "2026-06-17T17:30:00Z"},
    {WEDNESDAY, "UTC", "5,30", "2026-06-18T05:30:00Z"},
    {WEDNESDAY, "UTC", "17h30", "2026-06-17T17:30:00Z"},
    {WEDNESDAY, "UTC", "1730utc", "2026-06-17T17:30:00Z"},
    {WEDNESDAY, "UTC", "NOON", "2026-06-17T12:00:00Z"},
    {WEDNESDAY, "UTC", "noonfri", "2026-06-19T12:00:00Z"},
    {WEDNESDAY, "UTC", "10amJul4", "2026-07-04T10:00:00Z"},
    {WEDNESDAY, "UTC", "10am4Jul", "2026-07-04T10:00:00Z"},
    {WEDNESDAY, "UTC", "4pm+2days", "2026-06-19T16:00:00Z"},
    {WEDNESDAY, "UTC", " \t4pm\t+ 2  days ", "2026-06-19T16:00:00Z"},
    {WEDNESDAY, "UTC", "jan 1 , 2028", "2028-01-01T10:20:00Z"},
    {WEDNESDAY, "UTC", "10am july 31,2027", "2027-07-31T10:00:00Z"},
    {WEDNESDAY, "UTC", "1 jan 28", "2028-01-01T10:20:00Z"},
    {WEDNESDAY, "UTC", "17:30 1/4/27", "2027-01-04T17:30:00Z"},
    {WEDNESDAY, "UTC", "4.1.27", "2027-01-04T10:20:00Z"},
    {WEDNESDAY, "UTC", "2027-1-4", "2027-01-04T10:20:00Z"},
    {WEDNESDAY, "UTC", "27-12-24", "2027-12-24T10:20:00Z"},
    {WEDNESDAY, "UTC", "50627", "2027-05-06T10:20:00Z"},
    {WEDNESDAY, "UTC", "1052027", "2027-01-05T10:20:00Z"},
    {WEDNESDAY, "UTC", "12242027", "2027-12-24T10:20:00Z"},
    {WEDNESDAY, "UTC", "2000 jun 20", "2026-06-20T20:00:00Z"},
    {WEDNESDAY, "UTC", "2000 20 jun 2028", "2028-06-20T20:00:00Z"},
    {WEDNESDAY, "UTC", "jan 1 69", "2069-01-01T10:20:00Z"},
    {WEDNESDAY, "UTC", "now + 005 days", "2026-06-22T10:20:00Z"},
    {WEDNESDAY, "UTC", "now + 0 days", "2026-06-17T10:20:00Z"},
    {WEDNESDAY, "UTC", "now + 99999999 minutes", "2216-08-04T20:59:00Z"},
    /* what people type: the day first */
    {WEDNESDAY, "UTC", "fri 9am", "2026-06-19T09:00:00Z"},
    {WEDNESDAY, "UTC", "wed 11:00", "2026-06-24T11:00:00Z"},
    {WEDNESDAY, "UTC", "tomorrow 17:30", "2026-06-18T17:30:00Z"},
    {WEDNESDAY, "UTC", "today 1730", "2026-06-17T17:30:00Z"},
    {WEDNESDAY, "UTC", "next monday 08:00", "2026-06-22T08:00:00Z"},
    {WEDNESDAY, "UTC", "fri 9am utc + 1 week", "2026-06-26T09:00:00Z"},
    /* a time alone is later than now; days */
    {WEDNESDAY, "UTC", "10:20", "2026-06-18T10:20:00Z"},
    {WEDNESDAY, "UTC", "10:21", "2026-06-17T10:21:00Z"},
    {WEDNESDAY, "UTC", "10:20 today", "2026-06-17T10:20:00Z"},
    {WEDNESDAY, "UTC", "wed", "2026-06-24T10:20:00Z"},
    {WEDNESDAY, "UTC", "11:00 wed", "2026-06-24T11:00:00Z"},
    {WEDNESDAY, "UTC", "next wed", "2026-06-24T10:20:00Z"},
    {WEDNESDAY, "UTC", "next thu", "2026-06-18T10:20:00Z"},
    {WEDNESDAY, "UTC", "june 17", "2026-06-17T10:20:00Z"},
    {WEDNESDAY, "UTC", "june 16", "2027-06-16T10:20:00Z"},
    {WEDNESDAY, "UTC", "24:00 dec 31", "2027-01-01T00:00:00Z"},
    {WEDNESDAY, "UTC", "24:00 jun 16", "2027-06-17T00:00:00Z"}, /* it has gone by, though it comes to today */
    {WEDNESDAY, "UTC", "24:00 jun 17", "2026-06-18T00:00:00Z"},
    /* increments */
    {WEDNESDAY, "UTC", "9:00 + 1 day", "2026-06-18T09:00:00Z"},
    {WEDNESDAY, "UTC", "9:00 + 2 hours", "2026-06-17T11:00:00Z"},
    {WEDNESDAY, "UTC", "10:00 + 20 minutes", "2026-06-18T10:20:00Z"},
    {WEDNESDAY, "UTC", "11:00 - 1 hour", "2026-06-18T10:00:00Z"},
    {WEDNESDAY, "UTC", "noon - 3 hours", "2026-06-18T09:00:00Z"},
    {WEDNESDAY, "UTC", "midnight + 1 day", "2026-06-18T00:00:00Z"},
    {WEDNESDAY, "UTC", "noon tomorrow - 1 day", "2026-06-17T12:00:00Z"},
    {WEDNESDAY, "UTC", "tomorrow - 1 hour", "2026-06-18T09:20:00Z"},
    {WEDNESDAY, "UTC", "wed - 1 week", "2026-06-17T10:20:00Z"},
    {WEDNESDAY, "UTC", "next week + 2 days", "2026-06-26T10:20:00Z"},
    {WEDNESDAY, "UTC", "noon next hour", "2026-06-17T13:00:00Z"},
    {WEDNESDAY, "UTC", "9:00 next year", "2027-06-17T09:00:00Z"},
    {WEDNESDAY, "UTC", "10:00 jun 17 + 1 hour", "2026-06-17T11:00:00Z"},
    {WEDNESDAY, "UTC", "jun 16 + 1 week", "2026-06-23T10:20:00Z"},
    {WEDNESDAY, "UTC", "jun 17 - 1 day", "2027-06-16T10:20:00Z"},
    /* stamps */
    {WEDNESDAY, "UTC", "202612241800", "2026-12-24T18:00:00Z"},
    {WEDNESDAY, "UTC", "2612241800", "2026-12-24T18:00:00Z"},
    {WEDNESDAY, "UTC", "12241800", "2026-12-24T18:00:00Z"},
    {WEDNESDAY, "UTC", "202612241800.30", "2026-12-24T18:00:30Z"},
    {WEDNESDAY, "UTC", "12242026.59", "2026-12-24T20:26:59Z"},
    {WEDNESDAY, "UTC", "06171020", "2026-06-17T10:20:00Z"},
    {WEDNESDAY, "Europe/Berlin", "202612241800", "2026-12-24T17:00:00Z"},
    /* not as at: the month that is meant, and days that are there */
    {WEDNESDAY, "UTC", "jan 31 + 1 month", "2027-02-28T10:20:00Z"},
    {"2028-02-29T08:00:00Z", "UTC", "now + 1 year", "2029-02-28T08:00:00Z"},
    {"2026-03-31T08:00:00Z", "UTC", "now - 1 month + 0 days", "refused"},
    {"2026-12-31T08:00:00Z", "UTC", "now + 2 months", "2027-02-28T08:00:00Z"},
    {WEDNESDAY, "UTC", "9am feb 29", "2028-02-29T09:00:00Z"},
    {"2097-01-01T00:00:00Z", "UTC", "noon feb 29", "2104-02-29T12:00:00Z"},
    /* not as at: the next such time of UTC, and the day of here */
    {WEDNESDAY, "Europe/Berlin", "noon utc", "2026-06-17T12:00:00Z"},
    {WEDNESDAY, "Europe/Berlin", "9:00 utc", "2026-06-18T09:00:00Z"},
    {WEDNESDAY, "Europe/Berlin", "teatime utc fri", "2026-06-19T16:00:00Z"},
    {"2026-06-17T22:20:30Z", "Europe/Berlin", "23:00 utc", "2026-06-17T23:00:00Z"},
    {"2026-06-17T22:20:30Z", "Europe/Berlin", "noon utc tomorrow", "2026-06-19T12:00:00Z"},
    {"2026-01-17T10:20:30Z", "America/New_York", "noon utc", "2026-01-17T12:00:00Z"},
    /* skipped: as if the clock had been put forward already */
    {SPRING, "Europe/Berlin", "mar 29 + 0 days", "2026-03-29T10:00:00Z"},
    {"2026-03-22T01:30:00Z", "Europe/Berlin", "next week", "2026-03-29T00:30:00Z"},
    {"2026-03-28T01:30:00Z", "Europe/Berlin", "now + 1 day", "2026-03-29T00:30:00Z"},
    {SPRING, "Europe/Berlin", "now + 15 hours + 0 days", "refused"},
    {"2026-03-29T00:30:00Z", "Europe/Berlin", "now + 1 hour", "2026-03-29T01:30:00Z"}, /* not as at: an hour passes */
    {"2026-03-29T00:30:00Z", "Europe/Berlin", "now + 30 minutes", "2026-03-29T01:00:00Z"},
    {"2026-03-29T00:30:00Z", "Europe/Berlin", "next hour", "2026-03-29T01:30:00Z"},
    {"2026-03-29T00:30:00Z", "Europe/Berlin", "2am", "refused"}, /* is gone by, read as summer time */
    {"2026-03-29T00:30:00Z", "Europe/Berlin", "3am", "2026-03-29T01:00:00Z"},
    {SPRING, "Europe/Berlin", "1am sun + 4 hours", "2026-03-29T03:00:00Z"}, /* on the wall clock */
    {SPRING, "Europe/Berlin", "202603290230", "refused"},
    /* twice, not as at: the first that is not past */
    {"2026-10-24T22:30:00Z", "Europe/Berlin", "2:30am", "2026-10-25T00:30:00Z"},
    {"2026-10-25T00:40:00Z", "Europe/Berlin", "2:30am", "2026-10-25T01:30:00Z"},
    {"2026-10-25T01:40:00Z", "Europe/Berlin", "2:30am", "2026-10-26T01:30:00Z"},
    {"2026-10-25T00:10:10Z", "Europe/Berlin", "now", "2026-10-25T00:10:00Z"},
    {"2026-10-25T00:10:10Z", "Europe/Berlin", "today", "2026-10-25T00:10:00Z"},
    {"2026-10-25T01:10:10Z", "Europe/Berlin", "now", "2026-10-25T01:10:00Z"},
    {"2026-10-25T00:10:10Z", "Europe/Berlin", "now + 1 hour", "2026-10-25T01:10:00Z"},
    {"2026-10-25T00:10:10Z", "Europe/Berlin", "now + 1 day", "2026-10-26T01:10:00Z"},
};

static void test_taken(void **state)
{
    (void)state;
    struct buf got = {0};
    int wrong = 0;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        if (gives(taken[i].now, taken[i].zone, taken[i].text, taken[i].expected, &got))
            continue;
        wrong++;
        print_error("%s %s '%s': %s, not %s\n", taken[i].now, taken[i].zone, taken[i].text, buf_string(&got),
            taken[i].expected);
    }
    buf_clear(&got);
    assert_int_equal(wrong, 0);
}

/* Only a time of day alone may mean tomorrow without saying so. */
static void test_rolled(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool rolled;
    } rows[] = {{"9:00", true}, {"11:00", false}, {"midnight", true}, {"9:00 utc", true}, {"9:00 tomorrow", false},
        {"wed", false}, {"now", false}, {"jun 16", false}};
    struct zone *z = zone_of("UTC");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct at at;
        assert_int_equal(at_parse(rows[i].text, z, utc(WEDNESDAY), &at, NULL), 0);
        if (at.rolled != rows[i].rolled)
            fail_msg("'%s'", rows[i].text);
    }
    zone_free(z);
}

/* What is read as another time, because the clock skips it, is told. */
static void test_skipped(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        bool skipped;
    } rows[] = {{"2:30 tomorrow", true}, {"2am mar 29", true}, {"1:59 tomorrow + 1 minute", true}, {"1:59 tomorrow", false}, {"3:00 tomorrow", false},
        {"2:30", false}, {"now + 15 hours", false}, {"2:30 utc tomorrow", false}};
    struct zone *z = zone_of("Europe/Berlin");
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct at at;
        struct error e = {0};
        if (at_parse(rows[i].text, z, utc("2026-03-27T23:30:00Z"), &at, &e) < 0)
            fail_msg("'%s': %s", rows[i].text, e.text);
        if (at.skipped != rows[i].skipped)
            fail_msg("'%s'", rows[i].text);
    }
    zone_free(z);
}

static const struct {
    const char *text;
    int column, width;
    const char *says;
} refused[] = {
    {"", 1, 1, "a time or a date is expected"},
    {"   ", 4, 1, "a time or a date is expected"},
    {"9", 1, 1, "a time or a date is expected"},
    {"930", 1, 3, "a time or a date is expected"},
    {"530pm", 1, 3, "a time or a date is expected"},
    {"0530pm", 5, 2, "does not fit"},
    {"99999999999999999999999999", 1, 26, "a time or a date is expected"},
    {"13pm", 1, 2, "13 is above 12"},
    {"24:00 am", 1, 2, "24 is above 12"},
    {"25:00", 1, 2, "25 is above 24"},
    {"12:61", 1, 5, "61 is above 59"},
    {"23:60", 1, 5, "60 is above 59"},   /* at: midnight */
    {"24.12", 1, 5, "a date or a time"}, /* at: 00:12 */
    {"14:00:30", 6, 1, "seconds do not go with words"},
    {"noon, fri", 5, 1, "does not fit"},
    {"sept 5", 1, 4, "a time or a date is expected"},
    {"tues", 1, 4, "a time or a date is expected"},
    {"now + 1 mins", 9, 4, "a unit is expected"},
    {"now + 5", 8, 1, "a unit is expected"},
    {"now + minutes", 7, 7, "a whole number"},
    {"now + -3 days", 7, 1, "a whole number"},
    {"now + 1.5 hours", 8, 1, "a unit is expected"},
    {"now + 5 min 3 sec", 13, 1, "the time ends before this"},
    {"now tomorrow", 5, 8, "does not fit"},
    {"now utc", 5, 3, "does not fit"},
    {"tomorrow noon", 10, 4, "`noon tomorrow`"},
    {"fri 9", 5, 1, "17:30, 1730 or 5pm"},
    {"next", 5, 1, "behind `next`"},
    {"next noon", 6, 4, "behind `next`"},
    {"Jul 4 10am", 7, 2, "stands before such a date"},
    {"4 Jul 10:00", 7, 2, "stands before such a date"},
    {"jan", 4, 1, "a day of the month"},
    {"jan 0", 1, 5, "day: 0 is not in 1-31"},
    {"noon jan 32", 6, 6, "day: 32 is not in 1-31"},
    {"feb 30", 1, 6, "day: 30 is not in 1-29"},
    {"feb 29 2027", 1, 11, "day: 29 is not in 1-28"},
    {"17:30 4/31/27", 7, 7, "day: 31 is not in 1-30"},
    {"17:30 24/12/27", 7, 8, "month: 24"},
    {"24.12.7", 1, 7, "24.12.2027"},
    {"2027-01-001", 1, 11, "2027-12-24"},
    {"jan 1 027", 7, 3, "a year of two or four digits"},
    {"jan 1,", 7, 1, "a year of two or four digits"},
    {"jan 1 9999", 1, 10, "9999 is not in 1678-2261"},
    {"jan 1 70", 1, 8, "is past"},
    {"midnight today", 1, 14, "2026-06-17 00:00:00 +00:00 is past (10h 21m ago)"},
    {"now - 1 minute", 1, 14, "is past"},
    {"noon - 1 day", 1, 12, "is past"},      /* at: in a year less a day */
    {"tomorrow - 1 week", 1, 17, "is past"}, /* at: in a year less six days */
    {"now - 999 years", 5, 5, "too far back"},
    {"now - 99999999999 minutes", 5, 13, "too far back"},
    {"now + 4294967297 minutes", 1, 24, "too far away"}, /* at: in one minute */
    {"now + 99999999999999999999 days", 5, 22, "too far away"},
    {"now + 300 years", 1, 15, "too far away"},
    {"now + 150000000 minutes", 1, 23, "too far away"},
    {"noon + 130000000 minutes", 1, 24, "too far away"},
    {"202602290000", 1, 8, "day: 29 is not in 1-28"},
    {"202606171060", 11, 2, "60 is above 59"},
    {"202606172400", 9, 2, "24 is above 23"},
    {"202606171030.60", 14, 2, "60 is above 59"},
    {"202606171000", 1, 12, "is past"},
    {"7012241800", 1, 10, "is past"},
    {"06161000", 1, 8, "2026-06-16 10:00:00 +00:00 is past"}, /* a stamp without a year is of this one */
    {"fri\n", 4, 1, "does not fit"},
    {"\xc3\xa9", 1, 1, "a time or a date is expected"},
};

static void test_refused(void **state)
{
    (void)state;
    struct zone *z = zone_of("UTC");
    int wrong = 0;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct at at = {.at = 7};
        struct error e = {0};
        int code = at_parse(refused[i].text, z, utc(WEDNESDAY), &at, &e);
        if (code == -ERROR_USAGE && at_parse(refused[i].text, z, utc(WEDNESDAY), &at, NULL) == code && at.at == 7 &&
            e.column == refused[i].column && e.width == refused[i].width && strstr(e.text, refused[i].says))
            continue;
        wrong++;
        print_error("'%s': %d, column %d, width %d: %s\n", refused[i].text, code, e.column, e.width, e.text);
    }
    zone_free(z);
    assert_int_equal(wrong, 0);
}

/* Any text of words and scraps is taken or refused with a place, and what is taken is not past. */
static void test_scraps(void **state)
{
    (void)state;
    static const char *const scraps[] = {"now", "noon", "midnight", "am", "pm", "utc", "today", "tomorrow", "next",
        "fri", "feb", "29", "31", "12", "2028", "24:00", "2:30", "1730", "+", "-", "/", ".", ",", ":", " ", " ", " ",
        "0", "9", "99999999", "999999999999999", "minutes", "hours", "days", "months", "years", "1/2/27", "2261-12-31",
        "\xff", "x"};
    struct zone *z = zone_of("Europe/Berlin");
    uint64_t seed = 1;
    int good = 0;
    for (int i = 0; i < 50000; i++) {
        char text[512] = "";
        for (int n = (int)(seed >> 33) % 8; n >= 0; n--) {
            seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            strcat(text, scraps[(seed >> 33) % (sizeof scraps / sizeof scraps[0])]);
        }
        instant now = (instant)(seed >> 2) - INT64_C(1) * (1 << 30); /* 1970 to 2116 */
        struct at at = {.at = 7};
        struct error e = {0};
        int code = at_parse(text, z, now, &at, &e);
        good += code == 0;
        if (code == 0 ? at.at < now - 60 * SECOND || at.at >= INSTANT_NEVER - 1
                      : code != -ERROR_USAGE || at.at != 7 || e.column < 1 || !e.text[0])
            fail_msg("'%s' at %lld: %d, %lld, column %d", text, (long long)now, code, (long long)at.at, e.column);
    }
    zone_free(z);
    assert_true(good > 500);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_rolled),
        cmocka_unit_test(test_skipped),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_scraps),
    };
    return cmocka_run_group_tests_name("at", tests, NULL, NULL);
}
