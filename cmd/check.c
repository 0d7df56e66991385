#include "cmd/commands.h"

#include "cmd/files.h"

struct check_options {
    struct common common;
    struct files_options files;
    bool quiet;
};
static const struct option_row check_options[] = {
    FILES_OPTIONS(struct check_options, files),
    {.letter = 'q', .word = "quiet", .kind = OPTION_FLAG, .offset = offsetof(struct check_options, quiet), .help = "say nothing when all is well"},
    COMMAND_OPTIONS,
    {0},
};

static void check_plural(struct buf *b, const char *lead, size_t count, const char *what)
{
    buf_format(b, "%s%zu %s%s", lead, count, what, count == 1 ? "" : "s");
}

static void check_tell(const struct command *self, const struct jobfiles *files, size_t warnings)
{
    struct buf b = {0};
    check_plural(&b, "", files_jobs(files), "job");
    check_plural(&b, " in ", files_count(files), "file");
    buf_text(&b, files_jobs(files) == 1 ? " is fine" : " are fine");
    if (warnings)
        check_plural(&b, "; ", warnings, "warning");
    buf_char(&b, '\n');
    command_print(self, &b);
    buf_clear(&b);
}

static int check_run(const struct command *self, int argc, char **argv)
{
    struct check_options o = {0};
    struct jobfiles files = {0};
    size_t warnings = 0;
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first >= 0)
        exit_code = files_load(self, NULL, &o.files, argc - first, argv + first, &files, &warnings);
    if (first >= 0 && !exit_code && !o.quiet)
        check_tell(self, &files, warnings);
    jobfiles_clear(&files);
    strvec_clear(&o.files.set);
    return exit_code;
}

const struct command command_check = {
    .name = "check",
    .summary = "say what is wrong with files of jobs",
    .usage = "[options] [FILE|FOLDER...]",
    .about = "Without FILE it is ax.yaml in the current folder. All errors of all files are\n"
             "listed, with their places. Warnings do not count: it returns 0, or 2 when there\n"
             "are errors. The spool is not looked at: `ax diff` says what would change.",
    .options = check_options,
    .run = check_run,
};
