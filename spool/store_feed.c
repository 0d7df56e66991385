#include "spool/store_private.h"

#define FEED_MAX 10000 /* longer than this, unread: reading everything is cheaper */

/* Changes of consecutive jobs in one transaction are one entry. */
void store_feed_add(struct store *s, enum feed_kind kind, uint64_t number)
{
    struct feed *f = &s->feed;
    if (s->feeding && f->kind == FEED_ALL)
        return;
    bool behind = s->feeding && f->kind == kind && kind == FEED_DUE && f->last + 1 == number;
    if (behind || (s->feeding && f->kind == kind && f->last == number)) {
        f->last = number;
        return;
    }
    /* writing can only fail as the commit will fail too */
    if (s->feeding && store_feed_write(s, NULL) != 0)
        return;
    *f = (struct feed){kind, number, number};
    s->feeding = true;
}

int store_feed_forget(struct store *s, struct error *e)
{
    s->counters.feed_first = s->counters.feed_next;
    s->changed = true;
    return db_empty(s->db, DB_FEED, e);
}

int store_feed_write(struct store *s, struct error *e)
{
    struct feed f = s->feed;
    if (s->counters.feed_next - s->counters.feed_first >= FEED_MAX) {
        int failed = store_feed_forget(s, e);
        if (failed)
            return failed;
        f = (struct feed){FEED_ALL, 0, 0};
    }
    struct key k = key_number((uint64_t)s->counters.feed_next), v = {.length = 0};
    v.bytes[v.length++] = (unsigned char)f.kind;
    key_u64(&v, f.first);
    key_u64(&v, f.last);
    int failed = db_append(s->db, DB_FEED, key_bytes(&k), key_bytes(&v), e);
    if (failed)
        return failed;
    s->counters.feed_next++;
    s->changed = true;
    s->feeding = false;
    return 0;
}

static bool feed_read(struct db_bytes key, struct db_bytes value, uint64_t *sequence, struct feed *f)
{
    if (!key_take_u64(&key, sequence) || value.length != 17)
        return false;
    const unsigned char *kind = value.data;
    value = (struct db_bytes){kind + 1, value.length - 1};
    f->kind = *kind <= FEED_FOREGROUND ? (enum feed_kind) * kind : FEED_ALL;
    return key_take_u64(&value, &f->first) && key_take_u64(&value, &f->last);
}

int store_feed(struct store *s, uint64_t *position, store_feed_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct key from = key_number(*position + 1);
    struct feed f;
    int failed = db_cursor_new(s->db, DB_FEED, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, key_bytes(&from), &key, &value, e); failed == 0;
         failed = db_cursor_next(c, &key, &value, e)) {
        uint64_t sequence;
        if (!feed_read(key, value, &sequence, &f)) {
            failed = store_damaged(s, "its feed", e);
            break;
        }
        call(context, &f);
        *position = sequence;
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_feed_trim(struct store *s, uint64_t position, struct error *e)
{
    int failed = 0;
    if (position + 1 >= (uint64_t)s->counters.feed_next) /* the usual: all of it */
        return s->counters.feed_first == s->counters.feed_next ? 0 : store_feed_forget(s, e);
    for (; failed >= 0 && (uint64_t)s->counters.feed_first <= position; s->counters.feed_first++) {
        struct key k = key_number((uint64_t)s->counters.feed_first);
        failed = db_delete(s->db, DB_FEED, key_bytes(&k), e);
        s->changed = true;
    }
    return failed < 0 ? failed : 0;
}
