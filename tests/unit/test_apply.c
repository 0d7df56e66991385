/* Applying job files. Each step gives the jobs that a source names; after it the changes and the states are compared as
 * text. */
#include "tests/unit/store_fixture.h"

#include <inttypes.h>
#include <stdlib.h>

#include "lib/base/buf.h"
#include "spool/apply.h"
#include "spool/fields.h"

struct named { /* a job of the file: its fields as texts */
    const char *name, *command, *every, *cron, *at, *priority;
};

static void set(struct job *j, const char *field, const char *text, const struct zone *utc)
{
    struct field_context c = {.zone = utc, .now = NOW, .directory = "/"};
    if (text)
        OK(field_set_text(j, field_find(field), text, &c, &e));
}

static void file_init(struct jobfile *f, const char *source, const struct named *jobs)
{
    struct zone *utc;
    OK(zone_load("UTC", &utc, &e));
    *f = (struct jobfile){
        .file = mem_string("ax.yaml"), .path = mem_string("/srv/ax.yaml"), .source = mem_string(source)};
    for (; jobs->name; jobs++) {
        MEM_GROW(f->jobs, f->job_capacity, f->job_count + 1);
        struct jobfile_job *new = &f->jobs[f->job_count++];
        *new = (struct jobfile_job){.line = 1, .column = 1};
        job_init(&new->job);
        new->job.name = mem_string(jobs->name);
        new->job.source = mem_string(source);
        new->job.file = mem_string("/srv/ax.yaml");
        set(&new->job, "command", jobs->command, utc);
        set(&new->job, "every", jobs->every, utc);
        set(&new->job, "cron", jobs->cron, utc);
        set(&new->job, "timezone", "UTC", utc);
        set(&new->job, "priority", jobs->priority, utc);
        if (jobs->at)
            OK(instant_parse_iso(jobs->at, utc, &new->job.at, &e));
        new->past = new->job.at != INSTANT_NONE &&new->job.at < NOW;
    }
    zone_free(utc);
}

static void file_clear(struct jobfile *f)
{
    for (size_t i = 0; i < f->job_count; i++)
        job_clear(&f->jobs[i].job);
    free(f->jobs);
    free(f->file);
    free(f->path);
    free(f->source);
}

static void changes_text(struct buf *b, const struct changes *changes)
{
    static const char *const words[] = {"create", "update", "revive", "remove", "unnamed", "same", "conflict", "queue", "adopt"};
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *c = &changes->items[i];
        buf_format(b, "%s%s %s", i ? "; " : "", words[c->kind],
            c->queue ? c->queue
            : c->new ? c->new->job.name
                     : c->old.name);
        for (size_t k = 0; k < c->fields.count; k++)
            buf_format(b, " %s", c->fields.items[k]);
        if (c->reschedules)
            buf_text(b, " again");
        if (c->owner)
            buf_format(b, " (%s)", c->owner);
    }
}

static bool state_text(void *context, const struct job *j, const struct job_state *st)
{
    struct buf *b = context;
    static const char *const names[] = {"waiting", "retrying", "running", "done", "failed", "cancelled"};
    buf_format(b, "%s%" PRIu64 " %s %s", b->length ? "; " : "", j->number, j->name, names[st->phase]);
    if (st->phase <= PHASE_RUNNING && st->due != INSTANT_NEVER)
        buf_format(b, " %" PRId64, (st->due - NOW) / SECOND);
    return true;
}

/* Plans, does, and compares; `states` NULL: it is refused, and nothing is done. */
static void apply_by(struct store *s, const char *source, const struct named *jobs, struct apply_rules rules, instant now,
    const char *changes, const char *states)
{
    struct jobfile f;
    struct changes list;
    struct buf b = {0};
    file_init(&f, source, jobs);
    struct jobfiles files = {.items = &f, .count = 1};
    OK(store_begin(s, true, &e));
    OK(apply_plan(s, &files, rules, &list, &e));
    changes_text(&b, &list);
    assert_string_equal(buf_string(&b), changes);
    buf_reset(&b);
    if (states) {
        OK(apply_do(s, &files, &list, now, &e));
        OK(store_each_job(s, 1, state_text, &b, &e));
        assert_string_equal(buf_string(&b), states);
        OK(store_commit(s, &e));
    } else {
        struct error refused;
        assert_int_equal(apply_do(s, &files, &list, now, &refused), -ERROR_EXISTS);
        store_abort(s);
    }
    changes_clear(&list);
    file_clear(&f);
    buf_clear(&b);
}

static void apply(struct store *s, const char *source, const struct named *jobs, bool prune, instant now,
    const char *changes, const char *states)
{
    apply_by(s, source, jobs, (struct apply_rules){.prune = prune}, now, changes, states);
}

#define JOBS(...)                                                                                                      \
    (const struct named[])                                                                                             \
    {                                                                                                                  \
        __VA_ARGS__,                                                                                                   \
        {                                                                                                              \
            0                                                                                                          \
        }                                                                                                              \
    }

static const struct named a = {"a", "true", .every = "1m"}, b_ = {"b", "true", .cron = "0 * * * *"};

static void test_again(void **state)
{
    struct store *s = ((struct fixture *)*state)->s;
    apply(s, "web", JOBS(a, b_), false, NOW, "create a; create b", "1 a waiting 60; 2 b waiting 800");
    apply(s, "web", JOBS(a, b_), false, NOW + 5 * SECOND, "same a; same b", "1 a waiting 60; 2 b waiting 800");
    apply(s, "web", JOBS({"a", "false", .every = "1m", .priority = "3"}, b_), false, NOW + 5 * SECOND,
        "update a command priority; same b", "1 a waiting 60; 2 b waiting 800");
    apply(s, "web", JOBS({"a", "false", .every = "2m", .priority = "3"}, b_), false, NOW + 5 * SECOND,
        "update a every again; same b", "1 a waiting 125; 2 b waiting 800");
    apply(s, "web", JOBS({"a", "false", .cron = "30 * * * *", .priority = "3"}, b_), false, NOW + 5 * SECOND,
        "update a every cron again; same b", "1 a waiting 2600; 2 b waiting 800");
}

static void test_unnamed(void **state)
{
    struct store *s = ((struct fixture *)*state)->s;
    apply(s, "web", JOBS(a, b_), false, NOW, "create a; create b", "1 a waiting 60; 2 b waiting 800");
    apply(s, "web", JOBS(b_), false, NOW, "same b; unnamed a", "1 a waiting 60; 2 b waiting 800");
    apply(s, "web", JOBS(b_), true, NOW, "same b; remove a", "1 a cancelled; 2 b waiting 800");
    apply(s, "web", JOBS(b_), true, NOW, "same b", "1 a cancelled; 2 b waiting 800");
    apply(s, "web", JOBS(a, b_), true, NOW + 5 * SECOND, "revive a again; same b", "1 a waiting 65; 2 b waiting 800");
    apply(s, "web", JOBS(a, b_), true, NOW + 5 * SECOND, "same a; same b", "1 a waiting 65; 2 b waiting 800");
}

static void test_owners(void **state)
{
    struct store *s = ((struct fixture *)*state)->s;
    fixture_add_synced(s, "hand", NOW + 100 * SECOND);
    apply(s, "web", JOBS(a), false, NOW, "create a", "1 hand waiting 100; 2 a waiting 60");
    apply(s, "db", JOBS(a), true, NOW, "conflict a (source web)", NULL);
    apply(s, "db", JOBS({"hand", "true", .every = "1m"}), true, NOW,
        "conflict hand command at every timezone (nobody's file: it was added by hand)", NULL);
    apply(s, "db", JOBS(b_), true, NOW, "create b", "1 hand waiting 100; 2 a waiting 60; 3 b waiting 800");
}

/* What a person added goes over to the file, once; what another source has never does. */
static void test_adopted(void **state)
{
    struct store *s = ((struct fixture *)*state)->s;
    struct apply_rules adopt = {.adopt = true};
    fixture_add_synced(s, "hand", NOW + 100 * SECOND);
    fixture_add_synced(s, "other", NOW + 100 * SECOND);
    struct named hand = {"hand", "true", .every = "1m"};
    apply_by(s, "web", JOBS(hand), adopt, NOW, "adopt hand command at every timezone again", "1 hand waiting 60; 2 other waiting 100");
    apply_by(s, "web", JOBS(hand), adopt, NOW, "same hand", "1 hand waiting 60; 2 other waiting 100");
    apply(s, "web", JOBS(hand), false, NOW, "same hand", "1 hand waiting 60; 2 other waiting 100");
    apply_by(s, "db", JOBS(hand), adopt, NOW, "conflict hand (source web)", NULL);
    apply(s, "web", JOBS(a), true, NOW, "create a; remove hand", "1 hand cancelled; 2 other waiting 100; 3 a waiting 60");
    apply_by(s, "web", JOBS(a, {"other", "true", .at = "1970-01-02"}), adopt, NOW,
        "same a; conflict other command at timezone (nobody's file: it was added by hand)", NULL);
}

static void test_cancelled(void **state)
{
    struct store *s = ((struct fixture *)*state)->s;
    struct store_cancelled done;
    apply(s, "web", JOBS(a, b_), false, NOW, "create a; create b", "1 a waiting 60; 2 b waiting 800");
    OK(store_begin(s, true, &e));
    OK(store_cancel(s, 1, NOW, &done, &e));
    free(done.open);
    OK(store_commit(s, &e));
    apply(s, "web", JOBS(a, b_), false, NOW + SECOND, "revive a again; same b", "1 a waiting 61; 2 b waiting 800");
}

static void test_once(void **state)
{
    struct store *s = ((struct fixture *)*state)->s;
    struct named past = {"p", "true", .at = "1970-01-02"}, later = {"l", "true", .at = "2261-01-01"};
    apply(s, "web", JOBS(past), false, NOW, "", "");
    apply(s, "web", JOBS(later), false, NOW, "create l", "1 l waiting 9182110400");
}

static void test_running(void **state)
{
    struct store *s = ((struct fixture *)*state)->s;
    struct store_claimed claimed;
    bool was_open;
    apply(s, "web", JOBS(a), false, NOW, "create a", "1 a waiting 60");
    OK(store_begin(s, true, &e));
    OK(store_claim(
        s, 1, &(struct store_turn){.now = NOW + 60 * SECOND, .since = INSTANT_NONE, .generation = 1}, &claimed, &e));
    job_clear(&claimed.job);
    OK(store_commit(s, &e));
    apply(s, "web", JOBS(b_), true, NOW + 61 * SECOND, "create b; remove a", "1 a running 60; 2 b waiting 800");
    apply(s, "web", JOBS(b_), true, NOW + 61 * SECOND, "same b", "1 a running 60; 2 b waiting 800");
    apply(s, "web", JOBS(a, b_), true, NOW + 62 * SECOND, "revive a again; same b", "1 a running 60; 2 b waiting 800");
    apply(s, "web", JOBS(b_), true, NOW + 61 * SECOND, "same b; remove a", "1 a running 60; 2 b waiting 800");
    OK(store_begin(s, true, &e));
    claimed.run.outcome = OUTCOME_FAILED;
    claimed.run.ended = NOW + 70 * SECOND;
    OK(store_finish(s, &(struct store_end){.run = &claimed.run}, NOW + 70 * SECOND, &was_open, &e));
    OK(store_commit(s, &e));
    run_clear(&claimed.run);
    apply(s, "web", JOBS(b_), true, NOW + 71 * SECOND, "same b", "1 a cancelled; 2 b waiting 800");
}

int main(void)
{
#define TEST(name) cmocka_unit_test_setup_teardown(name, fixture_setup_open, fixture_teardown)
    const struct CMUnitTest tests[] = {TEST(test_again), TEST(test_unnamed), TEST(test_owners), TEST(test_adopted), TEST(test_cancelled),
        TEST(test_once), TEST(test_running)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
