/* The rules of a job's life, driven by virtual time. Each row is one event; after it verdict, state and notes are compared as text.
 * Times are in seconds, the jitter is off. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "spool/life.h"

struct rules { /* 0: the default */
    int64_t at, every, start_within;
    int retries, lost_max, no_retry_exit;
    enum backoff_kind backoff;
    int64_t delays[4], max_delay;
    bool fail_lost, no_reruns;
};

enum event {
    END = 0, CLAIM, OK, FAILED, KILLED, TIMEOUT, CANCELLED, UNSTARTABLE, LOST, /* the run ended so; `a` is the exit code, else 1 */
    STOPPED, UNCLAIM, SHORTAGE, CANCEL, REPLACE_AT, REPLACE_EVERY, STEP, /* a: the new time; the step */
};

struct step {
    int64_t now;
    enum event event;
    int64_t a;
    const char *want;
};

static struct job job_make(const struct rules *r)
{
    struct job j;
    job_init(&j);
    j.number = 7;
    j.retry_jitter = 0;
    j.retries = r->retries;
    j.retry_backoff = r->backoff;
    j.at = r->at ? r->at * SECOND : INSTANT_NONE;
    j.every = r->every ? r->every * SECOND : DURATION_NONE;
    j.start_within = r->start_within ? r->start_within * SECOND : DURATION_NONE;
    j.lost_max = r->no_reruns ? 0 : r->lost_max ? r->lost_max : 3;
    j.if_lost = r->fail_lost ? IF_LOST_FAIL : IF_LOST_RERUN;
    if (r->max_delay)
        j.retry_max_delay = r->max_delay * SECOND;
    if (r->no_retry_exit)
        j.no_retry_exit.bits[r->no_retry_exit / 8] = (uint8_t)(1 << r->no_retry_exit % 8);
    int count = 0;
    while (count < 4 && r->delays[count])
        count++;
    if (count) {
        free(j.retry_delay.items);
        j.retry_delay.items = mem_zero((size_t)count, sizeof(duration));
        j.retry_delay.count = count;
        for (int i = 0; i < count; i++)
            j.retry_delay.items[i] = r->delays[i] * SECOND;
    }
    return j;
}

static void add_time(struct buf *b, const char *label, instant t)
{
    if (t == INSTANT_NEVER)
        buf_format(b, " %snever", label);
    else if (t % SECOND)
        buf_format(b, " %s%.1f", label, (double)t / (double)SECOND);
    else
        buf_format(b, " %s%" PRId64, label, t / SECOND);
}

static void add_state(struct buf *b, const struct job_state *s)
{
    static const char *const names[] = {"waiting", "retrying", "running", "done", "failed", "cancelled"};
    buf_text(b, names[s->phase]);
    if (s->phase <= PHASE_RUNNING)
        add_time(b, "due ", s->due);
    if (s->phase <= PHASE_RETRYING && s->ready != s->due)
        add_time(b, "ready ", s->ready);
    if (s->next != INSTANT_NEVER)
        add_time(b, "next ", s->next);
    if (s->attempt)
        buf_format(b, " attempts %u", s->attempt);
    if (s->lost)
        buf_format(b, " lost %u", s->lost);
    if (s->cancel)
        buf_text(b, " cancel");
    if (s->replaced)
        buf_text(b, " replaced");
}

static void add_notes(struct buf *b, const struct life_notes *notes)
{
    for (int i = 0; i < notes->count; i++) {
        const struct run *r = &notes->rows[i];
        buf_format(b, "; %s", outcome_name(r->outcome));
        if (r->count > 1)
            buf_format(b, " x%u", r->count);
        if (r->due != INSTANT_NONE)
            add_time(b, "", r->due);
        if (r->last_due != INSTANT_NONE)
            add_time(b, "to ", r->last_due);
        assert_true(r->reason && *r->reason);
        assert_true(r->id.note > 0);
    }
}

struct player {
    struct job job;
    struct schedule schedule;
    struct zones zones;
    struct life life;
    instant since;
    uint64_t boot;
    struct job_state state;
    struct run run;
    struct life_notes notes;
    struct buf text;
};

/* The rules' view of the job at `now`. */
static struct life *view(struct player *p, instant now)
{
    struct error e = {0};
    schedule_clear(&p->schedule);
    if (job_schedule(&p->job, &p->zones, &p->schedule, &e) != 0)
        fail_msg("%s: %s", e.field, e.text);
    p->life = (struct life){.job = &p->job, .schedule = &p->schedule, .now = now, .since = p->since, .boot = p->boot, .notes = &p->notes};
    return &p->life;
}

static void play_claim(struct player *p, instant now)
{
    switch (life_claim(view(p, now), &p->state, &p->run)) {
    case LIFE_START:
        buf_format(&p->text, "start %u try %u: ", p->run.id.n, p->run.attempt);
        assert_int_equal(p->run.id.job, 7);
        assert_int_equal(p->run.due, p->state.due);
        assert_int_equal(p->run.claimed, now);
        break;
    case LIFE_EARLY:
        buf_text(&p->text, "early: ");
        break;
    case LIFE_MISSED:
        buf_text(&p->text, "missed: ");
        break;
    case LIFE_REPLACE:
        buf_text(&p->text, "stop: ");
        break;
    case LIFE_PARKED:
        buf_text(&p->text, "parked: ");
        break;
    case LIFE_NOT:
        buf_text(&p->text, "not: ");
        break;
    }
}

static void play_outcome(struct player *p, instant now, enum event event, int64_t a)
{
    static const enum outcome outcomes[] = {
        [OK] = OUTCOME_OK, [FAILED] = OUTCOME_FAILED, [KILLED] = OUTCOME_KILLED, [TIMEOUT] = OUTCOME_TIMEOUT, [CANCELLED] = OUTCOME_CANCELLED,
        [UNSTARTABLE] = OUTCOME_UNSTARTABLE, [LOST] = OUTCOME_LOST, [STOPPED] = OUTCOME_KILLED,
    };
    p->run.outcome = outcomes[event];
    p->run.exit_code = event == FAILED ? (int)(a ? a : 1) : event == OK ? 0 : -1;
    p->run.signal = event == KILLED || event == STOPPED ? 15 : 0;
    p->run.ended = event == LOST ? INSTANT_NONE : event == OK && a ? a * SECOND : now; /* OK: a is when it ended */
    life_outcome(view(p, now), &p->state, &p->run, event == STOPPED);
    assert_int_equal(p->state.last_outcome, p->run.outcome);
    run_clear(&p->run);
}

static void play_replace(struct player *p, instant now, int64_t at, int64_t every)
{
    p->job.at = at ? at * SECOND : INSTANT_NONE;
    p->job.every = every ? every * SECOND : DURATION_NONE;
    life_replace(view(p, now), &p->state);
}

static void play_event(struct player *p, const struct step *step)
{
    static const char *const cancels[] = {"cancelled: ", "stopping: ", "over: "};
    instant now = step->now * SECOND;
    switch (step->event) {
    case CLAIM:
        play_claim(p, now);
        break;
    case UNCLAIM:
        run_clear(&p->run);
        life_unclaim(&p->state, now, &p->notes);
        break;
    case SHORTAGE:
        run_clear(&p->run);
        life_shortage(&p->state, now, &p->notes);
        break;
    case CANCEL:
        buf_text(&p->text, cancels[life_cancel(&p->state, now, &p->notes)]);
        break;
    case REPLACE_AT:
        play_replace(p, now, step->a, 0);
        break;
    case REPLACE_EVERY:
        play_replace(p, now, 0, step->a);
        break;
    case STEP:
        buf_text(&p->text, life_clock_step(view(p, now), &p->state, step->a * SECOND) ? "" : "same: ");
        break;
    default:
        play_outcome(p, now, step->event, step->a);
    }
}

static void play(const struct rules *rules, const struct step *steps)
{
    struct player p = {.job = job_make(rules), .since = INSTANT_NONE, .boot = 1};
    life_begin(view(&p, 0), &p.state);
    for (int i = 0; steps[i].event != END; i++) {
        p.notes.count = 0;
        buf_reset(&p.text);
        play_event(&p, &steps[i]);
        add_state(&p.text, &p.state);
        add_notes(&p.text, &p.notes);
        life_notes_clear(&p.notes);
        if (strcmp(buf_string(&p.text), steps[i].want) != 0)
            fail_msg("row %d: got  \"%s\"\n       want \"%s\"", i + 1, buf_string(&p.text), steps[i].want);
    }
    run_clear(&p.run);
    buf_clear(&p.text);
    schedule_clear(&p.schedule);
    zones_clear(&p.zones);
    job_clear(&p.job);
}
#define PLAY(...) play(&(const struct rules){__VA_ARGS__}, (const struct step[])
#define STEPS_END {0, END, 0, NULL}

static void test_once(void **state)
{
    (void)state;
    PLAY(.at = 100) {
        {99, CLAIM, 0, "early: waiting due 100"},
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, CLAIM, 0, "not: running due 100"},
        {102, OK, 0, "done attempts 1"},
        {103, CLAIM, 0, "not: done attempts 1"}, STEPS_END});
    PLAY(.at = 100) { /* late, but it runs */
        {100000, CLAIM, 0, "start 1 try 1: running due 100"},
        {100001, FAILED, 0, "failed attempts 1"}, STEPS_END});
    PLAY(.at = 100) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, UNSTARTABLE, 0, "failed attempts 1"}, STEPS_END});
    PLAY(.at = 0) { /* no schedule: started by hand only */
        {100000, CLAIM, 0, "early: waiting due never"},
        {100001, CANCEL, 0, "cancelled: cancelled; cancelled"}, STEPS_END});
}

static void test_retries(void **state)
{
    (void)state;
    PLAY(.at = 100, .retries = 3, .delays = {10}) { /* exponential is the default */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, FAILED, 0, "retrying due 100 ready 111 attempts 1"},
        {110, CLAIM, 0, "early: retrying due 100 ready 111 attempts 1"},
        {111, CLAIM, 0, "start 2 try 2: running due 100 attempts 1"},
        {112, KILLED, 0, "retrying due 100 ready 132 attempts 2"},
        {132, CLAIM, 0, "start 3 try 3: running due 100 attempts 2"},
        {133, TIMEOUT, 0, "retrying due 100 ready 173 attempts 3"},
        {173, CLAIM, 0, "start 4 try 4: running due 100 attempts 3"},
        {174, FAILED, 0, "failed attempts 4"}, STEPS_END});
    PLAY(.at = 100, .retries = 3, .delays = {10}, .backoff = BACKOFF_LINEAR, .max_delay = 25) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {100, FAILED, 0, "retrying due 100 ready 110 attempts 1"},
        {110, CLAIM, 0, "start 2 try 2: running due 100 attempts 1"},
        {110, FAILED, 0, "retrying due 100 ready 130 attempts 2"},
        {130, CLAIM, 0, "start 3 try 3: running due 100 attempts 2"},
        {130, FAILED, 0, "retrying due 100 ready 155 attempts 3"},
        {155, CLAIM, 0, "start 4 try 4: running due 100 attempts 3"},
        {156, OK, 0, "done attempts 4"}, STEPS_END});
    PLAY(.at = 100, .retries = 2, .delays = {10}, .backoff = BACKOFF_FIXED) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {100, FAILED, 0, "retrying due 100 ready 110 attempts 1"},
        {110, CLAIM, 0, "start 2 try 2: running due 100 attempts 1"},
        {110, FAILED, 0, "retrying due 100 ready 120 attempts 2"}, STEPS_END});
    PLAY(.at = 100, .retries = 3, .delays = {5, 60}) { /* a list: each its own, the last one again */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {100, FAILED, 0, "retrying due 100 ready 105 attempts 1"},
        {105, CLAIM, 0, "start 2 try 2: running due 100 attempts 1"},
        {105, FAILED, 0, "retrying due 100 ready 165 attempts 2"},
        {165, CLAIM, 0, "start 3 try 3: running due 100 attempts 2"},
        {165, FAILED, 0, "retrying due 100 ready 225 attempts 3"}, STEPS_END});
    PLAY(.at = 100, .retries = 9, .no_retry_exit = 64) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {100, FAILED, 63, "retrying due 100 ready 130 attempts 1"},
        {130, CLAIM, 0, "start 2 try 2: running due 100 attempts 1"},
        {130, FAILED, 64, "failed attempts 2"}, STEPS_END});
    PLAY(.at = 100, .retries = 9) { /* trying again cannot help; and nobody wants it */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {100, UNSTARTABLE, 0, "failed attempts 1"}, STEPS_END});
    PLAY(.at = 100, .retries = 9) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {100, CANCELLED, 0, "cancelled attempts 1"}, STEPS_END});
}

static void test_lost(void **state)
{
    (void)state;
    PLAY(.at = 100, .lost_max = 2, .retries = 1, .delays = {10}) { /* the same attempt, at once, up to the limit */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {200, LOST, 0, "retrying due 100 ready 200 lost 1"},
        {200, CLAIM, 0, "start 2 try 1: running due 100 lost 1"},
        {201, FAILED, 0, "retrying due 100 ready 211 attempts 1 lost 1"},
        {211, CLAIM, 0, "start 3 try 2: running due 100 attempts 1 lost 1"},
        {212, LOST, 0, "retrying due 100 ready 212 attempts 1 lost 2"},
        {212, CLAIM, 0, "start 4 try 2: running due 100 attempts 1 lost 2"},
        {213, LOST, 0, "failed attempts 2 lost 2"}, STEPS_END});
    PLAY(.at = 100, .retries = 5, .fail_lost = true) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {200, LOST, 0, "failed attempts 1"}, STEPS_END});
    PLAY(.at = 100, .no_reruns = true) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {200, LOST, 0, "failed attempts 1"}, STEPS_END});
    PLAY(.at = 100, .lost_max = 1) { /* ended by our own stop: counts neither as an attempt nor against lost_max */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, STOPPED, 0, "retrying due 100 ready 101"},
        {102, CLAIM, 0, "start 2 try 1: running due 100"},
        {103, STOPPED, 0, "retrying due 100 ready 103"},
        {104, CLAIM, 0, "start 3 try 1: running due 100"},
        {105, LOST, 0, "retrying due 100 ready 105 lost 1"}, STEPS_END});
    PLAY(.at = 100, .fail_lost = true, .retries = 3) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, STOPPED, 0, "failed attempts 1"}, STEPS_END});
    PLAY(.every = 100, .fail_lost = true) { /* nobody knows how long it ran: the times since then are missed, the latest runs */
        {100, CLAIM, 0, "start 1 try 1: running due 100 next 200"},
        {450, LOST, 0, "waiting due 200 next 300"},
        {450, CLAIM, 0, "start 2 try 1: running due 400 next 500; missed x2 200 to 300"}, STEPS_END});
}

static void test_every(void **state)
{
    (void)state;
    PLAY(.every = 60) {
        {59, CLAIM, 0, "early: waiting due 60 next 120"},
        {61, CLAIM, 0, "start 1 try 1: running due 60 next 120"}, /* no drift */
        {63, OK, 0, "waiting due 120 next 180"},
        {120, CLAIM, 0, "start 2 try 1: running due 120 next 180"},
        {310, OK, 0, "waiting due 360 next 420; skipped x3 180 to 300"}, /* it took longer than the interval */
        {360, CLAIM, 0, "start 3 try 1: running due 360 next 420"},
        {421, FAILED, 0, "waiting due 480 next 540; skipped 420"},
        {1000, CLAIM, 0, "start 4 try 1: running due 960 next 1020; missed x8 480 to 900"}, STEPS_END});
    PLAY(.every = 60, .retries = 1, .delays = {100}) { /* waiting for a retry counts as active */
        {60, CLAIM, 0, "start 1 try 1: running due 60 next 120"},
        {61, FAILED, 0, "retrying due 60 ready 161 next 120 attempts 1"},
        {161, CLAIM, 0, "start 2 try 2: running due 60 next 120 attempts 1"},
        {162, FAILED, 0, "waiting due 180 next 240; skipped 120"}, STEPS_END});
    PLAY(.every = 60) { /* ended while nobody served: skipped until then, missed since */
        {60, CLAIM, 0, "start 1 try 1: running due 60 next 120"},
        {400, OK, 190, "waiting due 240 next 300; skipped x2 120 to 180"},
        {400, CLAIM, 0, "start 2 try 1: running due 360 next 420; missed x2 240 to 300"}, STEPS_END});
    PLAY(.every = 60) {
        {60, CLAIM, 0, "start 1 try 1: running due 60 next 120"},
        {61, UNSTARTABLE, 0, "waiting due 120 next 180"},
        {120, CLAIM, 0, "start 2 try 1: running due 120 next 180"},
        {121, CANCELLED, 0, "waiting due 180 next 240"}, STEPS_END}); /* the run was stopped, not the job */
}

static void test_start_within(void **state)
{
    (void)state;
    PLAY(.at = 100, .start_within = 10) {
        {110, CLAIM, 0, "start 1 try 1: running due 100"}, STEPS_END});
    PLAY(.at = 100, .start_within = 10) {
        {111, CLAIM, 0, "missed: failed; missed 100"},
        {112, CLAIM, 0, "not: failed"}, STEPS_END});
    PLAY(.every = 60, .start_within = 10) {
        {71, CLAIM, 0, "missed: waiting due 120 next 180; missed 60"},
        {250, CLAIM, 0, "start 1 try 1: running due 240 next 300; missed x2 120 to 180"},
        {251, OK, 0, "waiting due 300 next 360"},
        {500, CLAIM, 0, "missed: waiting due 540 next 600; missed x4 300 to 480"}, STEPS_END});
    PLAY(.at = 100, .start_within = 10, .retries = 1) { /* retries are not late */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, FAILED, 0, "retrying due 100 ready 131 attempts 1"},
        {131, CLAIM, 0, "start 2 try 2: running due 100 attempts 1"}, STEPS_END});
}

static void test_back(void **state)
{
    (void)state;
    PLAY(.at = 100) { /* run numbers never go back */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, UNCLAIM, 0, "waiting due 100"},
        {102, CLAIM, 0, "start 2 try 1: running due 100"},
        {103, OK, 0, "done attempts 1"}, STEPS_END});
    PLAY(.at = 100, .retries = 1, .delays = {10}) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {100, FAILED, 0, "retrying due 100 ready 110 attempts 1"},
        {110, CLAIM, 0, "start 2 try 2: running due 100 attempts 1"},
        {110, UNCLAIM, 0, "retrying due 100 ready 110 attempts 1"},
        {111, CLAIM, 0, "start 3 try 2: running due 100 attempts 1"}, STEPS_END});
    PLAY(.at = 100) { /* 100 ms, doubling to 10 s; a start puts it back */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {100, SHORTAGE, 0, "waiting due 100 ready 100.1"},
        {101, CLAIM, 0, "start 2 try 1: running due 100"},
        {101, SHORTAGE, 0, "waiting due 100 ready 101.2"},
        {102, CLAIM, 0, "start 3 try 1: running due 100"},
        {102, SHORTAGE, 0, "waiting due 100 ready 102.4"},
        {103, CLAIM, 0, "start 4 try 1: running due 100"},
        {103, SHORTAGE, 0, "waiting due 100 ready 103.8"},
        {104, CLAIM, 0, "start 5 try 1: running due 100"},
        {104, SHORTAGE, 0, "waiting due 100 ready 105.6"},
        {106, CLAIM, 0, "start 6 try 1: running due 100"},
        {106, SHORTAGE, 0, "waiting due 100 ready 109.2"},
        {110, CLAIM, 0, "start 7 try 1: running due 100"},
        {110, SHORTAGE, 0, "waiting due 100 ready 116.4"},
        {120, CLAIM, 0, "start 8 try 1: running due 100"},
        {120, SHORTAGE, 0, "waiting due 100 ready 130"},
        {130, CLAIM, 0, "start 9 try 1: running due 100"},
        {130, SHORTAGE, 0, "waiting due 100 ready 140"},
        {140, CLAIM, 0, "start 10 try 1: running due 100"},
        {141, LOST, 0, "retrying due 100 ready 141 lost 1"},
        {141, CLAIM, 0, "start 11 try 1: running due 100 lost 1"},
        {141, SHORTAGE, 0, "retrying due 100 ready 141.1 lost 1"}, STEPS_END});
    PLAY(.every = 60) { /* the lost occurrence is the one that runs again, whatever came due meanwhile */
        {60, CLAIM, 0, "start 1 try 1: running due 60 next 120"},
        {500, LOST, 0, "retrying due 60 ready 500 next 120 lost 1"},
        {500, CLAIM, 0, "start 2 try 1: running due 60 next 120 lost 1"},
        {501, UNCLAIM, 0, "retrying due 60 ready 500 next 120 lost 1"},
        {502, CLAIM, 0, "start 3 try 1: running due 60 next 120 lost 1"},
        {503, OK, 0, "waiting due 540 next 600; skipped x7 120 to 480"}, STEPS_END});
}

static void test_cancel(void **state)
{
    (void)state;
    PLAY(.at = 100) {
        {50, CANCEL, 0, "cancelled: cancelled; cancelled 100"},
        {100, CLAIM, 0, "not: cancelled"},
        {101, CANCEL, 0, "over: cancelled"}, STEPS_END});
    PLAY(.every = 60, .retries = 1) {
        {60, CLAIM, 0, "start 1 try 1: running due 60 next 120"},
        {60, FAILED, 0, "retrying due 60 ready 90 next 120 attempts 1"},
        {70, CANCEL, 0, "cancelled: cancelled attempts 1; cancelled 60"}, STEPS_END});
    PLAY(.at = 100, .retries = 5) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, CANCEL, 0, "stopping: running due 100 cancel"},
        {101, CANCEL, 0, "stopping: running due 100 cancel"},
        {102, CANCELLED, 0, "cancelled attempts 1"}, STEPS_END});
    PLAY(.at = 100, .retries = 5) { /* it failed before the cancel came to it */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, CANCEL, 0, "stopping: running due 100 cancel"},
        {102, FAILED, 0, "cancelled attempts 1"}, STEPS_END});
    PLAY(.at = 100) { /* the truth: it ended ok */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, CANCEL, 0, "stopping: running due 100 cancel"},
        {102, OK, 0, "done attempts 1"}, STEPS_END});
    PLAY(.every = 60) {
        {60, CLAIM, 0, "start 1 try 1: running due 60 next 120"},
        {61, CANCEL, 0, "stopping: running due 60 cancel"},
        {62, OK, 0, "cancelled attempts 1"}, STEPS_END});
    PLAY(.at = 100) { /* lost is not run again, nor is what we stopped */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, CANCEL, 0, "stopping: running due 100 cancel"},
        {102, LOST, 0, "cancelled lost 1"}, STEPS_END});
    PLAY(.at = 100) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, CANCEL, 0, "stopping: running due 100 cancel"},
        {102, UNCLAIM, 0, "cancelled; cancelled 100"}, STEPS_END});
    PLAY(.every = 60) {
        {60, CLAIM, 0, "start 1 try 1: running due 60 next 120"},
        {61, CANCEL, 0, "stopping: running due 60 cancel"},
        {62, SHORTAGE, 0, "cancelled; cancelled 60"}, STEPS_END});
    PLAY(.at = 100) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, OK, 0, "done attempts 1"},
        {102, CANCEL, 0, "over: done attempts 1"}, STEPS_END});
}

static void test_replace(void **state)
{
    (void)state;
    PLAY(.at = 100) { /* an alarm pushed back */
        {50, REPLACE_AT, 200, "waiting due 200"},
        {100, CLAIM, 0, "early: waiting due 200"},
        {200, CLAIM, 0, "start 1 try 1: running due 200"}, STEPS_END});
    PLAY(.at = 100, .retries = 3) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {100, FAILED, 0, "retrying due 100 ready 130 attempts 1"},
        {110, REPLACE_AT, 200, "waiting due 200"},
        {200, CLAIM, 0, "start 2 try 1: running due 200"}, STEPS_END});
    PLAY(.at = 100, .retries = 3) { /* the open run goes on and is not retried */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {110, REPLACE_AT, 200, "running due 100 next 200 replaced"},
        {120, FAILED, 0, "waiting due 200"},
        {200, CLAIM, 0, "start 2 try 1: running due 200"},
        {201, OK, 0, "done attempts 1"}, STEPS_END});
    PLAY(.at = 100) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {110, REPLACE_EVERY, 60, "running due 100 next 170 replaced"},
        {300, LOST, 0, "waiting due 170 next 230"},
        {300, CLAIM, 0, "start 2 try 1: running due 290 next 350; missed x2 170 to 230"}, STEPS_END});
    PLAY(.every = 60) {
        {60, CLAIM, 0, "start 1 try 1: running due 60 next 120"},
        {70, REPLACE_EVERY, 1000, "running due 60 next 1070 replaced"},
        {80, UNCLAIM, 0, "waiting due 1070"},
        {1070, CLAIM, 0, "start 2 try 1: running due 1070 next 2070"}, STEPS_END});
    PLAY(.every = 60) { /* the last word counts: cancel */
        {60, CLAIM, 0, "start 1 try 1: running due 60 next 120"},
        {70, REPLACE_EVERY, 100, "running due 60 next 170 replaced"},
        {71, CANCEL, 0, "stopping: running due 60 cancel"},
        {72, CANCELLED, 0, "cancelled attempts 1"}, STEPS_END});
    PLAY(.every = 60) { /* the last word counts: replace; the run is stopped all the same */
        {60, CLAIM, 0, "start 1 try 1: running due 60 next 120"},
        {70, CANCEL, 0, "stopping: running due 60 cancel"},
        {71, REPLACE_AT, 500, "running due 60 next 500 cancel replaced"},
        {72, CANCELLED, 0, "waiting due 500"}, STEPS_END});
    PLAY(.at = 100) { /* a finished one gets a new life */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, FAILED, 0, "failed attempts 1"},
        {102, REPLACE_AT, 200, "waiting due 200"},
        {200, CLAIM, 0, "start 2 try 1: running due 200"}, STEPS_END});
}

static void test_clock(void **state)
{
    (void)state;
    PLAY(.at = 100) { /* a time is a time */
        {20, STEP, -50, "same: waiting due 100"},
        {99, CLAIM, 0, "early: waiting due 100"},
        {100, CLAIM, 0, "start 1 try 1: running due 100"}, STEPS_END});
    PLAY(.every = 3600) { /* back by a day: the interval keeps its length */
        {3600, CLAIM, 0, "start 1 try 1: running due 3600 next 7200"},
        {3601, OK, 0, "waiting due 7200 next 10800"},
        {5000 - 86400, STEP, -86400, "waiting due -79200 next -75600"},
        {7199 - 86400, CLAIM, 0, "early: waiting due -79200 next -75600"},
        {7200 - 86400, CLAIM, 0, "start 2 try 1: running due -79200 next -75600"}, STEPS_END});
    PLAY(.every = 3600) { /* back while it runs: the one on keeps its due time; no silence of a day */
        {3600, CLAIM, 0, "start 1 try 1: running due 3600 next 7200"},
        {3610 - 86400, OK, 0, "waiting due -79190 next -75590"}, STEPS_END});
    PLAY(.every = 3600) {
        {3600, CLAIM, 0, "start 1 try 1: running due 3600 next 7200"},
        {3605 - 86400, STEP, -86400, "running due 3600 next -79200"},
        {3610 - 86400, OK, 0, "waiting due -79200 next -75600"}, STEPS_END});
    PLAY(.every = 3600, .retries = 1) { /* the back-off is a length too */
        {3600, CLAIM, 0, "start 1 try 1: running due 3600 next 7200"},
        {3610, FAILED, 0, "retrying due 3600 ready 3640 next 7200 attempts 1"},
        {1620, STEP, -2000, "retrying due 3600 ready 1640 next 5200 attempts 1"},
        {1640, CLAIM, 0, "start 2 try 2: running due 3600 next 5200 attempts 1"},
        {1650, OK, 0, "waiting due 5200 next 8800"}, STEPS_END});
    PLAY(.at = 100, .retries = 1) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {110, FAILED, 0, "retrying due 100 ready 140 attempts 1"},
        {20, STEP, -100, "retrying due 100 ready 40 attempts 1"},
        {10, STEP, -15, "retrying due 100 ready 25 attempts 1"},
        {25, CLAIM, 0, "start 2 try 2: running due 100 attempts 1"}, STEPS_END});
    PLAY(.at = 100) { /* a shortage may not bring the start before the due time */
        {105, CLAIM, 0, "start 1 try 1: running due 100"},
        {105, SHORTAGE, 0, "waiting due 100 ready 105.1"},
        {102, STEP, -3, "waiting due 100 ready 102.1"},
        {50, STEP, -52, "waiting due 100"}, STEPS_END});
    PLAY(.every = 3600) { /* forward by months, as a Pi without a clock battery: one run, no burst */
        {10000000, STEP, 9999000, "same: waiting due 3600 next 7200"},
        {10000000, CLAIM, 0, "start 1 try 1: running due 9997200 next 10000800; missed x2776 3600 to 9993600"},
        {10000001, OK, 0, "waiting due 10000800 next 10004400"}, STEPS_END});
    PLAY(.every = 3600) { /* back while a claim is held, which is then given back: no silence of a day */
        {3600, CLAIM, 0, "start 1 try 1: running due 3600 next 7200"},
        {3600 - 86400, STEP, -86400, "running due 3600 next -79200"},
        {3600 - 86400, UNCLAIM, 0, "waiting due -82800 next -79200"}, STEPS_END});
    PLAY(.at = 100, .retries = 1) { /* the same with a retry: its wait was over */
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {110, FAILED, 0, "retrying due 100 ready 140 attempts 1"},
        {140, CLAIM, 0, "start 2 try 2: running due 100 attempts 1"},
        {140 - 86400, STEP, -86400, "same: running due 100 attempts 1"},
        {140 - 86400, UNCLAIM, 0, "retrying due 100 ready -86260 attempts 1"}, STEPS_END});
    PLAY(.at = 100) {
        {100, CLAIM, 0, "start 1 try 1: running due 100"},
        {101, OK, 0, "done attempts 1"},
        {20, STEP, -100, "same: done attempts 1"}, STEPS_END});
}

/* All attempts and reruns of an occurrence have one key, and no two occurrences have the same, also when the clock makes a due time come twice. */
static void test_key(void **state)
{
    (void)state;
    struct player p = {.job = job_make(&(const struct rules){.every = 3600, .retries = 1}), .since = INSTANT_NONE};
    static const struct { int64_t now; enum event event; int64_t a; const char *key; } rows[] = {
        {3600, CLAIM, 0, "7-3600000000000"},  {3601, FAILED, 0, NULL}, {3700, CLAIM, 0, "7-3600000000000"}, {3701, OK, 0, NULL},
        {7200, CLAIM, 0, "7-7200000000000"},  {7201, LOST, 0, NULL},   {3602, STEP, -3600, NULL},
        {3610, CLAIM, 0, "7-7200000000000"},  {3611, OK, 0, NULL},
        {7200, CLAIM, 0, "7-7200000000000-5"}, {7200, UNCLAIM, 0, NULL}, {7201, CLAIM, 0, "7-7200000000000-6"},
        {7201, FAILED, 0, NULL}, {7300, CLAIM, 0, "7-7200000000000-6"},
    };
    life_begin(view(&p, 0), &p.state);
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        play_event(&p, &(const struct step){rows[i].now, rows[i].event, rows[i].a, NULL});
        life_notes_clear(&p.notes);
        if (rows[i].key)
            assert_string_equal(p.run.key, rows[i].key);
    }
    run_clear(&p.run);
    buf_clear(&p.text);
    schedule_clear(&p.schedule);
    job_clear(&p.job);
}

static void test_notes(void **state)
{
    (void)state;
    struct player p = {.job = job_make(&(const struct rules){.every = 60, .start_within = 10}), .since = INSTANT_NONE};
    p.job.name = mem_string("sync");
    life_begin(view(&p, 0), &p.state);
    life_claim(view(&p, 75 * SECOND), &p.state, &p.run);
    assert_int_equal(p.notes.count, 1);
    assert_string_equal(p.notes.rows[0].reason, "could not start within 10s of its due time (start_within)");
    assert_string_equal(p.notes.rows[0].name, "sync");
    assert_int_equal(p.notes.rows[0].id.n, 0);
    assert_int_equal(p.notes.rows[0].id.note, 1);
    assert_int_equal(p.notes.rows[0].ended, 75 * SECOND);
    assert_int_equal(p.state.last_outcome, OUTCOME_MISSED);
    life_notes_clear(&p.notes);
    life_claim(view(&p, 240 * SECOND), &p.state, &p.run);
    assert_int_equal(p.notes.rows[0].id.note, 2);
    life_notes_clear(&p.notes);
    p.run.outcome = OUTCOME_FAILED;
    p.run.exit_code = 3;
    p.run.ended = 400 * SECOND;
    life_outcome(view(&p, 400 * SECOND), &p.state, &p.run, false);
    assert_string_equal(p.notes.rows[0].reason, "the run before was still going");
    assert_int_equal(p.notes.rows[0].id.n, 1);
    assert_int_equal(p.notes.rows[0].id.note, 1);
    assert_int_equal(p.state.last_code, 3);
    life_notes_clear(&p.notes);
    run_clear(&p.run);
    job_clear(&p.job);
}

static void test_judge(void **state)
{
    (void)state;
    static const struct { int code, signal; enum outcome want; } rows[] = {
        {0, 0, OUTCOME_OK}, {1, 0, OUTCOME_FAILED}, {3, 0, OUTCOME_OK}, {255, 0, OUTCOME_FAILED}, {-1, 9, OUTCOME_KILLED}, {0, 15, OUTCOME_KILLED}, {-1, 0, OUTCOME_FAILED},
    };
    struct job j = job_make(&(const struct rules){0});
    j.success_exit.bits[0] |= 1 << 3;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        assert_int_equal(life_judge(&j, rows[i].code, rows[i].signal), rows[i].want);
    job_clear(&j);
}

/* Ten years of an hourly job with failures, losses, downtime and clock steps both ways, from a fixed seed: every occurrence has exactly one first
 * run or is in a note, nothing starts before its time, and there is never more than an interval of silence. */
struct years {
    struct player p;
    instant now;
    uint64_t random, runs, first_runs, noted;
};

static uint64_t years_random(struct years *y)
{
    y->random = y->random * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return y->random >> 33;
}

static void years_note(struct years *y)
{
    for (int i = 0; i < y->p.notes.count; i++)
        y->noted += y->p.notes.rows[i].count;
    life_notes_clear(&y->p.notes);
}

static void years_run(struct years *y)
{
    struct player *p = &y->p;
    assert_int_equal(life_claim(view(p, y->now), &p->state, &p->run), LIFE_START);
    assert_true(p->run.id.n > y->runs);
    y->runs = p->run.id.n;
    y->first_runs += p->state.first == p->run.id.n;
    years_note(y);
    y->now += (instant)(years_random(y) % 5000) * SECOND;
    static const enum outcome outcomes[] = {OUTCOME_OK, OUTCOME_OK, OUTCOME_FAILED, OUTCOME_LOST, OUTCOME_TIMEOUT, OUTCOME_UNSTARTABLE};
    p->run.outcome = outcomes[years_random(y) % 6];
    p->run.exit_code = p->run.outcome == OUTCOME_FAILED;
    p->run.ended = p->run.outcome == OUTCOME_LOST ? INSTANT_NONE : y->now;
    view(p, y->now)->random = y->random;
    life_outcome(&p->life, &p->state, &p->run, false);
    run_clear(&p->run);
    years_note(y);
    assert_true(p->state.phase == PHASE_WAITING || p->state.phase == PHASE_RETRYING);
    assert_true(p->state.ready <= y->now + 3600 * SECOND);
}

static void test_years(void **state)
{
    (void)state;
    struct years y = {.p.job = job_make(&(const struct rules){.every = 3600, .retries = 2}), .p.since = INSTANT_NONE, .random = 20261201};
    life_begin(view(&y.p, 0), &y.p.state);
    int64_t shifted = 0; /* how far the clock was set back in all */
    while (y.now + shifted < INT64_C(3650) * 86400 * SECOND || y.p.state.phase != PHASE_WAITING) {
        uint64_t dice = years_random(&y) % 100;
        if (dice == 0) { /* back, up to ten hours */
            int64_t step = -(int64_t)(years_random(&y) % 36000) * SECOND;
            y.now += step;
            shifted -= step;
            life_clock_step(view(&y.p, y.now), &y.p.state, step);
        }
        assert_true(y.p.state.ready <= y.now + 3600 * SECOND);
        if (y.p.state.ready > y.now)
            y.now = y.p.state.ready;
        if (dice == 1) /* downtime, or the clock set forward */
            y.now += (instant)(years_random(&y) % 1000000) * SECOND;
        years_run(&y);
    }
    /* In true time occurrences are an hour apart, from the first to the one before the one that waits. */
    assert_true(y.first_runs > 10000);
    assert_int_equal(y.first_runs + y.noted, (y.p.state.due + shifted) / (3600 * SECOND) - 1);
    job_clear(&y.p.job);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_once), cmocka_unit_test(test_retries), cmocka_unit_test(test_lost), cmocka_unit_test(test_every),
        cmocka_unit_test(test_start_within), cmocka_unit_test(test_back), cmocka_unit_test(test_cancel), cmocka_unit_test(test_replace),
        cmocka_unit_test(test_clock), cmocka_unit_test(test_key), cmocka_unit_test(test_notes), cmocka_unit_test(test_judge), cmocka_unit_test(test_years),
    };
    return cmocka_run_group_tests_name("life", tests, NULL, NULL);
}
