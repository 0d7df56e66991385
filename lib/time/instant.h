/* Points in time and civil dates. Pure: no clock, no TZ, no I/O.
 *
 * An instant is a count of nanoseconds since 1970-01-01T00:00:00Z, without leap seconds (POSIX.1 "seconds since the
 * Epoch", finer); it reaches from 1677 to 2262. The calendar is the proleptic Gregorian one. */
#ifndef AX_INSTANT_H
#define AX_INSTANT_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"

typedef int64_t instant;

#define INSTANT_NONE INT64_MIN  /* no time given */
#define INSTANT_NEVER INT64_MAX /* later than everything */
#define SECOND INT64_C(1000000000)

struct civil {
    int year, month, day;     /* month 1-12, day 1-31 */
    int hour, minute, second; /* second 0-59 */
    int nano;
};

int64_t civil_days(int year, int month, int day); /* days since 1970-01-01 */
int64_t civil_seconds(const struct civil *c);     /* as if c were UTC */
struct civil civil_from_seconds(int64_t seconds); /* as UTC; any int64 within years +-290 million */
int civil_weekday(int64_t days);                  /* 0 is Sunday */
int civil_month_days(int year, int month);

/* a + b that stops at the ends of the range instead of wrapping; NONE and NEVER stay what they are. */
instant instant_add(instant a, int64_t nanoseconds);

/* RFC 3339 in UTC, `2026-03-01T12:00:00Z`; a fraction only where it is not zero, without trailing zeros. INSTANT_NONE
 * is `none`, INSTANT_NEVER `never`. */
void instant_format_utc(struct buf *b, instant t);

struct zone;

/* RFC 3339 in the zone, `2026-03-01 13:00:00 +01:00` (blank between; `T` and no blanks when iso). */
void instant_format_local(struct buf *b, instant t, const struct zone *z, bool iso);

/* RFC 3339 and ISO 8601 date-times as in tests/data/iso-times.tsv: extended and basic form, date only (start of the
 * day in the zone), no seconds, fraction with point or comma, offset or zone, years 1678 to 2261. What ax prints is
 * read back. A local time that the clock skips is an error that names the gap; one that happens twice is the first of
 * the two. Errors: ERROR_USAGE with the column. */
int instant_parse_iso(const char *text, const struct zone *z, instant *out, struct error *e);

/* Seconds since 1970 UTC, `@1735689600` or `@1735689600.5`, up to the year 2261. Errors: ERROR_USAGE with the column. */
int instant_parse_epoch(const char *text, instant *out, struct error *e);

#endif
