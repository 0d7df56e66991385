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

/* By file (in the order of their first errors), line and column. */
void errors_sort(struct errors *list);

/* `file:line:column: message`, the line of source and a caret under the place, the hint; each on lines of its own. What cannot be seen is made visible by the caller. */
void errors_format(const struct errors_item *item, struct buf *b);

#endif
