/* The one table of fields: it serves the command line's options, JSON and YAML keys, the stored record and `ax show`. A new field is a new row. */
#ifndef AX_FIELDS_H
#define AX_FIELDS_H

#include "lib/sys/child.h"
#include "lib/text/value.h"
#include "lib/time/zones.h"
#include "spool/job.h"

enum field_kind {
    FIELD_TEXT, FIELD_PATH, FIELD_BYTES, FIELD_TEXTS, /* text, absolute path, any bytes, a list of texts */
    FIELD_COMMAND, FIELD_SHELL,           /* a text or a list */
    FIELD_INT, FIELD_PERCENT, FIELD_SIZE, /* whole number; with or without %; bytes with K M G T, k m g t (powers of 1024) */
    FIELD_DURATION, FIELD_DURATIONS,
    FIELD_CHOICE, FIELD_EXITS, FIELD_MAP, FIELD_MODE, /* one of words; exit codes; NAME -> text; octal */
    FIELD_AT, FIELD_IN, FIELD_EVERY,
    FIELD_CRON, FIELD_CALENDAR, FIELD_EXCEPT, /* a text or a list: expressions */
    FIELD_ZONE, FIELD_BOUND,              /* a time zone; a date or time */
    FIELD_SAID,                           /* true, false, or not said at all, which leaves things as they are */
};

enum field_group { GROUP_WHAT, GROUP_WHEN, GROUP_MISSED, GROUP_LIMITS, GROUP_RETRY, GROUP_LOST, GROUP_WHERE, GROUP_KEPT, GROUP_TOLD, GROUP_STATE };

struct field {
    const char *name; /* retry_delay; the option is --retry-delay. NULL ends the table */
    enum field_group group;
    enum field_kind kind;
    size_t offset; /* in struct job. GROUP_STATE: of the state, not in the record of the definition */
    int64_t standard;         /* the default of numbers and durations (ns); of exits: the codes 0-7 as bits */
    int64_t minimum, maximum; /* of numbers and durations; of exits: how many there must be */
    const char *const *words; /* FIELD_CHOICE; of a FIELD_MAP the names it may have (NULL: any), a blank at the end of those with more behind them */
    const char *fallback;     /* the default as text, for help; NULL: none */
    const char *placeholder;
    const char *help;         /* one line */
    int (*check)(const char *name, const char *value, struct error *e); /* of a text, or of each entry of a map; NULL: all will do */
};

extern const struct field fields[]; /* ended by a NULL name */

const struct field *field_find(const char *name); /* as written in JSON and YAML; NULL if unknown */
char *field_option(const char *name);                     /* `retry_delay` to `retry-delay`; malloc'd */
char *field_key(const char *word, size_t length);         /* `retry-delay` to `retry_delay`; malloc'd */
const char *field_nearest(const char *name);      /* for "did you mean"; may be NULL */

struct field_context { /* what texts are read against. NULL in its place reads what FIELD_RECORD has written */
    const struct zone *zone;
    struct zones *zones; /* keeps the named zones that were loaded; NULL: none are kept. Its local zone is not asked for */
    instant now;
    const char *directory; /* what relative paths start from; NULL: they are refused */
};

/* Sets the field from a value: what JSON and YAML hold (null: the default), or one text from the command line (tags and a map's NAME=VALUE are added
 * to those there; tags, retry_delay and exit sets take `1,2,3`; shell is split at blanks). A second schedule is refused. ERROR_USAGE with e->field set; j
 * is unchanged then.
 * In JSON and YAML a whole number is a number, not a text of one. Where a text is wanted (a word of a command, a value of env) a whole number is taken as
 * its digits, since people write [sleep, 5]; true and 0.5 are not: nobody knows how they were written. */
int field_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e);
int field_set_text(struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e);

bool field_is_default(const struct job *j, const struct field *f);

/* The value that field_set reads back to the same. FIELD_PRINT: times as RFC 3339 text; FIELD_RECORD: as int64 nanoseconds. */
enum field_form { FIELD_PRINT, FIELD_RECORD };
struct value field_get(const struct job *j, const struct field *f, enum field_form form);

/* rlimits as what the kernel takes. *out is malloc'd. ERROR_USAGE with the field. */
int fields_limits(const struct job *j, struct child_limit **out, int *count, struct error *e);

/* A whole job from a map of field names (one line of ndjson, one job of a file), checked by job_check: unknown names are refused with the nearest
 * known one. Local times are those of `timezone`, wherever in the map that stands. j is initialised; after a failure it holds some of the fields: job_clear it. */
int fields_read(struct job *j, const struct value *map, const struct field_context *c, struct error *e);

/* All fields that are not default, in table order. */
struct value fields_write(const struct job *j, enum field_form form);
void fields_put(struct value *map, const struct job *j, enum field_form form); /* the same into a map that is there */

#endif
