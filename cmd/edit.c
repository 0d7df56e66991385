#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/changes.h"
#include "cmd/client.h"
#include "cmd/edit_file.h"
#include "cmd/export_yaml.h"
#include "cmd/files.h"
#include "cmd/redefine.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/text/yaml.h"
#include "spool/fields.h"

struct edit_options {
    struct common common;
};
static const struct option_row edit_options[] = {
    COMMAND_OPTIONS,
    {0},
};

struct edit {
    const struct edit_options *options;
    struct view view;
    struct job old;
    char *name;       /* what stands for it in the file: its own, or one made of its number */
    struct buf first; /* what the editor was given at first */
    struct edit_file file;
    struct jobfiles files; /* what it has become */
};

static void edit_clear(struct edit *x)
{
    job_clear(&x->old);
    free(x->name);
    buf_clear(&x->first);
    edit_file_clear(&x->file);
    jobfiles_clear(&x->files);
    view_clear(&x->view);
}

/* ---- from the spool ---- */

static int edit_read(struct edit *x, const char *reference, struct error *e)
{
    struct store *store;
    uint64_t number;
    int code = client_open_job(&x->options->common, STORE_READ, reference, &store, e);
    if (code < 0)
        return code;
    code = store_begin(store, false, e);
    if (code == 0)
        code = store_find(store, reference, &number, e);
    if (code == 0)
        code = store_job(store, number, &x->old, e);
    store_abort(store);
    store_close(store);
    return code;
}

static void edit_comment(struct buf *b, const char *format, ...) __attribute__((format(printf, 2, 3)));
static void edit_comment(struct buf *b, const char *format, ...)
{
    struct buf text = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&text, format, arguments);
    va_end(arguments);
    yaml_write_comment(b, 0, buf_string(&text));
    buf_clear(&text);
}

static int edit_write(struct edit *x, struct error *e)
{
    const struct job *j = &x->old;
    x->name = j->name ? mem_string(j->name) : mem_format("job-%llu", (unsigned long long)j->number);
    edit_comment(&x->first, "Job %llu. What is saved here is applied to it; an empty file, or one that is left as it is, changes nothing.", (unsigned long long)j->number);
    if (!j->name)
        edit_comment(&x->first, "It has no name, and gets none as long as it is called %s here.", x->name);
    if (j->has_kept_env)
        edit_comment(&x->first, "The environment it has kept (%zu variables) stays; what env says goes before it.", j->kept_env.count);
    if (j->source)
        edit_comment(&x->first, "It belongs to source %s (%s): the next apply of that brings back what the file says.", j->source, j->file ? j->file : "-");
    buf_text(&x->first, "version: 1\njobs:\n");
    if (export_yaml_job(&x->first, j, x->name, false))
        return 0;
    return error_set(e, ERROR_USAGE, "job %llu has bytes in it that are no UTF-8, which YAML cannot say; `ax show --shell` has them as they are", (unsigned long long)j->number);
}

/* ---- from the editor ---- */

static void edit_refuse(const struct edit *x, const struct jobfile_job *j, struct errors *errors, const char *text)
{
    struct error e;
    error_set(&e, ERROR_USAGE, "%s", text);
    if (j)
        files_place_job(&e, j);
    errors_add(errors, x->file.path, false, &e, NULL);
}

/* A job keeps the name it has: its source, other jobs and people know it by that. */
static void edit_check_name(const struct edit *x, struct jobfile_job *j, struct errors *errors)
{
    if (strcmp(j->job.name, x->name) == 0) {
        free(j->job.name);
        j->job.name = mem_string(x->old.name);
    } else if (x->old.name) {
        char *text = mem_format("a job keeps its name: this one is called '%s'", x->old.name);
        edit_refuse(x, j, errors, text);
        free(text);
    }
}

static void edit_check(struct edit *x, struct errors *errors)
{
    struct jobfile *file = &x->files.items[0];
    if (x->files.count != 1 || file->job_count != 1 || file->queue_count) {
        edit_refuse(x, file->job_count > 1 ? &file->jobs[1] : NULL, errors, "there is to be one job here, and nothing else");
        return;
    }
    struct jobfile_job *j = &file->jobs[0];
    if (j->past && j->job.at != x->old.at)
        edit_refuse(x, j, errors, "the time is past");
    edit_check_name(x, j, errors);
}

/* Reads what the editor has left. Returns 0, or ERROR_USAGE with errors in the list. */
static int edit_parse(struct edit *x, const struct buf *text, struct errors *errors)
{
    char *label = mem_string(x->old.source ? x->old.source : "by hand");
    struct jobfile_rules rules = {.zone = x->view.zone, .now = x->view.now, .directory = x->old.cwd ? x->old.cwd : "/", .source = label};
    size_t warnings = 0;
    jobfiles_clear(&x->files);
    if (jobfile_read(x->file.path, x->file.path, buf_string(text), text->length, &rules, &x->files, errors) == 0)
        edit_check(x, errors);
    free(label);
    warnings = errors->warnings;
    return errors->count > warnings ? -(int)ERROR_USAGE : 0;
}

enum edit_end { EDIT_CHANGED, EDIT_SAME, EDIT_GIVEN_UP, EDIT_WRONG };

#define EDIT_ROUNDS 100 /* so often, if it is no person who edits */

/* What has become of the text. `before`: how it was when it was wrong. */
static enum edit_end edit_look(const struct edit *x, const struct buf *text, const struct buf *before)
{
    if (edit_file_is_empty(text))
        return EDIT_GIVEN_UP;
    if (before->length && text->length == before->length && memcmp(text->data, before->data, text->length) == 0)
        return EDIT_WRONG;
    bool same = strcmp(buf_string(text), buf_string(&x->first)) == 0;
    return same ? EDIT_SAME : EDIT_CHANGED;
}

/* Again and again, until it is right, or nothing more is done about what is wrong. */
static int edit_loop(struct edit *x, struct errors *errors, enum edit_end *end, struct error *e)
{
    struct buf text = {0}, before = {0};
    int code = edit_file_write(&x->file, NULL, &x->first, e);
    for (int round = 0; code == 0; round++) {
        code = edit_file_edit(&x->file, e);
        if (code == 0)
            code = edit_file_read(&x->file, &text, e);
        *end = round < EDIT_ROUNDS ? edit_look(x, &text, &before) : EDIT_WRONG;
        if (code < 0 || *end != EDIT_CHANGED)
            break;
        errors_clear(errors);
        if (edit_parse(x, &text, errors) == 0)
            break;
        buf_reset(&before);
        buf_add(&before, text.data, text.length);
        code = edit_file_write(&x->file, errors, &text, e);
    }
    buf_clear(&text);
    buf_clear(&before);
    return code;
}

/* ---- to the spool ---- */

/* Somebody else may have changed it while it was edited. */
static int edit_unchanged(const struct edit *x, const struct job *now, struct error *e)
{
    struct value a = fields_write(&x->old, FIELD_RECORD), b = fields_write(now, FIELD_RECORD);
    bool same = value_equal(&a, &b);
    value_clear(&a);
    value_clear(&b);
    return same ? 0 : error_set(e, ERROR_FAILED, "job %llu was changed by somebody else meanwhile", (unsigned long long)x->old.number);
}

/* What is no field stays. */
static void edit_keep(const struct edit *x, struct job *j)
{
    free(j->source);
    free(j->file);
    j->source = mem_string(x->old.source);
    j->file = mem_string(x->old.file);
    j->creator = x->old.creator;
    j->has_kept_env = x->old.has_kept_env;
    strvec_copy(&j->kept_env, &x->old.kept_env);
}

/* Names and no values: those of `env` may be secrets. */
static int edit_trail(struct store *s, uint64_t number, const struct change *c, instant now, struct error *e)
{
    struct buf b = {0};
    for (size_t i = 0; i < c->fields.count; i++)
        buf_format(&b, "%s%s", i ? ", " : "edited: ", c->fields.items[i]);
    int code = c->fields.count ? store_audit(s, number, now, buf_string(&b), e) : 0;
    buf_clear(&b);
    return code;
}

static int edit_update(struct store *s, struct edit *x, struct change *c, struct changes_view *told, struct error *e)
{
    struct job now;
    struct job *j = &x->files.items[0].jobs[0].job;
    int code = store_job(s, x->old.number, &now, e);
    if (code == 0) {
        code = edit_unchanged(x, &now, e);
        job_clear(&now);
    }
    if (code == 0)
        code = redefine(s, &x->old, j, c->reschedules, x->view.now, e);
    if (code == 0)
        code = edit_trail(s, x->old.number, c, x->view.now, e);
    if (code == 0)
        code = changes_due(told, s, e);
    return code == 0 ? store_commit(s, e) : code;
}

static int edit_store(struct edit *x, struct change *c, struct changes_view *told, struct error *e)
{
    struct store *store;
    int code = client_open(&x->options->common, STORE_WRITE, &store, e);
    if (code < 0)
        return code;
    x->view.now = clock_wall();
    code = store_begin(store, true, e);
    if (code == 0)
        code = edit_update(store, x, c, told, e);
    store_abort(store);
    store_close(store); /* wakes the scheduler */
    return code;
}

static void edit_tell(const struct command *self, const struct edit *x, const struct changes_view *told)
{
    struct buf b = {0};
    changes_text(&b, told);
    command_print(self, &b);
    buf_clear(&b);
    if (x->old.source)
        command_warn(self, "the job belongs to source %s: the next apply of that brings back what the file says", x->old.source);
}

static int edit_apply(const struct command *self, struct edit *x, struct error *e)
{
    struct jobfile_job *new = &x->files.items[0].jobs[0];
    struct change change = {.kind = CHANGE_UPDATE, .number = x->old.number, .file = &x->files.items[0], .new = new};
    struct changes changes = {.items = &change, .count = 1, .of = {[CHANGE_UPDATE] = 1}};
    struct changes_view told;
    edit_keep(x, &new->job);
    change.old = x->old; /* lent */
    apply_compare(&change.old, &new->job, &change.fields, &change.reschedules);
    if (!change.fields.count)
        return EDIT_SAME;
    changes_view_init(&told, &x->view, &changes);
    told.done = true;
    int code = edit_store(x, &change, &told, e);
    if (code == 0)
        edit_tell(self, x, &told);
    changes_view_clear(&told);
    strvec_clear(&change.fields);
    return code;
}

/* ---- the command ---- */

static int edit_end(const struct command *self, struct edit *x, enum edit_end end, struct errors *errors, struct error *e)
{
    int code = end == EDIT_CHANGED ? edit_apply(self, x, e) : 0;
    if (code < 0 || end == EDIT_WRONG) {
        files_print(errors);
        edit_file_keep(&x->file);
    }
    if (code < 0)
        return command_fail(self, e);
    if (end == EDIT_WRONG)
        return command_usage_error(self, "nothing was changed; what you wrote is kept in %s", x->file.path);
    if (end == EDIT_GIVEN_UP)
        command_warn(self, "the file is empty: nothing was changed");
    else if (end == EDIT_SAME || code == EDIT_SAME)
        command_warn(self, "nothing was changed");
    return end == EDIT_GIVEN_UP ? ERROR_FAILED : ERROR_NONE;
}

static int edit_job(const struct command *self, struct edit *x, const char *reference)
{
    struct error e = {0};
    struct errors errors = {0};
    enum edit_end end = EDIT_SAME;
    int code = view_init(&x->view, &e);
    if (code == 0)
        code = edit_read(x, reference, &e);
    if (code == 0)
        code = edit_write(x, &e);
    if (code == 0)
        code = edit_file_new(&x->file, x->old.number, &e);
    if (code == 0)
        code = edit_loop(x, &errors, &end, &e);
    code = code < 0 ? command_fail(self, &e) : edit_end(self, x, end, &errors, &e);
    errors_clear(&errors);
    return code;
}

static int edit_run(const struct command *self, int argc, char **argv)
{
    struct edit_options o = {0};
    struct edit x = {.options = &o};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (argc - first != 1)
        return command_usage_error(self, "takes one job: `ax edit JOB`");
    exit_code = edit_job(self, &x, argv[first]);
    edit_clear(&x);
    return exit_code;
}

const struct command command_edit = {
    .name = "edit",
    .summary = "change a job in your editor",
    .usage = "JOB",
    .about = "The job is written as YAML and opened in $VISUAL or $EDITOR (else editor, nano\n"
             "or vi), and what is saved is applied to it. It keeps its number, name and\n"
             "history, and its due time unless its schedule has changed. What is wrong opens\n"
             "the editor again, with the messages on top. A job without a name can be given\n"
             "one.",
    .options = edit_options,
    .run = edit_run,
};
