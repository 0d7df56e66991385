#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/ls.h"
#include "lib/base/mem.h"

static int place_compare(const void *a, const void *b)
{
    const struct ls_place *x = a, *y = b;
    if (x->key != y->key)
        return x->key < y->key ? -1 : 1;
    int names = x->text && y->text ? strcmp(x->text, y->text) : !x->text - !y->text;
    return names ? names : (x->number > y->number) - (x->number < y->number);
}

/* What is over is not due any more; what has never run comes behind all that ran, the latest of which is first. */
static int64_t place_key(enum ls_order order, const struct job_state *s, instant now)
{
    switch (order) {
    case LS_DUE:
        return job_over(s) ? INSTANT_NEVER : view_next(s);
    case LS_LAST:
        return s->last_ended == INSTANT_NONE ? INSTANT_NEVER : -s->last_ended;
    case LS_STATE:
        return view_state(phase_name(s, now));
    default:
        return 0;
    }
}

void ls_sort_init(struct ls_sort *l, enum ls_order order, int limit)
{
    *l = (struct ls_sort){.order = order, .most = limit ? (size_t)limit : SIZE_MAX};
}

void ls_sort_clear(struct ls_sort *l)
{
    for (size_t i = 0; i < l->count; i++)
        free(l->places[i].text);
    free(l->places);
    *l = (struct ls_sort){0};
}

/* ---- the heap ---- */

static bool above(const struct ls_sort *l, size_t a, size_t b)
{
    return place_compare(&l->places[a], &l->places[b]) > 0;
}

static void swap(struct ls_sort *l, size_t a, size_t b)
{
    struct ls_place c = l->places[a];
    l->places[a] = l->places[b];
    l->places[b] = c;
}

static void heap_up(struct ls_sort *l, size_t at)
{
    for (; at && above(l, at, (at - 1) / 2); at = (at - 1) / 2)
        swap(l, at, (at - 1) / 2);
}

static void heap_down(struct ls_sort *l)
{
    for (size_t at = 0, child; (child = 2 * at + 1) < l->count; at = child) {
        if (child + 1 < l->count && above(l, child + 1, child))
            child++;
        if (!above(l, child, at))
            break;
        swap(l, child, at);
    }
}

void ls_sort_offer(struct ls_sort *l, const struct job *j, const struct job_state *s, instant now)
{
    struct ls_place p = {.key = place_key(l->order, s, now), .text = l->order == LS_NAME ? j->name : NULL, .number = j->number};
    bool full = l->count == l->most;
    if (full && place_compare(&p, &l->places[0]) >= 0)
        return;
    p.text = mem_string(p.text);
    if (full) {
        free(l->places[0].text);
        l->places[0] = p;
        heap_down(l);
        return;
    }
    MEM_GROW(l->places, l->capacity, l->count + 1);
    l->places[l->count] = p;
    if (l->most != SIZE_MAX) /* without a limit sorting at the end is enough */
        heap_up(l, l->count);
    l->count++;
}

void ls_sort_finish(struct ls_sort *l)
{
    if (l->count)
        qsort(l->places, l->count, sizeof *l->places, place_compare);
}
