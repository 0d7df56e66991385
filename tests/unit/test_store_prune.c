/* What is over goes: rows, jobs, files of output, and all that is kept elsewhere under the number of a job. */
#include "tests/unit/store_fixture.h"

#include <fcntl.h>

#include "spool/store_private.h"

#define DAY (24 * 3600 * SECOND)

/* A run of the job from its claim to its end; its output is in a file, if that is wanted. */
static struct run_id run_once(struct fixture *f, uint64_t number, instant now, bool file)
{
    struct store_claimed claimed;
    bool was_open;
    OK(store_claim(
        f->s, number, &(const struct store_turn){.now = now, .since = INSTANT_NONE, .generation = 1}, &claimed, &e));
    assert_int_equal(claimed.verdict, LIFE_START);
    struct run r = claimed.run;
    r.outcome = OUTCOME_OK;
    r.ended = now + SECOND;
    r.output = file ? OUTPUT_FILE : OUTPUT_INLINE;
    r.output_bytes = 5;
    OK(store_finish(f->s,
        &(struct store_end){.run = &r, .random = 1, .output = file ? NULL : "12345", .length = file ? 0 : 5},
        now + SECOND, &was_open, &e));
    if (file) {
        char path[200];
        snprintf(path, sizeof path, "%s/output/%llu.%u", f->spool, (unsigned long long)r.id.job, r.id.n);
        close(open(path, O_CREAT | O_WRONLY, 0600));
    }
    struct run_id id = r.id;
    run_clear(&r);
    job_clear(&claimed.job);
    return id;
}

static bool has_file(const struct fixture *f, struct run_id id)
{
    char path[200];
    snprintf(path, sizeof path, "%s/output/%llu.%u", f->spool, (unsigned long long)id.job, id.n);
    return access(path, F_OK) == 0;
}

static struct store_pruned step(struct fixture *f, instant now, bool *more)
{
    struct store_pruned pruned = {0};
    OK(store_begin(f->s, true, &e));
    OK(store_prune(f->s, now, &pruned, more, &e));
    OK(store_commit(f->s, &e));
    return pruned;
}

static uint64_t entries(struct fixture *f)
{
    uint64_t sum = 0;
    OK(store_begin(f->s, false, &e));
    for (int table = 0; table < DB_TABLES; table++) {
        uint64_t count;
        OK(db_count(f->s->db, (enum db_table)table, &count, &e));
        sum += table == DB_FEED || table == DB_QUEUES ? 0 : count;
    }
    store_abort(f->s);
    return sum;
}

/* A job that is done goes with all that is known of it: the store is as if it had never been there, but for the number.
 */
static void test_job(void **state)
{
    struct fixture *f = *state;
    struct job j;
    struct store_added added;
    struct store_numbers numbers = {0};
    bool more;
    fixture_add_synced(f->s, "stays", NOW + 400 * DAY);
    uint64_t before = entries(f);
    fixture_job(&j, "goes", NOW);
    j.source = mem_string("web");
    j.has_kept_env = true;
    strvec_add(&j.kept_env, "A=1");
    OK(store_begin(f->s, true, &e));
    OK(store_add(f->s, &j, NOW, STORE_REFUSE, &added, &e));
    numbers.items = &added.number;
    numbers.count = 1;
    OK(store_source_set(f->s, "web", &numbers, &e));
    OK(store_audit(f->s, added.number, NOW, "looked at", &e));
    struct run_id id = run_once(f, added.number, NOW, true);
    OK(store_commit(f->s, &e));
    job_clear(&j);

    assert_int_equal(step(f, NOW + SECOND + JOB_KEEP_FOR - 1, &more).jobs, 0);
    assert_true(has_file(f, id));
    struct store_pruned pruned = step(f, NOW + SECOND + JOB_KEEP_FOR, &more);
    assert_int_equal(pruned.jobs, 1);
    assert_int_equal(pruned.rows, 1);
    assert_int_equal(pruned.bytes, 5);
    assert_true(more);
    assert_true(has_file(f, id)); /* until the row is surely gone */
    store_close(f->s);            /* whoever did that may die here */
    OK(store_open(f->spool, STORE_WRITE, &f->s, &e));
    assert_int_equal(step(f, NOW, &more).jobs, 0);
    assert_false(more);
    assert_false(has_file(f, id));
    assert_int_equal(entries(f), before);
    assert_int_equal(fixture_add_synced(f->s, "goes", NOW), 3);
}

/* Many: a bounded step at a time. */
static void test_steps(void **state)
{
    struct fixture *f = *state;
    bool more;
    int steps = 0;
    OK(store_begin(f->s, true, &e));
    for (int i = 0; i < 50; i++) {
        char name[20];
        snprintf(name, sizeof name, "job-%d", i);
        uint64_t number = fixture_add(f->s, name, NOW);
        run_once(f, number, NOW + i, i % 2);
    }
    OK(store_commit(f->s, &e));
    uint64_t jobs = 0;
    do {
        struct store_pruned pruned = step(f, NOW + JOB_KEEP_FOR + DAY, &more);
        assert_true(pruned.jobs <= STORE_PRUNE_STEP);
        jobs += pruned.jobs;
    } while (more && ++steps < 100);
    assert_int_equal(jobs, 50);
    assert_in_range(steps, 3, 10);
}

/* What waits to be sent needs the job. */
static void test_mail(void **state)
{
    struct fixture *f = *state;
    struct store_mail m;
    bool more, there;
    OK(store_begin(f->s, true, &e));
    uint64_t number = fixture_add(f->s, "mailed", NOW);
    struct run_id id = run_once(f, number, NOW, false);
    OK(store_mail_add(f->s, id, NOW, &e));
    OK(store_commit(f->s, &e));
    assert_int_equal(step(f, NOW + JOB_KEEP_FOR + DAY, &more).jobs, 0);
    assert_false(more);
    OK(store_begin(f->s, true, &e));
    OK(store_mail_next(f->s, &m, &there, &e));
    OK(store_mail_done(f->s, &m, MAIL_SENT, NOW, &e));
    OK(store_commit(f->s, &e));
    assert_int_equal(step(f, NOW + JOB_KEEP_FOR + DAY, &more).jobs, 1);
}

/* A job that lives again is not forgotten; one that gave up stays. */
static void test_lives(void **state)
{
    struct fixture *f = *state;
    struct store_started started;
    bool more;
    OK(store_begin(f->s, true, &e));
    uint64_t number = fixture_add(f->s, "again", NOW);
    run_once(f, number, NOW, false);
    OK(store_start(f->s, number, &(struct store_how){0}, NOW + DAY, &started, &e));
    OK(store_commit(f->s, &e));
    assert_int_equal(step(f, NOW + 2 * JOB_KEEP_FOR, &more).jobs, 0);
    OK(store_begin(f->s, true, &e));
    run_once(f, number, NOW + DAY, false);
    OK(store_commit(f->s, &e));
    assert_int_equal(step(f, NOW + JOB_KEEP_FOR + 2 * SECOND, &more).jobs, 0); /* its time counts from the last end */
    assert_int_equal(step(f, NOW + JOB_KEEP_FOR + DAY + SECOND, &more).jobs, 1);
}

/* By number, of a job that goes on: store_finish does it. */
static void test_runs(void **state)
{
    struct fixture *f = *state;
    struct job j;
    struct store_added added;
    struct run run;
    OK(store_begin(f->s, true, &e));
    fixture_job(&j, "often", INSTANT_NONE);
    j.every = 60 * SECOND;
    j.keep_runs = 3;
    OK(store_add(f->s, &j, NOW, STORE_REFUSE, &added, &e));
    job_clear(&j);
    for (int i = 1; i <= 10; i++)
        run_once(f, added.number, NOW + i * 60 * SECOND, false);
    for (uint32_t n = 1; n <= 10; n++) {
        int found = store_run(f->s, (struct run_id){.job = added.number, .n = n}, &run, NULL);
        if (found == 0)
            run_clear(&run);
        assert_int_equal(found, n > 7 ? 0 : -ERROR_NOT_FOUND);
    }
    uint64_t outputs;
    OK(db_count(f->s->db, DB_OUTPUTS, &outputs, &e));
    assert_int_equal(outputs, 3);
    OK(db_count(f->s->db, DB_ENDED, &outputs, &e));
    assert_int_equal(outputs, 3);
    OK(store_commit(f->s, &e));
}

#define WITH_STORE(test) cmocka_unit_test_setup_teardown(test, fixture_setup_open, fixture_teardown)

int main(void)
{
    const struct CMUnitTest tests[] = {WITH_STORE(test_job), WITH_STORE(test_steps), WITH_STORE(test_mail),
        WITH_STORE(test_lives), WITH_STORE(test_runs)};
    return cmocka_run_group_tests_name("store_prune", tests, NULL, NULL);
}
