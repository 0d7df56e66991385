/* Many errors at once, of files that are read whole: each with its place, in the order in which they were found. A zeroed struct is an empty list. */
#ifndef AX_ERRORS_H
#define AX_ERRORS_H

#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"

struct errors_item {
    char *file;         /* as the user named it; NULL: none */
    bool warning;       /* what is read is taken all the same */
    char *hint;         /* what helps, one line; NULL: none */
    struct error error;
};

struct errors {
    struct errors_item *items;
    size_t count, capacity;
    size_t warnings;    /* so many of them are warnings */
};

void errors_clear(struct errors *list);
void errors_add(struct errors *list, const char *file, bool warning, const struct error *e, const char *hint);

/* By file (in the order of their first errors), line and column; what is equal stays in its order. */
void errors_sort(struct errors *list);

/* Gives an error that has no place yet its place in a text that was read whole: the line of source is looked up, and a line that is too long is cut around the
 * place. Columns and width are bytes. A BOM in front of the text does not count. Returns -code. */
int errors_locate(struct error *e, const char *text, size_t length, int line, int column, int width);

/* The same where the line is at hand (its line end may follow). */
int errors_locate_line(struct error *e, const char *text, size_t length, int line, int column, int width);

/* `file:line:column: message`, the line of source and a caret under the place, the hint; each on lines of its own. Safe for a terminal. */
void errors_format(const struct errors_item *item, struct buf *b);

/* The line of source and the caret alone, four blanks in. Nothing where the error has no place. Long lines are cut around the place. */
void errors_format_place(const struct error *e, struct buf *b);

#endif
