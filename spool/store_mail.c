/* Mail that waits to be sent: meta "mail:" job u64, n u32, with the tries so far (u32) and when to try next. */
#include <stdlib.h>
#include <string.h>

#include "spool/record.h"
#include "spool/store_private.h"

#define PREFIX "mail:"
#define PREFIX_LENGTH (sizeof PREFIX - 1)

static struct key mail_key(struct run_id id)
{
    struct key k = {.length = PREFIX_LENGTH};
    memcpy(k.bytes, PREFIX, PREFIX_LENGTH);
    key_u64(&k, id.job);
    key_u32(&k, id.n);
    return k;
}

static int mail_put(struct store *s, struct run_id id, uint32_t tries, instant next, struct error *e)
{
    struct key k = mail_key(id), v = {.length = 0};
    key_u32(&v, tries);
    key_time(&v, next);
    return db_put(s->db, DB_META, key_bytes(&k), key_bytes(&v), e);
}

int store_mail_add(struct store *s, struct run_id id, instant now, struct error *e)
{
    s->counters.mails++;
    s->changed = true;
    return mail_put(s, id, 0, now, e);
}

static bool mail_read(struct db_bytes key, struct db_bytes value, struct store_mail *out)
{
    if (key.length < PREFIX_LENGTH || memcmp(key.data, PREFIX, PREFIX_LENGTH) != 0)
        return false;
    key = (struct db_bytes){(const char *)key.data + PREFIX_LENGTH, key.length - PREFIX_LENGTH};
    *out = (struct store_mail){.id = {0}};
    return key_take_u64(&key, &out->id.job) && key_take_u32(&key, &out->id.n) && key_take_u32(&value, &out->tries) &&
           key_take_time(&value, &out->next);
}

int store_mail_next(struct store *s, struct store_mail *out, bool *there, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct store_mail m;
    *there = false;
    int failed = db_cursor_new(s->db, DB_META, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){PREFIX, PREFIX_LENGTH}, &key, &value, e);
         failed == 0 && mail_read(key, value, &m); failed = db_cursor_next(c, &key, &value, e)) {
        if (!*there || m.next < out->next)
            *out = m;
        *there = true;
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_mail_done(struct store *s, const struct store_mail *m, enum run_mail result, instant next, struct error *e)
{
    struct key k = mail_key(m->id);
    if (result == MAIL_PENDING)
        return mail_put(s, m->id, m->tries + 1, next, e);
    int failed = db_delete(s->db, DB_META, key_bytes(&k), e);
    if (failed)
        return failed < 0 ? failed : 0; /* somebody else was faster */
    s->counters.mails--;
    s->changed = true;
    return store_run_mail(s, m->id, result, e);
}

int store_mail_of(struct store *s, uint64_t job, bool *there, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct store_mail m;
    struct key from = mail_key((struct run_id){.job = job});
    int failed = db_cursor_new(s->db, DB_META, &c, e);
    if (failed)
        return failed;
    failed = db_cursor_from(c, key_bytes(&from), &key, &value, e);
    *there = failed == 0 && mail_read(key, value, &m) && m.id.job == job;
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int64_t store_mail_count(const struct store *s)
{
    return s->counters.mails;
}
