#include <string.h>

#include "lib/base/hash.h"
#include "spool/store_private.h"

/* What has the same hash is told apart by its bytes, so that nobody gains by making collisions. */
static uint64_t env_hash(const struct buf *b)
{
    return hash_add(HASH_START, b->data, b->length);
}

static struct key env_key(uint64_t id, unsigned char part)
{
    struct key k = key_number(id);
    k.bytes[k.length++] = part;
    return k;
}

#define ENV_TEXT 0
#define ENV_COUNT 1

static int env_count(struct store *s, uint64_t id, uint64_t *count, struct error *e)
{
    struct key k = env_key(id, ENV_COUNT);
    struct db_bytes value;
    int found = db_get(s->db, DB_ENVS, key_bytes(&k), &value, e);
    if (found == 0 && !key_take_u64(&value, count))
        return store_damaged(s, "an environment", e);
    return found;
}

static int env_count_put(struct store *s, uint64_t id, uint64_t count, struct error *e)
{
    struct key k = env_key(id, ENV_COUNT), v = key_number(count);
    return db_put(s->db, DB_ENVS, key_bytes(&k), key_bytes(&v), e);
}

/* The id that the content has, or shall have: 0 is none. *there: it is kept already. */
static int env_place(struct store *s, const struct buf *content, uint64_t *id, bool *there, struct error *e)
{
    struct db_bytes value;
    for (uint64_t try = env_hash(content);; try++) {
        struct key k = env_key(try, ENV_TEXT);
        int found = try ? db_get(s->db, DB_ENVS, key_bytes(&k), &value, e) : 0;
        if (found < 0)
            return found;
        *there = found == 0 && try && value.length == content->length &&
                 memcmp(value.data, content->data, value.length) == 0;
        *id = try;
        if (*there || found == DB_NONE)
            return 0;
    }
}

int store_env_take(struct store *s, const struct strvec *env, uint64_t *id, struct error *e)
{
    struct buf content = {0};
    uint64_t count = 0;
    bool there = false;
    buf_reserve(&content, 4096);
    for (size_t i = 0; i < env->count; i++)
        buf_add(&content, env->items[i], strlen(env->items[i]) + 1);
    int failed = env_place(s, &content, id, &there, e);
    if (!failed && !there) {
        struct key k = env_key(*id, ENV_TEXT);
        failed = db_put(s->db, DB_ENVS, key_bytes(&k), (struct db_bytes){content.data, content.length}, e);
    } else if (!failed) {
        failed = env_count(s, *id, &count, e);
    }
    if (failed >= 0)
        failed = env_count_put(s, *id, count + 1, e);
    buf_clear(&content);
    return failed;
}

/* Probing must find what lies behind a collision, so the one in front stays as long as there is one behind it. */
static int env_delete(struct store *s, uint64_t id, struct error *e)
{
    struct db_bytes value;
    struct key behind = env_key(id + 1, ENV_TEXT), text = env_key(id, ENV_TEXT), count = env_key(id, ENV_COUNT);
    int found = db_get(s->db, DB_ENVS, key_bytes(&behind), &value, e);
    if (found != DB_NONE)
        return found < 0 ? found : env_count_put(s, id, 0, e);
    int failed = db_delete(s->db, DB_ENVS, key_bytes(&text), e);
    if (failed >= 0)
        failed = db_delete(s->db, DB_ENVS, key_bytes(&count), e);
    return failed < 0 ? failed : 0;
}

int store_env_drop(struct store *s, uint64_t id, struct error *e)
{
    uint64_t count = 0;
    if (!id)
        return 0;
    int found = env_count(s, id, &count, e);
    if (found < 0)
        return found;
    return count > 1 ? env_count_put(s, id, count - 1, e) : env_delete(s, id, e);
}

int store_env_get(struct store *s, uint64_t id, struct strvec *out, struct error *e)
{
    struct key k = env_key(id, ENV_TEXT);
    struct db_bytes value;
    int found = db_get(s->db, DB_ENVS, key_bytes(&k), &value, e);
    if (found < 0)
        return found;
    const char *p = value.data;
    if (found == DB_NONE || (value.length && p[value.length - 1]))
        return store_damaged(s, "an environment", e);
    strvec_clear(out);
    for (const char *end = p + value.length; p < end; p += strlen(p) + 1)
        strvec_add(out, p);
    return 0;
}
