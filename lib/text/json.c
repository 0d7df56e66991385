#include "lib/text/json.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"

#define JSON_DEPTH 32 /* less than a record holds (pack.h), which puts its own maps around */

struct json_source {
    const char *text;
    size_t length;
};

/* Marks `width` bytes from byte `begin` on, in the line they are in. */
static int json_mark(struct error *e, const struct json_source *from, size_t begin, size_t width)
{
    char source[sizeof((struct error *)0)->source] = "";
    size_t line_begin = begin, line_end = begin;
    int line = 1;
    while (line_begin > 0 && from->text[line_begin - 1] != '\n')
        line_begin--;
    while (line_end < from->length && from->text[line_end] != '\n')
        line_end++;
    for (size_t i = 0; i < line_begin; i++)
        line += from->text[i] == '\n';
    if (begin - line_begin + width < sizeof source) {
        size_t shown = line_end - line_begin;
        memcpy(source, from->text + line_begin, shown < sizeof source ? shown : sizeof source - 1);
    }
    return error_place(e, source, line, (int)(begin - line_begin) + 1, width ? (int)width : 1);
}

/* jansson names the token it stumbled over, if it is short, behind "near" and counts the bytes up to its end, or up to
 * the bad byte. */
static size_t json_token_width(const struct json_source *from, size_t end, const char *near)
{
    size_t width = near ? strlen(near) : 0;
    if (width && near[width - 1] == '\'')
        width--;
    if (!width || width > end || memcmp(from->text + end - width, near, width) != 0)
        return end ? 1 : 0;
    return width;
}

static const char *json_plain_text(enum json_error_code code)
{
    switch (code) {
    case json_error_premature_end_of_input:
        return "the JSON text ends too early";
    case json_error_end_of_input_expected:
        return "something follows the JSON value";
    case json_error_numeric_overflow:
        return "this number does not fit into 64 bits";
    case json_error_duplicate_key:
        return "this key stands twice in one object";
    case json_error_stack_overflow:
        return "nested too deep";
    case json_error_null_byte_in_key:
        return "a key must not hold a NUL";
    default:
        return NULL;
    }
}

static int json_fail(struct error *e, const struct json_source *from, const json_error_t *why)
{
    static const char mark[] = " near ";
    enum json_error_code code = json_error_code(why);
    const char *plain = json_plain_text(code), *near = strstr(why->text, mark);
    int message = near ? (int)(near - why->text) : (int)strlen(why->text);
    size_t end = why->position > 0 ? (size_t)why->position : 0;
    if (!e)
        return -(int)ERROR_USAGE;
    if (end > from->length)
        end = from->length;
    if (plain)
        error_set(e, ERROR_USAGE, "%s", plain);
    else
        error_set(e, ERROR_USAGE, "not valid JSON: %.*s", message, why->text);
    bool ahead = code == json_error_premature_end_of_input || code == json_error_invalid_utf8 ||
                 strncmp(why->text, "control character", 17) == 0;
    size_t width = ahead ? 0 : json_token_width(from, end, near ? near + sizeof mark : NULL);
    return json_mark(e, from, end - width, width);
}

/* The bracket that goes deeper than JSON_DEPTH; the text is known to be JSON. */
static int json_fail_depth(struct error *e, const struct json_source *from)
{
    size_t at = 0;
    int depth = 0;
    bool quoted = false;
    for (; at < from->length; at++) {
        char c = from->text[at];
        if (c == '\\')
            at++;
        else if (c == '"')
            quoted = !quoted;
        else if (!quoted && (c == '[' || c == '{') && ++depth > JSON_DEPTH)
            break;
        else if (!quoted && (c == ']' || c == '}'))
            depth--;
    }
    error_set(e, ERROR_USAGE, "nested too deep: more than %d levels", JSON_DEPTH);
    return json_mark(e, from, at, 1);
}

static int json_convert(const json_t *from, int depth, struct value *to);

static int json_convert_list(const json_t *from, int depth, struct value *to)
{
    size_t count = json_array_size(from);
    *to = value_list();
    value_reserve(to, count);
    for (size_t i = 0; i < count; i++)
        if (json_convert(json_array_get(from, i), depth, value_push(to, (struct value){0})) < 0)
            return -1;
    return 0;
}

static int json_convert_map(json_t *from, int depth, struct value *to)
{
    *to = value_map();
    value_reserve(to, json_object_size(from));
    for (void *i = json_object_iter(from); i; i = json_object_iter_next(from, i)) {
        char *key = mem_copy(json_object_iter_key(i), json_object_iter_key_len(i) + 1);
        if (json_convert(json_object_iter_value(i), depth, value_put_key(to, key, (struct value){0})) < 0)
            return -1;
    }
    return 0;
}

/* Fails only where it is too deep; `to` holds what was made by then. */
static int json_convert(const json_t *from, int depth, struct value *to)
{
    switch (json_typeof(from)) {
    case JSON_OBJECT:
        return depth ? json_convert_map((json_t *)from, depth - 1, to) : -1;
    case JSON_ARRAY:
        return depth ? json_convert_list(from, depth - 1, to) : -1;
    case JSON_STRING:
        *to = value_bytes(json_string_value(from), json_string_length(from));
        return 0;
    case JSON_INTEGER:
        *to = value_int(json_integer_value(from));
        return 0;
    case JSON_REAL:
        *to = value_real(json_real_value(from));
        return 0;
    case JSON_TRUE:
    case JSON_FALSE:
        *to = value_bool(json_is_true(from));
        return 0;
    case JSON_NULL:
        *to = (struct value){0};
        return 0;
    }
    return -1;
}

int json_read(const char *text, size_t length, struct value *out, struct error *e)
{
    struct json_source source = {text, length};
    struct value v = {0};
    json_error_t why;
    json_t *tree = json_loadb(text, length, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY | JSON_ALLOW_NUL, &why);
    if (!tree)
        return json_fail(e, &source, &why);
    int converted = json_convert(tree, JSON_DEPTH, &v);
    json_decref(tree);
    if (converted < 0) {
        value_clear(&v);
        return json_fail_depth(e, &source);
    }
    *out = v;
    return 0;
}

/* ---- writing ---- */

/* UTF-16 escapes; a character that would act on a terminal is escaped too, so that JSON may be shown on one. */
static void json_write_escape(struct buf *b, uint32_t c)
{
    static const char letters[] = "\b\t\n\f\r\"\\", escapes[] = "btnfr\"\\";
    const char *letter = c && c < 0x80 ? strchr(letters, (int)c) : NULL;
    if (letter)
        buf_format(b, "\\%c", escapes[letter - letters]);
    else if (c > 0xffff)
        buf_format(b, "\\u%04x\\u%04x", 0xd800 + ((c - 0x10000) >> 10), 0xdc00 + ((c - 0x10000) & 0x3ff));
    else
        buf_format(b, "\\u%04x", c);
}

static bool json_is_plain(uint32_t c)
{
    return c >= 0x80 ? !utf8_hidden(c) : c >= 0x20 && c != '"' && c != '\\' && c != 0x7f;
}

static void json_write_text(struct buf *b, const char *data, size_t length, bool *lossy)
{
    size_t plain = 0, at = 0; /* what lies between is copied in one piece */
    buf_char(b, '"');
    while (at < length) {
        uint32_t c = (unsigned char)data[at];
        size_t size = c < 0x80 ? 1 : utf8_decode(data + at, length - at, &c);
        if (size && json_is_plain(c)) {
            at += size;
            continue;
        }
        buf_add(b, data + plain, at - plain);
        if (size)
            json_write_escape(b, c);
        else
            buf_text(b, "\xef\xbf\xbd");
        if (!size && lossy)
            *lossy = true;
        at += size ? size : 1;
        plain = at;
    }
    buf_add(b, data + plain, at - plain);
    buf_char(b, '"');
}

/* The shortest decimal that reads back to the same; JSON has no word for what is not finite. */
static void json_write_real(struct buf *b, double r)
{
    char digits[40];
    if (!isfinite(r)) {
        buf_text(b, "null");
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

static void json_write_int(struct buf *b, int64_t n)
{
    char digits[24];
    int length = snprintf(digits, sizeof digits, "%lld", (long long)n);
    buf_add(b, digits, (size_t)length);
}

static void json_write_items(struct buf *b, const struct value *v, bool *lossy)
{
    for (size_t i = 0; i < v->list.count; i++) {
        if (i)
            buf_char(b, ',');
        if (v->kind == VALUE_MAP) {
            json_write_text(b, v->list.keys[i], strlen(v->list.keys[i]), lossy);
            buf_char(b, ':');
        }
        json_write(b, &v->list.items[i], lossy);
    }
}

void json_write(struct buf *b, const struct value *v, bool *lossy)
{
    switch (v->kind) {
    case VALUE_NULL:
        buf_text(b, "null");
        return;
    case VALUE_BOOL:
        buf_text(b, v->boolean ? "true" : "false");
        return;
    case VALUE_INT:
        json_write_int(b, v->integer);
        return;
    case VALUE_REAL:
        json_write_real(b, v->real);
        return;
    case VALUE_TEXT:
        json_write_text(b, v->text.data, v->text.length, lossy);
        return;
    case VALUE_LIST:
    case VALUE_MAP:
        buf_char(b, v->kind == VALUE_MAP ? '{' : '[');
        json_write_items(b, v, lossy);
        buf_char(b, v->kind == VALUE_MAP ? '}' : ']');
        return;
    }
}
