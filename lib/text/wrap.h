/* Running text for a terminal: broken at blanks. */
#ifndef AX_WRAP_H
#define AX_WRAP_H

#include <stddef.h>

#include "lib/base/buf.h"

struct wrap {
    int column; /* where the text begins: what stands in front of it is there already */
    int indent; /* blanks in front of each further line */
    int width;  /* of the terminal, in columns; 0: nothing is broken */
};

/* Adds the text (UTF-8, made visible, no line ends in it) in lines that are not wider than the terminal; a word that is wider gets a line for itself. No line end is
 * added behind the last one. */
void wrap_add(struct buf *b, struct wrap w, const char *text, size_t length);

#endif
