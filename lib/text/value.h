/* A tree of plain data, the common ground of JSON, records, job files and the table of fields.
 *
 * Text is bytes with a length; it may hold NULs and need not be UTF-8 (json.h says what is written then). A value owns all below
 * it. A zeroed struct is null. Maps keep the order of insertion. */
#ifndef AX_VALUE_H
#define AX_VALUE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum value_kind { VALUE_NULL, VALUE_BOOL, VALUE_INT, VALUE_REAL, VALUE_TEXT, VALUE_LIST, VALUE_MAP };

struct value {
    enum value_kind kind;
    int line, column; /* place in the source, from 1; 0 where unknown */
    int key_line, key_column; /* of an item of a map: the place of its key; 0 where unknown */
    bool plain;       /* of a text: written in YAML without quotes, so that it may be meant as a number or a boolean */
    union {
        bool boolean;
        int64_t integer;
        double real;
        struct {
            char *data; /* NUL-terminated */
            size_t length;
        } text;
        struct {
            struct value *items;
            char **keys; /* NULL in a list */
            size_t count, capacity;
        } list; /* lists and maps */
    };
};

void value_clear(struct value *v);

struct value value_bool(bool b);
struct value value_int(int64_t n);
struct value value_real(double r);
struct value value_text(const char *text); /* NULL gives null */
struct value value_bytes(const void *data, size_t length);
struct value value_list(void);
struct value value_map(void);

void value_reserve(struct value *list, size_t count); /* room for count items; only for speed */

/* These take over `item` and return where it is now, valid until the next addition. */
struct value *value_push(struct value *list, struct value item);
struct value *value_put(struct value *map, const char *key, struct value item); /* appends; does not look for a twin */
struct value *value_put_key(struct value *map, char *key, struct value item); /* takes over a malloc'd key too */

const struct value *value_get(const struct value *map, const char *key); /* NULL where it is not, or not a map */
bool value_equal(const struct value *a, const struct value *b); /* maps whatever their order; places do not count */
const char *value_kind_name(enum value_kind kind); /* "a text", "a list" ... for messages */

#endif
