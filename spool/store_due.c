#include "spool/record.h"

#include <stdlib.h>

#include "lib/base/mem.h"
#include "spool/store_private.h"

static void due_key_lane(struct key *k, struct lane_id lane)
{
    key_u32(k, lane.queue);
    key_u32(k, ~((uint32_t)lane.priority ^ UINT32_C(0x80000000))); /* higher ones first */
}

static struct key due_key(struct lane_id lane, instant ready, uint64_t number)
{
    struct key k = {.length = 0};
    due_key_lane(&k, lane);
    key_time(&k, ready);
    key_u64(&k, number);
    return k;
}

static bool due_read(struct db_bytes key, struct db_bytes value, struct due *d)
{
    uint32_t priority;
    bool good = key_take_u32(&key, &d->lane.queue) && key_take_u32(&key, &priority) && key_take_time(&key, &d->ready) &&
                key_take_u64(&key, &d->number) && key_take_u32(&value, &d->weight);
    d->lane.priority = good ? (int32_t)(~priority ^ UINT32_C(0x80000000)) : 0;
    return good;
}

static struct key due_key_of(uint64_t number, const struct job_state *st)
{
    instant wake = INSTANT_NEVER;
    life_wake(st, &wake);
    return due_key((struct lane_id){st->queue, st->priority}, wake, number);
}

bool store_due_key(uint64_t number, const struct job_state *st, struct key *out)
{
    instant wake;
    if (!life_wake(st, &wake))
        return false;
    *out = due_key_of(number, st);
    return true;
}

uint32_t store_due_weight(const struct job_state *st)
{
    return st->phase == PHASE_RUNNING ? 0 : st->weight;
}

int store_due_put(struct store *s, uint64_t number, const struct job_state *st, struct error *e)
{
    struct key k = due_key_of(number, st), v = {.length = 0};
    key_u32(&v, store_due_weight(st));
    return db_put(s->db, DB_DUE, key_bytes(&k), key_bytes(&v), e);
}

int store_due_delete(struct store *s, uint64_t number, const struct job_state *st, struct error *e)
{
    struct key k = due_key_of(number, st);
    int failed = db_delete(s->db, DB_DUE, key_bytes(&k), e);
    return failed == DB_NONE ? store_damaged(s, "its due index", e) : failed;
}

int store_each_lane(struct store *s, store_lane_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct key from = {.length = 0};
    struct due d;
    int failed = db_cursor_new(s->db, DB_DUE, &c, e);
    if (failed)
        return failed;
    while ((failed = db_cursor_from(c, key_bytes(&from), &key, &value, e)) == 0) {
        if (!due_read(key, value, &d)) {
            failed = store_damaged(s, "its due index", e);
            break;
        }
        if (!call(context, d.lane))
            break;
        from = due_key(d.lane, INSTANT_NEVER, UINT64_MAX); /* behind all of this lane */
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_each_due(struct store *s, struct lane_id lane, instant ready, uint64_t number, store_due_call *call,
    void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct key from = number == UINT64_MAX ? due_key(lane, instant_add(ready, 1), 0) : due_key(lane, ready, number + 1);
    struct due d;
    int failed = db_cursor_new(s->db, DB_DUE, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, key_bytes(&from), &key, &value, e); failed == 0;
         failed = db_cursor_next(c, &key, &value, e)) {
        if (!due_read(key, value, &d)) {
            failed = store_damaged(s, "its due index", e);
            break;
        }
        if (d.lane.queue != lane.queue || d.lane.priority != lane.priority || !call(context, &d))
            break;
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_due_count(struct store *s, uint64_t *out, struct error *e)
{
    return db_count(s->db, DB_DUE, out, e);
}

static struct due due_of(uint64_t number, const struct job_state *st, bool *there)
{
    struct due d = {.number = number};
    instant wake;
    *there = life_wake(st, &wake);
    if (*there)
        d = (struct due){.lane = {st->queue, st->priority}, .ready = wake, .number = number, .weight = store_due_weight(st)};
    return d;
}

struct due_caller {
    store_due_of_call *call;
    void *context;
};

static bool due_call(void *context, uint64_t number, const struct job_state *st)
{
    struct due_caller *c = context;
    bool there;
    struct due d = due_of(number, st, &there);
    c->call(c->context, &d, there);
    return true;
}

int store_due_of(struct store *s, uint64_t number, store_due_of_call *call, void *context, struct error *e)
{
    struct job_state st = {.phase = PHASE_DONE};
    struct due_caller c = {call, context};
    int found = store_state_get(s, number, &st, e);
    if (found < 0)
        return found;
    due_call(&c, number, &st);
    return st.extras ? store_each_extra(s, number, due_call, &c, e) : 0;
}

#define MOVED_MAX 4096

void store_due_moved(struct store *s, uint64_t number, const struct job_state *st)
{
    if (s->moved_count == MOVED_MAX) {
        s->moved_many = true;
        return;
    }
    MEM_GROW(s->moved, s->moved_capacity, s->moved_count + 1);
    struct store_moved *m = &s->moved[s->moved_count++];
    m->due = due_of(number, st, &m->there);
}

bool store_moved(const struct store *s, const struct store_moved **out, size_t *count)
{
    *out = s->moved;
    *count = s->moved_count;
    return !s->moved_many;
}
