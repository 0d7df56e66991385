#include "cmd/commands.h"

#include "cmd/changes.h"
#include "cmd/changes_plan.h"
#include "cmd/files.h"

/* As diff(1) has it. */
enum { DIFF_SAME = 0, DIFF_OTHER = 1, DIFF_ERROR = 2 };

struct diff_options {
    struct common common;
    struct files_options files;
    struct apply_rules rules;
    bool json;
};
static const struct option_row diff_options[] = {
    {.word = "prune", .kind = OPTION_FLAG, .offset = offsetof(struct diff_options, rules.prune), .help = "as with `ax apply --prune`: jobs that their source does not name any more would go"},
    {.word = "adopt", .kind = OPTION_FLAG, .offset = offsetof(struct diff_options, rules.adopt), .help = "as with `ax apply --adopt`: jobs that were added by hand would become the file's"},
    FILES_OPTIONS(struct diff_options, files),
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct diff_options, json), .help = "one JSON object a line, for each job"},
    COMMAND_OPTIONS,
    {0},
};

static void diff_tell(const struct command *self, const struct diff_options *o, const struct view *v, const struct changes *changes)
{
    struct buf b = {0};
    struct changes_view c;
    changes_view_init(&c, v, changes);
    changes_reckon(&c, &o->common, v->now);
    if (o->json) {
        changes_json(&b, &c);
    } else {
        changes_text(&b, &c);
        changes_sum(&b, &c);
    }
    command_print(self, &b);
    buf_clear(&b);
    changes_view_clear(&c);
}

static int diff_files(const struct command *self, const struct diff_options *o, const struct jobfiles *files)
{
    struct changes changes = {0};
    struct view v = {0};
    struct error e = {0};
    int code = view_init(&v, &e);
    if (code == 0)
        code = changes_plan(&o->common, files, o->rules, &changes, &e);
    if (code == 0)
        diff_tell(self, o, &v, &changes);
    else
        command_fail(self, &e);
    bool conflict = changes.of[CHANGE_CONFLICT] > 0, other = changes_count(&changes) > 0;
    changes_clear(&changes);
    view_clear(&v);
    return code < 0 || conflict ? DIFF_ERROR : other ? DIFF_OTHER : DIFF_SAME;
}

static int diff_run(const struct command *self, int argc, char **argv)
{
    struct diff_options o = {0};
    struct jobfiles files = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first >= 0 && (files_load(self, &o.common, &o.files, argc - first, argv + first, &files, NULL) || (o.rules.prune && changes_prune_check(self, &files))))
        exit_code = DIFF_ERROR;
    else if (first >= 0)
        exit_code = diff_files(self, &o, &files);
    jobfiles_clear(&files);
    strvec_clear(&o.files.set);
    return exit_code;
}

const struct command command_diff = {
    .name = "diff",
    .summary = "say what applying files of jobs would change",
    .usage = "[options] [FILE|FOLDER...]",
    .about = "+ is new, ~ changes, - goes, ? is not named any more and stays, ! belongs to\n"
             "another source or was added by hand. Returns 0 where nothing would change, 1\n"
             "where something would, 2 after an error.",
    .options = diff_options,
    .run = diff_run,
};
