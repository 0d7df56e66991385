/* Every installed zone against libc, 1900 to 2100: offset, name and civil time at each change +-1 s and on a grid, and
 * the way back from local time, against a plain search through the changes that libc was seen to make. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <ftw.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/strvec.h"
#include "lib/time/zone.h"

#define FOLDER "/usr/share/zoneinfo"
enum { DAY = 86400, HEADER = 44 };

/* ---- what libc does ---- */

struct change {
    int64_t at;
    int32_t before, after; /* offsets; the same where only name or summer time changes */
};

struct changes {
    struct change *items;
    size_t count, capacity;
};

static int64_t year_start(int year)
{
    return civil_days(year, 1, 1) * DAY;
}

static struct tm libc_at(int64_t seconds)
{
    struct tm tm;
    time_t t = (time_t)seconds;
    localtime_r(&t, &tm);
    return tm;
}

static bool same_time(const struct tm *a, const struct tm *b)
{
    return a->tm_gmtoff == b->tm_gmtoff && a->tm_isdst == b->tm_isdst && !strcmp(a->tm_zone, b->tm_zone);
}

/* Between a and b something changes: finds out when. */
static int64_t bisect(int64_t a, int64_t b)
{
    struct tm left = libc_at(a);
    while (b - a > 1) {
        int64_t middle = a + (b - a) / 2;
        struct tm tm = libc_at(middle);
        *(same_time(&left, &tm) ? &a : &b) = middle;
    }
    return b;
}

static int by_number(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

/* Times at which a look is worth it: the transitions in the file's 64-bit data (changes that last for less than a week
 * are seen by no grid), each with the second before, and every week. */
static size_t collect_times(const struct buf *file, int64_t from, int64_t to, int64_t **out)
{
    const unsigned char *p = (const unsigned char *)file->data;
    uint64_t counts[2][6];
    size_t n = 0, body = HEADER;
    for (int block = 0; block < 2; block++) {
        for (int i = 0; i < 6; i++)
            counts[block][i] = (uint64_t)p[20 + 4 * i] << 24 | p[21 + 4 * i] << 16 | p[22 + 4 * i] << 8 | p[23 + 4 * i];
        const uint64_t *c = counts[block];
        body = HEADER + c[3] * 5 + c[4] * 6 + c[5] + c[2] * 8 + c[1] + c[0];
        p += block == 0 ? body : HEADER;
    }
    int64_t *times = mem_zero(2 * counts[1][3] + (size_t)((to - from) / (7 * DAY)) + 3, sizeof *times);
    for (size_t i = 0; i < counts[1][3]; i++, p += 8) {
        uint64_t raw = 0;
        for (int k = 0; k < 8; k++)
            raw = raw << 8 | p[k];
        if ((int64_t)raw > from && (int64_t)raw < to) {
            times[n++] = (int64_t)raw - 1;
            times[n++] = (int64_t)raw;
        }
    }
    for (int64_t t = from; t <= to; t += 7 * DAY)
        times[n++] = t;
    qsort(times, n, sizeof *times, by_number);
    *out = times;
    return n;
}

/* ---- comparing ---- */

static void compare(const struct zone *z, int64_t seconds, const struct tm *tm)
{
    struct zone_offset o = zone_offset_at(z, seconds * SECOND);
    if (o.seconds != tm->tm_gmtoff || o.dst != (tm->tm_isdst > 0) || strcmp(o.abbreviation, tm->tm_zone))
        fail_msg("%s at %lld: %d %d %s, libc: %ld %d %s", zone_name(z), (long long)seconds, o.seconds, o.dst,
            o.abbreviation, tm->tm_gmtoff, tm->tm_isdst, tm->tm_zone);
    struct civil c = zone_civil(z, seconds * SECOND);
    if (c.year != tm->tm_year + 1900 || c.month != tm->tm_mon + 1 || c.day != tm->tm_mday || c.hour != tm->tm_hour ||
        c.minute != tm->tm_min || c.second != tm->tm_sec)
        fail_msg("%s at %lld: another local time than libc's", zone_name(z), (long long)seconds);
}

static void add_change(struct changes *list, int64_t at)
{
    struct tm before = libc_at(at - 1), after = libc_at(at);
    MEM_GROW(list->items, list->capacity, list->count + 1);
    list->items[list->count++] = (struct change){at, (int32_t)before.tm_gmtoff, (int32_t)after.tm_gmtoff};
}

/* Looks at all times, and closer where something has changed between two of them. */
static void compare_times(const struct zone *z, const int64_t *times, size_t count, struct changes *list)
{
    struct tm before = libc_at(times[0]);
    for (size_t i = 0; i < count; i++) {
        struct tm tm = libc_at(times[i]);
        compare(z, times[i], &tm);
        for (int64_t t = i ? times[i - 1] : 0; i && !same_time(&before, &tm);) {
            t = bisect(t, times[i]);
            add_change(list, t);
            before = libc_at(t);
        }
    }
}

/* By the meaning of a local time: t is right if local - t is the offset at t. */
static struct zone_local_time search(const struct changes *list, int64_t local)
{
    struct zone_local_time found = {.fit = ZONE_GAP};
    int hits = 0;
    for (size_t i = 0; i <= list->count; i++) {
        int64_t from = i ? list->items[i - 1].at : INT64_MIN, to = i < list->count ? list->items[i].at : INT64_MAX;
        int64_t t = local - (i ? list->items[i - 1].after : list->items[0].before);
        bool joined = i && list->items[i - 1].before == list->items[i - 1].after;
        if (t >= from && t < to && hits < 2) {
            *(hits++ ? &found.second : &found.first) = t;
            if (hits == 2 && !joined)
                found.jump = from;
        }
        if (i == list->count || hits)
            continue;
        const struct change *c = &list->items[i];
        if (local >= c->at + c->before && local < c->at + c->after)
            found = (struct zone_local_time){ZONE_GAP, local - c->before, local - c->after, c->at};
    }
    if (hits == 1)
        found.second = found.first, found.jump = 0;
    found.fit = hits == 0 ? ZONE_GAP : hits == 1 ? ZONE_ONCE : ZONE_FOLD;
    return found;
}

static void compare_local(const struct zone *z, const struct changes *near, int64_t local)
{
    struct civil c = civil_from_seconds(local);
    struct zone_local_time ours = zone_resolve(z, &c), want = search(near, local);
    if (ours.fit != want.fit || ours.first != want.first * SECOND || ours.second != want.second * SECOND ||
        (want.fit != ZONE_ONCE && ours.jump != want.jump * SECOND))
        fail_msg("%s, local %lld: fit %d %lld %lld jump %lld, not %d %lld %lld jump %lld", zone_name(z),
            (long long)local, ours.fit, (long long)(ours.first / SECOND), (long long)(ours.second / SECOND),
            (long long)(ours.jump / SECOND), want.fit, (long long)want.first, (long long)want.second,
            (long long)want.jump);
    if (want.fit != ZONE_ONCE)
        return;
    struct tm tm = {.tm_year = c.year - 1900, .tm_mon = c.month - 1, .tm_mday = c.day, .tm_hour = c.hour,
        .tm_min = c.minute, .tm_sec = c.second, .tm_isdst = -1};
    if (mktime(&tm) != (time_t)want.first)
        fail_msg("%s, local %lld: mktime goes elsewhere", zone_name(z), (long long)local);
}

/* The changes around number i: enough of them, and no more, so that the plain search is not slow. */
static struct changes around(const struct changes *list, size_t i)
{
    size_t first = i > 4 ? i - 4 : 0, last = i + 5 < list->count ? i + 5 : list->count;
    return (struct changes){list->items + first, last - first, 0};
}

static void compare_change(const struct zone *z, const struct changes *list, size_t i)
{
    const struct change *c = &list->items[i];
    static const int steps[] = {-DAY, -7200, -3601, -2, -1, 0, 1, 1800, 3600, DAY};
    for (size_t k = 0; k < sizeof steps / sizeof steps[0]; k++) {
        struct tm tm = libc_at(c->at + steps[k]);
        compare(z, c->at + steps[k], &tm);
    }
    if (c->before == c->after)
        return;
    struct changes near = around(list, i);
    int64_t edges[] = {c->at + c->before, c->at + c->after, c->at + c->before + (c->after - c->before) / 2};
    for (int k = 0; k < 3; k++)
        for (int step = -1; step <= 1; step++)
            compare_local(z, &near, edges[k] + step);
}

/* Asking for one change after the other gives those of libc that change the offset. */
static void compare_walk(const struct zone *z, const struct changes *list, int64_t from, int64_t to)
{
    instant t = from * SECOND;
    for (size_t i = 0; i < list->count; i++) {
        if (list->items[i].before == list->items[i].after)
            continue;
        t = zone_next_change(z, t);
        if (t != list->items[i].at * SECOND)
            fail_msg("%s: change at %lld, not %lld", zone_name(z), (long long)(t / SECOND), (long long)list->items[i].at);
    }
    assert_true(zone_next_change(z, t) > to * SECOND);
}

static void compare_zone(const char *name, const struct buf *file)
{
    struct zone *z = NULL;
    struct error e = {0};
    if (zone_load(name, &z, &e))
        fail_msg("%s", e.text);
    setenv("TZ", name, 1);
    tzset();
    int64_t from = year_start(1890), to = year_start(2110), *times;
    size_t count = collect_times(file, from, to, &times);
    struct changes list = {0};
    compare_times(z, times, count, &list);
    for (size_t i = 0; i < list.count; i++)
        compare_change(z, &list, i);
    compare_walk(z, &list, times[0], times[count - 1]);
    for (int64_t local = year_start(1900); list.count && local < year_start(2101); local += 31 * DAY + 5 * 3600 + 7)
        compare_local(z, &list, local);
    free(list.items);
    free(times);
    zone_free(z);
}

/* ---- all zones ---- */

static struct strvec names;

static void read_file(const char *path, struct buf *b)
{
    char chunk[4096];
    FILE *f = fopen(path, "re");
    size_t n;
    buf_reset(b);
    while (f && (n = fread(chunk, 1, sizeof chunk, f)) > 0)
        buf_add(b, chunk, n);
    if (f)
        fclose(f);
}

static int collect(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st;
    (void)ftw;
    if (kind == FTW_F || kind == FTW_SL)
        strvec_add(&names, path + sizeof FOLDER);
    return 0;
}

static bool same_bytes(const struct buf *a, const struct buf *b)
{
    return a->length == b->length && !memcmp(a->data, b->data, a->length);
}

/* Many names have the rules of another: then the bytes are the same, and looking once is enough. */
static bool seen_before(struct buf **seen, size_t *count, size_t *capacity, const struct buf *file)
{
    for (size_t i = 0; i < *count; i++)
        if (same_bytes(&(*seen)[i], file))
            return true;
    MEM_GROW(*seen, *capacity, *count + 1);
    (*seen)[*count] = (struct buf){0};
    buf_add(&(*seen)[(*count)++], file->data, file->length);
    return false;
}

static void refuse(const char *name, const char *why)
{
    struct zone *z = NULL;
    struct error e = {0};
    if (zone_load(name, &z, &e) != -ERROR_USAGE || z || (why && !strstr(e.text, why)))
        fail_msg("%s: %s", name, z ? "was taken" : e.text);
}

static void test_all_zones(void **state)
{
    (void)state;
    struct buf file = {0}, *seen = NULL;
    size_t seen_count = 0, seen_capacity = 0, loaded = 0;
    nftw(FOLDER, collect, 16, FTW_PHYS);
    strvec_sort(&names);
    for (size_t i = 0; i < names.count; i++) {
        const char *name = names.items[i];
        char *path = mem_format("%s/%s", FOLDER, name);
        read_file(path, &file);
        free(path);
        if (file.length < 4 || memcmp(file.data, "TZif", 4) != 0) {
            refuse(name, NULL);
        } else if (!strncmp(name, "right/", 6)) {
            refuse(name, "leap seconds");
        } else {
            loaded++;
            if (!seen_before(&seen, &seen_count, &seen_capacity, &file))
                compare_zone(name, &file);
        }
    }
    print_message("%zu zones, %zu different\n", loaded, seen_count);
    assert_true(loaded > 300 && seen_count > 200); /* else tzdata is not there, and nothing was tested */
    for (size_t i = 0; i < seen_count; i++)
        buf_clear(&seen[i]);
    free(seen);
    buf_clear(&file);
    strvec_clear(&names);
}

static void test_no_zones(void **state)
{
    (void)state;
    static const char *const wrong[] = {"", "/", "Europe", "Europe/", "Europe/Berlin/", "/Europe/Berlin", "../zoneinfo/UTC",
        "Europe/../UTC", "./UTC", "Europe/Berlin ", "Europe/berlin ", "Europe//../UTC", "zone.tab", "zone1970.tab",
        "iso3166.tab", "tzdata.zi", "leap-seconds.list", "leapseconds", "posix", "posixrules/", "Europe/Berlin\n",
        "Europe/Nowhere", "CET-1CEST"};
    for (size_t i = 0; i < sizeof wrong / sizeof wrong[0]; i++)
        refuse(wrong[i], NULL);
}

static int setup(void **state)
{
    *state = getenv("TZ") ? strdup(getenv("TZ")) : NULL;
    return unsetenv("TZDIR");
}

static int teardown(void **state)
{
    int code = *state ? setenv("TZ", *state, 1) : unsetenv("TZ");
    free(*state);
    tzset();
    return code;
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_zones),
        cmocka_unit_test(test_no_zones),
    };
    return cmocka_run_group_tests_name("zone against libc", tests, setup, teardown);
}
