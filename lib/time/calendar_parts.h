/* What a calendar expression is made of: for calendar_*.c only. */
#ifndef AX_CALENDAR_PARTS_H
#define AX_CALENDAR_PARTS_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/time/calendar.h"

enum calendar_part { PART_YEAR, PART_MONTH, PART_DAY, PART_HOUR, PART_MINUTE, PART_SECOND, PARTS };

enum {
    CALENDAR_MICRO = 1000000, /* seconds are counted in microseconds */
    CALENDAR_MINUTE = 60 * CALENDAR_MICRO,
    CALENDAR_YEAR_MIN = 1970,
    CALENDAR_YEAR_MAX = 2199,      /* the last that can be written */
    CALENDAR_YEAR_REACH = 2262,    /* the last that an instant can be in */
    CALENDAR_EVERY_WEEKDAY = 0x7f, /* bit 0 is Monday */
    CALENDAR_LIST_MAX = 241,
};

/* One element of a list: `5` (no step), `5..9/2`, or `5/2`, which has no end. */
struct calendar_range {
    int32_t from, to; /* to: -1 for no end */
    int32_t step;     /* 0: only `from` */
};

/* Sorted, no element twice. Empty is `*`; but seconds of `*` are 0/1, since they are whole. */
struct calendar_list {
    struct calendar_range *items;
    int count;
};

struct calendar {
    struct calendar_list lists[PARTS];
    uint8_t weekdays;
    bool from_end; /* days are counted from the end of the month: 1 is the last */
    bool epoch;    /* written @seconds: UTC, whatever zone is named */
    char *zone;

    /* The lists as bits, for the search: bit n is the value n, of years n + CALENDAR_YEAR_MIN. */
    uint64_t years[(CALENDAR_YEAR_REACH - CALENDAR_YEAR_MIN) / 64 + 1];
    uint32_t months;  /* only those that can have one of the days */
    uint32_t days[4]; /* in a month of 28, 29, 30, 31 days */
    uint32_t hours;
    uint64_t minutes;
};

/* Fills the bits from the lists. */
void calendar_set_bits(struct calendar *c);

/* The first value from `from` on that is in the list of seconds, in microseconds, or -1. */
int32_t calendar_second_next(const struct calendar *c, int32_t from);

bool calendar_is_every_second(const struct calendar *c); /* the seconds are written `*` */

/* The days of a month that fall into the expression, bit n the day n; nothing where year or month do not. */
uint32_t calendar_days_of(const struct calendar *c, int year, int month);

#endif
