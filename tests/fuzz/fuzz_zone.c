/* Bytes that begin with TZif are a file, all others a POSIX string. */
#include "lib/time/zone_data.h"
#include "tests/fuzz/fuzz.h"

static int read_zone(const uint8_t *data, size_t size, const char *text, struct zone **out, struct error *e)
{
    return size >= 4 && !memcmp(data, "TZif", 4) ? zone_read("fuzz", data, size, out, e) : zone_from_rule(text, out, e);
}

static bool same_civil(const struct civil *a, const struct civil *b)
{
    return civil_seconds(a) == civil_seconds(b) && a->nano == b->nano;
}

/* The local time of an instant leads back to it, unless it is there more than twice. */
static void check_back(const struct zone *z, instant t)
{
    struct civil c = zone_civil(z, t);
    struct zone_local_time l = zone_resolve(z, &c);
    bool later = l.fit == ZONE_FOLD && l.second < t;
    FUZZ_CHECK(l.fit != ZONE_GAP, "%lld has a local time that is skipped", (long long)t);
    FUZZ_CHECK(l.first == t || l.second == t || later, "%lld leads back to %lld and %lld", (long long)t,
        (long long)l.first, (long long)l.second);
    FUZZ_CHECK(l.first <= l.second && (l.fit == ZONE_FOLD) == (l.first < l.second), "the fit of %lld", (long long)t);
    struct civil first = zone_civil(z, l.first), second = zone_civil(z, l.second);
    FUZZ_CHECK(same_civil(&first, &c) && same_civil(&second, &c), "%lld: another local time", (long long)t);
}

static void check_gap(const struct zone *z, instant change)
{
    int32_t before = zone_offset_at(z, change - 1).seconds, after = zone_offset_at(z, change).seconds;
    FUZZ_CHECK(before != after, "nothing changes at %lld", (long long)change);
    if (after < before)
        return;
    struct civil skipped = civil_from_seconds(change / SECOND + before);
    struct zone_local_time l = zone_resolve(z, &skipped);
    if (l.fit != ZONE_GAP) /* a change close by may show it all the same */
        return;
    FUZZ_CHECK(l.second < l.first && l.second <= l.jump && l.jump <= l.first, "the gap at %lld", (long long)change);
}

static void check_zone(const struct zone *z, uint64_t hash)
{
    const instant starts[] = {INT64_MIN / 2, 0, (instant)hash / 4, fuzz_now(z, hash), 2000000000 * SECOND};
    for (size_t i = 0; i < sizeof starts / sizeof starts[0]; i++) {
        instant t = starts[i];
        check_back(z, t);
        for (int k = 0; k < 6; k++) {
            instant next = zone_next_change(z, t);
            FUZZ_CHECK(next > t, "the change after %lld is %lld", (long long)t, (long long)next);
            if (next > INT64_MAX / 4 * 3)
                break;
            check_gap(z, next);
            check_back(z, next);
            check_back(z, next - 1);
            FUZZ_CHECK(zone_next_change(z, next - 1) == next, "the change at %lld is not seen", (long long)next);
            t = next;
        }
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct zone *z = NULL, *twin = NULL;
    struct error e = {0};
    int code = read_zone(data, size, text, &z, &e);
    if (code) {
        FUZZ_CHECK(code == -ERROR_USAGE && !z && e.text[0] && !strchr(e.text, '\n'), "refused badly: '%s'", e.text);
    } else {
        check_zone(z, fuzz_hash(data, size));
        FUZZ_CHECK(read_zone(data, size, text, &twin, NULL) == 0 && zone_stamp(z) == zone_stamp(twin), "another stamp");
    }
    zone_free(z);
    zone_free(twin);
    free(text);
    return 0;
}
