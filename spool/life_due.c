#include <stdlib.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "spool/life_parts.h"

/* ---- due times ---- */

struct schedule life_schedule(const struct life *l, instant due)
{
    struct schedule s = *l->schedule;
    schedule_begin(&s, due);
    return s;
}

bool life_counts_from_end(const struct job *j)
{
    return job_schedule_kind(j) == SCHEDULE_EVERY && j->every_from == EVERY_FROM_END;
}

/* The first due time of intervals that are counted from `from`. */
static instant interval_due(const struct life *l, instant from)
{
    instant start = instant_add(from, l->job->every);
    if (l->job->not_before != INSTANT_NONE && l->job->not_before > l->now)
        start = l->job->not_before;
    struct schedule s = *l->schedule;
    s.start = start;
    return schedule_next(&s, start - 1).at;
}

instant life_first_due(const struct life *l)
{
    switch (job_schedule_kind(l->job)) {
    case SCHEDULE_AT:
        return l->job->at;
    case SCHEDULE_EVERY:
        return l->job->every_from == EVERY_FROM_CLOCK ? schedule_next(l->schedule, l->now).at : interval_due(l, l->now);
    case SCHEDULE_CRON:
    case SCHEDULE_CALENDAR:
        return schedule_next(l->schedule, l->now).at;
    case SCHEDULE_BOOT:
    case SCHEDULE_NONE:
        break;
    }
    return INSTANT_NEVER;
}

instant life_due_after(const struct life *l, instant due)
{
    if (!job_repeats(l->job) || life_counts_from_end(l->job))
        return INSTANT_NEVER;
    struct schedule s = life_schedule(l, due);
    return schedule_next(&s, due).at;
}

void life_occurrence(struct job_state *s, instant due, instant next)
{
    s->phase = PHASE_WAITING;
    s->due = s->ready = due;
    s->next = next;
    s->attempt = s->lost = s->shortage = s->first = 0;
    s->cancel = s->replaced = s->overtaken = s->retired = s->stop = false;
    s->cause = CAUSE_SCHEDULE;
    s->env = 0;
    s->late_next = s->late;
    if (due > s->makeup)
        s->makeup = INSTANT_NONE;
}

void life_await(const struct life *l, struct job_state *s, instant due)
{
    instant next = due == INSTANT_NEVER ? INSTANT_NEVER : life_due_after(l, due);
    life_occurrence(s, due, next);
    if (!l->job->jitter || due == INSTANT_NEVER)
        return;
    duration most = next == INSTANT_NEVER || next - due > l->job->jitter ? l->job->jitter : next - due - 1;
    s->ready = instant_add(due, (duration)(l->random % ((uint64_t)most + 1)));
}

/* ---- rows without a run ---- */

void life_note_span(
    const struct life *l, struct job_state *s, enum outcome outcome, instant due, instant until, const char *reason)
{
    if (due > until)
        return;
    struct schedule schedule = life_schedule(l, due);
    struct schedule_span span =
        life_counts_from_end(l->job) ? (struct schedule_span){1, due} : schedule_span(&schedule, due, until);
    bool more = span.count == SCHEDULE_SPAN_MAX;
    struct run *row =
        life_note(l->notes, s, outcome, l->now, mem_format("%s%s", reason, more ? "; so many or more" : ""));
    row->name = mem_string(l->job->name);
    row->due = due;
    row->count = span.count;
    if (span.count > 1)
        row->last_due = span.last;
}

/* ---- boots ---- */

instant life_boot_due(const struct life *l, struct job_state *s)
{
    if (!l->job->boot || s->boot == l->boot)
        return INSTANT_NEVER;
    s->boot = l->boot;
    return schedule_bars(l->schedule, l->now) ? INSTANT_NEVER : l->now;
}

/* The scheduler may have started while the run went on, having been taken over from the one before: that start was an
 * occurrence. */
static instant advance_boot(const struct life *l, struct job_state *s, const struct run *r)
{
    instant due = life_boot_due(l, s), ended = r->ended == INSTANT_NONE ? l->now : r->ended;
    bool active = r->outcome != OUTCOME_LOST && l->since != INSTANT_NONE && ended >= l->since;
    if (due == INSTANT_NEVER || !active || l->job->overlap != OVERLAP_SKIP)
        return due;
    struct run *row = life_note(l->notes, s, OUTCOME_SKIPPED, l->now, mem_string("the run before was still going"));
    row->due = l->since;
    return INSTANT_NEVER;
}

/* ---- which one runs ---- */

/* The occurrences that have come due, from s->due on. */
struct choice {
    instant from;       /* the earliest that runs; those before it do not */
    instant last;       /* the latest */
    instant missed;     /* the latest that came due while nobody served; INSTANT_NONE: none did */
    instant horizon;    /* those before it are too old to be started */
    const char *absent; /* why those were missed, */
    const char *why;    /* and why they do not run */
};

/* If the schedule has no more times, this is the end of the job. */
static void await_or_end(const struct life *l, struct job_state *s, instant due)
{
    life_await(l, s, due);
    if (due == INSTANT_NEVER)
        s->phase = PHASE_FAILED;
}

static instant earliest_start(const struct life *l, duration limit, instant horizon)
{
    if (limit == DURATION_NONE)
        return horizon;
    instant least = instant_add(l->now, -instant_add(limit, l->job->jitter));
    return horizon > least ? horizon : least;
}

/* Of those that were missed. */
static void choose_missed(const struct life *l, struct job_state *s, const struct schedule *schedule, struct choice *c)
{
    instant horizon = earliest_start(l, l->job->catchup_within, c->horizon), from = c->from;
    c->why = "; of the times missed the latest runs";
    if (l->job->catchup == CATCHUP_ALL) {
        from = schedule_last(schedule, c->from, c->missed, (uint32_t)l->job->catchup_max);
        c->why = "; of the times missed the latest run, up to catchup_max";
    } else if (l->job->catchup == CATCHUP_LATEST) {
        from = c->missed;
    }
    if (from < horizon) {
        from = schedule_from(schedule, from, horizon);
        c->why = ", and it is too long ago to be caught up on (catchup_within, start_within)";
    }
    if (l->job->catchup == CATCHUP_SKIP) {
        from = INSTANT_NEVER;
        c->why = " (catchup: skip)";
    }
    bool runs = from <= c->missed;
    if (l->job->catchup == CATCHUP_LATEST && l->job->overlap != OVERLAP_QUEUE && c->missed < c->last)
        runs = false; /* a later one is only late: it is the latest */
    if (runs && l->job->catchup == CATCHUP_ALL)
        s->makeup = c->missed;
    c->from = runs ? from : schedule_next(schedule, c->missed).at;
}

/* Of those that are only late. */
static void choose_late(const struct life *l, struct job_state *s, const struct schedule *schedule, struct choice *c)
{
    if (l->job->overlap == OVERLAP_QUEUE) {
        c->from = schedule_last(schedule, c->from, c->last, (uint32_t)l->job->catchup_max);
        s->makeup = c->last;
    } else {
        c->from = c->last;
    }
    if (c->from < c->horizon)
        c->from = schedule_from(schedule, c->from, c->horizon);
}

static char *late_reason(const struct job *j, instant due, instant horizon)
{
    struct buf b = {0};
    if (due < horizon && j->start_within != DURATION_NONE) {
        buf_text(&b, "could not start within ");
        duration_format(&b, j->start_within);
        buf_text(&b, " of its due time (start_within)");
    } else {
        buf_text(&b, "no slot was free; of the times that passed the latest runs");
    }
    return buf_take(&b);
}

/* Rows for what came due before `from`: one for what was missed, one for what was late. */
static void choice_note(const struct life *l, struct job_state *s, const struct choice *c, instant until)
{
    instant due = s->due;
    if (due > until)
        return;
    if (c->missed != INSTANT_NONE) {
        instant last = c->missed < until ? c->missed : until;
        char *reason = mem_format("%s%s", c->absent, c->why);
        life_note_span(l, s, OUTCOME_MISSED, due, last, reason);
        free(reason);
        if (last == until || c->missed >= c->last)
            return;
        struct schedule schedule = life_schedule(l, due);
        due = schedule_next(&schedule, c->missed).at;
    }
    if (due > until)
        return;
    char *reason = late_reason(l->job, due, c->horizon);
    life_note_span(l, s, OUTCOME_MISSED, due, until, reason);
    free(reason);
}

static void note_last(const struct life *l, struct job_state *s)
{
    s->last_outcome = OUTCOME_MISSED;
    s->last_ended = l->now;
    s->last_code = 0;
}

static bool choose_once(const struct life *l, struct job_state *s)
{
    instant horizon = earliest_start(l, l->job->start_within, INSTANT_NONE);
    if (s->due >= horizon || s->cause != CAUSE_SCHEDULE) {
        if (s->repeats)
            s->next = life_due_after(l, s->due);
        return true;
    }
    char *reason = late_reason(l->job, s->due, horizon);
    life_note_span(l, s, OUTCOME_MISSED, s->due, s->due, reason);
    free(reason);
    note_last(l, s);
    if (!s->repeats)
        s->phase = PHASE_FAILED;
    else if (l->job->boot)
        life_await(l, s, life_boot_due(l, s));
    else
        await_or_end(l, s, life_counts_from_end(l->job) ? interval_due(l, l->now) : life_due_after(l, s->due));
    return false;
}

bool life_choose(const struct life *l, struct job_state *s)
{
    bool made_up = s->makeup != INSTANT_NONE && s->due <= s->makeup;
    if (!s->repeats || made_up || job_schedule_kind(l->job) == SCHEDULE_BOOT)
        return choose_once(l, s);
    struct schedule schedule = life_schedule(l, s->due);
    struct choice c = {
        .from = s->due, .missed = INSTANT_NONE, .horizon = earliest_start(l, l->job->start_within, INSTANT_NONE)};
    c.last = life_counts_from_end(l->job) ? s->due : schedule_last(&schedule, s->due, l->now, 1);
    bool paused = s->resumed > l->since;
    instant since = paused ? s->resumed : l->since;
    c.absent = paused ? "the job was paused" : "no scheduler was running";
    if (s->ready < since) { /* its jitter counts: what was to start later than the scheduler is only late */
        instant until = since - 1 < l->now ? since - 1 : l->now;
        c.missed = life_counts_from_end(l->job) ? s->due : schedule_last(&schedule, s->due, until, 1);
        choose_missed(l, s, &schedule, &c);
    }
    if (c.from <= c.last && (c.missed == INSTANT_NONE || c.from > c.missed))
        choose_late(l, s, &schedule, &c);
    if (c.from > c.last) {
        choice_note(l, s, &c, c.last);
        note_last(l, s);
        await_or_end(
            l, s, life_counts_from_end(l->job) ? interval_due(l, l->now) : schedule_next(&schedule, c.last).at);
        return false;
    }
    choice_note(l, s, &c, c.from - 1);
    s->due = c.from;
    s->next = life_due_after(l, s->due);
    return true;
}

void life_skip(const struct life *l, struct job_state *s, const char *reason)
{
    struct schedule schedule = life_schedule(l, s->due);
    bool alone = life_counts_from_end(l->job) || l->job->boot;
    instant last = alone ? s->due : schedule_last(&schedule, s->due, l->now, 1);
    life_note_span(l, s, OUTCOME_SKIPPED, s->due, last, reason);
    if (l->job->boot)
        life_await(l, s, life_boot_due(l, s));
    else
        await_or_end(l, s, alone ? interval_due(l, l->now) : schedule_next(&schedule, last).at);
}

/* ---- the next one ---- */

/* Those that came due while the run before went on. Returns the one to wait for. */
static instant advance_overlap(const struct life *l, struct job_state *s, instant due, instant until)
{
    struct schedule schedule = life_schedule(l, due);
    instant from;
    switch ((enum overlap)l->job->overlap) {
    case OVERLAP_QUEUE:
        from = schedule_last(&schedule, due, until, (uint32_t)l->job->catchup_max);
        life_note_span(
            l, s, OUTCOME_SKIPPED, due, from - 1, "the run before was still going, and more wait than catchup_max");
        s->makeup = schedule_last(&schedule, from, until, 1);
        return from;
    case OVERLAP_REPLACE:
        return due;
    case OVERLAP_SKIP:
    case OVERLAP_ALLOW:
        break;
    }
    life_note_span(l, s, OUTCOME_SKIPPED, due, until,
        s->attempt > 1 ? "the occurrence before was still being tried" : "the run before was still going");
    return schedule_from(&schedule, due, until + 1);
}

/* Occurrences that passed after the run, or while nobody can know whether it went on, are left to life_choose. */
static instant advance_due(const struct life *l, struct job_state *s, const struct run *r)
{
    instant ended = r->ended == INSTANT_NONE || r->ended > l->now ? l->now : r->ended;
    if (life_counts_from_end(l->job))
        return interval_due(l, ended);
    if (s->next == INSTANT_NEVER || (s->makeup != INSTANT_NONE && s->next <= s->makeup))
        return s->next;
    if (r->outcome == OUTCOME_LOST || s->next > ended)
        return s->next;
    return advance_overlap(l, s, s->next, ended);
}

static bool is_plain_interval(const struct job *j)
{
    return job_schedule_kind(j) == SCHEDULE_EVERY && j->every_from == EVERY_FROM_START && !j->except.count &&
           j->not_before == INSTANT_NONE;
}

bool life_advance(const struct life *l, struct job_state *s, const struct run *r)
{
    if (job_schedule_kind(l->job) == SCHEDULE_BOOT) {
        life_await(l, s, advance_boot(l, s, r));
        return true;
    }
    instant due = advance_due(l, s, r);
    if (due == INSTANT_NEVER)
        return false;
    if (is_plain_interval(l->job) && l->now < s->due && due > instant_add(l->now, l->job->every)) {
        due = instant_add(
            l->now, l->job->every); /* the clock was set back while it ran: no silence until it has caught up */
        if (!s->set_back)
            s->set_back = s->runs;
    }
    life_await(l, s, due);
    return true;
}
