#include "lib/text/visible.h"

#include <ctype.h>
#include <stdint.h>
#include <string.h>

#include "lib/text/utf8.h"

/* The letter of a short escape (\n), or 0. */
static char visible_letter(uint32_t c)
{
    switch (c) {
    case '\n':
        return 'n';
    case '\t':
        return 't';
    case '\r':
        return 'r';
    case '\033':
        return 'e';
    default:
        return 0;
    }
}

static void visible_escape(struct buf *b, uint32_t c)
{
    if (visible_letter(c))
        buf_format(b, "\\%c", visible_letter(c));
    else if (c < 0x80)
        buf_format(b, "\\x%02x", c);
    else
        buf_format(b, "\\u{%x}", c);
}

static bool visible_is_line(const char *data, size_t length)
{
    return data[0] == '\n' || data[0] == '\t' || (length > 1 && data[0] == '\r' && data[1] == '\n');
}

void visible_add(struct buf *b, const char *data, size_t length, bool lines)
{
    size_t plain = 0, at = 0; /* what lies between is copied in one piece */
    while (at < length) {
        uint32_t c = 0;
        size_t size = utf8_decode(data + at, length - at, &c);
        if (size && (!utf8_hidden(c) || (lines && visible_is_line(data + at, length - at)))) {
            at += size;
            continue;
        }
        buf_add(b, data + plain, at - plain);
        if (size)
            visible_escape(b, c);
        else
            buf_format(b, "\\x%02x", (unsigned char)data[at]);
        at += size ? size : 1;
        plain = at;
    }
    buf_add(b, data + plain, at - plain);
}

/* ---- words of a shell ---- */

/* NAME=... would be an assignment where a command is expected. */
static bool visible_is_assignment(const char *word)
{
    size_t length = 0;
    while (isalnum((unsigned char)word[length]) || word[length] == '_')
        length++;
    return length && !isdigit((unsigned char)word[0]) && word[length] == '=';
}

static bool visible_is_bare(const char *word)
{
    static const char safe[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_@%+=:,./-";
    return word[0] && !word[strspn(word, safe)] && !visible_is_assignment(word);
}

static bool visible_has_hidden(const char *word, size_t length)
{
    for (size_t at = 0; at < length;) {
        uint32_t c = 0;
        size_t size = utf8_decode(word + at, length - at, &c);
        if (!size || utf8_hidden(c))
            return true;
        at += size;
    }
    return false;
}

void visible_shell_quote(struct buf *b, const char *word)
{
    buf_char(b, '\'');
    for (; *word; word++) {
        if (*word == '\'')
            buf_text(b, "'\\''");
        else
            buf_char(b, *word);
    }
    buf_char(b, '\'');
}

/* $'...' with octal bytes, which always end after three digits. */
static void visible_quote_dollar(struct buf *b, const char *word, size_t length)
{
    buf_text(b, "$'");
    for (size_t at = 0; at < length;) {
        uint32_t c = 0;
        size_t size = utf8_decode(word + at, length - at, &c);
        bool plain = size && !utf8_hidden(c);
        if (!size)
            size = 1;
        if (c == '\'' || c == '\\')
            buf_char(b, '\\');
        if (plain)
            buf_add(b, word + at, size);
        else if (visible_letter(c))
            buf_format(b, "\\%c", visible_letter(c));
        else
            for (size_t i = 0; i < size; i++)
                buf_format(b, "\\%03o", (unsigned char)word[at + i]);
        at += size;
    }
    buf_char(b, '\'');
}

void visible_shell_word(struct buf *b, const char *word)
{
    size_t length = strlen(word);
    if (visible_is_bare(word))
        buf_add(b, word, length);
    else if (visible_has_hidden(word, length))
        visible_quote_dollar(b, word, length);
    else
        visible_shell_quote(b, word);
}

/* ---- columns ---- */

/* The length of the next character in bytes, and its columns; a byte that is not UTF-8 is one of each. */
static size_t visible_step(const char *text, size_t length, size_t *columns)
{
    uint32_t c = 0;
    size_t size = utf8_decode(text, length, &c);
    *columns = size ? (size_t)utf8_width(c) : 1;
    return size ? size : 1;
}

size_t visible_width(const char *text, size_t length)
{
    size_t width = 0, columns;
    for (size_t at = 0; at < length; width += columns)
        at += visible_step(text + at, length - at, &columns);
    return width;
}

size_t visible_fit(const char *text, size_t length, size_t columns)
{
    size_t at = 0;
    while (at < length) {
        size_t wide, size = visible_step(text + at, length - at, &wide);
        if (wide > columns)
            break;
        columns -= wide;
        at += size;
    }
    return at;
}
