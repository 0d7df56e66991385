/* ISO 8601 durations, for duration.c. */
#ifndef AX_DURATION_ISO_H
#define AX_DURATION_ISO_H

#include <stdbool.h>

#include "lib/time/duration.h"

bool duration_is_iso(const char *text); /* begins like one: P and a number, or PT */

/* P[nW][nD][T[nH][nM][nS]], at least one of them. Errors as duration_parse. */
int duration_parse_iso(const char *text, duration *out, struct error *e);

#endif
