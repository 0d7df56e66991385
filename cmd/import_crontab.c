/* `ax import crontab`: the order of things. */
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/client.h"
#include "cmd/crontab_files.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"

static int import_init(struct crontab_import *im, const struct import_options *o, struct error *e)
{
    const struct passwd *entry = getpwuid(geteuid());
    const char *home = getenv("HOME");
    *im = (struct crontab_import){.options = o, .root = geteuid() == 0};
    im->runner = entry ? mem_string(entry->pw_name) : mem_format("%lu", (unsigned long)geteuid());
    im->home = mem_string(entry && entry->pw_dir ? entry->pw_dir : home && *home == '/' ? home : "/");
    int code = view_init(&im->view, e);
    if (code == 0)
        code = client_zones(&o->common, &im->zones, e);
    return code;
}

static void import_clear(struct crontab_import *im)
{
    for (size_t i = 0; i < im->count; i++)
        crontab_file_clear(&im->files[i]);
    free(im->files);
    strvec_clear(&im->folders);
    free(im->runner);
    free(im->home);
    jobfiles_clear(&im->jobs);
    crontab_names_clear(&im->names);
    changes_clear(&im->changes);
    zones_clear(&im->zones);
    view_clear(&im->view);
}

/* ---- the spool ---- */

static int conflict(const struct crontab_import *im, struct error *e)
{
    for (size_t i = 0; i < im->changes.count; i++) {
        const struct change *c = &im->changes.items[i];
        if (c->kind == CHANGE_CONFLICT)
            return error_set(e, ERROR_EXISTS, "%s:%d: the name %s is taken by job %llu, of %s%s", c->file->file, c->new->line, c->new->job.name,
                             (unsigned long long)c->number, c->owner, im->options->system ? "" : "; `--prefix WORD` has the names begin with another word");
    }
    return 0;
}

/* A source of a file of the folder, of which no file was read now. */
static bool is_gone(const struct crontab_import *im, const char *source, const char *folder)
{
    size_t length = strlen(folder), before = sizeof "crontab:" - 1;
    if (!source || strncmp(source, "crontab:", before) != 0 || strncmp(source + before, folder, length) != 0)
        return false;
    if (source[before + length] != '/' || strchr(source + before + length + 1, '/'))
        return false;
    for (size_t i = 0; i < im->jobs.count; i++)
        if (strcmp(im->jobs.items[i].source, source) == 0)
            return false;
    return true;
}

static bool find_gone(void *context, const struct job *j, const struct job_state *st)
{
    struct crontab_import *im = context;
    (void)st;
    for (size_t i = 0; i < im->folders.count; i++) {
        if (!is_gone(im, j->source, im->folders.items[i]))
            continue;
        MEM_GROW(im->jobs.items, im->jobs.capacity, im->jobs.count + 1);
        im->jobs.items[im->jobs.count++] = (struct jobfile){.file = mem_string(j->source), .path = mem_string("-"), .source = mem_string(j->source)};
    }
    return true;
}

static int plan(struct crontab_import *im, struct store *store, struct error *e)
{
    int code = im->folders.count ? store_each_job(store, 0, find_gone, im, e) : 0;
    if (code == 0)
        code = apply_plan(store, &im->jobs, (struct apply_rules){.prune = true}, &im->changes, e);
    im->planned = code == 0;
    return code == 0 ? conflict(im, e) : code;
}

static int change(struct crontab_import *im, struct store *store, struct error *e)
{
    int code = store_begin(store, true, e);
    if (code < 0)
        return code;
    code = plan(im, store, e);
    if (code == 0)
        code = apply_do(store, &im->jobs, &im->changes, clock_wall(), e);
    if (code == 0)
        code = store_commit(store, e);
    else
        store_abort(store);
    im->done = code == 0;
    return code;
}

/* What would change, if there is a spool that can be looked at. */
static int look(struct crontab_import *im, struct error *e)
{
    struct store *store;
    int code = client_open(&im->options->common, STORE_READ, &store, e);
    if (code < 0)
        return client_absent(e) ? 0 : code;
    code = store_begin(store, false, e);
    if (code == 0) {
        code = plan(im, store, e);
        store_abort(store);
    }
    store_close(store);
    return code;
}

/* The crontabs are written beside the old ones first, the spool is changed, and then they are put in their places. */
static int apply(struct crontab_import *im, struct crontab_swaps *swaps, struct error *e)
{
    const struct import_options *o = im->options;
    struct store *store;
    int code = client_open(&o->common, STORE_WRITE, &store, e);
    if (code < 0)
        return code;
    if (o->take_over || o->undo)
        code = crontab_swaps_prepare(im, store_folder(store)->path, swaps, e);
    if (code == 0)
        code = change(im, store, e);
    im->served = folder_scheduler(store_folder(store)) > 0;
    store_close(store);
    return code == 0 ? crontab_swaps_finish(im, swaps, e) : code;
}

/* ---- what is told ---- */

static int tell(const struct command *self, const struct crontab_import *im, const struct crontab_swaps *swaps, struct error *e)
{
    const struct import_options *o = im->options;
    struct buf b = {0};
    int code = 0;
    if (o->yaml)
        code = crontab_yaml(&b, im, e);
    else if (o->json)
        crontab_report_json(&b, im);
    else if (!o->quiet && !o->undo)
        crontab_report_text(&b, im);
    if (!o->quiet && !o->json)
        crontab_swaps_tell(&b, swaps);
    if (code == 0)
        command_print(self, &b);
    if (code == 0 && im->done && !o->undo && !im->served)
        client_hint(self, &o->common);
    buf_clear(&b);
    return code;
}

static int refuse(const struct command *self, const struct crontab_import *im)
{
    if (!im->options->json)
        crontab_report_refused(im);
    return command_usage_error(self, im->refused == 1 ? "a line is refused, so nothing is imported; --skip-bad leaves it out"
                                                      : "%zu lines are refused, so nothing is imported; --skip-bad leaves them out", im->refused);
}

/* An undo removes the jobs: their source has none then. */
static void read_all(struct crontab_import *im)
{
    for (size_t i = 0; i < im->count; i++)
        crontab_entries_make(im, &im->files[i]);
    if (!im->options->undo)
        return;
    for (size_t i = 0; i < im->jobs.count; i++) {
        struct jobfile *f = &im->jobs.items[i];
        for (size_t n = 0; n < f->job_count; n++)
            job_clear(&f->jobs[n].job);
        f->job_count = 0;
    }
}

static int import_all(const struct command *self, struct crontab_import *im, struct error *e)
{
    const struct import_options *o = im->options;
    struct crontab_swaps swaps = {0};
    read_all(im);
    bool bad = im->refused && !o->skip_bad && !o->undo;
    int code = 0;
    if (!bad && !o->yaml)
        code = o->dry_run ? look(im, e) : apply(im, &swaps, e);
    if (code == 0 && (!bad || (o->dry_run && !o->yaml) || o->json))
        code = tell(self, im, &swaps, e);
    crontab_swaps_clear(&swaps);
    if (code == 0 && bad)
        return refuse(self, im);
    return code < 0 ? command_fail(self, e) : 0;
}

static int check(const struct command *self, const struct import_options *o, int count, char **names)
{
    if (count > 1 && !o->system)
        return command_usage_error(self, "takes one crontab of a user; --system takes several files");
    if (o->system && o->prefix)
        return command_usage_error(self, "--prefix names the jobs of one crontab; with --system they have the names of their files");
    if (o->system && o->user)
        return command_usage_error(self, "--system and --user exclude each other: the lines of a system crontab name their users");
    if (o->yaml && (o->json || o->take_over || o->undo))
        return command_usage_error(self, "--yaml writes a job file and changes nothing: it goes without --json, --take-over and --undo");
    if (o->undo && (o->take_over || o->dry_run))
        return command_usage_error(self, "--undo goes without --take-over and --dry-run");
    for (int i = 0; i < count; i++)
        if (strcmp(names[i], "-") == 0 && (o->take_over || o->undo))
            return command_usage_error(self, "standard input cannot be changed: name the crontab");
    return 0;
}

int import_crontab(const struct command *self, const struct import_options *o, int count, char **names)
{
    struct crontab_import im;
    struct error e = {0};
    int exit_code = check(self, o, count, names);
    if (exit_code)
        return exit_code;
    int code = import_init(&im, o, &e);
    if (code == 0)
        code = crontab_files_load(&im, count, names, &e);
    exit_code = code < 0 ? command_fail(self, &e) : import_all(self, &im, &e);
    import_clear(&im);
    return exit_code;
}
