/* The job files that a command was given: read, checked, and all that is wrong with them printed. */
#ifndef AX_FILES_H
#define AX_FILES_H

#include "cmd/command.h"
#include "lib/time/zones.h"
#include "spool/jobfile.h"

#define FILES_STANDARD "ax.yaml" /* in the current folder, where no file is named */

/* The options that say how files are read. Part of the struct of a command's options. */
struct files_options {
    const char *source; /* NULL: what the file says */
    const char *cwd;    /* NULL: the folder of each file */
    struct strvec set;  /* NAME=VALUE */
};
/* clang-format off */
#define FILES_OPTIONS(type_, member_) \
    {.word = "source", .kind = OPTION_TEXT, .offset = offsetof(type_, member_.source), .placeholder = "LABEL", .help = "who owns the jobs, in place of what the file says (default: its real path)"}, \
    {.word = "set", .kind = OPTION_TEXTS, .offset = offsetof(type_, member_.set), .placeholder = "NAME=VALUE", .help = "the value of a parameter that the file declares under params (repeatable)"}, \
    {.word = "cwd", .kind = OPTION_TEXT, .offset = offsetof(type_, member_.cwd), .placeholder = "DIR", .help = "where commands run and relative paths start that do not say (default: the folder of the file)"}
/* clang-format on */

/* Reads the files, folders of files, or FILES_STANDARD. Times that name no zone are local where the jobs of the spool are (client_zones); `common` NULL: where the caller is. Errors and warnings are printed, and counted at the end where there are errors. Returns 0, or the exit code; in *warnings,
 * which may be NULL, how many warnings there were. */
int files_load(const struct command *self, const struct common *common, const struct files_options *o, int count, char **names, struct jobfiles *out, size_t *warnings);

/* Adds what the jobs' schedules say that is likely a slip, and which of them never come, as warnings. */
void files_warn(const struct jobfiles *files, struct zones *zones, instant now, struct errors *errors);

/* All of them on standard error: place, line of source, caret and hint, in colour on a terminal. */
void files_print(struct errors *errors);

/* The place of the job's name in its file. */
void files_place_job(struct error *e, const struct jobfile_job *j);

size_t files_jobs(const struct jobfiles *files); /* in all of them */
size_t files_count(const struct jobfiles *files); /* documents of one file are one */

#endif
