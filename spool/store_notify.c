/* Notices that wait to be told: meta "notice:" number u64. Alarms, of what may have to be told at some time: meta
 * "alarm:" time, number u64. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/notify.h"
#include "spool/record.h"
#include "spool/store_private.h"

static const struct db_bytes notices = {"notice:", 7}, alarms = {"alarm:", 6};

static struct key key_begin(struct db_bytes prefix)
{
    struct key k = {.length = prefix.length};
    memcpy(k.bytes, prefix.data, prefix.length);
    return k;
}

/* False: the key is none of those with the prefix. */
static bool key_behind(struct db_bytes *key, struct db_bytes prefix)
{
    if (key->length < prefix.length || memcmp(key->data, prefix.data, prefix.length) != 0)
        return false;
    *key = (struct db_bytes){(const char *)key->data + prefix.length, key->length - prefix.length};
    return true;
}

/* ---- notices ---- */

static struct key notice_key(uint64_t number)
{
    struct key k = key_begin(notices);
    key_u64(&k, number);
    return k;
}

int store_notice_again(struct store *s, const struct notice *n, struct error *e)
{
    struct key k = notice_key(n->number);
    buf_reset(&s->record);
    record_write_notice(&s->record, n);
    return db_put(s->db, DB_META, key_bytes(&k), (struct db_bytes){s->record.data, s->record.length}, e);
}

int store_notice(struct store *s, const struct job *j, const struct notice *n, struct error *e)
{
    struct notify_rule rule;
    if (!n->event || !notify_find(j, n->event, n->after, &rule))
        return 0;
    struct notice new = *n;
    new.event = rule.event;
    new.number = (uint64_t)s->counters.next_notice++;
    new.id.job = j->number;
    s->counters.notices++;
    s->changed = true;
    return store_notice_again(s, &new, e);
}

int store_each_notice(struct store *s, store_notice_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    int failed = db_cursor_new(s->db, DB_META, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, notices, &key, &value, e); failed == 0 && key_behind(&key, notices);
         failed = db_cursor_next(c, &key, &value, e)) {
        struct notice n;
        uint64_t number;
        if (!key_take_u64(&key, &number) || record_read_notice(value.data, value.length, &n, NULL) < 0)
            continue; /* damaged: the others are to be told all the same */
        n.number = number;
        if (!call(context, &n))
            break;
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_notice_done(struct store *s, const struct notice *n, struct error *e)
{
    struct key k = notice_key(n->number);
    int failed = db_delete(s->db, DB_META, key_bytes(&k), e);
    if (failed)
        return failed < 0 ? failed : 0; /* somebody else was faster */
    s->counters.notices--;
    s->changed = true;
    return 0;
}

int64_t store_notice_count(const struct store *s)
{
    return s->counters.notices;
}

int64_t store_notice_latest(const struct store *s)
{
    return s->counters.next_notice - 1;
}

/* ---- alarms ---- */

static struct key alarm_key(instant at, uint64_t number)
{
    struct key k = key_begin(alarms);
    key_time(&k, at);
    key_u64(&k, number);
    return k;
}

/* One that has rung is not there any more. */
static int alarm_drop(struct store *s, instant at, uint64_t number, struct error *e)
{
    struct key k = alarm_key(at, number);
    int failed = db_delete(s->db, DB_META, key_bytes(&k), e);
    return failed < 0 ? failed : 0;
}

int store_alarm_move(
    struct store *s, uint64_t number, const struct job_state *old, const struct job_state *new, struct error *e)
{
    instant was = old ? life_alarm(old) : INSTANT_NEVER, is = life_alarm(new);
    int failed = 0;
    if (was == is)
        return 0;
    if (was != INSTANT_NEVER)
        failed = alarm_drop(s, was, number, e);
    if (!failed && is != INSTANT_NEVER) {
        struct key k = alarm_key(is, number);
        failed = db_put(s->db, DB_META, key_bytes(&k), (struct db_bytes){"", 0}, e);
    }
    return failed;
}

int store_alarm_first(struct store *s, struct store_alarm *out, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    *out = (struct store_alarm){.at = INSTANT_NEVER};
    int failed = db_cursor_new(s->db, DB_META, &c, e);
    if (failed)
        return failed;
    failed = db_cursor_from(c, alarms, &key, &value, e);
    if (failed == 0 && key_behind(&key, alarms) && !(key_take_time(&key, &out->at) && key_take_u64(&key, &out->number)))
        failed = store_damaged(s, "its alarms", e);
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_alarm_step(struct store *s, const struct run *open, int64_t step, struct error *e)
{
    uint64_t number = open->extra ? open->extra : open->id.job;
    struct job_state old, new;
    int failed = store_state(s, number, &old, e);
    if (failed)
        return failed;
    new = old;
    return life_alarm_step(&new, step) ? store_state_put(s, number, &old, &new, e) : 0;
}

static int alarm_tell(struct store *s, struct store_place *p, const struct job *j, instant now, struct error *e)
{
    struct store_life l;
    int failed = store_life(s, j, now, &l, e);
    if (failed)
        return failed;
    life_alarm_take(&l.life, store_place_state(p));
    failed = store_notice(s, j, &l.notes.notice, e);
    if (!failed)
        failed = store_place_put(s, p, now, e);
    store_life_clear(&l);
    return failed;
}

int store_alarm_take(struct store *s, const struct store_alarm *a, instant now, struct error *e)
{
    struct store_place p;
    struct job j;
    int failed = alarm_drop(s, a->at, a->number, e);
    if (!failed)
        failed = store_place(s, a->number, &p, e);
    if (!failed)
        failed = store_job_get(s, p.job, false, &j, e);
    if (failed)
        return failed == STORE_NONE ? 0 : failed;
    failed = alarm_tell(s, &p, &j, now, e);
    job_clear(&j);
    return failed;
}
