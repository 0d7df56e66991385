#include "lib/time/calendar.h"
#include "tests/fuzz/fuzz.h"

static void check_next(const struct calendar *c, const struct calendar *twin, const struct zone *z, instant now)
{
    instant t = now;
    for (int i = 0; i < 4; i++) {
        instant next = calendar_next(c, z, t).at;
        FUZZ_CHECK(next > t, "after %lld comes %lld", (long long)t, (long long)next);
        FUZZ_CHECK(calendar_next(twin, z, t).at == next, "the normal form has another time after %lld", (long long)t);
        if (next == INSTANT_NEVER)
            return;
        FUZZ_CHECK(calendar_on_date(c, z, next), "%lld is not on a date of it", (long long)next);
        FUZZ_CHECK(calendar_next(c, z, next - 1).at == next, "%lld is left out", (long long)next);
        t = next;
    }
}

static void check_normal(const struct calendar *c, const char *text, uint64_t hash)
{
    struct calendar *twin = NULL;
    struct buf b = {0}, again = {0}, plain = {0};
    struct error e = {0};
    const struct zone *z = fuzz_zone(hash);
    calendar_format(c, &b);
    FUZZ_CHECK(calendar_parse(buf_string(&b), &twin, &e) == 0, "'%s' became '%s': %s", text, buf_string(&b), e.text);
    calendar_format(twin, &again);
    FUZZ_CHECK(!strcmp(buf_string(&b), buf_string(&again)), "'%s' became '%s'", buf_string(&b), buf_string(&again));
    const char *zone = calendar_zone(c), *same = calendar_zone(twin);
    bool utc = same && !strcmp(same, "UTC"); /* so are all @seconds, whatever zone is named with them */
    FUZZ_CHECK(!zone == !same && (!zone || utc || !strcmp(zone, same)), "'%s' is in another zone", buf_string(&b));
    if (utc) /* loading the zone that is named is the caller's */
        z = NULL;
    check_next(c, twin, z, fuzz_now(z, hash));
    calendar_explain(c, &plain);
    FUZZ_CHECK(plain.length && !strchr(plain.data, '\n'), "'%s' is explained by '%s'", text, buf_string(&plain));
    calendar_free(twin);
    buf_clear(&b);
    buf_clear(&again);
    buf_clear(&plain);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct calendar *c = NULL;
    struct error e = {0};
    int code = calendar_parse(text, &c, &e);
    if (code) {
        fuzz_error(&e, code, text);
        FUZZ_CHECK(!c, "'%s' failed and gave something", text);
    } else {
        check_normal(c, text, fuzz_hash(data, size));
    }
    calendar_free(c);
    free(text);
    return 0;
}
