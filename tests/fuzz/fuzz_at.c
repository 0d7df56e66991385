#include "lib/time/at.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    uint64_t hash = fuzz_hash(data, size);
    const struct zone *z = fuzz_zone(hash);
    instant now = fuzz_now(z, hash);
    struct error e = {0};
    struct at a = {.at = -77}, again;
    int code = at_parse(text, z, now, &a, &e);
    if (code) {
        fuzz_error(&e, code, text);
        FUZZ_CHECK(a.at == -77, "'%s' failed and gave %lld", text, (long long)a.at);
    } else {
        FUZZ_CHECK(a.at >= (a.cut ? now - 60 * SECOND : now), "'%s' at %lld is past: %lld", text, (long long)now,
            (long long)a.at);
        FUZZ_CHECK(a.at != INSTANT_NEVER, "'%s' is never", text);
        FUZZ_CHECK(at_parse(text, z, now, &again, NULL) == 0 && again.at == a.at, "'%s' is read in two ways", text);
    }
    free(text);
    return 0;
}
