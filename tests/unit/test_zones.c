#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <ftw.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/mem.h"
#include "lib/time/zones.h"

/* ---- a folder of zones, made here: a version 2 file of one type and a TZ string ---- */

static char top[] = "/tmp/test_zones.XXXXXX";

static char *below(const char *name)
{
    return mem_format("%s/%s", top, name);
}

static void put(const char *name, const char *tz)
{
    static const char head[44] = "TZif2";
    static const char body[] = "\0\0\0\0\0\0AAA"; /* offset 0, no summer time, name 0 */
    char counts[44], *path = below(name), *fresh = mem_format("%s.new", path);
    memcpy(counts, head, sizeof head);
    counts[39] = 1; /* types */
    counts[43] = 4; /* bytes of names */
    FILE *f = fopen(fresh, "we");
    assert_non_null(f);
    for (int block = 0; block < 2; block++)
        assert_int_equal(fwrite(counts, 1, 44, f) + fwrite(body, 1, sizeof body, f), 44 + sizeof body);
    fprintf(f, "\n%s\n", tz);
    assert_int_equal(fclose(f), 0);
    assert_int_equal(rename(fresh, path), 0);
    free(path);
    free(fresh);
}

static void make_folder(const char *name)
{
    char *path = below(name);
    assert_int_equal(mkdir(path, 0700), 0);
    free(path);
}

/* As `ln -sfT`: the link is another one at once. */
static void link_to(const char *target, const char *name)
{
    char *path = below(name), *fresh = mem_format("%s.new", path);
    assert_int_equal(symlink(target, fresh), 0);
    assert_int_equal(rename(fresh, path), 0);
    free(path);
    free(fresh);
}

static void delete(const char *name)
{
    char *path = below(name);
    assert_int_equal(unlink(path), 0);
    free(path);
}

static int delete_any(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static int setup(void **state)
{
    (void)state;
    strcpy(top + sizeof "/tmp/test_zones." - 1, "XXXXXX");
    assert_non_null(mkdtemp(top));
    make_folder("zoneinfo");
    make_folder("zoneinfo/Europe");
    make_folder("etc");
    put("zoneinfo/Europe/A", "AAA-1");
    put("zoneinfo/Europe/B", "BBB-2");
    put("zoneinfo/C", "CCC-3");
    char *path = below("zoneinfo");
    setenv("TZDIR", path, 1);
    free(path);
    link_to("../zoneinfo/Europe/A", "etc/localtime");
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    return nftw(top, delete_any, 16, FTW_DEPTH | FTW_PHYS);
}

/* ---- helpers ---- */

static void start(struct zones *zones, const char *tz)
{
    char *path = tz ? mem_string(tz) : below("etc/localtime");
    struct error e = {0};
    if (zones_init(zones, path, &e))
        fail_msg("%s", e.text);
    free(path);
}

static const struct zone *get(struct zones *zones, const char *name)
{
    const struct zone *z = NULL;
    struct error e = {0};
    if (zones_get(zones, name, &z, &e))
        fail_msg("%s: %s", name, e.text);
    return z;
}

static bool reload(struct zones *zones)
{
    bool changed;
    zones_reload(zones, &changed);
    return changed;
}

static int hours(const struct zone *z)
{
    return zone_offset_at(z, 0).seconds / 3600;
}

/* `expected`: names below the top folder, sorted, with a blank between. */
static void assert_folders(const struct zones *zones, const char *expected)
{
    struct strvec found = {0};
    struct buf text = {0};
    zones_folders(zones, &found);
    strvec_sort(&found);
    for (size_t i = 0; i < found.count; i++) {
        assert_int_equal(strncmp(found.items[i], top, sizeof top - 1), 0);
        buf_format(&text, "%s%s", i ? " " : "", found.items[i] + sizeof top - 1);
    }
    assert_string_equal(buf_string(&text), expected);
    buf_clear(&text);
    strvec_clear(&found);
}

/* ---- tests ---- */

static void test_shared(void **state)
{
    (void)state;
    struct zones zones;
    start(&zones, NULL);
    const struct zone *a = get(&zones, "Europe/A"), *b = get(&zones, "Europe/B");
    assert_int_equal(hours(a), 1);
    assert_int_equal(hours(b), 2);
    assert_ptr_equal(get(&zones, "Europe/A"), a);
    assert_ptr_equal(get(&zones, "Europe/B"), b);
    assert_ptr_equal(get(&zones, NULL), get(&zones, ""));
    assert_ptr_not_equal(get(&zones, NULL), a); /* it may become another */
    assert_int_equal(hours(get(&zones, NULL)), 1);
    zones_clear(&zones);
    zones_clear(&zones);
}

static void test_refused(void **state)
{
    (void)state;
    static const char *const names[] = {"Europe/Nowhere", "../x", "/etc/localtime", "Europe", "Europe/A/", "AAA-1,2"};
    struct zones zones;
    start(&zones, NULL);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        for (int again = 0; again < 2; again++) {
            const struct zone *z = NULL;
            struct error e = {0};
            if (zones_get(&zones, names[i], &z, &e) != -ERROR_USAGE || z || !e.text[0])
                fail_msg("%s was taken", names[i]);
        }
    zones_clear(&zones);
    struct error e = {0};
    assert_int_equal(zones_init(&zones, "Europe/Nowhere", &e), -ERROR_USAGE);
    assert_null(zones.local);
}

static void test_reload(void **state)
{
    (void)state;
    struct zones zones;
    start(&zones, NULL);
    const struct zone *a = get(&zones, "Europe/A"), *c = get(&zones, "C"), *local = get(&zones, NULL);
    assert_false(reload(&zones));
    put("zoneinfo/C", "CCC-3");
    assert_false(reload(&zones)); /* another file, the same rules */
    put("zoneinfo/C", "CCC-3DDD,M3.5.0,M10.5.0");
    assert_true(reload(&zones));
    assert_false(reload(&zones));
    put("zoneinfo/Europe/A", "AAA-5");
    assert_true(reload(&zones));
    assert_int_equal(hours(a), 5);
    assert_int_equal(hours(local), 5);
    assert_ptr_equal(get(&zones, "C"), c);
    zones_clear(&zones);
}

static void test_lost_files(void **state)
{
    (void)state;
    struct zones zones;
    start(&zones, NULL);
    const struct zone *a = get(&zones, "Europe/A"), *utc = get(&zones, "UTC"), *local = get(&zones, NULL);
    put("zoneinfo/Europe/A", "damaged!");
    assert_false(reload(&zones));
    delete("zoneinfo/Europe/A");
    assert_false(reload(&zones));
    delete("etc/localtime");
    assert_false(reload(&zones));
    assert_int_equal(hours(a), 1);
    assert_int_equal(hours(local), 1);
    put("zoneinfo/Europe/A", "AAA-7");
    put("zoneinfo/UTC", "UTC0");
    reload(&zones);
    assert_int_equal(hours(a), 7);
    assert_int_equal(hours(local), 1);
    assert_int_equal(hours(utc), 0);
    link_to("../zoneinfo/C", "etc/localtime");
    assert_true(reload(&zones));
    assert_int_equal(hours(local), 3);
    zones_clear(&zones);
}

/* The local zone by name, and all zones gone at once: zone_local would take UTC then. */
static void test_lost_folder(void **state)
{
    (void)state;
    struct zones zones;
    start(&zones, "Europe/B");
    const struct zone *local = get(&zones, NULL);
    char *from = below("zoneinfo"), *to = below("away");
    assert_int_equal(rename(from, to), 0);
    assert_false(reload(&zones));
    assert_int_equal(hours(local), 2);
    assert_folders(&zones, "");
    assert_int_equal(rename(to, from), 0);
    put("zoneinfo/Europe/B", "BBB-4");
    assert_true(reload(&zones));
    assert_int_equal(hours(local), 4);
    assert_folders(&zones, "/zoneinfo/Europe");
    free(from);
    free(to);
    zones_clear(&zones);
}

/* What was not there is tried again. */
static void test_arrived(void **state)
{
    (void)state;
    struct zones zones;
    const struct zone *z = NULL;
    start(&zones, ":"); /* UTC */
    assert_int_equal(zones_get(&zones, "Asia/New", &z, NULL), -ERROR_USAGE);
    assert_false(reload(&zones));
    assert_folders(&zones, "/zoneinfo");
    make_folder("zoneinfo/Asia");
    assert_folders(&zones, "/zoneinfo/Asia");
    put("zoneinfo/Asia/New", "NEW-8");
    assert_true(reload(&zones));
    assert_int_equal(hours(get(&zones, "Asia/New")), 8);
    zones_clear(&zones);
}

/* Where links lie and where they lead, over several steps; a link among the folders of the path; a ring. */
static void test_folders(void **state)
{
    (void)state;
    struct zones zones;
    start(&zones, NULL);
    assert_folders(&zones, "/etc /zoneinfo/Europe");
    get(&zones, "C");
    get(&zones, "Europe/B");
    assert_folders(&zones, "/etc /zoneinfo /zoneinfo/Europe");
    make_folder("there");
    char *folder = below("zoneinfo");
    link_to(folder, "there/zones");
    link_to("./..//there/zones/Europe/../C", "etc/localtime");
    assert_folders(&zones, "/etc /there /zoneinfo /zoneinfo/Europe");
    assert_true(reload(&zones));
    assert_int_equal(hours(get(&zones, NULL)), 3);
    link_to("localtime", "etc/localtime");
    assert_folders(&zones, "/etc /zoneinfo /zoneinfo/Europe");
    assert_false(reload(&zones));
    free(folder);
    zones_clear(&zones);

    start(&zones, "AAA0BBB,M3.5.0,M10.5.0"); /* no file at all */
    assert_folders(&zones, "");
    zones_clear(&zones);
}

/* Each of these has other rules than all above it; the name does not matter. */
static void test_stamps(void **state)
{
    (void)state;
    static const char *const rules[] = {"AAA0", "AAB0", "AAA1", "AAA0BBB,M3.5.0,M10.5.0", "AAA0BBC,M3.5.0,M10.5.0",
        "AAA0BBB,M3.5.0,M10.5.0/3", "AAA0BBB,M3.5.0,M10.4.0", "AAA0BBB,M3.5.0,M9.5.0", "AAA0BBB,M3.5.1,M10.5.0",
        "AAA0BBB-2,M3.5.0,M10.5.0", "AAA0BBB,J3,J10", "AAA0BBB,3,10"};
    enum { COUNT = sizeof rules / sizeof rules[0] };
    uint64_t stamps[COUNT];
    for (int i = 0; i < COUNT; i++) {
        struct zone *z = NULL, *twin = NULL;
        assert_int_equal(zone_local(rules[i], &z, NULL), 0);
        stamps[i] = zone_stamp(z);
        for (int k = 0; k < i; k++)
            if (stamps[k] == stamps[i])
                fail_msg("%s has the stamp of %s", rules[i], rules[k]);
        put("zoneinfo/One", rules[i]);
        put("zoneinfo/Two", rules[i]);
        zone_free(z);
        assert_int_equal(zone_load("One", &z, NULL) | zone_load("Two", &twin, NULL), 0);
        assert_true(zone_stamp(z) == zone_stamp(twin));
        zone_free(z);
        zone_free(twin);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_shared, setup, teardown),
        cmocka_unit_test_setup_teardown(test_refused, setup, teardown),
        cmocka_unit_test_setup_teardown(test_reload, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lost_files, setup, teardown),
        cmocka_unit_test_setup_teardown(test_lost_folder, setup, teardown),
        cmocka_unit_test_setup_teardown(test_arrived, setup, teardown),
        cmocka_unit_test_setup_teardown(test_folders, setup, teardown),
        cmocka_unit_test_setup_teardown(test_stamps, setup, teardown),
    };
    return cmocka_run_group_tests_name("zones", tests, NULL, NULL);
}
