/* `ax import`: which kind of file it is, and what is told about it. */
#include "cmd/commands.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/import.h"
#include "lib/text/suggest.h"

#define AT(member) offsetof(struct import_options, member)
#define IMPORT_FLAG(letter_, name_, member_, help_) \
    {.letter = letter_, .word = name_, .kind = OPTION_FLAG, .offset = AT(member_), .help = help_}
static const char *const import_dialects[] = {"debian", "cronie", NULL}; /* enum crontab_dialect */
static const struct option_row import_options[] = {
    IMPORT_FLAG('q', "quiet", quiet, "say nothing when all went well"),
    IMPORT_FLAG(0, "json", json, "print JSON: of ndjson one object, of a crontab one for each line"),
    {.word = "user", .kind = OPTION_TEXT, .offset = AT(user), .placeholder = "NAME", .help = "whose crontab it is (default: the caller's)"},
    IMPORT_FLAG(0, "system", system, "system crontabs, with a user in each line"),
    {.word = "dialect", .kind = OPTION_CHOICE, .offset = AT(dialect), .placeholder = "CRON", .choices = import_dialects,
     .help = "which cron the crontab was written for: debian (CRON_TZ is a plain variable), cronie (default: debian, but CRON_TZ counts)"},
    {.word = "prefix", .kind = OPTION_TEXT, .offset = AT(prefix), .placeholder = "WORD", .help = "what the names of the jobs begin with (default: the file's name); say it again when importing again"},
    IMPORT_FLAG(0, "dry-run", dry_run, "only report what would become of each line"),
    IMPORT_FLAG(0, "skip-bad", skip_bad, "leave out lines that cron would refuse"),
    IMPORT_FLAG(0, "yaml", yaml, "write a job file for `ax apply`, and change nothing"),
    IMPORT_FLAG(0, "take-over", take_over, "also make the lines comments in the crontab, so that cron does not run them too"),
    IMPORT_FLAG(0, "undo", undo, "give the lines that were taken over back to cron, and remove the jobs"),
    COMMAND_OPTIONS,
    {0},
};

/* ---- which kind ---- */

enum kind { KIND_NONE, KIND_NDJSON, KIND_CRONTAB };

static enum kind import_kind(const char *word)
{
    return strcmp(word, "ndjson") == 0 ? KIND_NDJSON : strcmp(word, "crontab") == 0 ? KIND_CRONTAB : KIND_NONE;
}

/* Of a file without a kind in front: one that begins with an object is ndjson. */
static enum kind import_guess(const char *path)
{
    char start[256];
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd < 0 ? -1 : read(fd, start, sizeof start - 1);
    struct stat status;
    bool folder = fd >= 0 && fstat(fd, &status) == 0 && S_ISDIR(status.st_mode);
    if (fd >= 0)
        close(fd);
    if (n < 0)
        return folder ? KIND_CRONTAB : KIND_NONE;
    start[n] = '\0';
    return start[strspn(start, " \t\r\n")] == '{' ? KIND_NDJSON : KIND_CRONTAB;
}

static bool import_is_yaml(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static int import_unknown(const struct command *self, const char *word)
{
    struct suggest near = {.word = word};
    suggest_offer(&near, "ndjson");
    suggest_offer(&near, "crontab");
    if (near.best)
        return command_usage_error(self, "unknown kind of file `%s`; did you mean %s?", word, near.best);
    return command_usage_error(self, "unknown kind of file `%s`; there are ndjson and crontab", word);
}

static bool import_of_crontab(const struct import_options *o)
{
    return o->user || o->prefix || o->system || o->dry_run || o->yaml || o->skip_bad || o->take_over || o->undo || o->dialect >= 0;
}

static int import_run(const struct command *self, int argc, char **argv)
{
    struct import_options o = {.dialect = -1};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    enum kind kind = first < argc ? import_kind(argv[first]) : KIND_NONE;
    bool said = kind != KIND_NONE;
    if (first == argc && !import_of_crontab(&o))
        return command_usage_error(self, "what is missing: `ax import crontab`, `ax import crontab FILE`, `ax import ndjson FILE`");
    if (!said && first < argc && import_is_yaml(argv[first]))
        return command_usage_error(self, "%s is a job file: `ax apply` takes it, `ax check` looks at it", argv[first]);
    if (!said)
        kind = first == argc || import_of_crontab(&o) ? KIND_CRONTAB : import_guess(argv[first]);
    if (kind == KIND_NONE)
        return import_unknown(self, argv[first]);
    if (kind == KIND_NDJSON && import_of_crontab(&o))
        return command_usage_error(self, "of ndjson there are only the options --json and --quiet");
    first += said;
    return (kind == KIND_NDJSON ? import_ndjson : import_crontab)(self, &o, argc - first, argv + first);
}

const struct command command_import = {
    .name = "import",
    .summary = "add jobs from a crontab or a file",
    .usage = "crontab [FILE|-] [options]\ncrontab --system [PATH...]\nndjson FILE|-",
    .about = "crontab: the lines of a crontab become jobs that do what cron did with them;\n"
             "without FILE it is your own. What will differ is reported line by line, and\n"
             "--dry-run does only that. Importing again brings the jobs to what the crontab\n"
             "says, and never doubles them. cron keeps its lines unless --take-over is given.\n"
             "\n"
             "ndjson: one JSON object a line, with the names that `ax help add` has as options\n"
             "(retry_delay for --retry-delay), such as\n"
             "    {\"in\": \"20m\", \"command\": [\"make\", \"deploy\"], \"retries\": 3}\n"
             "All jobs are added, or none if one is wrong.",
    .options = import_options,
    .run = import_run,
};
