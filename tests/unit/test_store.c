#include "tests/unit/store_fixture.h"

#include <errno.h>
#include <fcntl.h>

#include "spool/db.h"

static struct store *begin(void **state)
{
    struct fixture *f = *state;
    OK(store_begin(f->s, true, &e));
    return f->s;
}

static void commit(struct store *s)
{
    OK(store_commit(s, &e));
}

static struct job_state state_of(struct store *s, uint64_t number)
{
    struct job_state st = {0};
    OK(store_state(s, number, &st, &e));
    return st;
}

static enum life_verdict claim(struct store *s, uint64_t number, instant now, struct run *r)
{
    struct store_claimed claimed;
    OK(store_claim(s, number, &(const struct store_turn){.now = now, .since = INSTANT_NONE, .generation = 7}, &claimed, &e));
    if (claimed.verdict == LIFE_START) {
        job_clear(&claimed.job);
        *r = claimed.run;
    }
    return claimed.verdict;
}

static void finish(struct store *s, struct run *r, enum outcome outcome, instant now)
{
    bool was_open = false;
    r->outcome = outcome;
    r->exit_code = outcome == OUTCOME_OK ? 0 : 1;
    r->started = r->claimed;
    r->ended = now;
    OK(store_finish(s, &(struct store_end){.run = r, .random = 1}, now, &was_open, &e));
    assert_true(was_open);
    run_clear(r);
}

static void run_once(struct store *s, uint64_t number, enum outcome outcome, instant now)
{
    struct run r;
    assert_int_equal(claim(s, number, now, &r), LIFE_START);
    finish(s, &r, outcome, now);
}

/* ---- the due index against the states ---- */

/* Of a job without extra occurrences. */
static enum life_cancel cancel(struct store *s, uint64_t number, instant now, struct run_id *open)
{
    struct store_cancelled done;
    OK(store_cancel(s, number, now, &done, &e));
    assert_int_equal(done.open_count, done.what == LIFE_STOPPING);
    if (done.open_count)
        *open = done.open[0];
    free(done.open);
    return done.what;
}

struct walk {
    struct store *s;
    uint64_t waiting, found;
    struct lane_id lanes[64];
    int lane_count;
    struct due last;
    bool any;
};

static void keep_there(void *context, const struct due *d, bool there)
{
    (void)d;
    *(bool *)context = there;
}

static bool walk_job(void *context, const struct job *j, const struct job_state *st)
{
    struct walk *w = context;
    bool there, waits = st->phase == PHASE_WAITING || st->phase == PHASE_RETRYING;
    OK(store_due_of(w->s, j->number, keep_there, &there, &e));
    assert_int_equal(there, waits);
    w->waiting += waits;
    return true;
}

static bool walk_lane(void *context, struct lane_id lane)
{
    struct walk *w = context;
    w->lanes[w->lane_count++] = lane;
    return true;
}

static bool walk_due(void *context, const struct due *d)
{
    struct walk *w = context;
    struct job_state st = state_of(w->s, d->number);
    assert_true(st.phase == PHASE_WAITING || st.phase == PHASE_RETRYING);
    assert_int_equal(d->ready, st.ready);
    assert_int_equal(d->lane.queue, st.queue);
    assert_int_equal(d->lane.priority, st.priority);
    assert_int_equal(d->weight, st.weight);
    if (w->any)
        assert_true(d->ready > w->last.ready || (d->ready == w->last.ready && d->number > w->last.number));
    w->last = *d;
    w->any = true;
    w->found++;
    return true;
}

/* A due entry is there exactly for the jobs that are waiting or retrying, and is in order. */
static void check_due(struct store *s)
{
    struct walk w = {.s = s};
    uint64_t count = 0;
    OK(store_each_job(s, 0, walk_job, &w, &e));
    OK(store_each_lane(s, walk_lane, &w, &e));
    for (int i = 0; i < w.lane_count; i++) {
        w.any = false;
        OK(store_each_due(s, w.lanes[i], INSTANT_NONE, 0, walk_due, &w, &e));
    }
    OK(store_due_count(s, &count, &e));
    assert_int_equal(w.found, w.waiting);
    assert_int_equal(count, w.waiting);
}

/* ---- adding and finding ---- */

static void find_is(struct store *s, const char *reference, uint64_t number)
{
    uint64_t found = 0;
    OK(store_find(s, reference, &found, &e));
    assert_int_equal(found, number);
}

static void find_fails(struct store *s, const char *reference, const char *word)
{
    struct error e = {0};
    uint64_t found = 99;
    assert_int_equal(store_find(s, reference, &found, &e), -ERROR_NOT_FOUND);
    assert_int_equal(found, 99);
    if (!strstr(e.text, word))
        fail_msg("`%s` is not in: %s", word, e.text);
}

static void test_find(void **state)
{
    struct store *s = begin(state);
    assert_int_equal(fixture_add(s, "backup", NOW), 1);
    assert_int_equal(fixture_add(s, NULL, NOW), 2);
    find_is(s, "backup", 1);
    find_is(s, "2", 2);
    find_fails(s, "3", "no job 3");
    find_fails(s, "99999999999999999999999", "no job");
    find_fails(s, "bakup", "Did you mean backup?");
    find_fails(s, "", "no job");
    commit(s);
    OK(store_begin(s, false, &e));
    find_is(s, "backup", 1);
    store_abort(s);
}

static void test_abort_leaves_nothing(void **state)
{
    struct store *s = begin(state);
    fixture_add(s, "a", NOW);
    store_abort(s);
    assert_int_equal(fixture_add_synced(s, "b", NOW), 1);
    OK(store_begin(s, false, &e));
    find_fails(s, "a", "no job");
    check_due(s);
    store_abort(s);
}

static void add_as(
    struct store *s, const char *name, enum store_twin twin, instant at, int expected, struct store_added *out)
{
    struct job j;
    struct error e = {0};
    fixture_job(&j, name, at);
    assert_int_equal(store_add(s, &j, NOW, twin, out, &e), expected);
    if (expected == 0)
        assert_int_equal(j.number, out->number);
    job_clear(&j);
}

static void test_twins(void **state)
{
    struct store *s = begin(state);
    struct store_added added = {0};
    add_as(s, "a", STORE_REFUSE, T(2000000), 0, &added);
    add_as(s, "a", STORE_REFUSE, T(3000000), -ERROR_EXISTS, &added);
    assert_int_equal(state_of(s, 1).due, T(2000000));
    add_as(s, "a", STORE_KEEP, T(3000000), 0, &added);
    assert_true(added.kept && !added.replaced && added.number == 1);
    assert_int_equal(state_of(s, 1).due, T(2000000));
    add_as(s, "a", STORE_REPLACE, T(3000000), 0, &added);
    assert_true(added.replaced && !added.kept && added.number == 1);
    assert_int_equal(state_of(s, 1).due, T(3000000));
    check_due(s);
    commit(s);
}

static void test_name_of_ended_is_free(void **state)
{
    static const enum outcome outcomes[] = {OUTCOME_OK, OUTCOME_FAILED};
    for (int i = 0; i < 2; i++) {
        struct store *s = begin(state);
        struct store_added added = {0};
        add_as(s, "a", STORE_REFUSE, NOW, 0, &added);
        uint64_t first = added.number;
        run_once(s, first, outcomes[i], NOW);
        find_is(s, "a", first); /* until another takes it */
        add_as(s, "a", i ? STORE_REPLACE : STORE_REFUSE, NOW, 0, &added);
        assert_true(added.number == first + 1 && !added.replaced);
        find_is(s, "a", first + 1);
        run_once(s, first + 1, OUTCOME_OK, NOW);
        commit(s);
    }
}

static void test_bad_job_changes_nothing(void **state)
{
    struct store *s = begin(state);
    struct store_added added = {.number = 42};
    add_as(s, "12", STORE_REFUSE, NOW, -ERROR_USAGE, &added);
    add_as(s, "-x", STORE_REFUSE, NOW, -ERROR_USAGE, &added);
    assert_int_equal(added.number, 42);
    assert_int_equal(fixture_add(s, "good", NOW), 1);
    check_due(s);
    commit(s);
}

/* ---- lanes ---- */

static void add_lane(struct store *s, const char *queue, int priority, instant at)
{
    struct job j;
    struct store_added added;
    fixture_job(&j, NULL, at);
    j.queue = mem_string(queue);
    j.priority = priority;
    OK(store_add(s, &j, NOW, STORE_REFUSE, &added, &e));
    job_clear(&j);
}

struct order {
    uint64_t numbers[32];
    int count, most;
};

static bool order_due(void *context, const struct due *d)
{
    struct order *o = context;
    o->numbers[o->count++] = d->number;
    return o->count < o->most;
}

static void test_lanes(void **state)
{
    struct store *s = begin(state);
    add_lane(s, NULL, 0, T(50));     /* 1 */
    add_lane(s, NULL, 5, T(90));     /* 2 */
    add_lane(s, NULL, -5, T(10));    /* 3 */
    add_lane(s, "slow", 0, T(1));    /* 4 */
    add_lane(s, NULL, 0, -T(50));    /* 5: before 1970 */
    add_lane(s, NULL, 0, T(50));     /* 6 */
    add_lane(s, "default", 0, T(7)); /* 7 */
    struct walk w = {.s = s};
    static const struct lane_id lanes[] = {{1, 5}, {1, 0}, {1, -5}, {2, 0}};
    OK(store_each_lane(s, walk_lane, &w, &e));
    assert_int_equal(w.lane_count, 4);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(w.lanes[i].queue, lanes[i].queue);
        assert_int_equal(w.lanes[i].priority, lanes[i].priority);
    }
    static const struct {
        instant ready;
        uint64_t number;
        int most;
        struct order expected;
    } rows[] = {
        {INSTANT_NONE, 0, 99, {{5, 7, 1, 6}, 4, 0}},
        {INSTANT_NONE, 0, 2, {{5, 7}, 2, 0}},
        {T(50), 1, 99, {{6}, 1, 0}},
        {T(50), 0, 99, {{1, 6}, 2, 0}},
        {T(50), 6, 99, {{0}, 0, 0}},
        {T(7), UINT64_MAX, 99, {{1, 6}, 2, 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct order o = {.most = rows[i].most};
        OK(store_each_due(s, (struct lane_id){1, 0}, rows[i].ready, rows[i].number, order_due, &o, &e));
        assert_int_equal(o.count, rows[i].expected.count);
        assert_memory_equal(o.numbers, rows[i].expected.numbers, sizeof *o.numbers * (size_t)o.count);
    }
    check_due(s);
    commit(s);
}

/* ---- runs ---- */

static void test_run(void **state)
{
    struct store *s = begin(state);
    struct run r, stored;
    bool was_open = true, pending;
    struct buf output = {0};
    uint64_t number = fixture_add(s, "a", NOW);
    assert_int_equal(claim(s, number, NOW - 1, &r), LIFE_EARLY);
    check_due(s);
    assert_int_equal(claim(s, number, NOW + 5, &r), LIFE_START);
    assert_int_equal(r.id.n, 1);
    assert_int_equal(r.generation, 7);
    assert_string_equal(r.name, "a");
    assert_true(r.boot[0] != '\0');
    assert_int_equal(state_of(s, number).phase, PHASE_RUNNING);
    check_due(s);
    OK(store_run(s, r.id, &stored, &e));
    assert_int_equal(stored.outcome, OUTCOME_NONE);
    assert_string_equal(stored.boot, r.boot);
    run_clear(&stored);
    struct run again;
    assert_int_equal(claim(s, number, NOW + 5, &again), LIFE_NOT);
    r.outcome = OUTCOME_OK;
    r.exit_code = 0;
    r.ended = NOW + 9;
    r.output = OUTPUT_INLINE;
    r.output_bytes = 4;
    OK(store_finish(s, &(struct store_end){.run = &r, .output = "a\0b\n", .length = 4}, NOW + 9, &was_open, &e));
    assert_true(was_open);
    OK(store_finish(s, &(struct store_end){.run = &r, .output = "zzzz", .length = 4}, NOW + 9, &was_open, &e));
    assert_false(was_open);
    OK(store_output(s, r.id, &output, &e));
    assert_int_equal(output.length, 4);
    assert_memory_equal(output.data, "a\0b\n", 4);
    assert_int_equal(state_of(s, number).phase, PHASE_DONE);
    OK(store_pending_once(s, &pending, &e));
    assert_false(pending);
    check_due(s);
    commit(s);
    buf_clear(&output);
    run_clear(&r);
}

static void test_missing_run(void **state)
{
    struct store *s = begin(state);
    struct run r;
    struct buf b = {0};
    struct error e = {0};
    assert_int_equal(store_run(s, (struct run_id){.job = 1, .n = 2}, &r, &e), -ERROR_NOT_FOUND);
    assert_string_equal(e.text, "there is no run 1.2: there is no job 1");
    assert_int_equal(store_output(s, (struct run_id){.job = 1, .n = 2}, &b, &e), -ERROR_NOT_FOUND);
    assert_int_equal(store_state(s, 5, &(struct job_state){0}, &e), -ERROR_NOT_FOUND);
    store_abort(s);
}

static void test_retry(void **state)
{
    struct store *s = begin(state);
    struct job j;
    struct store_added added;
    struct run r;
    fixture_job(&j, NULL, NOW);
    j.retries = 1;
    OK(store_add(s, &j, NOW, STORE_REFUSE, &added, &e));
    job_clear(&j);
    run_once(s, 1, OUTCOME_FAILED, NOW);
    struct job_state st = state_of(s, 1);
    assert_int_equal(st.phase, PHASE_RETRYING);
    assert_true(st.ready > NOW);
    check_due(s);
    assert_int_equal(claim(s, 1, st.ready, &r), LIFE_START);
    assert_int_equal(r.attempt, 2);
    finish(s, &r, OUTCOME_FAILED, st.ready);
    assert_int_equal(state_of(s, 1).phase, PHASE_FAILED);
    check_due(s);
    commit(s);
}

static bool count_run(void *context, const struct run *r)
{
    (void)r;
    ++*(int *)context;
    return true;
}

static void test_unclaim(void **state)
{
    for (int shortage = 0; shortage < 2; shortage++) {
        struct store *s = begin(state);
        struct run r;
        int open = 0;
        uint64_t number = fixture_add(s, NULL, NOW);
        assert_int_equal(claim(s, number, NOW, &r), LIFE_START);
        OK(store_each_open(s, count_run, &open, &e));
        assert_int_equal(open, 1);
        OK(store_unclaim(s, r.id, shortage, NOW, &e));
        OK(store_unclaim(s, r.id, shortage, NOW, &e)); /* not open any more: nothing */
        open = 0;
        OK(store_each_open(s, count_run, &open, &e));
        assert_int_equal(open, 0);
        struct run gone;
        assert_int_equal(store_run(s, r.id, &gone, NULL), -ERROR_NOT_FOUND);
        struct job_state st = state_of(s, number);
        assert_int_equal(st.phase, PHASE_WAITING);
        assert_int_equal(st.ready > NOW, shortage);
        check_due(s);
        run_clear(&r);
        run_once(s, number, OUTCOME_OK, st.ready);
        commit(s);
    }
}

/* ---- history ---- */

struct page {
    char rows[16][RUN_ID_SIZE];
    int count, most;
    struct run last;
};

static bool page_add(void *context, const struct run *r)
{
    struct page *p = context;
    run_id_format(r->id, p->rows[p->count++]);
    p->last = *r;
    p->last.name = p->last.key = p->last.reason = NULL;
    return p->count < p->most;
}

static void page_is(
    struct store *s, uint64_t number, const struct run *before, int most, const char *const *expected, struct run *last)
{
    struct page p = {.most = most};
    OK(store_each_run(s, number, before, page_add, &p, &e));
    for (int i = 0; i < p.count && expected[i]; i++)
        assert_string_equal(p.rows[i], expected[i]);
    assert_null(expected[p.count]);
    if (last)
        *last = p.last;
}

/* Read one row at a time, each behind the one before. */
static void span_is(struct store *s, uint64_t number, instant since, instant until, const char *expected)
{
    const struct store_rows rows = {number, since, until};
    struct page p = {.most = 1};
    char text[400] = "";
    OK(store_each_ended(s, &rows, NULL, page_add, &p, &e));
    while (p.count) {
        strcat(strcat(text, p.rows[0]), " ");
        p.count = 0;
        OK(store_each_ended(s, &rows, &p.last, page_add, &p, &e));
    }
    assert_string_equal(text, expected);
}

static bool row_add(void *context, const struct run *r)
{
    char *text = context;
    run_id_format(r->id, text + strlen(text));
    strcat(text, r->outcome == OUTCOME_NONE ? "! " : " ");
    return r->id.job < 4;
}

static void rows_are(struct store *s, struct run_id from, const char *expected)
{
    char text[400] = "";
    OK(store_each_row(s, from, row_add, text, &e));
    assert_string_equal(text, expected);
}

static void last_is(struct store *s, uint64_t job, uint32_t n)
{
    struct run_id id;
    OK(store_last_run(s, job, &id, &e));
    assert_int_equal(id.job, job);
    assert_int_equal(id.n, n);
}

static void test_history(void **state)
{
    struct store *s = begin(state);
    struct run open, last;
    enum life_cancel how;
    struct run_id id;
    for (int i = 1; i <= 4; i++)
        fixture_add(s, NULL, NOW);
    run_once(s, 2, OUTCOME_OK, NOW + 10);
    run_once(s, 1, OUTCOME_FAILED, NOW + 20);
    assert_int_equal(claim(s, 4, NOW, &open), LIFE_START);
    how = cancel(s, 3, NOW + 5, &id);
    assert_int_equal(how, LIFE_CANCELLED);
    page_is(s, 0, NULL, 9, (const char *[]){"1.1", "2.1", "3.0+1", NULL}, NULL);
    page_is(s, 0, NULL, 2, (const char *[]){"1.1", "2.1", NULL}, &last);
    page_is(s, 0, &last, 9, (const char *[]){"3.0+1", NULL}, &last);
    assert_int_equal(last.outcome, OUTCOME_CANCELLED);
    assert_int_equal(last.due, NOW);
    page_is(s, 0, &last, 9, (const char *[]){NULL}, NULL);
    page_is(s, 4, NULL, 9, (const char *[]){NULL}, NULL); /* open */
    page_is(s, 3, NULL, 9, (const char *[]){"3.0+1", NULL}, NULL);
    page_is(s, 99, NULL, 9, (const char *[]){NULL}, NULL);
    span_is(s, 0, INSTANT_NONE, INSTANT_NEVER, "1.1 2.1 3.0+1 ");
    span_is(s, 0, NOW + 10, INSTANT_NEVER, "1.1 2.1 ");
    span_is(s, 0, NOW + 11, INSTANT_NEVER, "1.1 ");
    span_is(s, 0, INSTANT_NONE, NOW + 20, "2.1 3.0+1 ");
    span_is(s, 0, NOW + 6, NOW + 21, "1.1 2.1 ");
    span_is(s, 2, INSTANT_NONE, INSTANT_NEVER, "2.1 ");
    span_is(s, 2, NOW + 11, INSTANT_NEVER, "");
    span_is(s, 4, INSTANT_NONE, INSTANT_NEVER, "");
    rows_are(s, (struct run_id){0}, "1.1 2.1 3.0+1 4.1! ");
    rows_are(s, (struct run_id){.job = 2, .n = 2}, "3.0+1 4.1! ");
    rows_are(s, (struct run_id){.job = 3, .note = 1}, "3.0+1 4.1! ");
    rows_are(s, (struct run_id){.job = 5}, "");
    last_is(s, 1, 1);
    last_is(s, 3, 0);
    last_is(s, 4, 1);
    last_is(s, 99, 0);
    run_clear(&open);
    commit(s);
}

static void test_history_of_repeating(void **state)
{
    struct store *s = begin(state);
    struct job j;
    struct store_added added;
    struct run last;
    fixture_job(&j, "tick", INSTANT_NONE);
    j.every = T(60);
    OK(store_add(s, &j, NOW, STORE_REFUSE, &added, &e));
    job_clear(&j);
    run_once(s, 1, OUTCOME_OK, NOW + T(60));
    run_once(s, 1, OUTCOME_OK, NOW + T(60 * 5)); /* three missed in between */
    page_is(s, 1, NULL, 9, (const char *[]){"1.2", "1.1+1", "1.1", NULL}, NULL);
    page_is(s, 1, NULL, 2, (const char *[]){"1.2", "1.1+1", NULL}, &last);
    assert_int_equal(last.outcome, OUTCOME_MISSED);
    assert_int_equal(last.count, 3);
    page_is(s, 1, &last, 9, (const char *[]){"1.1", NULL}, NULL);
    last_is(s, 1, 2);
    assert_int_equal(state_of(s, 1).due, NOW + T(60 * 6));
    check_due(s);
    commit(s);
}

/* ---- cancel ---- */

struct feeds {
    struct feed items[16];
    int count;
};

static void feeds_add(void *context, const struct feed *f)
{
    struct feeds *l = context;
    if (l->count < 16)
        l->items[l->count] = *f;
    l->count++;
}

static void feed_is(struct store *s, uint64_t *position, const struct feed *expected, int count)
{
    struct feeds l = {0};
    OK(store_begin(s, false, &e));
    OK(store_feed(s, position, feeds_add, &l, &e));
    store_abort(s);
    assert_int_equal(l.count, count);
    for (int i = 0; i < count; i++) {
        assert_int_equal(l.items[i].kind, expected[i].kind);
        assert_int_equal(l.items[i].first, expected[i].first);
        assert_int_equal(l.items[i].last, expected[i].last);
    }
}

static void test_cancel(void **state)
{
    struct store *s = begin(state);
    struct run r;
    enum life_cancel how;
    struct run_id open = {0};
    uint64_t position = 0;
    fixture_add(s, "a", NOW);
    fixture_add(s, "b", NOW);
    assert_int_equal(claim(s, 2, NOW, &r), LIFE_START);
    commit(s);
    feed_is(s, &position, (struct feed[]){{FEED_DUE, 1, 2}}, 1);
    begin(state);
    how = cancel(s, 1, NOW, &open);
    assert_int_equal(how, LIFE_CANCELLED);
    how = cancel(s, 1, NOW, &open);
    assert_int_equal(how, LIFE_OVER);
    how = cancel(s, 2, NOW, &open);
    assert_int_equal(how, LIFE_STOPPING);
    assert_true(open.job == 2 && open.n == 1);
    assert_true(state_of(s, 2).cancel);
    check_due(s);
    commit(s);
    feed_is(s, &position, (struct feed[]){{FEED_DUE, 1, 2}, {FEED_CANCEL, 2, 2}}, 2);
    begin(state);
    finish(s, &r, OUTCOME_CANCELLED, NOW + 1);
    assert_int_equal(state_of(s, 2).phase, PHASE_CANCELLED);
    struct store_cancelled none;
    assert_int_equal(store_cancel(s, 77, NOW, &none, NULL), -ERROR_NOT_FOUND);
    store_abort(s);
}

/* ---- feed ---- */

static void test_feed(void **state)
{
    struct store *s = begin(state);
    uint64_t position = 0;
    for (int i = 0; i < 5; i++)
        fixture_add(s, NULL, NOW);
    OK(store_queue_set(s, "q", 3, &e));
    fixture_add(s, NULL, NOW);
    commit(s);
    feed_is(s, &position, (struct feed[]){{FEED_DUE, 1, 5}, {FEED_QUEUES, 0, 0}, {FEED_DUE, 6, 6}}, 3);
    feed_is(s, &position, NULL, 0);
    fixture_add_synced(s, NULL, NOW);
    uint64_t seen = position;
    feed_is(s, &position, (struct feed[]){{FEED_DUE, 7, 7}}, 1);
    fixture_add_synced(s, NULL, NOW);
    begin(state);
    OK(store_feed_trim(s, seen, &e));
    commit(s);
    uint64_t from_start = 0;
    feed_is(s, &from_start, (struct feed[]){{FEED_DUE, 7, 7}, {FEED_DUE, 8, 8}}, 2);
    begin(state);
    OK(store_feed_trim(s, from_start, &e));
    commit(s);
    feed_is(s, &position, NULL, 0);
    fixture_add_synced(s, NULL, NOW);
    feed_is(s, &from_start, (struct feed[]){{FEED_DUE, 9, 9}}, 1);
}

static void test_feed_too_long(void **state)
{
    struct store *s = begin(state);
    uint64_t position = 0;
    for (int i = 0; i < 5100; i++) { /* two entries each */
        OK(store_queue_set(s, "q", 3, &e));
        fixture_add(s, NULL, NOW);
    }
    commit(s);
    struct feeds l = {0};
    OK(store_begin(s, false, &e));
    OK(store_feed(s, &position, feeds_add, &l, &e));
    store_abort(s);
    assert_int_equal(l.items[0].kind, FEED_ALL);
    assert_in_range(l.count, 1, 9999);
}

static void test_generation(void **state)
{
    struct fixture *f = *state;
    struct store_generation first, second;
    fixture_add_synced(f->s, NULL, NOW);
    OK(store_generation(f->s, NOW, NULL, &first, &e));
    OK(store_generation(f->s, NOW - T(5), NULL, &second, &e));
    assert_int_equal(second.number, first.number + 1);
    assert_false(first.clock_steps);
    assert_true(second.clock_steps);
    assert_int_equal(second.clock_total - first.clock_total, -T(5));
    feed_is(f->s, &second.feed_position, NULL, 0);
    fixture_add_synced(f->s, NULL, NOW);
    feed_is(f->s, &second.feed_position, (struct feed[]){{FEED_DUE, 2, 2}}, 1);
}

/* ---- environments ---- */

static void add_with_env(struct store *s, const char *name, enum store_twin twin, const char *first, const char *second)
{
    struct job j;
    struct store_added added;
    fixture_job(&j, name, NOW);
    j.has_kept_env = true;
    if (first)
        strvec_add(&j.kept_env, first);
    if (second)
        strvec_add(&j.kept_env, second);
    OK(store_add(s, &j, NOW, twin, &added, &e));
    job_clear(&j);
}

static void env_is(struct store *s, uint64_t number, const char *first, const char *second)
{
    struct job j;
    size_t count = (first != NULL) + (second != NULL);
    OK(store_job(s, number, &j, &e));
    assert_true(j.has_kept_env);
    assert_int_equal(j.kept_env.count, count);
    if (first)
        assert_string_equal(j.kept_env.items[0], first);
    if (second)
        assert_string_equal(j.kept_env.items[1], second);
    job_clear(&j);
}

static bool env_print(void *context, const struct job *j, const struct job_state *st)
{
    (void)st;
    buf_format(context, "%d", (int)j->number);
    for (size_t i = 0; i < j->kept_env.count; i++)
        buf_format(context, " %s", j->kept_env.items[i]);
    buf_char(context, '\n');
    return true;
}

static void test_environments(void **state)
{
    struct store *s = begin(state);
    add_with_env(s, "a", STORE_REFUSE, "A=1", "B=2");
    add_with_env(s, "b", STORE_REFUSE, "A=1", "B=2");
    add_with_env(s, "c", STORE_REFUSE, "A=1", "B=3");
    add_with_env(s, "d", STORE_REFUSE, NULL, NULL); /* a clean one that was asked for */
    env_is(s, 1, "A=1", "B=2");
    env_is(s, 2, "A=1", "B=2");
    env_is(s, 3, "A=1", "B=3");
    env_is(s, 4, NULL, NULL);
    add_with_env(s, "a", STORE_REPLACE, "C=1", NULL); /* b still holds the old one */
    env_is(s, 1, "C=1", NULL);
    env_is(s, 2, "A=1", "B=2");
    add_with_env(s, "b", STORE_REPLACE, "C=1", NULL);
    add_with_env(s, "b", STORE_REPLACE, "C=1", NULL);
    env_is(s, 2, "C=1", NULL);
    struct buf listed = {0};
    add_with_env(s, "e", STORE_REFUSE, "C=1", NULL);
    OK(store_each_job(s, 0, env_print, &listed, &e));
    assert_string_equal(buf_string(&listed), "1 C=1\n2 C=1\n3 A=1 B=3\n4\n5 C=1\n");
    buf_clear(&listed);
    struct store_claimed claimed;
    OK(store_claim(s, 2, &(const struct store_turn){.now = NOW, .since = INSTANT_NONE, .generation = 1}, &claimed, &e));
    assert_int_equal(claimed.verdict, LIFE_START);
    assert_string_equal(claimed.job.kept_env.items[0], "C=1");
    job_clear(&claimed.job);
    run_clear(&claimed.run);
    commit(s);
}

/* What nobody refers to any more is not kept. */
static void test_environments_go(void **state)
{
    struct fixture *f = *state;
    struct store *s = begin(state);
    for (int i = 0; i < 50; i++) {
        char text[32];
        snprintf(text, sizeof text, "N=%d", i);
        add_with_env(s, "a", STORE_REPLACE, text, NULL);
    }
    commit(s);
    store_close(s);
    f->s = NULL;
    struct folder folder;
    struct db *db;
    uint64_t entries = 0;
    OK(folder_open(f->spool, false, &folder, &e));
    OK(db_open(&folder, DB_READ, &db, &e));
    OK(db_begin(db, false, &e));
    OK(db_count(db, DB_ENVS, &entries, &e));
    assert_int_equal(entries, 2); /* its text and its count */
    db_close(db);
    folder_clear(&folder);
}

/* ---- queues ---- */

static bool queue_print(void *context, const struct queue *q)
{
    buf_format(context, "%u %s %u\n", q->id, q->name, q->limit);
    return true;
}

static void queues_are(struct store *s, const char *expected)
{
    struct buf b = {0};
    OK(store_each_queue(s, queue_print, &b, &e));
    assert_string_equal(buf_string(&b), expected);
    buf_clear(&b);
}

static void test_queues(void **state)
{
    struct store *s = begin(state);
    queues_are(s, "1 default 0\n");
    add_lane(s, "mail", 0, NOW);
    OK(store_queue_set(s, "backup", 2, &e));
    queues_are(s, "1 default 0\n3 backup 2\n2 mail 0\n");
    OK(store_queue_set(s, "default", 9, &e));
    OK(store_queue_set(s, "mail", 1, &e));
    add_lane(s, "mail", 0, NOW);
    assert_int_equal(state_of(s, 2).queue, 2);
    queues_are(s, "1 default 9\n3 backup 2\n2 mail 1\n");
    OK(store_queue_remove(s, "backup", &e));
    OK(store_queue_remove(s, "default", &e));
    queues_are(s, "1 default 0\n3 backup 0\n2 mail 1\n");
    assert_int_equal(store_queue_remove(s, "nope", NULL), -ERROR_NOT_FOUND);
    assert_int_equal(store_queue_set(s, "12", 1, NULL), -ERROR_USAGE);
    commit(s);
}

/* ---- clock ---- */

static void add_every(struct store *s, instant now, duration every)
{
    struct job j;
    struct store_added added;
    fixture_job(&j, NULL, INSTANT_NONE);
    j.every = every;
    OK(store_add(s, &j, now, STORE_REFUSE, &added, &e));
    job_clear(&j);
}

static bool step_some(struct store *s, instant now, uint32_t limit)
{
    bool more;
    OK(store_clock_step(s, now, limit, &more, &e));
    return more;
}

static void test_clock_step(void **state)
{
    struct store *s = begin(state);
    int64_t total = 0;
    for (int i = 0; i < 5; i++) {
        if (i == 2)
            fixture_add(s, NULL, NOW + T(60));
        else
            add_every(s, NOW, T(60));
    }
    OK(store_clock(s, NOW - T(30), -T(30), &total, &e));
    assert_true(step_some(s, NOW - T(30), 2));
    assert_int_equal(state_of(s, 2).due, NOW + T(30));
    assert_int_equal(state_of(s, 4).due, NOW + T(60));
    commit(s);
    begin(state);
    step_some(s, NOW - T(30), 2);
    store_abort(s); /* undone: it goes on where it was */
    begin(state);
    assert_false(step_some(s, NOW - T(30), 3));
    assert_int_equal(state_of(s, 3).due, NOW + T(60)); /* a fixed time */
    assert_int_equal(state_of(s, 4).due, NOW + T(30));
    assert_int_equal(state_of(s, 5).due, NOW + T(30));
    check_due(s);
    commit(s);
}

/* Each job is moved by each step once, also when one comes while another is half applied, or jobs come. */
static void test_clock_steps_meet(void **state)
{
    struct store *s = begin(state);
    int64_t total = 0;
    for (int i = 0; i < 4; i++)
        add_every(s, NOW, T(60));
    OK(store_clock(s, NOW - T(30), -T(30), &total, &e));
    assert_true(step_some(s, NOW - T(30), 2));
    add_every(s, NOW - T(30), T(60)); /* by the new clock */
    OK(store_clock(s, NOW - T(130), -T(100), &total, &e));
    while (step_some(s, NOW - T(130), 1))
        ;
    for (uint64_t n = 1; n <= 5; n++)
        assert_int_equal(state_of(s, n).due, NOW - T(130) + T(60));
    check_due(s);
    commit(s);
}

/* Set back while no scheduler ran: whoever writes next finds it; a scheduler that measured the step itself adds only what that one could not see. */
static void test_clock_set_back_unseen(void **state)
{
    struct store *s = begin(state);
    add_every(s, NOW, T(60)); /* the clock is seen here */
    int64_t total = -T(1); /* as far as the scheduler knows */
    OK(store_clock(s, NOW + T(10), 0, NULL, &e));
    OK(store_clock(s, NOW + T(9), 0, NULL, &e));
    assert_true(step_some(s, NOW, 1) == false);
    assert_int_equal(state_of(s, 1).due, NOW + T(59));
    OK(store_clock(s, NOW + T(8) + 1, 0, &total, &e)); /* not so much */
    assert_int_equal(total, -T(1));
    commit(s);
    begin(state);
    add_every(s, NOW - T(1000), T(60)); /* by a client */
    OK(store_clock(s, NOW - T(1000), -T(1020), &total, &e)); /* by the scheduler */
    assert_int_equal(total, -T(1021));
    while (step_some(s, NOW - T(1000), 9))
        ;
    assert_int_equal(state_of(s, 1).due, NOW + T(59) - T(1020));
    commit(s);
}

static void test_pending_once(void **state)
{
    struct store *s = begin(state);
    struct job j;
    struct store_added added;
    bool pending = true;
    fixture_job(&j, NULL, INSTANT_NONE); /* by hand only */
    OK(store_add(s, &j, NOW, STORE_REFUSE, &added, &e));
    j.every = T(60);
    OK(store_add(s, &j, NOW, STORE_REFUSE, &added, &e));
    job_clear(&j);
    OK(store_pending_once(s, &pending, &e));
    assert_false(pending);
    uint64_t once = fixture_add(s, NULL, NOW);
    OK(store_pending_once(s, &pending, &e));
    assert_true(pending);
    struct run r;
    assert_int_equal(claim(s, once, NOW, &r), LIFE_START);
    OK(store_pending_once(s, &pending, &e));
    assert_true(pending);
    finish(s, &r, OUTCOME_FAILED, NOW);
    commit(s);
    OK(store_begin(s, false, &e));
    OK(store_pending_once(s, &pending, &e));
    assert_false(pending);
    store_abort(s);
}

/* ---- a random walk ---- */

static void walk_step(struct store *s, unsigned *seed, instant now)
{
    struct run r;
    struct run_id open;
    struct job_state st;
    struct store_added added;
    struct job j;
    uint64_t number = (uint64_t)rand_r(seed) % 20 + 1;
    char name[8];
    snprintf(name, sizeof name, "n%d", rand_r(seed) % 15);
    switch (rand_r(seed) % 6) {
    case 0:
    case 1:
        fixture_job(&j, name, rand_r(seed) % 2 ? now : INSTANT_NONE);
        j.every = j.at == INSTANT_NONE ? T(30) : DURATION_NONE;
        j.priority = rand_r(seed) % 3;
        j.retries = rand_r(seed) % 2;
        OK(store_add(s, &j, now, rand_r(seed) % 2 ? STORE_REPLACE : STORE_KEEP, &added, &e));
        job_clear(&j);
        break;
    case 2:
        if (store_state(s, number, &st, NULL) == 0)
            cancel(s, number, now, &open);
        break;
    case 3:
        if (store_state(s, number, &st, NULL) == 0 && claim(s, number, now, &r) == LIFE_START)
            run_clear(&r);
        break;
    default:
        if (store_state(s, number, &st, NULL) != 0 || st.phase != PHASE_RUNNING)
            break;
        OK(store_run(s, (struct run_id){.job = number, .n = st.runs}, &r, &e));
        if (rand_r(seed) % 4 == 0)
            OK(store_unclaim(s, r.id, rand_r(seed) % 2, now, &e));
        else
            finish(s, &r, rand_r(seed) % 2 ? OUTCOME_OK : OUTCOME_FAILED, now);
        if (r.key)
            run_clear(&r);
    }
}

static void test_walk(void **state)
{
    struct fixture *f = *state;
    unsigned seed = 20261201;
    instant now = NOW;
    for (int i = 0; i < 200; i++) {
        begin(state);
        for (int k = 0; k < 20; k++, now += T(rand_r(&seed) % 20))
            walk_step(f->s, &seed, now);
        check_due(f->s);
        commit(f->s);
    }
}

/* ---- opening ---- */

static void open_fails(const char *spool, enum store_use use, int sys, const char *word)
{
    struct error e = {0};
    struct store *s = NULL;
    assert_int_equal(store_open(spool, use, &s, &e), -ERROR_SPOOL);
    assert_null(s);
    assert_int_equal(e.sys, sys);
    if (!strstr(e.text, word))
        fail_msg("`%s` is not in: %s", word, e.text);
}

static void test_reading_makes_nothing(void **state)
{
    struct fixture *f = *state;
    struct stat st;
    open_fails(f->spool, STORE_READ, ENOENT, "there is no spool at");
    assert_int_equal(lstat(f->spool, &st), -1);
    struct folder folder;
    OK(folder_open(f->spool, true, &folder, &e));
    folder_clear(&folder);
    open_fails(f->spool, STORE_READ, ENOENT, "there is no spool at");
}

static void test_newer_format(void **state)
{
    struct fixture *f = *state;
    struct folder folder;
    struct db *db;
    store_close(f->s);
    f->s = NULL;
    OK(folder_open(f->spool, false, &folder, &e));
    OK(db_open(&folder, DB_WRITE, &db, &e));
    OK(db_begin(db, true, &e));
    OK(db_put(db, DB_META, (struct db_bytes){"counters", 8}, (struct db_bytes){"\x81\xa1v\x02", 4}, &e));
    OK(db_commit(db, &e));
    db_close(db);
    folder_clear(&folder);
    open_fails(f->spool, STORE_READ, 0, "format 2");
    open_fails(f->spool, STORE_WRITE, 0, "use the newer ax");
}

static void data_write(const struct fixture *f, off_t at, const void *bytes, size_t length, off_t cut)
{
    char *path = mem_format("%s/data.mdb", f->spool);
    int fd = open(path, O_RDWR);
    free(path);
    assert_true(fd >= 0);
    if (length)
        assert_int_equal(pwrite(fd, bytes, length, at), length);
    if (cut >= 0)
        assert_int_equal(ftruncate(fd, cut), 0);
    close(fd);
}

/* One record that does not decode is its own job's trouble: sys 0, nothing changed, the transaction goes on. */
static void test_damaged_record(void **state)
{
    struct fixture *f = *state;
    struct folder folder;
    struct db *db;
    struct error said = {0};
    struct store_claimed claimed;
    const unsigned char two[8] = {0, 0, 0, 0, 0, 0, 0, 2};
    for (int i = 0; i < 3; i++) {
        struct job j;
        struct store_added added;
        job_init(&j);
        strvec_add(&j.command, "true");
        j.at = NOW;
        OK(store_begin(f->s, true, &e));
        OK(store_add(f->s, &j, NOW, STORE_REFUSE, &added, &e));
        commit(f->s);
        job_clear(&j);
    }
    store_close(f->s);
    OK(folder_open(f->spool, false, &folder, &e));
    OK(db_open(&folder, DB_WRITE, &db, &e));
    OK(db_begin(db, true, &e));
    OK(db_put(db, DB_JOBS, (struct db_bytes){two, sizeof two}, (struct db_bytes){"\xc1garbage", 8}, &e));
    OK(db_commit(db, &e));
    db_close(db);
    folder_clear(&folder);
    OK(store_open(f->spool, STORE_SERVE, &f->s, &e));
    OK(store_begin(f->s, true, &e));
    assert_true(store_claim(f->s, 2, &(const struct store_turn){.now = NOW, .since = INSTANT_NONE, .generation = 1}, &claimed, &said) < 0);
    assert_int_equal(said.sys, 0);
    for (uint64_t n = 1; n <= 3; n += 2) {
        OK(store_claim(f->s, n, &(const struct store_turn){.now = NOW, .since = INSTANT_NONE, .generation = 1}, &claimed, &e));
        assert_int_equal(claimed.verdict, LIFE_START);
        job_clear(&claimed.job);
        run_clear(&claimed.run);
    }
    commit(f->s);
}

static void test_damaged(void **state)
{
    struct fixture *f = *state;
    char junk[8192];
    memset(junk, 'x', sizeof junk);
    store_close(f->s);
    f->s = NULL;
    data_write(f, 0, junk, sizeof junk, -1);
    open_fails(f->spool, STORE_READ, EIO, "damaged");
    open_fails(f->spool, STORE_WRITE, EIO, "damaged");
    data_write(f, 0, NULL, 0, 100);
    open_fails(f->spool, STORE_WRITE, EIO, "damaged");
}

static bool job_any(void *context, const struct job *j, const struct job_state *st)
{
    (void)context, (void)j, (void)st;
    return true;
}

/* A file that was cut short must not end us with SIGBUS. */
static void test_cut_short(void **state)
{
    struct fixture *f = *state;
    struct error why = {0};
    begin(state);
    for (int i = 0; i < 5000; i++)
        fixture_add(f->s, NULL, NOW);
    commit(f->s);
    store_close(f->s);
    f->s = NULL;
    data_write(f, 0, NULL, 0, 16 * 4096);
    int failed = store_open(f->spool, STORE_READ, &f->s, &why);
    if (!failed) {
        OK(store_begin(f->s, false, &e));
        failed = store_each_job(f->s, 0, job_any, NULL, &why);
        store_abort(f->s);
    }
    assert_int_equal(failed, -ERROR_SPOOL);
    if (!strstr(why.text, "damaged"))
        fail_msg("not `damaged`: %s", why.text);
}

static void test_nothing_is_inherited(void **state)
{
    struct fixture *f = *state;
    fixture_add_synced(f->s, NULL, NOW);
    assert_int_equal(system("! ls -l /proc/self/fd | grep -q ax-test"), 0);
    assert_int_equal(system("ls -l /proc/$PPID/fd | grep -q ax-test"), 0); /* what is looked for can be seen */
}

#define OPEN(test) cmocka_unit_test_setup_teardown(test, fixture_setup_open, fixture_teardown)
#define CLOSED(test) cmocka_unit_test_setup_teardown(test, fixture_setup, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {
        OPEN(test_find),
        OPEN(test_abort_leaves_nothing),
        OPEN(test_twins),
        OPEN(test_name_of_ended_is_free),
        OPEN(test_bad_job_changes_nothing),
        OPEN(test_lanes),
        OPEN(test_run),
        OPEN(test_missing_run),
        OPEN(test_retry),
        OPEN(test_unclaim),
        OPEN(test_history),
        OPEN(test_history_of_repeating),
        OPEN(test_cancel),
        OPEN(test_feed),
        OPEN(test_feed_too_long),
        OPEN(test_generation),
        OPEN(test_environments),
        OPEN(test_environments_go),
        OPEN(test_queues),
        OPEN(test_clock_step),
        OPEN(test_clock_steps_meet),
        OPEN(test_clock_set_back_unseen),
        OPEN(test_pending_once),
        OPEN(test_walk),
        CLOSED(test_reading_makes_nothing),
        OPEN(test_newer_format),
        OPEN(test_damaged),
        OPEN(test_damaged_record),
        OPEN(test_cut_short),
        OPEN(test_nothing_is_inherited),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
