/* Jobs as job files: YAML that `ax apply` takes back. */
#ifndef AX_EXPORT_YAML_H
#define AX_EXPORT_YAML_H

#include "lib/base/buf.h"
#include "spool/store.h"

/* One document for each source, in the order in which they come; the jobs that were added by hand are one too. */
struct export_document {
    char *source; /* NULL: added by hand */
    struct strvec queues;
    struct buf jobs;
};
struct export_yaml {
    struct export_document *items;
    size_t count, capacity, last;
    bool environment;          /* with what jobs have kept of their caller's */
    struct strvec limits;      /* NAME=LIMIT of all queues that have one */
    uint64_t *lossy;           /* jobs with texts that are no UTF-8: YAML is Unicode */
    size_t lossy_count, lossy_capacity;
};

void export_yaml_clear(struct export_yaml *x);

/* Inside a transaction. The name is that of the job, unless it has none or another job has it now: then it is one made of its number. */
int export_yaml_limits(struct export_yaml *x, struct store *s, struct error *e);
void export_yaml_add(struct export_yaml *x, struct store *s, const struct job *j);

void export_yaml_write(struct buf *b, const struct export_yaml *x);

/* One job with all its fields but `name`, two blanks in, below `jobs:`. Returns false if some of its texts are no UTF-8: those bytes are U+FFFD then. */
bool export_yaml_job(struct buf *b, const struct job *j, const char *name, bool environment);

#endif
