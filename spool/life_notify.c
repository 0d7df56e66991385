/* Of what somebody is to be told: decided from state and time, once for each occurrence and run. */
#include "spool/life_parts.h"

/* ---- what is still to be told ---- */

static duration untold_late(const struct job *j, duration after)
{
    duration late = notify_next(j, NOTIFY_LATE, after);
    return late == DURATION_NONE ? 0 : instant_add(late, j->jitter);
}

static duration untold_long(const struct job *j, duration after)
{
    duration going = notify_next(j, NOTIFY_LONG, after);
    return going == DURATION_NONE ? 0 : going;
}

void life_notify_copy(const struct job *j, struct job_state *s)
{
    duration before = s->late;
    s->late = untold_late(j, -1);
    if (s->late_next == before)
        s->late_next = s->late;
}

void life_notify_start(const struct life *l, struct job_state *s)
{
    s->long_next = untold_long(l->job, -1);
    s->going = s->long_next ? l->now : 0;
}

/* Nobody misses a job that a person has paused. */
static instant late_from(const struct job_state *s, instant due)
{
    return due > s->resumed ? due : s->resumed;
}

instant life_alarm(const struct job_state *s)
{
    if (s->phase == PHASE_RUNNING)
        return s->long_next ? instant_add(s->going, s->long_next) : INSTANT_NEVER;
    bool waits = s->phase == PHASE_WAITING && !s->first && !s->paused && s->cause == CAUSE_SCHEDULE;
    if (!waits || !s->late_next || s->due == INSTANT_NEVER)
        return INSTANT_NEVER;
    return instant_add(late_from(s, s->due), s->late_next);
}

/* ---- it is time ---- */

static void notice_set(const struct life *l, int event, duration after, instant due)
{
    l->notes->notice = (struct notice){.event = event, .after = after, .due = due, .at = l->now, .next = l->now};
}

void life_alarm_take(const struct life *l, struct job_state *s)
{
    life_notes_begin(l->notes);
    if (life_alarm(s) > l->now)
        return;
    if (s->phase == PHASE_RUNNING) {
        duration after = notify_latest(l->job, NOTIFY_LONG, l->now - s->going);
        if (after != DURATION_NONE) {
            notice_set(l, NOTIFY_LONG, after, s->due);
            l->notes->notice.id.n = s->open;
        }
        s->long_next = untold_long(l->job, l->now - s->going);
        return;
    }
    duration passed = l->now - late_from(s, s->due) - l->job->jitter;
    duration after = notify_latest(l->job, NOTIFY_LATE, passed);
    if (after != DURATION_NONE)
        notice_set(l, NOTIFY_LATE, after, s->due);
    s->late_next = untold_late(l->job, passed);
}

bool life_alarm_step(struct job_state *s, int64_t step)
{
    if (s->phase != PHASE_RUNNING || !s->long_next)
        return false;
    s->going = instant_add(s->going, step);
    return true;
}

/* ---- a claim ---- */

static bool late_told(const struct job_state *before, instant due)
{
    return due == before->due && before->late_next != before->late;
}

/* It starts, and so late that nobody has been told of it yet. */
static void late_start(const struct life *l, const struct job_state *before, struct job_state *s)
{
    duration passed = l->now - late_from(s, s->due) - l->job->jitter;
    duration after = notify_latest(l->job, NOTIFY_LATE, passed);
    if (s->due != before->due)
        s->late_next = s->late;
    if (after == DURATION_NONE)
        return;
    bool more = s->due != before->due || (before->late_next && instant_add(after, l->job->jitter) >= before->late_next);
    s->late_next = untold_late(l->job, passed); /* should the claim be taken back */
    if (!more)
        return;
    notice_set(l, NOTIFY_LATE, after, s->due);
    l->notes->notice.id.n = s->open;
}

/* What never starts is late at once, whatever the duration. */
static void late_never(const struct life *l, const struct job_state *before, const struct job_state *s)
{
    for (int i = l->notes->count - 1; i >= 0; i--) {
        const struct run *row = &l->notes->rows[i];
        if (row->outcome != OUTCOME_MISSED || row->due < s->resumed || late_told(before, row->due))
            continue;
        duration after = notify_latest(l->job, NOTIFY_LATE, l->now - row->due - l->job->jitter);
        notice_set(l, NOTIFY_LATE, after != DURATION_NONE ? after : notify_next(l->job, NOTIFY_LATE, -1), row->due);
        l->notes->notice.id = row->id;
        return;
    }
}

void life_notify_claim(const struct life *l, const struct job_state *before, struct job_state *s, bool started)
{
    if (!before->late)
        return;
    if (started && s->open == s->first && s->cause == CAUSE_SCHEDULE)
        late_start(l, before, s);
    if (!l->notes->notice.event)
        late_never(l, before, s);
}

/* ---- an outcome ---- */

void life_notify_outcome(const struct life *l, const struct job_state *s, const struct run *r, uint32_t first)
{
    if (r->outcome == OUTCOME_OK)
        notice_set(l, NOTIFY_RECOVERY, 0, r->due);
    else if (outcome_is_bad(r->outcome) && s->phase != PHASE_RETRYING)
        notice_set(l, r->id.n == first ? NOTIFY_FAILURE : NOTIFY_GAVE_UP, 0, r->due);
    l->notes->notice.id = r->id;
}

void life_notify_health(struct job_state *own, struct notice *n)
{
    bool bad = n->event == NOTIFY_FAILURE || n->event == NOTIFY_GAVE_UP;
    if (n->event == NOTIFY_RECOVERY && !own->ailing)
        n->event = NOTIFY_NONE;
    if (bad || n->event == NOTIFY_RECOVERY)
        own->ailing = bad;
}
