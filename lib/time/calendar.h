/* Calendar expressions as systemd.time(7) has them under CALENDAR EVENTS: `Mon..Fri *-*-* 09:00`, `*-*~01`, `2026-*-01/2 06:00:00 Europe/Berlin`, `weekly`.
 * Pure: a zone at the end is named here and loaded by the caller. Local times that are skipped are left out; of a repeated hour the first pass is taken, unless
 * the start lies in the second. */
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

/* The name of the zone that stands in the expression (`UTC` too), or NULL. */
const char *calendar_zone(const struct calendar *c);

void calendar_format(const struct calendar *c, struct buf *b); /* the normal form, as systemd-analyze calendar prints it */

/* The first time strictly later than `after`, read in z: INSTANT_NEVER if there is none. Allocates nothing. */
struct occurrence calendar_next(const struct calendar *c, const struct zone *z, instant after);

/* True if the local date of `t` in z is one on which the expression falls: its time of day is not looked at. */
bool calendar_on_date(const struct calendar *c, const struct zone *z, instant t);

void calendar_explain(const struct calendar *c, struct buf *b); /* in plain English */

#endif
