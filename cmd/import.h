/* What `ax import` is told. */
#ifndef AX_IMPORT_H
#define AX_IMPORT_H

#include "cmd/command.h"

struct import_options {
    struct common common;
    bool json, quiet;

    /* of crontabs */
    const char *user; /* whose crontab it is; NULL: the caller's */
    const char *prefix; /* of the names of the jobs; NULL: the file's name */
    int dialect;      /* enum crontab_dialect; -1: not said */
    bool system, dry_run, yaml, skip_bad, take_over, undo;
};

/* The exit code. */
int import_crontab(const struct command *self, const struct import_options *o, int count, char **names);
int import_ndjson(const struct command *self, const struct import_options *o, int count, char **names);

#endif
