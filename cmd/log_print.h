/* The way of a run's output to standard output: made safe or byte for byte, whole, its first lines or its last ones. */
#ifndef AX_LOG_PRINT_H
#define AX_LOG_PRINT_H

#include <stdint.h>

#include "cmd/command.h"

struct log_print {
    const struct command *command;
    bool safe;       /* for a terminal */
    int head;        /* lines that may still be printed; -1: all */
    int tail;        /* lines that are held back, the last ones so far; -1: none are */
    struct buf out, held; /* held: a character that is not whole yet */
    struct buf last;      /* of the tail, and more until it is cut */
    size_t cut_at;        /* its length at which it is cut again */
    int64_t hole;    /* bytes that are not kept, in the tail at `hole_at`; 0: none */
    size_t hole_at;
};

void log_print_init(struct log_print *p, const struct command *command, bool safe); /* all lines */
void log_print_clear(struct log_print *p);

void log_print(struct log_print *p, const char *data, size_t length);
void log_print_hole(struct log_print *p, int64_t missing); /* so many bytes are not kept here */
void log_print_release(struct log_print *p);               /* what there was so far is all here: prints the tail, and nothing is held back any more */
void log_print_end(struct log_print *p);                   /* the end of one output */
bool log_print_full(const struct log_print *p);            /* nothing will be printed any more */

#endif
