/* Time zones from the system's TZif files (RFC 9636): version 2+ 64-bit data and the POSIX TZ string at the end.
 * Only zone_load and zone_local read files; everything else is pure and never touches TZ or the process zone. */
#ifndef AX_ZONE_H
#define AX_ZONE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/time/instant.h"

struct zone;

/* By IANA name, from $TZDIR or /usr/share/zoneinfo; "UTC" always works. Unknown or unsafe names (empty, absolute, `..`)
 * are ERROR_USAGE. The caller owns the zone. */
int zone_load(const char *name, struct zone **out, struct error *e);

/* The local zone: `tz` is the value of the TZ variable as POSIX and glibc read it (NULL: not set, then /etc/localtime,
 * UTC if there is none; "" is UTC; `:name` or `name`, an absolute path, or a POSIX string such as
 * CET-1CEST,M3.5.0,M10.5.0/3). A name that nobody knows is ERROR_USAGE, where glibc takes UTC in silence; only a
 * machine on which no zones are installed gets UTC. */
int zone_local(const char *tz, struct zone **out, struct error *e);

/* From TZif bytes, for tests and fuzzing. Files that count leap seconds (right/...) are refused: an instant has none.
 */
int zone_read(const char *name, const void *data, size_t size, struct zone **out, struct error *e);

void zone_free(struct zone *z);
const char *zone_name(const struct zone *z); /* IANA name, or what it was loaded from */

/* A fingerprint of the rules, whatever the name: transitions, offsets, abbreviations and the rule after them. */
uint64_t zone_stamp(const struct zone *z);

struct zone_offset {
    int32_t seconds; /* east of UTC */
    bool dst;
    char abbreviation[16];
};
struct zone_offset zone_offset_at(const struct zone *z, instant t);

/* A local time is once, not at all (a gap), or twice (a fold). */
enum zone_fit { ZONE_ONCE, ZONE_GAP, ZONE_FOLD };
struct zone_local_time {
    enum zone_fit fit;
    instant first;  /* the instant; of a fold the first; of a gap: as if the offset before the jump still held */
    instant second; /* of a fold the second; of a gap: as if the offset after the jump held already; else as first */
    instant jump;   /* of a gap or fold: the moment of the jump */
};
struct zone_local_time zone_resolve(const struct zone *z, const struct civil *local);
struct civil zone_civil(const struct zone *z, instant t);

/* The first change of offset strictly later than t, or INSTANT_NEVER. */
instant zone_next_change(const struct zone *z, instant t);

/* Offset and next change in whole seconds since 1970, from 1678 to the year 9999; INT64_MAX if there is no change. For
 * searches, which ask often. */
int32_t zone_seconds_offset(const struct zone *z, int64_t t);
int64_t zone_seconds_change(const struct zone *z, int64_t t);

#endif
