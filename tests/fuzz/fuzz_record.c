/* A record of a job, of a state or of a run: the bytes are tried as each. */
#include "spool/record.h"
#include "tests/fuzz/fuzz.h"

static void check_refused(int code, const struct error *e)
{
    FUZZ_CHECK(code == -ERROR_SPOOL && e->text[0] && !strchr(e->text, '\n'), "refused badly: %d '%s'", code, e->text);
}

static void check_same(const struct buf *a, const struct buf *b)
{
    FUZZ_CHECK(a->length == b->length && !memcmp(a->data, b->data, a->length), "a record is written in another way");
}

static void try_job(const uint8_t *data, size_t size)
{
    struct job job, twin;
    struct buf b = {0}, again = {0};
    struct error e = {0};
    uint64_t environment = 0, same = 0;
    int code = record_read_job(data, size, &job, &environment, &e);
    if (code) {
        check_refused(code, &e);
        return;
    }
    record_write_job(&b, &job, environment);
    FUZZ_CHECK(record_read_job(b.data, b.length, &twin, &same, &e) == 0, "a job that was written: %s", e.text);
    FUZZ_CHECK(same == environment, "another environment");
    record_write_job(&again, &twin, same);
    check_same(&b, &again);
    job_clear(&job);
    job_clear(&twin);
    buf_clear(&b);
    buf_clear(&again);
}

static void try_state(const uint8_t *data, size_t size)
{
    struct job_state state, twin;
    struct buf b = {0}, again = {0};
    struct error e = {0};
    int code = record_read_state(data, size, &state, &e);
    if (code) {
        check_refused(code, &e);
        return;
    }
    FUZZ_CHECK(phase_name(&state, 0)[0], "a phase without a name");
    record_write_state(&b, &state);
    FUZZ_CHECK(record_read_state(b.data, b.length, &twin, &e) == 0, "a state that was written: %s", e.text);
    record_write_state(&again, &twin);
    check_same(&b, &again);
    buf_clear(&b);
    buf_clear(&again);
}

static void try_run(const uint8_t *data, size_t size)
{
    struct run run, twin;
    struct buf b = {0}, again = {0};
    struct error e = {0};
    int code = record_read_run(data, size, &run, &e);
    if (code) {
        check_refused(code, &e);
        return;
    }
    FUZZ_CHECK(run.outcome == OUTCOME_NONE || outcome_name(run.outcome)[0], "an outcome without a name");
    record_write_run(&b, &run);
    FUZZ_CHECK(record_read_run(b.data, b.length, &twin, &e) == 0, "a run that was written: %s", e.text);
    record_write_run(&again, &twin);
    check_same(&b, &again);
    run_clear(&run);
    run_clear(&twin);
    buf_clear(&b);
    buf_clear(&again);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    try_job(data, size);
    try_state(data, size);
    try_run(data, size);
    return 0;
}
