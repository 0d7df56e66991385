#include "cmd/run/plan.h"

#include <stdlib.h>
#include <uthash.h>

#include "lib/base/mem.h"
#include "spool/slots.h"

struct plan_entry {
    struct heap_node node; /* key: ready time, tie: job number */
    uint64_t number;
    uint32_t weight;
    uint32_t lane;
    UT_hash_handle hh;
};

struct plan_queue {
    uint32_t id;
    uint32_t limit; /* 0: none */
    uint32_t used;
    uint32_t lanes;          /* so many point to it */
    struct plan_entry *best; /* scratch of plan_next */
    UT_hash_handle hh;
};

#define ENTRY(heap_node_) ((struct plan_entry *)(void *)(heap_node_)) /* node is the first member */

#define LANES_SPARE 64 /* lanes that may be empty: what comes again need not be looked up */

void plan_init(struct plan *p, uint32_t slots, size_t window)
{
    *p = (struct plan){.slots = slots, .window = window, .lane_most = LANES_SPARE};
}

static void entry_free(struct plan *p, struct plan_entry *e)
{
    heap_remove(&p->lanes[e->lane].heap, &e->node);
    HASH_DEL(p->entries, e);
    free(e);
}

static void lane_empty(struct plan *p, struct plan_lane *lane)
{
    struct heap_node *node;
    while ((node = heap_pop(&lane->heap))) {
        HASH_DEL(p->entries, ENTRY(node));
        free(ENTRY(node));
    }
}

void plan_clear(struct plan *p)
{
    for (size_t i = 0; i < p->lane_count; i++) {
        lane_empty(p, &p->lanes[i]);
        heap_clear(&p->lanes[i].heap);
    }
    free(p->lanes);
    struct plan_queue *q, *next;
    HASH_ITER(hh, p->queues, q, next) {
        HASH_DEL(p->queues, q);
        free(q);
    }
    *p = (struct plan){0};
}

size_t plan_queue_count(const struct plan *p)
{
    return HASH_COUNT(p->queues);
}

static struct plan_queue *queue_of(struct plan *p, uint32_t id)
{
    struct plan_queue *q;
    HASH_FIND(hh, p->queues, &id, sizeof id, q);
    if (!q) {
        q = mem_zero(1, sizeof *q);
        q->id = id;
        HASH_ADD(hh, p->queues, id, sizeof q->id, q);
    }
    return q;
}

static void queue_tidy(struct plan *p, struct plan_queue *q)
{
    if (q->limit || q->used || q->lanes)
        return;
    HASH_DEL(p->queues, q);
    free(q);
}

void plan_limit(struct plan *p, uint32_t queue, uint32_t limit)
{
    struct plan_queue *q = queue_of(p, queue);
    q->limit = limit;
    queue_tidy(p, q);
}

static bool lane_idle(const struct plan_lane *lane)
{
    return lane->complete && !lane->reload && !lane->heap.count;
}

/* The last lane takes its place. */
static void lane_drop(struct plan *p, size_t index)
{
    struct plan_lane *lane = &p->lanes[index];
    heap_clear(&lane->heap);
    lane->queue->lanes--;
    queue_tidy(p, lane->queue);
    *lane = p->lanes[--p->lane_count];
    for (size_t i = 0; index < p->lane_count && i < lane->heap.count; i++)
        ENTRY(lane->heap.nodes[i])->lane = (uint32_t)index;
}

/* Queues and priorities that nobody uses any more do not stay for ever. */
static void lanes_tidy(struct plan *p)
{
    for (size_t i = p->lane_count; i-- > 0;)
        if (lane_idle(&p->lanes[i]))
            lane_drop(p, i);
    p->lane_most = 2 * p->lane_count > LANES_SPARE ? 2 * p->lane_count : LANES_SPARE;
}

static size_t lane_of(struct plan *p, struct lane_id id)
{
    for (size_t i = 0; i < p->lane_count; i++)
        if (p->lanes[i].id.queue == id.queue && p->lanes[i].id.priority == id.priority)
            return i;
    if (p->lane_count >= p->lane_most)
        lanes_tidy(p);
    MEM_GROW(p->lanes, p->lane_capacity, p->lane_count + 1);
    p->lanes[p->lane_count] = (struct plan_lane){.id = id, .queue = queue_of(p, id.queue), .reload = true};
    p->lanes[p->lane_count].queue->lanes++;
    return p->lane_count++;
}

void plan_lane(struct plan *p, struct lane_id id)
{
    lane_of(p, id);
}

void plan_doubt(struct plan *p)
{
    for (size_t i = 0; i < p->lane_count; i++)
        p->lanes[i].reload = true;
}

/* The share of the window that one lane may fill; small ones keep enough to be of use. */
static size_t lane_share(const struct plan *p)
{
    size_t share = p->window / (p->lane_count ? p->lane_count : 1);
    return share < 16 ? 16 : share;
}

static bool lane_covers(const struct plan_lane *lane, const struct due *d)
{
    if (lane->complete)
        return true;
    return d->ready < lane->horizon || (d->ready == lane->horizon && d->number <= lane->horizon_number);
}

static struct plan_entry *entry_find(const struct plan *p, uint64_t number)
{
    struct plan_entry *e;
    HASH_FIND(hh, p->entries, &number, sizeof number, e);
    return e;
}

static void entry_add(struct plan *p, size_t lane, const struct due *d)
{
    struct plan_entry *e = mem_zero(1, sizeof *e);
    e->node.key = d->ready;
    e->node.tie = d->number;
    e->number = d->number;
    e->weight = d->weight;
    e->lane = (uint32_t)lane;
    HASH_ADD(hh, p->entries, number, sizeof e->number, e);
    heap_push(&p->lanes[lane].heap, &e->node);
}

void plan_drop(struct plan *p, uint64_t number)
{
    struct plan_entry *e = entry_find(p, number);
    if (e)
        entry_free(p, e);
}

void plan_put(struct plan *p, const struct due *d)
{
    plan_drop(p, d->number);
    size_t index = lane_of(p, d->lane);
    struct plan_lane *lane = &p->lanes[index];
    if (lane->reload || !lane_covers(lane, d))
        return; /* the index has it; it comes in when the lane is filled */
    entry_add(p, index, d);
    if (lane->heap.count > 2 * lane_share(p))
        lane->reload = true;
}

static bool lane_low(const struct plan *p, const struct plan_lane *lane)
{
    return lane->reload || (!lane->complete && lane->heap.count <= lane_share(p) / 4);
}

bool plan_low(const struct plan *p)
{
    for (size_t i = 0; i < p->lane_count; i++)
        if (lane_low(p, &p->lanes[i]))
            return true;
    return false;
}

bool plan_wants(struct plan *p, size_t *lane, instant *behind, uint64_t *behind_number)
{
    for (size_t i = 0; i < p->lane_count; i++) {
        struct plan_lane *l = &p->lanes[i];
        if (!lane_low(p, l))
            continue;
        if (l->reload) {
            lane_empty(p, l);
            l->horizon = INSTANT_NONE;
            l->horizon_number = 0;
            l->complete = false;
            l->reload = false;
        }
        *lane = i;
        *behind = l->horizon;
        *behind_number = l->horizon_number;
        return true;
    }
    return false;
}

bool plan_fill(struct plan *p, size_t lane, const struct due *d)
{
    struct plan_lane *l = &p->lanes[lane];
    plan_drop(p, d->number);
    entry_add(p, lane, d);
    l->horizon = d->ready;
    l->horizon_number = d->number;
    return l->heap.count < lane_share(p);
}

void plan_filled(struct plan *p, size_t lane, bool all)
{
    p->lanes[lane].complete = all;
}

void plan_started(struct plan *p, uint32_t queue, uint32_t weight)
{
    p->used += weight;
    queue_of(p, queue)->used += weight;
}

void plan_ended(struct plan *p, uint32_t queue, uint32_t weight)
{
    struct plan_queue *q = queue_of(p, queue);
    p->used -= weight < p->used ? weight : p->used;
    q->used -= weight < q->used ? weight : q->used;
    queue_tidy(p, q);
}

static bool before(const struct plan *p, const struct plan_entry *a, const struct plan_entry *b)
{
    int32_t x = p->lanes[a->lane].id.priority, y = p->lanes[b->lane].id.priority;
    if (x != y)
        return x > y;
    if (a->node.key != b->node.key)
        return a->node.key < b->node.key;
    return a->number < b->number;
}

static struct plan_entry *lane_ready(const struct plan_lane *lane, instant now)
{
    struct heap_node *node = heap_first(&lane->heap);
    return node && node->key <= now ? ENTRY(node) : NULL;
}

bool plan_next(struct plan *p, instant now, struct due *out)
{
    for (size_t i = 0; i < p->lane_count; i++)
        p->lanes[i].queue->best = NULL;
    for (size_t i = 0; i < p->lane_count; i++) {
        struct plan_entry *e = lane_ready(&p->lanes[i], now);
        struct plan_queue *q = p->lanes[i].queue;
        if (e && (!q->best || before(p, e, q->best)))
            q->best = e;
    }
    const struct plan_entry *best = NULL;
    for (size_t i = 0; i < p->lane_count; i++) {
        const struct plan_queue *q = p->lanes[i].queue;
        if (q->best && (!q->limit || slots_fit(q->best->weight, q->used, q->limit)) && (!best || before(p, q->best, best)))
            best = q->best;
    }
    if (!best || !slots_fit(best->weight, p->used, p->slots))
        return false;
    *out = (struct due){.lane = p->lanes[best->lane].id, .ready = best->node.key, .number = best->number,
        .weight = best->weight};
    return true;
}

instant plan_wake(const struct plan *p, instant now)
{
    instant wake = INSTANT_NEVER;
    for (size_t i = 0; i < p->lane_count; i++) {
        struct heap_node *node = heap_first(&p->lanes[i].heap);
        if (node && node->key > now && node->key < wake)
            wake = node->key;
    }
    return wake;
}

bool plan_due(const struct plan *p, instant now)
{
    for (size_t i = 0; i < p->lane_count; i++)
        if (lane_ready(&p->lanes[i], now))
            return true;
    return false;
}
