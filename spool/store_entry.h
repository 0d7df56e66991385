/* What the tables hold, as rows: one for each kind of entry. Dump, load and doctor are walks over them.
 *
 * A new kind of entry is a new row in store_entry.c; if it can be reckoned from others (an index), it says `derived`,
 * is in no dump, and has a row in store_index.c, by which it is checked, and made anew after a load.
 *
 * An entry as a value is a map: "table", the parts of the key by name, and "value" (or the parts of the value by name).
 * Bytes that are no UTF-8 stand as {"$bytes": base64}; a map with such a key as {"$pairs": [[key, item]...]}; of a key
 * that begins with `$` another one stands in front. Numbers above INT64_MAX are written as negative ones, as in
 * records. */
#ifndef AX_STORE_ENTRY_H
#define AX_STORE_ENTRY_H

#include "lib/text/value.h"
#include "spool/record.h"
#include "spool/store_private.h"

enum part_kind {
    PART_END,
    PART_U32,
    PART_U64,
    PART_TIME,
    PART_TEXT,
    PART_ZERO,
    PART_ONE
}; /* PART_TEXT: the rest; the last two: a byte that is always the same */
struct entry_part {
    const char *name;
    enum part_kind kind;
};

enum entry_value {
    ENTRY_NOTHING,
    ENTRY_PARTS, /* none; parts with names */
    ENTRY_RECORD,
    ENTRY_PACK,     /* a record of record.h; any msgpack value */
    ENTRY_COUNTERS, /* ENTRY_PACK, without what is counted anew */
    ENTRY_BYTES,
    ENTRY_TEXTS, /* bytes; NUL-terminated texts */
};

#define ENTRY_PARTS_MAX 4
struct entry_row {
    const char *name; /* NULL ends the rows */
    enum db_table table;
    const char *prefix; /* of the key; "" none */
    struct entry_part key[ENTRY_PARTS_MAX + 1];
    enum entry_value value;
    struct entry_part parts[ENTRY_PARTS_MAX + 1];
    enum record_kind record;
    bool derived;
};
extern const struct entry_row entry_rows[];

const struct entry_row *entry_find(enum db_table table, struct db_bytes key); /* NULL: of no kind */
const struct entry_row *entry_named(const char *name);

/* Where an entry is, for people: `run 12.3`, `setting NAME`. malloc'd. */
char *entry_place(const struct entry_row *row, struct db_bytes key);

/* Does the value decode? ERROR_SPOOL. */
int entry_check(const struct entry_row *row, struct db_bytes value, struct error *e);

/* The entry as a map, and back: appended to `key` and `value`. Writing is strict: ERROR_SPOOL, ERROR_USAGE. */
int entry_read(
    const struct entry_row *row, struct db_bytes key, struct db_bytes value, struct value *out, struct error *e);
int entry_write(
    const struct entry_row *row, const struct value *map, struct buf *key, struct buf *value, struct error *e);

/* JSON's form of a value, and back. Both take it over. */
struct value entry_escape(struct value v);
int entry_unescape(struct value *v, struct error *e);

#endif
