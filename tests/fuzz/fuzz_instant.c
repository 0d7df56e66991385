#include "tests/fuzz/fuzz.h"

static void check_same(const struct buf *b, const struct zone *z, instant t)
{
    instant again = 0;
    struct error e = {0};
    FUZZ_CHECK(instant_parse_iso(buf_string(b), z, &again, &e) == 0, "'%s' is not read: %s", buf_string(b), e.text);
    FUZZ_CHECK(again == t, "'%s' is read as %lld, not %lld", buf_string(b), (long long)again, (long long)t);
}

/* The years that are read are those of the text, not of UTC: at the ends something may be printed that is not read. */
static bool in_range(struct civil c)
{
    return c.year >= 1678 && c.year <= 2261;
}

static void check_written(const struct zone *z, instant t)
{
    struct buf b = {0};
    if (!in_range(zone_civil(NULL, t)) || !in_range(zone_civil(z, t)))
        return;
    instant_format_utc(&b, t);
    check_same(&b, z, t);
    for (int iso = 0; iso < 2; iso++) {
        buf_reset(&b);
        instant_format_local(&b, t, z, iso);
        check_same(&b, z, t);
    }
    buf_clear(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    uint64_t hash = fuzz_hash(data, size);
    const struct zone *z = fuzz_zone(hash);
    struct error e = {0};
    instant t = -77;
    int code = instant_parse_iso(text, z, &t, &e);
    if (code) {
        fuzz_error(&e, code, text);
        FUZZ_CHECK(t == -77, "'%s' failed and gave %lld", text, (long long)t);
    } else {
        check_written(z, t);
    }
    check_written(z, fuzz_now(z, hash));
    free(text);
    return 0;
}
