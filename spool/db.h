/* The database: the only door to LMDB. Tables of byte keys and byte values, transactions, cursors; the map grows by itself.
 *
 * What is here and nowhere else: the lock in front of every write transaction (write.lock), signals kept out of one, readers that died, transactions
 * that a killed process left unpublished, close-on-exec, and what the errors of LMDB mean to a person. */
#ifndef AX_DB_H
#define AX_DB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "lib/base/error.h"
#include "spool/folder.h"

struct db;

enum db_use {
    DB_READ,  /* the files are opened without writing: closing them wakes no scheduler */
    DB_WRITE, /* waits for other writers, with patience */
    DB_SERVE, /* never waits: db_begin gives DB_BUSY */
};

enum db_table {
    DB_META, DB_JOBS, DB_STATES, DB_NAMES, DB_DUE, DB_RUNS, DB_OUTPUTS, DB_ENDED, DB_OPEN, DB_ENVS, DB_FEED, DB_QUEUES,
    DB_TABLES, /* how many */
};

const char *db_table_name(enum db_table table);

struct db_bytes {
    const void *data;
    size_t length;
};

/* The folder must outlive the db. DB_READ: ERROR_SPOOL with sys ENOENT where there is no database yet. */
int db_open(const struct folder *folder, enum db_use use, struct db **out, struct error *e);
void db_close(struct db *db); /* NULL allowed */

#define DB_NONE 1 /* no such key, no further key */
#define DB_BUSY 1

/* One transaction at a time. A write transaction is on disk when db_commit returns 0; a failed one did not happen. */
int db_begin(struct db *db, bool write, struct error *e);
int db_commit(struct db *db, struct error *e);
void db_abort(struct db *db); /* no effect without a transaction */

/* Values found are valid until the next change or the end of the transaction. */
int db_get(struct db *db, enum db_table table, struct db_bytes key, struct db_bytes *value, struct error *e); /* 0, DB_NONE, negative */
int db_put(struct db *db, enum db_table table, struct db_bytes key, struct db_bytes value, struct error *e);
/* As db_put; quicker and denser when the key comes behind all others. */
int db_append(struct db *db, enum db_table table, struct db_bytes key, struct db_bytes value, struct error *e);
int db_delete(struct db *db, enum db_table table, struct db_bytes key, struct error *e); /* 0, DB_NONE, negative */
int db_empty(struct db *db, enum db_table table, struct error *e);                      /* deletes all entries */
int db_count(struct db *db, enum db_table table, uint64_t *out, struct error *e);

/* Cursors live within one transaction. Each step gives 0, DB_NONE or a negative code. The table may be changed meanwhile. */
struct db_cursor;
int db_cursor_new(struct db *db, enum db_table table, struct db_cursor **out, struct error *e);
void db_cursor_free(struct db_cursor *c); /* NULL allowed; before the transaction ends */
int db_cursor_from(struct db_cursor *c, struct db_bytes from, struct db_bytes *key, struct db_bytes *value, struct error *e);     /* first at or behind */
int db_cursor_before(struct db_cursor *c, struct db_bytes before, struct db_bytes *key, struct db_bytes *value, struct error *e); /* last in front of */
int db_cursor_next(struct db_cursor *c, struct db_bytes *key, struct db_bytes *value, struct error *e);
int db_cursor_previous(struct db_cursor *c, struct db_bytes *key, struct db_bytes *value, struct error *e);


/* Readers that died without leaving. Whoever opens the database for writing clears them. */
int db_readers_dead(struct db *db, int *dead, struct error *e);

#endif
