/* Job files: YAML in, jobs out. The format is that of ax-jobs(5); its fields are the rows of fields.h.
 *
 *   version: 1
 *   source: web            # who owns the jobs; else the real path of the file
 *   defaults: {...}        # fields for all jobs; `env` is merged name by name
 *   params: {NAME: default or null}
 *   queues: {disks: 2}     # or {disks: {limit: 2}}
 *   jobs: {backup: {...}}  # by name
 */
#ifndef AX_JOBFILE_H
#define AX_JOBFILE_H

#include "lib/base/strvec.h"
#include "lib/text/errors.h"
#include "lib/time/zone.h"
#include "spool/job.h"

struct jobfile_job {
    struct job job;
    int line, column; /* of its name */
    char *written;    /* that line of the file, its beginning */
    bool past;        /* `at` has passed: a warning, and no job, unless it is there already */
};

struct jobfile_queue {
    char *name;
    uint32_t limit;   /* 0: no limit of its own */
    int line, column;
    char *written;
};

/* One document. */
struct jobfile {
    char *file;   /* as the user named it */
    char *path;   /* real path, for AX_FILE; "-" for standard input */
    char *source; /* label */
    struct jobfile_job *jobs;
    size_t job_count, job_capacity;
    struct jobfile_queue *queues;
    size_t queue_count, queue_capacity;
    struct strvec params; /* names that are declared */
    bool gone;            /* it is no more there: what its source had is named by nobody */
};

struct jobfiles {
    struct jobfile *items;
    size_t count, capacity;
    struct strvec given;   /* NAME=VALUE of the rules, for jobfiles_check */
    struct strvec folders; /* that were named: their real paths */
};

struct jobfile_rules {
    const struct zone *zone;
    instant now;
    const char *directory;       /* where commands run that do not say; NULL: the folder of each file */
    const char *source;          /* NULL: what the file says */
    const struct strvec *params; /* NAME=VALUE: --set */
};

void jobfiles_clear(struct jobfiles *files);

/* Reads the documents of one text and adds them to *out. `path` is its real path, absolute. All errors and warnings go to `errors`. Negative if there was an error
 * (a warning is none); what could be read is in *out even then. */
int jobfile_read(const char *file, const char *path, const char *text, size_t length, const struct jobfile_rules *rules, struct jobfiles *out, struct errors *errors);

/* What only all files together can tell: names that stand twice, in one source or in two; queues with two limits; --set of names that no file declares. */
int jobfiles_check(const struct jobfiles *files, struct errors *errors);

/* ---- files and folders ---- */

/* Reads a file, or of a folder all *.yaml and *.yml in order of name (hidden ones left out), `-` standard input. `trusted`: each file and its folder must be owned by root or
 * by whom we run as, and be writable by nobody else; symbolic links are followed, and both ends checked (on the open descriptor). What is refused is named in `errors`
 * with owner, mode and the command that mends it; the others are read. */
bool jobfile_is_name(const char *name); /* of a file that is read where its folder is named */
int jobfiles_load(const char *name, bool trusted, const struct jobfile_rules *rules, struct jobfiles *out, struct errors *errors);

/* ---- ax run --jobs ---- */

/* The setting in which the errand notes what is wrong with the files of the folder, its name behind this; null: nothing is. Else a map of at_ns, count (of errors),
 * texts, the first JOBSDIR_NOTED of them, and files, the first JOBSDIR_NOTED that have some. */
#define JOBSDIR_ERRORS "errors:"

/* `: did you mean `cron`, ...?` for a key of a job that is no field; nothing if nothing is like it. */
void jobfile_hint_field(struct buf *b, const char *key);

#endif
