#include "lib/sys/heap.h"

#include <stdlib.h>

#include "lib/base/mem.h"

#define ARITY 4 /* shallower than 2, and the four children lie in one cache line */

static bool heap_before(const struct heap_node *a, const struct heap_node *b)
{
    return a->key != b->key ? a->key < b->key : a->tie < b->tie;
}

static void heap_put(struct heap *h, size_t index, struct heap_node *node)
{
    h->nodes[index] = node;
    node->place = (uint32_t)index + 1;
}

static void heap_rise(struct heap *h, size_t index, struct heap_node *node)
{
    while (index) {
        size_t parent = (index - 1) / ARITY;
        if (!heap_before(node, h->nodes[parent]))
            break;
        heap_put(h, index, h->nodes[parent]);
        index = parent;
    }
    heap_put(h, index, node);
}

static size_t heap_least_child(const struct heap *h, size_t index)
{
    size_t first = index * ARITY + 1, least = first;
    for (size_t child = first + 1; child < first + ARITY && child < h->count; child++)
        if (heap_before(h->nodes[child], h->nodes[least]))
            least = child;
    return least;
}

static void heap_sink(struct heap *h, size_t index, struct heap_node *node)
{
    while (index * ARITY + 1 < h->count) {
        size_t child = heap_least_child(h, index);
        if (!heap_before(h->nodes[child], node))
            break;
        heap_put(h, index, h->nodes[child]);
        index = child;
    }
    heap_put(h, index, node);
}

/* Puts node where it belongs, beginning at index, whichever way that is. */
static void heap_settle(struct heap *h, size_t index, struct heap_node *node)
{
    if (index && heap_before(node, h->nodes[(index - 1) / ARITY]))
        heap_rise(h, index, node);
    else
        heap_sink(h, index, node);
}

static bool heap_holds(const struct heap *h, const struct heap_node *node)
{
    return node->place && node->place <= h->count && h->nodes[node->place - 1] == node;
}

void heap_clear(struct heap *h)
{
    for (size_t i = 0; i < h->count; i++)
        h->nodes[i]->place = 0;
    free(h->nodes);
    *h = (struct heap){0};
}

void heap_push(struct heap *h, struct heap_node *node)
{
    MEM_GROW(h->nodes, h->capacity, h->count + 1);
    heap_rise(h, h->count++, node);
}

struct heap_node *heap_first(const struct heap *h)
{
    return h->count ? h->nodes[0] : NULL;
}

struct heap_node *heap_pop(struct heap *h)
{
    struct heap_node *first = heap_first(h);
    if (first)
        heap_remove(h, first);
    return first;
}

bool heap_remove(struct heap *h, struct heap_node *node)
{
    if (!heap_holds(h, node))
        return false;
    size_t index = node->place - 1;
    struct heap_node *last = h->nodes[--h->count];
    node->place = 0;
    if (last != node)
        heap_settle(h, index, last);
    return true;
}

bool heap_move(struct heap *h, struct heap_node *node, int64_t key)
{
    if (!heap_holds(h, node))
        return false;
    node->key = key;
    heap_settle(h, node->place - 1, node);
    return true;
}
