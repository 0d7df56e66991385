/* The next times of all jobs. Only the earliest ones are held; the due index is read lane by lane as far as something in
 * it may still be among them, so that the size of the spool does not matter. */
#include "cmd/next.h"

#include <stdlib.h>

#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"

enum { SLICE = 1000 }; /* jobs read in one transaction */

struct spot {
    uint64_t job;
    struct next_start start;
};

struct agenda {
    struct next *n;
    struct store *store;
    struct error *e;
    struct spot *spots; /* a heap, the latest on top */
    size_t count, capacity, most;
    struct lane_id *lanes;
    size_t lane_count;
    uint64_t *open; /* jobs that run */
    size_t open_count;
    struct due slice[SLICE];
    size_t sliced, slice_most;
    struct zones zones; /* of the scheduler */
    uint64_t broken; /* a job whose schedule cannot be reckoned */
    bool cut;        /* --until reaches further than there is room */
};

/* ---- the earliest ---- */

static int spot_compare(const void *a, const void *b)
{
    const struct spot *x = a, *y = b;
    if (x->start.start != y->start.start)
        return x->start.start < y->start.start ? -1 : 1;
    if (x->job != y->job)
        return x->job < y->job ? -1 : 1;
    return (x->start.due > y->start.due) - (x->start.due < y->start.due);
}

static void spots_swap(struct spot *a, struct spot *b)
{
    struct spot c = *a;
    *a = *b;
    *b = c;
}

static void spots_up(struct agenda *a, size_t at)
{
    for (; at && spot_compare(&a->spots[at], &a->spots[(at - 1) / 2]) > 0; at = (at - 1) / 2)
        spots_swap(&a->spots[at], &a->spots[(at - 1) / 2]);
}

static void spots_down(struct agenda *a)
{
    for (size_t at = 0, child; (child = 2 * at + 1) < a->count; at = child) {
        if (child + 1 < a->count && spot_compare(&a->spots[child + 1], &a->spots[child]) > 0)
            child++;
        if (spot_compare(&a->spots[child], &a->spots[at]) <= 0)
            break;
        spots_swap(&a->spots[child], &a->spots[at]);
    }
}

/* True if it is, or would be, among the earliest. */
static bool agenda_wants(const struct agenda *a, const struct spot *s)
{
    if (s->start.start > a->n->until || s->start.start == INSTANT_NEVER)
        return false;
    return a->count < a->most || spot_compare(s, &a->spots[0]) < 0;
}

static bool agenda_offer(struct agenda *a, const struct spot *s)
{
    if (!agenda_wants(a, s))
        return false;
    if (a->count < a->most) {
        if (a->count == a->capacity) {
            a->capacity = a->capacity ? 2 * a->capacity : 64;
            a->spots = mem_resize(a->spots, a->capacity, sizeof *a->spots);
        }
        a->spots[a->count] = *s;
        spots_up(a, a->count++);
        return true;
    }
    a->cut = true;
    a->spots[0] = *s;
    spots_down(a);
    return true;
}

/* ---- one job ---- */

/* What follows the occurrence at hand. */
static int agenda_later(struct agenda *a, uint64_t number, instant due, instant after)
{
    struct job j;
    struct schedule s;
    int code = store_job(a->store, number, &j, a->e);
    if (code < 0)
        return code;
    bool known = job_schedule_kind(&j) != SCHEDULE_EVERY || j.every_from != EVERY_FROM_END;
    if (known && job_schedule(&j, &a->zones, &s, NULL) < 0) {
        a->broken = number;
    } else if (known) {
        schedule_begin(&s, due);
        struct spot spot = {.job = number};
        do {
            struct occurrence o = schedule_next(&s, after);
            spot.start = (struct next_start){.start = o.at, .due = o.at, .note = o.note};
            after = o.at;
        } while (agenda_offer(a, &spot));
        schedule_clear(&s);
    }
    job_clear(&j);
    return 0;
}

static int agenda_job(struct agenda *a, uint64_t number, bool running)
{
    struct job_state s;
    int code = store_state(a->store, number, &s, a->e);
    if (code < 0 || job_over(&s) || (s.phase == PHASE_RUNNING) != running)
        return code;
    struct spot first = {.job = number, .start = {.start = s.ready, .due = s.due, .retry = s.phase == PHASE_RETRYING}};
    if (running)
        first.start.start = first.start.due = view_after(&s);
    if (first.start.due == INSTANT_NEVER)
        return 0;
    instant after = first.start.start;
    if (!a->n->from_text || after > a->n->from)
        if (!agenda_offer(a, &first))
            return 0;
    return s.repeats ? agenda_later(a, number, first.start.due, after > a->n->from ? after : a->n->from) : 0;
}

/* ---- the whole spool ---- */

static bool agenda_lane(void *context, struct lane_id lane)
{
    struct agenda *a = context;
    a->lanes = mem_resize(a->lanes, a->lane_count + 1, sizeof *a->lanes);
    a->lanes[a->lane_count++] = lane;
    return true;
}

static bool agenda_open(void *context, const struct run *r)
{
    struct agenda *a = context;
    a->open = mem_resize(a->open, a->open_count + 1, sizeof *a->open);
    a->open[a->open_count++] = r->id.job;
    return true;
}

static bool agenda_due(void *context, const struct due *d)
{
    struct agenda *a = context;
    const struct spot earliest = {.job = d->number, .start = {.start = d->ready, .due = INSTANT_NONE}};
    if (!agenda_wants(a, &earliest))
        return false;
    a->slice[a->sliced++] = *d;
    return a->sliced < a->slice_most;
}

/* Nothing is earlier in this part of the lane than its first entry. */
static int agenda_slice(struct agenda *a, struct lane_id lane, instant *ready, uint64_t *number)
{
    a->sliced = 0;
    int code = store_begin(a->store, false, a->e);
    if (code < 0)
        return code;
    code = store_each_due(a->store, lane, *ready, *number, agenda_due, a, a->e);
    for (size_t i = 0; i < a->sliced && code == 0; i++) {
        *ready = a->slice[i].ready;
        *number = a->slice[i].number;
        code = agenda_job(a, *number, false);
    }
    store_abort(a->store);
    return code;
}

static int agenda_runs(struct agenda *a)
{
    int code = store_begin(a->store, false, a->e);
    if (code < 0)
        return code;
    code = store_each_lane(a->store, agenda_lane, a, a->e);
    if (code == 0)
        code = store_each_open(a->store, agenda_open, a, a->e);
    for (size_t i = 0; i < a->open_count && code == 0; i++)
        code = agenda_job(a, a->open[i], true);
    store_abort(a->store);
    return code;
}

static int agenda_read(struct agenda *a)
{
    int code = agenda_runs(a);
    a->slice_most = a->most < SLICE ? a->most : SLICE;
    for (size_t i = 0; i < a->lane_count && code == 0; i++) {
        instant ready = INSTANT_NONE;
        uint64_t number = 0;
        do
            code = agenda_slice(a, a->lanes[i], &ready, &number);
        while (code == 0 && a->sliced == a->slice_most);
    }
    return code;
}

/* ---- printing ---- */

/* Whoever has gone since the spool was read is left out. */
static int agenda_lines(struct agenda *a, size_t from, size_t to, struct buf *b)
{
    struct job j;
    int code = store_begin(a->store, false, a->e);
    if (code < 0)
        return code;
    for (size_t i = from; i < to; i++) {
        if (i && spot_compare(&a->spots[i - 1], &a->spots[i]) == 0) /* it was seen running and waiting */
            continue;
        if (store_job(a->store, a->spots[i].job, &j, NULL) < 0)
            continue;
        next_print_start(b, a->n, &a->spots[i].start, &j);
        job_clear(&j);
    }
    store_abort(a->store);
    return 0;
}

static int agenda_print(const struct command *self, struct agenda *a)
{
    struct buf b = {0};
    int code = 0;
    qsort(a->spots, a->count, sizeof *a->spots, spot_compare);
    for (size_t i = 0; i < a->count && code == 0; i += SLICE) {
        code = agenda_lines(a, i, i + SLICE < a->count ? i + SLICE : a->count, &b);
        command_print(self, &b);
    }
    buf_clear(&b);
    if (code == 0 && a->cut && !a->n->lines && a->n->until != INSTANT_NEVER)
        command_warn(self, "there are more than these %d", NEXT_LINES_MAX);
    if (a->broken)
        command_warn(self, "job %llu is left out: `ax next %llu` says why", (unsigned long long)a->broken, (unsigned long long)a->broken);
    return code;
}

static int agenda_zones(struct agenda *a)
{
    int code = store_begin(a->store, false, a->e);
    if (code == 0)
        code = store_zones_init(a->store, &a->zones, a->e);
    store_abort(a->store);
    return code;
}

int next_agenda(const struct command *self, struct next *n, struct error *e)
{
    if (n->explain)
        return error_set(e, ERROR_USAGE, "--explain goes with a schedule or a job");
    struct agenda *a = mem_zero(1, sizeof *a);
    a->n = n;
    a->e = e;
    a->most = (size_t)next_lines(n) < NEXT_LINES_MAX ? (size_t)next_lines(n) : NEXT_LINES_MAX;
    int code = client_open(&n->common, STORE_READ, &a->store, e);
    if (code == 0) {
        code = agenda_zones(a);
        if (code == 0)
            code = agenda_read(a);
        if (code == 0)
            code = agenda_print(self, a);
        zones_clear(&a->zones);
        store_close(a->store);
    } else if (client_absent(e)) {
        code = 0;
    }
    free(a->spots);
    free(a->lanes);
    free(a->open);
    free(a);
    return code;
}
