#include "cmd/commands.h"

#include "cmd/changes.h"
#include "cmd/changes_plan.h"
#include "cmd/client.h"
#include "cmd/files.h"
#include "lib/sys/clock.h"

struct apply_options {
    struct common common;
    struct files_options files;
    struct apply_rules rules;
    bool dry_run, quiet, json;
};
#define APPLY_FLAG(letter_, name_, member_, help_) {.letter = letter_, .word = name_, .kind = OPTION_FLAG, .offset = offsetof(struct apply_options, member_), .help = help_}
static const struct option_row apply_options[] = {
    APPLY_FLAG(0, "prune", rules.prune, "remove the jobs that their source does not name any more; one that runs goes on to its end"),
    APPLY_FLAG(0, "adopt", rules.adopt, "a job that was added by hand becomes the file's, if that names it; number and history stay"),
    APPLY_FLAG(0, "dry-run", dry_run, "say what would change, and change nothing"),
    FILES_OPTIONS(struct apply_options, files),
    APPLY_FLAG('q', "quiet", quiet, "say nothing when all went well"),
    APPLY_FLAG(0, "json", json, "one JSON object a line, for each job"),
    COMMAND_OPTIONS,
    {0},
};

struct apply {
    const struct apply_options *options;
    const struct jobfiles *files;
    struct view view;
    struct changes changes;
    struct changes_view told;
    bool served;
};

/* A job of others is refused before anything is changed. */
static int apply_transaction(struct apply *a, struct store *s, struct error *e)
{
    int code = store_begin(s, true, e);
    if (code < 0)
        return code;
    code = apply_plan(s, a->files, a->options->rules, &a->changes, e);
    changes_view_init(&a->told, &a->view, &a->changes);
    a->told.done = true;
    if (code < 0 || a->changes.of[CHANGE_CONFLICT] || !(changes_count(&a->changes) + a->changes.of[CHANGE_MOVE])) {
        store_abort(s);
        return code;
    }
    code = apply_do(s, a->files, &a->changes, a->view.now, e);
    if (code == 0)
        code = changes_due(&a->told, s, e);
    if (code == 0)
        return store_commit(s, e);
    store_abort(s);
    return code;
}

static int apply_store(struct apply *a, struct error *e)
{
    struct store *store;
    int code = client_open(&a->options->common, STORE_WRITE, &store, e);
    if (code < 0)
        return code;
    a->view.now = clock_wall();
    code = apply_transaction(a, store, e);
    a->served = folder_scheduler(store_folder(store)) > 0;
    store_close(store); /* wakes the scheduler */
    return code;
}

static int apply_look(struct apply *a, struct error *e)
{
    int code = changes_plan(&a->options->common, a->files, a->options->rules, &a->changes, e);
    changes_view_init(&a->told, &a->view, &a->changes);
    if (code == 0)
        changes_reckon(&a->told, &a->options->common, a->view.now);
    a->served = true; /* nothing waits for a scheduler */
    return code;
}

static void apply_tell(const struct command *self, const struct apply *a)
{
    struct buf b = {0};
    if (a->options->json) {
        changes_json(&b, &a->told);
    } else if (!a->options->quiet) {
        changes_text(&b, &a->told);
        changes_sum(&b, &a->told);
    }
    command_print(self, &b);
    buf_clear(&b);
}

static int apply_files(const struct command *self, const struct apply_options *o, const struct jobfiles *files)
{
    struct apply a = {.options = o, .files = files};
    struct error e = {0};
    int code = view_init(&a.view, &e);
    if (code == 0)
        code = o->dry_run ? apply_look(&a, &e) : apply_store(&a, &e);
    int exit_code = code < 0 ? command_fail(self, &e) : changes_conflicts(&a.changes);
    if (exit_code == ERROR_EXISTS)
        command_warn(self, "nothing was changed");
    else if (exit_code == 0)
        apply_tell(self, &a);
    if (exit_code == 0 && !a.served && changes_count(&a.changes))
        client_hint(self, &o->common);
    changes_view_clear(&a.told);
    changes_clear(&a.changes);
    view_clear(&a.view);
    return exit_code;
}

static int apply_check_accounts(const struct jobfiles *files)
{
    struct errors errors = {0};
    size_t count = apply_accounts(files, &errors);
    files_print(&errors);
    errors_clear(&errors);
    return count ? ERROR_USAGE : ERROR_NONE;
}

static int apply_run(const struct command *self, int argc, char **argv)
{
    struct apply_options o = {0};
    struct jobfiles files = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first >= 0)
        exit_code = files_load(self, &o.common, &o.files, argc - first, argv + first, &files, NULL);
    if (first >= 0 && !exit_code)
        exit_code = apply_check_accounts(&files);
    if (first >= 0 && !exit_code && o.rules.prune)
        exit_code = changes_prune_check(self, &files);
    if (first >= 0 && !exit_code)
        exit_code = apply_files(self, &o, &files);
    jobfiles_clear(&files);
    strvec_clear(&o.files.set);
    return exit_code;
}

const struct command command_apply = {
    .name = "apply",
    .summary = "bring the jobs to what files say",
    .usage = "[options] [FILE|FOLDER...]",
    .about = "All changes are made, or none. Jobs keep their number and history, and their\n"
             "due time unless their schedule has changed. What a file does not name any more\n"
             "stays, unless --prune is given; so do the jobs of files that are no more in a\n"
             "FOLDER. Jobs of other sources are never touched, and those added by hand only\n"
             "with --adopt. Without FILE it is ax.yaml in the current folder.",
    .options = apply_options,
    .run = apply_run,
};
