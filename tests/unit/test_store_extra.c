/* Extra occurrences in the store: overlap: allow, ax start, replays. Each row is one event; after it the job's states are compared as text. */
#include "tests/unit/store_fixture.h"

#include <inttypes.h>

#include "lib/base/buf.h"
#include "spool/store_private.h"

#define SECONDS(n) (NOW + (n) * SECOND)

enum event { END = 0, CLAIM, CLAIM_EXTRA, FINISH, LOSE, UNCLAIM, START, REPLAY, CANCEL, STOP, RETRY, SKIP, PAUSE, RESUME };

struct step {
    int64_t now; /* seconds after NOW */
    enum event event;
    int64_t a, b; /* FINISH, LOSE, UNCLAIM: run number, FINISH: outcome; REPLAY: seconds from, until; CLAIM_EXTRA: the how-manieth, from 1 */
    const char *want;
};

static void add_seconds(struct buf *b, const char *label, instant t)
{
    if (t == INSTANT_NEVER)
        buf_format(b, "%snever", label);
    else
        buf_format(b, "%s%" PRId64, label, (t - NOW) / SECOND);
}

static void add_state(struct buf *b, const struct job_state *st)
{
    static const char *const names[] = {"waiting", "retrying", "running", "done", "failed", "cancelled"};
    buf_text(b, names[st->phase]);
    if (st->phase == PHASE_RUNNING)
        buf_format(b, " run %u", st->open);
    if (st->phase <= PHASE_RUNNING)
        add_seconds(b, " due ", st->due);
    if (st->phase <= PHASE_RETRYING && st->ready != st->due)
        add_seconds(b, " ready ", st->ready);
    if (st->stop)
        buf_text(b, " stop");
    if (st->paused)
        buf_text(b, " paused");
}

struct extras {
    struct buf *b;
    uint32_t count, busy;
    int due;
};

static void count_due(void *context, const struct due *d, bool there)
{
    struct extras *x = context;
    x->due += there;
    if (d->number >= EXTRA_FIRST && there)
        assert_true(d->ready > 0);
}

static bool add_extra(void *context, uint64_t number, const struct job_state *st)
{
    struct extras *x = context;
    assert_true(number >= EXTRA_FIRST);
    assert_int_equal(st->job, 1);
    x->count++;
    x->busy += st->phase == PHASE_RUNNING || st->phase == PHASE_RETRYING;
    buf_text(x->b, "; ");
    add_state(x->b, st);
    return true;
}


static uint64_t found;
static bool pick(void *context, uint64_t number, const struct job_state *st)
{
    (void)st;
    found = number;
    return --*(int64_t *)context > 0;
}

static void states_are(struct store *s, int row, const char *want)
{
    struct buf b = {0};
    struct job_state st;
    struct extras x = {.b = &b};
    OK(store_state(s, 1, &st, &e));
    add_state(&b, &st);
    OK(store_each_extra(s, 1, add_extra, &x, &e));
    if (strcmp(buf_string(&b), want) != 0)
        fail_msg("row %d: got  \"%s\"\n       want \"%s\"", row, buf_string(&b), want);
    assert_int_equal(st.extras, x.count);
    assert_int_equal(st.busy, x.busy);
    OK(store_due_of(s, 1, count_due, &x, &e));
    uint64_t indexed;
    OK(store_due_count(s, &indexed, &e));
    assert_int_equal(indexed, x.due);
    buf_clear(&b);
}

static void play_claim(struct store *s, uint64_t number, instant now)
{
    struct store_claimed claimed;
    OK(store_claim(s, number, &(const struct store_turn){.now = now, .since = INSTANT_NONE, .generation = 1}, &claimed, &e));
    if (claimed.verdict != LIFE_START)
        return;
    assert_int_equal(claimed.run.id.job, 1);
    job_clear(&claimed.job);
    run_clear(&claimed.run);
}

static void play_end(struct store *s, const struct step *step)
{
    struct run r;
    bool was_open;
    OK(store_run(s, (struct run_id){.job = 1, .n = (uint32_t)step->a}, &r, &e));
    r.outcome = step->event == LOSE ? OUTCOME_LOST : (enum outcome)step->b;
    r.ended = SECONDS(step->now);
    OK(store_finish(s, &(struct store_end){.run = &r, .random = 1}, SECONDS(step->now), &was_open, &e));
    assert_true(was_open);
    run_clear(&r);
}

static void play(struct store *s, const struct step *step)
{
    instant now = SECONDS(step->now);
    int64_t n = step->a;
    struct store_started started;
    struct store_cancelled cancelled;
    struct run_id *runs;
    size_t count;
    instant due;
    bool changed;
    switch (step->event) {
    case CLAIM:
        play_claim(s, 1, now);
        break;
    case CLAIM_EXTRA:
        OK(store_each_extra(s, 1, pick, &n, &e));
        play_claim(s, found, now);
        break;
    case FINISH:
    case LOSE:
        play_end(s, step);
        break;
    case UNCLAIM:
        OK(store_unclaim(s, (struct run_id){.job = 1, .n = (uint32_t)step->a}, false, now, &e));
        break;
    case START:
        OK(store_start(s, 1, &(struct store_how){0}, now, &started, &e));
        assert_int_equal(started.count, 1);
        break;
    case REPLAY:
        OK(store_start(s, 1, &(struct store_how){.replay = &(struct store_replay){SECONDS(step->a), SECONDS(step->b)}}, now, &started, &e));
        break;
    case CANCEL:
        OK(store_cancel(s, 1, now, &cancelled, &e));
        free(cancelled.open);
        break;
    case STOP:
        OK(store_stop(s, (struct run_id){.job = 1, .n = (uint32_t)step->a}, &runs, &count, &e));
        assert_int_equal(count, step->b);
        free(runs);
        break;
    case RETRY:
        OK(store_retry(s, (struct run_id){.job = 1}, now, &due, &e));
        assert_int_equal((due - NOW) / SECOND, step->a);
        break;
    case SKIP:
        OK(store_skip(s, 1, now, &due, &e));
        assert_int_equal((due - NOW) / SECOND, step->a);
        break;
    case PAUSE:
    case RESUME:
        OK(store_pause(s, 1, step->event == PAUSE, now, &changed, &e));
        assert_int_equal(changed, step->a);
        break;
    case END:
        break;
    }
}

static void play_all(void **state, const char *every, enum overlap overlap, const struct step *steps)
{
    struct fixture *f = *state;
    struct store *s = f->s;
    struct job j;
    struct store_added added;
    OK(store_begin(s, true, &e));
    fixture_job(&j, "x", every ? INSTANT_NONE : SECONDS(100));
    if (every)
        OK(duration_parse(every, &j.every, &e));
    j.overlap = overlap;
    j.retries = 1;
    j.retry_jitter = 0;
    OK(store_add(s, &j, NOW, STORE_REFUSE, &added, &e));
    job_clear(&j);
    for (int i = 0; steps[i].event != END; i++) {
        play(s, &steps[i]);
        states_are(s, i + 1, steps[i].want);
    }
    bool pending;
    OK(store_pending_once(s, &pending, &e));
    OK(store_commit(s, &e));
}
#define STEPS(...) (const struct step[]){__VA_ARGS__, {0, END, 0, 0, NULL}}

static void test_allow(void **state)
{
    play_all(state, "10s", OVERLAP_ALLOW, STEPS(
        {10, CLAIM, 0, 0, "waiting due 20; running run 1 due 10"},
        {20, CLAIM, 0, 0, "waiting due 30; running run 1 due 10; running run 2 due 20"},
        {21, FINISH, 1, OUTCOME_OK, "waiting due 30; running run 2 due 20"},
        {22, FINISH, 2, OUTCOME_FAILED, "waiting due 30; retrying due 20 ready 52"}, /* its own retry */
        {30, CLAIM, 0, 0, "waiting due 40; retrying due 20 ready 52; running run 3 due 30"},
        {52, CLAIM_EXTRA, 1, 0, "waiting due 40; running run 4 due 20; running run 3 due 30"},
        {53, LOSE, 3, 0, "waiting due 40; running run 4 due 20; retrying due 30 ready 53"},
        {54, FINISH, 4, OUTCOME_OK, "waiting due 40; retrying due 30 ready 53"},
        {55, CANCEL, 0, 0, "cancelled"}));
}

static void test_allow_unclaimed(void **state)
{
    play_all(state, "10s", OVERLAP_ALLOW, STEPS(
        {10, CLAIM, 0, 0, "waiting due 20; running run 1 due 10"},
        {10, UNCLAIM, 1, 0, "waiting due 20; waiting due 10"},
        {11, CLAIM_EXTRA, 1, 0, "waiting due 20; running run 2 due 10"},
        {12, CANCEL, 0, 0, "cancelled; running run 2 due 10"},
        {13, FINISH, 2, OUTCOME_CANCELLED, "cancelled"}));
}

static void test_start(void **state)
{
    play_all(state, "1h", OVERLAP_SKIP, STEPS(
        {10, START, 0, 0, "waiting due 3600; waiting due 10"},
        {10, START, 0, 0, "waiting due 3600; waiting due 10; waiting due 10 ready never"}, /* parked */
        {11, CLAIM_EXTRA, 1, 0, "waiting due 3600; running run 1 due 10; waiting due 10 ready never"},
        {20, FINISH, 1, OUTCOME_OK, "waiting due 3600; waiting due 10 ready 20"}, /* let go */
        {20, CLAIM_EXTRA, 1, 0, "waiting due 3600; running run 2 due 10"},
        {3600, CLAIM, 0, 0, "waiting due 7200; running run 2 due 10"}, /* skipped: the other one goes on */
        {3700, FINISH, 2, OUTCOME_OK, "waiting due 7200"},
        {7200, CLAIM, 0, 0, "running run 3 due 7200"},
        {7201, START, 0, 0, "running run 3 due 7200; waiting due 7201 ready never"},
        {7202, FINISH, 3, OUTCOME_FAILED, "retrying due 7200 ready 7232; waiting due 7201 ready never"}, /* still active */
        {7232, CLAIM, 0, 0, "running run 4 due 7200; waiting due 7201 ready never"},
        {7233, FINISH, 4, OUTCOME_FAILED, "waiting due 10800; waiting due 7201 ready 7233"}));
}

static void test_start_parks_own(void **state)
{
    play_all(state, "1h", OVERLAP_QUEUE, STEPS(
        {3599, START, 0, 0, "waiting due 3600; waiting due 3599"},
        {3599, CLAIM_EXTRA, 1, 0, "waiting due 3600; running run 1 due 3599"},
        {3600, CLAIM, 0, 0, "waiting due 3600 ready never; running run 1 due 3599"},
        {3601, START, 0, 0, "waiting due 3600 ready never; running run 1 due 3599; waiting due 3601 ready never"},
        {3650, FINISH, 1, OUTCOME_OK, "waiting due 3600 ready 3650; waiting due 3601 ready never"}, /* the job's own goes first */
        {3650, CLAIM, 0, 0, "running run 2 due 3600; waiting due 3601 ready never"},
        {3651, CANCEL, 0, 0, "running run 2 due 3600"},
        {3652, FINISH, 2, OUTCOME_CANCELLED, "cancelled"}));
}

static void test_start_once(void **state)
{
    play_all(state, NULL, OVERLAP_SKIP, STEPS(
        {10, START, 0, 0, "waiting due 100; waiting due 10"},
        {10, CLAIM_EXTRA, 1, 0, "waiting due 100; running run 1 due 10"},
        {100, CLAIM, 0, 0, "waiting due 100 ready never; running run 1 due 10"},
        {110, FINISH, 1, OUTCOME_OK, "waiting due 100 ready 110"},
        {110, CLAIM, 0, 0, "running run 2 due 100"},
        {111, FINISH, 2, OUTCOME_OK, "done"},
        {120, START, 0, 0, "waiting due 120"}, /* once more */
        {120, CLAIM, 0, 0, "running run 3 due 120"},
        {121, FINISH, 3, OUTCOME_OK, "done"}));
}

static void test_replay(void **state)
{
    play_all(state, "10s", OVERLAP_SKIP, STEPS(
        {31, REPLAY, 10, 25, "waiting due 10; waiting due 10 ready 31; waiting due 20 ready never"},
        {31, CLAIM_EXTRA, 1, 0, "waiting due 10; running run 1 due 10; waiting due 20 ready never"},
        {32, FINISH, 1, OUTCOME_OK, "waiting due 10; waiting due 20 ready 32"},
        {33, CLAIM, 0, 0, "running run 2 due 30; waiting due 20 ready 32"},
        {33, CLAIM_EXTRA, 1, 0, "running run 2 due 30; waiting due 20 ready never"},
        {34, FINISH, 2, OUTCOME_OK, "waiting due 40; waiting due 20 ready 34"},
        {34, CLAIM_EXTRA, 1, 0, "waiting due 40; running run 3 due 20"},
        {35, FINISH, 3, OUTCOME_OK, "waiting due 40"}));
}

static void test_replay_refused(void **state)
{
    struct fixture *f = *state;
    struct store_started started;
    struct job j;
    struct store_added added;
    OK(store_begin(f->s, true, &e));
    fixture_job(&j, "x", INSTANT_NONE);
    j.every = 10 * SECOND;
    OK(store_add(f->s, &j, NOW, STORE_REFUSE, &added, &e));
    job_clear(&j);
    struct error e = {0};
    struct store_replay none = {SECONDS(11), SECONDS(19)}, later = {SECONDS(90), SECONDS(110)};
    assert_int_equal(store_start(f->s, 1, &(struct store_how){.replay = &none}, SECONDS(100), &started, &e), -ERROR_USAGE);
    assert_non_null(strstr(e.text, "holds no due time of job 1; the next one after it is "));
    assert_int_equal(store_start(f->s, 1, &(struct store_how){.replay = &later}, SECONDS(100), &started, &e), -ERROR_USAGE);
    states_are(f->s, 0, "waiting due 10");
    store_abort(f->s);
}

static void test_stop(void **state)
{
    play_all(state, "1h", OVERLAP_SKIP, STEPS(
        {10, STOP, 0, 0, "waiting due 3600"},
        {3600, CLAIM, 0, 0, "running run 1 due 3600"},
        {3601, STOP, 2, 0, "running run 1 due 3600"}, /* another run */
        {3601, STOP, 1, 1, "running run 1 due 3600 stop"},
        {3602, FINISH, 1, OUTCOME_CANCELLED, "waiting due 7200"},
        {7200, CLAIM, 0, 0, "running run 2 due 7200"},
        {7201, STOP, 0, 1, "running run 2 due 7200 stop"},
        {7202, FINISH, 2, OUTCOME_FAILED, "retrying due 7200 ready 7232"}, /* it had ended by itself */
        {7232, CLAIM, 0, 0, "running run 3 due 7200"},
        {7233, STOP, 0, 1, "running run 3 due 7200 stop"},
        {7234, UNCLAIM, 3, 0, "waiting due 10800"}));
}

static void test_stop_all(void **state)
{
    play_all(state, "10s", OVERLAP_ALLOW, STEPS(
        {10, CLAIM, 0, 0, "waiting due 20; running run 1 due 10"},
        {20, CLAIM, 0, 0, "waiting due 30; running run 1 due 10; running run 2 due 20"},
        {21, STOP, 2, 1, "waiting due 30; running run 1 due 10; running run 2 due 20 stop"},
        {22, FINISH, 2, OUTCOME_CANCELLED, "waiting due 30; running run 1 due 10"},
        {23, STOP, 0, 1, "waiting due 30; running run 1 due 10 stop"}));
}

static void test_retry(void **state)
{
    play_all(state, NULL, OVERLAP_SKIP, STEPS(
        {100, CLAIM, 0, 0, "running run 1 due 100"},
        {101, FINISH, 1, OUTCOME_FAILED, "retrying due 100 ready 131"},
        {131, CLAIM, 0, 0, "running run 2 due 100"},
        {132, FINISH, 2, OUTCOME_FAILED, "failed"},
        {200, RETRY, 100, 0, "retrying due 100 ready 200"},
        {200, CLAIM, 0, 0, "running run 3 due 100"},
        {201, FINISH, 3, OUTCOME_FAILED, "retrying due 100 ready 231"}, /* its retries once more, too */
        {231, CLAIM, 0, 0, "running run 4 due 100"},
        {232, FINISH, 4, OUTCOME_OK, "done"}));
}

static void test_retry_repeating(void **state)
{
    play_all(state, "1h", OVERLAP_SKIP, STEPS(
        {3600, CLAIM, 0, 0, "running run 1 due 3600"},
        {3601, FINISH, 1, OUTCOME_UNSTARTABLE, "waiting due 7200"},
        {4000, RETRY, 3600, 0, "waiting due 7200; waiting due 3600 ready 4000"},
        {4000, CLAIM_EXTRA, 1, 0, "waiting due 7200; running run 2 due 3600"},
        {4001, FINISH, 2, OUTCOME_OK, "waiting due 7200"}));
    struct fixture *f = *state;
    struct error refused = {0};
    instant due;
    OK(store_begin(f->s, true, &e));
    assert_int_equal(store_retry(f->s, (struct run_id){.job = 1}, SECONDS(4100), &due, &refused), -ERROR_FAILED);
    store_abort(f->s);
}

static void test_skip(void **state)
{
    play_all(state, "1h", OVERLAP_SKIP, STEPS(
        {10, SKIP, 3600, 0, "waiting due 7200"},
        {10, SKIP, 7200, 0, "waiting due 10800"},
        {10800, CLAIM, 0, 0, "running run 1 due 10800"},
        {10801, SKIP, 14400, 0, "running run 1 due 10800"},
        {10802, FINISH, 1, OUTCOME_OK, "waiting due 18000"}));
}

static void test_pause(void **state)
{
    play_all(state, "1h", OVERLAP_SKIP, STEPS(
        {10, PAUSE, true, 0, "waiting due 3600 paused"},
        {11, PAUSE, false, 0, "waiting due 3600 paused"},
        {3700, CLAIM, 0, 0, "waiting due 3600 paused"},
        {3700, START, 0, 0, "waiting due 3600 paused; waiting due 3700"},
        {3700, CLAIM_EXTRA, 1, 0, "waiting due 3600 paused; running run 1 due 3700"},
        {3701, FINISH, 1, OUTCOME_OK, "waiting due 3600 paused"},
        {8000, RESUME, true, 0, "waiting due 3600"},
        {8000, CLAIM, 0, 0, "running run 2 due 7200"},
        {8001, PAUSE, true, 0, "running run 2 due 7200 paused"},
        {8002, FINISH, 2, OUTCOME_OK, "waiting due 10800 paused"},
        {8003, CANCEL, 0, 0, "cancelled"}));
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup_open, fixture_teardown)
    const struct CMUnitTest tests[] = {
        TEST(test_allow), TEST(test_allow_unclaimed), TEST(test_start), TEST(test_start_parks_own), TEST(test_start_once), TEST(test_replay), TEST(test_replay_refused),
        TEST(test_stop), TEST(test_stop_all), TEST(test_retry), TEST(test_retry_repeating), TEST(test_skip), TEST(test_pause),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
