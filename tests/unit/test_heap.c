#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "lib/sys/heap.h"

#define NODES 10
#define NONE (-1)

/* Operations on nodes 0 to 9; a node's number is its tie. */
enum act { PUSH, POP, FIRST, REMOVE, MOVE, OTHER, END };
struct operation {
    enum act act;
    int node;    /* PUSH, REMOVE, MOVE, OTHER (removes it from a heap that it is not in): which; POP, FIRST: the one expected, or NONE */
    int64_t key; /* PUSH, MOVE */
    int there;   /* REMOVE, MOVE, OTHER: expected answer */
};

static const struct scenario {
    const char *name;
    struct operation operations[26];
} scenarios[] = {
    {"empty", {{FIRST, NONE, 0, 0}, {POP, NONE, 0, 0}, {REMOVE, 0, 0, 0}, {MOVE, 0, 5, 0}, {END, 0, 0, 0}}},
    {"in order of key", {{PUSH, 0, 30, 0}, {PUSH, 1, 10, 0}, {PUSH, 2, 20, 0}, {FIRST, 1, 0, 0}, {POP, 1, 0, 0}, {POP, 2, 0, 0},
        {POP, 0, 0, 0}, {POP, NONE, 0, 0}, {END, 0, 0, 0}}},
    {"equal keys in order of tie", {{PUSH, 3, 7, 0}, {PUSH, 1, 7, 0}, {PUSH, 2, 7, 0}, {PUSH, 0, 8, 0}, {POP, 1, 0, 0}, {POP, 2, 0, 0},
        {POP, 3, 0, 0}, {POP, 0, 0, 0}, {END, 0, 0, 0}}},
    {"extreme keys", {{PUSH, 0, INT64_MAX, 0}, {PUSH, 1, INT64_MIN, 0}, {PUSH, 2, 0, 0}, {POP, 1, 0, 0}, {POP, 2, 0, 0}, {POP, 0, 0, 0}, {END, 0, 0, 0}}},
    {"removed from the middle", {{PUSH, 0, 1, 0}, {PUSH, 1, 2, 0}, {PUSH, 2, 3, 0}, {PUSH, 3, 4, 0}, {PUSH, 4, 5, 0}, {PUSH, 5, 6, 0},
        {REMOVE, 2, 0, 1}, {POP, 0, 0, 0}, {REMOVE, 4, 0, 1}, {POP, 1, 0, 0}, {POP, 3, 0, 0}, {POP, 5, 0, 0}, {POP, NONE, 0, 0}, {END, 0, 0, 0}}},
    {"the hole is filled by one that must rise", /* 9, the last, comes from below 2 into the place of 5, below 1 */
        {{PUSH, 0, 0, 0}, {PUSH, 1, 100, 0}, {PUSH, 2, 10, 0}, {PUSH, 3, 11, 0}, {PUSH, 4, 12, 0}, {PUSH, 5, 101, 0}, {PUSH, 6, 102, 0},
        {PUSH, 7, 103, 0}, {PUSH, 8, 104, 0}, {PUSH, 9, 15, 0}, {REMOVE, 5, 0, 1}, {POP, 0, 0, 0}, {POP, 2, 0, 0}, {POP, 3, 0, 0}, {POP, 4, 0, 0},
        {POP, 9, 0, 0}, {POP, 1, 0, 0}, {POP, 6, 0, 0}, {POP, 7, 0, 0}, {POP, 8, 0, 0}, {POP, NONE, 0, 0}, {END, 0, 0, 0}}},
    {"moved to the front and to the back", {{PUSH, 0, 10, 0}, {PUSH, 1, 20, 0}, {PUSH, 2, 30, 0}, {MOVE, 2, 5, 1}, {FIRST, 2, 0, 0}, {MOVE, 2, 40, 1},
        {FIRST, 0, 0, 0}, {MOVE, 0, 10, 1}, {POP, 0, 0, 0}, {POP, 1, 0, 0}, {POP, 2, 0, 0}, {END, 0, 0, 0}}},
    {"stale after pop", {{PUSH, 0, 1, 0}, {PUSH, 1, 2, 0}, {POP, 0, 0, 0}, {REMOVE, 0, 0, 0}, {MOVE, 0, 9, 0}, {FIRST, 1, 0, 0}, {END, 0, 0, 0}}},
    {"stale after remove", {{PUSH, 0, 1, 0}, {PUSH, 1, 2, 0}, {REMOVE, 1, 0, 1}, {REMOVE, 1, 0, 0}, {POP, 0, 0, 0}, {POP, NONE, 0, 0}, {END, 0, 0, 0}}},
    {"back again after pop", {{PUSH, 0, 1, 0}, {POP, 0, 0, 0}, {PUSH, 0, 3, 0}, {PUSH, 1, 2, 0}, {POP, 1, 0, 0}, {POP, 0, 0, 0}, {END, 0, 0, 0}}},
    {"a node of another heap is not touched", {{PUSH, 0, 1, 0}, {OTHER, 0, 0, 0}, {FIRST, 0, 0, 0}, {POP, 0, 0, 0}, {END, 0, 0, 0}}},
};

static bool apply(struct heap *h, struct heap *other, struct heap_node *nodes, const struct operation *o)
{
    struct heap_node *expected = o->node == NONE ? NULL : &nodes[o->node];
    switch (o->act) {
    case PUSH:
        expected->key = o->key;
        heap_push(h, expected);
        return true;
    case POP:
        return heap_pop(h) == expected;
    case FIRST:
        return heap_first(h) == expected;
    case REMOVE:
        return heap_remove(h, expected) == o->there;
    case MOVE:
        return heap_move(h, expected, o->key) == o->there;
    case OTHER:
        return heap_remove(other, expected) == o->there;
    case END:
        break;
    }
    return false;
}

static void test_operations(void **state)
{
    (void)state;
    for (size_t s = 0; s < sizeof scenarios / sizeof *scenarios; s++) {
        struct heap h = {0}, other = {0};
        struct heap_node nodes[NODES] = {{0}}, stranger = {.key = 1};
        heap_push(&other, &stranger);
        for (uint64_t i = 0; i < NODES; i++)
            nodes[i].tie = i;
        for (int i = 0; scenarios[s].operations[i].act != END; i++)
            if (!apply(&h, &other, nodes, &scenarios[s].operations[i]))
                fail_msg("%s: operation %d", scenarios[s].name, i);
        heap_clear(&h);
        heap_clear(&other);
    }
}

static void test_clear_frees_the_nodes(void **state)
{
    (void)state;
    struct heap h = {0};
    struct heap_node a = {.key = 1}, b = {.key = 2};
    heap_push(&h, &a);
    heap_push(&h, &b);
    heap_clear(&h);
    assert_int_equal(a.place, 0);
    assert_int_equal(b.place, 0);
    assert_false(heap_remove(&h, &a));
    heap_push(&h, &b);
    assert_ptr_equal(heap_pop(&h), &b);
    heap_clear(&h);
}

/* ---- the same operations on a heap and on an array that is searched from end to end ---- */

#define MANY 300

static uint32_t next_random(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (uint32_t)(*seed >> 33);
}

static struct heap_node *model_first(struct heap_node *nodes, const bool *in)
{
    struct heap_node *first = NULL;
    for (int i = 0; i < MANY; i++)
        if (in[i] && (!first || nodes[i].key < first->key || (nodes[i].key == first->key && nodes[i].tie < first->tie)))
            first = &nodes[i];
    return first;
}

static void test_random(void **state)
{
    (void)state;
    const uint64_t start = 20261201;
    uint64_t seed = start;
    struct heap h = {0};
    static struct heap_node nodes[MANY];
    static bool in[MANY];
    for (int i = 0; i < MANY; i++)
        nodes[i].tie = (uint64_t)i;
    for (int step = 0; step < 40000; step++) {
        int i = (int)(next_random(&seed) % MANY);
        int64_t key = next_random(&seed) % 100; /* few, so that many are equal */
        switch (next_random(&seed) % 5) {
        case 0: case 1:
            if (!in[i]) {
                nodes[i].key = key;
                heap_push(&h, &nodes[i]);
                in[i] = true;
            }
            break;
        case 2:
            assert_int_equal(heap_remove(&h, &nodes[i]), in[i]);
            in[i] = false;
            break;
        case 3:
            assert_int_equal(heap_move(&h, &nodes[i], key), in[i]);
            break;
        case 4: {
            struct heap_node *expected = model_first(nodes, in);
            if (heap_pop(&h) != expected)
                fail_msg("seed %llu, step %d", (unsigned long long)start, step);
            if (expected)
                in[expected - nodes] = false;
        }
        }
        if (heap_first(&h) != model_first(nodes, in))
            fail_msg("seed %llu, step %d: first", (unsigned long long)start, step);
    }
    heap_clear(&h);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_operations),
        cmocka_unit_test(test_clear_frees_the_nodes),
        cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests_name("heap", tests, NULL, NULL);
}
