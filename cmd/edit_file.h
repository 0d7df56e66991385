/* A temporary file, and the editor of whoever calls. */
#ifndef AX_EDIT_FILE_H
#define AX_EDIT_FILE_H

#include <stdbool.h>
#include <stdint.h>

#include "lib/base/buf.h"
#include "lib/text/errors.h"

struct edit_file {
    char *path; /* only for its owner; ends in .yaml, so that editors know it */
    bool kept;
};

int edit_file_new(struct edit_file *f, uint64_t number, struct error *e);
void edit_file_clear(struct edit_file *f); /* removes it */
void edit_file_keep(struct edit_file *f);  /* it is not to be removed */

/* Writes the text; the errors in front of it, as comments, with the lines they will be in then. */
int edit_file_write(const struct edit_file *f, struct errors *errors, const struct buf *text, struct error *e);
/* What stands in it now, without the errors that were written in front. */
int edit_file_read(const struct edit_file *f, struct buf *text, struct error *e);
bool edit_file_is_empty(const struct buf *text); /* nothing but blanks and comments */

/* Runs the editor and waits for its end. ERROR_FAILED if it cannot be started, or fails. */
int edit_file_edit(const struct edit_file *f, struct error *e);

#endif
