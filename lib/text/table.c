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
    size_t *natural; /* of each column: the widest cell so far */
    bool *left_out;
    bool fitted;     /* which columns are left out is decided */
};

struct table *table_new(const struct table_column *columns, int count)
{
    struct table *t = mem_zero(1, sizeof *t);
    t->columns = columns;
    t->count = (size_t)count;
    t->natural = mem_zero(t->count, sizeof *t->natural);
    t->left_out = mem_zero(t->count, sizeof *t->left_out);
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
    free(t->natural);
    free(t->left_out);
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
    size_t total = 0, shown = 0;
    for (size_t c = 0; c < t->count; c++)
        if (!t->left_out[c]) {
            total += widths[c];
            shown++;
        }
    return total + (shown ? (shown - 1) * TABLE_GAP : 0);
}

static void table_measure(struct table *t)
{
    for (size_t i = 0; i < t->used; i++)
        if (t->cells[i].width > t->natural[i % t->count])
            t->natural[i % t->count] = t->cells[i].width;
}

static bool table_shrinks(const struct table *t, size_t column)
{
    return t->columns[column].stretch && !t->left_out[column];
}

static size_t table_least(const struct table *t, size_t column)
{
    size_t least = t->columns[column].least ? (size_t)t->columns[column].least : TABLE_LEAST;
    return t->columns[column].stretch && least < t->natural[column] ? least : t->natural[column];
}

/* Leaves columns out until the others fit, cut as far as they may be. */
static void table_fit(struct table *t, size_t *widths, size_t width)
{
    for (size_t c = 0; c < t->count; c++)
        widths[c] = table_least(t, c);
    while (table_total(t, widths) > width) {
        size_t out = t->count;
        for (size_t c = 0; c < t->count; c++)
            if (t->columns[c].drop && !t->left_out[c] && (out == t->count || t->columns[c].drop > t->columns[out].drop))
                out = c;
        if (out == t->count)
            return;
        t->left_out[out] = true;
    }
}

/* Takes `excess` columns away from the stretch columns, always from the widest one, down to the next in width. */
static void table_shrink(const struct table *t, size_t *widths, size_t excess)
{
    while (excess) {
        size_t widest = t->count, equal = 0;
        for (size_t c = 0; c < t->count; c++)
            if (table_shrinks(t, c) && widths[c] > table_least(t, c) && (widest == t->count || widths[c] > widths[widest]))
                widest = c;
        if (widest == t->count)
            return;
        size_t next = table_least(t, widest);
        for (size_t c = 0; c < t->count; c++) {
            equal += table_shrinks(t, c) && widths[c] == widths[widest];
            if (table_shrinks(t, c) && widths[c] < widths[widest] && widths[c] > next)
                next = widths[c];
        }
        size_t step = widths[widest] - next, share = excess / equal ? excess / equal : 1;
        step = step < share ? step : share;
        widths[widest] -= step;
        excess -= step;
    }
}

static void table_widths(struct table *t, size_t *widths, int width)
{
    table_measure(t);
    if (width > 0 && !t->fitted)
        table_fit(t, widths, (size_t)width);
    t->fitted = true;
    memcpy(widths, t->natural, t->count * sizeof *widths);
    size_t total = table_total(t, widths);
    if (width > 0 && total > (size_t)width)
        table_shrink(t, widths, total - (size_t)width);
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
    bool begun = false;
    for (size_t i = first; i < last; i++) {
        if (t->left_out[i - first])
            continue;
        if (begun)
            buf_format(b, "%*s", TABLE_GAP, "");
        begun = true;
        table_write_cell(b, t, &t->cells[i], widths[i - first], colour);
    }
    while (b->length && b->data[b->length - 1] == ' ')
        buf_cut(b, b->length - 1);
    buf_char(b, '\n');
}

void table_write(struct buf *b, struct table *t, int width, bool colour)
{
    size_t *widths = mem_zero(t->count, sizeof *widths);
    table_widths(t, widths, width);
    for (size_t row = 0; row * t->count < t->used; row++)
        table_write_row(b, t, row, widths, colour);
    free(widths);
    t->used = 0;
    buf_reset(&t->text);
}
