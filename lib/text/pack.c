#include "lib/text/pack.h"

#include <string.h>

/* The depth of the decoder's own stack; must be set before the library's headers. */
#define MSGPACK_EMBED_STACK_SIZE 64
#include <msgpack.h>

static int pack_append(void *data, const char *bytes, size_t length)
{
    buf_add(data, bytes, length);
    return 0;
}

static void pack_text(msgpack_packer *to, const char *data, size_t length)
{
    msgpack_pack_str(to, length);
    msgpack_pack_str_body(to, data, length);
}

static void pack_value(msgpack_packer *to, const struct value *v)
{
    switch (v->kind) {
    case VALUE_NULL:
        msgpack_pack_nil(to);
        return;
    case VALUE_BOOL:
        v->boolean ? msgpack_pack_true(to) : msgpack_pack_false(to);
        return;
    case VALUE_INT:
        msgpack_pack_int64(to, v->integer);
        return;
    case VALUE_REAL:
        msgpack_pack_double(to, v->real);
        return;
    case VALUE_TEXT:
        pack_text(to, v->text.data, v->text.length);
        return;
    case VALUE_LIST:
        msgpack_pack_array(to, v->list.count);
        for (size_t i = 0; i < v->list.count; i++)
            pack_value(to, &v->list.items[i]);
        return;
    case VALUE_MAP:
        msgpack_pack_map(to, v->list.count);
        for (size_t i = 0; i < v->list.count; i++) {
            pack_text(to, v->list.keys[i], strlen(v->list.keys[i]));
            pack_value(to, &v->list.items[i]);
        }
        return;
    }
}

void pack_write(struct buf *b, const struct value *v)
{
    msgpack_packer to;
    msgpack_packer_init(&to, b, pack_append);
    pack_value(&to, v);
}

/* The library's decoder is a template over these callbacks: it makes values straight from the bytes, with no tree of
 * its own between. */

enum pack_failure { PACK_BAD = -4, PACK_SIZE = -3, PACK_DEPTH = MSGPACK_UNPACK_NOMEM_ERROR };

struct pack_user {
    size_t items; /* how many more items the input can hold: each takes a byte at least */
};

static int pack_make_int(struct pack_user *u, int64_t n, struct value *out)
{
    (void)u;
    *out = value_int(n);
    return 0;
}

static int pack_make_uint64(struct pack_user *u, uint64_t n, struct value *out)
{
    return n > INT64_MAX ? PACK_BAD : pack_make_int(u, (int64_t)n, out);
}

static int pack_make_real(struct pack_user *u, double r, struct value *out)
{
    (void)u;
    *out = value_real(r);
    return 0;
}

static int pack_make_nil(struct pack_user *u, struct value *out)
{
    (void)u;
    *out = (struct value){0};
    return 0;
}

static int pack_make_true(struct pack_user *u, struct value *out)
{
    (void)u;
    *out = value_bool(true);
    return 0;
}

static int pack_make_false(struct pack_user *u, struct value *out)
{
    (void)u;
    *out = value_bool(false);
    return 0;
}

static int pack_make_text(struct pack_user *u, const char *base, const char *data, size_t length, struct value *out)
{
    (void)u;
    (void)base;
    *out = value_bytes(data, length);
    return 0;
}

static int pack_make_extension(
    struct pack_user *u, const char *base, const char *data, size_t length, struct value *out)
{
    (void)u;
    (void)base;
    (void)data;
    (void)length;
    (void)out;
    return PACK_BAD;
}

static int pack_make_container(struct pack_user *u, size_t count, size_t items, struct value *out)
{
    if (items > u->items)
        return PACK_SIZE;
    u->items -= items;
    value_reserve(out, count);
    return 0;
}

static int pack_make_list(struct pack_user *u, size_t count, struct value *out)
{
    *out = value_list();
    return pack_make_container(u, count, count, out);
}

static int pack_make_map(struct pack_user *u, size_t count, struct value *out)
{
    *out = value_map();
    return pack_make_container(u, count, count * 2, out);
}

static int pack_make_list_item(struct pack_user *u, struct value *list, struct value item)
{
    (void)u;
    value_push(list, item);
    return 0;
}

static int pack_make_map_item(struct pack_user *u, struct value *map, struct value key, struct value item)
{
    (void)u;
    if (key.kind == VALUE_TEXT && strlen(key.text.data) == key.text.length) {
        value_put_key(map, key.text.data, item);
        return 0;
    }
    value_clear(&item); /* the key is still on the decoder's stack: pack_drop frees it */
    return PACK_BAD;
}

static struct value pack_make_root(struct pack_user *u)
{
    (void)u;
    return (struct value){0};
}

#define pack_make_uint8 pack_make_int
#define pack_make_uint16 pack_make_int
#define pack_make_uint32 pack_make_int
#define pack_make_int8 pack_make_int
#define pack_make_int16 pack_make_int
#define pack_make_int32 pack_make_int
#define pack_make_int64 pack_make_int
#define pack_make_float pack_make_real
#define pack_make_double pack_make_real
#define pack_make_str pack_make_text
#define pack_make_bin pack_make_text
#define pack_make_ext pack_make_extension
#define pack_make_array pack_make_list
#define pack_make_array_item pack_make_list_item

#define msgpack_unpack_struct(name) struct pack_decoder##name
#define msgpack_unpack_func(type, name) static type pack_decoder##name
#define msgpack_unpack_callback(name) pack_make##name
#define msgpack_unpack_object struct value
#define msgpack_unpack_user struct pack_user
#include <msgpack/unpack_define.h>
#include <msgpack/unpack_template.h>

/* Frees what was being built when the decoder gave up. */
static void pack_drop(struct pack_decoder_context *d)
{
    for (unsigned i = 0; i < d->top; i++) {
        value_clear(&d->stack[i].obj);
        if (d->stack[i].ct == MSGPACK_CT_MAP_VALUE)
            value_clear(&d->stack[i].map_key);
    }
}

static const char *pack_failure_text(int code)
{
    switch (code) {
    case PACK_DEPTH:
        return "nested too deep";
    case PACK_SIZE:
    case 0:
        return "cut off";
    default:
        return "not what ax writes";
    }
}

int pack_read(const void *data, size_t length, struct value *out, struct error *e)
{
    struct pack_decoder_context d;
    size_t used = 0;
    d.user.items = length;
    pack_decoder_init(&d);
    int code = pack_decoder_execute(&d, data, length, &used);
    if (code <= 0) {
        pack_drop(&d);
        return error_set(e, ERROR_SPOOL, "damaged record: %s at byte %zu", pack_failure_text(code), used);
    }
    struct value v = pack_decoder_data(&d);
    if (used != length) {
        value_clear(&v);
        return error_set(e, ERROR_SPOOL, "damaged record: something follows it at byte %zu", used);
    }
    *out = v;
    return 0;
}
