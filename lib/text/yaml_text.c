#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/text/yaml_parts.h"

#define YAML_ERRORS_MAX 200 /* of one text: who has more wants to begin anew */
#define YAML_WARNINGS_MAX 200

void yaml_text_init(struct yaml_text *t, const char *file, const char *text, size_t length)
{
    size_t bom = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    *t = (struct yaml_text){.file = file, .data = text + bom, .source = text + bom, .length = length - bom, .line = 1};
}

void yaml_text_rewind(struct yaml_text *t, const char *data, size_t failed)
{
    t->data = data;
    t->index = t->offset = t->line_start = 0;
    t->line = 1;
    t->failed = failed;
    t->warned = 0;
}

/* ---- places ---- */

static bool yaml_text_inside(const struct yaml_text *t, size_t offset)
{
    return offset < t->length && ((unsigned char)t->data[offset] & 0xc0) == 0x80;
}

static void yaml_text_forward(struct yaml_text *t)
{
    bool end = t->data[t->offset++] == '\n';
    while (yaml_text_inside(t, t->offset))
        t->offset++;
    t->index++;
    if (end) {
        t->line++;
        t->line_start = t->offset;
    }
}

static void yaml_text_back(struct yaml_text *t)
{
    do
        t->offset--;
    while (yaml_text_inside(t, t->offset));
    t->index--;
    if (t->data[t->offset] != '\n')
        return;
    const char *before = memrchr(t->data, '\n', t->offset);
    t->line--;
    t->line_start = before ? (size_t)(before - t->data) + 1 : 0;
}

struct yaml_place yaml_text_place(struct yaml_text *t, size_t index)
{
    while (t->index < index && t->offset < t->length)
        yaml_text_forward(t);
    while (t->index > index)
        yaml_text_back(t);
    return (struct yaml_place){t->offset, t->line, (int)(t->offset - t->line_start) + 1};
}

struct yaml_place yaml_text_find(const struct yaml_text *t, int line, int column)
{
    size_t begin = 0;
    for (int i = 1; i < line; i++) {
        const char *end = memchr(t->source + begin, '\n', t->length - begin);
        begin = end ? (size_t)(end - t->source) + 1 : t->length;
    }
    return (struct yaml_place){begin + (size_t)column - 1, line, column};
}

const char *yaml_text_line(const struct yaml_text *t, struct yaml_place place, size_t *length)
{
    size_t begin = place.offset - (size_t)(place.column - 1);
    const char *line = t->source + begin, *end = memchr(line, '\n', t->length - begin);
    *length = end ? (size_t)(end - line) : t->length - begin;
    if (*length >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0) { /* the column does not count it */
        line += 3;
        *length -= 3;
    }
    *length -= *length && line[*length - 1] == '\r';
    return line;
}

/* ---- reports ---- */

static void yaml_text_report(struct yaml_text *t, struct yaml_place place, int width, bool warning, const char *hint, struct error *e)
{
    size_t length;
    const char *line = yaml_text_line(t, place, &length);
    errors_locate_line(e, line, length, place.line, place.column, width > 0 ? width : 1);
    errors_add(t->errors, t->file, warning, e, hint);
}

bool yaml_text_error(struct yaml_text *t, struct yaml_place place, int width, const char *hint, const char *format, ...)
{
    struct buf text = {0};
    struct error e = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&text, format, arguments);
    va_end(arguments);
    if (++t->failed < YAML_ERRORS_MAX) {
        error_set(&e, ERROR_USAGE, "%s", buf_string(&text));
        yaml_text_report(t, place, width, false, hint, &e);
    } else if (t->failed == YAML_ERRORS_MAX) {
        error_set(&e, ERROR_USAGE, "too many errors: what follows is not read");
        yaml_text_report(t, place, width, false, NULL, &e);
    }
    buf_clear(&text);
    return t->failed < YAML_ERRORS_MAX;
}

void yaml_text_warning(struct yaml_text *t, struct yaml_place place, int width, const char *hint, const char *text)
{
    struct error e = {0};
    if (++t->warned > YAML_WARNINGS_MAX)
        return;
    error_set(&e, ERROR_USAGE, "%s", t->warned < YAML_WARNINGS_MAX ? text : "too many warnings: further ones are left out");
    yaml_text_report(t, place, width, true, t->warned < YAML_WARNINGS_MAX ? hint : NULL, &e);
}

/* ---- what may stand in a text ---- */

static bool yaml_text_takes(uint32_t c)
{
    if (c < 0x80)
        return (c >= 0x20 && c < 0x7f) || c == '\t' || c == '\n' || c == '\r';
    return (c >= 0xa0 || c == 0x85) && c != 0xfffe && c != 0xffff && c != 0xfeff;
}

static bool yaml_text_refuse(struct yaml_text *t, struct yaml_place place, size_t size, uint32_t c)
{
    unsigned byte = (unsigned char)t->data[place.offset];
    if (!size)
        return yaml_text_error(t, place, 1, "save the file as UTF-8", "the byte 0x%02x is not UTF-8", byte);
    if (c == 0) {
        yaml_text_error(t, place, 1, NULL, "a NUL byte: this is no text");
        return false;
    }
    return yaml_text_error(t, place, (int)size, "in double quotes it can be written as \\xNN or \\uNNNN",
        "the control character U+%04X must not stand in a file", (unsigned)c);
}

static bool yaml_text_is_utf16(const struct yaml_text *t)
{
    return t->length >= 2 && (memcmp(t->data, "\xff\xfe", 2) == 0 || memcmp(t->data, "\xfe\xff", 2) == 0);
}

static bool yaml_text_refuse_utf16(struct yaml_text *t)
{
    yaml_text_error(t, (struct yaml_place){0, 1, 1}, 1, "save the file as UTF-8", "this is UTF-16, not UTF-8");
    return false;
}

/* The copy has an `x` for each byte that is refused, so that the rest can be read. */
static void yaml_text_mend(struct yaml_text *t, char **copy, size_t at, size_t size)
{
    if (!*copy)
        *copy = mem_copy(t->data, t->length);
    memset(*copy + at, 'x', size);
}

/* ---- a BOM in front of a further document, as where files were put behind each other ---- */

static bool yaml_text_is_mark(const char *line, size_t length, const char *mark)
{
    return length >= 3 && memcmp(line, mark, 3) == 0 && (length == 3 || strchr(" \t\r\n", line[3]));
}

/* The line at `at` begins with a BOM: a `---` follows, or the line before ends or begins a document. */
static bool yaml_text_bom_is_legal(const struct yaml_text *t, size_t at)
{
    if (at == 0 || t->data[at - 1] != '\n')
        return false;
    const char *before = memrchr(t->data, '\n', at - 1);
    before = before ? before + 1 : t->data;
    size_t length = (size_t)(t->data + at - before);
    return yaml_text_is_mark(t->data + at + 3, t->length - at - 3, "---") || yaml_text_is_mark(before, length, "...") ||
           yaml_text_is_mark(before, length, "---");
}

/* libyaml takes it in front of the first document only: the line moves up in its place, and blanks follow. */
static void yaml_text_pass_bom(const struct yaml_text *t, char **copy, size_t at)
{
    const char *end = memchr(t->data + at, '\n', t->length - at);
    size_t length = end ? (size_t)(end - t->data) - at : t->length - at;
    if (!*copy)
        *copy = mem_copy(t->data, t->length);
    memmove(*copy + at, t->data + at + 3, length - 3);
    memset(*copy + at + length - 3, ' ', 3);
}

bool yaml_text_check(struct yaml_text *t, char **copy)
{
    size_t line_start = 0;
    int line = 1, refused = 0; /* the line of the last error: one a line is enough */
    if (yaml_text_is_utf16(t))
        return yaml_text_refuse_utf16(t);
    for (size_t at = 0, size; at < t->length; at += size ? size : 1) {
        uint32_t c = (unsigned char)t->data[at];
        size = c < 0x80 ? 1 : utf8_decode(t->data + at, t->length - at, &c);
        if (c == '\n') {
            line_start = at + 1;
            line++;
        }
        if (size && yaml_text_takes(c))
            continue;
        if (c == 0xfeff && size && yaml_text_bom_is_legal(t, at)) {
            yaml_text_pass_bom(t, copy, at);
            continue;
        }
        if (refused != line && !yaml_text_refuse(t, (struct yaml_place){at, line, (int)(at - line_start) + 1}, size, c))
            return false;
        refused = line;
        yaml_text_mend(t, copy, at, size ? size : 1);
    }
    return true;
}
