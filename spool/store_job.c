#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/text/suggest.h"
#include "spool/record.h"
#include "spool/reserve.h"
#include "spool/store_private.h"

#define NEAR_MAX 10000 /* names looked at for "did you mean" */

/* ---- states ---- */

int store_state_get(struct store *s, uint64_t number, struct job_state *out, struct error *e)
{
    struct key k = key_number(number);
    struct db_bytes value;
    int found = db_get(s->db, DB_STATES, key_bytes(&k), &value, e);
    return found ? found : record_read_state(value.data, value.length, out, e);
}

static bool state_waits(const struct job_state *st)
{
    return st && (st->phase == PHASE_WAITING || st->phase == PHASE_RETRYING);
}

/* Has it a place in the due index, and which. */
static bool state_is_due(const struct job_state *st, instant *wake)
{
    return st && life_wake(st, wake);
}

static bool state_over(const struct job_state *st)
{
    return !state_waits(st) && st->phase != PHASE_RUNNING;
}

/* One-off jobs that will end by themselves: not those that wait for being started by hand. */
static bool state_pending_once(const struct job_state *st)
{
    return st && !st->repeats && !st->paused && !state_over(st) && st->due != INSTANT_NEVER;
}

static bool state_same_due(const struct job_state *a, const struct job_state *b)
{
    instant was, is;
    return state_is_due(a, &was) && state_is_due(b, &is) && was == is && a->queue == b->queue && a->priority == b->priority &&
           store_due_weight(a) == store_due_weight(b);
}

bool store_pending(const struct job_state *st)
{
    return state_pending_once(st);
}

int store_state_put(
    struct store *s, uint64_t number, const struct job_state *old, const struct job_state *new, struct error *e)
{
    instant wake;
    bool was = state_is_due(old, &wake), is = state_is_due(new, &wake), moved = !state_same_due(old, new);
    int failed = was && moved ? store_due_delete(s, number, old, e) : 0;
    if (!failed && is && moved)
        failed = store_due_put(s, number, new, e);
    if (!failed && old && old->env != new->env)
        failed = store_env_drop(s, old->env, e);
    if (failed)
        return failed;
    failed = store_alarm_move(s, number, old, new, e);
    if (!failed)
        failed = store_expiry_move(s, number, old, new, e);
    if (failed)
        return failed;
    if (moved && (was || is) && s->use == STORE_SERVE)
        store_due_moved(s, number, new);
    int more = state_pending_once(new) - state_pending_once(old);
    if (more) {
        s->counters.pending_once += more;
        s->changed = true;
    }
    buf_reset(&s->record);
    record_write_state(&s->record, new);
    struct key k = key_number(number);
    struct db_bytes value = {s->record.data, s->record.length};
    return old ? db_put(s->db, DB_STATES, key_bytes(&k), value, e)
               : db_append(s->db, DB_STATES, key_bytes(&k), value, e);
}

int store_state(struct store *s, uint64_t number, struct job_state *out, struct error *e)
{
    int found = store_state_get(s, number, out, e);
    return found == STORE_NONE ? error_set(e, ERROR_NOT_FOUND, "there is no job %" PRIu64, number) : found;
}

/* ---- definitions ---- */

/* 0, STORE_NONE, negative. */
static int job_record_get(struct store *s, uint64_t number, struct job *out, uint64_t *env, struct error *e)
{
    struct key k = key_number(number);
    struct db_bytes value;
    int found = db_get(s->db, DB_JOBS, key_bytes(&k), &value, e);
    if (found == 0)
        found = record_read_job(value.data, value.length, out, env, e);
    if (found == 0)
        out->number = number;
    return found;
}

int store_job_get(struct store *s, uint64_t number, bool whole, struct job *out, struct error *e)
{
    struct job j;
    uint64_t env = 0;
    int failed = job_record_get(s, number, &j, &env, e);
    if (failed == STORE_NONE)
        return error_set(e, ERROR_NOT_FOUND, "there is no job %" PRIu64, number);
    if (failed)
        return failed;
    if (whole && env)
        failed = store_env_get(s, env, &j.kept_env, e);
    if (failed)
        job_clear(&j);
    else
        *out = j;
    return failed;
}

int store_job(struct store *s, uint64_t number, struct job *out, struct error *e)
{
    struct job_state st;
    int failed = store_job_get(s, number, true, out, e);
    if (!failed && store_state_get(s, number, &st, NULL) == 0 && st.paused)
        out->paused = SAID_YES;
    return failed;
}

static int job_put(struct store *s, const struct job *j, struct error *e)
{
    uint64_t env = 0;
    int failed = j->has_kept_env ? store_env_take(s, &j->kept_env, &env, e) : 0;
    if (failed)
        return failed;
    buf_reset(&s->record);
    record_write_job(&s->record, j, env);
    struct key k = key_number(j->number);
    return db_append(s->db, DB_JOBS, key_bytes(&k), (struct db_bytes){s->record.data, s->record.length}, e);
}

/* ---- names ---- */

/* 0, STORE_NONE, negative. */
static int name_get(struct store *s, const char *name, uint64_t *number, struct error *e)
{
    struct db_bytes key = {name, strlen(name)}, value;
    if (!key.length || key.length > 100)
        return STORE_NONE;
    int found = db_get(s->db, DB_NAMES, key, &value, e);
    if (found == 0 && !key_take_u64(&value, number))
        return store_damaged(s, "its names", e);
    return found;
}

int store_name_put(struct store *s, const char *name, uint64_t number, struct error *e)
{
    struct key v = key_number(number);
    return db_put(s->db, DB_NAMES, (struct db_bytes){name, strlen(name)}, key_bytes(&v), e);
}

int store_each_name(struct store *s, const char *beginning, store_name_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value, from = {beginning, strlen(beginning)};
    int failed = db_cursor_new(s->db, DB_NAMES, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, from, &key, &value, e); failed == 0; failed = db_cursor_next(c, &key, &value, e))
        if (key.length < from.length || memcmp(key.data, from.data, from.length) != 0 || !call(context, key.data, key.length))
            break;
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

static int name_collect(struct store *s, struct strvec *names, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    int failed = db_cursor_new(s->db, DB_NAMES, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){0}, &key, &value, e); failed == 0 && names->count < NEAR_MAX;
         failed = db_cursor_next(c, &key, &value, e))
        strvec_take(names, strndup(key.data, key.length));
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

static int name_unknown(struct store *s, const char *name, struct error *e)
{
    struct strvec names = {0};
    struct suggest near = {.word = name};
    int failed = name_collect(s, &names, e);
    for (size_t i = 0; i < names.count; i++)
        suggest_offer(&near, names.items[i]);
    if (!failed && near.best)
        failed = error_set(e, ERROR_NOT_FOUND, "there is no job %s. Did you mean %s?", name, near.best);
    else if (!failed)
        failed = error_set(e, ERROR_NOT_FOUND, "there is no job %s", name);
    strvec_clear(&names);
    return failed;
}

int store_find(struct store *s, const char *reference, uint64_t *number, struct error *e)
{
    if (!reference[strspn(reference, "0123456789")] && *reference) {
        uint64_t wanted = strtoull(reference, NULL, 10);
        struct key k = key_number(wanted < EXTRA_FIRST ? wanted : 0);
        struct db_bytes value, key = key_bytes(&k);
        int found = db_get(s->db, DB_STATES, key, &value, e);
        if (found == STORE_NONE)
            return error_set(e, ERROR_NOT_FOUND, "there is no job %s", reference);
        if (found == 0)
            key_take_u64(&key, number);
        return found;
    }
    int found = name_get(s, reference, number, e);
    return found == STORE_NONE ? name_unknown(s, reference, e) : found;
}

/* ---- going ---- */

int store_job_remove(struct store *s, uint64_t number, const struct job_state *st, struct error *e)
{
    struct job j;
    uint64_t env = 0, owner = 0;
    struct key k = key_number(number);
    int failed = job_record_get(s, number, &j, &env, e);
    if (failed)
        return failed < 0 ? failed : store_damaged(s, "a job", e);
    failed = db_delete(s->db, DB_JOBS, key_bytes(&k), e);
    if (failed >= 0)
        failed = db_delete(s->db, DB_STATES, key_bytes(&k), e);
    if (failed >= 0)
        failed = store_expiry_move(s, number, st, NULL, e);
    if (!failed)
        failed = store_env_drop(s, env, e);
    if (!failed && j.name && name_get(s, j.name, &owner, NULL) == 0 && owner == number)
        failed = db_delete(s->db, DB_NAMES, (struct db_bytes){j.name, strlen(j.name)}, e);
    if (failed >= 0)
        failed = store_job_forget(s, number, j.source, e);
    job_clear(&j);
    return failed;
}

/* ---- adding ---- */

static int job_room(struct store *s, struct error *e)
{
    if (s->roomy)
        return 0;
    int64_t room = reserve_room(&s->folder), want = s->reserve ? RESERVE_SIZE : 2 * RESERVE_SIZE;
    if (room < want) {
        error_set(e, ERROR_SPOOL,
            "the disk of the spool %s is full (%" PRId64 " KiB free): no job is added until there is room",
            s->folder.path, room / 1024);
        if (e)
            e->sys = ENOSPC;
        return -ERROR_SPOOL;
    }
    s->roomy = true;
    return 0;
}

static int job_create(struct store *s, struct job *j, instant now, struct error *e)
{
    struct job_state st;
    struct store_life l;
    uint64_t number = (uint64_t)s->counters.next_job, before = j->number;
    j->number = number;
    j->added = now;
    j->creator = getuid();
    int failed = store_life(s, j, now, &l, e);
    if (!failed) {
        life_begin(&l.life, &st);
        if (j->paused == SAID_YES)
            life_pause(&st);
        failed = store_zone_note(s, j, &l.schedule, e);
        store_life_clear(&l);
    }
    if (!failed)
        failed = store_queue_id(s, j->queue, &st.queue, e);
    if (!failed)
        failed = job_put(s, j, e);
    if (!failed)
        failed = store_state_put(s, number, NULL, &st, e);
    if (!failed && j->name)
        failed = store_name_put(s, j->name, number, e);
    if (failed) {
        j->number = before;
        return failed;
    }
    s->counters.next_job++;
    s->changed = true;
    store_feed_add(s, FEED_DUE, number);
    return 0;
}

int store_job_change(struct store *s, uint64_t number, const struct job_state *old, struct job *j, bool reschedule, instant now, struct error *e)
{
    struct job before;
    struct job_state new = *old;
    uint64_t env = 0;
    int failed = job_record_get(s, number, &before, &env, e);
    if (failed)
        return failed < 0 ? failed : store_damaged(s, "a job", e);
    j->number = number;
    j->added = before.added;
    j->creator = before.creator;
    job_clear(&before);
    struct store_life l;
    failed = store_life(s, j, now, &l, e);
    if (!failed) {
        if (reschedule)
            life_replace(&l.life, &new);
        else
            life_keep(&l.life, &new);
        if (j->paused == SAID_YES)
            life_pause(&new);
        else if (j->paused == SAID_NO)
            life_resume(&new, now);
        failed = store_zone_note(s, j, &l.schedule, e);
        store_life_clear(&l);
    }
    if (!failed)
        failed = store_queue_id(s, j->queue, &new.queue, e);
    if (!failed)
        failed =
            job_put(s, j, e); /* takes the new environment before the old one is dropped: they are often the same */
    if (!failed)
        failed = store_env_drop(s, env, e);
    if (!failed)
        failed = store_state_put(s, number, old, &new, e);
    if (!failed)
        store_feed_add(s, FEED_DUE, number);
    return failed;
}

int store_named(struct store *s, const char *name, uint64_t *number, bool *there, struct error *e)
{
    int found = name_get(s, name, number, e);
    *there = found == 0;
    return found < 0 ? found : 0;
}

/* The job that has the name and has not ended: 0, STORE_NONE, negative. */
static int job_twin(struct store *s, const char *name, uint64_t *number, struct job_state *st, struct error *e)
{
    if (!name)
        return STORE_NONE;
    int found = name_get(s, name, number, e);
    if (found == 0)
        found = store_state_get(s, *number, st, e);
    return found == 0 && state_over(st) ? STORE_NONE : found;
}

int store_add(
    struct store *s, struct job *j, instant now, enum store_twin twin, struct store_added *out, struct error *e)
{
    struct job_state st;
    uint64_t number = 0;
    int failed = job_check(j, e);
    if (!failed)
        failed = job_room(s, e);
    if (!failed)
        failed = store_clock(s, now, 0, NULL, e);
    if (failed)
        return failed;
    int found = job_twin(s, j->name, &number, &st, e);
    if (found < 0)
        return found;
    if (found == STORE_NONE) {
        failed = job_create(s, j, now, e);
        if (!failed)
            *out = (struct store_added){.number = j->number};
        return failed;
    }
    if (twin == STORE_REFUSE) {
        error_set(e, ERROR_EXISTS,
            "job %" PRIu64 " has the name %s already", number, j->name);
        return error_field(e, "name");
    }
    failed = twin == STORE_REPLACE ? store_job_change(s, number, &st, j, true, now, e) : 0;
    if (failed)
        return failed;
    j->number = number;
    *out = (struct store_added){.number = number, .replaced = twin == STORE_REPLACE, .kept = twin == STORE_KEEP};
    return 0;
}

/* ---- listing ---- */

/* Jobs that follow each other often have the same environment: it is read once and handed on. */
struct listing {
    struct store *s;
    store_job_call *call;
    void *context;
    uint64_t env_id;
    struct strvec env;
};

static int listing_env(struct listing *l, uint64_t id, struct job *j, struct error *e)
{
    if (!id)
        return 0;
    int failed = id == l->env_id ? 0 : store_env_get(l->s, id, &l->env, e);
    if (failed)
        return failed;
    l->env_id = id;
    j->kept_env = l->env;
    return 0;
}

static int listing_job(struct listing *l, struct db_bytes key, struct db_bytes value, bool *more, struct error *e)
{
    struct job j;
    struct job_state st;
    uint64_t number = 0, env = 0;
    int failed = key_take_u64(&key, &number) ? store_state_get(l->s, number, &st, e) : STORE_NONE;
    if (failed == STORE_NONE)
        failed = store_damaged(l->s, "its states", e);
    if (!failed)
        failed = record_read_job(value.data, value.length, &j, &env, e);
    if (failed)
        return failed;
    j.number = number;
    j.paused = st.paused ? SAID_YES : SAID_NOT;
    failed = listing_env(l, env, &j, e);
    if (!failed)
        *more = l->call(l->context, &j, &st);
    j.kept_env = (struct strvec){0};
    job_clear(&j);
    return failed;
}

int store_each_job(struct store *s, uint64_t from, store_job_call *call, void *context, struct error *e)
{
    struct listing l = {.s = s, .call = call, .context = context};
    struct db_cursor *c;
    struct db_bytes key, value;
    struct key first = key_number(from);
    bool more = true;
    int failed = db_cursor_new(s->db, DB_JOBS, &c, e);
    if (failed)
        return failed;
    failed = db_cursor_from(c, key_bytes(&first), &key, &value, e);
    while (failed == 0) {
        failed = listing_job(&l, key, value, &more, e);
        if (failed || !more)
            break;
        failed = db_cursor_next(c, &key, &value, e);
    }
    db_cursor_free(c);
    strvec_clear(&l.env);
    return failed < 0 ? failed : 0;
}
