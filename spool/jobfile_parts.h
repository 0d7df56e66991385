/* What the files of the job file reader share; nobody else needs it. */
#ifndef AX_JOBFILE_PARTS_H
#define AX_JOBFILE_PARTS_H

#include "lib/text/value.h"
#include "lib/time/zones.h"
#include "spool/fields.h"
#include "spool/jobfile.h"

struct jobfile_place {
    int line, column, width;
};

/* One document while it is read. */
struct jobfile_reader {
    const char *file, *text;
    size_t length;
    const struct jobfile_rules *rules;
    struct errors *errors;
    struct jobfile *out;
    struct zones zones;
    char *folder;                 /* of the file */
    struct strvec params;         /* NAME=VALUE */
    size_t filled;                /* bytes that were filled in for them */
    const struct value *defaults; /* a map, or NULL */
    bool *default_bad;            /* which of its items are not to be taken */
    bool as_list;                 /* its jobs are written as a list, which was refused: `name` says what they are called */
    bool broken;                  /* YAML found errors: what is missing may be missing because of them */
    bool told_folder;             /* that commands run in a temporary folder */
    size_t first, own;            /* in the list of errors: the first of this file, the first that is not one of YAML */
    size_t told;                  /* so many of the latter */
    int seek_line;                /* the line found last, and where it begins */
    const char *seek;
};

/* ---- jobfile_tell.c: errors and their places ---- */

struct jobfile_place jobfile_place_of(const struct value *v, const char *key); /* of the value; of the key where the value has none */
struct jobfile_place jobfile_place_key(const struct value *v, const char *key);

const char *jobfile_line(struct jobfile_reader *r, int line, size_t *rest); /* where the line begins, and how much text there is from there on */

char *jobfile_written(struct jobfile_reader *r, struct jobfile_place at); /* that line for later errors; NULL: it is too long */

bool jobfile_line_broken(const struct jobfile_reader *r, int line); /* YAML has told an error of it: nothing else is */

/* An error or a warning at a place. e may have no place of its own. */
void jobfile_tell(struct jobfile_reader *r, bool warning, struct error *e, struct jobfile_place at, const char *hint);
void jobfile_refuse(struct jobfile_reader *r, struct jobfile_place at, const char *hint, const char *format, ...) __attribute__((format(printf, 4, 5)));
void jobfile_warn(struct jobfile_reader *r, struct jobfile_place at, const char *hint, const char *format, ...) __attribute__((format(printf, 4, 5)));

/* What field_set says of v: the place within a text, or of an item of a list, is found again in the file. */
void jobfile_tell_field(struct jobfile_reader *r, struct error *e, const struct value *v, const char *key, const char *hint);

/* ---- jobfile_hints.c: what people stumble over ---- */

enum jobfile_part { PART_DOCUMENT, PART_JOB, PART_QUEUE };

/* The end of a message about a key that there is not, such as ": did you mean `cron`?"; may be empty. */
void jobfile_hint_key(struct buf *b, const char *key, enum jobfile_part part);
bool jobfile_means(const char *key, const char *field); /* it is another system's word for the field */

/* What helps where the value of a field was refused, or NULL. */
const char *jobfile_hint_value(const struct field *f, const struct value *v);

/* ---- jobfile_params.c: placeholders ---- */

void jobfile_params_read(struct jobfile_reader *r, const struct value *map); /* NULL: there are none */
void jobfile_params_fill(struct jobfile_reader *r, struct value *v);         /* in all texts of v */

/* ---- jobfile_job.c: jobs and defaults ---- */

void jobfile_read_defaults(struct jobfile_reader *r, const struct value *map);
void jobfile_read_job(struct jobfile_reader *r, const char *name, struct jobfile_place at, const struct value *v);

#endif
