/* Cron expressions, with the meaning of Debian's cron (crontab(5) of cron 3.0pl1) and the extensions below. Pure.
 *
 * Five fields: minute hour day-of-month month day-of-week; or a nickname (@daily ...). A job is due when minute, hour
 * and month match and the day does: if day-of-month or day-of-week begins with `*` both must match, else either is
 * enough.
 *
 * Clock changes: an expression whose minute or hour begins with `*` follows the local clock: nothing in a skipped hour,
 * again in a repeated one. Any other has fixed times: what a jump of up to three hours skips comes once, right after
 * the jump; what happens twice counts the first time only.
 *
 * What is not Debian's, and what it means here:
 *
 *   six fields             seconds in front; follows the local clock in any case
 *   22-6 fri-mon nov-feb   goes on after the highest value; days of the month are counted as if all months had 31
 *   ?                      in a day field, alone: the same as *
 *   L LW                   day-of-month: the last day, the last Monday to Friday of the month
 *   15W                    day-of-month: the Monday to Friday nearest to the 15th, in the same month
 *   5L friL                day-of-week: the last Friday of the month
 *   5#2 fri#2              day-of-week: the second Friday of the month
 *   a~b ~ a~ ~b            one value of the range, chosen by a seed; with a step (~/15) that is where it begins */
#ifndef AX_CRON_H
#define AX_CRON_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/strvec.h"
#include "lib/time/occurrence.h"
#include "lib/time/zone.h"

struct cron {
    uint64_t seconds, minutes; /* bit n: the value n; seconds is 1 (only :00) with five fields */
    uint32_t hours, days, months;
    uint8_t weekdays; /* bit 0 is Sunday */

    bool both;        /* the day must match day-of-month and day-of-week; else either is enough */
    bool local;       /* follows the local clock */
    bool has_seconds; /* six fields */
    bool reboot;      /* @reboot: has no times */

    /* Extensions of the day fields, beside the bits above. */
    bool last_day;          /* L: the last day of the month */
    bool last_workday;      /* LW: the last Monday to Friday of the month */
    uint32_t near_workday;  /* 15W: bit 15: the Monday to Friday nearest to the 15th, in the same month */
    uint8_t last_weekday;   /* 5L: bit 5: the last Friday of the month */
    uint8_t nth_weekday[6]; /* 5#2: bit 5 of [2]: the second Friday of the month */
};

/* `seed` chooses the values of `a~b`: the same seed, the same choice, apart for each field. `warnings` (may be NULL)
 * takes what is legal but likely a slip: a step that does not divide, one above the range, both day fields set. Errors:
 * ERROR_USAGE with the column, and the field named in the text. */
int cron_parse(const char *text, uint64_t seed, struct cron *out, struct strvec *warnings, struct error *e);

/* The first time strictly later than `after`. An expression of impossible dates, and @reboot, gives INSTANT_NEVER.
 * Allocates nothing. */
struct occurrence cron_next(const struct cron *c, const struct zone *z, instant after);

/* The same in whole seconds since 1970, up to the year 9999, without the note: INT64_MAX is never. */
int64_t cron_next_seconds(const struct cron *c, const struct zone *z, int64_t after);

/* In plain English: `at 02:00 on the 1st, and on every Monday: either day is enough`. */
void cron_explain(const struct cron *c, struct buf *b);

/* Warns of times that the clock of the zone skips within five years after `from`: adds the first such gap to b and
 * returns true. Not of what comes in every hour by the local clock. */
bool cron_gap_warning(const struct cron *c, const struct zone *z, instant from, struct buf *b);

#endif
