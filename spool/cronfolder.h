/* Folders that cron or run-parts read: which files count, and why the others do not. And the checks without which
 * nothing is read that becomes jobs: made on the open file, so that it cannot be swapped in between.
 *
 *   tables    /etc/cron.d: plain files with one hard link, named with letters, digits, _ and - only (so no a.dpkg-old,
 *             no .hidden, no a~)
 *   scripts   /etc/cron.hourly and its kin, what run-parts runs: plain files that are executable, named the same way
 *
 * Both: owned by root or by us, no one else can write to it; a symbolic link counts if its owner is one of these and
 * what it leads to passes too. */
#ifndef AX_CRONFOLDER_H
#define AX_CRONFOLDER_H

#include "lib/base/buf.h"
#include "lib/base/error.h"

#define CRONFOLDER_FILE ((size_t)64 << 20) /* bytes of the largest table that is read */

enum cronfolder_kind { CRONFOLDER_TABLES, CRONFOLDER_SCRIPTS };

struct cronfolder_file {
    char *name, *path; /* path: the folder's, as given, and the name */
    char *skipped;     /* why it does not count; NULL: it does */
    struct buf text;   /* of a table that counts */
};

struct cronfolder {
    struct cronfolder_file *files; /* by name, as strcmp sorts */
    size_t count, capacity;
};

/* ERROR_FAILED where it cannot be read, ERROR_USAGE where others can write to it. */
int cronfolder_read(const char *path, enum cronfolder_kind kind, struct cronfolder *out, struct error *e);
void cronfolder_clear(struct cronfolder *f);

/* A single table (/etc/crontab, one named by the user): the same checks, but any name and any number of links.
 * ERROR_USAGE with what is wrong, ERROR_NOT_FOUND, ERROR_FAILED. */
int cronfolder_table(const char *path, struct buf *out, struct error *e);

#endif
