/* Options are data: a row binds letter, word, kind, place, placeholder and help. Parsing, usage text and completion are walks over the rows. */
#ifndef AX_OPTIONS_H
#define AX_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"

enum option_kind {
    OPTION_FLAG,     /* bool: set to true */
    OPTION_TEXT,     /* const char *: the argument, not copied */
    OPTION_TEXTS,    /* struct strvec: repeated */
    OPTION_INT,      /* int within minimum..maximum */
    OPTION_DURATION, /* duration */
    OPTION_CHOICE,   /* int: index into choices */
    OPTION_CHOICES,  /* unsigned: bits of the indexes of one choice or several with commas, added to those there */
    OPTION_CALL,     /* call(target, row, argument) decides */
};

struct option_row {
    char letter; /* 0: none */
    const char *word; /* without --; NULL ends a table of rows */
    enum option_kind kind;
    size_t offset; /* of the place in the target struct */
    const char *placeholder; /* NULL for flags; OPTION_CALL without one takes no argument */
    const char *help; /* one line, lower case, no full stop; NULL: hidden */
    int minimum, maximum;
    const char *const *choices; /* NULL-terminated */
    int (*call)(void *target, const struct option_row *row, const char *argument, struct error *e);
    const void *data; /* for call */
};

enum option_style {
    OPTIONS_ANYWHERE, /* options and operands mix, `--` ends the options: operands are moved to the end, as GNU getopt does */
    OPTIONS_FIRST,    /* the first operand ends the options (POSIX XBD 12.2); a `--` that ends them is consumed */
};

/* Parses argv[0..argc), which holds no program name, into target. Returns the index of the first operand, or a negative code: unknown
 * option (with the nearest known one), argument missing, not wanted or invalid; error.field is the option as written (`--timeout`).
 * Long options take `--word value` and `--word=value` and unambiguous beginnings are NOT taken; short ones bundle. A repeated option
 * counts as given last, OPTION_TEXTS, OPTION_CHOICES and OPTION_CALL each time. On failure argv is as it was; target may hold what came before. */
int options_parse(const struct option_row *rows, enum option_style style, int argc, char **argv, void *target, struct error *e);

/* The option part of a usage text, aligned, wrapped at 80 columns. */
void options_usage(struct buf *b, const struct option_row *rows);

#endif
