/* Bytes in JSON: see store_entry.h. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/base64.h"
#include "lib/text/utf8.h"
#include "spool/store_entry.h"

#define BYTES "$bytes"
#define PAIRS "$pairs"

static bool is_utf8(const char *data, size_t length)
{
    uint32_t c;
    for (size_t at = 0; at < length;) {
        size_t size = utf8_decode(data + at, length - at, &c);
        if (!size)
            return false;
        at += size;
    }
    return true;
}

static struct value escape_text(struct value v)
{
    if (is_utf8(v.text.data, v.text.length))
        return v;
    struct buf b = {0};
    struct value map = value_map();
    base64_write(&b, v.text.data, v.text.length);
    value_put(&map, BYTES, value_bytes(b.data, b.length));
    buf_clear(&b);
    value_clear(&v);
    return map;
}

static bool keys_are_utf8(const struct value *map)
{
    for (size_t i = 0; i < map->list.count; i++)
        if (!is_utf8(map->list.keys[i], strlen(map->list.keys[i])))
            return false;
    return true;
}

static struct value escape_pairs(struct value v)
{
    struct value map = value_map(), list = value_list();
    for (size_t i = 0; i < v.list.count; i++) {
        struct value *pair = value_push(&list, value_list());
        value_push(pair, escape_text(value_text(v.list.keys[i])));
        value_push(pair, v.list.items[i]);
        v.list.items[i] = (struct value){0};
    }
    value_clear(&v);
    value_put(&map, PAIRS, list);
    return map;
}

struct value entry_escape(struct value v)
{
    if (v.kind == VALUE_TEXT)
        return escape_text(v);
    if (v.kind != VALUE_LIST && v.kind != VALUE_MAP)
        return v;
    for (size_t i = 0; i < v.list.count; i++) {
        v.list.items[i] = entry_escape(v.list.items[i]);
        if (v.kind == VALUE_MAP && *v.list.keys[i] == '$') {
            char *key = mem_format("$%s", v.list.keys[i]);
            free(v.list.keys[i]);
            v.list.keys[i] = key;
        }
    }
    return v.kind == VALUE_MAP && !keys_are_utf8(&v) ? escape_pairs(v) : v;
}

/* ---- back ---- */

static int unescape_bytes(struct value *v, struct error *e)
{
    const struct value *text = &v->list.items[0];
    struct buf b = {0};
    if (text->kind != VALUE_TEXT || !base64_read(&b, text->text.data, text->text.length)) {
        buf_clear(&b);
        return error_set(e, ERROR_USAGE, "what stands under " BYTES " is not base64");
    }
    value_clear(v);
    *v = value_bytes(b.data ? b.data : "", b.length);
    buf_clear(&b);
    return 0;
}

/* The keys have lost what escaped them; those that begin with `$` still have one `$` too many. */
static int unescape_pair(struct value *pair, struct value *map)
{
    if (pair->kind != VALUE_LIST || pair->list.count != 2 || pair->list.items[0].kind != VALUE_TEXT)
        return -1;
    const char *key = pair->list.items[0].text.data;
    if (strlen(key) != pair->list.items[0].text.length || (*key == '$' && key[1] != '$'))
        return -1;
    value_put(map, key + (*key == '$'), pair->list.items[1]);
    pair->list.items[1] = (struct value){0};
    return 0;
}

static int unescape_pairs(struct value *v, struct error *e)
{
    struct value map = value_map(), *list = &v->list.items[0];
    int failed = list->kind == VALUE_LIST ? 0 : -1;
    for (size_t i = 0; !failed && i < list->list.count; i++)
        failed = unescape_pair(&list->list.items[i], &map);
    if (failed) {
        value_clear(&map);
        return error_set(e, ERROR_USAGE, "what stands under " PAIRS " is not a list of pairs");
    }
    value_clear(v);
    *v = map;
    return 0;
}

static int unescape_key(struct value *map, size_t i, struct error *e)
{
    char *key = map->list.keys[i];
    if (*key != '$')
        return 0;
    if (key[1] != '$')
        return error_set(e, ERROR_USAGE, "the key %.100s has no meaning here", key);
    memmove(key, key + 1, strlen(key));
    return 0;
}

int entry_unescape(struct value *v, struct error *e)
{
    if (v->kind != VALUE_LIST && v->kind != VALUE_MAP)
        return 0;
    bool single = v->kind == VALUE_MAP && v->list.count == 1;
    if (single && strcmp(v->list.keys[0], BYTES) == 0)
        return unescape_bytes(v, e);
    bool pairs = single && strcmp(v->list.keys[0], PAIRS) == 0;
    int failed = 0;
    for (size_t i = 0; !failed && i < v->list.count; i++) {
        failed = entry_unescape(&v->list.items[i], e);
        if (!failed && v->kind == VALUE_MAP && !pairs)
            failed = unescape_key(v, i, e);
    }
    return failed || !pairs ? failed : unescape_pairs(v, e);
}
