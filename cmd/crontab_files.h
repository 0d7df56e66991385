/* The crontabs of an import: where they lie, what is read from them, and what becomes of each line.
 *
 *   import_crontab.c     the order of things: read, report, bring the spool to it
 *   crontab_files.c      finds and reads the texts
 *   crontab_system.c     those of the system: /etc/crontab, folders of crontabs and of scripts, anacrontab
 *   crontab_entries.c    lines to jobs
 *   crontab_program.c    crontab(1), for those who may not look into the folder of crontabs
 *   crontab_report.c     what is told about it: for people, as JSON
 *   crontab_yaml.c       the same as a job file
 *   crontab_takeover.c   changes the crontab, so that cron does not run the lines too */
#ifndef AX_CRONTAB_FILES_H
#define AX_CRONTAB_FILES_H

#include <sys/stat.h>

#include "cmd/import.h"
#include "cmd/view.h"
#include "lib/time/zones.h"
#include "spool/apply.h"
#include "spool/crontab.h"
#include "spool/crontab_job.h"

/* What a line has become. */
struct crontab_entry {
    int line;
    enum crontab_status status;
    const char *reason;           /* NULL: none */
    const struct crontab_line *l; /* NULL: it was refused while it was read */
    size_t job;                   /* index in the file's jobs; SIZE_MAX: none */
    instant next;                 /* INSTANT_NEVER: none that is known */
    struct strvec notes;          /* what will differ */
};

struct crontab_file {
    char *name;    /* for people */
    char *path;    /* real path; NULL: standard input, or read by crontab(1) */
    char *label;   /* of its jobs */
    char *prefix;  /* of their names */
    char *user, *home; /* of a user crontab: whose it is */
    enum crontab_kind kind;
    bool program;  /* read and written by crontab(1) */
    struct stat status; /* with a path: as it was when it was read */
    struct buf raw;     /* its bytes */
    size_t marks;       /* lines in it that were taken over before */
    char *skipped;         /* why it is no crontab to cron; NULL: it is one */
    struct strvec remarks; /* what is to be said of it as a whole */

    bool is_anacron;       /* an anacrontab: `anacron.tab` is its crontab */
    bool is_scripts; /* a folder of scripts, read as a crontab with a line for each */
    struct anacrontab anacron;
    struct crontab crontab;
    struct crontab_entry *entries;
    size_t count, capacity;
    size_t jobs;      /* index of its jobs in the jobfiles: one each */
    struct strvec reasons; /* that the entries point to */
};

struct crontab_import {
    const struct import_options *options;
    char *runner, *home; /* the user who runs this */
    bool root;
    struct crontab_file *files;
    size_t count, capacity;
    struct jobfiles jobs;
    struct crontab_names names;
    struct zones zones;
    struct view view;
    struct changes changes;
    bool planned, done; /* changes are known; and made */
    bool served;
    size_t bytes;          /* of all that the jobs hold */
    size_t taken, reported, refused; /* lines */
    struct strvec folders; /* of crontabs, read as a whole: sources of files in them that are gone are to go too */
};

/* Finds and reads the crontabs that the caller names. */
int crontab_files_load(struct crontab_import *im, int count, char **names, struct error *e);
void crontab_file_clear(struct crontab_file *f);

/* ---- of the system ---- */

int crontab_system_load(struct crontab_import *im, int count, char **names, struct error *e);

/* A new file, valid until the next; NULL if one of that label is there already. Takes over the label. */
struct crontab_file *crontab_files_add(struct crontab_import *im, char *label);
int crontab_files_read(struct crontab_file *f, const char *path, struct error *e); /* fills in raw, status and path. The error is without the name */

const struct crontab *crontab_file_tab(const struct crontab_file *f);

/* ---- lines ---- */

/* Reads the lines, and makes jobs of them. */
void crontab_entries_make(struct crontab_import *im, struct crontab_file *f);

/* ---- crontab(1) ---- */

int crontab_program_list(const char *user, bool other, struct buf *out, struct error *e); /* other: of another user than the caller */
int crontab_program_install(const char *user, bool other, const struct buf *text, struct error *e);

/* ---- what is told ---- */

void crontab_report_text(struct buf *b, const struct crontab_import *im);
void crontab_report_json(struct buf *b, const struct crontab_import *im);
void crontab_report_refused(const struct crontab_import *im); /* on standard error */
int crontab_yaml(struct buf *b, const struct crontab_import *im, struct error *e);

/* ---- taking over ---- */

/* Another text for a crontab, ready to be put in its place. */
struct crontab_swap {
    const struct crontab_file *file;
    struct buf text, whole; /* the new one; and the one without marks, for the backup */
    char *temporary;        /* beside it; NULL: there is none */
    char *backup;
    size_t lines;           /* that change */
    bool undo, exact;       /* undo: the backup is the same, and goes */
};
struct crontab_swaps {
    struct crontab_swap *items;
    size_t count, capacity;
};

/* Writes all that is needed beside the crontabs, so that little can go wrong later. `folder`: for backups of crontabs that lie where we may not write. */
int crontab_swaps_prepare(const struct crontab_import *im, const char *folder, struct crontab_swaps *out, struct error *e);
int crontab_swaps_finish(const struct crontab_import *im, struct crontab_swaps *s, struct error *e);
void crontab_swaps_tell(struct buf *b, const struct crontab_swaps *s);
void crontab_swaps_clear(struct crontab_swaps *s); /* removes what was not finished */

#endif
