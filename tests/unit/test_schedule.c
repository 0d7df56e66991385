/* Schedules against a walk: all times of each expression are listed one by one, thinned and moved by the rule as it is written, and then everything that a schedule
 * answers is looked up in the list. Intervals aligned to the clock are walked minute by minute. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "lib/base/mem.h"
#include "lib/time/every_clock.h"
#include "lib/time/schedule.h"
#include "tests/unit/sanitized.h"

#define MINUTE (60 * SECOND)
#define HOUR (60 * MINUTE)
#define DAY (24 * HOUR)

static uint64_t seed = 20261201;

static uint64_t random_below(uint64_t n)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (seed >> 33) % n;
}

static instant at(const char *text)
{
    instant t;
    struct error e = {0};
    if (instant_parse_iso(text, NULL, &t, &e) != 0)
        fail_msg("%s: %s", text, e.text);
    return t;
}

static const char *show(instant t)
{
    static char texts[4][64];
    static int turn;
    struct buf b = {0};
    instant_format_utc(&b, t);
    char *text = texts[turn++ % 4];
    snprintf(text, sizeof texts[0], "%s", buf_string(&b));
    buf_clear(&b);
    return text;
}

/* ---- lists of times ---- */

struct times {
    instant *items;
    size_t count, capacity;
};

static void times_add(struct times *l, instant t)
{
    MEM_GROW(l->items, l->capacity, l->count + 1);
    l->items[l->count++] = t;
}

static int order(const void *a, const void *b)
{
    instant x = *(const instant *)a, y = *(const instant *)b;
    return (x > y) - (x < y);
}

static void times_unite(struct times *l)
{
    size_t kept = 0;
    if (!l->count)
        return;
    qsort(l->items, l->count, sizeof *l->items, order);
    for (size_t i = 0; i < l->count; i++)
        if (!kept || l->items[kept - 1] != l->items[i])
            l->items[kept++] = l->items[i];
    l->count = kept;
}

static instant times_after(const struct times *l, instant t)
{
    for (size_t i = 0; i < l->count; i++)
        if (l->items[i] > t)
            return l->items[i];
    return INSTANT_NEVER;
}

/* ---- the cases ---- */

struct place {
    const char *zone, *around; /* a change of its clock */
};
static const struct place places[] = {
    {"Europe/Berlin", "2026-03-29T01:00:00Z"}, {"Europe/Berlin", "2026-10-25T01:00:00Z"}, {"America/New_York", "2026-11-01T06:00:00Z"},
    {"Australia/Lord_Howe", "2026-04-04T15:00:00Z"}, {"Australia/Lord_Howe", "2026-10-03T15:30:00Z"}, {"Pacific/Apia", "2011-12-30T10:00:00Z"},
    {"Africa/Casablanca", "2026-02-15T02:00:00Z"}, {"Africa/Casablanca", "2026-03-22T02:00:00Z"}, {"America/Sao_Paulo", "2018-11-04T03:00:00Z"},
    {"America/Sao_Paulo", "2018-02-18T02:00:00Z"}, {"Asia/Kathmandu", "2026-05-05T00:00:00Z"}, {"UTC", "2026-05-05T00:00:00Z"},
};
#define PLACES (sizeof places / sizeof *places)

static const char *const crons[] = {
    "30 2 * * *", "0 * * * *", "*/20 * * * *", "0 0 * * *", "15 1,2,3 * * *", "0 */6 * * *", "30 0 * * 1-5", "0 12 1,15 * *", "* 2 * * *", "0 0 L * *", "45 23 * * *",
};
static const char *const calendars[] = {
    "*-*-* 02:30", "hourly", "*:0/20", "daily", "Mon..Fri 09:00", "*-*-* 01,02,03:15", "Sat 00:00 Asia/Tokyo", "*-*-* 02:30 UTC", "*-*~1 23:30",
};
static const char *const days[] = {"sat,sun", "2026-10-25", "2026-03-28..2026-03-30", "2011-12-29..2011-12-31", "mon Asia/Tokyo", "*-*-1..9", "2018-11-04", "*-*-* Pacific/Apia"};
static const duration offsets[] = {1, 7 * MINUTE, 20 * MINUTE, 59 * MINUTE, HOUR, 90 * MINUTE, 5 * HOUR, 26 * HOUR};

struct example {
    struct zones zones;
    struct schedule s;
    instant from, to;
    struct times plain, moved; /* all times in [from, to]: without and with the offset */
    char text[512];
};

static void describe(struct example *x, const char *what)
{
    strncat(x->text, what, sizeof x->text - strlen(x->text) - 2);
    strcat(x->text, "; ");
}

static void build_expressions(struct example *x)
{
    struct error e = {0};
    bool cron = random_below(2);
    x->s.kind = cron ? SCHEDULE_CRON : SCHEDULE_CALENDAR;
    for (size_t n = 1 + random_below(3); n; n--) {
        const char *text = cron ? crons[random_below(sizeof crons / sizeof *crons)] : calendars[random_below(sizeof calendars / sizeof *calendars)];
        describe(x, text);
        if ((cron ? schedule_add_cron(&x->s, text, 0, NULL, &e) : schedule_add_calendar(&x->s, text, &x->zones, &e)) != 0)
            fail_msg("%s: %s", text, e.text);
    }
}

static void build_bounds(struct example *x, instant around)
{
    struct error e = {0};
    for (size_t n = random_below(3); n; n--) {
        const char *text = days[random_below(sizeof days / sizeof *days - (random_below(8) > 0))];
        describe(x, text);
        if (schedule_add_except(&x->s, text, &x->zones, &e) != 0)
            fail_msg("%s: %s", text, e.text);
    }
    if (random_below(4) == 0)
        x->s.not_before = around - (instant)random_below(10 * 24) * HOUR;
    if (random_below(4) == 0)
        x->s.not_after = around + (instant)random_below(10 * 24 * 60) * MINUTE;
}

/* The rule, for one time. */
static bool allowed(const struct schedule *s, instant t)
{
    if ((s->not_before != INSTANT_NONE && t < s->not_before) || (s->not_after != INSTANT_NONE && t > s->not_after))
        return false;
    struct civil c = zone_civil(s->zone, t);
    int64_t day = civil_days(c.year, c.month, c.day);
    for (size_t i = 0; i < s->except_count; i++) {
        const struct schedule_except *x = &s->excepts[i];
        if (x->on.calendar ? calendar_on_date(x->on.calendar, x->on.zone, t) : day >= x->first && day <= x->last)
            return false;
    }
    return true;
}

static void list_times(struct example *x)
{
    const struct schedule *s = &x->s;
    instant t;
    for (size_t i = 0; i < s->cron_count; i++)
        for (t = x->from - 1; (t = cron_next(&s->crons[i], s->zone, t).at) <= x->to;)
            if (allowed(s, t))
                times_add(&x->plain, t);
    for (size_t i = 0; i < s->calendar_count; i++)
        for (t = x->from - 1; (t = calendar_next(s->calendars[i].calendar, s->calendars[i].zone, t).at) <= x->to;)
            if (allowed(s, t))
                times_add(&x->plain, t);
    times_unite(&x->plain);
    for (size_t i = 0; i < x->plain.count; i++) {
        instant moved = x->plain.items[i] + s->offset;
        if (i + 1 < x->plain.count && moved >= x->plain.items[i + 1])
            moved = x->plain.items[i + 1] - 1;
        if (s->not_after != INSTANT_NONE && moved > s->not_after)
            moved = s->not_after;
        times_add(&x->moved, moved);
    }
}

static void example_init(struct example *x)
{
    struct error e = {0};
    const struct place *p = &places[random_below(PLACES)];
    const struct zone *zone;
    *x = (struct example){0};
    assert_int_equal(zones_init(&x->zones, "UTC", &e), 0);
    if (zones_get(&x->zones, p->zone, &zone, &e) != 0)
        fail_msg("%s", e.text);
    schedule_init(&x->s, zone);
    describe(x, p->zone);
    x->s.start = 0; /* it has run before */
    instant around = at(p->around);
    x->from = around - 20 * DAY - 7 * HOUR;
    x->to = around + 25 * DAY;
    build_expressions(x);
    build_bounds(x, around);
    if (random_below(2))
        x->s.offset = offsets[random_below(sizeof offsets / sizeof *offsets)];
    list_times(x);
}

static void example_clear(struct example *x)
{
    free(x->plain.items);
    free(x->moved.items);
    schedule_clear(&x->s);
    zones_clear(&x->zones);
}

/* Most near the change. */
static instant random_moment(const struct example *x)
{
    instant around = x->to - 25 * DAY;
    instant t = random_below(2) ? around + (instant)random_below(8 * 60) * MINUTE - 4 * HOUR : x->from + (instant)random_below(40 * 24 * 60) * MINUTE;
    return t + (instant)random_below(2);
}

/* What lies near the end of the list may be moved by what comes behind it. */
static bool listed(const struct example *x, instant t)
{
    return x->moved.count > 2 && t < x->moved.items[x->moved.count - 3];
}

enum { EXAMPLES = SANITIZED(80, 15), QUESTIONS = 10 };

static void test_next(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        struct example x;
        example_init(&x);
        instant t = x.from - 1 + x.s.offset;
        while (x.moved.count && t >= x.moved.items[0])
            t = x.moved.items[0] - 1;
        for (size_t k = 0; k + 2 < x.moved.count; k++) { /* each of them once, always later */
            instant next = schedule_next(&x.s, t).at;
            if (next != x.moved.items[k] || next <= t)
                fail_msg("%s offset %lld: after %s comes %s, and not %s", x.text, (long long)x.s.offset, show(t), show(next), show(x.moved.items[k]));
            t = next;
        }
        for (int k = 0; k < QUESTIONS; k++) {
            t = random_moment(&x);
            instant want = times_after(&x.moved, t), got = schedule_next(&x.s, t).at;
            if (listed(&x, t) && t > x.from + 2 * DAY && want != got)
                fail_msg("%s offset %lld: after %s comes %s, and not %s", x.text, (long long)x.s.offset, show(t), show(got), show(want));
        }
        example_clear(&x);
    }
}

/* ---- spans ---- */

static void check_span(const struct example *x, size_t first, instant until)
{
    instant due = x->moved.items[first];
    size_t last = first;
    while (last + 1 < x->moved.count && x->moved.items[last + 1] <= until)
        last++;
    struct schedule_span span = schedule_span(&x->s, due, until);
    if (span.count != last - first + 1 || span.last != x->moved.items[last])
        fail_msg("%s: from %s to %s: %u, the last %s, and not %zu, %s", x->text, show(due), show(until), span.count, show(span.last),
            last - first + 1, show(x->moved.items[last]));
    for (uint32_t n = 1; n < 200; n = n * 3 + (uint32_t)random_below(3)) {
        instant got = schedule_last(&x->s, due, until, n), want = x->moved.items[last - first + 1 > n ? last + 1 - n : first];
        if (got != want)
            fail_msg("%s offset %lld: the %u. last from %s to %s is %s, and not %s", x->text, (long long)x->s.offset, n, show(due), show(until), show(got), show(want));
    }
    instant from = due + (until - due) / 2, got = schedule_from(&x->s, due, from), want = times_after(&x->moved, from - 1);
    if (from > due && got != want)
        fail_msg("%s: from %s on it is %s, and not %s", x->text, show(from), show(got), show(want));
}

static void test_spans(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        struct example x;
        example_init(&x);
        for (int k = 0; k < QUESTIONS && x.moved.count > 3; k++) {
            instant until = random_moment(&x);
            size_t first = random_below(x.moved.count - 3);
            if (random_below(2))
                first = random_below(1 + first); /* far */
            if (x.moved.items[first] > x.from + 2 * DAY && listed(&x, until) && until > x.moved.items[first])
                check_span(&x, first, until);
        }
        example_clear(&x);
    }
}

static void test_span_bounds(void **state)
{
    (void)state;
    struct schedule s;
    schedule_init(&s, NULL);
    s.kind = SCHEDULE_EVERY;
    s.every = SECOND;
    s.start = 0;
    instant year = 365 * DAY;
    assert_int_equal(schedule_span(&s, 0, year).count, SCHEDULE_SPAN_MAX);
    assert_int_equal(schedule_span(&s, 0, year).last, year);
    assert_int_equal(schedule_last(&s, 0, year, 10), year - 9 * SECOND);
    assert_int_equal(schedule_span(&s, 50, 50).count, 1);
    assert_int_equal(schedule_span(&s, 50, 20).last, 50);
    assert_int_equal(schedule_last(&s, 50, 20, 3), 50);
    s.not_after = year - 5 * SECOND; /* it is no even walk any more */
    assert_int_equal(schedule_span(&s, 0, year).count, SCHEDULE_SPAN_MAX);
    assert_int_equal(schedule_span(&s, 0, year).last, year - 5 * SECOND);
    assert_int_equal(schedule_last(&s, 0, year, 10), year - 14 * SECOND);
    schedule_clear(&s);
    /* A due time that new rules of the zone do not have any more is one all the same, and nothing lies behind the end. */
    struct error e = {0};
    schedule_init(&s, NULL);
    s.kind = SCHEDULE_CRON;
    assert_int_equal(schedule_add_cron(&s, "0 4 * * *", 0, NULL, &e), 0);
    assert_int_equal(schedule_last(&s, 3 * HOUR, 3 * HOUR + MINUTE, 1), 3 * HOUR);
    assert_int_equal(schedule_last(&s, 3 * HOUR, 3 * HOUR + MINUTE, 5), 3 * HOUR);
    assert_int_equal(schedule_last(&s, 3 * HOUR, 5 * HOUR, 2), 3 * HOUR);
    assert_int_equal(schedule_last(&s, 3 * HOUR, 5 * HOUR, 1), 4 * HOUR);
    assert_int_equal(schedule_span(&s, 3 * HOUR, 5 * HOUR).count, 2);
    schedule_clear(&s);
}

/* ---- intervals ---- */

static void test_every(void **state)
{
    (void)state;
    struct schedule s;
    static const struct { duration every, offset; } rows[] = {{MINUTE, 0}, {7 * MINUTE, MINUTE}, {HOUR, 59 * MINUTE}, {3 * DAY, 0}, {HOUR, 5 * HOUR}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        schedule_init(&s, NULL);
        s.kind = SCHEDULE_EVERY;
        s.every = rows[i].every;
        s.start = 1000 * SECOND + 5;
        s.offset = rows[i].offset;
        duration offset = s.offset < s.every ? s.offset : s.every - 1;
        instant t = INSTANT_NONE + 1;
        for (int k = 0; k < 1000; k++) {
            instant next = schedule_next(&s, t).at;
            assert_int_equal(next, s.start + k * s.every + offset);
            t = next;
        }
        for (int k = 0; k < 100; k++) {
            instant until = s.start + offset + (instant)random_below(10000) * MINUTE;
            int64_t count = (until - s.start - offset) / s.every + 1;
            assert_int_equal(schedule_span(&s, s.start + offset, until).count, count);
            assert_int_equal(schedule_last(&s, s.start + offset, until, 2), s.start + offset + (count > 2 ? count - 2 : 0) * s.every);
        }
        assert_int_equal(schedule_next(&s, INSTANT_NEVER - 1).at, INSTANT_NEVER);
        if (s.offset < s.every) {
            schedule_begin(&s, t);
            assert_int_equal(schedule_next(&s, t).at, t + s.every);
        }
    }
}

static void test_merged(void **state)
{
    (void)state;
    struct schedule s;
    struct error e = {0};
    schedule_init(&s, NULL);
    s.kind = SCHEDULE_CRON;
    assert_int_equal(schedule_add_cron(&s, "0 * * * *", 0, NULL, &e), 0);
    assert_int_equal(schedule_add_cron(&s, "*/30 * * * *", 0, NULL, &e), 0);
    assert_int_equal(schedule_add_cron(&s, "45 1 * * *", 0, NULL, &e), 0);
    static const int minutes[] = {30, 60, 90, 105, 120, 150};
    instant t = 0;
    for (size_t i = 0; i < sizeof minutes / sizeof *minutes; i++)
        assert_int_equal(t = schedule_next(&s, t).at, minutes[i] * MINUTE);
    assert_int_equal(schedule_span(&s, 30 * MINUTE, 150 * MINUTE).count, 6);
    schedule_clear(&s);
}

/* An exception ends with the day of its own zone: Saturday in Tokyo is from Friday 15:00 to Saturday 15:00 UTC. */
static void test_except_zone(void **state)
{
    (void)state;
    struct schedule s;
    struct zones zones;
    struct error e = {0};
    const struct zone *utc;
    assert_int_equal(zones_init(&zones, "UTC", &e), 0);
    assert_int_equal(zones_get(&zones, "UTC", &utc, &e), 0);
    schedule_init(&s, utc);
    s.kind = SCHEDULE_CRON;
    assert_int_equal(schedule_add_cron(&s, "0 * * * *", 0, NULL, &e), 0);
    assert_int_equal(schedule_add_except(&s, "Sat Asia/Tokyo", &zones, &e), 0);
    assert_int_equal(schedule_next(&s, at("2026-12-04T14:00:00Z")).at, at("2026-12-05T15:00:00Z"));
    assert_true(schedule_bars(&s, at("2026-12-04T15:00:00Z")));
    assert_false(schedule_bars(&s, at("2026-12-04T14:59:59Z")));
    schedule_clear(&s);
    zones_clear(&zones);
}

static void test_except_errors(void **state)
{
    (void)state;
    static const struct { const char *text; int column; } rows[] = {
        {"2026-12-24..2026-12-20", 13}, {"2026-12-24..2027-02-30", 13}, {"2026-12-24..2027-1-1", 13}, {"2026-13-01", 6}, {"2027-02-29", 1}, {"2027-02-29..2027-03-01", 1}, {"2027-02-00", 1}, {"xmas", 1}, {"2026-12-24 ", 0}, {"", 1},
    };
    struct zones zones;
    struct schedule s;
    struct error e = {0};
    assert_int_equal(zones_init(&zones, "UTC", &e), 0);
    schedule_init(&s, NULL);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        int failed = schedule_add_except(&s, rows[i].text, &zones, &e);
        if (rows[i].column && (failed != -(int)ERROR_USAGE || e.column != rows[i].column))
            fail_msg("%s: %d, column %d: %s", rows[i].text, failed, e.column, e.text);
    }
    schedule_clear(&s);
    zones_clear(&zones);
}

/* ---- the clock is set back ---- */

static bool follows_clock(const struct schedule *s, size_t i)
{
    return s->crons[i].local;
}

static void test_again(void **state)
{
    (void)state;
    for (int i = 0; i < EXAMPLES; i++) {
        struct example x;
        example_init(&x);
        x.s.offset = 0;
        for (int k = 0; k < QUESTIONS && x.s.kind == SCHEDULE_CRON; k++) {
            instant now = random_moment(&x), before = now + (instant)random_below(3 * 60) * MINUTE, want = INSTANT_NEVER;
            for (size_t c = 0; c < x.s.cron_count; c++) {
                instant t = follows_clock(&x.s, c) ? now : before;
                do
                    t = cron_next(&x.s.crons[c], x.s.zone, t).at;
                while (t <= x.to && !allowed(&x.s, t));
                want = t < want ? t : want;
            }
            instant got = schedule_next_again(&x.s, now, before).at;
            if (want <= x.to && got != want)
                fail_msg("%s: back from %s to %s: next %s, and not %s", x.text, show(before), show(now), show(got), show(want));
            assert_int_equal(schedule_next_again(&x.s, now, now - HOUR).at, schedule_next(&x.s, now).at);
        }
        example_clear(&x);
    }
}

/* Fixed times of a calendar do not come again in the second pass, those that follow the clock do. */
static void test_again_calendar(void **state)
{
    (void)state;
    static const struct { const char *text, *now, *before, *want; } rows[] = {
        {"*-*-* 04:30", "2026-06-01T03:00:00Z", "2026-06-01T02:00:00Z", "2026-06-02T02:30:00Z"},
        {"*-*-* 04:30", "2026-06-01T01:00:00Z", "2026-06-01T02:00:00Z", "2026-06-01T02:30:00Z"},
        {"*-*-* 04:30", "2026-06-01T02:00:00Z", "2026-06-01T03:00:00Z", "2026-06-02T02:30:00Z"},
        {"*:0/10", "2026-06-01T02:00:00Z", "2026-06-01T04:00:00Z", "2026-06-01T02:10:00Z"},
        {"*-*-* 02:30", "2026-10-25T01:10:00Z", "2026-10-25T01:10:30Z", "2026-10-26T01:30:00Z"},
    };
    struct zones zones;
    struct error e = {0};
    const struct zone *berlin;
    assert_int_equal(zones_init(&zones, "UTC", &e), 0);
    assert_int_equal(zones_get(&zones, "Europe/Berlin", &berlin, &e), 0);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct schedule s;
        schedule_init(&s, berlin);
        s.start = 0;
        s.kind = SCHEDULE_CALENDAR;
        assert_int_equal(schedule_add_calendar(&s, rows[i].text, &zones, &e), 0);
        instant got = schedule_next_again(&s, at(rows[i].now), at(rows[i].before)).at;
        if (got != at(rows[i].want))
            fail_msg("%s: back from %s to %s: %s", rows[i].text, rows[i].before, rows[i].now, show(got));
        schedule_clear(&s);
    }
    zones_clear(&zones);
}

/* A search that begins in the second pass of a repeated hour finds its times; a job that has been due does not, whatever else is due in that hour. */
static void test_second_pass(void **state)
{
    (void)state;
    struct zones zones;
    struct error e = {0};
    const struct zone *berlin;
    struct schedule s;
    assert_int_equal(zones_init(&zones, "UTC", &e), 0);
    assert_int_equal(zones_get(&zones, "Europe/Berlin", &berlin, &e), 0);
    schedule_init(&s, berlin);
    s.kind = SCHEDULE_CALENDAR;
    assert_int_equal(schedule_add_calendar(&s, "*-*-* 02:30", &zones, &e), 0);
    assert_int_equal(schedule_add_calendar(&s, "*-*-* 01:20 UTC", &zones, &e), 0);
    assert_int_equal(schedule_next(&s, at("2026-10-25T01:20:00Z")).at, at("2026-10-25T01:30:00Z"));
    s.start = at("2026-10-24T00:30:00Z");
    static const char *const want[] = {"2026-10-24T01:20:00Z", "2026-10-25T00:30:00Z", "2026-10-25T01:20:00Z", "2026-10-26T01:20:00Z", "2026-10-26T01:30:00Z"};
    instant t = s.start;
    for (size_t i = 0; i < sizeof want / sizeof *want; i++)
        assert_int_equal(t = schedule_next(&s, t).at, at(want[i]));
    assert_int_equal(schedule_last(&s, s.start, at("2026-10-25T01:45:00Z"), 1), at("2026-10-25T01:20:00Z"));
    schedule_clear(&s);
    zones_clear(&zones);
}

/* ---- aligned to the clock ---- */

/* Each minute of some weeks around the change. */
enum { WALK = 40 * 24 * 60 };
struct walk {
    instant from;
    int64_t *local; /* minutes since 1970 that the clock shows */
};

static bool is_tick(duration every, int64_t local)
{
    int64_t step = every / MINUTE, day = 24 * 60;
    if (step % day == 0)
        return (local - 4 * day) % step == 0; /* 5 January 1970 was a Monday */
    return local % day % step == 0;
}

static bool walk_shown(const struct walk *w, int at_minute)
{
    for (int back = at_minute - 1; back >= 0 && back > at_minute - 26 * 60; back--)
        if (w->local[back] == w->local[at_minute])
            return true;
    return false;
}

static bool walk_due(const struct walk *w, int i, duration every)
{
    if (is_tick(every, w->local[i]) && (every <= HOUR || !walk_shown(w, i)))
        return true;
    if (every > HOUR && i > 0)
        for (int64_t local = w->local[i - 1] + 1; local < w->local[i]; local++) /* skipped */
            if (is_tick(every, local))
                return true;
    return false;
}

static void test_clock(void **state)
{
    (void)state;
    static const duration intervals[] = {7 * MINUTE, 10 * MINUTE, HOUR, 90 * MINUTE, 5 * HOUR, 6 * HOUR, DAY, 2 * DAY, 7 * DAY};
    struct walk w = {.local = mem_zero(WALK, sizeof *w.local)};
    for (size_t p = 0; p < PLACES; p++) {
        struct zone *z;
        struct error e = {0};
        assert_int_equal(zone_load(places[p].zone, &z, &e), 0);
        w.from = at(places[p].around) - WALK / 2 * MINUTE;
        for (int i = 0; i < WALK; i++)
            w.local[i] = (w.from + i * MINUTE + zone_offset_at(z, w.from + i * MINUTE).seconds * SECOND) / MINUTE;
        for (size_t k = 0; k < sizeof intervals / sizeof *intervals; k++) {
            instant t = w.from + 2 * DAY;
            for (int i = 2 * 24 * 60 + 1; i < WALK; i++) {
                if (!walk_due(&w, i, intervals[k]))
                    continue;
                instant want = w.from + i * MINUTE, got = every_clock_next(intervals[k], z, t).at;
                instant again = every_clock_next(intervals[k], z, t + (instant)random_below((uint64_t)(want - t))).at;
                if (got != want || again != want)
                    fail_msg("%s every %lld min: after %s comes %s (%s), and not %s", places[p].zone, (long long)(intervals[k] / MINUTE), show(t),
                        show(got), show(again), show(want));
                t = want;
            }
        }
        zone_free(z);
    }
    free(w.local);
}

static void test_seed(void **state)
{
    (void)state;
    int low = 0;
    for (int i = 0; i < 1000; i++) {
        char key[16];
        snprintf(key, sizeof key, "job%d", i);
        assert_int_equal(schedule_seed("host", key), schedule_seed("host", key));
        low += schedule_seed("host", key) % 60 < 30;
    }
    assert_in_range(low, 440, 560);
    assert_int_not_equal(schedule_seed("a", "bc"), schedule_seed("ab", "c"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_next), cmocka_unit_test(test_spans), cmocka_unit_test(test_span_bounds), cmocka_unit_test(test_every), cmocka_unit_test(test_merged),
        cmocka_unit_test(test_except_zone), cmocka_unit_test(test_except_errors), cmocka_unit_test(test_again), cmocka_unit_test(test_again_calendar), cmocka_unit_test(test_second_pass),
        cmocka_unit_test(test_clock), cmocka_unit_test(test_seed),
    };
    return cmocka_run_group_tests_name("schedule", tests, NULL, NULL);
}
