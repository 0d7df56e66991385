#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/time/duration.h"

#define MS INT64_C(1000000)
#define S (1000 * MS)
#define M (60 * S)
#define H (60 * M)
#define D (24 * H)
#define W (7 * D)

static const struct {
    const char *text;
    duration value;
} read_table[] = {
    {"0s", 0},
    {"0ms", 0},
    {"250ms", 250 * MS},
    {"90s", 90 * S},
    {"15m", 15 * M},
    {"1h30m", H + 30 * M},
    {"2d", 2 * D},
    {"1w", W},
    {"1w2d3h4m5s6ms", W + 2 * D + 3 * H + 4 * M + 5 * S + 6 * MS},
    {"36h", 36 * H},
    {"007m", 7 * M},
    {"15250w", 15250 * W},
    {"9223372036854ms", INT64_C(9223372036854) * MS},
    {"PT15M", 15 * M},
    {"P1DT2H", D + 2 * H},
    {"P2W", 2 * W},
    {"P1W2DT3H4M5S", W + 2 * D + 3 * H + 4 * M + 5 * S},
    {"PT0S", 0},
    {"PT36H", 36 * H},
    {"P106751D", 106751 * D},
};

static void test_read(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof read_table / sizeof read_table[0]; i++) {
        struct error e = {0};
        duration d = -7;
        if (duration_parse(read_table[i].text, &d, &e))
            fail_msg("%s: %s", read_table[i].text, e.text);
        if (d != read_table[i].value)
            fail_msg("%s: %lld", read_table[i].text, (long long)d);
    }
}

static const struct {
    const char *text;
    int column, width;
    const char *says;
} refused[] = {
    {"", 1, 1, "empty"},
    {"90", 1, 2, "90 has no unit"},
    {"5 minutes", 1, 1, "no unit"},
    {"1h30", 3, 2, "30 has no unit"},
    {"1.5h", 1, 1, "no fraction"},
    {"1,5h", 1, 1, "no fraction"},
    {"15M", 3, 1, "write 'm' for minutes"},
    {"15H", 3, 1, "write 'h'"},
    {"15MS", 3, 2, "write 'm'"},
    {"-5m", 1, 1, "no sign"},
    {"+5m", 1, 1, "no sign"},
    {"1h-10m", 3, 1, "no sign"},
    {"99999999999999h", 1, 15, "too long"},
    {"99999999999999999999999s", 1, 24, "too long"},
    {"15250w2d", 7, 2, "too long"},
    {"9223372036855ms", 1, 15, "too long"},
    {"5min", 2, 3, "write 'm'"},
    {"3months", 2, 6, "take ms, s, m, h, d or w"},
    {"1y", 2, 1, "take ms"},
    {"m", 1, 1, "a number and a unit"},
    {" 5m", 1, 1, "a number and a unit"},
    {"5m ", 3, 1, "a number and a unit"},
    {"30m1h", 4, 2, "largest unit comes first"},
    {"1h1h", 3, 2, "twice"},
    {"5\xce\xbcs", 1, 1, "no unit"},
    {"5m\n", 3, 1, "a number"},
    {"0x5m", 2, 1, "not a unit"},
    {"P1Y", 2, 2, "no fixed length"},
    {"P1M", 2, 2, "no fixed length"},
    {"P1Y2M3D", 2, 2, "no fixed length"},
    {"P15S", 4, 1, "behind a T"},
    {"P1D15", 6, 1, "W, D or a T"},
    {"PT", 3, 1, "a number is expected"},
    {"P1DT", 5, 1, "a number is expected"},
    {"PT1H30", 7, 1, "H, M or S"},
    {"PT1.5H", 4, 1, "no fraction"},
    {"PT30M1H", 6, 2, "largest part comes first"},
    {"PT1H1H", 5, 2, "largest part comes first"},
    {"P1DT1HT1M", 7, 1, "a number is expected"},
    {"PT-5M", 3, 1, "a number is expected"},
    {"PT15M ", 6, 1, "a number is expected"},
    {"P106752D", 2, 6, "too long"},
    {"P99999999999999999999999W", 2, 23, "too long"},
    {"P", 1, 1, "a number and a unit"},
    {"pt15m", 1, 1, "a number and a unit"},
};

static void test_refused(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof refused / sizeof refused[0]; i++) {
        struct error e = {0};
        duration d = -7;
        assert_int_equal(duration_parse(refused[i].text, &d, &e), -ERROR_USAGE);
        assert_int_equal(d, -7);
        if (e.column != refused[i].column || e.width != refused[i].width || !strstr(e.text, refused[i].says))
            fail_msg("'%s': column %d, width %d: %s", refused[i].text, e.column, e.width, e.text);
        assert_string_equal(e.source, refused[i].text);
    }
    assert_int_equal(duration_parse("90", &(duration){0}, NULL), -ERROR_USAGE);
}

static const struct {
    duration value;
    const char *text;
} written[] = {
    {0, "0s"},
    {250 * MS, "250ms"},
    {1, "1ms"},
    {MS + 1, "2ms"},
    {90 * S, "1m30s"},
    {36 * H, "1d12h"},
    {14 * D, "2w"},
    {30 * D, "30d"},
    {8 * D + H, "8d1h"},
    {1500 * MS, "1s500ms"},
    {INT64_MAX, "106751d23h47m16s854ms"},
    {DURATION_NONE, "none"},
};

static void test_written(void **state)
{
    (void)state;
    struct buf b = {0};
    for (size_t i = 0; i < sizeof written / sizeof written[0]; i++) {
        buf_reset(&b);
        duration_format(&b, written[i].value);
        assert_string_equal(buf_string(&b), written[i].text);
    }
    for (size_t i = 0; i < sizeof read_table / sizeof read_table[0]; i++) {
        duration back;
        buf_reset(&b);
        duration_format(&b, read_table[i].value);
        assert_int_equal(duration_parse(buf_string(&b), &back, NULL), 0);
        assert_int_equal(back, read_table[i].value);
    }
    buf_clear(&b);
}

static const struct {
    duration value;
    const char *text;
} distances[] = {
    {0, "now"},
    {MS / 3, "now"},
    {-MS / 3, "now"},
    {250 * MS, "in 250ms"},
    {-20 * MS, "20ms ago"},
    {999 * MS + 600000, "in 1s"},
    {20 * M - 100 * MS, "in 20m"},
    {3 * M + 20 * S, "in 3m 20s"},
    {-(2 * H + 5 * M + 3 * S), "2h 5m ago"},
    {H - 1, "in 1h"},
    {2 * D + 40 * M, "in 2d 1h"},
    {-400 * D, "400d ago"},
    {29 * D + 5 * H, "in 29d 5h"},
    {30 * D + 5 * H, "in 30d"},
    {-(99 * D + 13 * H), "100d ago"},
    {D - 1, "in 1d"},
    {INT64_MAX, "in 106752d"},
    {INT64_MIN, "106752d ago"},
};

static void test_distance(void **state)
{
    (void)state;
    struct buf b = {0};
    for (size_t i = 0; i < sizeof distances / sizeof distances[0]; i++) {
        buf_reset(&b);
        duration_distance(&b, distances[i].value);
        assert_string_equal(buf_string(&b), distances[i].text);
    }
    buf_clear(&b);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_read),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_written),
        cmocka_unit_test(test_distance),
    };
    return cmocka_run_group_tests_name("duration", tests, NULL, NULL);
}
