/* The file of the database without LMDB: every page looked at with every bound checked. LMDB trusts what it reads, so a
 * damaged file may end the process; what this finds sound, it reads soundly.
 *
 * The format is that of LMDB 0.9 (MDB_DATA_VERSION 1) on this machine: meta pages 0 and 1, then branch, leaf and
 * overflow pages; below the main table one sub-table for each of db.h. */
#ifndef AX_PAGES_H
#define AX_PAGES_H

#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "spool/folder.h"

struct pages;
struct pages_bytes {
    const void *data;
    size_t length;
};

/* Of the newest transaction. ERROR_SPOOL: not even that is there; sys ENOENT: nor the file. */
int pages_open(const struct folder *f, struct pages **out, struct error *e);
void pages_close(struct pages *p);         /* NULL allowed */
uint64_t pages_txn(const struct pages *p); /* its number */

typedef void pages_damage_call(void *context, const char *where, const char *why);

/* Looks at all pages, of free ones at the lists. Returns how much was found. While somebody writes, pages may be found
 * damaged that are only being used anew. */
size_t pages_check(struct pages *p, pages_damage_call *call, void *context);

/* The entries of a table, in order, as far as they can be read; damage is told of. Ends when `call` does not return 0,
 * with that. */
typedef int pages_entry_call(void *context, struct pages_bytes key, struct pages_bytes value);
int pages_each(struct pages *p, const char *table, pages_entry_call *call, void *context, pages_damage_call *damage,
    void *damage_context);

/* pages_check of a spool that is in use: what was found while somebody wrote is looked at again when nobody does.
 * *count: faults; `call` hears of the first thousand. */
int pages_sound(const struct folder *f, size_t *count, pages_damage_call *call, void *context, struct error *e);

#endif
