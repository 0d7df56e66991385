/* How jobs, runs and times are shown, to people and to machines. Pure but for view_init. */
#ifndef AX_VIEW_H
#define AX_VIEW_H

#include <stdbool.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/text/table.h"
#include "lib/text/value.h"
#include "lib/time/instant.h"
#include "lib/time/zone.h"
#include "spool/job.h"
#include "spool/run.h"

struct view {
    const struct zone *zone; /* of times on screens: the local one, or that of the one job that is shown */
    struct zone *local;
    instant now;
    bool terminal;     /* standard output is one */
    bool colour;
    bool utf8;         /* the locale says that it is taken */
    int width;         /* of the terminal; 0: as wide as it gets */
};

int view_init(struct view *v, struct error *e); /* looks at TZ, NO_COLOR, the terminal and the clock */
void view_clear(struct view *v);
bool view_colours(int fd); /* a terminal, and nobody wants it plain */
bool view_brief(const struct view *v); /* too narrow for times with their offsets */

/* ---- for people ---- */

void view_time(struct buf *b, const struct view *v, instant t);     /* `2026-03-01 13:00:00 +01:00`: whole seconds */
void view_distance(struct buf *b, const struct view *v, instant t); /* `in 3m 20s`, `2h 5m ago` */
void view_clock(struct buf *b, const struct view *v, instant t);    /* as short as it can be told apart: `13:00:00` today, `Thu 13:00` within six days, `Dec 24 13:00`, `2027-12-24` */
void view_length(struct buf *b, int64_t ns);                        /* how long it took, three digits or so: `0.002s`, `1.23s`, `45.6s`, `1m30s` */
void view_moment(struct buf *b, const struct view *v, instant t);   /* both: `2026-03-01 13:00:00 +01:00 (tomorrow, in 21h 3m)` */
void view_kind(struct buf *b, const struct job *j, bool never);     /* what stands behind the due time: `once`, `then every 10m`, `then by cron 0 2 * * *`; never: without `then` */
void view_schedule(struct buf *b, const struct job *j, bool all);   /* in its own notation: `every 10m`, `0 2 * * *`, of several one `+1`, or all; `-`: does not repeat */
const char *view_without_due(const struct job *j);                  /* what stands for the due time of a job that is due by no time: `at boot`; NULL */
const char *view_note(enum occurrence_note note);                   /* what a clock change has done to the time; NULL: nothing */
void view_words(struct buf *b, const struct job *j);                /* the command: its shell line, or its words quoted for a shell */
void view_result(struct buf *b, const struct run *r);               /* `ok`, `failed, exit 3`, `killed, SIGKILL` */
void view_bytes(struct buf *b, int64_t bytes);                      /* `1.2 MiB` */
enum table_colour view_outcome_colour(enum outcome o);

extern const char *const view_states[]; /* the words of phase_name, in the order in which people want to see them; ended by NULL */
int view_state(const char *phase);      /* its place in view_states */

instant view_next(const struct job_state *s);       /* what is to come: of a job that waits for its retry that, else its due time */
instant view_after(const struct job_state *s);      /* the due time behind the occurrence at hand; INSTANT_NEVER: none */
uint32_t view_attempts(const struct job_state *s);  /* of this occurrence, the one that runs included */

struct table *view_jobs_new(void);
void view_jobs_add(struct table *t, const struct view *v, const struct job *j, const struct job_state *s);
struct table *view_runs_new(void);
void view_runs_add(struct table *t, const struct view *v, const struct run *r);

/* ---- for machines: names and meanings stay as they are ---- */

const char *view_schedule_kind(const struct job *j); /* once every cron calendar boot none */
struct value view_field(const struct job *j, const char *name); /* null where it is at its default */

/* Puts `key` (RFC 3339, UTC) and `key_ns`; both null where there is no such time. */
void view_put_time(struct value *map, const char *key, instant t);
struct value view_job(const struct job *j, const struct job_state *s, instant now);
struct value view_run(const struct run *r);
/* One value, one line. */
void view_line(struct buf *b, struct value *v); /* clears v */

#endif
