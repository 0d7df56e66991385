#include "lib/text/table.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/visible.h"

#define TABLE_GAP 2
#define TABLE_LEAST 8 /* a stretch column is not cut below this */

struct table_entry {
    size_t offset, length; /* in the text of all cells */
    size_t width;
    enum table_colour colour;
};

struct table {
    const struct table_column *columns;
    size_t count;
    struct buf text;
    struct table_entry *cells; /* the titles are the first row */
    size_t used, capacity;
};

struct table *table_new(const struct table_column *columns, int count)
{
    struct table *t = mem_zero(1, sizeof *t);
    t->columns = columns;
    t->count = (size_t)count;
    for (int i = 0; i < count; i++)
        table_cell(t, TABLE_BOLD, columns[i].title);
    return t;
}

void table_free(struct table *t)
{
    if (!t)
        return;
    buf_clear(&t->text);
    free(t->cells);
    free(t);
}

void table_cell(struct table *t, enum table_colour colour, const char *text)
{
    size_t offset = t->text.length;
    visible_add(&t->text, text, strlen(text), false);
    size_t length = t->text.length - offset;
    size_t width = length ? visible_width(t->text.data + offset, length) : 0;
    MEM_GROW(t->cells, t->capacity, t->used + 1);
    t->cells[t->used++] = (struct table_entry){offset, length, width, colour};
}

void table_cellf(struct table *t, enum table_colour colour, const char *format, ...)
{
    struct buf text = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&text, format, arguments);
    va_end(arguments);
    table_cell(t, colour, buf_string(&text));
    buf_clear(&text);
}

/* ---- widths ---- */

static size_t table_total(const struct table *t, const size_t *widths)
{
    size_t total = t->count ? (t->count - 1) * TABLE_GAP : 0;
    for (size_t c = 0; c < t->count; c++)
        total += widths[c];
    return total;
}

static size_t table_widest(const struct table *t, size_t column)
{
    size_t widest = 0;
    for (size_t i = column; i < t->used; i += t->count)
        if (t->cells[i].width > widest)
            widest = t->cells[i].width;
    return widest;
}

/* Takes `excess` columns away from the stretch columns, always from the widest one, down to the next in width. */
static void table_shrink(const struct table *t, size_t *widths, size_t excess)
{
    while (excess) {
        size_t widest = t->count, next = TABLE_LEAST, equal = 0;
        for (size_t c = 0; c < t->count; c++)
            if (t->columns[c].stretch && widths[c] > TABLE_LEAST && (widest == t->count || widths[c] > widths[widest]))
                widest = c;
        if (widest == t->count)
            return;
        for (size_t c = 0; c < t->count; c++) {
            equal += t->columns[c].stretch && widths[c] == widths[widest];
            if (t->columns[c].stretch && widths[c] < widths[widest] && widths[c] > next)
                next = widths[c];
        }
        size_t step = widths[widest] - next, share = excess / equal ? excess / equal : 1;
        step = step < share ? step : share;
        widths[widest] -= step;
        excess -= step;
    }
}

/* ---- lines ---- */

static const char *table_sgr(enum table_colour colour)
{
    static const char *const codes[] = {
        [TABLE_PLAIN] = "",
        [TABLE_DIM] = "\033[2m",
        [TABLE_RED] = "\033[31m",
        [TABLE_GREEN] = "\033[32m",
        [TABLE_YELLOW] = "\033[33m",
        [TABLE_BLUE] = "\033[34m",
        [TABLE_BOLD] = "\033[1m",
    };
    return codes[colour];
}

/* The cell's text, at most `width` columns; returns the columns written. */
static size_t table_write_text(struct buf *b, const struct table *t, const struct table_entry *cell, size_t width)
{
    const char *text = buf_string(&t->text) + cell->offset;
    if (cell->width <= width) {
        buf_add(b, text, cell->length);
        return cell->width;
    }
    size_t length = visible_fit(text, cell->length, width - 3);
    buf_add(b, text, length);
    buf_text(b, "...");
    return visible_width(text, length) + 3;
}

static void table_write_cell(
    struct buf *b, const struct table *t, const struct table_entry *cell, size_t width, bool colour)
{
    const char *sgr = colour && cell->length ? table_sgr(cell->colour) : "";
    bool right = t->columns[(size_t)(cell - t->cells) % t->count].right;
    if (right && cell->width < width)
        buf_format(b, "%*s", (int)(width - cell->width), "");
    buf_text(b, sgr);
    size_t written = table_write_text(b, t, cell, width);
    if (*sgr)
        buf_text(b, "\033[0m");
    if (!right || cell->width > width)
        buf_format(b, "%*s", (int)(width - written), "");
}

static void table_write_row(struct buf *b, const struct table *t, size_t row, const size_t *widths, bool colour)
{
    size_t first = row * t->count, last = first + t->count < t->used ? first + t->count : t->used;
    for (size_t i = first; i < last; i++) {
        if (i > first)
            buf_format(b, "%*s", TABLE_GAP, "");
        table_write_cell(b, t, &t->cells[i], widths[i - first], colour);
    }
    while (b->length && b->data[b->length - 1] == ' ')
        buf_cut(b, b->length - 1);
    buf_char(b, '\n');
}

void table_write(struct buf *b, const struct table *t, int width, bool colour)
{
    size_t *widths = mem_zero(t->count, sizeof *widths);
    for (size_t c = 0; c < t->count; c++)
        widths[c] = table_widest(t, c);
    size_t total = table_total(t, widths);
    if (width > 0 && total > (size_t)width)
        table_shrink(t, widths, total - (size_t)width);
    for (size_t row = 0; row * t->count < t->used; row++)
        table_write_row(b, t, row, widths, colour);
    free(widths);
}
