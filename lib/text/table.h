/* Aligned columns for people. Cells are made visible (visible.h) when they are added. */
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
};

struct table;

struct table *table_new(const struct table_column *columns, int count); /* columns must outlive the table */
void table_free(struct table *t);
void table_cell(struct table *t, enum table_colour colour, const char *text); /* next cell, row by row */
void table_cellf(struct table *t, enum table_colour colour, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* Title line and rows, the title bold. width 0: as wide as it gets. colour: write SGR sequences. No blanks at the end of a line. */
void table_write(struct buf *b, const struct table *t, int width, bool colour);

#endif
