/* What a phrase of at(1) says, word by word, before it is reckoned from now: shared by the files at*.c and nobody else.
 */
#ifndef AX_AT_PHRASE_H
#define AX_AT_PHRASE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"

enum at_unit { AT_MINUTE, AT_HOUR, AT_DAY, AT_WEEK, AT_MONTH, AT_YEAR };

enum at_date {
    AT_NO_DATE,
    AT_DAYS,      /* today, tomorrow: so many days from today */
    AT_WEEKDAY,   /* the first such day after today */
    AT_NEXT,      /* one unit from now */
    AT_MONTH_DAY, /* the year is not said */
    AT_YEAR_MONTH_DAY,
};

struct at_span { /* a part of the text */
    const char *at;
    int width;
};

struct at_phrase {
    bool timed;               /* a time of day is named: hour and minute; else that of now is meant */
    int hour, minute, second; /* hour 24 is allowed; second only in a stamp */
    bool utc;                 /* the time of day is one of UTC */
    bool stamp;               /* [[CC]YY]MMDDhhmm[.ss] */
    enum at_date date;
    int days, weekday; /* AT_DAYS; AT_WEEKDAY, 0 is Sunday */
    enum at_unit next; /* AT_NEXT */
    int year, month, day;
    int64_t count; /* `+ 3 days`; of `- 3 days` it is -3 */
    enum at_unit unit;
    struct at_span date_span, count_span; /* where they stand, for errors */
};

enum { AT_TEXT_MAX = 200 }; /* no phrase is longer */

/* Reads the words, and refuses a day that no such month has. Errors as at_parse. */
int at_read(const char *text, struct at_phrase *out, struct error *e);

enum at_word_kind {
    AT_WORD_NONE,
    AT_WORD_NOW,
    AT_WORD_TIME,
    AT_WORD_HALF,
    AT_WORD_UTC,
    AT_WORD_DAYS,
    AT_WORD_WEEKDAY,
    AT_WORD_MONTH,
    AT_WORD_NEXT,
    AT_WORD_UNIT
};

struct at_word {
    const char *name;
    enum at_word_kind kind;
    int value; /* TIME: the hour; HALF: 0 am, 12 pm; DAYS, WEEKDAY, MONTH (1-12), UNIT: which */
};

/* The word that the text begins with, whatever its case; words may stand without a blank between them (`10amJul4`).
 * Kind NONE if there is none. */
struct at_word at_word_find(const char *text);

#endif
