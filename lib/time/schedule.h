/* The due times of a job: one kind of schedule, with what bounds, thins and moves it. Pure: built from texts and zones, then asked with instants. */
#ifndef AX_SCHEDULE_H
#define AX_SCHEDULE_H

#include "lib/base/strvec.h"
#include "lib/time/calendar.h"
#include "lib/time/cron.h"
#include "lib/time/duration.h"
#include "lib/time/occurrence.h"
#include "lib/time/zones.h"

enum schedule_kind { SCHEDULE_NONE, SCHEDULE_AT, SCHEDULE_EVERY, SCHEDULE_CRON, SCHEDULE_CALENDAR, SCHEDULE_BOOT };

enum every_from {
    EVERY_FROM_START, /* whole intervals from `start` */
    EVERY_FROM_END,   /* an interval after the run before has ended: `start` is that moment and one interval */
    EVERY_FROM_CLOCK, /* aligned to local midnight, anew each day; intervals of whole days: to Monday, 5 January 1970 */
};

struct schedule_calendar {
    struct calendar *calendar;
    const struct zone *zone;
};

struct schedule_except { /* days without a due time */
    struct schedule_calendar on; /* the days of a calendar expression, or */
    int64_t first, last;         /* days since 1970-01-01, both included */
};

/* schedule_init, fill in, schedule_add_*, ask, schedule_clear. The zones belong to whoever gave them. */
struct schedule {
    enum schedule_kind kind;
    const struct zone *zone;
    instant at;
    duration every;
    enum every_from every_from;
    instant start; /* of EVERY_FROM_START and _END: the first due time; there is none before it. Of a calendar: any due time it has had, INSTANT_NONE where none is
                      known: then a search that begins in the second pass of a repeated hour finds the times of that, else the hour counts once */
    struct cron *crons;
    size_t cron_count;
    struct schedule_calendar *calendars;
    size_t calendar_count;
    struct schedule_except *excepts;
    size_t except_count;
    instant not_before, not_after; /* INSTANT_NONE: no bound */
    duration offset;               /* every due time comes so much later, but before the one that follows, and not behind not_after */
};

void schedule_init(struct schedule *s, const struct zone *zone);
void schedule_clear(struct schedule *s);

/* Several expressions are one schedule: where they coincide there is one due time. A calendar expression that names no zone is read in s->zone. `warnings`
 * (may be NULL) as cron_parse has it. `except` is a date (2026-12-24), a range of two dates with `..`, or a calendar expression, of which the days count and
 * not the time of day. Errors: ERROR_USAGE with the column. */
int schedule_add_cron(struct schedule *s, const char *text, uint64_t seed, struct strvec *warnings, struct error *e);
int schedule_add_calendar(struct schedule *s, const char *text, struct zones *zones, struct error *e);
int schedule_add_except(struct schedule *s, const char *text, struct zones *zones, struct error *e);

/* `due` is one of its due times: sets `start` so that it goes on from there. */
void schedule_begin(struct schedule *s, instant due);

/* An interval that local midnight can be aligned to: at most a day, or whole days. ERROR_USAGE. */
int schedule_check_every(duration every, enum every_from from, struct error *e);

/* True if there may be more than one due time. */
bool schedule_repeats(const struct schedule *s);

/* True if the due times hang on a zone, so that they are to be reckoned anew when its rules change. */
bool schedule_is_local(const struct schedule *s);

/* True if no due time may be at t, by not_before, not_after or `except`. */
bool schedule_bars(const struct schedule *s, instant t);

/* The first due time strictly later than `after`. */
struct occurrence schedule_next(const struct schedule *s, instant after);

/* The first due time later than `now`, when the clock was set back from `before`: what has fixed times does not have those again that lie between, what follows
 * the local clock (a wildcard in minute or hour, an interval of up to an hour) has. */
struct occurrence schedule_next_again(const struct schedule *s, instant now, instant before);

/* The due times from `due`, which is one itself, to `until`, both included. */
#define SCHEDULE_SPAN_MAX 100000
struct schedule_span {
    uint32_t count; /* at most SCHEDULE_SPAN_MAX: that many or more */
    instant last;   /* the latest of all of them; `due` if there is no other */
};
struct schedule_span schedule_span(const struct schedule *s, instant due, instant until);

/* The first of them that is not earlier than `from`. */
instant schedule_from(const struct schedule *s, instant due, instant from);

/* The earliest of the last `n` (1 or more) due times from `due`, which is one itself, to `until`. */
instant schedule_last(const struct schedule *s, instant due, instant until, uint32_t n);

/* A number that is the same for the same texts, and spread evenly: what `a~b` and `spread` are chosen by. */
uint64_t schedule_seed(const char *host, const char *key);

#endif
