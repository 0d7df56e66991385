/* Where in a line of JSON a field stands: for errors, since the reader of JSON keeps no places. */
#ifndef AX_IMPORT_PLACE_H
#define AX_IMPORT_PLACE_H

#include <stddef.h>

/* The column, from 1, of the value that the outermost object has under this key; 0 if there is none. `text` is valid JSON. */
int import_column(const char *text, size_t length, const char *key);

#endif
