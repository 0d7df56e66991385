#include "lib/time/duration.h"
#include "tests/fuzz/fuzz.h"

static duration parse_again(const struct buf *b, const char *text)
{
    duration d;
    if (duration_parse(buf_string(b), &d, NULL) < 0)
        fuzz_fail("'%s' was written as '%s', which is not read", text, buf_string(b));
    return d;
}

/* Any length is written so that it is read back, at most the rest of a millisecond longer. */
static void check_written(uint64_t hash)
{
    struct buf b = {0};
    duration d = (duration)(hash >> (1 + hash % 63)), most = INT64_MAX / 1000000 * 1000000;
    duration_format(&b, d);
    duration again = parse_again(&b, "a number");
    FUZZ_CHECK(again <= most && (again >= d || d > most) && again - d < 1000000, "%lld is written as %s", (long long)d,
        buf_string(&b));
    buf_reset(&b);
    duration_distance(&b, (duration)hash);
    FUZZ_CHECK(b.length > 0 && b.length < 40, "the distance is '%s'", buf_string(&b));
    buf_clear(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct error e = {0};
    duration d = -77;
    int code = duration_parse(text, &d, &e);
    if (code) {
        fuzz_error(&e, code, text);
        FUZZ_CHECK(d == -77, "'%s' failed and gave %lld", text, (long long)d);
    } else {
        struct buf b = {0};
        duration_format(&b, d);
        FUZZ_CHECK(d >= 0 && parse_again(&b, text) == d, "'%s' became '%s'", text, buf_string(&b));
        buf_clear(&b);
    }
    check_written(fuzz_hash(data, size));
    free(text);
    return 0;
}
