#include "spool/life.h"

#include <inttypes.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#define MILLISECOND (SECOND / 1000)
#define SHORTAGE_FIRST (100 * MILLISECOND)
#define SHORTAGE_MAX (10 * SECOND)

/* ---- rows of history without a run ---- */

void life_notes_clear(struct life_notes *n)
{
    for (int i = 0; i < n->count; i++)
        run_clear(&n->rows[i]);
    n->count = 0;
}

/* Takes over reason. The row stands for one occurrence, due at s->due, until the caller says more. */
static struct run *life_note(struct life_notes *notes, struct job_state *s, enum outcome outcome, instant now, char *reason)
{
    struct run *row = &notes->rows[notes->count++];
    run_init(row);
    row->id = (struct run_id){.n = s->runs, .note = ++s->notes};
    row->outcome = outcome;
    row->due = s->due == INSTANT_NEVER ? INSTANT_NONE : s->due;
    row->ended = now;
    row->reason = reason;
    return row;
}

/* Makes the row stand for `count` occurrences of j from `due` on. */
static void life_note_span(struct run *row, const struct job *j, instant due, int64_t count)
{
    row->name = mem_string(j->name);
    row->due = due;
    row->count = count < UINT32_MAX ? (uint32_t)count : UINT32_MAX;
    if (count > 1)
        row->last_due = due + (count - 1) * j->every;
}

/* ---- occurrences ---- */

static instant life_first_due(const struct job *j, instant now)
{
    switch (job_schedule(j)) {
    case SCHEDULE_AT:
        return j->at;
    case SCHEDULE_EVERY:
        return instant_add(now, j->every);
    case SCHEDULE_NONE:
        break;
    }
    return INSTANT_NEVER;
}

static instant life_due_after(const struct job *j, instant due)
{
    return job_schedule(j) == SCHEDULE_EVERY ? instant_add(due, j->every) : INSTANT_NEVER;
}

/* Occurrences of a repeating job from `due` to `until`, both included. */
static int64_t life_due_count(const struct job *j, instant due, instant until)
{
    return due > until ? 0 : (until - due) / j->every + 1;
}

static void life_occurrence(struct job_state *s, instant due, instant next)
{
    s->phase = PHASE_WAITING;
    s->due = s->ready = due;
    s->next = next;
    s->attempt = s->lost = s->shortage = s->first = 0;
    s->cancel = s->replaced = false;
}

static void life_copy(const struct job *j, struct job_state *s)
{
    s->priority = j->priority;
    s->weight = (uint32_t)j->weight;
    s->repeats = job_schedule(j) == SCHEDULE_EVERY;
}

void life_begin(const struct job *j, instant now, struct job_state *s)
{
    instant due = life_first_due(j, now);
    *s = (struct job_state){.queue = 1, .last_ended = INSTANT_NONE};
    life_copy(j, s);
    life_occurrence(s, due, life_due_after(j, due));
}

void life_replace(const struct job *j, instant now, struct job_state *s)
{
    instant due = life_first_due(j, now);
    life_copy(j, s);
    if (s->phase == PHASE_RUNNING) {
        s->replaced = true;
        s->next = due;
    } else {
        life_occurrence(s, due, life_due_after(j, due));
    }
}

/* ---- claim ---- */

/* Due times shift when the clock is set back, and may then be the same as earlier ones: the first run of the occurrence keeps the keys apart. */
static char *life_key(const struct job *j, const struct job_state *s)
{
    if (s->set_back && s->first > s->set_back)
        return mem_format("%" PRIu64 "-%" PRId64 "-%" PRIu32, j->number, s->due, s->first);
    return mem_format("%" PRIu64 "-%" PRId64, j->number, s->due);
}

static void life_start(const struct job *j, struct job_state *s, instant now, struct run *run)
{
    s->phase = PHASE_RUNNING;
    s->runs++;
    s->notes = 0;
    if (!s->first)
        s->first = s->runs;
    run_init(run);
    run->id = (struct run_id){.job = j->number, .n = s->runs};
    run->due = s->due;
    run->attempt = s->attempt + 1;
    run->claimed = now;
    run->name = mem_string(j->name);
    run->key = life_key(j, s);
    run->queue = s->queue;
    run->weight = s->weight;
}

static char *life_late_reason(const struct job *j)
{
    struct buf b = {0};
    buf_text(&b, "could not start within ");
    duration_format(&b, j->start_within);
    buf_text(&b, " of its due time (start_within)");
    return buf_take(&b);
}

/* start_within is over: the occurrences up to the latest due one get no run. */
static void life_miss(const struct job *j, struct job_state *s, int64_t count, instant now, struct life_notes *notes)
{
    life_note_span(life_note(notes, s, OUTCOME_MISSED, now, life_late_reason(j)), j, s->due, count);
    s->last_outcome = OUTCOME_MISSED;
    s->last_ended = now;
    s->last_code = 0;
    if (!s->repeats) {
        s->phase = PHASE_FAILED;
        return;
    }
    instant due = instant_add(s->due, count * j->every);
    life_occurrence(s, due, life_due_after(j, due));
}

enum life_verdict life_claim(const struct job *j, struct job_state *s, instant now, struct run *run, struct life_notes *notes)
{
    notes->count = 0;
    if (s->phase != PHASE_WAITING && s->phase != PHASE_RETRYING)
        return LIFE_NOT;
    if (s->ready > now)
        return LIFE_EARLY;
    if (!s->first) {
        int64_t count = s->repeats ? life_due_count(j, s->due, now) : 1;
        instant latest = count > 1 ? s->due + (count - 1) * j->every : s->due;
        if (j->start_within != DURATION_NONE && now - latest > j->start_within) {
            life_miss(j, s, count, now, notes);
            return LIFE_MISSED;
        }
        if (count > 1) {
            char *reason = mem_string("no scheduler was running, or no slot was free; of the times missed the latest runs");
            life_note_span(life_note(notes, s, OUTCOME_MISSED, now, reason), j, s->due, count - 1);
        }
        s->due = latest;
        s->next = life_due_after(j, latest);
    }
    life_start(j, s, now, run);
    return LIFE_START;
}

/* ---- outcome ---- */

enum outcome life_judge(const struct job *j, int exit_code, int signal)
{
    if (signal)
        return OUTCOME_KILLED;
    return exits_has(&j->success_exit, exit_code) ? OUTCOME_OK : OUTCOME_FAILED;
}

enum life_then { THEN_OVER, THEN_RETRY, THEN_RERUN };

static enum life_then life_decide(const struct job *j, struct job_state *s, const struct run *r, bool stopped)
{
    if (r->outcome == OUTCOME_LOST || (stopped && r->outcome != OUTCOME_OK)) {
        bool may = stopped || s->lost < (uint32_t)j->lost_max;
        if (j->if_lost == IF_LOST_RERUN && may) {
            s->lost += !stopped;
            return THEN_RERUN;
        }
        s->attempt++;
        return THEN_OVER;
    }
    s->attempt++;
    bool may = r->outcome == OUTCOME_KILLED || r->outcome == OUTCOME_TIMEOUT ||
               (r->outcome == OUTCOME_FAILED && !exits_has(&j->no_retry_exit, r->exit_code));
    return may && s->attempt <= (uint32_t)j->retries ? THEN_RETRY : THEN_OVER;
}

static duration life_delay(const struct job *j, uint32_t attempt, uint64_t random)
{
    struct backoff b = {
        .kind = (enum backoff_kind)j->retry_backoff, .delays = j->retry_delay.items, .count = j->retry_delay.count,
        .max = j->retry_max_delay, .jitter = j->retry_jitter,
    };
    return backoff_delay(&b, (int)attempt, random);
}

/* The next occurrence of a repeating job. Those that passed while the run went on are skipped. Those that passed after it, or while nobody can
 * know whether it went on, are left to life_claim: it runs the latest. */
static void life_advance(const struct job *j, struct job_state *s, const struct run *r, instant now, struct life_notes *notes)
{
    instant due = s->next;
    instant until = r->outcome == OUTCOME_LOST ? INSTANT_NONE : r->ended == INSTANT_NONE || r->ended > now ? now : r->ended;
    int64_t count = life_due_count(j, due, until);
    if (count) {
        char *reason = mem_string(s->attempt > 1 ? "the occurrence before was still being tried" : "the run before was still going");
        life_note_span(life_note(notes, s, OUTCOME_SKIPPED, now, reason), j, due, count);
        due = instant_add(due, count * j->every);
    }
    if (due > instant_add(now, j->every)) { /* the clock was set back while it ran: no silence until it has caught up */
        due = instant_add(now, j->every);
        if (!s->set_back)
            s->set_back = s->runs;
    }
    life_occurrence(s, due, life_due_after(j, due));
}

static void life_over(const struct job *j, struct job_state *s, const struct run *r, instant now, struct life_notes *notes)
{
    bool ok = r->outcome == OUTCOME_OK;
    if (s->repeats && !s->cancel) {
        life_advance(j, s, r, now, notes);
        return;
    }
    if (ok && !s->repeats)
        s->phase = PHASE_DONE;
    else
        s->phase = s->cancel || r->outcome == OUTCOME_CANCELLED ? PHASE_CANCELLED : PHASE_FAILED;
    s->cancel = false;
    s->next = INSTANT_NEVER;
}

void life_outcome(const struct job *j, struct job_state *s, const struct run *r, bool stopped, instant now, uint64_t random, struct life_notes *notes)
{
    notes->count = 0;
    s->shortage = 0;
    s->last_outcome = r->outcome;
    s->last_ended = r->ended != INSTANT_NONE ? r->ended : now;
    s->last_code = r->signal ? r->signal : r->exit_code;
    if (s->replaced) {
        life_occurrence(s, s->next, life_due_after(j, s->next));
        return;
    }
    enum life_then then = life_decide(j, s, r, stopped);
    if (s->cancel || then == THEN_OVER) {
        life_over(j, s, r, now, notes);
        return;
    }
    s->phase = PHASE_RETRYING;
    s->ready = then == THEN_RERUN ? now : instant_add(now, life_delay(j, s->attempt, random));
}

/* ---- back into the line ---- */

static void life_end_cancelled(struct job_state *s, instant now, struct life_notes *notes)
{
    char *reason = s->first ? mem_format("cancelled before attempt %" PRIu32, s->attempt + 1) : mem_string("cancelled before it started");
    life_note(notes, s, OUTCOME_CANCELLED, now, reason);
    s->phase = PHASE_CANCELLED;
    s->cancel = false;
    s->next = INSTANT_NEVER;
    s->last_outcome = OUTCOME_CANCELLED;
    s->last_ended = now;
    s->last_code = 0;
}

/* What was claimed was due then. If it is far away now, the clock was set back in between, and life_clock_step leaves due and ready of an open run alone. */
static void life_back_clock(struct job_state *s, instant now)
{
    if (s->phase == PHASE_RETRYING && s->ready > instant_add(now, SECOND))
        s->ready = now;
    if (s->phase == PHASE_WAITING && s->repeats && s->due > s->next)
        s->due = s->ready = now;
}

/* Returns true if the same occurrence waits again. */
static bool life_back(struct job_state *s, instant now, struct life_notes *notes)
{
    notes->count = 0;
    if (s->first == s->runs)
        s->first = 0;
    if (s->replaced) {
        life_occurrence(s, s->next, INSTANT_NEVER); /* the claim reckons what comes after it */
        return false;
    }
    if (s->cancel) {
        life_end_cancelled(s, now, notes);
        return false;
    }
    s->phase = s->first ? PHASE_RETRYING : PHASE_WAITING;
    life_back_clock(s, now);
    return true;
}

void life_unclaim(struct job_state *s, instant now, struct life_notes *notes)
{
    life_back(s, now, notes);
}

void life_shortage(struct job_state *s, instant now, struct life_notes *notes)
{
    if (!life_back(s, now, notes))
        return;
    duration wait = s->shortage < 7 ? SHORTAGE_FIRST << s->shortage : SHORTAGE_MAX;
    s->shortage++;
    s->ready = instant_add(now, wait < SHORTAGE_MAX ? wait : SHORTAGE_MAX);
}

enum life_cancel life_cancel(struct job_state *s, instant now, struct life_notes *notes)
{
    notes->count = 0;
    switch (s->phase) {
    case PHASE_WAITING:
    case PHASE_RETRYING:
        life_end_cancelled(s, now, notes);
        return LIFE_CANCELLED;
    case PHASE_RUNNING:
        s->cancel = true;
        s->replaced = false;
        s->next = INSTANT_NEVER;
        return LIFE_STOPPING;
    case PHASE_DONE:
    case PHASE_FAILED:
    case PHASE_CANCELLED:
        break;
    }
    return LIFE_OVER;
}

/* ---- the clock ---- */

/* As far from now as t was from the time before the step. */
static instant life_shift(instant t, int64_t step, instant now)
{
    instant before = now - step;
    return t == INSTANT_NEVER || t == INSTANT_NONE ? t : instant_add(now, t - before);
}

/* The due time of an occurrence that has had a run stays: AX_KEY is made of it. Those to come shift. */
bool life_clock_step(struct job_state *s, int64_t step, instant now)
{
    bool waits = s->phase == PHASE_WAITING || s->phase == PHASE_RETRYING;
    if (step >= 0 || (!waits && s->phase != PHASE_RUNNING))
        return false;
    struct job_state old = *s;
    if (s->repeats) {
        s->next = life_shift(s->next, step, now);
        if (s->phase == PHASE_WAITING)
            s->due = life_shift(s->due, step, now);
        if (!s->set_back)
            s->set_back = s->runs;
    }
    if (s->phase == PHASE_RETRYING || (waits && (s->repeats || s->ready > s->due)))
        s->ready = life_shift(s->ready, step, now);
    if (s->phase == PHASE_WAITING && s->ready < s->due)
        s->ready = s->due;
    return old.next != s->next || old.due != s->due || old.ready != s->ready;
}
