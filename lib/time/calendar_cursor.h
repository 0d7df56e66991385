/* The reader's place in a calendar expression: for calendar_parse.c and calendar_list.c only. */
#ifndef AX_CALENDAR_CURSOR_H
#define AX_CALENDAR_CURSOR_H

#include "lib/time/calendar_parts.h"

struct cursor {
    const char *text, *p, *end; /* end: of what stands before the zone; a blank or the NUL is there */
    struct calendar *c;
    struct error *e;
};

/* Adds the place from `at` to `end` to the error that was set. */
int cursor_place(const struct cursor *in, const char *at, const char *end);

/* The error that something else than `wanted` stands at p; `name` is the part. */
int cursor_refuse(const struct cursor *in, const char *name, const char *wanted);

/* How many bytes of a text to show in an error. */
int cursor_shown(const char *at, const char *end);

const char *calendar_part_name(enum calendar_part part);

/* Reads one list, or `*`, into its place in c, sorted and checked. */
int calendar_list_read(struct cursor *in, enum calendar_part part);

/* Makes the list this one value. */
void calendar_list_set(struct calendar_list *list, int32_t value);

#endif
