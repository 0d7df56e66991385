/* Text that may be hostile, made safe for a terminal: UTF-8 aware. */
#ifndef AX_VISIBLE_H
#define AX_VISIBLE_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"

/* Control characters (C0, DEL, C1, as bytes or in UTF-8, bidi overrides and other invisible format characters included) and bytes that are not
 * UTF-8 are written as \n \t \r \e or \xNN / \u{N}; a backslash stays one. With `lines`, tabs, \n and \r\n stay as they are. */
void visible_add(struct buf *b, const char *data, size_t length, bool lines);

/* A word as a POSIX shell would have to be given it: bare where that is safe, else quoted; control characters as $'...'. */
void visible_shell_word(struct buf *b, const char *word);

/* The word in single quotes, byte for byte: not safe for a terminal. */
void visible_shell_quote(struct buf *b, const char *word);

size_t visible_width(const char *text, size_t length); /* columns on a terminal; wide characters are 2, combining ones 0 */

/* The longest prefix of at most `columns` columns, in bytes, never in the middle of a character. */
size_t visible_fit(const char *text, size_t length, size_t columns);

#endif
