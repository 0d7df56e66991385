/* Jobs that wait for a boot of the machine or a start of the scheduler: they stand at the end of their lanes of the due
 * index, behind all times. */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "spool/store_private.h"

struct waiting {
    struct store *s;
    uint64_t *numbers;
    size_t count, capacity;
    struct lane_id *lanes;
    size_t lane_count, lane_capacity;
};

static bool add_lane(void *context, struct lane_id lane)
{
    struct waiting *w = context;
    MEM_GROW(w->lanes, w->lane_capacity, w->lane_count + 1);
    w->lanes[w->lane_count++] = lane;
    return true;
}

static bool add_number(void *context, const struct due *d)
{
    struct waiting *w = context;
    if (d->ready != INSTANT_NEVER || d->number >= EXTRA_FIRST)
        return true;
    MEM_GROW(w->numbers, w->capacity, w->count + 1);
    w->numbers[w->count++] = d->number;
    return true;
}

static int boot_one(struct store *s, uint64_t number, instant now, size_t *due, struct error *e)
{
    struct job_state old, new;
    struct job job;
    struct store_life l;
    if (store_state_get(s, number, &old, NULL) != 0 || store_job_get(s, number, false, &job, NULL) != 0)
        return 0; /* a damaged record must not hold up all others */
    int failed = job.boot ? store_life(s, &job, now, &l, e) : 0;
    if (!failed && job.boot) {
        new = old;
        if (life_boot(&l.life, &new)) {
            failed = store_state_put(s, number, &old, &new, e);
            ++*due;
        }
        store_life_clear(&l);
    }
    job_clear(&job);
    return failed;
}

int store_boot(struct store *s, instant now, size_t *due, struct error *e)
{
    struct waiting w = {.s = s};
    *due = 0;
    int failed = store_each_lane(s, add_lane, &w, e);
    for (size_t i = 0; !failed && i < w.lane_count; i++)
        failed = store_each_due(s, w.lanes[i], INSTANT_NEVER - 1, UINT64_MAX, add_number, &w, e);
    for (size_t i = 0; !failed && i < w.count; i++)
        failed = boot_one(s, w.numbers[i], now, due, e);
    free(w.lanes);
    free(w.numbers);
    return failed;
}
