/* A line of the field `notify`, from the notice to a process: as the command of its job starts, but that nothing which
 * keeps that command from starting keeps the line from telling of it, where it can be helped. */
#ifndef AX_NOTIFIER_LINE_H
#define AX_NOTIFIER_LINE_H

#include "spool/launch.h"
#include "spool/store.h"

struct line {
    bool asked; /* line_read has looked */
    char *text; /* NULL: nobody wants to be told any more */
    char *spool;
    struct job job;
    struct run run;
    struct notice notice;
    pid_t pid; /* 0: it does not run */
    int pidfd, pipe;
};

/* Inside a read transaction. A job that is gone, or has no such rule any more, leaves text NULL. */
int line_read(struct store *s, const struct notice *n, struct line *out, struct error *e);
char *line_start(struct line *l); /* NULL: it runs; else why it does not, malloc'd */
void line_clear(struct line *l);

#endif
