/* What the files of `ax next` share: next.c reads what is asked for, next_times.c walks through its times, next_print.c
 * has the lines, next_explain.c the words, next_agenda.c the times of all jobs. */
#ifndef AX_NEXT_H
#define AX_NEXT_H

#include "cmd/command.h"
#include "lib/text/value.h"
#include "lib/time/occurrence.h"
#include "lib/time/zones.h"
#include "spool/job.h"

enum { NEXT_LINES = 10, NEXT_LINES_MAX = 1000000 };

struct next {
    struct common common;
    const char *from_text, *until_text;
    int lines; /* -n; 0: not said */
    bool json, explain;
    struct strvec names, texts; /* the options that are fields, in their order */

    instant now;
    instant from, until; /* INSTANT_NEVER: without end */
    int64_t far; /* seconds since 1970: --from lies behind all instants; 0: it does not */
    struct zones zones;
    const struct zone *zone; /* what local times are read and shown in */
    bool skipped;            /* the clock skips the local time that was asked for */
    struct job job;          /* the subject: one of the spool, or one that is made of the options */
    struct job_state state;  /* if it is one of the spool: its number is not 0 */
};

/* How many lines there are to be at most. */
int next_lines(const struct next *n);

/* ---- lines ---- */

instant next_second(instant t); /* people are shown whole seconds */

struct next_line {
    instant at;
    enum occurrence_note note;
    const struct job *job; /* NULL: it is named in no line */
};
void next_print(struct buf *b, const struct next *n, const struct next_line *l);

/* A line of the agenda: `start` is when it is to be started, which `jitter` and retries move behind the due time. */
struct next_start {
    instant start, due;
    enum occurrence_note note;
    bool retry;
};
void next_print_start(struct buf *b, const struct next *n, const struct next_start *s, const struct job *j);

void next_put_job(struct value *m, const struct job *j);

/* ---- behind the year 2261 ---- */

/* An ISO time with an offset in such a year. */
bool next_far_from(const char *text, int64_t *seconds);

/* True if the schedule is known there: cron expressions and nothing else. */
bool next_far_possible(const struct next *n, const struct schedule *s);

/* Of a --from that lies there: what is wrong with its year. */
int next_far_refuse(const struct next *n, struct error *e);

/* Prints at most so many of the times later than `after`, and returns how many. */
int next_far(struct buf *b, const struct next *n, const struct schedule *s, int64_t after, int most);

/* ---- words ---- */

/* The schedule in plain English, and its traps. */
void next_explain(struct buf *b, struct strvec *traps, const struct next *n, const struct schedule *s);

/* Only the traps that lie in the expressions themselves. */
void next_warnings(struct strvec *traps, const struct next *n);

/* ---- the times ---- */

/* Prints those of n->job. ERROR_FAILED if there are none. */
int next_times(const struct command *self, struct next *n, struct error *e);

int next_agenda(const struct command *self, struct next *n, struct error *e);

#endif
