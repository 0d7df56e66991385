#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "lib/base/buf.h"
#include "lib/time/zone.h"

/* ---- a TZif file built by hand ---- */

struct tzif {
    int64_t times[4];
    unsigned char kinds[4];
    int count;
    struct {
        int32_t seconds;
        unsigned char dst, name;
    } types[3];
    int type_count;
    const char *names; /* with its NULs */
    int name_bytes;
    const char *footer;
    int leaps;
};

static void put(struct buf *b, uint64_t value, int size)
{
    for (int i = size - 1; i >= 0; i--)
        buf_char(b, (char)(value >> (8 * i)));
}

static void put_block(struct buf *b, const struct tzif *f, char version, int size)
{
    buf_add(b, "TZif", 4);
    buf_char(b, version);
    buf_add(b, (char[15]){0}, 15);
    int counts[] = {0, 0, f->leaps, f->count, f->type_count, f->name_bytes};
    for (int i = 0; i < 6; i++)
        put(b, (uint64_t)counts[i], 4);
    for (int i = 0; i < f->count; i++)
        put(b, (uint64_t)f->times[i], size);
    buf_add(b, f->kinds, (size_t)f->count);
    for (int i = 0; i < f->type_count; i++) {
        put(b, (uint32_t)f->types[i].seconds, 4);
        buf_char(b, (char)f->types[i].dst);
        buf_char(b, (char)f->types[i].name);
    }
    buf_add(b, f->names, (size_t)f->name_bytes);
    for (int i = 0; i < f->leaps; i++) {
        put(b, 1, size);
        put(b, 1, 4);
    }
}

static void put_tzif(struct buf *b, const struct tzif *f)
{
    buf_reset(b);
    put_block(b, f, '2', 4);
    put_block(b, f, '2', 8);
    buf_format(b, "\n%s\n", f->footer);
}

static const struct tzif sample = {
    .times = {1000, 2000, 3000},
    .kinds = {1, 0, 1},
    .count = 3,
    .types = {{3600, 0, 0}, {7200, 1, 4}},
    .type_count = 2,
    .names = "AAA\0BBB",
    .name_bytes = 8,
    .footer = "",
};

static struct zone *must_read(const struct buf *b)
{
    struct zone *z = NULL;
    struct error e = {0};
    if (zone_read("test", b->data, b->length, &z, &e))
        fail_msg("%s", e.text);
    return z;
}

static struct zone *must_local(const char *tz)
{
    struct zone *z = NULL;
    struct error e = {0};
    if (zone_local(tz, &z, &e))
        fail_msg("%s: %s", tz, e.text);
    return z;
}

/* ---- reading ---- */

static void test_sample(void **state)
{
    (void)state;
    struct buf b = {0};
    put_tzif(&b, &sample);
    struct zone *z = must_read(&b);
    assert_int_equal(zone_offset_at(z, 1000 * SECOND - 1).seconds, 3600);
    assert_int_equal(zone_offset_at(z, 1000 * SECOND).seconds, 7200);
    assert_true(zone_offset_at(z, 1000 * SECOND).dst);
    assert_string_equal(zone_offset_at(z, 1000 * SECOND).abbreviation, "BBB");
    assert_int_equal(zone_offset_at(z, 2000 * SECOND).seconds, 3600);
    assert_int_equal(zone_offset_at(z, INT64_MAX).seconds, 7200);
    assert_int_equal(zone_offset_at(z, INT64_MIN).seconds, 3600);
    assert_int_equal(zone_next_change(z, INT64_MIN), 1000 * SECOND);
    assert_int_equal(zone_next_change(z, 1000 * SECOND - 1), 1000 * SECOND);
    assert_int_equal(zone_next_change(z, 1000 * SECOND), 2000 * SECOND);
    assert_int_equal(zone_next_change(z, 3000 * SECOND), INSTANT_NEVER);
    assert_string_equal(zone_name(z), "test");
    zone_free(z);
    buf_clear(&b);
}

static void test_version_1(void **state)
{
    (void)state;
    struct buf b = {0};
    struct tzif f = sample;
    f.times[0] = -1000;
    put_block(&b, &f, 0, 4);
    struct zone *z = must_read(&b);
    assert_int_equal(zone_offset_at(z, -1000 * SECOND).seconds, 7200);
    assert_int_equal(zone_offset_at(z, -1001 * SECOND).seconds, 3600);
    zone_free(z);
    buf_clear(&b);
}

static void test_footer_only(void **state)
{
    (void)state;
    struct buf b = {0};
    struct tzif f = sample;
    f.count = 0;
    f.footer = "<-03>3<-02>,M3.5.0/-2,M10.5.0/-1"; /* America/Nuuk */
    put_tzif(&b, &f);
    struct zone *z = must_read(&b);
    assert_int_equal(zone_offset_at(z, INT64_C(1774746000) * SECOND - 1).seconds, -10800); /* 2026-03-29T01:00Z */
    assert_int_equal(zone_offset_at(z, INT64_C(1774746000) * SECOND).seconds, -7200);
    assert_string_equal(zone_offset_at(z, INT64_C(1774746000) * SECOND).abbreviation, "-02");
    assert_int_equal(zone_next_change(z, INT64_C(1774746000) * SECOND), INT64_C(1792890000) * SECOND);
    zone_free(z);
    buf_clear(&b);
}

static void refuse(const struct buf *b, size_t size, const char *what)
{
    struct zone *z = NULL;
    struct error e = {0};
    void *exact = malloc(size ? size : 1); /* so that a sanitizer sees a read past the end */
    memcpy(exact, b->data, size);
    if (zone_read("test", exact, size, &z, &e) != -ERROR_USAGE || z || !strstr(e.text, "damaged"))
        fail_msg("%s was taken", what);
    free(exact);
}

static void test_cut_files(void **state)
{
    (void)state;
    struct buf b = {0};
    struct tzif f = sample;
    f.footer = "CET-1CEST,M3.5.0,M10.5.0/3";
    put_tzif(&b, &f);
    for (size_t size = 0; size < b.length; size++)
        refuse(&b, size, "a cut file");
    zone_free(must_read(&b));
    buf_clear(&b);
}

static void test_hostile_files(void **state)
{
    (void)state;
    struct tzif f[16];
    const char *what[16];
    int n = 0;
#define BAD(text, change) (f[n] = sample, f[n].change, what[n++] = text)
    BAD("times not in order", times[1] = 1000);
    BAD("times that fall", times[2] = -5);
    BAD("a type that is not there", kinds[2] = 2);
    BAD("no types", type_count = 0);
    BAD("no names", name_bytes = 0);
    BAD("a name past the end", types[1].name = 8);
    BAD("a name far past the end", types[1].name = 200);
    BAD("a name without its NUL", name_bytes = 7);
    BAD("a flag of 2", types[0].dst = 2);
    BAD("an offset of a month", types[0].seconds = 30 * 86400);
    BAD("the least offset", types[0].seconds = INT32_MIN);
    BAD("a name with an escape", names = "A\033A\0BBB");
    BAD("leap seconds", leaps = 2);
    BAD("a wrong footer", footer = "CET-1CEST,M3.5.0,M10.6.0");
    BAD("half a footer", footer = "CET-1CEST,");
    struct buf b = {0};
    for (int i = 0; i < n; i++) {
        put_tzif(&b, &f[i]);
        refuse(&b, b.length, what[i]);
    }
    static const int fields[] = {20, 24, 28, 32, 36, 40};
    for (size_t i = 0; i < sizeof fields / sizeof fields[0]; i++) {
        put_tzif(&b, &sample);
        memset(b.data + fields[i], 0xff, 4);
        refuse(&b, b.length, "a count of 4 billion");
        put_tzif(&b, &sample);
        b.data[fields[i] + 1] = 0x7f;
        refuse(&b, b.length, "a count of 8 million");
    }
    buf_clear(&b);
}

/* Whatever single byte is wrong, and many at once: no crash, and what is taken answers all questions. */
static void test_mutated_files(void **state)
{
    (void)state;
    struct buf b = {0}, changed = {0};
    struct tzif f = sample;
    f.footer = "CET-1CEST,M3.5.0,M10.5.0/3";
    put_tzif(&b, &f);
    uint64_t random = 42;
    for (int round = 0; round < 20000; round++) {
        buf_reset(&changed);
        buf_add(&changed, b.data, b.length);
        for (int i = 0; i <= round % 3; i++) {
            random = random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
            changed.data[(random >> 33) % changed.length] = (char)(random >> 20);
        }
        struct zone *z = NULL;
        if (zone_read("test", changed.data, changed.length, &z, NULL))
            continue;
        for (instant t = INT64_MIN + 1; t < INT64_MAX / 4 * 3; t += INT64_MAX / 4) {
            zone_offset_at(z, t);
            assert_true(zone_next_change(z, t) > t);
            struct civil c = zone_civil(z, t);
            zone_resolve(z, &c);
        }
        zone_free(z);
    }
    buf_clear(&b);
    buf_clear(&changed);
}

/* ---- POSIX strings ---- */

static const struct {
    const char *tz;
    const char *utc; /* a date in UTC */
    int32_t seconds;
    bool dst;
    const char *abbreviation;
} strings[] = {
    {"UTC0", "2026-07-01", 0, false, "UTC"},
    {"XYZ-5:30", "2026-07-01", 19800, false, "XYZ"},
    {"<+0330>-3:30", "2026-07-01", 12600, false, "+0330"},
    {"ABC+1:02:03", "2026-07-01", -3723, false, "ABC"},
    {"CET-1CEST,M3.5.0,M10.5.0/3", "2026-07-01", 7200, true, "CEST"},
    {"CET-1CEST,M3.5.0,M10.5.0/3", "2026-12-01", 3600, false, "CET"},
    {"EST5EDT", "2026-03-09", -14400, true, "EDT"},
    {"EST5EDT", "2026-03-07", -18000, false, "EST"},
    {"IST-1GMT0,M10.5.0,M3.5.0/1", "2026-12-01", 0, true, "GMT"},
    {"IST-1GMT0,M10.5.0,M3.5.0/1", "2026-07-01", 3600, false, "IST"},
    {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-01-01", 39600, true, "AEDT"},
    {"AEST-10AEDT,M10.1.0,M4.1.0/3", "2026-07-01", 36000, false, "AEST"},
    {"XXX3EDT4,0/0,J365/23", "2026-01-01", -14400, true, "EDT"}, /* summer time all year, RFC 9636 */
    {"XXX3EDT4,0/0,J365/23", "2026-12-31", -14400, true, "EDT"},
    {"XXX3EDT4,0/0,J365/23", "2028-12-31", -14400, true, "EDT"},
    {"AAA0BBB,J59/0,J60/0", "2028-02-28", 3600, true, "BBB"},
    {"AAA0BBB,J59/0,J60/0", "2028-02-29", 3600, true, "BBB"}, /* Jn does not count it */
    {"AAA0BBB,J59/0,J60/0", "2028-03-01", 0, false, "AAA"},
    {"AAA0BBB,59/0,60/1", "2028-02-29", 3600, true, "BBB"}, /* n does */
    {"AAA0BBB,59/0,60/1", "2026-02-28", 0, false, "AAA"},
    {"AAA0BBB,59/0,60/1", "2026-03-01", 3600, true, "BBB"},
    {"AAA0BBB,M12.5.0/167,M6.1.0", "2026-01-03", 0, false, "AAA"}, /* starts a week into the next year */
    {"AAA0BBB,M12.5.0/167,M6.1.0", "2026-01-05", 3600, true, "BBB"},
    {"AAA0BBB,M1.1.0/-167,M6.1.0", "2026-12-29", 3600, true, "BBB"}, /* or before its own */
    {"AAA0BBB,M1.1.0/-167,M6.1.0", "2026-12-26", 0, false, "AAA"},
};

static instant midnight(const char *date)
{
    struct civil c = {0};
    assert_int_equal(sscanf(date, "%d-%d-%d", &c.year, &c.month, &c.day), 3);
    return civil_seconds(&c) * SECOND;
}

static void test_strings(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof strings / sizeof strings[0]; i++) {
        struct zone *z = must_local(strings[i].tz);
        struct zone_offset o = zone_offset_at(z, midnight(strings[i].utc));
        if (o.seconds != strings[i].seconds || o.dst != strings[i].dst ||
            strcmp(o.abbreviation, strings[i].abbreviation))
            fail_msg("%s at %s: %d %d %s", strings[i].tz, strings[i].utc, o.seconds, o.dst, o.abbreviation);
        assert_string_equal(zone_name(z), strings[i].tz);
        zone_free(z);
    }
    struct zone *z = must_local("XXX3EDT4,0/0,J365/23");
    assert_int_equal(zone_next_change(z, 0), INSTANT_NEVER);
    zone_free(z);
}

static const char *const refused[] = {
    "A1",
    "AB1",
    "ABC",
    "ABCDEFGHIJKLMNOP1",
    "<AB>1",
    "<ABC1",
    "<A_C>1",
    "ABC25",
    "ABC1:60",
    "ABC1:2:99",
    "ABC1DEF,",
    "ABC1DEF,M3.5.0",
    "ABC1DEF,M3.5.0,",
    "ABC1DEF,M13.1.0,M10.5.0",
    "ABC1DEF,M0.1.0,M10.5.0",
    "ABC1DEF,M3.0.0,M10.5.0",
    "ABC1DEF,M3.5.7,M10.5.0",
    "ABC1DEF,M3.5,M10.5.0",
    "ABC1DEF,J0,J1",
    "ABC1DEF,J366,J1",
    "ABC1DEF,366,1",
    "ABC1DEF,M3.5.0/168,M10.5.0",
    "ABC1DEF,M3.5.0/-168,M10.5.0",
    "ABC1DEF,M3.5.0,M10.5.0 ",
    "ABC1DEF,M3.5.0,M10.5.0,M1.1.1",
    "ABC1DEF2DEF",
    "Europe/Nowhere",
    "../../etc/passwd",
    "/etc/passwd",
    "/no/such/file",
    "data",
    "/usr",
    "data/iso-times.tsv",
    "data//iso-times.tsv/..",
    "\033[2J",
};

/* A folder of zones that is there on every machine, and has none. */
static void use_folder(const char *path)
{
    setenv("TZDIR", path, 1);
}

static void test_refused(void **state)
{
    (void)state;
    use_folder("tests");
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct zone *z = NULL;
        struct error e = {0};
        if (zone_local(refused[i], &z, &e) != -ERROR_USAGE || z || !e.text[0])
            fail_msg("%s was taken", refused[i]);
    }
}

static void test_names(void **state)
{
    (void)state;
    static const char *const unsafe[] = {"", "/etc/localtime", "../x", "a/../b", "a/..", ".", "..", ".hidden",
        "a//../b", "a b", "Europe/Nowhere", "CET-1CEST,M3.5.0,M10.5.0/3", "data", "data/iso-times.tsv"};
    use_folder("tests");
    struct zone *z = NULL;
    for (size_t i = 0; i < sizeof unsafe / sizeof unsafe[0]; i++) {
        struct error e = {0};
        assert_int_equal(zone_load(unsafe[i], &z, &e), -ERROR_USAGE);
        assert_null(z);
        assert_null(strchr(e.text, '\n'));
    }
    use_folder("/no/such/folder");
    assert_int_equal(zone_load("UTC", &z, NULL), 0);
    assert_int_equal(zone_offset_at(z, 0).seconds, 0);
    assert_string_equal(zone_name(z), "UTC");
    zone_free(z);
    z = NULL;
    struct error e = {0};
    assert_int_equal(zone_load("Europe/Berlin", &z, &e), -ERROR_USAGE);
    assert_non_null(strstr(e.text, "tzdata"));
    assert_int_equal(zone_local("Europe/Berlin", &z, &e), 0); /* a machine without tzdata: UTC */
    assert_string_equal(zone_name(z), "UTC");
    zone_free(z);
    z = must_local("");
    assert_string_equal(zone_name(z), "UTC");
    zone_free(z);
    z = must_local(NULL);
    zone_free(z);
}

static void write_file(const char *path, const struct buf *b)
{
    FILE *f = fopen(path, "we");
    assert_non_null(f);
    assert_int_equal(fwrite(b->data, 1, b->length, f), b->length);
    assert_int_equal(fclose(f), 0);
}

/* A name leads to a file below the folder, and to nothing else that is there. */
static void test_folder(void **state)
{
    (void)state;
    char top[] = "/tmp/test_zone.XXXXXX", path[64];
    struct buf b = {0};
    struct zone *z = NULL;
    struct error e = {0};
    put_tzif(&b, &sample);
    assert_non_null(mkdtemp(top));
    static const char *const files[] = {"outside", "zones/.hidden", "zones/Good"};
    snprintf(path, sizeof path, "%s/zones", top);
    assert_int_equal(mkdir(path, 0700), 0);
    use_folder(path);
    snprintf(path, sizeof path, "%s/zones/Pipe", top);
    assert_int_equal(mkfifo(path, 0600), 0);
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", top, files[i]);
        write_file(path, &b);
    }
    assert_int_equal(zone_load("Good", &z, &e), 0);
    assert_string_equal(zone_name(z), "Good");
    zone_free(z);
    z = must_local(":Good");
    zone_free(z);
    z = must_local(path);
    assert_int_equal(zone_offset_at(z, 1000 * SECOND).seconds, 7200);
    zone_free(z);
    z = NULL;
    static const char *const refused_here[] = {
        "../outside", "../zones/Good", "./Good", ".hidden", "Good/", "Pipe", "zones"};
    for (size_t i = 0; i < sizeof refused_here / sizeof refused_here[0]; i++)
        if (zone_load(refused_here[i], &z, &e) != -ERROR_USAGE || z)
            fail_msg("%s was taken", refused_here[i]);
    assert_null(strstr(e.text, "tzdata"));
    for (int i = 0; i < 3; i++) {
        snprintf(path, sizeof path, "%s/%s", top, files[i]);
        unlink(path);
    }
    snprintf(path, sizeof path, "%s/zones/Pipe", top);
    unlink(path);
    snprintf(path, sizeof path, "%s/zones", top);
    rmdir(path);
    rmdir(top);
    buf_clear(&b);
}

/* ---- local times ---- */

static const char berlin[] = "CET-1CEST,M3.5.0,M10.5.0/3";
static const char lord_howe[] = "<+1030>-10:30<+11>-11,M10.1.0,M4.1.0";

static const struct {
    const char *tz;
    struct civil local;
    enum zone_fit fit;
    int64_t first, second, jump;
} locals[] = {
    {berlin, {2026, 3, 29, 1, 59, 59, 0}, ZONE_ONCE, 1774745999, 1774745999, 0},
    {berlin, {2026, 3, 29, 2, 0, 0, 0}, ZONE_GAP, 1774746000, 1774742400, 1774746000},
    {berlin, {2026, 3, 29, 2, 30, 0, 0}, ZONE_GAP, 1774747800, 1774744200, 1774746000},
    {berlin, {2026, 3, 29, 3, 0, 0, 0}, ZONE_ONCE, 1774746000, 1774746000, 0},
    {berlin, {2026, 10, 25, 1, 59, 59, 0}, ZONE_ONCE, 1792886399, 1792886399, 0},
    {berlin, {2026, 10, 25, 2, 0, 0, 0}, ZONE_FOLD, 1792886400, 1792890000, 1792890000},
    {berlin, {2026, 10, 25, 2, 59, 59, 0}, ZONE_FOLD, 1792889999, 1792893599, 1792890000},
    {berlin, {2026, 10, 25, 3, 0, 0, 0}, ZONE_ONCE, 1792893600, 1792893600, 0},
    {lord_howe, {2026, 10, 4, 2, 15, 0, 0}, ZONE_GAP, 1791042300, 1791040500, 1791041400},
    {lord_howe, {2026, 4, 5, 1, 45, 0, 0}, ZONE_FOLD, 1775313900, 1775315700, 1775314800},
};

static void test_locals(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof locals / sizeof locals[0]; i++) {
        struct zone *z = must_local(locals[i].tz);
        struct civil c = locals[i].local;
        c.nano = 7;
        struct zone_local_time t = zone_resolve(z, &c);
        if (t.fit != locals[i].fit || t.first != locals[i].first * SECOND + 7 ||
            t.second != locals[i].second * SECOND + 7 || t.jump != locals[i].jump * SECOND)
            fail_msg("row %zu: %d %lld %lld %lld", i, t.fit, (long long)(t.first / SECOND),
                (long long)(t.second / SECOND), (long long)(t.jump / SECOND));
        zone_free(z);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sample),
        cmocka_unit_test(test_version_1),
        cmocka_unit_test(test_footer_only),
        cmocka_unit_test(test_cut_files),
        cmocka_unit_test(test_hostile_files),
        cmocka_unit_test(test_mutated_files),
        cmocka_unit_test(test_strings),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_names),
        cmocka_unit_test(test_folder),
        cmocka_unit_test(test_locals),
    };
    return cmocka_run_group_tests_name("zone", tests, NULL, NULL);
}
