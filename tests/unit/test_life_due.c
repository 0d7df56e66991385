/* Which occurrences of a job run: catch-up, overlap, bounds, boots, jitter, new definitions. As in test_life.c each row is one event; after it verdict, state and notes
 * are compared as text. Times are in seconds since 1970, zone UTC: minutely is every 60. */
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

#define MINUTELY "* * * * *"

struct rules { /* 0: the default */
    int64_t at, every;
    const char *cron, *calendar, *timezone, *except;
    enum boot_kind boot;
    enum every_from every_from;
    int64_t not_before, not_after, jitter, spread;
    enum catchup catchup;
    int64_t catchup_within;
    int catchup_max;
    enum overlap overlap;
    int64_t start_within;
    int retries; /* at a fixed pause of 30 s */
    bool fail_lost, reasons;
    int64_t added;
};

enum event {
    END = 0, CLAIM, OK, FAILED, KILLED, TIMEOUT, CANCELLED, UNSTARTABLE, LOST, /* the run ended so; `a` (OK): when, if not now */
    STOPPED, UNCLAIM, SHORTAGE, CANCEL, STEP, ZONE, /* a: the step */
    SINCE, BOOT, REPLACE_CRON, REPLACE_AT, REPLACE_BOOT, LUCK, /* a: since when the scheduler serves; the boot; the new time; the random number from now on */
};

struct step {
    int64_t now;
    enum event event;
    int64_t a;
    const char *want;
};

static instant seconds(int64_t n, instant none)
{
    return n ? n * SECOND : none;
}

static struct job job_make(const struct rules *r)
{
    struct job j;
    job_init(&j);
    j.number = 7;
    j.at = seconds(r->at, INSTANT_NONE);
    j.every = seconds(r->every, DURATION_NONE);
    j.every_from = r->every_from;
    if (r->cron)
        strvec_add(&j.cron, r->cron);
    if (r->calendar)
        strvec_add(&j.calendar, r->calendar);
    if (r->except)
        strvec_add(&j.except, r->except);
    j.timezone = mem_string(r->timezone ? r->timezone : "UTC");
    j.boot = r->boot;
    j.not_before = seconds(r->not_before, INSTANT_NONE);
    j.not_after = seconds(r->not_after, INSTANT_NONE);
    j.jitter = r->jitter * SECOND;
    j.spread = r->spread * SECOND;
    j.catchup = r->catchup;
    j.catchup_within = seconds(r->catchup_within, DURATION_NONE);
    if (r->catchup_max)
        j.catchup_max = r->catchup_max;
    j.overlap = r->overlap;
    j.start_within = seconds(r->start_within, DURATION_NONE);
    j.retries = r->retries;
    j.retry_jitter = 0;
    j.retry_backoff = BACKOFF_FIXED;
    j.if_lost = r->fail_lost ? IF_LOST_FAIL : IF_LOST_RERUN;
    return j;
}

struct player {
    struct job job;
    struct schedule schedule;
    struct zones zones;
    struct life life;
    instant since;
    uint64_t boot, random;
    struct job_state state;
    struct run run;
    struct life_notes notes;
    struct buf text;
    bool reasons;
};

static struct life *view(struct player *p, instant now)
{
    struct error e = {0};
    schedule_clear(&p->schedule);
    if (job_check(&p->job, &e) != 0 && strcmp(e.field, "command") != 0)
        fail_msg("%s: %s", e.field, e.text);
    if (job_schedule(&p->job, &p->zones, &p->schedule, &e) != 0)
        fail_msg("%s: %s", e.field, e.text);
    p->life = (struct life){.job = &p->job, .schedule = &p->schedule, .now = now, .random = p->random, .since = p->since, .boot = p->boot, .notes = &p->notes};
    return &p->life;
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
}

static void add_notes(struct buf *b, const struct player *p)
{
    for (int i = 0; i < p->notes.count; i++) {
        const struct run *r = &p->notes.rows[i];
        buf_format(b, "; %s", outcome_name(r->outcome));
        if (r->count > 1)
            buf_format(b, " x%u", r->count);
        add_time(b, "", r->due);
        if (r->last_due != INSTANT_NONE)
            add_time(b, "to ", r->last_due);
        if (p->reasons)
            buf_format(b, ": %s", r->reason);
        assert_true(r->reason && *r->reason);
        assert_true(r->id.note > 0);
        assert_int_equal(r->count > 1, r->last_due != INSTANT_NONE);
    }
}

static void play_claim(struct player *p, instant now)
{
    static const char *const verdicts[] = {[LIFE_START] = "start", [LIFE_EARLY] = "early: ", [LIFE_MISSED] = "missed: ", [LIFE_REPLACE] = "stop: ", [LIFE_NOT] = "not: "};
    enum life_verdict said = life_claim(view(p, now), &p->state, &p->run);
    buf_text(&p->text, verdicts[said]);
    if (said != LIFE_START)
        return;
    buf_format(&p->text, " %u", p->run.id.n);
    if (p->run.attempt > 1)
        buf_format(&p->text, " try %u", p->run.attempt);
    buf_text(&p->text, ": ");
    assert_int_equal(p->run.due, p->state.due);
    assert_true(p->run.due <= now); /* promise 3 */
}

static void play_outcome(struct player *p, instant now, enum event event, int64_t a)
{
    static const enum outcome outcomes[] = {
        [OK] = OUTCOME_OK, [FAILED] = OUTCOME_FAILED, [KILLED] = OUTCOME_KILLED, [TIMEOUT] = OUTCOME_TIMEOUT, [CANCELLED] = OUTCOME_CANCELLED,
        [UNSTARTABLE] = OUTCOME_UNSTARTABLE, [LOST] = OUTCOME_LOST, [STOPPED] = OUTCOME_KILLED,
    };
    p->run.outcome = outcomes[event];
    p->run.exit_code = event == FAILED ? 1 : event == OK ? 0 : -1;
    p->run.ended = event == LOST ? INSTANT_NONE : a ? a * SECOND : now;
    life_outcome(view(p, now), &p->state, &p->run, event == STOPPED);
    run_clear(&p->run);
}

/* Another schedule, whatever the old one was. */
static void play_replace(struct player *p, instant now, enum event event, int64_t a)
{
    strvec_clear(&p->job.cron);
    strvec_clear(&p->job.calendar);
    p->job.at = event == REPLACE_AT ? a * SECOND : INSTANT_NONE;
    p->job.every = DURATION_NONE;
    p->job.boot = event == REPLACE_BOOT ? (int)a : BOOT_NONE;
    if (event == REPLACE_CRON)
        strvec_add(&p->job.cron, "*/10 * * * *");
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
    case STEP:
        buf_text(&p->text, life_clock_step(view(p, now), &p->state, step->a * SECOND) ? "" : "same: ");
        break;
    case ZONE:
        buf_text(&p->text, life_zone_change(view(p, now), &p->state) ? "" : "same: ");
        break;
    case SINCE:
        p->since = step->a * SECOND;
        break;
    case BOOT:
        p->boot = (uint64_t)step->a;
        buf_text(&p->text, life_boot(view(p, now), &p->state) ? "" : "same: ");
        break;
    case REPLACE_CRON:
    case REPLACE_AT:
    case REPLACE_BOOT:
        play_replace(p, now, step->event, step->a);
        break;
    case LUCK:
        p->random = (uint64_t)step->a;
        break;
    default:
        play_outcome(p, now, step->event, step->a);
    }
}

static void play(const struct rules *rules, const struct step *steps, int line)
{
    struct player p = {.job = job_make(rules), .since = INSTANT_NONE, .boot = 1, .reasons = rules->reasons};
    struct error e = {0};
    assert_int_equal(zones_init(&p.zones, "UTC", &e), 0);
    life_begin(view(&p, rules->added * SECOND), &p.state);
    for (int i = 0; steps[i].event != END; i++) {
        p.notes.count = 0;
        buf_reset(&p.text);
        play_event(&p, &steps[i]);
        add_state(&p.text, &p.state);
        add_notes(&p.text, &p);
        life_notes_clear(&p.notes);
        if (steps[i].want && strcmp(buf_string(&p.text), steps[i].want) != 0)
            fail_msg("line %d, row %d: got  \"%s\"\n       want \"%s\"", line, i + 1, buf_string(&p.text), steps[i].want);
    }
    run_clear(&p.run);
    buf_clear(&p.text);
    schedule_clear(&p.schedule);
    zones_clear(&p.zones);
    job_clear(&p.job);
}
#define PLAY(...) play_at(__LINE__, &(const struct rules){__VA_ARGS__}, (const struct step[])
#define STEPS_END {0, END, 0, NULL}

static void play_at(int line, const struct rules *rules, const struct step *steps)
{
    play(rules, steps, line);
}

/* ---- what was missed while nobody served ---- */

static void test_catchup(void **state)
{
    (void)state;
    PLAY(.cron = MINUTELY, .reasons = true) { /* the latest, once */
        {0, SINCE, 600, NULL},
        {610, CLAIM, 0, "start 1: running due 600 next 660; missed x9 60 to 540: no scheduler was running; of the times missed the latest runs"},
        {611, OK, 0, "waiting due 660 next 720"}, STEPS_END});
    PLAY(.cron = MINUTELY) {
        {0, SINCE, 630, NULL},
        {630, CLAIM, 0, "start 1: running due 600 next 660; missed x9 60 to 540"}, STEPS_END});
    PLAY(.cron = MINUTELY) { /* one time missed: it runs, and nothing is noted */
        {0, SINCE, 100, NULL},
        {100, CLAIM, 0, "start 1: running due 60 next 120"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_SKIP, .reasons = true) {
        {0, SINCE, 630, NULL},
        {630, CLAIM, 0, "missed: waiting due 660 next 720; missed x10 60 to 600: no scheduler was running (catchup: skip)"},
        {660, CLAIM, 0, "start 1: running due 660 next 720"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_SKIP) { /* what comes due under the scheduler is only late */
        {0, SINCE, 601, NULL},
        {670, CLAIM, 0, "start 1: running due 660 next 720; missed x10 60 to 600"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_SKIP) { /* due at the very moment at which it starts */
        {0, SINCE, 60, NULL},
        {60, CLAIM, 0, "start 1: running due 60 next 120"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_ALL) { /* each, one after the other, then on as usual */
        {0, SINCE, 190, NULL},
        {190, CLAIM, 0, "start 1: running due 60 next 120"},
        {191, OK, 0, "waiting due 120 next 180"},
        {191, CLAIM, 0, "start 2: running due 120 next 180"},
        {192, FAILED, 0, "waiting due 180 next 240"},
        {192, CLAIM, 0, "start 3: running due 180 next 240"},
        {193, OK, 0, "waiting due 240 next 300"},
        {239, CLAIM, 0, "early: waiting due 240 next 300"},
        {240, CLAIM, 0, "start 4: running due 240 next 300"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_ALL) { /* what comes due while it makes up follows overlap */
        {0, SINCE, 130, NULL},
        {130, CLAIM, 0, "start 1: running due 60 next 120"},
        {250, OK, 0, "waiting due 120 next 180"},
        {250, CLAIM, 0, "start 2: running due 120 next 180"},
        {260, OK, 0, "waiting due 300 next 360; skipped x2 180 to 240"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_ALL, .catchup_max = 2, .reasons = true) { /* the latest two */
        {0, SINCE, 310, NULL},
        {310, CLAIM, 0, "start 1: running due 240 next 300; missed x3 60 to 180: no scheduler was running; of the times missed the latest run, up to catchup_max"},
        {311, OK, 0, "waiting due 300 next 360"},
        {311, CLAIM, 0, "start 2: running due 300 next 360"},
        {312, OK, 0, "waiting due 360 next 420"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_ALL, .catchup_max = 1) {
        {0, SINCE, 310, NULL},
        {310, CLAIM, 0, "start 1: running due 300 next 360; missed x4 60 to 240"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_ALL, .catchup_within = 130) {
        {0, SINCE, 310, NULL},
        {310, CLAIM, 0, "start 1: running due 180 next 240; missed x2 60 to 120"},
        {311, OK, 0, "waiting due 240 next 300"},
        {400, CLAIM, 0, "start 2: running due 240 next 300"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup_within = 30, .reasons = true) { /* too long ago */
        {0, SINCE, 650, NULL},
        {650, CLAIM, 0, "missed: waiting due 660 next 720; missed x10 60 to 600: no scheduler was running, and it is too long ago to be caught up on "
                        "(catchup_within, start_within)"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup_within = 50) {
        {0, SINCE, 650, NULL},
        {650, CLAIM, 0, "start 1: running due 600 next 660; missed x9 60 to 540"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup_within = 10) { /* bounds what was missed, not what is late */
        {0, SINCE, 30, NULL},
        {115, CLAIM, 0, "start 1: running due 60 next 120"}, STEPS_END});
    PLAY(.at = 100, .catchup = CATCHUP_SKIP, .catchup_within = 10) { /* one-off jobs always run */
        {0, SINCE, 5000, NULL},
        {5000, CLAIM, 0, "start 1: running due 100"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_QUEUE) { /* of the missed the latest, of the late each */
        {0, SINCE, 310, NULL},
        {430, CLAIM, 0, "start 1: running due 300 next 360; missed x4 60 to 240"},
        {431, OK, 0, "waiting due 360 next 420"},
        {431, CLAIM, 0, "start 2: running due 360 next 420"},
        {432, OK, 0, "waiting due 420 next 480"},
        {432, CLAIM, 0, "start 3: running due 420 next 480"},
        {433, OK, 0, "waiting due 480 next 540"}, STEPS_END});
    PLAY(.cron = MINUTELY) { /* of the missed and the late the latest: one run */
        {0, SINCE, 310, NULL},
        {430, CLAIM, 0, "start 1: running due 420 next 480; missed x5 60 to 300; missed 360"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_ALL, .start_within = 100) { /* it waits in line for too long */
        {0, SINCE, 190, NULL},
        {190, CLAIM, 0, "start 1: running due 120 next 180; missed 60"},
        {200, OK, 0, "waiting due 180 next 240"},
        {281, CLAIM, 0, "missed: waiting due 240 next 300; missed 180"},
        {281, CLAIM, 0, "start 2: running due 240 next 300"}, STEPS_END});
}

/* No slot was free, or the scheduler was slow. */
static void test_late(void **state)
{
    (void)state;
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_SKIP, .reasons = true) {
        {200, CLAIM, 0, "start 1: running due 180 next 240; missed x2 60 to 120: no slot was free; of the times that passed the latest runs"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_QUEUE, .catchup_max = 2) {
        {250, CLAIM, 0, "start 1: running due 180 next 240; missed x2 60 to 120"},
        {251, OK, 0, "waiting due 240 next 300"},
        {251, CLAIM, 0, "start 2: running due 240 next 300"}, STEPS_END});
    PLAY(.cron = MINUTELY, .start_within = 10, .reasons = true) {
        {71, CLAIM, 0, "missed: waiting due 120 next 180; missed 60: could not start within 10s of its due time (start_within)"},
        {130, CLAIM, 0, "start 1: running due 120 next 180"}, STEPS_END});
    PLAY(.cron = MINUTELY, .start_within = 70, .overlap = OVERLAP_QUEUE) {
        {250, CLAIM, 0, "start 1: running due 180 next 240; missed x2 60 to 120"},
        {251, OK, 0, "waiting due 240 next 300"}, STEPS_END});
}

/* ---- overlap ---- */

static void test_overlap(void **state)
{
    (void)state;
    PLAY(.cron = MINUTELY, .reasons = true) {
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {60, CLAIM, 0, "not: running due 60 next 120"},
        {240, OK, 0, "waiting due 300 next 360; skipped x3 120 to 240: the run before was still going"}, STEPS_END});
    PLAY(.cron = MINUTELY, .retries = 2, .reasons = true) { /* one that waits for its retry counts as active */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {100, FAILED, 0, "retrying due 60 ready 130 next 120"},
        {125, CLAIM, 0, "early: retrying due 60 ready 130 next 120"},
        {130, CLAIM, 0, "start 2 try 2: running due 60 next 120"},
        {170, TIMEOUT, 0, "retrying due 60 ready 200 next 120"},
        {200, CLAIM, 0, "start 3 try 3: running due 60 next 120"},
        {201, FAILED, 0, "waiting due 240 next 300; skipped x2 120 to 180: the occurrence before was still being tried"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_QUEUE) { /* each runs, after the other */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {190, OK, 0, "waiting due 120 next 180"},
        {190, CLAIM, 0, "start 2: running due 120 next 180"},
        {250, OK, 0, "waiting due 180 next 240"},
        {250, CLAIM, 0, "start 3: running due 180 next 240"},
        {251, OK, 0, "waiting due 240 next 300"},
        {251, CLAIM, 0, "start 4: running due 240 next 300"},
        {252, OK, 0, "waiting due 300 next 360"},
        {252, CLAIM, 0, "early: waiting due 300 next 360"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_QUEUE, .catchup_max = 2, .reasons = true) {
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {310, OK, 0, "waiting due 240 next 300; skipped x2 120 to 180: the run before was still going, and more wait than catchup_max"},
        {310, CLAIM, 0, "start 2: running due 240 next 300"},
        {311, OK, 0, "waiting due 300 next 360"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_QUEUE, .retries = 1) {
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {100, FAILED, 0, "retrying due 60 ready 130 next 120"},
        {130, CLAIM, 0, "start 2 try 2: running due 60 next 120"},
        {131, FAILED, 0, "waiting due 120 next 180"},
        {131, CLAIM, 0, "start 3: running due 120 next 180"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE) { /* it is stopped for the next */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {119, CLAIM, 0, "early: running due 60 next 120"},
        {120, CLAIM, 0, "stop: running due 60 next 120"},
        {121, CLAIM, 0, "not: running due 60 next 120"},
        {122, CANCELLED, 0, "waiting due 120 next 180"},
        {122, CLAIM, 0, "start 2: running due 120 next 180"},
        {130, OK, 0, "waiting due 180 next 240"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE) { /* it takes long to end */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {120, CLAIM, 0, "stop: running due 60 next 120"},
        {250, CANCELLED, 0, "waiting due 120 next 180"},
        {250, CLAIM, 0, "start 2: running due 240 next 300; missed x2 120 to 180"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE, .retries = 3) { /* it ends by itself: no retry */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {120, CLAIM, 0, "stop: running due 60 next 120"},
        {121, FAILED, 0, "waiting due 120 next 180"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE, .retries = 3, .reasons = true) { /* a retry that waits is given up */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {100, FAILED, 0, "retrying due 60 ready 130 next 120"},
        {120, CLAIM, 0, "start 2: running due 120 next 180; skipped 60: attempt 2 is given up for the next occurrence (overlap: replace)"},
        {121, FAILED, 0, "retrying due 120 ready 151 next 180"},
        {151, CLAIM, 0, "start 3 try 2: running due 120 next 180"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE, .reasons = true) { /* the claim had not started: it is noted, and the next one runs */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {120, CLAIM, 0, "stop: running due 60 next 120"},
        {121, UNCLAIM, 0, "waiting due 120; skipped 60: it had not started when the next occurrence took its place (overlap: replace)"},
        {121, CLAIM, 0, "start 2: running due 120 next 180"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE, .retries = 1, .reasons = true) {
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {80, FAILED, 0, "retrying due 60 ready 110 next 120"},
        {110, CLAIM, 0, "start 2 try 2: running due 60 next 120"},
        {120, CLAIM, 0, "stop: running due 60 next 120"},
        {121, SHORTAGE, 0, "waiting due 120; skipped 60: attempt 2 is given up for the next occurrence (overlap: replace)"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE, .catchup = CATCHUP_ALL) { /* the same while it makes up */
        {0, SINCE, 200, NULL},
        {200, CLAIM, 0, "start 1: running due 60 next 120"},
        {201, CLAIM, 0, "stop: running due 60 next 120"},
        {202, UNCLAIM, 0, "waiting due 120; skipped 60"},
        {202, CLAIM, 0, "start 2: running due 120 next 180"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE) { /* cancelled while it is being stopped */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {120, CLAIM, 0, "stop: running due 60 next 120"},
        {121, CANCEL, 0, "stopping: running due 60"},
        {122, UNCLAIM, 0, "cancelled; cancelled 60"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE) {
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {120, CLAIM, 0, "stop: running due 60 next 120"},
        {121, CANCEL, 0, "stopping: running due 60"},
        {122, CANCELLED, 0, "cancelled"}, STEPS_END});
}

/* ---- intervals ---- */

static void test_from_end(void **state)
{
    (void)state;
    PLAY(.every = 60, .every_from = EVERY_FROM_END) { /* from the end, whatever it was */
        {60, CLAIM, 0, "start 1: running due 60"},
        {75, OK, 0, "waiting due 135"},
        {134, CLAIM, 0, "early: waiting due 135"},
        {140, CLAIM, 0, "start 2: running due 135"},
        {1000, FAILED, 0, "waiting due 1060"},
        {1060, CLAIM, 0, "start 3: running due 1060"},
        {1061, CANCELLED, 0, "waiting due 1121"}, STEPS_END});
    PLAY(.every = 60, .every_from = EVERY_FROM_END, .retries = 1) { /* the occurrence ends with its last attempt */
        {60, CLAIM, 0, "start 1: running due 60"},
        {70, FAILED, 0, "retrying due 60 ready 100"},
        {100, CLAIM, 0, "start 2 try 2: running due 60"},
        {110, FAILED, 0, "waiting due 170"}, STEPS_END});
    PLAY(.every = 60, .every_from = EVERY_FROM_END) { /* it ended while nobody served */
        {60, CLAIM, 0, "start 1: running due 60"},
        {500, OK, 100, "waiting due 160"},
        {500, SINCE, 500, NULL},
        {500, CLAIM, 0, "start 2: running due 160"}, STEPS_END});
    PLAY(.every = 60, .every_from = EVERY_FROM_END, .catchup = CATCHUP_SKIP) { /* no other depends on it: one is missed, and it goes on from now */
        {0, SINCE, 500, NULL},
        {510, CLAIM, 0, "missed: waiting due 570; missed 60"},
        {570, CLAIM, 0, "start 1: running due 570"}, STEPS_END});
    PLAY(.every = 60, .every_from = EVERY_FROM_END, .start_within = 10) {
        {100, CLAIM, 0, "missed: waiting due 160; missed 60"}, STEPS_END});
    PLAY(.every = 60, .every_from = EVERY_FROM_END, .catchup = CATCHUP_ALL) {
        {0, SINCE, 500, NULL},
        {510, CLAIM, 0, "start 1: running due 60"},
        {511, OK, 0, "waiting due 571"}, STEPS_END});
}

static void test_intervals(void **state)
{
    (void)state;
    PLAY(.every = 3600, .every_from = EVERY_FROM_CLOCK, .added = 100) {
        {3599, CLAIM, 0, "early: waiting due 3600 next 7200"},
        {3600, CLAIM, 0, "start 1: running due 3600 next 7200"},
        {3700, OK, 0, "waiting due 7200 next 10800"}, STEPS_END});
    PLAY(.every = 18000, .every_from = EVERY_FROM_CLOCK, .added = 100) { /* anew at midnight: 5, 10, 15, 20, 24 */
        {72000, CLAIM, 0, "start 1: running due 72000 next 86400; missed x3 18000 to 54000"},
        {72001, OK, 0, "waiting due 86400 next 104400"}, STEPS_END});
    PLAY(.every = 60, .not_before = 1000) { /* the first is that moment */
        {1000, CLAIM, 0, "start 1: running due 1000 next 1060"}, STEPS_END});
    PLAY(.every = 60, .not_after = 130) {
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {61, OK, 0, "waiting due 120"},
        {120, CLAIM, 0, "start 2: running due 120"},
        {121, OK, 0, "done"}, STEPS_END});
    PLAY(.cron = MINUTELY, .not_before = 150, .not_after = 180) {
        {0, CLAIM, 0, "early: waiting due 180"},
        {180, CLAIM, 0, "start 1: running due 180"},
        {181, FAILED, 0, "failed"}, STEPS_END});
    PLAY(.cron = MINUTELY, .not_after = 180, .retries = 1) { /* retries belong to their occurrence */
        {180, CLAIM, 0, "start 1: running due 180; missed x2 60 to 120"},
        {181, FAILED, 0, "retrying due 180 ready 211"},
        {211, CLAIM, 0, "start 2 try 2: running due 180"},
        {212, OK, 0, "done"}, STEPS_END});
    PLAY(.cron = MINUTELY, .not_after = 180, .catchup = CATCHUP_SKIP) { /* the last was missed: the job is over */
        {0, SINCE, 1000, NULL},
        {1000, CLAIM, 0, "missed: failed; missed x3 60 to 180"},
        {1001, CLAIM, 0, "not: failed"}, STEPS_END});
    PLAY(.every = 60, .not_after = 60, .start_within = 10) {
        {100, CLAIM, 0, "missed: failed; missed 60"}, STEPS_END});
    PLAY(.cron = MINUTELY, .not_after = 180) { /* of those that passed while it ran none is left */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {500, OK, 0, "done; skipped x2 120 to 180"}, STEPS_END});
    PLAY(.every = 21600, .except = "1970-01-02") {
        {64800, CLAIM, 0, "start 1: running due 64800 next 172800; missed x2 21600 to 43200"},
        {64801, OK, 0, "waiting due 172800 next 194400"}, STEPS_END});
}

/* The offset of a job is the same every time, and intervals keep their phase by it. */
static void test_spread(void **state)
{
    (void)state;
    static const struct rules rows[] = {
        {.every = 3600, .spread = 600}, {.every = 60, .spread = 3600}, {.cron = MINUTELY, .spread = 50}, {.every = 600, .every_from = EVERY_FROM_CLOCK, .spread = 600}};
    static const int64_t periods[] = {3600, 60, 60, 600};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct player p = {.job = job_make(&rows[i]), .since = INSTANT_NONE};
        struct error e = {0};
        assert_int_equal(zones_init(&p.zones, "UTC", &e), 0);
        life_begin(view(&p, 0), &p.state);
        instant first = p.state.due;
        assert_in_range(first, 1, 2 * periods[i] * SECOND - 1);
        for (int k = 0; k < 50; k++) {
            assert_int_equal(p.state.due, first + k * periods[i] * SECOND);
            assert_int_equal(life_claim(view(&p, p.state.due), &p.state, &p.run), LIFE_START);
            assert_int_equal(p.state.next, first + (k + 1) * periods[i] * SECOND);
            p.run.outcome = OUTCOME_OK;
            p.run.ended = p.state.due;
            life_outcome(view(&p, p.state.due), &p.state, &p.run, false);
            run_clear(&p.run);
        }
        schedule_clear(&p.schedule);
        zones_clear(&p.zones);
        job_clear(&p.job);
    }
}

static void test_jitter(void **state)
{
    (void)state;
    PLAY(.cron = MINUTELY, .jitter = 20) {
        {60, LUCK, 0, NULL},
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {61, LUCK, 20 * SECOND, NULL},
        {61, OK, 0, "waiting due 120 ready 140 next 180"},
        {139, CLAIM, 0, "early: waiting due 120 ready 140 next 180"},
        {140, CLAIM, 0, "start 2: running due 120 next 180"},
        {141, LUCK, 20 * SECOND + 1, NULL}, /* at most 20 s */
        {141, OK, 0, "waiting due 180 next 240"}, STEPS_END});
    PLAY(.cron = MINUTELY, .jitter = 100) { /* before the next one */
        {60, LUCK, 60 * SECOND - 1, NULL},
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {61, OK, 0, "waiting due 120 ready 180.0 next 180"},
        {180, CLAIM, 0, "start 2: running due 180 next 240; missed 120"}, STEPS_END}); /* 1 ns too late here */
    PLAY(.cron = MINUTELY, .jitter = 20, .start_within = 10) { /* the jitter is no lateness */
        {60, LUCK, 15 * SECOND, NULL},
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {61, OK, 0, "waiting due 120 ready 135 next 180"},
        {135, CLAIM, 0, "start 2: running due 120 next 180"}, STEPS_END});
    PLAY(.cron = MINUTELY, .jitter = 20, .catchup = CATCHUP_SKIP) { /* the scheduler starts between due time and start: nothing was missed */
        {60, LUCK, 15 * SECOND, NULL},
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {61, OK, 0, "waiting due 120 ready 135 next 180"},
        {125, SINCE, 125, NULL},
        {135, CLAIM, 0, "start 2: running due 120 next 180"}, STEPS_END});
    PLAY(.every = 60, .every_from = EVERY_FROM_END, .jitter = 200) {
        {60, LUCK, 200 * SECOND, NULL},
        {60, CLAIM, 0, "start 1: running due 60"},
        {61, OK, 0, "waiting due 121 ready 321"}, STEPS_END});
}

/* ---- boots ---- */

static void test_boot(void **state)
{
    (void)state;
    PLAY(.boot = BOOT_MACHINE) { /* once a boot, and not before the boot after it was added */
        {10, BOOT, 1, "same: waiting due never"},
        {20, CLAIM, 0, "early: waiting due never"},
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {102, OK, 0, "waiting due never"},
        {110, BOOT, 2, "same: waiting due never"},
        {200, BOOT, 3, "waiting due 200"}, STEPS_END});
    PLAY(.boot = BOOT_MACHINE) { /* lost with the machine: it runs again, and that is the run of this boot */
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {200, BOOT, 3, "same: running due 100"},
        {200, LOST, 0, "retrying due 100 ready 200"},
        {200, CLAIM, 0, "start 2: running due 100"},
        {210, OK, 0, "waiting due never"},
        {210, BOOT, 3, "same: waiting due never"}, STEPS_END});
    PLAY(.boot = BOOT_MACHINE, .fail_lost = true) { /* lost for good: the occurrence of this boot comes */
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {200, BOOT, 3, "same: running due 100"},
        {200, LOST, 0, "waiting due 200"},
        {201, CLAIM, 0, "start 2: running due 200"},
        {202, OK, 0, "waiting due never"}, STEPS_END});
    PLAY(.boot = BOOT_SCHEDULER) { /* at each start; not at the one under which it was added */
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {102, FAILED, 0, "waiting due never"},
        {200, BOOT, 3, "waiting due 200"},
        {201, CLAIM, 0, "start 2: running due 200"},
        {202, OK, 0, "waiting due never"}, STEPS_END});
    PLAY(.boot = BOOT_SCHEDULER, .fail_lost = true) { /* the container went down with it */
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {200, SINCE, 200, NULL},
        {200, BOOT, 3, "same: running due 100"},
        {200, LOST, 0, "waiting due 200"},
        {200, CLAIM, 0, "start 2: running due 200"},
        {201, OK, 0, "waiting due never"}, STEPS_END});
    PLAY(.boot = BOOT_SCHEDULER, .reasons = true) { /* taken over from the scheduler before: it is still going */
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {200, SINCE, 200, NULL},
        {200, BOOT, 3, "same: running due 100"},
        {300, OK, 0, "waiting due never; skipped 200: the run before was still going"}, STEPS_END});
    PLAY(.boot = BOOT_SCHEDULER) { /* it had ended while nobody served */
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {200, SINCE, 200, NULL},
        {200, BOOT, 3, "same: running due 100"},
        {200, OK, 150, "waiting due 200"}, STEPS_END});
    PLAY(.boot = BOOT_SCHEDULER, .overlap = OVERLAP_QUEUE) {
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {200, SINCE, 200, NULL},
        {200, BOOT, 3, "same: running due 100"},
        {300, OK, 0, "waiting due 300"}, STEPS_END});
    PLAY(.boot = BOOT_SCHEDULER, .retries = 1) { /* a retry over the start: it is the run of this start */
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {102, FAILED, 0, "retrying due 100 ready 132"},
        {110, BOOT, 3, "same: retrying due 100 ready 132"},
        {132, CLAIM, 0, "start 2 try 2: running due 100"},
        {133, OK, 0, "waiting due never"}, STEPS_END});
    PLAY(.boot = BOOT_SCHEDULER, .start_within = 10) { /* it waited for a slot over the next start */
        {100, BOOT, 2, "waiting due 100"},
        {200, BOOT, 3, "same: waiting due 100"},
        {200, CLAIM, 0, "missed: waiting due 200; missed 100"},
        {200, CLAIM, 0, "start 1: running due 200"}, STEPS_END});
    PLAY(.boot = BOOT_SCHEDULER) { /* the claim had not started */
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {200, UNCLAIM, 0, "waiting due 100"},
        {200, CLAIM, 0, "start 2: running due 100"},
        {201, CANCEL, 0, "stopping: running due 100"},
        {202, CANCELLED, 0, "cancelled"}, STEPS_END});
    PLAY(.boot = BOOT_MACHINE, .not_after = 150) {
        {100, BOOT, 2, "waiting due 100"},
        {101, CLAIM, 0, "start 1: running due 100"},
        {102, OK, 0, "waiting due never"},
        {200, BOOT, 3, "waiting due never"}, STEPS_END});
}

/* ---- a new definition, in each state ---- */

static void test_replace(void **state)
{
    (void)state;
    PLAY(.cron = MINUTELY) { /* waiting */
        {30, REPLACE_CRON, 0, "waiting due 600 next 1200"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_ALL) { /* making up: that ends with the old schedule */
        {0, SINCE, 250, NULL},
        {250, CLAIM, 0, "start 1: running due 60 next 120"},
        {251, OK, 0, "waiting due 120 next 180"},
        {252, REPLACE_CRON, 0, "waiting due 600 next 1200"},
        {600, CLAIM, 0, "start 2: running due 600 next 1200"},
        {1300, OK, 0, "waiting due 1800 next 2400; skipped 1200"}, STEPS_END});
    PLAY(.cron = MINUTELY, .retries = 3) { /* retrying */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {61, FAILED, 0, "retrying due 60 ready 91 next 120"},
        {62, REPLACE_CRON, 0, "waiting due 600 next 1200"},
        {600, CLAIM, 0, "start 2: running due 600 next 1200"}, STEPS_END});
    PLAY(.cron = MINUTELY, .retries = 3) { /* running: it goes on, is not retried, and nothing of the old schedule comes after it */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {100, REPLACE_CRON, 0, "running due 60 next 600"},
        {130, FAILED, 0, "waiting due 600 next 1200"}, STEPS_END});
    PLAY(.cron = MINUTELY) { /* running, claim not started */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {100, REPLACE_CRON, 0, "running due 60 next 600"},
        {101, UNCLAIM, 0, "waiting due 600"},
        {600, CLAIM, 0, "start 2: running due 600 next 1200"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE) { /* being stopped for the next one */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {120, CLAIM, 0, "stop: running due 60 next 120"},
        {121, REPLACE_CRON, 0, "running due 60 next 600"},
        {122, CANCELLED, 0, "waiting due 600 next 1200"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_REPLACE) {
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {120, CLAIM, 0, "stop: running due 60 next 120"},
        {121, REPLACE_CRON, 0, "running due 60 next 600"},
        {122, UNCLAIM, 0, "waiting due 600"}, STEPS_END});
    PLAY(.cron = MINUTELY) { /* becomes a one-off job */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {61, REPLACE_AT, 200, "running due 60 next 200"},
        {62, OK, 0, "waiting due 200"},
        {200, CLAIM, 0, "start 2: running due 200"},
        {201, OK, 0, "done"}, STEPS_END});
    PLAY(.cron = MINUTELY) { /* waits for a boot: not for the one that is */
        {61, REPLACE_BOOT, BOOT_MACHINE, "waiting due never"},
        {62, BOOT, 1, "same: waiting due never"},
        {70, BOOT, 2, "waiting due 70"}, STEPS_END});
    PLAY(.cron = MINUTELY) {
        {10, CANCEL, 0, "cancelled: cancelled; cancelled 60"},
        {30, REPLACE_CRON, 0, "waiting due 600 next 1200"}, STEPS_END});
}

static void test_back(void **state)
{
    (void)state;
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_ALL) { /* what is made up for is kept */
        {0, SINCE, 190, NULL},
        {190, CLAIM, 0, "start 1: running due 60 next 120"},
        {191, UNCLAIM, 0, "waiting due 60 next 120"},
        {191, CLAIM, 0, "start 2: running due 60 next 120"},
        {192, OK, 0, "waiting due 120 next 180"}, STEPS_END});
    PLAY(.cron = MINUTELY) { /* due again, or a later one if that has come meanwhile */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {61, SHORTAGE, 0, "waiting due 60 ready 61.1 next 120"},
        {130, CLAIM, 0, "start 2: running due 120 next 180; missed 60"}, STEPS_END});
    PLAY(.every = 60, .every_from = EVERY_FROM_END) {
        {60, CLAIM, 0, "start 1: running due 60"},
        {61, UNCLAIM, 0, "waiting due 60"},
        {90, CLAIM, 0, "start 2: running due 60"}, STEPS_END});
    PLAY(.cron = MINUTELY) {
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {61, CANCEL, 0, "stopping: running due 60"},
        {62, UNCLAIM, 0, "cancelled; cancelled 60"}, STEPS_END});
}

/* ---- losses ---- */

static void test_lost(void **state)
{
    (void)state;
    PLAY(.cron = MINUTELY) { /* the machine was off: the lost run is run again, what passed meanwhile was still this occurrence's */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {400, SINCE, 400, NULL},
        {400, LOST, 0, "retrying due 60 ready 400 next 120"},
        {400, CLAIM, 0, "start 2: running due 60 next 120"},
        {401, OK, 0, "waiting due 420 next 480; skipped x5 120 to 360"}, STEPS_END});
    PLAY(.cron = MINUTELY, .fail_lost = true) { /* nobody knows how long it ran: those that passed were missed */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {400, SINCE, 400, NULL},
        {400, LOST, 0, "waiting due 120 next 180"},
        {400, CLAIM, 0, "start 2: running due 360 next 420; missed x4 120 to 300"}, STEPS_END});
    PLAY(.cron = MINUTELY, .fail_lost = true, .catchup = CATCHUP_SKIP) {
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {400, SINCE, 400, NULL},
        {400, LOST, 0, "waiting due 120 next 180"},
        {400, CLAIM, 0, "missed: waiting due 420 next 480; missed x5 120 to 360"}, STEPS_END});
    PLAY(.cron = MINUTELY) { /* ended under nobody's eyes: skipped until then, missed since */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {400, SINCE, 400, NULL},
        {400, OK, 190, "waiting due 240 next 300; skipped x2 120 to 180"},
        {400, CLAIM, 0, "start 2: running due 360 next 420; missed x2 240 to 300"}, STEPS_END});
}

/* ---- the clock and the zones ---- */

static void test_clock(void **state)
{
    (void)state;
    PLAY(.cron = "30 4 * * *", .added = 1) { /* 04:30 is 16200: set back by less than three hours it does not come again */
        {16200, CLAIM, 0, "start 1: running due 16200 next 102600"},
        {16201, OK, 0, "waiting due 102600 next 189000"},
        {16201 - 7200, STEP, -7200, "same: waiting due 102600 next 189000"}, STEPS_END});
    PLAY(.cron = "30 4 * * *", .added = 1) { /* by more, everything is reckoned anew */
        {16200, CLAIM, 0, "start 1: running due 16200 next 102600"},
        {16201, OK, 0, "waiting due 102600 next 189000"},
        {16201 - 14400, STEP, -14400, "waiting due 16200 next 102600"}, STEPS_END});
    PLAY(.cron = "30 4 * * *", .added = 1) { /* set back twice in a row: still not */
        {16200, CLAIM, 0, "start 1: running due 16200 next 102600"},
        {16201, OK, 0, "waiting due 102600 next 189000"},
        {16201 - 600, STEP, -600, "same: waiting due 102600 next 189000"},
        {16201 - 605, STEP, -5, "same: waiting due 102600 next 189000"}, STEPS_END});
    PLAY(.cron = MINUTELY) { /* a wildcard goes on at once */
        {600, CLAIM, 0, "start 1: running due 600 next 660; missed x9 60 to 540"},
        {601, OK, 0, "waiting due 660 next 720"},
        {301, STEP, -300, "waiting due 360 next 420"},
        {360, CLAIM, 0, "start 2: running due 360 next 420"},
        {60, STEP, -301, "running due 360 next 120"},
        {61, OK, 0, "waiting due 120 next 180"}, STEPS_END});
    PLAY(.cron = "30 4 * * *", .added = 1) { /* due, not yet run: not lost, and not before its time */
        {16195, CLAIM, 0, "early: waiting due 16200 next 102600"},
        {16000, STEP, -300, "same: waiting due 16200 next 102600"},
        {16200, CLAIM, 0, "start 1: running due 16200 next 102600"},
        {16150, STEP, -100, "same: running due 16200 next 102600"}, STEPS_END});
    PLAY(.every = 21600, .except = "1970-01-05", .added = 100) { /* an interval with exceptions is one all the same */
        {21700, CLAIM, 0, "start 1: running due 21700 next 43300"},
        {21701, OK, 0, "waiting due 43300 next 64900"},
        {21701 - 3600, STEP, -3600, "waiting due 39700 next 61300"},
        {30000, ZONE, 0, "same: waiting due 39700 next 61300"}, STEPS_END});
    PLAY(.every = 600, .not_before = 5000, .added = 4900) { /* not before that by the new time either */
        {4850, STEP, -100, "waiting due 5500 next 6100"},
        {5400, CLAIM, 0, "early: waiting due 5500 next 6100"}, STEPS_END});
    PLAY(.cron = MINUTELY, .catchup = CATCHUP_ALL) { /* nothing is made up for that lies in the time to come */
        {0, SINCE, 5000, NULL},
        {5000, CLAIM, 0, "start 1: running due 60 next 120"},
        {5001, OK, 0, "waiting due 120 next 180"},
        {50, STEP, -4951, "waiting due 60 next 120"},
        {60, CLAIM, 0, "start 2: running due 60 next 120"},
        {200, OK, 0, "waiting due 240 next 300; skipped x2 120 to 180"}, STEPS_END});
    PLAY(.cron = MINUTELY, .overlap = OVERLAP_QUEUE) { /* a change of zones does not forget what came due while it ran */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {200, ZONE, 0, "same: running due 60 next 120"},
        {201, OK, 0, "waiting due 120 next 180"}, STEPS_END});
    PLAY(.cron = MINUTELY, .jitter = 30) { /* nor what waits already */
        {60, CLAIM, 0, "start 1: running due 60 next 120"},
        {61, LUCK, 20 * SECOND, NULL},
        {61, OK, 0, "waiting due 120 ready 140 next 180"},
        {130, ZONE, 0, "same: waiting due 120 ready 140 next 180"},
        {140, CLAIM, 0, "start 2: running due 120 next 180"}, STEPS_END});
}

/* CR-02: six hours on past the fixed time, three minutes, six hours back. At most one make-up run a job; both go on at once by the new time. */
static void test_jump(void **state)
{
    (void)state;
    PLAY(.cron = MINUTELY, .added = 10795) {
        {32395, SINCE, 32395, NULL},
        {32395, CLAIM, 0, "start 1: running due 32340 next 32400; missed x359 10800 to 32280"},
        {32396, OK, 0, "waiting due 32400 next 32460"},
        {32400, CLAIM, 0, "start 2: running due 32400 next 32460"},
        {32401, OK, 0, "waiting due 32460 next 32520"},
        {10860, STEP, -21600, "waiting due 10920 next 10980"},
        {10920, CLAIM, 0, "start 3: running due 10920 next 10980"}, STEPS_END});
    PLAY(.cron = "30 4 * * *", .added = 10795) {
        {32395, SINCE, 32395, NULL},
        {32395, CLAIM, 0, "start 1: running due 16200 next 102600"},
        {32396, OK, 0, "waiting due 102600 next 189000"},
        {10860, STEP, -21600, "waiting due 16200 next 102600"},
        {16200, CLAIM, 0, "start 2: running due 16200 next 102600"}, STEPS_END});
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_catchup), cmocka_unit_test(test_late), cmocka_unit_test(test_overlap), cmocka_unit_test(test_from_end), cmocka_unit_test(test_intervals),
        cmocka_unit_test(test_spread), cmocka_unit_test(test_jitter), cmocka_unit_test(test_boot), cmocka_unit_test(test_replace), cmocka_unit_test(test_back),
        cmocka_unit_test(test_lost), cmocka_unit_test(test_clock), cmocka_unit_test(test_jump),
    };
    return cmocka_run_group_tests_name("life_due", tests, NULL, NULL);
}
