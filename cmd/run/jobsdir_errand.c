/* `ax __jobs SPOOL DIR`, the errand behind `ax run --jobs DIR`: brings the spool to what the folder says. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/run/jobsdir.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/text/visible.h"
#include "spool/apply.h"

struct sync {
    const char *spool, *directory;
    struct zone *zone;
    struct jobfiles files;
    struct errors errors;
    struct changes changes;
    struct strvec mended; /* what is to be said of files that had errors */
    instant now;
};

/* ---- what goes into the log ---- */

static void say(char level, const struct buf *text)
{
    struct buf line = {0};
    buf_format(&line, "%c ", level);
    visible_add(&line, text->data, text->length, false);
    puts(buf_string(&line));
    buf_clear(&line);
}

static void say_text(char level, const char *text)
{
    struct buf b = {0};
    buf_text(&b, text);
    say(level, &b);
    buf_clear(&b);
}

static void error_text(struct buf *b, const struct errors_item *item)
{
    if (item->file)
        buf_format(b, "%s:", item->file);
    if (item->error.line)
        buf_format(b, "%d:%d:", item->error.line, item->error.column);
    buf_format(b, "%s%s%s%s", b->length ? " " : "", item->error.field, item->error.field[0] ? ": " : "", item->error.text);
    if (item->hint)
        buf_format(b, " (%s)", item->hint);
}

static void say_errors(const struct sync *y)
{
    for (size_t i = 0; i < y->errors.count; i++) {
        const struct errors_item *item = &y->errors.items[i];
        struct buf text = {0};
        error_text(&text, item);
        say(item->warning ? 'W' : 'E', &text);
        buf_clear(&text);
    }
}

static void say_change(const struct change *c)
{
    static const char *const words[] = {[CHANGE_CREATE] = "added",
        [CHANGE_UPDATE] = "changed",
        [CHANGE_REVIVE] = "back again",
        [CHANGE_REMOVE] = "removed",
        [CHANGE_UNNAMED] = NULL,
        [CHANGE_SAME] = NULL,
        [CHANGE_CONFLICT] = NULL,
        [CHANGE_QUEUE] = "queue",
        [CHANGE_ADOPT] = NULL,
        [CHANGE_MOVE] = "moved"};
    struct buf text = {0};
    if (!words[c->kind])
        return;
    if (c->kind == CHANGE_QUEUE)
        buf_format(&text, "queue %s: limit %u", c->queue, c->limit);
    else
        buf_format(&text, "%s: job %llu %s", words[c->kind], (unsigned long long)c->number,
            c->new ? c->new->job.name : c->old.name);
    for (size_t i = 0; i < c->fields.count; i++)
        buf_format(&text, "%s%s", i ? ", " : ": ", c->fields.items[i]);
    say('I', &text);
    buf_clear(&text);
}

/* ---- files with errors, sources that are gone ---- */

static void rename_source(char **source, const char *name)
{
    free(*source);
    *source = mem_string(name);
}

/* A file that does not name its source is known by its place in the folder: what lies behind it may be swapped. */
static void name_sources(struct sync *y)
{
    for (size_t i = 0; i < y->files.count; i++) {
        struct jobfile *f = &y->files.items[i];
        if (strcmp(f->source, f->path) != 0)
            continue;
        rename_source(&f->source, f->file);
        for (size_t k = 0; k < f->job_count; k++)
            rename_source(&f->jobs[k].job.source, f->file);
    }
}

static bool has_error(const struct sync *y, const char *file)
{
    for (size_t i = 0; i < y->errors.count; i++)
        if (!y->errors.items[i].warning && y->errors.items[i].file && strcmp(y->errors.items[i].file, file) == 0)
            return true;
    return false;
}

/* Their jobs stay as they are. */
static void leave_out_bad(struct sync *y)
{
    size_t kept = 0;
    for (size_t i = 0; i < y->files.count; i++) {
        struct jobfile file = y->files.items[i];
        if (has_error(y, file.file)) {
            struct jobfiles one = {.items = mem_copy(&file, sizeof file), .count = 1};
            jobfiles_clear(&one);
        } else {
            y->files.items[kept++] = file;
        }
    }
    y->files.count = kept;
}

static char *setting_name(const struct sync *y)
{
    return mem_format("folder:%s", y->directory);
}

static bool is_there(const struct sync *y, const char *source)
{
    for (size_t i = 0; i < y->files.count; i++)
        if (strcmp(y->files.items[i].source, source) == 0)
            return true;
    return false;
}

/* A source that the folder had, and has no more, names no jobs. */
static int add_gone(struct sync *y, struct store *store, struct error *e)
{
    struct value before = {0};
    char *name = setting_name(y);
    int failed = store_setting(store, name, &before, e);
    free(name);
    for (size_t i = 0; !failed && before.kind == VALUE_LIST && i < before.list.count; i++) {
        const struct value *v = &before.list.items[i];
        if (v->kind != VALUE_TEXT || is_there(y, v->text.data))
            continue;
        MEM_GROW(y->files.items, y->files.capacity, y->files.count + 1);
        y->files.items[y->files.count++] = (struct jobfile){
            .file = mem_string(v->text.data), .path = mem_string(v->text.data), .source = mem_string(v->text.data), .gone = true};
    }
    value_clear(&before);
    return failed;
}

static int note_sources(const struct sync *y, struct store *store, struct error *e)
{
    struct value list = value_list();
    char *name = setting_name(y);
    for (size_t i = 0; i < y->files.count; i++)
        if (!y->files.items[i].gone)
            value_push(&list, value_text(y->files.items[i].source));
    int failed = store_setting_put(store, name, &list, e);
    value_clear(&list);
    free(name);
    return failed;
}

/* What was wrong the last time and is no more: the folder may look as if it had never been. */
static void find_mended(struct sync *y, const struct value *before)
{
    const struct value *files = value_get(before, "files");
    for (size_t i = 0; files && files->kind == VALUE_LIST && i < files->list.count; i++) {
        const struct value *v = &files->list.items[i];
        if (v->kind == VALUE_TEXT && !has_error(y, v->text.data))
            strvec_take(&y->mended, mem_format(access(v->text.data, F_OK) == 0 ? "%s: its errors are gone" : "%s: had errors, and was taken out of the folder", v->text.data));
    }
}

static void add_bad_file(struct value *files, const char *name)
{
    size_t count = files->list.count;
    if (name && count < JOBSDIR_NOTED && (!count || strcmp(files->list.items[count - 1].text.data, name) != 0))
        value_push(files, value_text(name));
}

/* For `ax status`: what is wrong with the files now. */
static int note_errors(struct sync *y, struct store *store, struct error *e)
{
    size_t count = y->errors.count - y->errors.warnings;
    struct value before = {0}, note = {0}, texts = value_list(), files = value_list();
    char *name = mem_format(JOBSDIR_ERRORS "%s", y->directory);
    int failed = store_setting(store, name, &before, e);
    find_mended(y, &before);
    value_clear(&before);
    for (size_t i = 0; i < y->errors.count && files.list.count < JOBSDIR_NOTED; i++) {
        struct buf text = {0};
        if (y->errors.items[i].warning)
            continue;
        add_bad_file(&files, y->errors.items[i].file);
        if (texts.list.count == JOBSDIR_NOTED)
            continue;
        error_text(&text, &y->errors.items[i]);
        value_push(&texts, value_text(buf_string(&text)));
        buf_clear(&text);
    }
    if (count) {
        note = value_map();
        value_put(&note, "at_ns", value_int(y->now));
        value_put(&note, "count", value_int((int64_t)count));
        value_put(&note, "texts", texts);
        value_put(&note, "files", files);
        texts = files = (struct value){0};
    }
    if (!failed)
        failed = store_setting_put(store, name, &note, e);
    free(name);
    value_clear(&note);
    value_clear(&texts);
    value_clear(&files);
    return failed;
}

/* ---- the spool ---- */

static void refuse_conflicts(struct sync *y)
{
    for (size_t i = 0; i < y->changes.count; i++) {
        struct change *c = &y->changes.items[i];
        if (c->kind != CHANGE_CONFLICT)
            continue;
        struct error e = {0};
        error_set(
            &e, ERROR_EXISTS, "the name %s is taken by a job of %s: it is left alone", c->new->job.name, c->owner);
        error_place(&e, NULL, c->new->line, c->new->column, 1);
        bool hint = !c->old.source && strcmp(c->file->file, c->file->path) == 0;
        errors_add(&y->errors, c->file->file, false, &e, hint ? "`ax apply --adopt FILE` hands it to the file" : NULL);
        c->kind = CHANGE_SAME;
    }
}

static int sync_write(struct sync *y, struct store *store, struct error *e)
{
    bool whole = y->errors.count == y->errors.warnings; /* else what is gone cannot be told from what cannot be read */
    int failed = whole ? add_gone(y, store, e) : 0;
    if (!whole)
        strvec_clear(&y->files.folders);
    if (!failed)
        failed = apply_plan(store, &y->files, (struct apply_rules){.prune = true}, &y->changes, e);
    if (failed)
        return failed;
    refuse_conflicts(y);
    failed = apply_do(store, &y->files, &y->changes, y->now, e);
    if (!failed && whole)
        failed = note_sources(y, store, e);
    if (!failed)
        failed = note_errors(y, store, e);
    return failed;
}

static int sync_store(struct sync *y, struct error *e)
{
    struct store *store;
    int failed = store_open(y->spool, STORE_WRITE, &store, e);
    if (failed)
        return failed;
    failed = store_begin(store, true, e);
    if (!failed) {
        failed = sync_write(y, store, e);
        if (failed)
            store_abort(store);
        else
            failed = store_commit(store, e);
    }
    store_close(store);
    return failed;
}

static int sync_all(struct sync *y, struct error *e)
{
    int failed = zone_local(getenv("TZ"), &y->zone, e);
    if (failed)
        return failed;
    struct jobfile_rules rules = {.zone = y->zone, .now = y->now};
    jobfiles_load(y->directory, true, &rules, &y->files, &y->errors);
    name_sources(y);
    jobfiles_check(&y->files, &y->errors);
    apply_accounts(&y->files, &y->errors);
    errors_sort(&y->errors);
    leave_out_bad(y);
    return sync_store(y, e);
}

int jobsdir_errand(int argc, char **argv)
{
    if (argc != 2)
        return ERROR_USAGE;
    struct sync y = {.spool = argv[0], .directory = argv[1], .now = clock_wall()};
    struct error e = {0};
    int failed = sync_all(&y, &e);
    say_errors(&y);
    for (size_t i = 0; !failed && i < y.mended.count; i++)
        say_text('I', y.mended.items[i]);
    for (size_t i = 0; !failed && i < y.changes.count; i++)
        say_change(&y.changes.items[i]);
    if (failed)
        printf("E %s\n", e.text);
    else
        printf("= %zu\n", y.errors.count - y.errors.warnings);
    strvec_clear(&y.mended);
    changes_clear(&y.changes);
    jobfiles_clear(&y.files);
    errors_clear(&y.errors);
    zone_free(y.zone);
    return failed ? ERROR_FAILED : ERROR_NONE;
}
