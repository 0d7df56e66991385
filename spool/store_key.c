#include "spool/store_private.h"

static void key_add(struct key *k, uint64_t n, int size)
{
    for (int shift = (size - 1) * 8; shift >= 0; shift -= 8)
        k->bytes[k->length++] = (unsigned char)(n >> shift);
}

void key_u32(struct key *k, uint32_t n)
{
    key_add(k, n, 4);
}

void key_u64(struct key *k, uint64_t n)
{
    key_add(k, n, 8);
}

#define SIGN (UINT64_C(1) << 63)

void key_time(struct key *k, instant t)
{
    key_add(k, (uint64_t)t ^ SIGN, 8);
}

struct key key_number(uint64_t number)
{
    struct key k = {.length = 0};
    key_u64(&k, number);
    return k;
}

struct key key_open(struct run_id id)
{
    struct key k = key_number(id.job);
    key_u32(&k, id.n);
    return k;
}

struct key key_run(struct run_id id)
{
    struct key k = key_open(id);
    key_u32(&k, id.note);
    return k;
}

struct db_bytes key_bytes(const struct key *k)
{
    return (struct db_bytes){k->bytes, k->length};
}

static bool key_take(struct db_bytes *data, size_t size, uint64_t *out)
{
    if (data->length < size)
        return false;
    const unsigned char *p = data->data;
    uint64_t n = 0;
    for (size_t i = 0; i < size; i++)
        n = n << 8 | p[i];
    *data = (struct db_bytes){p + size, data->length - size};
    *out = n;
    return true;
}

bool key_take_u32(struct db_bytes *data, uint32_t *out)
{
    uint64_t n;
    if (!key_take(data, 4, &n))
        return false;
    *out = (uint32_t)n;
    return true;
}

bool key_take_u64(struct db_bytes *data, uint64_t *out)
{
    return key_take(data, 8, out);
}

bool key_take_time(struct db_bytes *data, instant *out)
{
    uint64_t n;
    if (!key_take(data, 8, &n))
        return false;
    *out = (instant)(n ^ SIGN);
    return true;
}
