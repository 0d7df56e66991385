#include "cmd/changes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/json.h"
#include "lib/text/visible.h"
#include "spool/fields.h"

#define RED "\033[31m"
#define GREEN "\033[32m"
#define PLAIN "\033[0m"

struct side { /* a line of what was, or of what is */
    const char *colour;
    char sign;
};
static const struct side side_old = {RED, '-'}, side_new = {GREEN, '+'};

static void add_painted(struct buf *b, const struct side *side, const char *text, size_t length, bool colour)
{
    buf_text(b, colour ? side->colour : "");
    visible_add(b, text, length, false);
    buf_text(b, colour ? PLAIN : "");
}

/* A text as it is, all else as JSON; a default by its word in the help. */
static void add_value(struct buf *b, const struct job *j, const struct field *f)
{
    struct value v = field_get(j, f, FIELD_PRINT);
    if (field_is_default(j, f))
        buf_text(b, f->fallback ? f->fallback : "-");
    else if (v.kind == VALUE_TEXT)
        buf_add(b, v.text.data, v.text.length);
    else
        json_write(b, &v, NULL);
    value_clear(&v);
}

static void add_pair(struct buf *b, const char *label, const struct buf *old, const struct buf *new, bool colour)
{
    buf_text(b, "    ");
    visible_add(b, label, strlen(label), false);
    buf_text(b, ": ");
    add_painted(b, &side_old, buf_string(old), old->length, colour);
    buf_text(b, " -> ");
    add_painted(b, &side_new, buf_string(new), new->length, colour);
    buf_char(b, '\n');
}

/* ---- texts of several lines ---- */

/* How many bytes of whole lines are the same at the beginning, and behind that at the end. */
static size_t same_head(const struct buf *x, const struct buf *y)
{
    size_t same = 0;
    for (size_t i = 0; i < x->length && i < y->length && x->data[i] == y->data[i]; i++)
        if (x->data[i] == '\n')
            same = i + 1;
    return same;
}

static size_t same_tail(const struct buf *x, const struct buf *y, size_t head)
{
    size_t same = 0, room = (x->length < y->length ? x->length : y->length) - head;
    for (size_t i = 1; i <= room && x->data[x->length - i] == y->data[y->length - i]; i++)
        if (i < x->length - head && i < y->length - head && x->data[x->length - i - 1] == '\n' && y->data[y->length - i - 1] == '\n')
            same = i;
    return same;
}

static void add_lines(struct buf *b, const struct side *side, const char *text, size_t length, bool colour)
{
    for (size_t at = 0; at < length;) {
        const char *stop = memchr(text + at, '\n', length - at);
        size_t width = stop ? (size_t)(stop - text) - at : length - at;
        char *line = mem_format("%c %.*s", side->sign, (int)width, text + at);
        buf_text(b, "      ");
        add_painted(b, side, line, width + 2, colour);
        buf_char(b, '\n');
        free(line);
        at += width + (stop ? 1 : 0);
    }
}

static void add_block(struct buf *b, const char *label, const struct buf *old, const struct buf *new, bool colour)
{
    size_t head = same_head(old, new), tail = same_tail(old, new, head);
    buf_format(b, "    %s:\n", label);
    add_lines(b, &side_old, old->data + head, old->length - head - tail, colour);
    add_lines(b, &side_new, new->data + head, new->length - head - tail, colour);
}

/* ---- fields ---- */

static void add_entry(struct buf *b, const struct field *f, const char *name, const char *was, const char *is, bool colour)
{
    struct buf old = {0}, new = {0};
    if (was && is && strcmp(was, is) == 0)
        return;
    char *label = mem_format("%s %s", f->name, name);
    buf_text(&old, was ? was : "-");
    buf_text(&new, is ? is : "-");
    add_pair(b, label, &old, &new, colour);
    free(label);
    buf_clear(&old);
    buf_clear(&new);
}

static void add_map(struct buf *b, const struct job *old, const struct job *new, const struct field *f, bool colour)
{
    struct value was = field_get(old, f, FIELD_PRINT), is = field_get(new, f, FIELD_PRINT);
    for (size_t i = 0; i < was.list.count; i++) {
        const struct value *v = value_get(&is, was.list.keys[i]);
        add_entry(b, f, was.list.keys[i], was.list.items[i].text.data, v ? v->text.data : NULL, colour);
    }
    for (size_t i = 0; i < is.list.count; i++)
        if (!value_get(&was, is.list.keys[i]))
            add_entry(b, f, is.list.keys[i], NULL, is.list.items[i].text.data, colour);
    value_clear(&was);
    value_clear(&is);
}

static void add_field(struct buf *b, const struct job *old, const struct job *new, const struct field *f, bool colour)
{
    struct buf was = {0}, is = {0};
    add_value(&was, old, f);
    add_value(&is, new, f);
    if (was.length && is.length && (memchr(was.data, '\n', was.length) || memchr(is.data, '\n', is.length)))
        add_block(b, f->name, &was, &is, colour);
    else
        add_pair(b, f->name, &was, &is, colour);
    buf_clear(&was);
    buf_clear(&is);
}

static void add_file(struct buf *b, const struct job *old, const struct job *new, bool colour)
{
    struct buf was = {0}, is = {0};
    buf_text(&was, old->file ? old->file : "-");
    buf_text(&is, new->file ? new->file : "-");
    add_pair(b, APPLY_FILE, &was, &is, colour);
    buf_clear(&was);
    buf_clear(&is);
}

void changes_fields(struct buf *b, const struct job *old, const struct job *new, const struct strvec *names, bool colour)
{
    for (size_t i = 0; i < names->count; i++) {
        const struct field *f = field_find(names->items[i]);
        if (f && f->kind == FIELD_MAP)
            add_map(b, old, new, f, colour);
        else if (f)
            add_field(b, old, new, f, colour);
        else
            add_file(b, old, new, colour);
    }
}
