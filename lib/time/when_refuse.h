/* Errors that the readers of times share. Each gives -ERROR_USAGE and places the whole text. */
#ifndef AX_WHEN_REFUSE_H
#define AX_WHEN_REFUSE_H

#include "lib/time/instant.h"
#include "lib/time/zone.h"

/* ... is past (2h ago) */
int when_refuse_past(const char *text, const struct zone *z, instant at, instant now, struct error *e);

/* there is no 02:30:00 on ...: the clock is put forward then, at `jump` */
int when_refuse_skipped(const char *text, const struct zone *z, const struct civil *c, instant jump, struct error *e);

/* times end in the year 2262 */
int when_refuse_far(const char *text, struct error *e);

#endif
