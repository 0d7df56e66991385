/* Moments that listings are bounded by: --since, --until, --due-before. Pure. */
#ifndef AX_MOMENT_H
#define AX_MOMENT_H

#include "lib/base/error.h"
#include "lib/time/instant.h"
#include "lib/time/zone.h"

enum moment_kind {
    MOMENT_SINCE, /* durations are ago; a day is its start */
    MOMENT_UNTIL, /* durations are ago; a day is wholly taken in */
    MOMENT_AHEAD, /* durations are to come; a day is its start */
};

/* A duration, `now`, `17:30` (of --since and --until the last one), `yesterday`, `today` and `tomorrow` with or without a time of day, RFC 3339 and ISO 8601, `@1735689600`; ahead also the words that
 * when_at takes. ERROR_USAGE. */
int moment_parse(const char *text, enum moment_kind kind, const struct zone *z, instant now, instant *out, struct error *e);

#endif
