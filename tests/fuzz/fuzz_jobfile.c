#include "lib/text/json.h"
#include "lib/text/utf8.h"
#include "spool/fields.h"
#include "spool/jobfile.h"
#include "tests/fuzz/fuzz.h"

/* What is shown of an error is lines of text, whatever the file holds. */
static void check_error(const struct errors_item *item)
{
    struct buf b = {0};
    errors_format(item, &b);
    FUZZ_CHECK(item->error.text[0] && !strchr(item->error.text, '\n'), "the error's text is '%s'", item->error.text);
    FUZZ_CHECK(item->error.code == ERROR_USAGE, "its code is %d", (int)item->error.code);
    for (size_t at = 0, step; at < b.length; at += step) {
        uint32_t c;
        step = utf8_decode(b.data + at, b.length - at, &c);
        FUZZ_CHECK(step && (c == '\n' || !utf8_hidden(c)), "byte %zu is not to be shown: %s", at, b.data);
    }
    buf_clear(&b);
}

/* A job that was taken is whole: it passes its check, and its record is read back the same. */
static void check_job(const struct jobfile_job *j)
{
    struct error e = {0};
    FUZZ_CHECK(j->job.name && job_check(&j->job, &e) == 0, "a job that is none was taken: %s %s", e.field, e.text);
    FUZZ_CHECK(j->job.cwd && j->job.cwd[0] == '/' && j->job.source && j->job.file, "it has no folder or no owner");
    FUZZ_CHECK(j->line > 0 && j->column > 0, "its name is nowhere");
    struct job again;
    struct value written = fields_write(&j->job, FIELD_RECORD), twice;
    job_init(&again);
    FUZZ_CHECK(fields_read(&again, &written, NULL, &e) == 0, "%s: its record is not read: %s", e.field, e.text);
    twice = fields_write(&again, FIELD_RECORD);
    FUZZ_CHECK(value_equal(&written, &twice), "its record is another one");
    job_clear(&again);
    value_clear(&written);
    value_clear(&twice);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct jobfiles files = {0};
    struct errors errors = {0};
    struct strvec params = {0};
    uint64_t hash = fuzz_hash(data, size);
    const struct zone *z = fuzz_zone(hash);
    struct jobfile_rules rules = {.zone = z, .now = fuzz_now(z, hash), .params = hash >> 8 & 1 ? &params : NULL, .directory = hash >> 9 & 1 ? "/srv" : NULL};
    strvec_add(&params, "HOST=a: [b");
    char *exact = mem_copy(data, size);
    int code = jobfile_read("f", "/srv/f", exact, size, &rules, &files, &errors);
    FUZZ_CHECK((code < 0) == (errors.count > errors.warnings), "the code is %d, with %zu errors and %zu warnings", code, errors.count, errors.warnings);
    bool wrong = code < 0;
    code = jobfiles_check(&files, &errors);
    FUZZ_CHECK(code == 0 || errors.count > errors.warnings, "the files do not fit, and nobody says why");
    for (size_t i = 0; i < errors.count; i++)
        check_error(&errors.items[i]);
    for (size_t i = 0; i < files.count && !wrong; i++)
        for (size_t k = 0; k < files.items[i].job_count; k++)
            check_job(&files.items[i].jobs[k]);
    free(exact);
    strvec_clear(&params);
    errors_clear(&errors);
    jobfiles_clear(&files);
    return 0;
}
