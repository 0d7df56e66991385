/* Who did what with a job: meta "audit:" job u64, a msgpack list of [time, uid, text], the oldest first, of a bounded
 * length. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/text/pack.h"
#include "spool/store_private.h"

#define PREFIX "audit:"
#define PREFIX_LENGTH (sizeof PREFIX - 1)
#define KEPT 50

static struct key audit_key(uint64_t number)
{
    struct key k = {.length = PREFIX_LENGTH};
    memcpy(k.bytes, PREFIX, PREFIX_LENGTH);
    key_u64(&k, number);
    return k;
}

static int audit_read(struct store *s, uint64_t number, struct value *out, struct error *e)
{
    struct key k = audit_key(number);
    struct db_bytes bytes;
    *out = value_list();
    int found = db_get(s->db, DB_META, key_bytes(&k), &bytes, e);
    if (found)
        return found < 0 ? found : 0;
    struct value list;
    if (pack_read(bytes.data, bytes.length, &list, NULL) < 0)
        return 0; /* damaged: a trail is not worth stopping for */
    if (list.kind == VALUE_LIST)
        *out = list;
    else
        value_clear(&list);
    return 0;
}

int store_audit(struct store *s, uint64_t number, instant now, const char *what, struct error *e)
{
    struct value before, list = value_list();
    int failed = audit_read(s, number, &before, e);
    if (failed)
        return failed;
    size_t first = before.list.count >= KEPT ? before.list.count - KEPT + 1 : 0;
    for (size_t i = first; i < before.list.count; i++) {
        value_push(&list, before.list.items[i]);
        before.list.items[i] = (struct value){0};
    }
    struct value *entry = value_push(&list, value_list());
    value_push(entry, value_int(now));
    value_push(entry, value_int((int64_t)getuid()));
    value_push(entry, value_text(what));
    struct key k = audit_key(number);
    buf_reset(&s->record);
    pack_write(&s->record, &list);
    value_clear(&list);
    value_clear(&before);
    return db_put(s->db, DB_META, key_bytes(&k), (struct db_bytes){s->record.data, s->record.length}, e);
}

int store_audit_drop(struct store *s, uint64_t number, struct error *e)
{
    struct key k = audit_key(number);
    int failed = db_delete(s->db, DB_META, key_bytes(&k), e);
    return failed < 0 ? failed : 0;
}

int store_each_audit(struct store *s, uint64_t number, store_audit_call *call, void *context, struct error *e)
{
    struct value list;
    int failed = audit_read(s, number, &list, e);
    bool more = !failed;
    for (size_t i = 0; more && i < list.list.count; i++) {
        const struct value *v = &list.list.items[i];
        if (v->kind != VALUE_LIST || v->list.count != 3 || v->list.items[0].kind != VALUE_INT ||
            v->list.items[1].kind != VALUE_INT || v->list.items[2].kind != VALUE_TEXT)
            continue;
        struct audit a = {v->list.items[0].integer, (uint32_t)v->list.items[1].integer, v->list.items[2].text.data};
        more = call(context, &a);
    }
    if (!failed)
        value_clear(&list);
    return failed;
}
