/* The next time of a schedule, and what the clock changes of the zone did to it. */
#ifndef AX_OCCURRENCE_H
#define AX_OCCURRENCE_H

#include "lib/time/instant.h"

enum occurrence_note {
    OCCURRENCE_PLAIN,
    OCCURRENCE_MOVED,  /* its local time is skipped: it comes at the first moment after the jump */
    OCCURRENCE_MERGED, /* several times fall on this instant, the skipped ones among them */
    OCCURRENCE_FIRST,  /* its local time is there twice: this is the first, and the second is left out */
    OCCURRENCE_AGAIN,  /* its local time is there twice, and this is the second pass */
};

struct occurrence {
    instant at; /* INSTANT_NEVER: there is none */
    enum occurrence_note note;
};

#endif
