#include <stdlib.h>
#include <string.h>

#include "spool/store_private.h"

#define QUEUE_DEFAULT "default"
#define QUEUE_DEFAULT_ID 1

static bool queue_read(struct db_bytes name, struct db_bytes value, struct queue *q)
{
    if (name.length >= sizeof q->name || !key_take_u32(&value, &q->id) || !key_take_u32(&value, &q->limit))
        return false;
    memcpy(q->name, name.data, name.length);
    q->name[name.length] = '\0';
    return true;
}

/* 0, STORE_NONE, negative. The default queue is there without an entry. */
static int queue_get(struct store *s, const char *name, struct queue *q, struct error *e)
{
    struct db_bytes key = {name, strlen(name)}, value;
    if (!key.length || key.length >= sizeof q->name)
        return STORE_NONE;
    int found = db_get(s->db, DB_QUEUES, key, &value, e);
    if (found == 0 && !queue_read(key, value, q))
        return store_damaged(s, "its queues", e);
    if (found == DB_NONE && strcmp(name, QUEUE_DEFAULT) == 0) {
        *q = (struct queue){.id = QUEUE_DEFAULT_ID, .name = QUEUE_DEFAULT};
        return 0;
    }
    return found;
}

static int queue_put(struct store *s, const char *name, uint32_t id, uint32_t limit, struct error *e)
{
    struct key v = {.length = 0};
    key_u32(&v, id);
    key_u32(&v, limit);
    return db_put(s->db, DB_QUEUES, (struct db_bytes){name, strlen(name)}, key_bytes(&v), e);
}

/* The queue, registered if need be. */
static int queue_have(struct store *s, const char *name, struct queue *q, struct error *e)
{
    int found = queue_get(s, name, q, e);
    if (found != STORE_NONE)
        return found;
    int failed = job_name_check(name, e);
    if (failed)
        return error_field(e, "queue");
    *q = (struct queue){.id = (uint32_t)s->counters.next_queue++};
    s->changed = true;
    return queue_put(s, name, q->id, 0, e);
}

int store_queue_id(struct store *s, const char *name, uint32_t *id, struct error *e)
{
    struct queue q = {.id = QUEUE_DEFAULT_ID};
    int failed = name ? queue_have(s, name, &q, e) : 0;
    if (!failed)
        *id = q.id;
    return failed;
}

int store_queue_set(struct store *s, const char *name, uint32_t limit, struct error *e)
{
    struct queue q;
    int failed = queue_have(s, name, &q, e);
    if (!failed)
        failed = queue_put(s, name, q.id, limit, e);
    if (!failed)
        store_feed_add(s, FEED_QUEUES, 0);
    return failed;
}

/* The entry stays: jobs refer to its id. */
int store_queue_remove(struct store *s, const char *name, struct error *e)
{
    struct queue q;
    int found = queue_get(s, name, &q, e);
    if (found == STORE_NONE)
        return error_set(e, ERROR_NOT_FOUND, "there is no queue %s", name);
    return found < 0 ? found : store_queue_set(s, name, 0, e);
}

int store_each_queue(struct store *s, store_queue_call *call, void *context, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct queue q = {.id = QUEUE_DEFAULT_ID, .name = QUEUE_DEFAULT};
    int failed = queue_get(s, QUEUE_DEFAULT, &q, e);
    if (failed < 0 || !call(context, &q))
        return failed < 0 ? failed : 0;
    failed = db_cursor_new(s->db, DB_QUEUES, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){0}, &key, &value, e); failed == 0;
         failed = db_cursor_next(c, &key, &value, e)) {
        if (!queue_read(key, value, &q)) {
            failed = store_damaged(s, "its queues", e);
            break;
        }
        if (q.id != QUEUE_DEFAULT_ID && !call(context, &q))
            break;
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}
