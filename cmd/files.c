#include "cmd/files.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/client.h"
#include "cmd/reckon.h"
#include "cmd/slips.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/text/visible.h"

size_t files_jobs(const struct jobfiles *files)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        count += files->items[i].job_count;
    return count;
}

size_t files_count(const struct jobfiles *files)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        count += i == 0 || strcmp(files->items[i].file, files->items[i - 1].file) != 0;
    return count;
}

/* ---- printing ---- */

/* Where the place in front of the message ends: `file:line:column:`. */
static size_t files_place(const struct errors_item *item, const char *line, size_t length)
{
    struct buf name = {0};
    if (item->file)
        visible_add(&name, item->file, strlen(item->file), false);
    size_t at = name.length;
    buf_clear(&name);
    const char *stop = at && at < length ? memchr(line + at, ' ', length - at) : NULL;
    return stop ? (size_t)(stop - line) : 0;
}

static void files_paint(struct buf *b, const char *colour, const char *text, size_t length)
{
    buf_text(b, colour);
    buf_add(b, text, length);
    buf_text(b, *colour ? "\033[0m" : "");
}

static bool is_caret(const char *line, size_t length)
{
    size_t at = strspn(line, " ");
    return at < length && line[at] == '^';
}

static void files_print_item(struct buf *b, const struct errors_item *item, bool colour)
{
    struct buf text = {0};
    errors_format(item, &text);
    const char *loud = !colour ? "" : item->warning ? "\033[33m" : "\033[31m";
    for (size_t at = 0; at < text.length;) {
        const char *line = text.data + at, *stop = memchr(line, '\n', text.length - at);
        size_t length = stop ? (size_t)(stop - line) : text.length - at, place = at ? 0 : files_place(item, line, length);
        if (place)
            files_paint(b, colour ? "\033[1m" : "", line, place);
        files_paint(b, !at || is_caret(line, length) ? loud : "", line + place, length - place);
        buf_char(b, '\n');
        at += length + 1;
    }
    buf_clear(&text);
}

void files_print(struct errors *errors)
{
    struct buf b = {0};
    bool colour = view_colours(STDERR_FILENO);
    errors_sort(errors);
    for (size_t i = 0; i < errors->count; i++)
        files_print_item(&b, &errors->items[i], colour);
    fwrite(buf_string(&b), 1, b.length, stderr);
    fflush(stderr);
    buf_clear(&b);
}

/* `2 errors and 1 warning`. */
static void files_tell_count(const struct command *self, const struct errors *errors)
{
    size_t wrong = errors->count - errors->warnings;
    if (errors->warnings)
        command_warn(self, "%zu error%s and %zu warning%s", wrong, wrong == 1 ? "" : "s", errors->warnings, errors->warnings == 1 ? "" : "s");
    else
        command_warn(self, "%zu error%s", wrong, wrong == 1 ? "" : "s");
}

/* ---- warnings ---- */

void files_place_job(struct error *e, const struct jobfile_job *j)
{
    if (j->written)
        errors_locate_line(e, j->written, strlen(j->written), j->line, j->column, 1);
    else
        error_place(e, NULL, j->line, j->column, 1);
}

static void files_warn_job(const struct jobfile *file, const struct jobfile_job *j, struct zones *zones, instant now, struct errors *errors)
{
    const struct zone *zone;
    struct slips slips = {0};
    struct error e = {0};
    instant due;
    if (j->past || zones_get(zones, j->job.timezone, &zone, NULL) < 0 || reckon_due(&j->job, zones, now, &due, NULL) < 0)
        return;
    slips_find(&slips, &j->job, zone, due, now);
    if (slips.never)
        strvec_add(&slips.texts, slips.never);
    for (size_t i = 0; i < slips.texts.count; i++) {
        error_set(&e, ERROR_USAGE, "job %s: %s", j->job.name, slips.texts.items[i]);
        files_place_job(&e, j);
        errors_add(errors, file->file, true, &e, NULL);
    }
    slips_clear(&slips);
}

void files_warn(const struct jobfiles *files, struct zones *zones, instant now, struct errors *errors)
{
    for (size_t f = 0; f < files->count; f++)
        for (size_t i = 0; i < files->items[f].job_count; i++)
            files_warn_job(&files->items[f], &files->items[f].jobs[i], zones, now, errors);
}

/* ---- reading ---- */

static int files_standard(const struct command *self)
{
    if (access(FILES_STANDARD, F_OK) == 0)
        return 0;
    return command_usage_error(self, "no file is named, and there is no " FILES_STANDARD " here: `ax %s FILE...`", self->name);
}

static int files_directory(const char *name, char **out, struct error *e)
{
    struct stat status;
    char *path = name ? realpath(name, NULL) : NULL;
    if (name && !path)
        return error_errno(e, ERROR_USAGE, errno, "--cwd: %s", name);
    if (path && (stat(path, &status) < 0 || !S_ISDIR(status.st_mode))) {
        free(path);
        return error_set(e, ERROR_USAGE, "--cwd: %s is not a directory", name);
    }
    *out = path;
    return 0;
}

static void files_read(const struct jobfile_rules *rules, int count, char **names, struct jobfiles *out, struct errors *errors)
{
    if (!count)
        jobfiles_load(FILES_STANDARD, false, rules, out, errors);
    for (int i = 0; i < count; i++)
        jobfiles_load(names[i], false, rules, out, errors);
    jobfiles_check(out, errors);
}

static int files_begin(const struct common *common, const struct files_options *o, struct jobfile_rules *rules, struct zones *zones, struct error *e)
{
    char *directory = NULL;
    int code = files_directory(o->cwd, &directory, e);
    if (code == 0)
        code = client_zones(common, zones, e);
    *rules = (struct jobfile_rules){.now = clock_wall(), .directory = directory, .source = o->source, .params = &o->set};
    return code == 0 ? zones_get(zones, NULL, &rules->zone, e) : code;
}

int files_load(const struct command *self, const struct common *common, const struct files_options *o, int count, char **names, struct jobfiles *out, size_t *warnings)
{
    struct error e = {0};
    struct errors errors = {0};
    struct zones zones = {0};
    struct jobfile_rules rules = {0};
    int code = count ? 0 : files_standard(self);
    if (code)
        return code;
    code = files_begin(common, o, &rules, &zones, &e);
    if (code == 0) {
        files_read(&rules, count, names, out, &errors);
        files_warn(out, &zones, rules.now, &errors);
        files_print(&errors);
        code = errors.count > errors.warnings ? ERROR_USAGE : 0;
        if (code)
            files_tell_count(self, &errors);
        if (warnings)
            *warnings = errors.warnings;
    } else {
        code = command_fail(self, &e);
    }
    errors_clear(&errors);
    zones_clear(&zones);
    free((char *)rules.directory);
    return code;
}
