/* What doctor finds in a store: each entry is broken through the door of the database, found, and mended where that is
 * safe. */
#include <signal.h>
#include <sys/wait.h>

#include "tests/unit/store_fixture.h"

#include "lib/text/pack.h"
#include "spool/record.h"
#include "spool/store_check.h"
#include "spool/store_private.h"

struct found {
    int count, mendable;
    char kind[32], where[128], text[256]; /* the first */
    const char *want_kind, *want_where, *want_text;
    bool wanted; /* was found */
};

static void take(void *context, const struct finding *f)
{
    struct found *x = context;
    if (!x->count++) {
        snprintf(x->kind, sizeof x->kind, "%s", f->kind);
        snprintf(x->where, sizeof x->where, "%s", f->where);
        snprintf(x->text, sizeof x->text, "%s", f->text);
    }
    x->mendable += !f->todo;
    x->wanted =
        x->wanted || (x->want_kind && strcmp(f->kind, x->want_kind) == 0 &&
                         strncmp(f->where, x->want_where, strlen(x->want_where)) == 0 && strstr(f->text, x->want_text));
}

/* As doctor does. */
static struct found look_for(struct store *s, bool mend, struct found x)
{
    size_t damaged = 0;
    OK(store_begin(s, mend, &e));
    OK(store_records(s, &damaged, take, &x, &e));
    bool safe = mend && !damaged;
    OK(store_feed_check(s, safe, take, &x, &e));
    OK(store_recount(s, safe, take, &x, &e));
    OK(store_index_check(s, safe, take, &x, &e));
    OK(store_relations(s, safe, take, &x, &e));
    OK(store_commit(s, &e));
    return x;
}

static struct found look(struct store *s, bool mend)
{
    return look_for(s, mend, (struct found){0});
}

/* Job 1 waits, job 2 has run, has an output, and has kept an environment; job 3 has an extra occurrence. */
static void fill(struct store *s)
{
    struct job j;
    struct store_added added;
    struct store_started started;
    struct store_claimed c;
    struct store_turn turn = {.now = NOW, .since = INSTANT_NONE, .generation = 1};
    bool open;
    OK(store_begin(s, true, &e));
    fixture_add(s, "one", NOW + 3600 * SECOND);
    fixture_job(&j, "two", NOW);
    strvec_add(&j.kept_env, "A=b");
    j.has_kept_env = true;
    OK(store_add(s, &j, NOW, STORE_REFUSE, &added, &e));
    job_clear(&j);
    fixture_add(s, "three", NOW + 3600 * SECOND);
    OK(store_start(s, 3, &(struct store_how){0}, NOW, &started, &e));
    OK(store_claim(s, 2, &turn, &c, &e));
    assert_int_equal(c.verdict, LIFE_START);
    c.run.outcome = OUTCOME_OK;
    c.run.ended = c.run.started = NOW;
    c.run.exit_code = 0;
    c.run.output = OUTPUT_INLINE;
    c.run.output_bytes = 3;
    struct store_end end = {.run = &c.run, .output = "abc", .length = 3, .since = INSTANT_NONE};
    OK(store_finish(s, &end, NOW, &open, &e));
    run_clear(&c.run);
    job_clear(&c.job);
    OK(store_commit(s, &e));
}

/* ---- breaking ---- */

static struct db_bytes first(struct store *s, enum db_table table, const char *prefix, struct db_bytes *value)
{
    struct db_cursor *c;
    struct db_bytes key = {0};
    OK(db_cursor_new(s->db, table, &c, &e));
    OK(db_cursor_from(c, (struct db_bytes){prefix, strlen(prefix)}, &key, value, &e));
    db_cursor_free(c);
    return key;
}

static void drop_first(struct store *s, enum db_table table)
{
    struct db_bytes value, key = first(s, table, "", &value);
    OK(db_delete(s->db, table, key, &e));
}

static void drop(struct store *s, enum db_table table, uint64_t number)
{
    struct key k = key_number(number);
    OK(db_delete(s->db, table, key_bytes(&k), &e));
}

static void put(struct store *s, enum db_table table, struct key k, const void *data, size_t length)
{
    OK(db_put(s->db, table, key_bytes(&k), (struct db_bytes){data, length}, &e));
}

static void due_missing(struct store *s)
{
    drop_first(s, DB_DUE);
}
static void name_missing(struct store *s)
{
    drop_first(s, DB_NAMES);
}
static void ended_missing(struct store *s)
{
    drop_first(s, DB_ENDED);
}
static void output_missing(struct store *s)
{
    drop_first(s, DB_OUTPUTS);
}
static void state_missing(struct store *s)
{
    drop(s, DB_STATES, 1);
}
static void job_missing(struct store *s)
{
    drop(s, DB_JOBS, 1);
}

static void due_wrong(struct store *s)
{
    struct db_bytes value, key = first(s, DB_DUE, "", &value);
    struct key k = {.length = key.length};
    memcpy(k.bytes, key.data, key.length);
    put(s, DB_DUE, k, "\0\0\0\7", 4);
}

static void due_stale(struct store *s)
{
    struct key k = {.length = 0};
    key_u32(&k, 1);
    key_u32(&k, 1);
    key_time(&k, NOW);
    key_u64(&k, 77);
    put(s, DB_DUE, k, "\0\0\0\1", 4);
}

static void name_stale(struct store *s)
{
    struct key v = key_number(99);
    OK(db_put(s->db, DB_NAMES, (struct db_bytes){"ghost", 5}, key_bytes(&v), &e));
}

static void open_stale(struct store *s)
{
    put(s, DB_OPEN, key_open((struct run_id){.job = 2, .n = 9}), "", 0);
}

static void env_orphan(struct store *s)
{
    struct key text = key_number(42), count = key_number(42);
    text.bytes[text.length++] = 0;
    count.bytes[count.length++] = 1;
    put(s, DB_ENVS, text, "X=y", 4);
    put(s, DB_ENVS, count, "\0\0\0\0\0\0\0\1", 8);
}

static void env_gone(struct store *s)
{
    drop_first(s, DB_ENVS);
}

static void env_count_wrong(struct store *s)
{
    struct db_bytes value, key = first(s, DB_ENVS, "", &value);
    struct key k = {.length = key.length};
    memcpy(k.bytes, key.data, key.length);
    k.bytes[k.length - 1] = 1;
    put(s, DB_ENVS, k, "\0\0\0\0\0\0\0\5", 8);
}

static void output_orphan(struct store *s)
{
    put(s, DB_OUTPUTS, key_open((struct run_id){.job = 2, .n = 9}), "x", 1);
}
static void job_damaged(struct store *s)
{
    put(s, DB_JOBS, key_number(1), "\xc1garbage", 8);
}
static void state_damaged(struct store *s)
{
    put(s, DB_STATES, key_number(1), "", 0);
}
static void run_damaged(struct store *s)
{
    put(s, DB_RUNS, key_run((struct run_id){.job = 2, .n = 1}), "\x80", 1);
}
static void feed_damaged(struct store *s)
{
    put(s, DB_FEED, key_number(1), "x", 1);
}
static void feed_ahead(struct store *s)
{
    put(s, DB_FEED, key_number(1000), "\0\0\0\0\0\0\0\0\1\0\0\0\0\0\0\0\1", 17);
}

static void meta_put(struct store *s, const char *key, const void *data, size_t length)
{
    OK(db_put(s->db, DB_META, (struct db_bytes){key, strlen(key)}, (struct db_bytes){data, length}, &e));
}

static void meta_unknown(struct store *s)
{
    meta_put(s, "future", "x", 1);
}
static void source_damaged(struct store *s)
{
    meta_put(s, "source:f", "\xc1", 1);
}
static void setting_damaged(struct store *s)
{
    meta_put(s, "set:x", "\xc1", 1);
}

static void prefixed(struct store *s, const char *prefix, struct db_bytes value)
{
    struct key k = {.length = strlen(prefix)};
    memcpy(k.bytes, prefix, k.length);
    key_u64(&k, 1);
    OK(db_put(s->db, DB_META, key_bytes(&k), value, &e));
}

static void audit_damaged(struct store *s)
{
    prefixed(s, "audit:", (struct db_bytes){"\xc1", 1});
}
static void notice_damaged(struct store *s)
{
    s->counters.notices = s->counters.next_notice = 1;
    s->counters.next_notice = 2;
    s->changed = true;
    prefixed(s, "notice:", (struct db_bytes){"\xc1", 1});
}

static void mail_damaged(struct store *s)
{
    struct key k = {.length = 5, .bytes = "mail:"};
    key_u64(&k, 2);
    key_u32(&k, 1);
    s->counters.mails = 1;
    s->changed = true;
    OK(db_put(s->db, DB_META, key_bytes(&k), (struct db_bytes){"x", 1}, &e));
}

static void pending_wrong(struct store *s)
{
    s->counters.pending_once = 7, s->changed = true;
}
static void next_job_low(struct store *s)
{
    s->counters.next_job = 2, s->changed = true;
}
static void mails_wrong(struct store *s)
{
    s->counters.mails = 3, s->changed = true;
}

/* The state as it is written, past the bookkeeping. */
static void state_write(struct store *s, uint64_t number, void (*change)(struct job_state *st))
{
    struct job_state st;
    struct buf b = {0};
    OK(store_state(s, number, &st, &e));
    change(&st);
    record_write_state(&b, &st);
    put(s, DB_STATES, key_number(number), b.data, b.length);
    buf_clear(&b);
}

static void more_busy(struct job_state *st)
{
    st->busy = 4;
}
static void fewer_extras(struct job_state *st)
{
    st->extras = 0;
}
static void other_queue(struct job_state *st)
{
    st->queue = 50;
}
static void runs(struct job_state *st)
{
    st->phase = PHASE_RUNNING, st->open = 8;
}
static void busy_wrong(struct store *s)
{
    state_write(s, 3, more_busy);
}
static void extras_wrong(struct store *s)
{
    state_write(s, 3, fewer_extras);
}
static void queue_unknown(struct store *s)
{
    state_write(s, 2, other_queue);
}
static void open_missing(struct store *s)
{
    state_write(s, 2, runs);
}

static const struct {
    const char *what;
    void (*wreck)(struct store *s);
    const char *kind, *where, *text;
    bool mends;
} rows[] = {
    {"due missing", due_missing, "index", "due ", "is missing", true},
    {"due wrong", due_wrong, "index", "due ", "has another value", true},
    {"due stale", due_stale, "index", "due 1.", "without a reason", true},
    {"name missing", name_missing, "index", "name one", "is missing", true},
    {"name stale", name_stale, "index", "name ghost", "without a reason", true},
    {"ended missing", ended_missing, "index", "ended ", "is missing", true},
    {"open stale", open_stale, "index", "open 2.9", "without a reason", true},
    {"env of nobody", env_orphan, "index", "environment count 42", "without a reason", true},
    {"env count", env_count_wrong, "index", "environment count", "another value", true},
    {"env gone", env_gone, "relation", "job 2", "the environment that it has kept is not there", false},
    {"output of nobody", output_orphan, "relation", "output 2.9", "there is no run of it", true},
    {"output gone", output_missing, "relation", "run 2.1", "its output is not there", false},
    {"state gone", state_missing, "relation", "job 1", "it has no state", false},
    {"job gone", job_missing, "relation", "state 1", "there is no definition", false},
    {"job damaged", job_damaged, "record", "job 1", "", false},
    {"state damaged", state_damaged, "record", "state 1", "", false},
    {"run damaged", run_damaged, "record", "run 2.1.0", "damaged", false},
    {"source damaged", source_damaged, "record", "source f", "", false},
    {"setting damaged", setting_damaged, "record", "setting x", "", false},
    {"audit damaged", audit_damaged, "record", "audit 1", "", false},
    {"notice damaged", notice_damaged, "record", "notice 1", "", false},
    {"mail damaged", mail_damaged, "record", "mail 2.1", "wrong length", false},
    {"unknown", meta_unknown, "record", "table meta", "a kind that this ax does not know", false},
    {"feed damaged", feed_damaged, "feed", "table feed", "1 entries", true},
    {"feed ahead", feed_ahead, "feed", "table feed", "1 entries", true},
    {"pending", pending_wrong, "counter", "counter pending_once", "is 7 and should be", true},
    {"next job", next_job_low, "counter", "counter next_job", "is 2 and should be 4", true},
    {"mails", mails_wrong, "counter", "counter mails", "is 3 and should be 0", true},
    {"busy", busy_wrong, "relation", "state 3", "it counts", true},
    {"extras", extras_wrong, "relation", "state 3", "it counts 0 occurrences", true},
    {"queue", queue_unknown, "relation", "state 2", "its queue has the number 50", false},
    {"open run gone", open_missing, "relation", "state 2", "run 8 goes on", false},
};

static void each(void **state)
{
    struct fixture *f = *state;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        OK(store_open(f->spool, STORE_WRITE, &f->s, &e));
        fill(f->s);
        struct found x = look(f->s, false);
        if (x.count)
            fail_msg("%s: a sound store: %s: %s", rows[i].what, x.where, x.text);
        OK(store_begin(f->s, true, &e));
        rows[i].wreck(f->s);
        OK(store_commit(f->s, &e));
        x = look_for(f->s, false,
            (struct found){.want_kind = rows[i].kind, .want_where = rows[i].where, .want_text = rows[i].text});
        if (!x.wanted)
            fail_msg("%s: found %d: %s: %s: %s", rows[i].what, x.count, x.kind, x.where, x.text);
        look(f->s, true);
        x = look(f->s, false);
        if ((x.count == 0) != rows[i].mends)
            fail_msg("%s: after mending %d: %s: %s", rows[i].what, x.count, x.where, x.text);
        store_close(f->s);
        f->s = NULL;
        fixture_remove(f->spool);
    }
}

/* A reader that is killed, while others have the database open: else it would be made anew. */
static void readers(void **state)
{
    struct fixture *f = *state;
    struct store *other;
    int dead = -1, status;
    pid_t child = fork();
    if (child == 0) {
        struct error e;
        store_open(f->spool, STORE_READ, &other, &e);
        store_begin(other, false, &e);
        kill(getpid(), SIGKILL);
    }
    waitpid(child, &status, 0);
    assert_true(WIFSIGNALED(status));
    OK(store_readers_dead(f->s, &dead, &e));
    assert_int_equal(dead, 1);
    OK(store_open(f->spool, STORE_WRITE, &other, &e));
    OK(store_readers_dead(other, &dead, &e));
    assert_int_equal(dead, 0);
    store_close(other);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(each, fixture_setup, fixture_teardown),
        cmocka_unit_test_setup_teardown(readers, fixture_setup_open, fixture_teardown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
