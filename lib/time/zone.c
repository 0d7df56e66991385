#include "lib/time/zone.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/time/zone_data.h"

static const struct zone_offset utc = {.abbreviation = "UTC"};

/* Whole seconds of the first and last instant. */
#define EARLIEST (INT64_MIN / SECOND)
#define LATEST (INT64_MAX / SECOND)

/* The end of the year 9999: changes beyond it are none. Sums of seconds cannot overflow before. */
#define FARTHEST INT64_C(253402300799)

void zone_free(struct zone *z)
{
    if (!z)
        return;
    free(z->name);
    free(z->times);
    free(z->kinds);
    free(z->types);
    free(z);
}

int zone_utc(struct zone **out)
{
    struct zone *z = mem_zero(1, sizeof *z);
    z->name = mem_string("UTC");
    z->types = mem_copy(&utc, sizeof utc);
    *out = z;
    return 0;
}

const char *zone_name(const struct zone *z)
{
    return z ? z->name : "UTC";
}

static int64_t seconds_of(instant t)
{
    return t / SECOND - (t % SECOND < 0);
}

static instant instant_of(int64_t seconds, int nano)
{
    __int128 t = (__int128)seconds * SECOND + nano;
    if (t <= INT64_MIN)
        return INT64_MIN + 1;
    return t >= INT64_MAX ? INT64_MAX - 1 : (instant)t;
}

/* The number of transitions at or before t. */
static size_t passed(const struct zone *z, int64_t t)
{
    size_t low = 0, high = z->count;
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        if (z->times[middle] <= t)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

static const struct zone_offset *offset_at(const struct zone *z, int64_t t)
{
    if (!z)
        return &utc;
    size_t n = passed(z, t);
    if (n == z->count && z->has_rule)
        return zone_rule_at(&z->rule, t);
    return n ? &z->types[z->kinds[n - 1]] : &z->types[0];
}

struct zone_offset zone_offset_at(const struct zone *z, instant t)
{
    return *offset_at(z, seconds_of(t));
}

struct civil zone_civil(const struct zone *z, instant t)
{
    int64_t seconds = seconds_of(t);
    struct civil c = civil_from_seconds(seconds + offset_at(z, seconds)->seconds);
    int rest = (int)(t % SECOND);
    c.nano = rest < 0 ? rest + (int)SECOND : rest;
    return c;
}

int32_t zone_seconds_offset(const struct zone *z, int64_t t)
{
    return offset_at(z, t)->seconds;
}

int64_t zone_seconds_change(const struct zone *z, int64_t t)
{
    if (!z)
        return INT64_MAX;
    for (size_t i = passed(z, t); i < z->count && z->times[i] <= FARTHEST; i++)
        if (z->times[i] >= EARLIEST && offset_at(z, z->times[i])->seconds != offset_at(z, z->times[i] - 1)->seconds)
            return z->times[i];
    if (!z->has_rule || (z->count && z->times[z->count - 1] > FARTHEST) || t > FARTHEST)
        return INT64_MAX;
    int64_t from = z->count && z->times[z->count - 1] > t ? z->times[z->count - 1] : t;
    int64_t next = zone_rule_next(&z->rule, from);
    return next <= FARTHEST ? next : INT64_MAX;
}

instant zone_next_change(const struct zone *z, instant t)
{
    int64_t next = zone_seconds_change(z, seconds_of(t));
    return next > LATEST ? INSTANT_NEVER : instant_of(next, 0);
}

/* A stretch of time with one offset. */
struct stretch {
    int64_t from, to; /* to is the change that ends it */
    int32_t offset;
};

static struct stretch stretch_from(const struct zone *z, int64_t t)
{
    return (struct stretch){.from = t, .to = zone_seconds_change(z, t), .offset = offset_at(z, t)->seconds};
}

/* Walks the stretches that can hold the local time, and looks where it lies in each. Where it lies in none, one of the
 * changes between them has jumped over it. */
struct zone_local_time zone_resolve(const struct zone *z, const struct civil *local)
{
    int64_t seconds = civil_seconds(local);
    if (seconds < EARLIEST || seconds > LATEST)
        seconds = seconds < EARLIEST ? EARLIEST : LATEST;
    struct zone_local_time found = {.fit = ZONE_GAP};
    int hits = 0;
    struct stretch s = stretch_from(z, seconds - ZONE_OFFSET_MAX);
    for (;;) {
        int64_t t = seconds - s.offset;
        if (t >= s.from && t < s.to) {
            hits++;
            *(hits == 1 ? &found.first : &found.second) = instant_of(t, local->nano);
            found.jump = hits == 1 ? 0 : instant_of(s.from, 0);
        }
        if (hits == 2 || s.to == INT64_MAX || s.to > seconds + ZONE_OFFSET_MAX)
            break;
        struct stretch after = stretch_from(z, s.to);
        if (!hits && s.to + s.offset <= seconds && seconds < s.to + after.offset) {
            found.first = instant_of(t, local->nano);
            found.second = instant_of(seconds - after.offset, local->nano);
            found.jump = instant_of(s.to, 0);
        }
        s = after;
    }
    found.fit = hits == 0 ? ZONE_GAP : hits == 1 ? ZONE_ONCE : ZONE_FOLD;
    if (hits == 1)
        found.second = found.first;
    return found;
}
