#include <inttypes.h>

#include "lib/base/mem.h"
#include "spool/life_parts.h"

#define MILLISECOND (SECOND / 1000)
#define SHORTAGE_FIRST (100 * MILLISECOND)
#define SHORTAGE_MAX (10 * SECOND)

/* ---- rows of history without a run ---- */

void life_notes_begin(struct life_notes *notes)
{
    notes->count = 0;
    notes->notice = (struct notice){.event = NOTIFY_NONE};
}

void life_notes_clear(struct life_notes *n)
{
    for (int i = 0; i < n->count; i++)
        run_clear(&n->rows[i]);
    n->count = 0;
}

struct run *life_note(struct life_notes *notes, struct job_state *s, enum outcome outcome, instant now, char *reason)
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

/* ---- the beginning ---- */

static void life_copy(const struct job *j, struct job_state *s)
{
    s->priority = j->priority;
    s->weight = (uint32_t)j->weight;
    s->keep_for = j->keep_for;
    s->repeats = job_repeats(j);
    s->overtakes = s->repeats && j->overlap == OVERLAP_REPLACE;
    life_notify_copy(j, s);
}

void life_begin(const struct life *l, struct job_state *s)
{
    *s = (struct job_state){
        .queue = 1, .last_ended = INSTANT_NONE, .makeup = INSTANT_NONE, .resumed = INSTANT_NONE, .boot = l->boot};
    life_copy(l->job, s);
    life_await(l, s, life_first_due(l));
}

void life_replace(const struct life *l, struct job_state *s)
{
    instant due = life_first_due(l);
    life_copy(l->job, s);
    s->makeup = INSTANT_NONE;
    s->boot = l->boot;
    if (s->phase == PHASE_RUNNING) {
        s->replaced = true;
        s->retired = false;
        s->next = due;
    } else {
        life_await(l, s, due);
    }
}

void life_keep(const struct life *l, struct job_state *s)
{
    life_copy(l->job, s);
}

bool life_pause(struct job_state *s)
{
    if (s->paused || job_over(s))
        return false;
    s->paused = true;
    return true;
}

bool life_resume(struct job_state *s, instant now)
{
    if (!s->paused)
        return false;
    s->paused = false;
    s->resumed = now;
    return true;
}

bool life_wake(const struct job_state *s, instant *out)
{
    if (s->paused)
        return false;
    switch (s->phase) {
    case PHASE_WAITING:
        *out = s->ready;
        return true;
    case PHASE_RETRYING:
        *out = s->overtakes && s->next < s->ready ? s->next : s->ready;
        return true;
    case PHASE_RUNNING:
        *out = s->next;
        return s->overtakes && !s->overtaken && !s->cancel && !s->replaced && s->next != INSTANT_NEVER;
    case PHASE_DONE:
    case PHASE_FAILED:
    case PHASE_CANCELLED:
        break;
    }
    return false;
}

bool life_boot(const struct life *l, struct job_state *s)
{
    if (!l->job->boot || s->boot == l->boot || s->phase != PHASE_WAITING || s->due != INSTANT_NEVER)
        return false;
    life_await(l, s, life_boot_due(l, s));
    return true;
}

/* ---- claim ---- */

/* Due times shift when the clock is set back, and may then be the same as earlier ones: the first run of the occurrence
 * keeps the keys apart. */
static char *life_key(const struct job *j, const struct job_state *s)
{
    if (s->set_back && s->first > s->set_back)
        return mem_format("%" PRIu64 "-%" PRId64 "-%" PRIu32, j->number, s->due, s->first);
    return mem_format("%" PRIu64 "-%" PRId64, j->number, s->due);
}

static void life_start(const struct life *l, struct job_state *s, struct run *run)
{
    const struct job *j = l->job;
    s->phase = PHASE_RUNNING;
    s->open = ++s->runs;
    s->notes = 0;
    s->boot = l->boot;
    if (!s->first)
        s->first = s->runs;
    life_notify_start(l, s);
    run_init(run);
    run->id = (struct run_id){.job = j->number, .n = s->runs};
    run->due = s->due;
    run->cause = s->cause;
    run->attempt = s->attempt + 1;
    run->claimed = l->now;
    run->name = mem_string(j->name);
    run->key = life_key(j, s);
    run->queue = s->queue;
    run->weight = s->weight;
}

/* Its next attempt waits, and the next occurrence has come: that one takes its place. */
static void life_overtake(const struct life *l, struct job_state *s)
{
    char *reason =
        mem_format("attempt %" PRIu32 " is given up for the next occurrence (overlap: replace)", s->attempt + 1);
    life_note(l->notes, s, OUTCOME_SKIPPED, l->now, reason);
    life_await(l, s, s->next);
}

/* It has come due while another occurrence of the job is active. */
static enum life_verdict life_overlap(const struct life *l, struct job_state *s)
{
    if (!s->repeats || l->job->overlap != OVERLAP_SKIP) {
        s->ready = INSTANT_NEVER;
        return LIFE_PARKED;
    }
    life_skip(l, s, "another run of the job was still going");
    return LIFE_MISSED;
}

bool life_release(struct job_state *s, instant now)
{
    if (s->phase != PHASE_WAITING || s->ready != INSTANT_NEVER || s->due == INSTANT_NEVER)
        return false;
    s->ready = s->due > now ? s->due : now;
    return true;
}

void life_extra(const struct job_state *s, uint64_t job, int cause, instant due, instant ready, struct job_state *out)
{
    *out = (struct job_state){.phase = PHASE_WAITING,
        .due = due,
        .ready = ready,
        .next = INSTANT_NEVER,
        .makeup = INSTANT_NONE,
        .last_ended = INSTANT_NONE,
        .resumed = INSTANT_NONE,
        .job = job,
        .cause = cause,
        .queue = s->queue,
        .priority = s->priority,
        .weight = s->weight,
        .keep_for = s->keep_for};
}

bool life_part(const struct life *l, struct job_state *s, uint64_t extra, struct run *run, struct job_state *out)
{
    if (!s->repeats || l->job->overlap != OVERLAP_ALLOW || life_counts_from_end(l->job))
        return false;
    *out = *s;
    out->job = l->job->number;
    out->repeats = out->overtakes = false;
    out->next = INSTANT_NEVER;
    out->makeup = INSTANT_NONE;
    out->extras = out->busy = 0;
    out->env = 0;
    run->extra = extra;
    if (s->next == INSTANT_NEVER && !l->job->boot)
        s->phase = PHASE_DONE;
    else
        life_await(l, s, s->next);
    return true;
}

void life_again(const struct life *l, struct job_state *s)
{
    life_occurrence(s, l->now, INSTANT_NEVER);
    s->cause = CAUSE_MANUAL;
}

static enum life_verdict life_verdict(const struct life *l, struct job_state *s, struct run *run)
{
    instant wake;
    if (!life_wake(s, &wake))
        return LIFE_NOT;
    if (wake > l->now)
        return LIFE_EARLY;
    if (s->phase == PHASE_RUNNING) {
        s->overtaken = true;
        return LIFE_REPLACE;
    }
    if (s->phase == PHASE_RETRYING && s->overtakes && s->next <= l->now) {
        life_overtake(l, s);
        if (s->ready > l->now)
            return LIFE_MISSED;
    }
    if (!s->first && l->busy && l->job->overlap != OVERLAP_ALLOW)
        return life_overlap(l, s);
    if (!s->first && !life_choose(l, s))
        return LIFE_MISSED;
    life_start(l, s, run);
    return LIFE_START;
}

enum life_verdict life_claim(const struct life *l, struct job_state *s, struct run *run)
{
    const struct job_state before = *s;
    life_notes_begin(l->notes);
    enum life_verdict said = life_verdict(l, s, run);
    if (said == LIFE_START || said == LIFE_MISSED)
        life_notify_claim(l, &before, s, said == LIFE_START);
    return said;
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
        .kind = (enum backoff_kind)j->retry_backoff,
        .delays = j->retry_delay.items,
        .count = j->retry_delay.count,
        .max = j->retry_max_delay,
        .jitter = j->retry_jitter,
    };
    return backoff_delay(&b, (int)attempt, random);
}

static void life_over(const struct life *l, struct job_state *s, const struct run *r)
{
    bool ok = r->outcome == OUTCOME_OK;
    if (s->repeats && !s->cancel && life_advance(l, s, r))
        return;
    if (ok && !(s->repeats && s->cancel))
        s->phase = PHASE_DONE;
    else
        s->phase = s->cancel || r->outcome == OUTCOME_CANCELLED ? PHASE_CANCELLED : PHASE_FAILED;
    s->paused = s->paused && s->phase != PHASE_CANCELLED; /* what comes back later is not paused, however it was cancelled */
    s->cancel = false;
    s->next = INSTANT_NEVER;
}

static void life_end(const struct life *l, struct job_state *s, const struct run *r, bool stopped)
{
    s->shortage = 0;
    s->last_outcome = r->outcome;
    s->last_ended = r->ended != INSTANT_NONE ? r->ended : l->now;
    s->last_code = r->signal ? r->signal : r->exit_code;
    if (s->retired) {
        s->phase = PHASE_CANCELLED;
        s->next = INSTANT_NEVER;
        s->retired = s->replaced = s->cancel = s->paused = false;
        return;
    }
    if (s->replaced) {
        life_await(l, s, s->next);
        return;
    }
    s->stop = false;
    enum life_then then = s->overtaken ? THEN_OVER : life_decide(l->job, s, r, stopped);
    if (s->cancel || then == THEN_OVER) {
        life_over(l, s, r);
        return;
    }
    s->phase = PHASE_RETRYING;
    s->ready = then == THEN_RERUN ? l->now : instant_add(l->now, life_delay(l->job, s->attempt, l->random));
}

void life_outcome(const struct life *l, struct job_state *s, const struct run *r, bool stopped)
{
    uint32_t first = s->first;
    life_notes_begin(l->notes);
    life_end(l, s, r, stopped);
    life_notify_outcome(l, s, r, first);
}

/* ---- back into the line ---- */

static void life_end_cancelled(struct job_state *s, instant now, struct life_notes *notes)
{
    char *reason = s->first ? mem_format("cancelled before attempt %" PRIu32, s->attempt + 1)
                            : mem_string("cancelled before it started");
    life_note(notes, s, OUTCOME_CANCELLED, now, reason);
    s->phase = PHASE_CANCELLED;
    s->cancel = s->retired = s->paused = false;
    s->next = INSTANT_NEVER;
    s->last_outcome = OUTCOME_CANCELLED;
    s->last_ended = now;
    s->last_code = 0;
}

/* What was claimed was due then. If it is far away now, the clock was set back in between, and life_clock_step leaves
 * due and ready of an open run alone. */
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
    life_notes_begin(notes);
    if (s->first == s->open)
        s->first = 0;
    if (s->retired || (s->cancel && !s->replaced)) {
        life_end_cancelled(s, now, notes);
        return false;
    }
    if (s->stop && !s->replaced && !s->overtaken) {
        life_note(notes, s, OUTCOME_CANCELLED, now, mem_string("stopped before it started"));
        s->stop = false;
        s->phase = s->repeats ? PHASE_WAITING : PHASE_CANCELLED;
        if (s->repeats)
            life_occurrence(s, s->next, INSTANT_NEVER); /* the claim reckons what comes after it */
        return false;
    }
    if (s->overtaken && !s->replaced) {
        char *reason =
            s->first ? mem_format(
                           "attempt %" PRIu32 " is given up for the next occurrence (overlap: replace)", s->attempt + 1)
                     : mem_string("it had not started when the next occurrence took its place (overlap: replace)");
        life_note(notes, s, OUTCOME_SKIPPED, now, reason);
    }
    if (s->replaced || s->overtaken) {
        life_occurrence(s, s->next, INSTANT_NEVER); /* the claim reckons what comes after it */
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

void life_retire(struct job_state *s, instant now, struct life_notes *notes)
{
    life_notes_begin(notes);
    if (s->phase == PHASE_WAITING || s->phase == PHASE_RETRYING) {
        life_end_cancelled(s, now, notes);
    } else if (s->phase == PHASE_RUNNING) {
        s->retired = true;
        s->next = INSTANT_NEVER;
    }
}

bool life_stop(struct job_state *s)
{
    if (s->phase != PHASE_RUNNING)
        return false;
    s->stop = true;
    return true;
}

bool life_retry(struct job_state *s, instant now)
{
    if (s->repeats || s->phase != PHASE_FAILED)
        return false;
    s->phase = s->first ? PHASE_RETRYING : PHASE_WAITING;
    s->ready = now;
    s->attempt = s->lost = s->shortage = 0;
    s->cause = CAUSE_MANUAL;
    return true;
}

static bool life_pass_over(const struct life *l, struct job_state *s, const char *reason, instant *due)
{
    bool waits = s->phase == PHASE_WAITING && !s->first;
    *due = waits ? s->due : s->next;
    life_notes_begin(l->notes);
    if (!s->repeats || job_over(s) || *due == INSTANT_NEVER)
        return false;
    life_note(l->notes, s, OUTCOME_SKIPPED, l->now, mem_string(reason))->due = *due;
    instant next = life_due_after(l, *due);
    if (!waits)
        s->next = next;
    else if (next == INSTANT_NEVER && !l->job->boot && !life_counts_from_end(l->job))
        s->phase = PHASE_DONE;
    else
        life_await(l, s, life_counts_from_end(l->job) ? instant_add(*due, l->job->every) : next);
    return true;
}

bool life_skip_next(const struct life *l, struct job_state *s, instant *due)
{
    return life_pass_over(l, s, "skipped by hand", due);
}

bool life_shift(const struct life *l, struct job_state *s, bool *moved)
{
    instant due;
    bool waits = s->phase == PHASE_WAITING && !s->first;
    life_notes_begin(l->notes);
    *moved = false;
    if (!s->repeats) {
        *moved = waits && s->due != INSTANT_NEVER;
        if (*moved) {
            life_occurrence(s, l->now, INSTANT_NEVER);
            s->cause = CAUSE_MANUAL;
        }
        return false;
    }
    if (l->schedule->kind != SCHEDULE_EVERY || l->schedule->every_from == EVERY_FROM_CLOCK)
        return life_pass_over(l, s, "its run was started by hand, earlier", &due);
    if (waits && s->due <= l->now)
        life_note(l->notes, s, OUTCOME_SKIPPED, l->now, mem_string("a run started by hand has taken its place"));
    if (waits)
        life_await(l, s, instant_add(l->now, l->job->every));
    else if (!job_over(s) && !life_counts_from_end(l->job) && s->next != INSTANT_NEVER)
        s->next = instant_add(l->now, l->job->every);
    return !job_over(s);
}

enum life_cancel life_cancel(struct job_state *s, instant now, struct life_notes *notes)
{
    life_notes_begin(notes);
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
