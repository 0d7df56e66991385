/* Aligned columns for people. Cells are made visible (visible.h) when they are added. A long table is written in parts: fill, write, fill, write. */
#ifndef AX_TABLE_H
#define AX_TABLE_H

#include <stdbool.h>
#include <stdio.h>

#include "lib/base/buf.h"

enum table_colour { TABLE_PLAIN, TABLE_DIM, TABLE_RED, TABLE_GREEN, TABLE_YELLOW, TABLE_BLUE, TABLE_BOLD };

struct table_column {
    const char *title;
    bool right;   /* align right */
    bool stretch; /* as wide as its cells, but cut with ... when there is too little room; several share it */
    int least;    /* of a stretch column: it is not cut below this; 0: 8 */
    int drop;     /* where the columns do not fit although all are cut: those with higher numbers are left out first; 0: never */
};

struct table;

struct table *table_new(const struct table_column *columns, int count); /* columns must outlive the table */
void table_free(struct table *t);
void table_cell(struct table *t, enum table_colour colour, const char *text); /* next cell, row by row */
void table_cellf(struct table *t, enum table_colour colour, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Writes the rows there are, and empties the table; in front of the first ones the titles, bold. The columns of a later part are at least as wide as before, and
 * those left out stay so. width 0: as wide as it gets. colour: write SGR sequences. No blanks at the end of a line. */
void table_write(struct buf *b, struct table *t, int width, bool colour);

#endif
