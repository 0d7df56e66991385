/* The words of at(1): `now + 3 days`, `4pm + 2 days`, `teatime tomorrow`, `noon fri`, `10am Jul 31`, `17:30 12/24/27`,
 * `next week`; and the weekday forms people type, `fri 9am`, `tomorrow 17:30`, `next monday 08:00`; and the stamps of
 * at -t, `[[CC]YY]MMDDhhmm[.ss]`. Pure.
 *
 * The grammar is that of timespec in at 3.2.5, and seconds of now are cut off as at does. Where at's own answer is one
 * that a user would call wrong, the sensible one is given; at.c says which these are. */
#ifndef AX_AT_H
#define AX_AT_H

#include "lib/base/error.h"
#include "lib/time/instant.h"
#include "lib/time/zone.h"

struct at {
    instant at;
    bool cut; /* lies in this very minute, whose seconds are cut off, and so up to a minute back (`now`, `today`); all
                 else that is past is refused */
    bool rolled; /* a time of day alone that had passed today and means tomorrow */
    bool skipped; /* the clock skips the local time that is meant: this is another one, before the jump */
};

/* Errors: ERROR_USAGE with the column: no such words, no such date, a time that is past. Of a local time that is there
 * twice the first is meant that is not past; one that the clock skips is read as if the clock had been put forward
 * already. */
int at_parse(const char *text, const struct zone *z, instant now, struct at *out, struct error *e);

#endif
