#include "cmd/show_next.h"

#include "cmd/view.h"

/* The due time that no run is for yet. */
static instant next_first(const struct job_state *s)
{
    if (job_over(s))
        return INSTANT_NEVER;
    return s->phase == PHASE_WAITING ? s->due : view_after(s);
}

/* Behind one that has passed come only those ahead: of the others one at most will run. */
static void next_collect(const struct schedule *s, instant first, instant now, struct show_next *out)
{
    struct occurrence o = schedule_next(s, first - 1);
    if (o.at != first)
        o = (struct occurrence){.at = first};
    while (out->count < SHOW_NEXT_MAX && o.at != INSTANT_NEVER) {
        out->items[out->count++] = o;
        o = schedule_next(s, o.at > now ? o.at : now);
    }
}

int show_next(const struct job *j, const struct job_state *s, struct zones *zones, instant now, struct show_next *out, struct error *e)
{
    struct schedule schedule;
    instant first = next_first(s);
    *out = (struct show_next){.count = 0};
    if (first == INSTANT_NEVER || first == INSTANT_NONE)
        return 0;
    if (!job_repeats(j) || j->boot || (j->every != DURATION_NONE && j->every_from == EVERY_FROM_END)) {
        out->items[out->count++] = (struct occurrence){.at = first};
        return 0;
    }
    int failed = job_schedule(j, zones, &schedule, e);
    if (failed)
        return failed;
    schedule_begin(&schedule, first);
    next_collect(&schedule, first, now, out);
    schedule_clear(&schedule);
    return 0;
}
