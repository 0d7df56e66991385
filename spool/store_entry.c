#include "spool/store_entry.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/pack.h"
#include "lib/text/visible.h"

/* clang-format off */
#define JOB_N {"job", PART_U64}, {"n", PART_U32}
const struct entry_row entry_rows[] = {
    {"counters", DB_META, "counters", {{0}}, ENTRY_COUNTERS, {{0}}, 0, false},
    {"steps", DB_META, "steps", {{0}}, ENTRY_PACK, {{0}}, 0, false},
    {"setting", DB_META, "set:", {{"name", PART_TEXT}}, ENTRY_PACK, {{0}}, 0, false},
    {"source", DB_META, "source:", {{"label", PART_TEXT}}, ENTRY_PACK, {{0}}, 0, false},
    {"zone", DB_META, "zone:", {{"name", PART_TEXT}}, ENTRY_PARTS, {{"stamp", PART_U64}}, 0, false},
    {"queue", DB_QUEUES, "", {{"name", PART_TEXT}}, ENTRY_PARTS, {{"id", PART_U32}, {"limit", PART_U32}}, 0, false},
    {"environment", DB_ENVS, "", {{"id", PART_U64}, {"", PART_ZERO}}, ENTRY_TEXTS, {{0}}, 0, false},
    {"environment count", DB_ENVS, "", {{"id", PART_U64}, {"", PART_ONE}}, ENTRY_PARTS, {{"count", PART_U64}}, 0, true},
    {"job", DB_JOBS, "", {{"number", PART_U64}}, ENTRY_RECORD, {{0}}, RECORD_JOB, false},
    {"state", DB_STATES, "", {{"number", PART_U64}}, ENTRY_RECORD, {{0}}, RECORD_STATE, false},
    {"extra", DB_STATES, "", {{"job", PART_U64}, {"number", PART_U64}}, ENTRY_NOTHING, {{0}}, 0, true},
    {"name", DB_NAMES, "", {{"name", PART_TEXT}}, ENTRY_PARTS, {{"number", PART_U64}}, 0, false},
    {"due", DB_DUE, "", {{"queue", PART_U32}, {"priority", PART_U32}, {"ready", PART_TIME}, {"number", PART_U64}}, ENTRY_PARTS, {{"weight", PART_U32}}, 0, true},
    {"run", DB_RUNS, "", {JOB_N, {"note", PART_U32}}, ENTRY_RECORD, {{0}}, RECORD_RUN, false},
    {"output", DB_OUTPUTS, "", {JOB_N}, ENTRY_BYTES, {{0}}, 0, false},
    {"ended", DB_ENDED, "", {{"ended", PART_TIME}, JOB_N, {"note", PART_U32}}, ENTRY_NOTHING, {{0}}, 0, true},
    {"open", DB_OPEN, "", {JOB_N}, ENTRY_NOTHING, {{0}}, 0, true},
    {"audit", DB_META, "audit:", {{"job", PART_U64}}, ENTRY_PACK, {{0}}, 0, false},
    {"mail", DB_META, "mail:", {JOB_N}, ENTRY_PARTS, {{"tries", PART_U32}, {"next", PART_TIME}}, 0, false},
    {"notice", DB_META, "notice:", {{"number", PART_U64}}, ENTRY_RECORD, {{0}}, RECORD_NOTICE, false},
    {"alarm", DB_META, "alarm:", {{"at", PART_TIME}, {"number", PART_U64}}, ENTRY_NOTHING, {{0}}, 0, true},
    {"expiry", DB_META, "expiry:", {{"at", PART_TIME}, {"job", PART_U64}}, ENTRY_NOTHING, {{0}}, 0, true},
    {"gone file", DB_META, "file:", {JOB_N}, ENTRY_NOTHING, {{0}}, 0, false},
    {"feed", DB_FEED, "", {{"sequence", PART_U64}}, ENTRY_BYTES, {{0}}, 0, true},
    {0},
};
/* clang-format on */

/* ---- finding ---- */

static size_t part_size(enum part_kind kind)
{
    return kind == PART_U32 ? 4 : kind == PART_ZERO || kind == PART_ONE ? 1 : 8;
}

/* Takes the part off the front; `out` may be NULL. */
static bool part_read(const struct entry_part *p, struct db_bytes *data, struct value *out)
{
    struct value v = {0};
    if (p->kind == PART_TEXT) {
        v = value_bytes(data->data, data->length);
        *data = (struct db_bytes){(const char *)data->data + data->length, 0};
    } else if (data->length < part_size(p->kind)) {
        return false;
    } else if (p->kind == PART_ZERO || p->kind == PART_ONE) {
        const unsigned char *byte = data->data;
        *data = (struct db_bytes){byte + 1, data->length - 1};
        return *byte == (p->kind == PART_ONE);
    } else if (p->kind == PART_U32) {
        uint32_t n = 0;
        key_take_u32(data, &n);
        v = value_int(n);
    } else if (p->kind == PART_TIME) {
        instant t = 0;
        key_take_time(data, &t);
        v = value_int(t);
    } else {
        uint64_t n = 0;
        key_take_u64(data, &n);
        v = value_int((int64_t)n);
    }
    if (out)
        value_put(out, p->name, v);
    else
        value_clear(&v);
    return true;
}

/* All of the data, no byte more. */
static bool parts_read(const struct entry_part *parts, struct db_bytes data, struct value *out)
{
    for (const struct entry_part *p = parts; p->kind; p++)
        if (!part_read(p, &data, out))
            return false;
    return data.length == 0;
}

static bool key_strip(const struct entry_row *row, struct db_bytes *key)
{
    size_t length = strlen(row->prefix);
    if (key->length < length || memcmp(key->data, row->prefix, length) != 0)
        return false;
    *key = (struct db_bytes){(const char *)key->data + length, key->length - length};
    return true;
}

const struct entry_row *entry_find(enum db_table table, struct db_bytes key)
{
    for (const struct entry_row *row = entry_rows; row->name; row++) {
        struct db_bytes rest = key;
        if (row->table == table && key_strip(row, &rest) && parts_read(row->key, rest, NULL))
            return row;
    }
    return NULL;
}

const struct entry_row *entry_named(const char *name)
{
    for (const struct entry_row *row = entry_rows; row->name; row++)
        if (strcmp(row->name, name) == 0)
            return row;
    return NULL;
}

char *entry_place(const struct entry_row *row, struct db_bytes key)
{
    struct buf b = {0};
    struct value parts = value_map();
    key_strip(row, &key);
    parts_read(row->key, key, &parts);
    buf_text(&b, row->name);
    for (size_t i = 0; i < parts.list.count; i++) {
        const struct value *v = &parts.list.items[i];
        buf_text(&b, i && v->kind == VALUE_INT ? "." : " ");
        if (v->kind == VALUE_INT)
            buf_format(&b, "%" PRIu64, (uint64_t)v->integer);
        else
            visible_add(&b, v->text.data, v->text.length, false);
    }
    value_clear(&parts);
    return buf_take(&b);
}

/* ---- checking ---- */

static int record_check(enum record_kind kind, struct db_bytes value, struct error *e)
{
    struct job j;
    struct job_state state;
    struct run run;
    struct notice notice;
    uint64_t environment;
    int failed;
    switch (kind) {
    case RECORD_JOB:
        failed = record_read_job(value.data, value.length, &j, &environment, e);
        if (!failed)
            job_clear(&j);
        return failed;
    case RECORD_STATE:
        return record_read_state(value.data, value.length, &state, e);
    case RECORD_RUN:
        failed = record_read_run(value.data, value.length, &run, e);
        if (!failed)
            run_clear(&run);
        return failed;
    default:
        return record_read_notice(value.data, value.length, &notice, e);
    }
}

static int pack_check(struct db_bytes value, struct error *e)
{
    struct value v = {0};
    int failed = pack_read(value.data, value.length, &v, e);
    value_clear(&v);
    return failed;
}

int entry_check(const struct entry_row *row, struct db_bytes value, struct error *e)
{
    const char *text = value.data;
    switch (row->value) {
    case ENTRY_RECORD:
        return record_check(row->record, value, e);
    case ENTRY_PACK:
    case ENTRY_COUNTERS:
        return pack_check(value, e);
    case ENTRY_PARTS:
        return parts_read(row->parts, value, NULL) ? 0 : error_set(e, ERROR_SPOOL, "its value has the wrong length");
    case ENTRY_NOTHING:
        return value.length ? error_set(e, ERROR_SPOOL, "it has a value, and should have none") : 0;
    case ENTRY_TEXTS:
        return value.length && text[value.length - 1] ? error_set(e, ERROR_SPOOL, "its last text has no end") : 0;
    default:
        return 0;
    }
}

/* ---- reading ---- */

static const char *const counted[] = {"feed_first", "feed_next", "mails", "notices", "pending_once", NULL};

static bool is_counted(const char *name)
{
    for (int i = 0; counted[i]; i++)
        if (strcmp(counted[i], name) == 0)
            return true;
    return false;
}

/* Keys get the names for people, or lose them; counters lose what is counted anew. The boot of a run stays behind: in
 * another spool no run of it goes on, whatever boot it is. */
static struct value record_rename(const struct entry_row *row, struct value map, bool names)
{
    struct value out = value_map();
    for (size_t i = 0; map.kind == VALUE_MAP && i < map.list.count; i++) {
        const char *key = map.list.keys[i];
        const char *other = row->value != ENTRY_RECORD ? NULL
                            : names                    ? record_name(row->record, key)
                                                       : record_key(row->record, key);
        bool left_out = (row->value == ENTRY_COUNTERS && is_counted(key)) ||
                        (row->value == ENTRY_RECORD && row->record == RECORD_RUN && other &&
                            strcmp(names ? other : key, "boot") == 0);
        if (left_out)
            continue;
        value_put(&out, other ? other : key, map.list.items[i]);
        map.list.items[i] = (struct value){0};
    }
    value_clear(&map);
    return out;
}

static struct value texts_read(struct db_bytes value)
{
    struct value list = value_list();
    const char *p = value.data, *end = p + value.length;
    for (; p < end; p += strlen(p) + 1)
        value_push(&list, value_text(p));
    return list;
}

static int value_read(const struct entry_row *row, struct db_bytes value, struct value *out, struct error *e)
{
    struct value v = {0};
    switch (row->value) {
    case ENTRY_NOTHING:
        return 0;
    case ENTRY_PARTS:
        parts_read(row->parts, value, out);
        return 0;
    case ENTRY_BYTES:
        v = value_bytes(value.data, value.length);
        break;
    case ENTRY_TEXTS:
        v = texts_read(value);
        break;
    default:
        if (pack_read(value.data, value.length, &v, e) < 0)
            return -(int)ERROR_SPOOL;
        if (row->value != ENTRY_PACK)
            v = record_rename(row, v, true);
    }
    value_put(out, "value", v);
    return 0;
}

int entry_read(
    const struct entry_row *row, struct db_bytes key, struct db_bytes value, struct value *out, struct error *e)
{
    struct value map = value_map();
    int failed = entry_check(row, value, e);
    value_put(&map, "table", value_text(row->name));
    key_strip(row, &key);
    parts_read(row->key, key, &map);
    if (!failed)
        failed = value_read(row, value, &map, e);
    if (failed)
        value_clear(&map);
    else
        *out = map;
    return failed;
}

/* ---- writing ---- */

static int part_write(
    const struct entry_part *p, const struct value *map, struct buf *to, size_t *used, struct error *e)
{
    struct key k = {.length = 0};
    const struct value *v = *p->name ? value_get(map, p->name) : NULL;
    if (p->kind == PART_ZERO || p->kind == PART_ONE) {
        buf_char(to, p->kind == PART_ONE);
        return 0;
    }
    if (!v || v->kind != (p->kind == PART_TEXT ? VALUE_TEXT : VALUE_INT))
        return error_set(e, ERROR_USAGE, "`%s` is missing, or is not %s", p->name,
            p->kind == PART_TEXT ? "a text" : "a whole number");
    ++*used;
    if (p->kind == PART_TEXT) {
        buf_add(to, v->text.data, v->text.length);
        return 0;
    }
    if (p->kind == PART_U32 && (v->integer < 0 || v->integer > UINT32_MAX))
        return error_set(e, ERROR_USAGE, "`%s` is not within 0 and 4294967295", p->name);
    if (p->kind == PART_U32)
        key_u32(&k, (uint32_t)v->integer);
    else if (p->kind == PART_TIME)
        key_time(&k, v->integer);
    else
        key_u64(&k, (uint64_t)v->integer);
    buf_add(to, k.bytes, k.length);
    return 0;
}

static int parts_write(
    const struct entry_part *parts, const struct value *map, struct buf *to, size_t *used, struct error *e)
{
    int failed = 0;
    for (const struct entry_part *p = parts; p->kind && !failed; p++)
        failed = part_write(p, map, to, used, e);
    return failed;
}

static int texts_write(const struct value *v, struct buf *to, struct error *e)
{
    bool good = v->kind == VALUE_LIST;
    for (size_t i = 0; good && i < v->list.count; i++) {
        const struct value *text = &v->list.items[i];
        good = text->kind == VALUE_TEXT && strlen(text->text.data) == text->text.length;
        if (good)
            buf_add(to, text->text.data, text->text.length + 1);
    }
    return good ? 0 : error_set(e, ERROR_USAGE, "`value` is not a list of texts without NULs");
}

static int pack_copy(const struct entry_row *row, const struct value *v, struct buf *to, struct error *e)
{
    struct value copy = {0};
    struct buf bytes = {0};
    if (row->value == ENTRY_PACK) {
        pack_write(to, v);
        return 0;
    }
    if (v->kind != VALUE_MAP)
        return error_set(e, ERROR_USAGE, "`value` is not an object");
    pack_write(&bytes, v);
    int failed = pack_read(bytes.data, bytes.length, &copy, e);
    buf_clear(&bytes);
    if (failed)
        return failed;
    copy = record_rename(row, copy, false);
    pack_write(to, &copy);
    value_clear(&copy);
    return 0;
}

static int value_write(
    const struct entry_row *row, const struct value *map, struct buf *to, size_t *used, struct error *e)
{
    const struct value *v = value_get(map, "value");
    if (row->value == ENTRY_NOTHING)
        return 0;
    if (row->value == ENTRY_PARTS)
        return parts_write(row->parts, map, to, used, e);
    if (!v)
        return error_set(e, ERROR_USAGE, "`value` is missing");
    ++*used;
    if (row->value == ENTRY_TEXTS)
        return texts_write(v, to, e);
    if (row->value != ENTRY_BYTES)
        return pack_copy(row, v, to, e);
    if (v->kind != VALUE_TEXT)
        return error_set(e, ERROR_USAGE, "`value` is not a text");
    buf_add(to, v->text.data, v->text.length);
    return 0;
}

#define KEY_MOST 511 /* of LMDB */

int entry_write(
    const struct entry_row *row, const struct value *map, struct buf *key, struct buf *value, struct error *e)
{
    size_t used = 1, from = value->length, start = key->length; /* "table" */
    buf_text(key, row->prefix);
    int failed = parts_write(row->key, map, key, &used, e);
    if (!failed)
        failed = value_write(row, map, value, &used, e);
    if (failed)
        return failed;
    if (used != map->list.count)
        return error_set(e, ERROR_USAGE, "it has members that a %s has not", row->name);
    if (key->length == start || key->length - start > KEY_MOST)
        return error_set(e, ERROR_USAGE, "its name is empty or longer than %d bytes", KEY_MOST);
    return entry_check(row, (struct db_bytes){value->length > from ? value->data + from : "", value->length - from}, e);
}
