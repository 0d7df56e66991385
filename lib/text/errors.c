#include "lib/text/errors.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/text/visible.h"

#define ERRORS_COLUMNS 100 /* of a line of source that are shown, */
#define ERRORS_BEFORE 60   /* and of these before the place, where the line is longer */

void errors_clear(struct errors *list)
{
    for (size_t i = 0; i < list->count; i++) {
        free(list->items[i].file);
        free(list->items[i].hint);
    }
    free(list->items);
    *list = (struct errors){0};
}

void errors_add(struct errors *list, const char *file, bool warning, const struct error *e, const char *hint)
{
    MEM_GROW(list->items, list->capacity, list->count + 1);
    list->items[list->count++] = (struct errors_item){mem_string(file), warning, mem_string(hint), *e};
    list->warnings += warning;
}

/* ---- order ---- */

struct errors_rank {
    size_t file, at; /* number of the file, place in the list */
    const struct errors_item *item;
};

static bool errors_same_file(const struct errors_item *a, const struct errors_item *b)
{
    return a->file && b->file ? strcmp(a->file, b->file) == 0 : a->file == b->file;
}

/* The first item of the same file; errors of one file mostly stand together. */
static size_t errors_file(const struct errors *list, const struct errors_rank *ranks, size_t at)
{
    if (at && errors_same_file(&list->items[at], &list->items[at - 1]))
        return ranks[at - 1].file;
    for (size_t i = 0; i < at; i++)
        if (ranks[i].file == i && errors_same_file(&list->items[at], &list->items[i]))
            return i;
    return at;
}

static int errors_compare_numbers(long a, long b)
{
    return a < b ? -1 : a > b;
}

static int errors_compare(const void *left, const void *right)
{
    const struct errors_rank *a = left, *b = right;
    int order = errors_compare_numbers((long)a->file, (long)b->file);
    if (order == 0)
        order = errors_compare_numbers(a->item->error.line, b->item->error.line);
    if (order == 0)
        order = errors_compare_numbers(a->item->error.column, b->item->error.column);
    return order ? order : errors_compare_numbers((long)a->at, (long)b->at);
}

void errors_sort(struct errors *list)
{
    if (list->count < 2)
        return;
    struct errors_rank *ranks = mem_zero(list->count, sizeof *ranks);
    for (size_t i = 0; i < list->count; i++)
        ranks[i] = (struct errors_rank){errors_file(list, ranks, i), i, &list->items[i]};
    qsort(ranks, list->count, sizeof *ranks, errors_compare);
    struct errors_item *sorted = mem_zero(list->count, sizeof *sorted);
    for (size_t i = 0; i < list->count; i++)
        sorted[i] = *ranks[i].item;
    free(list->items);
    free(ranks);
    list->items = sorted;
    list->capacity = list->count;
}

/* ---- places ---- */

static bool errors_inside(char c)
{
    return ((unsigned char)c & 0xc0) == 0x80; /* of a character that has begun */
}

int errors_locate_line(struct error *e, const char *text, size_t length, int line, int column, int width)
{
    if (!e || e->line || e->column)
        return e ? -(int)e->code : -(int)ERROR_USAGE;
    const char *end = memchr(text, '\n', length);
    size_t size = end ? (size_t)(end - text) : length;
    size -= size && text[size - 1] == '\r';
    size_t room = sizeof e->source - 1, skip = 0;
    if (size > room && (size_t)column > room / 2)
        skip = (size_t)column - room / 2;
    if (skip > size)
        skip = size;
    while (skip && skip < size && errors_inside(text[skip]))
        skip++;
    size_t shown = size - skip < room ? size - skip : room;
    while (shown && skip + shown < size && errors_inside(text[skip + shown]))
        shown--;
    memcpy(e->source, text + skip, shown);
    e->source[shown] = '\0';
    e->source_skip = (int)skip;
    return error_place(e, NULL, line, column, width);
}

int errors_locate(struct error *e, const char *text, size_t length, int line, int column, int width)
{
    const char *at = text, *end = text + length;
    if (length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0)
        at += 3;
    for (int i = 1; i < line; i++) {
        const char *next = memchr(at, '\n', (size_t)(end - at));
        if (!next) {
            at = end;
            break;
        }
        at = next + 1;
    }
    return errors_locate_line(e, at, (size_t)(end - at), line, column, width);
}

/* ---- what is shown ---- */

static size_t errors_width(const struct buf *b)
{
    return visible_width(buf_string(b), b->length);
}

/* Drops what is before the last `columns` columns. */
static void errors_cut_front(struct buf *b, size_t columns)
{
    size_t begin = 0;
    uint32_t c = 0;
    while (begin < b->length && visible_width(b->data + begin, b->length - begin) > columns)
        begin += utf8_decode(b->data + begin, b->length - begin, &c);
    while (begin < b->length && utf8_decode(b->data + begin, b->length - begin, &c) && utf8_width(c) == 0)
        begin += utf8_decode(b->data + begin, b->length - begin, &c); /* marks on what is gone */
    struct buf rest = {0};
    buf_text(&rest, "...");
    buf_add(&rest, b->data + begin, b->length - begin);
    buf_clear(b);
    *b = rest;
}

static void errors_cut_end(struct buf *b, size_t columns)
{
    buf_cut(b, visible_fit(buf_string(b), b->length, columns));
    buf_text(b, "...");
}

/* The line of source in three pieces, as they look on the screen: control characters are wider there. */
void errors_format_place(const struct error *e, struct buf *b)
{
    if (e->column < 1 || !e->source[0])
        return;
    size_t length = strlen(e->source), before = (size_t)e->column - 1;
    before = before > (size_t)e->source_skip ? before - (size_t)e->source_skip : 0;
    if (before > length)
        before = length;
    size_t width = e->width > 1 ? (size_t)e->width : 1;
    if (width > length - before)
        width = length - before;
    struct buf head = {0}, body = {0}, tail = {0};
    visible_add(&head, e->source, before, false);
    visible_add(&body, e->source + before, width, false);
    visible_add(&tail, e->source + before, length - before, false);
    bool longer = errors_width(&head) + errors_width(&tail) > ERRORS_COLUMNS;
    if (e->source_skip || (longer && errors_width(&head) > ERRORS_BEFORE))
        errors_cut_front(&head, ERRORS_BEFORE);
    if (errors_width(&head) + errors_width(&tail) > ERRORS_COLUMNS)
        errors_cut_end(&tail, ERRORS_COLUMNS - errors_width(&head));
    buf_format(b, "    %s%s\n    %*s^", buf_string(&head), buf_string(&tail), (int)errors_width(&head), "");
    size_t under = errors_width(&body) < errors_width(&tail) ? errors_width(&body) : errors_width(&tail);
    for (size_t i = under; i > 1; i--)
        buf_char(b, '~');
    buf_char(b, '\n');
    buf_clear(&head);
    buf_clear(&body);
    buf_clear(&tail);
}

static void errors_format_where(const struct errors_item *item, struct buf *b)
{
    if (item->file)
        visible_add(b, item->file, strlen(item->file), false);
    if (item->error.line > 0)
        buf_format(b, item->file ? ":%d" : "line %d", item->error.line);
    if (item->error.line > 0 && item->error.column > 0)
        buf_format(b, item->file ? ":%d" : ", column %d", item->error.column);
    if (item->file || item->error.line > 0)
        buf_text(b, ": ");
}

void errors_format(const struct errors_item *item, struct buf *b)
{
    const struct error *e = &item->error;
    errors_format_where(item, b);
    if (item->warning)
        buf_text(b, "warning: ");
    if (e->field[0] && !strstr(e->text, e->field)) { /* not twice */
        visible_add(b, e->field, strlen(e->field), false);
        buf_text(b, ": ");
    }
    visible_add(b, e->text, strlen(e->text), false);
    buf_char(b, '\n');
    errors_format_place(e, b);
    if (item->hint) {
        buf_text(b, "    hint: ");
        visible_add(b, item->hint, strlen(item->hint), false);
        buf_char(b, '\n');
    }
}
