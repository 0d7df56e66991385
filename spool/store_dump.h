/* A whole spool as text, and back.
 *
 * A dump is lines of JSON: a head {"ax_dump": DUMP_VERSION, "version": of ax}, one line for each entry that cannot be
 * reckoned from others (store_entry.h), pieces of the files that belong to runs {"file": "output/12.3", "offset": 0,
 * "bytes": base64}, and an end {"end": true, "lines": how many stand before it, "hash": of their bytes}. It holds all
 * that jobs know, secrets included. */
#ifndef AX_STORE_DUMP_H
#define AX_STORE_DUMP_H

#include "spool/store.h"

#define DUMP_VERSION 1

/* What cannot be read is left out and told of. */
typedef void store_damage_call(void *context, const char *where, const char *why);

/* Writes to a plain file, inside one read transaction: of a pipe its reader would hold that up. */
int store_dump(struct store *s, int fd, store_damage_call *call, void *context, struct error *e);

/* The same of a database that LMDB cannot be trusted with, from what can be read of its file (pages.h). */
int store_dump_damaged(const struct folder *f, int fd, store_damage_call *call, void *context, struct error *e);

/* Reads the dump, which begins where the plain file fd is and ends with it: looks at every line, and at what they say
 * of each other's. ERROR_USAGE with the line in e->line. */
int store_load_check(int fd, struct error *e);

/* Puts it into the store, which must be empty and not served (ERROR_EXISTS), in a transaction of its own: all of it or
 * nothing. Runs that were open are then as after a death of the machine. */
int store_load(struct store *s, int fd, struct error *e);

#endif
