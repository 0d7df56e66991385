#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "lib/text/utf8.h"
#include "lib/text/visible.h"
#include "lib/text/yaml_parts.h"

#define YAML_FLOW_COLUMNS 100 /* a list in brackets is no longer */
#define YAML_KEY_MAX 800      /* longer keys need a `?` */

/* Where something is written. */
struct yaml_writer {
    struct buf *b;
    int indent;
    bool whole; /* all of it could be written */
};

/* ---- what a text is like ---- */

struct yaml_shape {
    bool utf8, hidden; /* hidden: characters that must be escaped, other than the next two */
    bool lines, tabs;
    bool blank_lines;  /* with lines of nothing but blanks */
    bool quotes;       /* has `"` or `\` */
};

static struct yaml_shape yaml_shape(const char *data, size_t length)
{
    struct yaml_shape s = {.utf8 = true};
    bool blank = false; /* so far, this line has blanks and nothing else */
    for (size_t at = 0, size; at < length; at += size ? size : 1) {
        uint32_t c = 0;
        size = utf8_decode(data + at, length - at, &c);
        s.utf8 &= size > 0;
        s.lines |= c == '\n';
        s.tabs |= c == '\t';
        s.hidden |= c != '\n' && c != '\t' && size && utf8_hidden(c);
        s.quotes |= c == '"' || c == '\\';
        bool begins = at == 0 || data[at - 1] == '\n';
        bool ends = at + 1 >= length || data[at + 1] == '\n';
        blank = (c == ' ' || c == '\t') && (begins || blank);
        s.blank_lines |= blank && ends;
    }
    return s;
}

/* Whether YAML 1.1 or 1.2 would take it for a number, a date or a time: begins like one and has nothing but their characters. */
static bool yaml_is_number(const char *text)
{
    static const char *const words[] = {".inf", ".nan"};
    const char *digits = text + (*text == '-' || *text == '+');
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(digits, words[i]) == 0)
            return true;
    if (*digits == '.')
        digits++;
    return *digits >= '0' && *digits <= '9' && strspn(digits, "0123456789abcdefABCDEFoxXTtZz_.,:+- ") == strlen(digits);
}

static bool yaml_is_word(const char *text)
{
    static const char *const words[] = {"null", "~", "true", "false", "yes", "no", "on", "off", "y", "n", "<<", "="};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcasecmp(text, words[i]) == 0)
            return true;
    return false;
}

/* Plain null-like texts are null, and `<<` is a merge: these are quoted even if they came without quotes. */
static bool yaml_is_reserved(const char *text)
{
    return strcmp(text, "null") == 0 || strcmp(text, "~") == 0 || strcmp(text, "<<") == 0;
}

static bool yaml_begins_plain(const char *data)
{
    if (data[0] == '-')
        return data[1] && data[1] != ' ' && strncmp(data, "---", 3) != 0;
    return !strchr("?:,[]{}#&*!|>'\"%@` ", data[0]) && strncmp(data, "...", 3) != 0;
}

/* Whether the text can stand without quotes, also within brackets. `meant`: it was written so, and may be a number. */
static bool yaml_is_plain(const char *data, size_t length, bool meant)
{
    struct yaml_shape s = yaml_shape(data, length);
    if (!length || !s.utf8 || s.hidden || s.lines || s.tabs || data[length - 1] == ' ' || data[length - 1] == ':' || !yaml_begins_plain(data))
        return false;
    if (strstr(data, ": ") || strstr(data, " #") || strpbrk(data, ",[]{}") || yaml_is_reserved(data))
        return false;
    return meant || !(yaml_is_number(data) || yaml_is_word(data));
}

/* Whether it can be a block scalar, and looks better as one. */
static bool yaml_is_block(const char *data, size_t length)
{
    struct yaml_shape s = yaml_shape(data, length);
    return s.lines && s.utf8 && !s.hidden && !s.blank_lines && length > 1 && strspn(data, "\n") < length;
}

/* ---- texts ---- */

static void yaml_write_escape(struct buf *b, uint32_t c)
{
    static const char letters[] = "\a\b\t\n\v\f\r\x1b\"\\", escapes[] = "abtnvfre\"\\";
    const char *letter = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
    if (letter)
        buf_format(b, "\\%c", escapes[letter - letters]);
    else if (c <= 0xff)
        buf_format(b, "\\x%02X", (unsigned)c);
    else
        buf_format(b, c <= 0xffff ? "\\u%04X" : "\\U%08X", (unsigned)c);
}

static bool yaml_write_double(struct buf *b, const char *data, size_t length)
{
    bool whole = true;
    buf_char(b, '"');
    for (size_t at = 0, size; at < length; at += size ? size : 1) {
        uint32_t c = 0;
        size = utf8_decode(data + at, length - at, &c);
        if (!size)
            buf_text(b, "\xef\xbf\xbd");
        else if (c == '"' || c == '\\' || utf8_hidden(c))
            yaml_write_escape(b, c);
        else
            buf_add(b, data + at, size);
        whole &= size > 0;
    }
    buf_char(b, '"');
    return whole;
}

bool yaml_write_quoted(struct buf *b, const char *data, size_t length)
{
    struct yaml_shape s = yaml_shape(data, length);
    if (!s.quotes || !s.utf8 || s.hidden || s.lines || s.tabs)
        return yaml_write_double(b, data, length);
    buf_char(b, '\'');
    for (size_t i = 0; i < length; i++) {
        if (data[i] == '\'')
            buf_char(b, '\'');
        buf_char(b, data[i]);
    }
    buf_char(b, '\'');
    return true;
}

static void yaml_write_line_text(struct yaml_writer *w, const char *data, size_t length, bool meant)
{
    if (yaml_is_plain(data, length, meant))
        buf_add(w->b, data, length);
    else
        w->whole &= yaml_write_quoted(w->b, data, length);
}

static void yaml_write_indent(struct yaml_writer *w, int indent)
{
    buf_format(w->b, "%*s", indent, "");
}

/* `|`, with a number where the first line would mislead about the indentation, and `-` or `+` for the line ends at the end. */
static void yaml_write_block(struct yaml_writer *w, const char *data, size_t length)
{
    bool ends = data[length - 1] == '\n', more = ends && data[length - 2] == '\n';
    buf_format(w->b, "|%s%s", strchr(" \t\n", data[0]) ? "2" : "", more ? "+" : ends ? "" : "-");
    size_t last = ends ? length - 1 : length;
    for (size_t at = 0; at <= last;) {
        const char *end = memchr(data + at, '\n', last - at);
        size_t size = end ? (size_t)(end - data) - at : last - at;
        buf_char(w->b, '\n');
        if (size)
            yaml_write_indent(w, w->indent);
        buf_add(w->b, data + at, size);
        at += size + 1;
    }
}

static void yaml_write_real(struct buf *b, double r)
{
    char digits[40];
    if (!isfinite(r)) {
        buf_text(b, isnan(r) ? ".nan" : r < 0 ? "-.inf" : ".inf");
        return;
    }
    for (int precision = 15; precision <= 17; precision++) {
        snprintf(digits, sizeof digits, "%.*g", precision, r);
        if (strtod(digits, NULL) == r)
            break;
    }
    buf_text(b, digits);
    if (!strpbrk(digits, ".e"))
        buf_text(b, ".0");
}

/* Anything but filled lists and maps, on one line. */
static void yaml_write_scalar(struct yaml_writer *w, const struct value *v)
{
    switch (v->kind) {
    case VALUE_NULL:
        buf_text(w->b, "null");
        return;
    case VALUE_BOOL:
        buf_text(w->b, v->boolean ? "true" : "false");
        return;
    case VALUE_INT:
        buf_format(w->b, "%lld", (long long)v->integer);
        return;
    case VALUE_REAL:
        yaml_write_real(w->b, v->real);
        return;
    case VALUE_TEXT:
        yaml_write_line_text(w, v->text.data, v->text.length, v->plain);
        return;
    case VALUE_LIST:
        buf_text(w->b, "[]");
        return;
    case VALUE_MAP:
        buf_text(w->b, "{}");
        return;
    }
}

/* The same, or a text of several lines, which stands deeper than what it belongs to. */
static void yaml_write_single(struct yaml_writer *w, const struct value *v)
{
    w->indent += 2;
    if (v->kind == VALUE_TEXT && yaml_is_block(v->text.data, v->text.length))
        yaml_write_block(w, v->text.data, v->text.length);
    else
        yaml_write_scalar(w, v);
    w->indent -= 2;
}

/* ---- lists and maps ---- */

static bool yaml_is_filled(const struct value *v)
{
    return (v->kind == VALUE_LIST || v->kind == VALUE_MAP) && v->list.count > 0;
}

/* Writes a list of short words in brackets; false, and nothing written, where that would be no help. */
static bool yaml_write_flow(struct yaml_writer *w, const struct value *v)
{
    struct buf line = {0};
    struct yaml_writer inner = {&line, 0, true};
    bool fits = v->kind == VALUE_LIST;
    for (size_t i = 0; fits && i < v->list.count; i++) {
        const struct value *item = &v->list.items[i];
        buf_text(&line, i ? ", " : "[");
        fits = !yaml_is_filled(item) && !(item->kind == VALUE_TEXT && memchr(item->text.data, '\n', item->text.length));
        if (fits)
            yaml_write_scalar(&inner, item);
        fits = fits && line.length + (size_t)w->indent < YAML_FLOW_COLUMNS;
    }
    if (fits) {
        buf_add(w->b, line.data, line.length);
        buf_char(w->b, ']');
        w->whole &= inner.whole;
    }
    buf_clear(&line);
    return fits;
}

static void yaml_write_items(struct yaml_writer *w, const struct value *v, bool inside);

/* What stands behind `key:` or `-`, with the blank in front of it. */
static void yaml_write_value(struct yaml_writer *w, const struct value *v, bool in_list)
{
    if (yaml_is_filled(v)) {
        size_t before = w->b->length;
        buf_char(w->b, ' ');
        if (yaml_write_flow(w, v))
            return;
        buf_cut(w->b, in_list ? before + 1 : before);
        if (!in_list)
            buf_char(w->b, '\n');
        w->indent += 2;
        yaml_write_items(w, v, in_list);
        w->indent -= 2;
        return;
    }
    buf_char(w->b, ' ');
    yaml_write_single(w, v);
}

static void yaml_write_key(struct yaml_writer *w, const char *key)
{
    size_t length = strlen(key), before = w->b->length;
    yaml_write_line_text(w, key, length, false);
    if (w->b->length - before <= YAML_KEY_MAX) {
        buf_char(w->b, ':');
        return;
    }
    buf_cut(w->b, before);
    buf_text(w->b, "? ");
    w->whole &= yaml_write_quoted(w->b, key, length);
    buf_char(w->b, '\n');
    yaml_write_indent(w, w->indent);
    buf_char(w->b, ':');
}

/* One line or more for each item, without the last line end. `inside`: the first begins behind a `- `. */
static void yaml_write_items(struct yaml_writer *w, const struct value *v, bool inside)
{
    for (size_t i = 0; i < v->list.count; i++) {
        if (i)
            buf_char(w->b, '\n');
        if (i || !inside)
            yaml_write_indent(w, w->indent);
        if (v->kind == VALUE_MAP)
            yaml_write_key(w, v->list.keys[i]);
        else
            buf_char(w->b, '-');
        yaml_write_value(w, &v->list.items[i], v->kind == VALUE_LIST);
    }
}

bool yaml_write(struct buf *b, const struct value *v)
{
    struct yaml_writer w = {b, 0, true};
    if (yaml_is_filled(v))
        yaml_write_items(&w, v, false);
    else
        yaml_write_single(&w, v);
    buf_char(b, '\n');
    return w.whole;
}

void yaml_write_comment(struct buf *b, int indent, const char *text)
{
    while (*text) {
        size_t length = strcspn(text, "\n"), shown = length;
        while (shown && strchr(" \r", text[shown - 1]))
            shown--;
        buf_format(b, "%*s#%s", indent, "", shown ? " " : "");
        visible_add(b, text, shown, true);
        buf_char(b, '\n');
        text += length + (text[length] == '\n');
    }
}
