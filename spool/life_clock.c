#include "spool/life_parts.h"

#define STEP_ANEW (3 * 3600 * SECOND) /* set back by more than this, fixed times come again too */

/* As far from now as t was from the time before the step. */
static instant clock_shift(instant t, int64_t step, instant now)
{
    instant before = now - step;
    return t == INSTANT_NEVER || t == INSTANT_NONE ? t : instant_add(now, t - before);
}

/* The due time to come that was reckoned as t before the step. One that had come due, and has not run, is not lost; the
 * fixed times before it have been, or were left out by an earlier step already. */
static instant clock_again(const struct life *l, instant t, int64_t step)
{
    if (t == INSTANT_NEVER || t <= l->now)
        return t;
    struct schedule s = life_schedule(l, t);
    return schedule_next_again(&s, l->now, step < -STEP_ANEW ? l->now : t - 1).at;
}

/* The interval that waits for `due`: goes on from there, within the bounds of the schedule. */
static instant interval_from(const struct life *l, instant due)
{
    if (due == INSTANT_NEVER)
        return due;
    struct schedule s = life_schedule(l, due);
    return schedule_next(&s, due - 1).at;
}

static bool is_interval(const struct schedule *s)
{
    return s->kind == SCHEDULE_EVERY && s->every_from != EVERY_FROM_CLOCK;
}

/* What is made up for has come due: that does not lie in the time to come. */
static void clock_makeup(const struct life *l, struct job_state *s, int64_t step)
{
    if (is_interval(l->schedule))
        s->makeup = clock_shift(s->makeup, step, l->now);
    else if (s->makeup > l->now)
        s->makeup = l->now;
    if (s->due > s->makeup)
        s->makeup = INSTANT_NONE;
}

static void clock_step_repeating(const struct life *l, struct job_state *s, int64_t step)
{
    bool interval = is_interval(l->schedule);
    bool waits = s->phase == PHASE_WAITING;
    instant due = s->due;
    if (l->schedule->kind == SCHEDULE_BOOT)
        return;
    if (interval && waits) {
        bool passed = s->due <= l->now - step;
        s->due = clock_shift(s->due, step, l->now);
        if (!passed)
            s->due = interval_from(l, s->due);
        s->next = life_due_after(l, s->due);
    } else if (interval) {
        s->next = interval_from(l, clock_shift(s->next, step, l->now));
    } else if (waits) {
        s->due = clock_again(l, s->due, step);
        s->next = life_due_after(l, s->due);
    } else {
        s->next = clock_again(l, s->next, step);
    }
    if (waits && !interval && s->due != due)
        s->ready = s->due;
    if (s->makeup != INSTANT_NONE)
        clock_makeup(l, s, step);
    if (!s->set_back)
        s->set_back = s->runs;
}

bool life_clock_concerns(const struct job_state *s)
{
    return s->phase <= PHASE_RUNNING && (s->repeats || s->phase == PHASE_RETRYING || s->ready > s->due || s->long_next);
}

/* The due time of an occurrence that has had a run stays: AX_KEY is made of it. Those to come move. */
bool life_clock_step(const struct life *l, struct job_state *s, int64_t step)
{
    bool waits = s->phase == PHASE_WAITING || s->phase == PHASE_RETRYING;
    if (step >= 0 || (!waits && s->phase != PHASE_RUNNING))
        return false;
    struct job_state old = *s;
    bool interval = s->repeats && is_interval(l->schedule);
    if (s->repeats)
        clock_step_repeating(l, s, step);
    if (s->phase == PHASE_RETRYING || (waits && (interval || s->ready > s->due)))
        s->ready = clock_shift(s->ready, step, l->now);
    if (s->phase == PHASE_WAITING && s->ready < s->due)
        s->ready = s->due;
    if (s->phase == PHASE_RUNNING && s->long_next)
        s->going = clock_shift(s->going, step, l->now);
    return old.next != s->next || old.due != s->due || old.ready != s->ready || old.makeup != s->makeup ||
           old.going != s->going;
}

/* The first due time to come, when it has been reckoned as `due`. */
static instant zone_again(const struct life *l, instant due)
{
    struct schedule s = life_schedule(l, due);
    if (!is_interval(&s))
        return schedule_next(&s, l->now).at;
    if (l->job->every_from == EVERY_FROM_START)
        due -= (due - l->now - 1) / l->job->every * l->job->every; /* days that were left out may not be any more */
    return interval_from(l, due);
}

bool life_zone_change(const struct life *l, struct job_state *s)
{
    if (!s->repeats || !schedule_is_local(l->schedule) || s->phase > PHASE_RUNNING)
        return false;
    struct job_state old = *s;
    bool moves = s->phase == PHASE_WAITING && s->due > l->now && s->makeup == INSTANT_NONE;
    if (moves) {
        instant due = zone_again(l, s->due);
        if (due == s->due)
            s->next = life_due_after(l, due);
        else
            life_await(l, s, due);
    } else if (s->next > l->now && s->next != INSTANT_NEVER) { /* one that has come due already stays */
        s->next = s->due > l->now ? life_due_after(l, s->due) : zone_again(l, s->next);
    }
    return old.next != s->next || old.due != s->due || old.ready != s->ready;
}
