#include "spool/db.h"

#include <errno.h>
#include <fcntl.h>
#include <lmdb.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/fault.h"
#include "lib/base/mem.h"
#include "lib/time/instant.h"
#include "spool/reserve.h"
#include "spool/writelock.h"

#define DB_MAP_MAX (sizeof(size_t) > 4 ? (size_t)1 << (sizeof(size_t) > 4 ? 40 : 0) : (size_t)1 << 30)
#define DB_MAP_MIN ((size_t)1 << 20)
#define DB_READERS 1022
#define DB_PATIENCE (10 * SECOND) /* of a client, for other writers */

static const char *const db_names[DB_TABLES] = {
    [DB_META] = "meta",
    [DB_JOBS] = "jobs",
    [DB_STATES] = "states",
    [DB_NAMES] = "names",
    [DB_DUE] = "due",
    [DB_RUNS] = "runs",
    [DB_OUTPUTS] = "outputs",
    [DB_ENDED] = "ended",
    [DB_OPEN] = "open",
    [DB_ENVS] = "envs",
    [DB_FEED] = "feed",
    [DB_QUEUES] = "queues",
};

const char *db_table_name(enum db_table table)
{
    return db_names[table];
}

struct db {
    const struct folder *folder;
    enum db_use use;
    MDB_env *env; /* NULL after it failed for good: opened anew at the next db_begin */
    MDB_dbi tables[DB_TABLES];
    MDB_txn *txn;    /* the open transaction, or NULL */
    MDB_txn *reader; /* kept between read transactions, so that its slot need not be looked for again */
    bool writing;
    struct writelock lock;
};

/* ---- what the errors of LMDB mean ---- */

static bool db_disk_full(const struct db *db, int rc)
{
    if (rc == ENOSPC || rc == EDQUOT)
        return true;
    return rc == EIO && reserve_room(db->folder) < RESERVE_SIZE; /* LMDB says EIO when a write came out short */
}

static int db_say(const struct db *db, int rc, struct error *e)
{
    const char *path = db->folder->path;
    if (db_disk_full(db, rc)) {
        error_set(e, ERROR_SPOOL, "the disk is full: nothing was changed in the spool %s", path);
        if (e)
            e->sys = ENOSPC;
        return -ERROR_SPOOL;
    }
    switch (rc) {
    case MDB_INVALID:
    case MDB_CORRUPTED:
    case MDB_PAGE_NOTFOUND:
    case MDB_INCOMPATIBLE:
    case MDB_CURSOR_FULL:
        return error_set(e, ERROR_SPOOL, "%s/data.mdb is damaged (%s)", path, mdb_strerror(rc));
    case MDB_VERSION_MISMATCH:
        return error_set(e, ERROR_SPOOL, "%s/data.mdb was written by another version of LMDB", path);
    case MDB_MAP_FULL:
    case ENOMEM:
        return error_set(
            e, ERROR_SPOOL, "the spool %s needs more address space than this process may have (ulimit -v)", path);
    case MDB_READERS_FULL:
        return error_set(e, ERROR_SPOOL, "more than %d processes read the spool %s: try again", DB_READERS, path);
    case EACCES:
    case EROFS:
        return error_errno(e, ERROR_SPOOL, rc, "cannot write to the spool %s", path);
    default:
        return error_errno(e, ERROR_SPOOL, rc > 0 ? rc : 0, "the spool %s cannot be used%s%s", path, rc > 0 ? "" : ": ",
            rc > 0 ? "" : mdb_strerror(rc));
    }
}

/* sys is never 0: what is wrong is the spool or the system, not a single record. */
static int db_fail(const struct db *db, int rc, struct error *e)
{
    int code = db_say(db, rc, e);
    if (e && !e->sys)
        e->sys = EIO;
    return code;
}

/* ---- the environment ---- */

static duration db_patience(const struct db *db)
{
    return db->use == DB_SERVE ? 0 : DB_PATIENCE;
}

static void db_env_close(struct db *db)
{
    if (db->reader)
        mdb_txn_abort(db->reader);
    db->reader = NULL;
    if (db->env)
        mdb_env_close(db->env);
    db->env = NULL;
}

/* Opens with the largest map there is address space for. */
static int db_env_map(struct db *db, unsigned flags)
{
    int rc = ENOMEM;
    for (size_t size = DB_MAP_MAX; rc == ENOMEM && size >= DB_MAP_MIN; size /= 2) {
        rc = mdb_env_create(&db->env);
        if (rc)
            return rc;
        mdb_env_set_maxdbs(db->env, DB_TABLES);
        mdb_env_set_maxreaders(db->env, DB_READERS);
        mdb_env_set_mapsize(db->env, size);
        rc = mdb_env_open(db->env, db->folder->path, flags, 0600);
        if (rc)
            db_env_close(db);
    }
    return rc;
}

/* LMDB opens by path what folder_open has checked by descriptor: it must be the same file, and no command may inherit
 * it. */
static int db_env_check(struct db *db, struct error *e)
{
    int fd;
    struct stat have, want;
    mdb_env_get_fd(db->env, &fd);
    fcntl(fd, F_SETFD, FD_CLOEXEC);
    if (fstat(fd, &have) < 0 || fstatat(db->folder->fd, "data.mdb", &want, AT_SYMLINK_NOFOLLOW) < 0 ||
        have.st_ino != want.st_ino || have.st_dev != want.st_dev)
        return error_set(e, ERROR_SPOOL, "the spool %s was exchanged while it was opened: try again", db->folder->path);
    return 0;
}

/* A file that was cut short would end the process with SIGBUS. Filled up with zeros, the missing pages are found
 * damaged when they are read. (LMDB itself leaves pages at the end unwritten when a transaction has taken and freed
 * them again: they are not read.) */
static int db_env_fill(struct db *db, struct error *e)
{
    MDB_envinfo info;
    MDB_stat sizes;
    struct stat st;
    int fd, failed = 0;
    mdb_env_get_fd(db->env, &fd);
    if (mdb_env_info(db->env, &info) || mdb_env_stat(db->env, &sizes))
        return 0;
    off_t whole = (off_t)(info.me_last_pgno + 1) * sizes.ms_psize;
    if (fstat(fd, &st) < 0 || st.st_size >= whole)
        return 0;
    failed = writelock_take(&db->lock, db->folder, DB_PATIENCE, e);
    if (failed)
        return failed;
    int own = openat(db->folder->fd, "data.mdb", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (own < 0 || fstat(own, &st) < 0 || (st.st_size < whole && ftruncate(own, whole) < 0))
        failed = error_errno(e, ERROR_SPOOL, errno, "%s/data.mdb is too short", db->folder->path);
    if (own >= 0)
        close(own);
    writelock_release(&db->lock);
    return failed;
}

static int db_env_open(struct db *db, struct error *e)
{
    unsigned flags = MDB_NOTLS | (db->use == DB_READ ? MDB_RDONLY : 0);
    int rc = db_env_map(db, flags);
    if (rc == EBADF && db->use == DB_READ) /* an empty file: its maker was killed, and LMDB cannot make it for a reader */
        rc = ENOENT;
    if (rc == ENOENT) {
        error_set(e, ERROR_SPOOL, "there is no spool at %s yet: `ax add` or `ax run` makes it", db->folder->path);
        if (e)
            e->sys = ENOENT;
        return -ERROR_SPOOL;
    }
    if (rc)
        return db_fail(db, rc, e);
    int failed = db_env_check(db, e);
    if (!failed)
        failed = db_env_fill(db, e);
    int dead;
    if (!failed && db->use != DB_READ)
        mdb_reader_check(db->env, &dead);
    if (failed)
        db_env_close(db);
    return failed;
}

/* After the map could not be made again, the environment is of no use. */
static int db_map_set(struct db *db, size_t size)
{
    int rc = mdb_env_set_mapsize(db->env, size);
    if (rc)
        db_env_close(db);
    return rc;
}

/* Another process has grown the data beyond our map, or half of it is full: the largest larger one that there is
 * address space for. */
static int db_map_grow(struct db *db)
{
    MDB_envinfo info;
    mdb_env_info(db->env, &info);
    size_t now = info.me_mapsize, extra = now < DB_MAP_MAX ? DB_MAP_MAX - now : now;
    for (; extra >= DB_MAP_MIN; extra /= 2) {
        void *probe = mmap(NULL, extra, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (probe == MAP_FAILED)
            continue;
        munmap(probe, extra);
        return db_map_set(db, now + extra);
    }
    return ENOMEM;
}

static bool db_map_tight(struct db *db)
{
    MDB_envinfo info;
    MDB_stat sizes;
    mdb_env_info(db->env, &info);
    if (info.me_mapsize >= DB_MAP_MAX / 2 && info.me_last_pgno < info.me_mapsize / 16384)
        return false;
    mdb_env_stat(db->env, &sizes);
    return info.me_last_pgno * sizes.ms_psize > info.me_mapsize / 2;
}

/* ---- the tables ---- */

static int db_tables_use(struct db *db, MDB_txn *txn, unsigned flags)
{
    int rc = 0;
    for (int i = 0; i < DB_TABLES && !rc; i++)
        rc = mdb_dbi_open(txn, db_names[i], flags, &db->tables[i]);
    return rc;
}

static int db_reader_begin(struct db *db)
{
    return db->reader ? mdb_txn_renew(db->reader) : mdb_txn_begin(db->env, NULL, MDB_RDONLY, &db->reader);
}

static int db_tables_make(struct db *db, struct error *e)
{
    MDB_txn *txn;
    int failed = writelock_take(&db->lock, db->folder, DB_PATIENCE, e);
    if (failed)
        return failed;
    int rc = mdb_txn_begin(db->env, NULL, 0, &txn);
    if (!rc) {
        rc = db_tables_use(db, txn, MDB_CREATE);
        if (rc)
            mdb_txn_abort(txn);
        else
            rc = mdb_txn_commit(txn);
    }
    writelock_release(&db->lock);
    return rc ? db_fail(db, rc, e) : 0;
}

static int db_tables_open(struct db *db, struct error *e)
{
    MDB_txn *txn;
    int rc = mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn), dead;
    if (rc == MDB_READERS_FULL && mdb_reader_check(db->env, &dead) == 0)
        rc = mdb_txn_begin(db->env, NULL, MDB_RDONLY, &txn);
    if (rc)
        return db_fail(db, rc, e);
    rc = db_tables_use(db, txn, 0);
    if (!rc) {
        mdb_txn_commit(txn); /* keeps the handles */
        return 0;
    }
    mdb_txn_abort(txn);
    if (rc != MDB_NOTFOUND)
        return db_fail(db, rc, e);
    if (db->use != DB_READ)
        return db_tables_make(db, e);
    error_set(e, ERROR_SPOOL, "there is no spool at %s yet: `ax add` or `ax run` makes it", db->folder->path);
    if (e)
        e->sys = ENOENT;
    return -ERROR_SPOOL;
}

static int db_connect(struct db *db, struct error *e)
{
    int failed = db_env_open(db, e);
    if (!failed)
        failed = db_tables_open(db, e);
    if (failed)
        db_env_close(db);
    return failed;
}

int db_open(const struct folder *folder, enum db_use use, struct db **out, struct error *e)
{
    struct db *db = mem_zero(1, sizeof *db);
    *db = (struct db){.folder = folder, .use = use, .lock = WRITELOCK_INIT};
    int failed = db_connect(db, e);
    if (failed)
        db_close(db);
    else
        *out = db;
    return failed;
}

void db_close(struct db *db)
{
    if (!db)
        return;
    db_abort(db);
    db_env_close(db);
    writelock_clear(&db->lock);
    free(db);
}

/* ---- transactions ---- */

/* A process killed between the meta page and the lock table leaves a transaction on disk that no reader is told of. The
 * next one to take the mutex of LMDB publishes it. Whoever holds write.lock now will do so, or commits and is heard of.
 */
static void db_heal(struct db *db)
{
    MDB_txn *txn;
    if (db->use == DB_READ) { /* LMDB lets no read-only environment take the mutex */
        db_env_close(db);
        db->use = DB_WRITE;
        if (db_connect(db, NULL) != 0) { /* a disk that cannot be written to: the older state it is */
            db->use = DB_READ;
            db_connect(db, NULL);
            return;
        }
    }
    if (writelock_take(&db->lock, db->folder, 0, NULL) != 0)
        return;
    if (mdb_txn_begin(db->env, NULL, 0, &txn) == 0)
        mdb_txn_abort(txn);
    writelock_release(&db->lock);
}

static bool db_reader_behind(struct db *db)
{
    MDB_envinfo info;
    mdb_env_info(db->env, &info);
    return info.me_last_txnid > mdb_txn_id(db->reader);
}

static int db_begin_reading(struct db *db, struct error *e)
{
    int dead, rc = db_reader_begin(db);
    if (rc == MDB_READERS_FULL && mdb_reader_check(db->env, &dead) == 0)
        rc = db_reader_begin(db);
    if (rc == MDB_MAP_RESIZED) {
        rc = db_map_grow(db);
        if (!rc)
            rc = db_reader_begin(db);
    }
    if (!rc && db_reader_behind(db)) {
        mdb_txn_reset(db->reader);
        db_heal(db);
        rc = db->env ? db_reader_begin(db) : MDB_PANIC;
    }
    if (rc)
        return db_fail(db, rc, e);
    db->txn = db->reader;
    db->writing = false;
    return 0;
}

static int db_begin_writing(struct db *db, struct error *e)
{
    int rc = 0, failed = writelock_take(&db->lock, db->folder, db_patience(db), e);
    if (failed)
        return failed;
    if (db_map_tight(db) && db_map_grow(db) != 0 && !db->env)
        rc = ENOMEM;
    if (!rc)
        rc = mdb_txn_begin(db->env, NULL, 0, &db->txn);
    if (rc == MDB_MAP_RESIZED) {
        rc = db_map_grow(db);
        if (!rc)
            rc = mdb_txn_begin(db->env, NULL, 0, &db->txn);
    }
    if (rc) {
        db->txn = NULL;
        writelock_release(&db->lock);
        return db_fail(db, rc, e);
    }
    db->writing = true;
    FAULT_POINT("store-in-write");
    return 0;
}

int db_begin(struct db *db, bool write, struct error *e)
{
    if (!db->env) {
        int failed = db_connect(db, e);
        if (failed)
            return failed;
    }
    return write ? db_begin_writing(db, e) : db_begin_reading(db, e);
}

void db_abort(struct db *db)
{
    if (!db->txn)
        return;
    if (db->writing) {
        mdb_txn_abort(db->txn);
        writelock_release(&db->lock);
    } else {
        mdb_txn_reset(db->txn);
    }
    db->txn = NULL;
}

int db_commit(struct db *db, struct error *e)
{
    if (!db->txn || !db->writing) {
        db_abort(db);
        return 0;
    }
    int rc = mdb_txn_commit(db->txn);
    db->txn = NULL;
    db->writing = false;
    writelock_release(&db->lock);
    if (!rc)
        return 0;
    int failed = db_fail(db, rc, e);
    db_env_close(db); /* a failed write may have made the environment unusable */
    return failed;
}

/* ---- entries ---- */

static MDB_val db_value(struct db_bytes b)
{
    return (MDB_val){b.length, (void *)b.data};
}

static struct db_bytes db_bytes(MDB_val v)
{
    return (struct db_bytes){v.mv_data, v.mv_size};
}

int db_get(struct db *db, enum db_table table, struct db_bytes key, struct db_bytes *value, struct error *e)
{
    MDB_val k = db_value(key), v;
    int rc = mdb_get(db->txn, db->tables[table], &k, &v);
    if (rc == MDB_NOTFOUND)
        return DB_NONE;
    if (rc)
        return db_fail(db, rc, e);
    *value = db_bytes(v);
    return 0;
}

int db_put(struct db *db, enum db_table table, struct db_bytes key, struct db_bytes value, struct error *e)
{
    MDB_val k = db_value(key), v = db_value(value);
    int rc = mdb_put(db->txn, db->tables[table], &k, &v, 0);
    return rc ? db_fail(db, rc, e) : 0;
}

int db_append(struct db *db, enum db_table table, struct db_bytes key, struct db_bytes value, struct error *e)
{
    MDB_val k = db_value(key), v = db_value(value);
    int rc = mdb_put(db->txn, db->tables[table], &k, &v, MDB_APPEND);
    if (rc == MDB_KEYEXIST)
        return db_put(db, table, key, value, e);
    return rc ? db_fail(db, rc, e) : 0;
}

int db_delete(struct db *db, enum db_table table, struct db_bytes key, struct error *e)
{
    MDB_val k = db_value(key);
    int rc = mdb_del(db->txn, db->tables[table], &k, NULL);
    if (rc == MDB_NOTFOUND)
        return DB_NONE;
    return rc ? db_fail(db, rc, e) : 0;
}

int db_empty(struct db *db, enum db_table table, struct error *e)
{
    int rc = mdb_drop(db->txn, db->tables[table], 0);
    return rc ? db_fail(db, rc, e) : 0;
}

int db_count(struct db *db, enum db_table table, uint64_t *out, struct error *e)
{
    MDB_stat sizes;
    int rc = mdb_stat(db->txn, db->tables[table], &sizes);
    if (rc)
        return db_fail(db, rc, e);
    *out = sizes.ms_entries;
    return 0;
}

/* ---- cursors ---- */

struct db_cursor {
    struct db *db;
    MDB_cursor *cursor;
};

int db_cursor_new(struct db *db, enum db_table table, struct db_cursor **out, struct error *e)
{
    MDB_cursor *cursor;
    int rc = mdb_cursor_open(db->txn, db->tables[table], &cursor);
    if (rc)
        return db_fail(db, rc, e);
    *out = mem_alloc(sizeof **out);
    **out = (struct db_cursor){db, cursor};
    return 0;
}

void db_cursor_free(struct db_cursor *c)
{
    if (!c)
        return;
    mdb_cursor_close(c->cursor);
    free(c);
}

static int db_cursor_step(struct db_cursor *c, MDB_cursor_op step, MDB_val from, struct db_bytes *key,
    struct db_bytes *value, struct error *e)
{
    MDB_val k = from, v;
    int rc = mdb_cursor_get(c->cursor, &k, &v, step);
    if (rc == MDB_NOTFOUND)
        return DB_NONE;
    if (rc)
        return db_fail(c->db, rc, e);
    *key = db_bytes(k);
    *value = db_bytes(v);
    return 0;
}

int db_cursor_from(
    struct db_cursor *c, struct db_bytes from, struct db_bytes *key, struct db_bytes *value, struct error *e)
{
    return db_cursor_step(c, from.length ? MDB_SET_RANGE : MDB_FIRST, db_value(from), key, value, e);
}

int db_cursor_before(
    struct db_cursor *c, struct db_bytes before, struct db_bytes *key, struct db_bytes *value, struct error *e)
{
    int found = db_cursor_from(c, before, key, value, e);
    if (found < 0)
        return found;
    return db_cursor_step(c, found == 0 ? MDB_PREV : MDB_LAST, (MDB_val){0}, key, value, e);
}

int db_cursor_next(struct db_cursor *c, struct db_bytes *key, struct db_bytes *value, struct error *e)
{
    return db_cursor_step(c, MDB_NEXT, (MDB_val){0}, key, value, e);
}

int db_cursor_previous(struct db_cursor *c, struct db_bytes *key, struct db_bytes *value, struct error *e)
{
    return db_cursor_step(c, MDB_PREV, (MDB_val){0}, key, value, e);
}

/* ---- readers ---- */

/* A line for each, its pid in front; the head of the table has none. */
static int db_reader_line(const char *line, void *context)
{
    int *dead = context;
    long pid = strtol(line, NULL, 10);
    *dead += pid > 0 && kill((pid_t)pid, 0) != 0 && errno == ESRCH;
    return 0;
}

int db_readers_dead(struct db *db, int *dead, struct error *e)
{
    int count = 0, rc = mdb_reader_list(db->env, db_reader_line, &count);
    if (rc < 0)
        return db_fail(db, rc, e);
    *dead = count;
    return 0;
}
