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
    if (zone_load(name, &z, NULL) && zone_local(strstr(name, "York") ? "EST5EDT,M3.2.0,M11.1.0" : "CET-1CEST,M3.5.0,M10.5.0/3", &z, NULL))
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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_rows),
    };
    return cmocka_run_group_tests_name("at", tests, NULL, NULL);
}
