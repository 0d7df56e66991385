/* Calendar expressions as systemd.time(7) has them under CALENDAR EVENTS: `Mon..Fri *-*-* 09:00`, `*-*~01`,
 * `2026-*-01/2 06:00:00 Europe/Berlin`, `weekly`, `@1735689600`.
 *
 * Pure: a zone at the end is named here and loaded by the caller. Local times that are skipped are left out; of a
 * repeated hour the first pass is taken, unless the start lies in the second.
 *
 * Taken and refused is what systemd 252 takes and refuses, with these exceptions: lists of days from the end of the
 * month may hold any of 1 to 28 (systemd lowers the limit by three with each element: a fault); zones have their IANA
 * names only, not the abbreviations of the local zone (`CEST`); and years that are not written go on behind 2199. */
#ifndef AX_CALENDAR_H
#define AX_CALENDAR_H

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/time/occurrence.h"
#include "lib/time/zone.h"

struct calendar;

/* Errors: ERROR_USAGE with the column and the part named in the text. */
int calendar_parse(const char *text, struct calendar **out, struct error *e);
void calendar_free(struct calendar *c); /* NULL allowed */

/* The name of the zone that stands in the expression (`UTC` too), or NULL. Of @seconds it is UTC, unless there is
 * another, which then is to be loaded, since it must be one, but has no effect. */
const char *calendar_zone(const struct calendar *c);

/* The normal form, as systemd-analyze calendar prints it. */
void calendar_format(const struct calendar *c, struct buf *b);

/* The first time strictly later than `after`, read in z: INSTANT_NEVER if there is none. Allocates nothing. */
struct occurrence calendar_next(const struct calendar *c, const struct zone *z, instant after);

/* True if the local date of `t` in z is one on which the expression falls: its time of day is not looked at. */
bool calendar_on_date(const struct calendar *c, const struct zone *z, instant t);

void calendar_explain(const struct calendar *c, struct buf *b); /* in plain English */

#endif
