#include "lib/time/cron.h"
#include "tests/fuzz/fuzz.h"

/* A time that was not moved is one that the fields allow. */
static void check_fields(const struct cron *c, const struct zone *z, struct occurrence o)
{
    struct civil at = zone_civil(z, o.at);
    if (o.note == OCCURRENCE_MOVED || o.note == OCCURRENCE_MERGED)
        return;
    FUZZ_CHECK(c->seconds >> at.second & 1 && c->minutes >> at.minute & 1 && c->hours >> at.hour & 1 &&
                   c->months >> at.month & 1 && !at.nano,
        "%04d-%02d-%02d %02d:%02d:%02d is due", at.year, at.month, at.day, at.hour, at.minute, at.second);
}

static void check_next(const struct cron *c, const struct zone *z, instant now, const char *text)
{
    instant t = now;
    for (int i = 0; i < 4; i++) {
        struct occurrence o = cron_next(c, z, t);
        FUZZ_CHECK(o.at > t, "%s: after %lld comes %lld", text, (long long)t, (long long)o.at);
        FUZZ_CHECK(!c->reboot || o.at == INSTANT_NEVER, "%s has a time", text);
        if (o.at == INSTANT_NEVER)
            return;
        check_fields(c, z, o);
        instant between[] = {o.at - 1, t + (o.at - t) / 2};
        for (int k = 0; k < 2; k++) {
            instant again = cron_next(c, z, between[k]).at;
            FUZZ_CHECK(again == o.at, "%s: after %lld comes %lld, after %lld %lld", text, (long long)t, (long long)o.at,
                (long long)between[k], (long long)again);
        }
        t = o.at;
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    uint64_t hash = fuzz_hash(data, size);
    const struct zone *z = fuzz_zone(hash);
    struct error e = {0};
    struct strvec warnings = {0};
    struct cron c, twin;
    int code = cron_parse(text, hash, &c, &warnings, &e);
    if (code) {
        fuzz_error(&e, code, text);
    } else {
        struct buf b = {0};
        cron_explain(&c, &b);
        FUZZ_CHECK(b.length && !strchr(b.data, '\n'), "%s is explained by '%s'", text, buf_string(&b));
        buf_clear(&b);
        FUZZ_CHECK(cron_parse(text, hash, &twin, NULL, NULL) == 0, "%s is read once only", text);
        check_next(&c, z, fuzz_now(z, hash), text);
    }
    strvec_clear(&warnings);
    free(text);
    return 0;
}
