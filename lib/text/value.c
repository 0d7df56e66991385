#include "lib/text/value.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

static void value_list_clear(struct value *v)
{
    for (size_t i = 0; i < v->list.count; i++)
        value_clear(&v->list.items[i]);
    if (v->list.keys)
        for (size_t i = 0; i < v->list.count; i++)
            free(v->list.keys[i]);
    free(v->list.items);
    free(v->list.keys);
}

void value_clear(struct value *v)
{
    if (v->kind == VALUE_TEXT)
        free(v->text.data);
    else if (v->kind == VALUE_LIST || v->kind == VALUE_MAP)
        value_list_clear(v);
    *v = (struct value){0};
}

struct value value_bool(bool b)
{
    return (struct value){.kind = VALUE_BOOL, .boolean = b};
}

struct value value_int(int64_t n)
{
    return (struct value){.kind = VALUE_INT, .integer = n};
}

struct value value_real(double r)
{
    return (struct value){.kind = VALUE_REAL, .real = r};
}

struct value value_text(const char *text)
{
    return text ? value_bytes(text, strlen(text)) : (struct value){0};
}

struct value value_bytes(const void *data, size_t length)
{
    char *copy = mem_alloc(length + 1);
    if (length)
        memcpy(copy, data, length);
    copy[length] = '\0';
    return (struct value){.kind = VALUE_TEXT, .text = {copy, length}};
}

struct value value_list(void)
{
    return (struct value){.kind = VALUE_LIST};
}

struct value value_map(void)
{
    return (struct value){.kind = VALUE_MAP};
}

void value_reserve(struct value *list, size_t count)
{
    if (count <= list->list.capacity)
        return;
    list->list.items = mem_resize(list->list.items, count, sizeof *list->list.items);
    if (list->kind == VALUE_MAP)
        list->list.keys = mem_resize(list->list.keys, count, sizeof *list->list.keys);
    list->list.capacity = count;
}

static struct value *value_append(struct value *list, char *key, struct value item)
{
    size_t at = list->list.count;
    if (at == list->list.capacity)
        value_reserve(list, at < 4 ? 4 : at * 2);
    if (key)
        list->list.keys[at] = key;
    list->list.items[at] = item;
    list->list.count++;
    return &list->list.items[at];
}

struct value *value_push(struct value *list, struct value item)
{
    return value_append(list, NULL, item);
}

struct value *value_put(struct value *map, const char *key, struct value item)
{
    return value_append(map, mem_string(key), item);
}

struct value *value_put_key(struct value *map, char *key, struct value item)
{
    return value_append(map, key, item);
}

const struct value *value_get(const struct value *map, const char *key)
{
    if (map->kind != VALUE_MAP)
        return NULL;
    for (size_t i = 0; i < map->list.count; i++)
        if (strcmp(map->list.keys[i], key) == 0)
            return &map->list.items[i];
    return NULL;
}

static bool value_real_equal(double a, double b)
{
    return a == b || (isnan(a) && isnan(b));
}

static bool value_list_equal(const struct value *a, const struct value *b)
{
    for (size_t i = 0; i < a->list.count; i++)
        if (!value_equal(&a->list.items[i], &b->list.items[i]))
            return false;
    return true;
}

static bool value_map_equal(const struct value *a, const struct value *b)
{
    for (size_t i = 0; i < a->list.count; i++) {
        const char *key = a->list.keys[i];
        const struct value *twin = strcmp(key, b->list.keys[i]) == 0 ? &b->list.items[i] : value_get(b, key);
        if (!twin || !value_equal(&a->list.items[i], twin))
            return false;
    }
    return true;
}

bool value_equal(const struct value *a, const struct value *b)
{
    if (a->kind != b->kind)
        return false;
    switch (a->kind) {
    case VALUE_NULL:
        return true;
    case VALUE_BOOL:
        return a->boolean == b->boolean;
    case VALUE_INT:
        return a->integer == b->integer;
    case VALUE_REAL:
        return value_real_equal(a->real, b->real);
    case VALUE_TEXT:
        return a->text.length == b->text.length && memcmp(a->text.data, b->text.data, a->text.length) == 0;
    case VALUE_LIST:
        return a->list.count == b->list.count && value_list_equal(a, b);
    case VALUE_MAP:
        return a->list.count == b->list.count && value_map_equal(a, b);
    }
    return false;
}

const char *value_kind_name(enum value_kind kind)
{
    static const char *const names[] = {
        [VALUE_NULL] = "null",
        [VALUE_BOOL] = "true or false",
        [VALUE_INT] = "a whole number",
        [VALUE_REAL] = "a number with a fraction",
        [VALUE_TEXT] = "a text",
        [VALUE_LIST] = "a list",
        [VALUE_MAP] = "a map",
    };
    return names[kind];
}
