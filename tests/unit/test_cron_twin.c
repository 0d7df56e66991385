/* The brute-force twin: the rule as it is written, minute by minute (second by second with six fields), and nothing of
 * lib/time/cron*.c in it. Compared with cron_next over random expressions, zones and starts near clock changes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include <cmocka.h>

#include "lib/time/cron.h"
#include "tests/unit/sanitized.h"

static uint64_t state;

static uint64_t random_below(uint64_t n)
{
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (state >> 33) % n;
}

/* ---- the twin: what a field names ---- */

static int twin_value(const char *word)
{
    static const char *const names[] = {"sun", "mon", "tue", "wed", "thu", "fri", "sat", "jan", "feb", "mar", "apr",
        "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"};
    for (int i = 0; i < 19; i++)
        if (!strncasecmp(word, names[i], 3))
            return i < 7 ? i : i - 6;
    return atoi(word);
}

/* Walks from low to high, over the end of the cycle where they are the wrong way round. */
static bool twin_range(const char *item, int value, int least, int most)
{
    int low = least, high = most, step = 1;
    const char *dash = strchr(item, '-'), *slash = strchr(item, '/');
    if (*item != '*' && *item != '?') {
        low = twin_value(item);
        high = dash ? twin_value(dash + 1) : low;
    }
    if (slash)
        step = atoi(slash + 1);
    if (most == 7 && low == 7 && high < 7)
        low = 0;
    for (int at = low, gone = 0;; gone++) {
        if (gone % step == 0 && (at == value || (most == 7 && at % 7 == value)))
            return true;
        if (at == high)
            return false;
        at = at == (most == 7 && low > high ? 6 : most) ? least : at + 1;
    }
}

static bool twin_field(const char *field, int value, int least, int most)
{
    for (const char *item = field; item; item = strchr(item, ',') ? strchr(item, ',') + 1 : NULL) {
        char one[32];
        snprintf(one, sizeof one, "%.*s", (int)strcspn(item, ","), item);
        if (twin_range(one, value, least, most))
            return true;
    }
    return false;
}

static int month_days(const struct tm *t)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    int year = t->tm_year + 1900;
    return days[t->tm_mon] + (t->tm_mon == 1 && ((year % 4 == 0 && year % 100 != 0) || year % 400 == 0));
}

static bool is_workday(const struct tm *t, int day)
{
    int weekday = ((t->tm_wday + day - t->tm_mday) % 7 + 7) % 7;
    return weekday >= 1 && weekday <= 5;
}

/* Extensions are made as lists of one item, so that no list is to be read here. */
static bool twin_day(const char *field, const struct tm *t)
{
    int length = month_days(t), today = t->tm_mday;
    if (!strcmp(field, "L"))
        return today == length;
    if (!strcmp(field, "LW")) {
        int day = length;
        while (!is_workday(t, day))
            day--;
        return today == day;
    }
    if (!strchr(field, 'W'))
        return twin_field(field, today, 1, 31);
    int day = atoi(field);
    if (day > length)
        return false;
    static const int ways[] = {0, -1, 1, -2, 2};
    for (int i = 0; i < 5; i++) {
        int near = day + ways[i];
        if (near >= 1 && near <= length && is_workday(t, near))
            return today == near;
    }
    return false;
}

static bool twin_weekday(const char *field, const struct tm *t)
{
    const char *hash = strchr(field, '#');
    if (hash)
        return twin_value(field) % 7 == t->tm_wday && (t->tm_mday + 6) / 7 == atoi(hash + 1);
    if (strchr(field, 'L'))
        return twin_value(field) % 7 == t->tm_wday && t->tm_mday + 7 > month_days(t);
    return twin_field(field, t->tm_wday, 0, 7);
}

/* ---- the twin: the day rule, and the clock ---- */

struct expression {
    char field[6][40]; /* second minute hour day month weekday */
    bool six;
    bool second[60], minute[60], hour[24]; /* what these fields say of each value */
    int64_t day;                           /* the local day that was looked at last, and whether it matches */
    bool day_matches;
};

static bool free_field(const char *field)
{
    return *field == '*' || *field == '?';
}

static bool twin_date(const struct expression *x, int64_t day)
{
    struct tm t;
    time_t clock = (time_t)(day * 86400);
    gmtime_r(&clock, &t);
    if (!twin_field(x->field[4], t.tm_mon + 1, 1, 12))
        return false;
    bool in_month = twin_day(x->field[3], &t), in_week = twin_weekday(x->field[5], &t);
    return free_field(x->field[3]) || free_field(x->field[5]) ? in_month && in_week : in_month || in_week;
}

static void twin_prepare(struct expression *x)
{
    x->day = INT64_MIN;
    for (int i = 0; i < 60; i++) {
        x->second[i] = x->six ? twin_field(x->field[0], i, 0, 59) : i == 0;
        x->minute[i] = twin_field(x->field[1], i, 0, 59);
    }
    for (int i = 0; i < 24; i++)
        x->hour[i] = twin_field(x->field[2], i, 0, 23);
}

/* `local` is local time in seconds as if it were UTC. */
static bool twin_matches(struct expression *x, int64_t local)
{
    int64_t day = local / 86400 - (local % 86400 < 0);
    int time = (int)(local - day * 86400);
    if (!x->second[time % 60] || !x->minute[time / 60 % 60] || !x->hour[time / 3600])
        return false;
    if (x->day != day) {
        x->day = day;
        x->day_matches = twin_date(x, day);
    }
    return x->day_matches;
}

/* What libc says of the zone that TZ names. */
static int64_t offset_at(int64_t t)
{
    struct tm tm;
    time_t clock = (time_t)t;
    localtime_r(&clock, &tm);
    return tm.tm_gmtoff;
}

/* The offsets around the start, second by second where they change. */
enum { DAYS_BACK = 3, DAYS_ON = 12, CHANGES = 64 };

/* Seconds make a long way: with six fields it is shorter. */
static int64_t twin_end(const struct expression *x, int64_t start)
{
    return start + (x->six ? 2 : DAYS_ON) * 86400;
}

struct offsets {
    int64_t from[CHANGES], offset[CHANGES];
    int count;
};

static void offsets_read(struct offsets *o, int64_t start)
{
    o->count = 1;
    o->from[0] = start - DAYS_BACK * 86400;
    o->offset[0] = offset_at(o->from[0]);
    for (int64_t t = o->from[0]; t < start + DAYS_ON * 86400; t += 900) {
        if (offset_at(t + 900) == o->offset[o->count - 1])
            continue;
        int64_t low = t, high = t + 900; /* the change is in (low, high] */
        while (high - low > 1) {
            int64_t middle = (low + high) / 2;
            *(offset_at(middle) == o->offset[o->count - 1] ? &low : &high) = middle;
        }
        o->from[o->count] = high;
        o->offset[o->count++] = offset_at(high);
    }
}

/* True if the clock showed this local time at a moment before stretch number `before`. */
static bool shown_before(const struct offsets *o, int64_t local, int before)
{
    for (int i = 0; i < before; i++)
        if (local - o->offset[i] < o->from[i + 1] && (i == 0 || local - o->offset[i] >= o->from[i]))
            return true;
    return false;
}

/* A jump of up to three hours to this stretch skipped a fixed time. */
static bool twin_skipped(struct expression *x, const struct offsets *o, int i)
{
    int64_t jump = o->offset[i] - o->offset[i - 1];
    if (jump <= 0 || jump > 3 * 3600)
        return false;
    for (int64_t local = o->from[i] + o->offset[i - 1]; local < o->from[i] + o->offset[i]; local++)
        if (local % 60 == 0 && twin_matches(x, local) && !shown_before(o, local, i))
            return true;
    return false;
}

/* The first time after `start` within the days looked at, or INT64_MAX. */
static int64_t twin_next(struct expression *x, const struct offsets *o, int64_t start)
{
    bool local = x->six || *x->field[1] == '*' || *x->field[2] == '*';
    for (int i = 0; i < o->count; i++) {
        int64_t end = i + 1 < o->count && o->from[i + 1] < twin_end(x, start) ? o->from[i + 1] : twin_end(x, start);
        if (end <= start + 1)
            continue;
        if (i > 0 && o->from[i] > start && !local && twin_skipped(x, o, i))
            return o->from[i];
        int64_t t = o->from[i] > start ? o->from[i] : start + 1;
        int step = x->six ? 1 : 60;
        if (!x->six) /* the next full minute of the local clock */
            t += (60 - (t + o->offset[i]) % 60) % 60;
        for (; t < end; t += step)
            if (twin_matches(x, t + o->offset[i]) && (local || !shown_before(o, t + o->offset[i], i)))
                return t;
    }
    return INT64_MAX;
}

/* ---- random expressions ---- */

static void random_item(char *text, size_t size, int least, int most, int hint)
{
    int a = hint >= least && random_below(2) ? hint : least + (int)random_below((uint64_t)(most - least + 1));
    int b = least + (int)random_below((uint64_t)(most - least + 1));
    int step = 1 + (int)random_below((uint64_t)(most - least + 3));
    switch (random_below(9)) {
    case 0:
        snprintf(text, size, "*");
        break;
    case 1:
        snprintf(text, size, "*/%d", step);
        break;
    case 2:
        snprintf(text, size, "%d-%d", a, b);
        break;
    case 3:
        snprintf(text, size, "%d-%d/%d", a, b, step);
        break;
    default:
        snprintf(text, size, "%d", a);
    }
}

static void random_field(char text[40], int least, int most, int hint)
{
    char one[20];
    random_item(text, sizeof one, least, most, hint);
    while (random_below(3) == 0 && strlen(text) < 20) {
        random_item(one, sizeof one, least, most, hint);
        snprintf(text + strlen(text), 40 - strlen(text), ",%s", one);
    }
}

static void random_days(struct expression *x, const struct tm *near)
{
    static const char *const names[] = {"sun", "Mon", "TUE", "wed", "thu", "fri", "sat"};
    random_field(x->field[3], 1, 31, near->tm_mday);
    random_field(x->field[5], 0, 7, near->tm_wday);
    if (random_below(2))
        strcpy(x->field[3], "*");
    if (random_below(2))
        strcpy(x->field[5], "*");
    switch (random_below(14)) {
    case 0:
        strcpy(x->field[3], random_below(2) ? "L" : "LW");
        break;
    case 1:
        snprintf(x->field[3], 40, "%dW", near->tm_mday);
        break;
    case 2:
        snprintf(x->field[5], 40, "%s#%d", names[near->tm_wday], 1 + (int)random_below(5));
        break;
    case 3:
        snprintf(x->field[5], 40, "%dL", (int)random_below(8));
        break;
    case 4:
        snprintf(x->field[5], 40, "%s-%s", names[random_below(7)], names[near->tm_wday]);
        break;
    case 5:
        strcpy(x->field[random_below(2) ? 3 : 5], "?");
        break;
    default:
        break;
    }
}

/* Hours and days near the change come more often than others. */
static void random_expression(struct expression *x, int64_t near)
{
    struct tm t;
    time_t clock = (time_t)near;
    localtime_r(&clock, &t);
    memset(x, 0, sizeof *x);
    x->six = random_below(16) == 0;
    random_field(x->field[0], 0, 59, t.tm_sec);
    random_field(x->field[1], 0, 59, t.tm_min);
    random_field(x->field[2], 0, 23, (t.tm_hour + (int)random_below(4) + 21) % 24);
    random_field(x->field[4], 1, 12, t.tm_mon + 1);
    if (random_below(4))
        strcpy(x->field[4], "*");
    random_days(x, &t);
}

static const struct {
    const char *zone;
    int from, to; /* years in which its clock changes */
} zones[] = {
    {"Europe/Berlin", 1980, 2100},
    {"America/New_York", 1970, 2100},
    {"Australia/Lord_Howe", 1985, 2100},
    {"Africa/Casablanca", 2012, 2080},
    {"Pacific/Apia", 2010, 2021},
    {"Asia/Gaza", 2000, 2080},
    {"America/Sao_Paulo", 1986, 2019},
    {"Africa/Cairo", 2005, 2100},
    {"America/St_Johns", 1986, 2012},
    {"Antarctica/Troll", 2005, 2100},
    {"Asia/Kathmandu", 1985, 1986},
    {"Pacific/Kwajalein", 1969, 1993},
    {"Europe/Dublin", 1965, 2100},
    {"Asia/Tehran", 1978, 2022},
    {"America/Scoresbysund", 2020, 2030},
    {"Africa/Monrovia", 1971, 1972},
    {"Antarctica/Casey", 2009, 2023},
    {"Asia/Beirut", 1990, 2100},
    {"Pacific/Chatham", 1975, 2100},
    {"America/Asuncion", 1995, 2024},
    {"Asia/Pyongyang", 2015, 2018},
    {"Europe/Istanbul", 1970, 2016},
};

enum { ZONES = sizeof zones / sizeof zones[0], PLACES = SANITIZED(40, 10), EXPRESSIONS = SANITIZED(40, 20) };

/* A change of the zone's clock in a random one of its years, or any moment if there is none. */
static int64_t random_change(const struct zone *z, int from, int to)
{
    int64_t year = (int64_t)(from - 1970) + (int64_t)random_below((uint64_t)(to - from + 1));
    int64_t t = year * 31556952 + (int64_t)random_below(31556952);
    instant next = zone_next_change(z, t * SECOND);
    return random_below(10) && next != INSTANT_NEVER ? next / SECOND : t;
}

static void compare(const char *zone, const struct zone *z, const struct offsets *o, int64_t start, int64_t near)
{
    struct expression x;
    struct error e = {0};
    struct cron c;
    char text[256];
    random_expression(&x, near);
    twin_prepare(&x);
    snprintf(text, sizeof text, "%s%s%s %s %s %s %s", x.six ? x.field[0] : "", x.six ? " " : "", x.field[1], x.field[2],
        x.field[3], x.field[4], x.field[5]);
    if (cron_parse(text, 0, &c, NULL, &e))
        fail_msg("%s: %s", text, e.text);
    int64_t expected = twin_next(&x, o, start);
    struct occurrence found = cron_next(&c, z, start * SECOND);
    int64_t got = found.at == INSTANT_NEVER ? INT64_MAX : found.at / SECOND;
    if (expected == INT64_MAX ? got < twin_end(&x, start) : got != expected)
        fail_msg("'%s' in %s after %lld: %lld, and the twin says %lld", text, zone, (long long)start, (long long)got,
            (long long)expected);
}

static void test_twin(void **unused)
{
    (void)unused;
    const char *given = getenv("SEED");
    uint64_t seed = given ? strtoull(given, NULL, 10) : 3;
    print_message("SEED=%llu\n", (unsigned long long)seed);
    state = seed;
    for (int i = 0; i < ZONES; i++) {
        struct zone *z = NULL;
        if (zone_load(zones[i].zone, &z, NULL))
            fail_msg("no zone %s", zones[i].zone);
        setenv("TZ", zones[i].zone, 1);
        tzset();
        for (int place = 0; place < PLACES; place++) {
            int64_t near = random_change(z, zones[i].from, zones[i].to);
            int64_t start = near - 4 * 3600 + (int64_t)random_below(8 * 3600);
            if (random_below(2))
                start = near + (int64_t)random_below(3) - 1;
            struct offsets o;
            offsets_read(&o, start);
            for (int k = 0; k < EXPRESSIONS; k++)
                compare(zones[i].zone, z, &o, start, near + (int64_t)random_below(3) * 86400);
        }
        zone_free(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_twin)};
    return cmocka_run_group_tests_name("cron_twin", tests, NULL, NULL);
}
