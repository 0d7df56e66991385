/* A bare WHEN names no notation: which one does the text look like? Only a look at the beginning, so that the right reader says what is wrong with it. Pure. */
#ifndef AX_WHEN_NOTATION_H
#define AX_WHEN_NOTATION_H

enum when_notation {
    NOTATION_NONE,
    NOTATION_DIGITS,   /* nothing but digits: may mean anything */
    NOTATION_DURATION, /* 20m, PT15M; and what is not quite one: -5m, 1.5h, `5 minutes` */
    NOTATION_EPOCH,    /* @1735689600 */
    NOTATION_TIME,     /* 17:30, 2026-12-24T18:00, words of at */
    NOTATION_NICKNAME, /* @daily */
    NOTATION_CRON,     /* five fields */
    NOTATION_CRON_SIX,
    NOTATION_CALENDAR, /* Mon..Fri *-*-* 09:00, weekly */
};

enum when_notation when_notation(const char *text);

#endif
