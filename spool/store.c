#include "spool/store.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/mem.h"
#include "lib/text/pack.h"
#include "spool/reserve.h"
#include "spool/store_private.h"

int store_damaged(const struct store *s, const char *what, struct error *e)
{
    return error_set(e, ERROR_SPOOL, "%s/data.mdb is damaged (%s)", s->folder.path, what);
}

/* ---- counters ---- */

static const struct {
    const char *name;
    size_t offset;
    int64_t first;
} counter_rows[] = {
    {"v", offsetof(struct counters, version), STORE_FORMAT},
    {"next_job", offsetof(struct counters, next_job), 1},
    {"next_extra", offsetof(struct counters, next_extra), 0},
    {"feed_first", offsetof(struct counters, feed_first), 1},
    {"feed_next", offsetof(struct counters, feed_next), 1},
    {"generation", offsetof(struct counters, generation), 0},
    {"next_queue", offsetof(struct counters, next_queue), 2},
    {"mails", offsetof(struct counters, mails), 0},
    {"notices", offsetof(struct counters, notices), 0},
    {"next_notice", offsetof(struct counters, next_notice), 1},
    {"zones", offsetof(struct counters, zones), 0},
    {"pending_once", offsetof(struct counters, pending_once), 0},
    {"clock", offsetof(struct counters, clock), INSTANT_NONE},
    {"clock_total", offsetof(struct counters, clock_total), 0},
};
#define COUNTERS (sizeof counter_rows / sizeof *counter_rows)

static int64_t *counter(struct counters *c, size_t row)
{
    return (int64_t *)((char *)c + counter_rows[row].offset);
}

static const struct db_bytes counters_key = {"counters", 8};

int store_counters(struct store *s, struct error *e)
{
    struct counters c;
    struct db_bytes bytes;
    struct value map = {0};
    for (size_t i = 0; i < COUNTERS; i++)
        *counter(&c, i) = counter_rows[i].first;
    int found = db_get(s->db, DB_META, counters_key, &bytes, e);
    if (found < 0)
        return found;
    if (found == 0) {
        if (pack_read(bytes.data, bytes.length, &map, NULL) < 0 || map.kind != VALUE_MAP) {
            value_clear(&map);
            return store_damaged(s, "its counters", e);
        }
        for (size_t i = 0; i < COUNTERS; i++) {
            const struct value *v = value_get(&map, counter_rows[i].name);
            if (v && v->kind == VALUE_INT)
                *counter(&c, i) = v->integer;
        }
        value_clear(&map);
    }
    if (c.version > STORE_FORMAT)
        return error_set(e, ERROR_SPOOL,
            "the spool %s has format %" PRId64 ", this ax knows formats up to %d: use the newer ax", s->folder.path,
            c.version, STORE_FORMAT);
    s->counters = c;
    return 0;
}

static int counters_write(struct store *s, struct error *e)
{
    struct value map = value_map();
    for (size_t i = 0; i < COUNTERS; i++)
        value_put(&map, counter_rows[i].name, value_int(*counter(&s->counters, i)));
    buf_reset(&s->record);
    pack_write(&s->record, &map);
    value_clear(&map);
    return db_put(s->db, DB_META, counters_key, (struct db_bytes){s->record.data, s->record.length}, e);
}

/* ---- opening ---- */

static int store_begin_read(struct store *s, struct error *e)
{
    int failed = db_begin(s->db, false, e);
    if (failed)
        return failed;
    failed = store_counters(s, e);
    db_abort(s->db);
    return failed;
}

/* A scheduler commits before it does anything: after that the data cannot be empty, and must not be begun anew, with numbers that were given before. */
static int store_not_emptied(const struct folder *f, struct error *e)
{
    struct stat data, lock;
    if (fstatat(f->fd, "data.mdb", &data, AT_SYMLINK_NOFOLLOW) != 0 || data.st_size > 0 || fstatat(f->fd, "scheduler.lock", &lock, AT_SYMLINK_NOFOLLOW) != 0)
        return 0;
    return error_set(e, ERROR_SPOOL, "%s/data.mdb is damaged (it is empty, though a scheduler has served this spool): put a copy of it back, or move the folder away to begin anew", f->path);
}

int store_open(const char *path, enum store_use use, struct store **out, struct error *e)
{
    static const enum db_use uses[] = {[STORE_READ] = DB_READ, [STORE_WRITE] = DB_WRITE, [STORE_SERVE] = DB_SERVE};
    struct store *s = mem_zero(1, sizeof *s);
    s->use = use;
    int failed = folder_open(path, use != STORE_READ, &s->folder, e);
    if (!failed)
        failed = store_not_emptied(&s->folder, e);
    if (!failed && use != STORE_READ)
        s->reserve = reserve_keep(&s->folder);
    if (!failed)
        failed = db_open(&s->folder, uses[use], &s->db, e);
    if (!failed)
        failed = store_begin_read(s, e);
    if (failed) {
        store_close(s);
        return failed;
    }
    *out = s;
    return 0;
}

void store_close(struct store *s)
{
    if (!s)
        return;
    store_abort(s);
    db_close(s->db);
    folder_clear(&s->folder);
    zones_clear(&s->zones);
    free(s->moved);
    buf_clear(&s->record);
    free(s);
}

const struct folder *store_folder(const struct store *s)
{
    return &s->folder;
}

/* ---- transactions ---- */

int store_begin(struct store *s, bool write, struct error *e)
{
    int failed = db_begin(s->db, write, e);
    if (failed)
        return failed;
    s->writing = write;
    s->changed = s->urgent = s->roomy = s->feeding = s->moved_many = false;
    s->moved_count = 0;
    failed = write ? store_counters(s, e) : 0;
    if (failed)
        store_abort(s);
    return failed;
}

void store_abort(struct store *s)
{
    if (s->db)
        db_abort(s->db);
    s->writing = s->feeding = false;
}

/* The pages are written by the commit, so room must be made before it. */
static void store_make_room(struct store *s)
{
    int64_t room = s->urgent || !s->reserve ? reserve_room(&s->folder) : INT64_MAX;
    if (s->urgent && s->reserve && room < RESERVE_SIZE) {
        reserve_give_up(&s->folder);
        s->reserve = false;
    }
}

static int store_finish_commit(struct store *s, struct error *e)
{
    int failed = s->feeding ? store_feed_write(s, e) : 0;
    if (!failed && s->changed)
        failed = counters_write(s, e);
    if (failed) {
        store_abort(s);
        return failed;
    }
    store_make_room(s);
    struct error full = {0};
    failed = db_commit(s->db, &full);
    if (failed && full.sys == ENOSPC && s->urgent) { /* a quota that nobody told of: the caller's next try finds room */
        reserve_give_up(&s->folder);
        s->reserve = false;
    }
    if (failed && e)
        *e = full;
    if (!failed && !s->reserve)
        s->reserve = reserve_keep(&s->folder);
    return failed;
}

int store_commit(struct store *s, struct error *e)
{
    int failed = 0;
    if (s->writing)
        failed = store_finish_commit(s, e);
    else
        db_abort(s->db);
    s->writing = s->feeding = false;
    return failed;
}

/* ---- for the scheduler ---- */

int store_generation(struct store *s, instant now, const struct value *about, struct store_generation *out, struct error *e)
{
    int failed = store_begin(s, true, e);
    if (failed)
        return failed;
    size_t booted;
    s->counters.generation++;
    s->changed = true;
    struct store_generation new = {.number = (uint32_t)s->counters.generation, .feed_position = (uint64_t)s->counters.feed_next - 1};
    failed = store_feed_forget(s, e);
    if (!failed)
        failed = store_clock(s, now, 0, NULL, e);
    if (!failed)
        failed = store_clock_stepping(s, &new.clock_steps, e);
    if (!failed)
        failed = store_boot(s, now, &booted, e);
    if (!failed && about)
        failed = store_setting_put(s, "scheduler", about, e);
    new.clock_total = s->counters.clock_total;
    if (failed)
        store_abort(s);
    else
        failed = store_commit(s, e);
    if (!failed)
        *out = new;
    return failed;
}

int store_pending_once(struct store *s, bool *out, struct error *e)
{
    int failed = s->writing ? 0 : store_counters(s, e);
    if (!failed)
        *out = s->counters.pending_once > 0;
    return failed;
}

int store_zone_count(struct store *s, int64_t *out, struct error *e)
{
    int failed = s->writing ? 0 : store_counters(s, e);
    if (!failed)
        *out = s->counters.zones;
    return failed;
}

/* ---- settings, meta "set:NAME" ---- */

int store_setting(struct store *s, const char *name, struct value *out, struct error *e)
{
    char *key = mem_format("set:%s", name);
    struct db_bytes bytes;
    *out = (struct value){0};
    int found = db_get(s->db, DB_META, (struct db_bytes){key, strlen(key)}, &bytes, e);
    free(key);
    if (found)
        return found < 0 ? found : 0;
    return pack_read(bytes.data, bytes.length, out, NULL) < 0 ? store_damaged(s, "a setting", e) : 0;
}

int store_setting_put(struct store *s, const char *name, const struct value *v, struct error *e)
{
    char *key = mem_format("set:%s", name);
    struct db_bytes k = {key, strlen(key)};
    buf_reset(&s->record);
    pack_write(&s->record, v);
    int failed = v->kind == VALUE_NULL ? db_delete(s->db, DB_META, k, e) : db_put(s->db, DB_META, k, (struct db_bytes){s->record.data, s->record.length}, e);
    free(key);
    return failed < 0 ? failed : 0;
}
