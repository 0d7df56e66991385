#include "lib/time/when.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    uint64_t hash = fuzz_hash(data, size);
    const struct zone *z = fuzz_zone(hash);
    instant now = fuzz_now(z, hash);
    struct error e = {0};
    struct when w = {0}, again = {0};
    int code = when_parse(text, z, now, &w, &e);
    when_looks_like_time(text);
    if (code) {
        fuzz_error(&e, code, text);
    } else {
        bool timed = w.kind != WHEN_CRON && w.kind != WHEN_BOOT;
        FUZZ_CHECK(timed ? w.at > now - 60 * SECOND && w.at != INSTANT_NEVER : w.at == INSTANT_NONE && w.text,
            "'%s' at %lld is %lld", text, (long long)now, (long long)w.at);
        FUZZ_CHECK(w.kind != WHEN_EVERY || w.every >= SECOND, "'%s' is every %lld ns", text, (long long)w.every);
        FUZZ_CHECK(when_parse(text, z, now, &again, NULL) == 0 && w.at == again.at, "'%s' is read in two ways", text);
    }
    free(text);
    return 0;
}
