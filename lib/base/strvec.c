#include "lib/base/strvec.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

void strvec_clear(struct strvec *v)
{
    for (size_t i = 0; i < v->count; i++)
        free(v->items[i]);
    free(v->items);
    *v = (struct strvec){0};
}

void strvec_take(struct strvec *v, char *text)
{
    MEM_GROW(v->items, v->capacity, v->count + 2);
    v->items[v->count++] = text;
    v->items[v->count] = NULL;
}

void strvec_add(struct strvec *v, const char *text)
{
    strvec_take(v, mem_string(text));
}

void strvec_copy(struct strvec *to, const struct strvec *from)
{
    strvec_clear(to);
    for (size_t i = 0; i < from->count; i++)
        strvec_add(to, from->items[i]);
}

bool strvec_equal(const struct strvec *a, const struct strvec *b)
{
    if (a->count != b->count)
        return false;
    for (size_t i = 0; i < a->count; i++)
        if (strcmp(a->items[i], b->items[i]) != 0)
            return false;
    return true;
}

static int strvec_order(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

void strvec_sort(struct strvec *v)
{
    if (v->count)
        qsort(v->items, v->count, sizeof *v->items, strvec_order);
}

static char **strvec_env_find(const struct strvec *v, const char *name)
{
    size_t length = strlen(name);
    for (size_t i = 0; i < v->count; i++)
        if (strncmp(v->items[i], name, length) == 0 && v->items[i][length] == '=')
            return &v->items[i];
    return NULL;
}

void strvec_env_set(struct strvec *v, const char *name, const char *value)
{
    char *entry = mem_format("%s=%s", name, value);
    char **old = strvec_env_find(v, name);
    if (!old) {
        strvec_take(v, entry);
        return;
    }
    free(*old);
    *old = entry;
}

const char *strvec_env_get(const struct strvec *v, const char *name)
{
    char **entry = strvec_env_find(v, name);
    return entry ? *entry + strlen(name) + 1 : NULL;
}
