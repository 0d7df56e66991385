/* Calendar expressions against a twin that knows no search: it makes an expression together with the set of values of
 * each part, and walks the clock minute by minute (second by second for a few), around clock changes above all.
 * AX_TEST_SEED chooses other expressions. Also texts that are no expressions. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/time/calendar.h"
#include "tests/unit/sanitized.h"

enum { FIRST_YEAR = 1970, YEARS = 230, CASES = SANITIZED(6000, 600), SECOND_CASES = SANITIZED(600, 60), TEXTS = SANITIZED(200000, 20000) };

#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

struct twin {
    char text[512];
    bool weekdays[7]; /* [0] is Sunday */
    bool years[YEARS], months[13], days[32], hours[24], minutes[60], seconds[60];
    bool from_end;
};

static uint32_t roll(uint64_t *seed, uint32_t sides)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33) % sides;
}

static void say(struct twin *t, const char *format, ...) __attribute__((format(printf, 2, 3)));

static void say(struct twin *t, const char *format, ...)
{
    size_t used = strlen(t->text);
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(t->text + used, sizeof t->text - used, format, arguments);
    va_end(arguments);
}

/* ---- an expression and its values ---- */

static void make_element(struct twin *t, uint64_t *seed, bool *set, int base, int min, int max, bool down)
{
    int from = min + (int)roll(seed, (uint32_t)(max - min + 1));
    int to = from + (int)roll(seed, (uint32_t)(max - from + 1));
    int room = down ? from - min : max - from;
    int step = 1 + (int)roll(seed, room > 0 ? (uint32_t)room : 1);
    switch (roll(seed, 6)) {
    case 0:
        say(t, "%d", from);
        if (to > from)
            say(t, "..%d", to);
        for (int i = from; i <= to; i++)
            set[i - base] = true;
        return;
    case 1:
        say(t, "%02d..%02d/%d", from, to, step);
        for (int i = from; i <= to; i += step)
            set[i - base] = true;
        return;
    case 2:
        if (room > 0) {
            say(t, "%d/%d", from, step);
            for (int i = from; i >= min && i <= max; i += down ? -step : step)
                set[i - base] = true;
            return;
        } /* fall through */
    default:
        say(t, "%d", from);
        set[from - base] = true;
    }
}

static void make_list(struct twin *t, uint64_t *seed, bool *set, int min, int max)
{
    int base = max > 2000 ? min : 0;
    if (roll(seed, 3) == 0) {
        say(t, "*");
        for (int i = min; i <= max; i++)
            set[i - base] = true;
        return;
    }
    int count = 1 + (int)(roll(seed, 3) ? 0 : roll(seed, 3));
    for (int i = 0; i < count; i++) {
        say(t, "%s", i ? "," : "");
        make_element(t, seed, set, base, min, max, t->from_end && max == 28);
    }
}

static void fill(bool *set, int count)
{
    memset(set, 1, (size_t)count);
}

static void make_weekdays(struct twin *t, uint64_t *seed)
{
    static const char *const names[] = {"Sun", "monday", "TUE", "Wednesday", "Thu", "fri", "Saturday"};
    memset(t->weekdays, 0, sizeof t->weekdays);
    int count = 1 + (int)roll(seed, 3);
    for (int i = 0; i < count; i++) {
        int day = (int)roll(seed, 7), to = day + (int)roll(seed, day ? (uint32_t)(8 - day) : 1);
        say(t, "%s%s", i ? "," : "", names[day]);
        if (to > day)
            say(t, "..%s", names[to % 7]);
        for (int d = day; d <= to; d++)
            t->weekdays[d % 7] = true;
    }
    say(t, " ");
}

static void make_date(struct twin *t, uint64_t *seed)
{
    memset(t->months, 0, sizeof t->months);
    memset(t->days, 0, sizeof t->days);
    if (roll(seed, 4) == 0) {
        memset(t->years, 0, sizeof t->years);
        make_list(t, seed, t->years, FIRST_YEAR, FIRST_YEAR + YEARS - 1);
        say(t, "-");
    }
    make_list(t, seed, t->months, 1, 12);
    t->from_end = roll(seed, 3) == 0;
    say(t, t->from_end ? "~" : "-");
    make_list(t, seed, t->days, 1, t->from_end ? 28 : 31);
    if (t->days[1] && t->text[strlen(t->text) - 1] == '*') {
        fill(t->days, 32);
        t->from_end = false;
    }
    say(t, " ");
}

static struct twin make(uint64_t *seed, bool seconds)
{
    struct twin t = {.text = ""};
    fill(t.weekdays, 7);
    fill(t.years, YEARS);
    fill(t.months, 13);
    fill(t.days, 32);
    if (roll(seed, 3) == 0)
        make_weekdays(&t, seed);
    if (roll(seed, 2) == 0)
        make_date(&t, seed);
    make_list(&t, seed, t.hours, 0, 23);
    say(&t, ":");
    make_list(&t, seed, t.minutes, 0, 59);
    if (seconds) {
        say(&t, ":");
        make_list(&t, seed, t.seconds, 0, 59);
    } else {
        t.seconds[0] = true;
    }
    return t;
}

/* ---- the walk ---- */

static bool is_day(const struct twin *t, const struct civil *c)
{
    int day = t->from_end ? civil_month_days(c->year, c->month) - c->day + 1 : c->day;
    return t->years[c->year - FIRST_YEAR] && t->months[c->month] && t->days[day] &&
           t->weekdays[civil_weekday(civil_days(c->year, c->month, c->day))];
}

/* How long before t the clock showed the same: 0 if it never did. */
static int64_t shown_before(const struct zone *z, instant t)
{
    int32_t now = zone_offset_at(z, t).seconds;
    for (int64_t ago = 15 * MINUTE; ago <= 26 * HOUR; ago += 15 * MINUTE)
        if (zone_offset_at(z, t - ago).seconds - now == ago / SECOND)
            return ago;
    return 0;
}

static bool counts(const struct zone *z, instant t, instant after)
{
    int64_t ago = shown_before(z, t);
    return !ago || (t - ago <= after && shown_before(z, after));
}

static bool same_date(const struct civil *a, const struct civil *b)
{
    return a->day == b->day && a->month == b->month;
}

/* The first time after `after` and up to `until`, or INSTANT_NEVER. */
static instant walk(const struct twin *t, const struct zone *z, instant after, instant until, int64_t pace)
{
    for (instant now = after - after % pace + pace; now <= until; now += pace) {
        struct civil c = zone_civil(z, now);
        if (!is_day(t, &c)) {
            struct civil ahead = zone_civil(z, now + HOUR);
            if (same_date(&c, &ahead))
                now += HOUR - pace;
        } else if (t->hours[c.hour] && t->minutes[c.minute] && t->seconds[c.second] && counts(z, now, after)) {
            return now;
        }
    }
    return INSTANT_NEVER;
}

/* ---- the comparison ---- */

static const char *const zones[] = {"UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Pacific/Apia",
    "America/Sao_Paulo", "Antarctica/Troll", "Africa/Casablanca", "Asia/Kathmandu", "America/Santiago", "Asia/Beirut",
    "Europe/Dublin", "Pacific/Chatham"};
enum { ZONES = sizeof zones / sizeof zones[0] };

static instant make_start(const struct zone *z, uint64_t *seed, int64_t before)
{
    instant t = (instant)(1000000000 + roll(seed, 1200000000)) * SECOND; /* 2001 to 2039 */
    instant change = zone_next_change(z, t);
    if (change != INSTANT_NEVER && roll(seed, 8))
        t = change + before / 4 - (instant)roll(seed, (uint32_t)(before / SECOND)) * SECOND;
    return roll(seed, 2) ? t - t % MINUTE : t - (roll(seed, 2) ? 1 : 0);
}

static void compare(const struct twin *t, const struct zone *z, uint64_t *seed, int64_t pace)
{
    int64_t reach = pace == MINUTE ? 40 * DAY : 4 * HOUR;
    uint64_t begin = *seed;
    struct calendar *c = NULL;
    struct error e = {0};
    if (calendar_parse(t->text, &c, &e))
        fail_msg("'%s': %s", t->text, e.text);
    instant after = make_start(z, seed, pace == MINUTE ? 2 * DAY : 2 * HOUR);
    for (int i = 0; i < 3; i++) {
        instant expected = walk(t, z, after, after + reach, pace);
        instant found = calendar_next(c, z, after).at;
        if (expected == INSTANT_NEVER ? found <= after + reach : found != expected)
            fail_msg("seed %llu: '%s' in %s after %lld: %lld, not %lld", (unsigned long long)begin, t->text,
                zone_name(z), (long long)after, (long long)found, (long long)expected);
        if (expected == INSTANT_NEVER)
            break;
        after = expected;
    }
    calendar_free(c);
}

static uint64_t first_seed(void)
{
    const char *text = getenv("AX_TEST_SEED");
    uint64_t seed = text ? strtoull(text, NULL, 10) : 20261025;
    print_message("seed %llu\n", (unsigned long long)seed);
    return seed;
}

static void compare_many(int count, int64_t pace)
{
    uint64_t seed = first_seed();
    struct zone *loaded[ZONES];
    for (int i = 0; i < ZONES; i++)
        assert_int_equal(zone_load(zones[i], &loaded[i], NULL), 0);
    for (int i = 0; i < count; i++) {
        struct twin t = make(&seed, pace == SECOND);
        compare(&t, loaded[i % ZONES], &seed, pace);
    }
    for (int i = 0; i < ZONES; i++)
        zone_free(loaded[i]);
}

static void test_minutes(void **state)
{
    (void)state;
    compare_many(CASES, MINUTE);
}

static void test_seconds(void **state)
{
    (void)state;
    compare_many(SECOND_CASES, SECOND);
}

/* ---- texts that are none ---- */

/* What is taken has a normal form that means the same; what is refused has a place inside the text. */
static void check_text(const char *text)
{
    struct calendar *c = NULL, *again = NULL;
    struct error e = {0};
    struct buf form = {0}, twice = {0}, english = {0};
    if (calendar_parse(text, &c, &e)) {
        if (c || e.code != ERROR_USAGE || e.column < 1 || (size_t)e.column > strlen(text) + 1 || e.width < 1 ||
            !e.text[0])
            fail_msg("'%s': column %d: %s", text, e.column, e.text);
        return;
    }
    calendar_format(c, &form);
    calendar_explain(c, &english);
    if (calendar_parse(buf_string(&form), &again, &e))
        fail_msg("'%s': its normal form '%s': %s", text, buf_string(&form), e.text);
    calendar_format(again, &twice);
    assert_string_equal(buf_string(&form), buf_string(&twice));
    assert_true(english.length > 0);
    instant t = calendar_next(c, NULL, 0).at;
    assert_true(t > 0);
    calendar_free(c);
    calendar_free(again);
    buf_clear(&form);
    buf_clear(&twice);
    buf_clear(&english);
}

static void test_texts(void **state)
{
    (void)state;
    static const char letters[] = "0123456789012 *-~:.,/@TMonSuUC\t\x80";
    uint64_t seed = first_seed();
    for (int i = 0; i < TEXTS; i++) {
        struct twin t = make(&seed, roll(&seed, 2));
        size_t length = strlen(t.text);
        for (uint32_t change = roll(&seed, 4); change > 0; change--) {
            size_t at = roll(&seed, (uint32_t)length);
            if (roll(&seed, 3) == 0)
                t.text[at] = 0;
            else
                t.text[at] = letters[roll(&seed, sizeof letters - 1)];
            length = strlen(t.text);
            if (!length)
                break;
        }
        check_text(t.text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_minutes),
        cmocka_unit_test(test_seconds),
        cmocka_unit_test(test_texts),
    };
    return cmocka_run_group_tests_name("calendar twin", tests, NULL, NULL);
}
