/* UTF-8 (RFC 3629), one character at a time. */
#ifndef AX_UTF8_H
#define AX_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The length in bytes of the character that data begins with, 0 where it is none (or length is 0): stray and missing continuation
 * bytes, longer forms than needed, surrogates and what is above U+10FFFF. */
size_t utf8_decode(const char *data, size_t length, uint32_t *character);

/* Characters nobody sees, which can change what is seen: C0, DEL, C1, line and paragraph separators, format characters with the bidi
 * overrides among them, fillers. */
bool utf8_hidden(uint32_t character);

int utf8_width(uint32_t character); /* columns on a terminal: 0 for combining and hidden ones, 2 for wide ones, else 1 */

/* How many bytes at the end begin a character whose rest may still come. */
size_t utf8_unfinished(const char *data, size_t length);

/* The length of the text, or where to cut it so that at most `most` bytes are left and no character is halved. */
size_t utf8_cut(const char *text, size_t most);

/* The arguments of a %.*s in a message: a word that may be longer than the message. */
#define UTF8_WORD(word) (int)utf8_cut(word, 100), word

#endif
