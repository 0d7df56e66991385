/* WHEN: which notation is it, and what does it say. Pure: text, zone and now in, a schedule out. */
#ifndef AX_WHEN_H
#define AX_WHEN_H

#include "lib/time/duration.h"
#include "lib/time/instant.h"
#include "lib/time/zone.h"

enum when_kind {
    WHEN_AT,    /* one instant, given as a time */
    WHEN_IN,    /* one instant, given as a delay from now */
    WHEN_EVERY, /* repeats by interval */
    WHEN_CRON,  /* repeats by a cron expression or a nickname */
    WHEN_BOOT,  /* @reboot */
};

struct when {
    enum when_kind kind;
    instant at;       /* WHEN_AT, WHEN_IN: when; WHEN_EVERY: the first time; else INSTANT_NONE */
    duration every;   /* WHEN_EVERY */
    const char *text; /* WHEN_CRON, WHEN_BOOT: the expression, which lies in the text that was parsed and lives as long
                         as that */
    bool now;         /* as soon as there is a slot */
    bool rolled;      /* a time of day alone that had passed today and means tomorrow */
    bool skipped;     /* as in at.h: the clock skips the local time that the words of at mean */
};

/* A bare WHEN: `now`, a duration, a time as when_at takes it, five cron fields or a nickname (WHEN_CRON, checked by
 * cron_parse), or `in D`, `every D`, `at T` in one text. Bare digits, six cron fields and calendar expressions are
 * refused with the flag that says them. `tomorrow at 9am` is `tomorrow 9am`. Errors: ERROR_USAGE with the column and what would be taken. */
int when_parse(const char *text, const struct zone *z, instant now, struct when *out, struct error *e);

/* --in D: a duration; 0s is now. --every D: a duration of at least one second, first time one interval from now.
 * --at T, the first of these that fits:
 *   `now`; RFC 3339 and ISO 8601 (a date alone is the start of its day); `@1735689600`, seconds since 1970;
 *   HH:MM[:SS], today, or tomorrow if that has passed: rolled; `today HH:MM[:SS]`, `tomorrow HH:MM[:SS]`;
 *   the words of at(1), at.h, which know no seconds: of `now + 5 minutes` those of now are cut off.
 * A time in the past is ERROR_USAGE, but for the seconds that at cuts off (`today`); so is a local time that the clock
 * skips, but in at's words. Of one that happens twice it is the first; but a bare HH:MM or `today HH:MM` whose first
 * has passed is the second. */
int when_in(const char *text, instant now, struct when *out, struct error *e);
int when_every(const char *text, instant now, struct when *out, struct error *e);
int when_at(const char *text, const struct zone *z, instant now, struct when *out, struct error *e);

/* `minutes`, `min`, `m`: the letter of the unit, 'm'; 0 if it is none. */
char when_unit(const char *word);

/* True if the word begins a time, so that a command beginning with it is likely a slip: `+`, digits with a unit, HH:MM,
 * a date of digits, today, tomorrow, noon, midnight, teatime, next, weekdays, month names, what stands behind a number
 * (am, months), `*`. */
bool when_looks_like_time(const char *word);

#endif
