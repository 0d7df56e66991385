/* The jobs that a command line names, one by one or by what they have in common, and the deed that is done with each. */
#ifndef AX_CHOSEN_H
#define AX_CHOSEN_H

#include "cmd/command.h"
#include "cmd/selector.h"
#include "spool/store.h"

struct choice {
    const struct command *command;
    const struct common *common;
    const struct selector *selector; /* NULL: the command has none */
    char **words;                    /* numbers and names */
    int count;
    bool runs;                       /* a word may name a run: 12.3 */
    bool reads;                      /* the deed only looks */
    instant now;
};

struct chosen {
    uint64_t job;
    uint32_t run; /* 0: the job was named */
};

typedef int chosen_call(void *context, struct store *s, const struct chosen *x, struct error *e);

/* Calls back for each, in one transaction: where one call fails, nothing is done. Of those that a selector has found, the ones that the deed does not
 * apply to (ERROR_FAILED) are left out; if that are all, it fails as the last did. ERROR_USAGE: none is named, both ways are taken, or many are found and
 * nobody says that they are meant; ERROR_NOT_FOUND: one is not there, or none is found. */
int chosen_do(const struct choice *c, chosen_call *call, void *context, struct error *e);

#endif
