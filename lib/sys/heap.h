/* A 4-ary min-heap of intrusive nodes, ordered by (key, tie), with removal from the middle in O(log n). The heap owns no nodes; a node knows where it
 * is, so a node that is not in the heap, or not any more, is told from one that is. */
#ifndef AX_HEAP_H
#define AX_HEAP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct heap_node {
    int64_t key;
    uint64_t tie;
    uint32_t place; /* 0: in no heap; else index + 1 */
};

struct heap {
    struct heap_node **nodes;
    size_t count, capacity;
};

void heap_clear(struct heap *h); /* frees the array; nodes that were in it are marked as in no heap */
void heap_push(struct heap *h, struct heap_node *node); /* node must be in no heap */
struct heap_node *heap_first(const struct heap *h);     /* NULL when empty */
struct heap_node *heap_pop(struct heap *h);             /* NULL when empty */
bool heap_remove(struct heap *h, struct heap_node *node); /* false if node is not in h */
bool heap_move(struct heap *h, struct heap_node *node, int64_t key); /* new key; false if node is not in h */

#endif
