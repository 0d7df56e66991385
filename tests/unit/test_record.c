/* Records: what is written is read back the same; old, new and damaged bytes. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/pack.h"
#include "spool/fields.h"
#include "spool/life.h"
#include "spool/record.h"

/* Two members with one key would become one. */
static void keys_once(const struct buf *b)
{
    struct value map;
    struct error e = {0};
    assert_int_equal(pack_read(b->data, b->length, &map, &e), 0);
    for (size_t i = 0; i < map.list.count; i++)
        for (size_t k = 0; k < i; k++)
            if (strcmp(map.list.keys[i], map.list.keys[k]) == 0)
                fail_msg("key %s is there twice", map.list.keys[i]);
    value_clear(&map);
}

static void states_same(const struct job_state *s)
{
    struct buf b = {0};
    struct job_state back;
    struct error e = {0};
    record_write_state(&b, s);
    keys_once(&b);
    assert_int_equal(record_read_state(b.data, b.length, &back, &e), 0);
    assert_int_equal(back.phase, s->phase);
    assert_int_equal(back.due, s->due);
    assert_int_equal(back.ready, s->ready);
    assert_int_equal(back.next, s->next);
    assert_int_equal(back.attempt, s->attempt);
    assert_int_equal(back.lost, s->lost);
    assert_int_equal(back.shortage, s->shortage);
    assert_int_equal(back.runs, s->runs);
    assert_int_equal(back.first, s->first);
    assert_int_equal(back.set_back, s->set_back);
    assert_int_equal(back.notes, s->notes);
    assert_int_equal(back.cancel, s->cancel);
    assert_int_equal(back.replaced, s->replaced);
    assert_int_equal(back.last_outcome, s->last_outcome);
    assert_int_equal(back.last_ended, s->last_ended);
    assert_int_equal(back.last_code, s->last_code);
    assert_int_equal(back.queue, s->queue);
    assert_int_equal(back.priority, s->priority);
    assert_int_equal(back.weight, s->weight);
    assert_true(back.makeup == s->makeup);
    assert_true(back.boot == s->boot);
    assert_true(back.overtaken == s->overtaken);
    assert_true(back.overtakes == s->overtakes);
    assert_true(back.stop == s->stop && back.paused == s->paused && back.resumed == s->resumed && back.retired == s->retired);
    assert_int_equal(back.repeats, s->repeats);
    assert_true(back.env == s->env && back.open == s->open && back.job == s->job && back.cause == s->cause);
    assert_true(back.extras == s->extras && back.busy == s->busy);
    assert_true(back.ailing == s->ailing && back.late == s->late && back.late_next == s->late_next);
    assert_true(back.long_next == s->long_next && back.going == s->going);
    buf_clear(&b);
}

static void begin(const struct job *j, struct job_state *s)
{
    struct schedule none = {0};
    life_begin(&(const struct life){.job = j, .schedule = &none, .since = INSTANT_NONE}, s);
}

static void test_state(void **state)
{
    (void)state;
    struct job j;
    job_init(&j);
    struct job_state s;
    begin(&j, &s);
    states_same(&s);
    s = (struct job_state){
        .phase = PHASE_CANCELLED, .due = 1, .ready = -2, .next = 3, .attempt = 4, .lost = 5, .shortage = 6, .runs = UINT32_MAX, .open = 21, .first = 7, .set_back = 8, .job = 22, .cause = CAUSE_REPLAY, .extras = 23, .busy = 24,
        .makeup = -9, .boot = UINT64_MAX, .notes = 9, .cancel = true, .overtaken = true, .overtakes = true, .stop = true, .paused = true, .resumed = 25, .retired = true, .replaced = true, .last_outcome = OUTCOME_MISSED, .last_ended = 10, .last_code = -1, .queue = 11, .priority = -1000,
        .weight = 12, .repeats = true, .env = 26, .ailing = true, .late = 27, .late_next = 28, .long_next = 29, .going = 30,
    };
    states_same(&s);
    s = (struct job_state){0}; /* zeros where zero is not the default */
    states_same(&s);
    job_clear(&j);
}

static void texts_same(const char *a, const char *b)
{
    if (!a || !b)
        assert_null(a ? a : b);
    else
        assert_string_equal(a, b);
}

static void runs_same(const struct run *r)
{
    struct buf b = {0};
    struct run back;
    struct error e = {0};
    record_write_run(&b, r);
    keys_once(&b);
    assert_int_equal(record_read_run(b.data, b.length, &back, &e), 0);
    assert_int_equal(back.id.job, r->id.job);
    assert_int_equal(back.id.n, r->id.n);
    assert_int_equal(back.id.note, r->id.note);
    assert_int_equal(back.outcome, r->outcome);
    assert_int_equal(back.due, r->due);
    assert_int_equal(back.last_due, r->last_due);
    assert_int_equal(back.count, r->count);
    assert_int_equal(back.attempt, r->attempt);
    assert_int_equal(back.claimed, r->claimed);
    assert_int_equal(back.started, r->started);
    assert_int_equal(back.ended, r->ended);
    assert_int_equal(back.exit_code, r->exit_code);
    assert_int_equal(back.signal, r->signal);
    assert_int_equal(back.cpu_user_ns, r->cpu_user_ns);
    assert_int_equal(back.cpu_system_ns, r->cpu_system_ns);
    assert_int_equal(back.max_rss, r->max_rss);
    assert_int_equal(back.output_bytes, r->output_bytes);
    assert_int_equal(back.output, r->output);
    texts_same(back.reason, r->reason);
    texts_same(back.name, r->name);
    texts_same(back.key, r->key);
    assert_int_equal(back.queue, r->queue);
    assert_int_equal(back.weight, r->weight);
    assert_int_equal(back.generation, r->generation);
    assert_string_equal(back.boot, r->boot);
    run_clear(&back);
    buf_clear(&b);
}

static void test_run(void **state)
{
    (void)state;
    struct run r;
    run_init(&r);
    runs_same(&r);
    r = (struct run){
        .id = {UINT64_MAX, UINT32_MAX, 3}, .outcome = OUTCOME_SKIPPED, .due = 1, .last_due = 2, .count = 3, .attempt = 4, .claimed = 5, .started = 6, .ended = 7,
        .exit_code = 255, .signal = 9, .cpu_user_ns = 8, .cpu_system_ns = 9, .max_rss = INT64_MAX, .output_bytes = 10, .output = OUTPUT_FILE,
        .reason = "no \xff utf-8", .name = "n", .key = "", .queue = 11, .weight = 12, .generation = 13, .boot = "0a1b/22",
    };
    runs_same(&r);
    memset(r.boot, 'x', sizeof r.boot - 1);
    runs_same(&r);
    r = (struct run){0};
    runs_same(&r);
}

/* Every field with a value that is not its default, as in a record. */
static struct value record_full(void)
{
    static const char *const texts[][2] = {
        {"command", "echo 'a b' | wc"}, {"stdin", "some\ntext"}, {"name", "nightly backup"}, {"description", "all of it"}, {"queue", "disks"},
        {"retry_backoff", "linear"}, {"if_lost", "fail"}, {"cwd", "/srv"}, {"umask", "027"}, {"env_file", "/etc/x"}, {"user", "www"}, {"group", "adm"},
        {"timezone", "Europe/Berlin"}, {"every_from", "clock"}, {"except", "2026-12-24..2027-01-06"}, {"catchup", "all"}, {"mailto", "ops@example.org"}, {"mail", "failure"}, {"overlap", "queue"},
    };
    static const struct { const char *name; int64_t n; } numbers[] = {
        {"at", INT64_C(1767225600123456789)}, {"start_within", 1000000}, {"timeout", INT64_MAX}, {"kill_after", 0}, {"weight", 0}, {"priority", -1000},
        {"retries", 1000000}, {"retry_max_delay", 5}, {"retry_jitter", 0}, {"lost_max", 0}, {"nice", -20}, {"output_max", 0}, {"keep_runs", 7}, {"keep_for", 61 * SECOND},
        {"not_before", 0}, {"not_after", INT64_MAX - 1}, {"jitter", SECOND}, {"spread", 1}, {"catchup_within", 3600 * SECOND}, {"catchup_max", 7},
    };
    struct value map = value_map();
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        value_put(&map, texts[i][0], value_text(texts[i][1]));
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++)
        value_put(&map, numbers[i].name, value_int(numbers[i].n));
    struct value *list = value_put(&map, "tags", value_list());
    value_push(list, value_text("db"));
    list = value_put(&map, "shell", value_list());
    value_push(list, value_text("bash"));
    list = value_put(&map, "retry_delay", value_list());
    value_push(list, value_int(0));
    value_push(list, value_int(SECOND));
    list = value_put(&map, "no_retry_exit", value_list());
    value_push(list, value_int(255));
    list = value_put(&map, "success_exit", value_list());
    value_push(list, value_int(3));
    list = value_put(&map, "env", value_map());
    value_put(list, "A", value_text("=b"));
    list = value_put(&map, "rlimits", value_map());
    value_put(list, "nofile", value_text("10:20"));
    list = value_put(&map, "notify", value_map());
    value_put(list, "late 10m", value_text("logger late"));
    return map;
}

/* record_full has `at`: a job has one schedule. */
static bool is_other_schedule(const struct field *f)
{
    return f->kind == FIELD_EVERY || f->kind == FIELD_CRON || f->kind == FIELD_CALENDAR || f->offset == offsetof(struct job, boot);
}

static void job_from(struct job *j, const struct value *map)
{
    struct error e = {0};
    job_init(j);
    for (size_t i = 0; i < map->list.count; i++)
        if (field_set(j, field_find(map->list.keys[i]), &map->list.items[i], NULL, &e) < 0)
            fail_msg("%s: %s", e.field, e.text);
}

static void jobs_same(const struct job *j, uint64_t environment)
{
    struct buf b = {0};
    struct job back;
    struct error e = {0};
    uint64_t environment_back = 99;
    record_write_job(&b, j, environment);
    if (record_read_job(b.data, b.length, &back, &environment_back, &e) < 0)
        fail_msg("%s", e.text);
    assert_true(environment_back == environment);
    assert_true(back.number == j->number);
    assert_int_equal(back.added, j->added);
    assert_int_equal(back.creator, j->creator);
    texts_same(back.source, j->source);
    texts_same(back.file, j->file);
    assert_int_equal(back.shell_line, j->shell_line);
    assert_int_equal(back.kept_env.count, 0);
    assert_int_equal(back.has_kept_env, environment != 0);
    struct value want = fields_write(j, FIELD_RECORD), got = fields_write(&back, FIELD_RECORD);
    assert_true(value_equal(&want, &got));
    value_clear(&want);
    value_clear(&got);
    job_clear(&back);
    buf_clear(&b);
}

static void test_job(void **state)
{
    (void)state;
    struct job j;
    job_init(&j);
    jobs_same(&j, 0); /* nothing but defaults */
    j.number = 12;
    j.added = INT64_C(1767225600000000001);
    j.creator = UINT32_MAX;
    j.source = mem_string("web");
    j.file = mem_string("/srv/web/ax.yaml");
    strvec_add(&j.kept_env, "SECRET=1"); /* stays out */
    jobs_same(&j, UINT64_C(0xfedcba9876543210));
    job_clear(&j);

    struct value map = record_full();
    job_from(&j, &map);
    for (const struct field *f = fields; f->name; f++)
        if (f->kind != FIELD_IN && f->group != GROUP_STATE && !is_other_schedule(f) && field_is_default(&j, f))
            fail_msg("%s is the default: the test does not reach it", f->name);
    jobs_same(&j, 1);
    struct value again = fields_write(&j, FIELD_RECORD);
    assert_true(value_equal(&map, &again));
    value_clear(&again);
    value_clear(&map);
    job_clear(&j);

    job_init(&j); /* the rest: an interval, a vector, bytes */
    j.every = 90 * SECOND;
    strvec_add(&j.command, "printf");
    strvec_add(&j.command, "");
    j.input = mem_copy("a\0b\xff", 4);
    j.input_length = 4;
    jobs_same(&j, 0);
    job_clear(&j);
}

static void test_schedules(void **state)
{
    (void)state;
    static const struct { const char *field; int count; const char *texts[2]; } rows[] = {
        {"cron", 1, {"0 2 * * *"}}, {"cron", 2, {"0 2 * * *", "30 4 1 * *"}}, {"calendar", 1, {"weekly"}}, {"calendar", 2, {"daily", "Mon 12:00"}},
        {"boot", 1, {"machine"}}, {"boot", 1, {"scheduler"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct value list = value_list(), map = value_map();
        for (int n = 0; n < rows[i].count; n++)
            value_push(&list, value_text(rows[i].texts[n]));
        if (rows[i].count == 1) {
            value_clear(&list);
            list = value_text(rows[i].texts[0]);
        }
        value_put(&map, rows[i].field, list);
        struct job j;
        job_from(&j, &map);
        assert_false(field_is_default(&j, field_find(rows[i].field)));
        jobs_same(&j, 0);
        value_clear(&map);
        job_clear(&j);
    }
}

static void test_small(void **state)
{
    (void)state;
    struct job j;
    struct job_state s;
    struct buf b = {0};
    job_init(&j);
    record_write_job(&b, &j, 0);
    assert_int_equal(b.length, 4); /* {"v": 1}: defaults are not written */
    buf_reset(&b);
    begin(&j, &s);
    record_write_state(&b, &s);
    assert_int_equal(b.length, 4);
    buf_clear(&b);
    job_clear(&j);
}

/* ---- bytes that are not ours ---- */

enum what { JOB, STATE, RUN };

static int read_any(enum what what, const struct buf *b, struct error *e)
{
    struct job j;
    struct job_state s;
    struct run r;
    uint64_t environment;
    int failed = 0;
    if (what == JOB && (failed = record_read_job(b->data, b->length, &j, &environment, e)) == 0)
        job_clear(&j);
    if (what == STATE)
        failed = record_read_state(b->data, b->length, &s, e);
    if (what == RUN && (failed = record_read_run(b->data, b->length, &r, e)) == 0)
        run_clear(&r);
    return failed;
}

static void test_foreign(void **state)
{
    (void)state;
    static const struct { enum what what; int64_t version; const char *key; int64_t n; const char *text; const char *error; } rows[] = {
        {JOB, 1, "colour", 7, NULL, NULL}, {STATE, 1, "zz", 7, NULL, NULL}, {RUN, 1, "zz", 7, NULL, NULL}, /* unknown: left out */
        {JOB, 2, "retries", 1, NULL, "newer ax"}, {STATE, 2, "p", 0, NULL, "newer ax"}, {RUN, 99, "o", 0, NULL, "newer ax"},
        {JOB, 0, "retries", 1, NULL, "no format version"}, {STATE, -1, "p", 0, NULL, "no format version"},
        {STATE, 1, "p", 6, NULL, "damaged: member p"}, {STATE, 1, "p", -1, NULL, "damaged: member p"}, {STATE, 1, "d", 0, "x", "damaged: member d"},
        {STATE, 1, "n", INT64_C(1) << 32, NULL, "damaged: member n"}, {STATE, 1, "c", 2, NULL, "damaged: member c"}, {STATE, 1, "C", INT64_MIN, NULL, "member C"},
        {RUN, 1, "o", 10, NULL, "damaged: member o"}, {RUN, 1, "O", 3, NULL, "damaged: member O"}, {RUN, 1, "r", 1, NULL, "damaged: member r"},
        {RUN, 1, "B", 0, "0123456789012345678901234567890123456789012345678901234567890123", "damaged: member B"},
        {JOB, 1, "retries", -1, NULL, "damaged: retries: must be from"}, {JOB, 1, "command", 0, "", "damaged: command"},
        {JOB, 1, "every", 0, NULL, "damaged: every"}, {JOB, 1, "creator", -1, NULL, "damaged: member creator"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct value map = value_map();
        struct buf b = {0};
        struct error e = {0};
        value_put(&map, "v", value_int(rows[i].version));
        value_put(&map, rows[i].key, rows[i].text ? value_text(rows[i].text) : value_int(rows[i].n));
        pack_write(&b, &map);
        int failed = read_any(rows[i].what, &b, &e);
        assert_int_equal(failed, rows[i].error ? -ERROR_SPOOL : 0);
        if (rows[i].error && !strstr(e.text, rows[i].error))
            fail_msg("row %zu: \"%s\" does not say \"%s\"", i, e.text, rows[i].error);
        value_clear(&map);
        buf_clear(&b);
    }
}

static void test_nul(void **state)
{
    (void)state;
    struct value map = value_map();
    struct buf b = {0};
    struct error e = {0};
    value_put(&map, "v", value_int(1));
    value_put(&map, "k", value_bytes("a\0b", 3)); /* would come back shorter */
    pack_write(&b, &map);
    assert_int_equal(read_any(RUN, &b, &e), -ERROR_SPOOL);
    value_clear(&map);
    buf_clear(&b);
}

/* Cut short at every length, and with every byte changed to each of some: an error or a value, never a fault. */
static void test_damaged(void **state)
{
    (void)state;
    struct value map = record_full();
    struct job j;
    struct buf b = {0}, cut = {0};
    struct error e;
    job_from(&j, &map);
    record_write_job(&b, &j, 5);
    for (size_t length = 0; length < b.length; length++) {
        buf_reset(&cut);
        buf_add(&cut, b.data, length);
        assert_int_equal(read_any(JOB, &cut, &e), -ERROR_SPOOL);
        assert_int_equal(read_any(STATE, &cut, &e), -ERROR_SPOOL);
    }
    for (size_t i = 0; i < b.length; i++)
        for (int change = 1; change < 256; change += 37) {
            char old = b.data[i];
            b.data[i] = (char)(old ^ change);
            for (enum what what = JOB; what <= RUN; what++)
                read_any(what, &b, &e);
            b.data[i] = old;
        }
    buf_clear(&b);
    buf_clear(&cut);
    value_clear(&map);
    job_clear(&j);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_state), cmocka_unit_test(test_run), cmocka_unit_test(test_job),
        cmocka_unit_test(test_schedules), cmocka_unit_test(test_small), cmocka_unit_test(test_foreign), cmocka_unit_test(test_nul), cmocka_unit_test(test_damaged),
    };
    return cmocka_run_group_tests_name("record", tests, NULL, NULL);
}
