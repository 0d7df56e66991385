#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/time/cron.h"

enum { FIELDS = 5 };

static uint64_t field_set(const struct cron *c, int field)
{
    const uint64_t sets[FIELDS] = {c->minutes, c->hours, c->days, c->months, c->weekdays};
    return sets[field];
}

/* `*`, `none` or `0,5,10` as a set of bits. */
static uint64_t values_set(const char *values, int field)
{
    static const uint64_t all[FIELDS] = {UINT64_MAX >> 4, 0xffffff, 0xfffffffe, 0x1ffe, 0x7f};
    if (!strcmp(values, "*"))
        return all[field];
    uint64_t set = 0;
    for (const char *at = values; *at >= '0' && *at <= '9';) {
        char *end;
        set |= UINT64_C(1) << strtol(at, &end, 10);
        at = *end ? end + 1 : end;
    }
    return set;
}

/* `0 0,12 * * 1 both` */
static void check_values(const char *text, const struct cron *c, char *values)
{
    for (int i = 0; i < FIELDS; i++) {
        const char *word = strsep(&values, " ");
        assert_non_null(word);
        if (field_set(c, i) != values_set(word, i))
            fail_msg("%s: field %d is %llx, not %s", text, i + 1, (unsigned long long)field_set(c, i), word);
    }
    assert_non_null(values);
    assert_int_equal(c->both, !strcmp(values, "both"));
}

static const struct cron untouched = {.minutes = 7, .hours = 7};

/* Refused: the outputs are as they were, and the error has a place inside the text and names a field. */
static void check_refused(const char *text)
{
    struct cron c = untouched;
    struct error e = {0};
    struct strvec warnings = {0};
    if (cron_parse(text, 1, &c, &warnings, &e) != -ERROR_USAGE || memcmp(&c, &untouched, sizeof c) != 0 ||
        warnings.count)
        fail_msg("%s: taken", text);
    if (e.column < 1 || (size_t)e.column > strlen(text) + 1 || e.width < 1 || !e.text[0])
        fail_msg("%s: no place: column %d, %s", text, e.column, e.text);
    static const char *const names[] = {"minute:", "hour:", "day-of-month:", "month:", "day-of-week:", "nickname"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strstr(e.text, names[i]))
            return;
    fail_msg("%s: no field is named: %s", text, e.text);
}

static void check_row(const char *verdict, const char *text, char *values)
{
    /* Debian's accidents that have a meaning of their own here; test_cron_next.c and `taken` below say which. */
    static const char *const ours[] = {"0 0 * * 6-0", "0 0 * * 5#2", "0 0 * * 5L", "0 0 * * friL", "0 0 1~15 * *"};
    bool own = false;
    for (size_t i = 0; i < sizeof ours / sizeof ours[0]; i++)
        own |= !strcmp(text, ours[i]);
    if (own || !strcmp(verdict, "valid")) {
        struct cron c;
        struct error e = {0};
        if (cron_parse(text, 1, &c, NULL, &e))
            fail_msg("%s: %s", text, e.text);
        if (!own && *values)
            check_values(text, &c, values);
    } else {
        check_refused(text);
    }
}

static void test_data(void **state)
{
    (void)state;
    FILE *f = fopen("tests/data/cron-valid.tsv", "re");
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
        check_row(column[0], column[1], column[3]);
        rows++;
    }
    fclose(f);
    assert_true(rows >= 84);
}

static const struct {
    const char *text, *values;
} taken[] = {
    {"*/70 * * * *", "0 * * * * both"},
    {"41-59/24 1 1 1 *", "41 1 1 1 * both"},
    {"5-5/15 1 1 1 *", "5 1 1 1 * both"},
    {"0 22-6 * * *", "0 0,1,2,3,4,5,6,22,23 * * * both"},
    {"0 22-6/3 * * *", "0 1,4,22 * * * both"},
    {"58-2/2 * * * *", "0,2,58 * * * * both"},
    {"0 0 * nov-feb *", "0 0 * 1,2,11,12 * both"},
    {"0 0 * nov-feb/2 *", "0 0 * 1,11 * both"},
    {"0 0 30-2 * ?", "0 0 1,2,30,31 * * both"},
    {"0 0 * * fri-mon", "0 0 * * 0,1,5,6 both"},
    {"0 0 * * fri-tue/2", "0 0 * * 0,2,5 both"},
    {"0 0 * * 6-0", "0 0 * * 0,6 both"},
    {"0 0 * * 7-2", "0 0 * * 0,1,2 both"},
    {"0 0 * * 7-0", "0 0 * * 0 both"},
    {"0 0 * * */6", "0 0 * * 0,6 both"},
    {"0 0 * * 1-7/3", "0 0 * * 0,1,4 both"},
    {"0 0 ? * 1", "0 0 * * 1 both"},
    {"0 0 2 * ?", "0 0 2 * * both"},
    {"0 0 2 * 1", "0 0 2 * 1 either"},
    {"7~7 3~3/5 * * *", "7 3 * * * both"},
    {"\t 0000000000000000000000000005 \t 1 2 3 4 \t", "5 1 2 3 4 either"},
    {"30 5 1 2 3 4", "5 1 2 3 4 either"},
};

static void test_taken(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof taken / sizeof taken[0]; i++) {
        struct cron c;
        struct error e = {0};
        char values[64];
        if (cron_parse(taken[i].text, 1, &c, NULL, &e))
            fail_msg("%s: %s", taken[i].text, e.text);
        snprintf(values, sizeof values, "%s", taken[i].values);
        check_values(taken[i].text, &c, values);
    }
}

static void test_seconds(void **state)
{
    (void)state;
    struct cron c;
    assert_int_equal(cron_parse("*/20,5 1 2 * * *", 0, &c, NULL, NULL), 0);
    assert_true(c.has_seconds && c.local);
    assert_int_equal(c.seconds, 1 | 1 << 5 | 1 << 20 | UINT64_C(1) << 40);
    assert_int_equal(cron_parse("1 2 * * *", 0, &c, NULL, NULL), 0);
    assert_true(!c.has_seconds && !c.local);
    assert_int_equal(c.seconds, 1);
    assert_int_equal(cron_parse("@hourly", 0, &c, NULL, NULL), 0);
    assert_true(c.local && c.minutes == 1);
    assert_int_equal(cron_parse("1,* 2 * * *", 0, &c, NULL, NULL), 0);
    assert_false(c.local); /* it does not begin with a star */
    assert_int_equal(cron_parse("*,1 2 * * *", 0, &c, NULL, NULL), 0);
    assert_true(c.local);
}

/* a~b: the same seed makes the same choice, whatever stands in the other fields; all values come up; fields and items
 * differ. */
static void test_choice(void **state)
{
    (void)state;
    uint64_t minutes = 0, hours = 0, weekdays = 0, steps = 0;
    int same = 0, halves = 0;
    for (uint64_t seed = 0; seed < 2000; seed++) {
        struct cron c, d;
        assert_int_equal(cron_parse("~ 20~23 * * ~", seed, &c, NULL, NULL), 0);
        assert_int_equal(cron_parse("0~59 20~23 1 feb fri~mon", seed, &d, NULL, NULL), 0);
        assert_true(c.minutes == d.minutes && c.hours == d.hours);
        assert_int_equal(__builtin_popcountll(c.minutes), 1);
        assert_int_equal(d.weekdays & ~0x63, 0);
        minutes |= c.minutes;
        hours |= c.hours;
        weekdays |= c.weekdays;
        assert_int_equal(cron_parse("~/15 ~12 28~ * *", seed, &c, NULL, NULL), 0);
        assert_true(__builtin_popcountll(c.minutes) == 4 && !(c.hours >> 13) && !(c.days & 0x0fffffff));
        assert_int_equal(c.minutes >> 15 & 0x7fff, c.minutes & 0x7fff);
        steps |= c.minutes;
        assert_int_equal(cron_parse("~ ~ 0~9,10~19 * *", seed, &c, NULL, NULL), -ERROR_USAGE);
        assert_int_equal(cron_parse("0~9,10~19 0~9 * * *", seed, &c, NULL, NULL), 0);
        same += (c.minutes & 0x3ff) == c.hours;
        halves += (c.minutes & 0x3ff) == c.minutes >> 10;
    }
    assert_int_equal(minutes, UINT64_MAX >> 4);
    assert_int_equal(steps, UINT64_MAX >> 4);
    assert_int_equal(hours, 0xf00000);
    assert_int_equal(weekdays, 0x7f);
    assert_in_range(same, 100, 300);
    assert_in_range(halves, 100, 300);
}

static const struct {
    const char *text;
    int column, width;
    const char *says;
} wrong[] = {
    {"61 * * * *", 1, 2, "minute: 61 is above 59"},
    {"* * 0 * *", 5, 1, "day-of-month: 0 is below 1"},
    {"4294967296 * * * *", 1, 10, "minute: 4294967296 is above 59"},
    {"99999999999999999999999999 * * * *", 1, 26, "is above 59"},
    {"0 1.5 * * *", 4, 1, "hour: '1.5': "},
    {"1-2-3 * * * *", 4, 1, "minute: '1-2-3'"},
    {"1;2 * * * *", 2, 1, "minute: '1;2'"},
    {"*/5/3 * * * *", 4, 1, "minute: '*/5/3'"},
    {"*5 * * * *", 2, 1, "minute: '*5'"},
    {"7x * * * *", 2, 1, "'7x'"},
    {"3- * * * *", 3, 1, "'3-': a value is missing"},
    {"1,,2 * * * *", 3, 1, "'1,,2': a value is missing"},
    {"* * * * sun,", 13, 1, "day-of-week: 'sun,': a value is missing"},
    {"*/15min * * * *", 5, 1, "'*/15min'"},
    {"* * * * * *extra", 12, 1, "day-of-week: '*extra'"},
    {"*/0 * * * *", 3, 1, "a step is at least 1"},
    {"0-0/0 * * * *", 5, 1, "a step is at least 1"},
    {"*/ * * * *", 3, 1, "a step is a number"},
    {"*/-5 * * * *", 3, 1, "a step is a number"},
    {"*/4294967297 * * * *", 3, 1, "the step is too long"},
    {"* 5/15 * * *", 4, 1, "hour: '5/15': a step needs a range"},
    {"* * * * monday", 9, 6, "'monday' is written with its first three letters, mon"},
    {"* * * * mon-friday", 13, 6, "fri"},
    {"* * * january *", 7, 7, "jan"},
    {"* * * * foo", 9, 3, "day-of-week: 'foo' is no number and no name"},
    {"* * sun * *", 5, 3, "day-of-month: 'sun' is no number"},
    {"H * * * *", 1, 1, "is written ~"},
    {"* * * * 6#6", 11, 1, "1 to 5"},
    {"* * * * 6#0", 11, 1, "1 to 5"},
    {"* * * * 6#", 11, 1, "1 to 5"},
    {"* * * * 6#4294967297", 11, 1, "1 to 5"},
    {"* * * * 1-5#2", 12, 1, "'1-5#2'"},
    {"* * * * L", 9, 1, "like 5L"},
    {"* * L-3 * *", 6, 1, "'L-3'"},
    {"* * 5L * *", 6, 1, "'5L'"},
    {"* * 32W * *", 5, 2, "32 is above 31"},
    {"* * 1-5W * *", 8, 1, "'1-5W'"},
    {"* * ?,1 * *", 5, 1, "? stands alone"},
    {"? * * * *", 1, 1, "minute: '?'"},
    {"* * * * 5LL", 11, 1, "'5LL'"},
    {"* *", 4, 1, "day-of-month: it is missing"},
    {"", 1, 1, "minute: it is missing"},
    {"* * * * * * *", 13, 1, "more behind the sixth field"},
    {"@dayly", 1, 6, "did you mean @daily?"},
    {"@HOURLY", 1, 7, "did you mean @hourly?"},
    {"@weeklyish", 1, 10, "'@weeklyish' is no nickname"},
    {"@\nreboot", 2, 1, "one line"},
    {"0 0 * * mon\033", 12, 1, "control characters"},
    {"@every 5m", 1, 6, "'@every' is no nickname"},
    {"@daily x", 8, 1, "stands alone"},
    {"* * * *\n *", 8, 1, "one line"},
};

static void test_wrong(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++) {
        struct cron c = untouched;
        struct error e = {0};
        int code = cron_parse(wrong[i].text, 1, &c, NULL, &e);
        if (code != -ERROR_USAGE || memcmp(&c, &untouched, sizeof c) != 0)
            fail_msg("'%s': taken", wrong[i].text);
        if (e.column != wrong[i].column || e.width != wrong[i].width || !strstr(e.text, wrong[i].says))
            fail_msg("'%s': column %d+%d: %s", wrong[i].text, e.column, e.width, e.text);
        assert_int_equal(cron_parse(wrong[i].text, 1, &c, NULL, NULL), -ERROR_USAGE);
    }
}

static const struct {
    const char *text, *warning; /* "": none */
} warned[] = {
    {"*/15 */2 * * *", ""},
    {"0 9-17/3 * * mon-fri", ""},
    {"5-5/70 * * * *", ""},
    {"*/70 * * * *", "minute: */70 is its first value only: the step is longer than the range"},
    {"*/60 * * * *", "minute: */60 is its first value only: the step is longer than the range"},
    {"41-59/24 * * * *", "minute: 41-59/24 is its first value only: the step is longer than the range"},
    {"*/7 * * * *", "minute: */7 does not come round evenly: it begins anew at 0 in every hour"},
    {"0 */5 * * *", "hour: */5 does not come round evenly: it begins anew at 0 on every day"},
    {"0 0 */2 * *", "day-of-month: */2 does not come round evenly: it begins anew on the 1st of every month"},
    {"0 0 * */5 *", "month: */5 does not come round evenly: it begins anew in January of every year"},
    {"0 0 1 * mon", "day-of-month 1 and day-of-week mon are both set: a day that matches either is enough"},
    {"0 0 1-7 * mon", "day-of-month 1-7 and day-of-week mon are both set: a day that matches either is enough"},
    {"0 0 1-31/2 * */1", "day-of-month: 1-31/2 does not come round evenly: it begins anew on the 1st of every month"},
    {"0 0 1 * */1", ""},
    {"0 0 * * */7", "day-of-week: */7 is its first value only: the step is longer than the range"},
    {"0 0 * * 0-7/3", "day-of-week: 0-7/3 does not come round evenly: it begins anew on Sunday of every week"},
    {"0 0 */1 * mon", ""},
    {"0 0 * * mon", ""},
    {"0 0 1 * 0-7", ""},
};

static void test_warnings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof warned / sizeof warned[0]; i++) {
        struct cron c;
        struct strvec warnings = {0};
        assert_int_equal(cron_parse(warned[i].text, 1, &c, &warnings, NULL), 0);
        if (warnings.count != (*warned[i].warning ? 1 : 0) ||
            (warnings.count && strcmp(warnings.items[0], warned[i].warning) != 0))
            fail_msg("%s: %zu warnings: %s", warned[i].text, warnings.count, warnings.count ? warnings.items[0] : "");
        strvec_clear(&warnings);
    }
}

/* No text of these signs, long or short, is too much. */
static void test_any_text(void **state)
{
    (void)state;
    static const char signs[] = "0123456789**//--,,~~##??LWlw@ \t    .fri jan\n\xff";
    uint64_t random = 42;
    char text[4000];
    for (int round = 0; round < 20000; round++) {
        size_t length = round % 1000 ? (size_t)round % 40 : sizeof text - 1;
        for (size_t i = 0; i < length; i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407u;
            text[i] = signs[(random >> 33) % (sizeof signs - 1)];
        }
        text[length] = '\0';
        struct cron c = untouched;
        struct error e = {0};
        struct strvec warnings = {0};
        int code = cron_parse(text, random, &c, &warnings, &e);
        if (code && (e.column < 1 || strchr(e.text, '\n') || (size_t)e.column > length + 1 ||
                        memcmp(&c, &untouched, sizeof c) != 0))
            fail_msg("'%s': column %d: %s", text, e.column, e.text);
        strvec_clear(&warnings);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_data),
        cmocka_unit_test(test_taken),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_choice),
        cmocka_unit_test(test_wrong),
        cmocka_unit_test(test_warnings),
        cmocka_unit_test(test_any_text),
    };
    return cmocka_run_group_tests_name("cron", tests, NULL, NULL);
}
