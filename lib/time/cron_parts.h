/* What the files cron*.c share, and nobody else. Local time is counted in seconds as if it were UTC (civil_seconds). */
#ifndef AX_CRON_PARTS_H
#define AX_CRON_PARTS_H

#include "lib/time/cron.h"

enum cron_field { CRON_SECOND, CRON_MINUTE, CRON_HOUR, CRON_DAY, CRON_MONTH, CRON_WEEKDAY };
enum { CRON_FIELDS = CRON_WEEKDAY + 1 };

/* A field as it stands in the text of the expression. */
struct cron_text {
    const char *whole, *at;
    int length;
};

/* What there is beside the text: where to choose from, and where to complain. */
struct cron_reader {
    uint64_t seed;
    struct strvec *warnings; /* may be NULL */
    struct error *e;
};

/* Reads one field into the sets of c. */
int cron_field_parse(const struct cron_reader *r, enum cron_field which, const struct cron_text *field, struct cron *c);

const char *cron_field_name(enum cron_field which);

/* How much of a text can stand in a message: 40 bytes at most, up to a control character, no character halved. */
int cron_shown(const char *text, int64_t length);

/* The days of a month on which c falls: bit 1 is the 1st. */
uint32_t cron_days(const struct cron *c, int year, int month);

#define CRON_NEVER INT64_MAX

/* The first local time at or after `local` that c names, clock changes left aside; CRON_NEVER if none comes. */
int64_t cron_match(const struct cron *c, int64_t local);

/* Evenly spaced values; count is 0 where they are not. A single value has the step 0. */
struct cron_row {
    int first, last, step, count;
};
struct cron_row cron_row_of(uint64_t set);

/* For explaining: the values of a set as parts of a sentence, `5` and `10 to 12`. */
void cron_explain_values(struct strvec *parts, uint64_t set);
void cron_explain_join(struct buf *b, const struct strvec *parts, const char *word); /* `a, b and c` */
void cron_explain_days(const struct cron *c, bool all_day, struct buf *b); /* all_day: `every day` need not be said */
const char *cron_ordinal(int n);                                           /* the letters behind it: st nd rd th */

/* The lowest bit of the set at or above n, or -1. */
static inline int cron_bit_from(uint64_t set, int n)
{
    return n < 64 && set >> n ? n + __builtin_ctzll(set >> n) : -1;
}

#endif
