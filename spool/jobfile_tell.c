#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/jobfile_parts.h"

#define TOLD_MAX 1000 /* a file that is something else altogether is not to fill the memory with errors */

#define WRITTEN_MAX 250

/* ---- places ---- */

struct jobfile_place jobfile_place_key(const struct value *v, const char *key)
{
    if (!v->key_line)
        return (struct jobfile_place){v->line, v->column, 1};
    return (struct jobfile_place){v->key_line, v->key_column, (int)strnlen(key, 1000)};
}

struct jobfile_place jobfile_place_of(const struct value *v, const char *key)
{
    if (!v->line || v->kind == VALUE_NULL)
        return jobfile_place_key(v, key);
    size_t width = v->kind == VALUE_TEXT ? v->text.length + (v->plain ? 0 : 2) : 1;
    return (struct jobfile_place){v->line, v->column, width < 1000 ? (int)width : 1000};
}

const char *jobfile_line(struct jobfile_reader *r, int line, size_t *rest)
{
    const char *end = r->text + r->length;
    if (!r->seek || line < r->seek_line) {
        r->seek = r->text;
        r->seek_line = 1;
    }
    for (; r->seek_line < line; r->seek_line++) {
        const char *next = memchr(r->seek, '\n', (size_t)(end - r->seek));
        if (!next)
            break;
        r->seek = next + 1;
    }
    *rest = (size_t)(end - r->seek);
    if (*rest >= 3 && memcmp(r->seek, "\xef\xbb\xbf", 3) == 0) { /* in front of a further document */
        *rest -= 3;
        return r->seek + 3;
    }
    return r->seek;
}

char *jobfile_written(struct jobfile_reader *r, struct jobfile_place at)
{
    size_t rest;
    const char *line = jobfile_line(r, at.line, &rest), *end = memchr(line, '\n', rest);
    size_t length = end ? (size_t)(end - line) : rest;
    if (at.line < 1 || length > WRITTEN_MAX)
        return NULL;
    char *copy = mem_alloc(length + 1);
    memcpy(copy, line, length);
    copy[length] = '\0';
    return copy;
}

/* Where the text of v stands in the file as it is, behind a quote at most; NULL: it is written in another way (escapes, several lines, a parameter). */
static const char *text_in_file(struct jobfile_reader *r, const struct value *v, int *column)
{
    size_t rest;
    const char *line = jobfile_line(r, v->line, &rest);
    size_t at = (size_t)v->column - 1;
    if (v->line < 1 || v->column < 1 || at >= rest)
        return NULL;
    at += line[at] == '"' || line[at] == '\'';
    if (rest - at < v->text.length || memcmp(line + at, v->text.data, v->text.length) != 0)
        return NULL;
    *column = (int)at + 1;
    return line + at;
}

/* ---- telling ---- */

bool jobfile_line_broken(const struct jobfile_reader *r, int line)
{
    for (size_t i = r->first; r->broken && i < r->own; i++)
        if (r->errors->items[i].error.line == line && !r->errors->items[i].warning)
            return true;
    return false;
}

/* What an anchor names is wrong once, however many aliases there are. */
static bool was_told(const struct jobfile_reader *r, const struct error *e, struct jobfile_place at)
{
    for (size_t i = r->own; at.line > 0 && i < r->errors->count; i++) {
        const struct error *old = &r->errors->items[i].error;
        if (old->line == at.line && old->column == at.column && strcmp(old->text, e->text) == 0)
            return true;
    }
    return jobfile_line_broken(r, at.line);
}

void jobfile_tell(struct jobfile_reader *r, bool warning, struct error *e, struct jobfile_place at, const char *hint)
{
    if (r->told <= TOLD_MAX && was_told(r, e, at))
        return;
    if (r->told >= TOLD_MAX) {
        if (r->told++ == TOLD_MAX) {
            error_set(e, ERROR_USAGE, "there are more errors: only %d are listed", TOLD_MAX);
            errors_add(r->errors, r->file, false, e, NULL);
        }
        return;
    }
    r->told++;
    e->line = e->column = e->width = e->source_skip = 0;
    e->source[0] = '\0';
    if (at.line > 0) {
        size_t rest;
        const char *line = jobfile_line(r, at.line, &rest);
        errors_locate_line(e, line, rest, at.line, at.column, at.width);
    }
    errors_add(r->errors, r->file, warning, e, hint);
}

static void tell_format(struct jobfile_reader *r, bool warning, struct jobfile_place at, const char *hint, const char *format, va_list arguments)
{
    struct error e;
    struct buf b = {0};
    buf_vformat(&b, format, arguments);
    error_set(&e, ERROR_USAGE, "%s", buf_string(&b));
    jobfile_tell(r, warning, &e, at, hint);
    buf_clear(&b);
}

void jobfile_refuse(struct jobfile_reader *r, struct jobfile_place at, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_format(r, false, at, hint, format, arguments);
    va_end(arguments);
}

void jobfile_warn(struct jobfile_reader *r, struct jobfile_place at, const char *hint, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    tell_format(r, true, at, hint, format, arguments);
    va_end(arguments);
}

/* ---- errors of fields ---- */

static bool is_source(const struct error *e, const struct value *v)
{
    return v->kind == VALUE_TEXT && strncmp(e->source, v->text.data, strlen(e->source)) == 0 &&
           (strlen(e->source) == v->text.length || v->text.length >= sizeof e->source - 4);
}

/* The value, or the item of it, that the error speaks of. */
static const struct value *find_culprit(const struct error *e, const struct value *v, const char **key)
{
    if (v->kind != VALUE_LIST && v->kind != VALUE_MAP)
        return v;
    for (size_t i = 0; i < v->list.count; i++) {
        const struct value *item = &v->list.items[i];
        bool here = e->source[0] ? is_source(e, item) : item->line && item->line == e->line && item->column == e->column;
        if (!here)
            continue;
        if (v->list.keys)
            *key = v->list.keys[i];
        return item;
    }
    return v;
}

void jobfile_tell_field(struct jobfile_reader *r, struct error *e, const struct value *v, const char *key, const char *hint)
{
    const struct value *culprit = find_culprit(e, v, &key);
    struct jobfile_place at = jobfile_place_of(culprit, key);
    int column;
    if (e->source[0] && e->column > 0 && is_source(e, culprit) && text_in_file(r, culprit, &column)) {
        at.column = column + e->column - 1;
        at.width = e->width;
    }
    jobfile_tell(r, false, e, at, hint);
}
