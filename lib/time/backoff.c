#include "lib/time/backoff.h"

static duration multiply(duration base, int64_t factor)
{
    duration product;
    return __builtin_mul_overflow(base, factor, &product) ? INT64_MAX : product;
}

static duration wait_of(const struct backoff *b, int attempt)
{
    if (b->count < 1)
        return 0;
    if (b->count > 1)
        return b->delays[attempt < b->count ? attempt - 1 : b->count - 1];
    switch (b->kind) {
    case BACKOFF_EXPONENTIAL:
        return multiply(b->delays[0], attempt > 62 ? INT64_MAX : INT64_C(1) << (attempt - 1));
    case BACKOFF_LINEAR:
        return multiply(b->delays[0], attempt);
    case BACKOFF_FIXED:
        break;
    }
    return b->delays[0];
}

/* Evenly spread over wait - span ... wait + span. The product of two 64-bit numbers, cut to its upper half, is even
 * where a remainder would not be. */
static duration shake(duration wait, int percent, uint64_t random)
{
    uint64_t span = (uint64_t)((__int128)wait * percent / 100);
    uint64_t place = (uint64_t)(((unsigned __int128)random * (2 * span + 1)) >> 64);
    __int128 shaken = (__int128)wait - span + place;
    return shaken > INT64_MAX ? INT64_MAX : (duration)shaken;
}

/* The cap is for what grows: a delay that was said, alone or in a list, is what it is. */
static duration cut(const struct backoff *b, duration wait)
{
    if (b->max == DURATION_NONE || b->count != 1 || wait <= b->max)
        return wait;
    return b->delays[0] > b->max ? b->delays[0] : b->max;
}

duration backoff_delay(const struct backoff *b, int attempt, uint64_t random)
{
    duration wait = cut(b, wait_of(b, attempt < 1 ? 1 : attempt));
    if (wait < 0)
        return 0;
    int percent = b->jitter < 0 ? 0 : b->jitter > 100 ? 100 : b->jitter;
    return shake(wait, percent, random);
}
