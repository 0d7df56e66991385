#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/sys/write.h"
#include "lib/text/base64.h"
#include "lib/text/json.h"
#include "lib/text/utf8.h"
#include "spool/store_check.h"
#include "spool/store_dump.h"
#include "spool/store_entry.h"
#include "spool/store_index.h"

struct load {
    struct store *store; /* NULL: only looked at */
    uint64_t lines, hash;
    bool ended;
    struct buf key, value;
    char *file;   /* the one that is being written: its name in the dump */
    int64_t size; /* so far */
    int fd;       /* -1 */
    struct strvec made;
};

/* ---- files ---- */

/* The folder, and the name in it, of `output/12.3` and `handover/12.3.left`. */
static int file_split(const struct folder *f, const char *path, int *folder, const char **name, struct error *e)
{
    static const char output[] = "output/", left[] = "handover/";
    char text[RUN_ID_SIZE], canonical[RUN_ID_SIZE];
    struct run_id id;
    bool out = strncmp(path, output, sizeof output - 1) == 0;
    *name = path + (out ? sizeof output : sizeof left) - 1;
    bool good = out || strncmp(path, left, sizeof left - 1) == 0;
    size_t tail = out ? 0 : strlen(".left"), length = good ? strlen(*name) : 0;
    good = good && length > tail && length - tail < sizeof text && (out || strcmp(*name + length - tail, ".left") == 0);
    if (good) {
        memcpy(text, *name, length - tail);
        text[length - tail] = '\0';
        good = run_id_parse(text, &id) && !id.note;
    }
    if (good) {
        run_id_format(id, canonical);
        good = strcmp(canonical, text) == 0;
    }
    if (!good)
        return error_set(e, ERROR_USAGE, "%.*s is no file of a run", UTF8_WORD(path));
    *folder = !f ? -1 : out ? f->output : f->handover;
    return 0;
}

static int file_close(struct load *l, struct error *e)
{
    int number = l->fd >= 0 && fsync(l->fd) != 0 ? errno : 0;
    if (l->fd >= 0)
        close(l->fd);
    l->fd = -1;
    return number ? error_errno(e, ERROR_SPOOL, number, "cannot write %s of the spool", l->file) : 0;
}

/* What lies there in an empty spool is of no run. */
static int file_open(struct load *l, const char *path, struct error *e)
{
    int folder = -1, failed = file_close(l, e);
    const char *name = path;
    if (!failed)
        failed = file_split(l->store ? &l->store->folder : NULL, path, &folder, &name, e);
    if (failed)
        return failed;
    free(l->file);
    l->file = mem_string(path);
    l->size = 0;
    if (!l->store)
        return 0;
    unlinkat(folder, name, 0);
    l->fd = openat(folder, name, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (l->fd < 0)
        return error_errno(e, ERROR_SPOOL, errno, "cannot make %s in the spool", path);
    strvec_add(&l->made, path);
    return 0;
}

static int file_add(struct load *l, const struct buf *b, struct error *e)
{
    int number = l->fd >= 0 ? write_all(l->fd, b->data, b->length) : 0;
    if (number)
        return error_errno(e, ERROR_SPOOL, number, "cannot write %s of the spool", l->file);
    l->size += (int64_t)b->length;
    return 0;
}

static int load_piece(struct load *l, const struct value *v, struct error *e)
{
    const struct value *file = value_get(v, "file"), *offset = value_get(v, "offset"), *bytes = value_get(v, "bytes");
    struct buf b = {0};
    if (file->kind != VALUE_TEXT || !offset || offset->kind != VALUE_INT || !bytes || bytes->kind != VALUE_TEXT ||
        v->list.count != 3)
        return error_set(e, ERROR_USAGE, "a piece of a file has `file`, `offset` and `bytes`, and nothing else");
    bool first = offset->integer == 0;
    if (!base64_read(&b, bytes->text.data, bytes->text.length))
        return error_set(e, ERROR_USAGE, "`bytes` is not base64");
    int failed = 0;
    if (first && l->file && strcmp(l->file, file->text.data) == 0)
        failed = error_set(e, ERROR_USAGE, "the file %.*s begins twice", UTF8_WORD(file->text.data));
    else if (first)
        failed = file_open(l, file->text.data, e);
    else if (!l->file || strcmp(l->file, file->text.data) != 0 || l->size != offset->integer)
        failed = error_set(
            e, ERROR_USAGE, "a piece of the file %.*s is missing in front of this one", UTF8_WORD(file->text.data));
    if (!failed)
        failed = file_add(l, &b, e);
    buf_clear(&b);
    return failed;
}

/* ---- lines ---- */

static int load_head(const struct value *v, struct error *e)
{
    const struct value *version = value_get(v, "ax_dump");
    if (!version || version->kind != VALUE_INT || version->integer < 1)
        return error_set(e, ERROR_USAGE, "this is not a dump: it does not begin with {\"ax_dump\":%d", DUMP_VERSION);
    if (version->integer > DUMP_VERSION)
        return error_set(e, ERROR_USAGE,
            "the dump has format %" PRId64 ", this ax knows formats up to %d: use the newer ax", version->integer,
            DUMP_VERSION);
    return 0;
}

static int load_end(struct load *l, const struct value *v, struct error *e)
{
    const struct value *lines = value_get(v, "lines"), *hash = value_get(v, "hash");
    char have[24];
    snprintf(have, sizeof have, "%016" PRIx64, l->hash);
    if (!lines || lines->kind != VALUE_INT || !hash || hash->kind != VALUE_TEXT)
        return error_set(e, ERROR_USAGE, "the last line has `end`, `lines` and `hash`");
    if (lines->integer != (int64_t)l->lines)
        return error_set(e, ERROR_USAGE,
            "the dump should have %" PRId64 " lines before this one and has %" PRIu64
            ": something was cut out or put in",
            lines->integer, l->lines);
    if (strcmp(hash->text.data, have) != 0)
        return error_set(e, ERROR_USAGE, "the dump was changed after it was made: the hash of its lines is %s", have);
    l->ended = true;
    return file_close(l, e);
}

static int load_put(struct load *l, const struct entry_row *row, struct error *e)
{
    struct db_bytes key = {buf_string(&l->key), l->key.length}, value = {buf_string(&l->value), l->value.length}, old;
    if (!l->store)
        return 0;
    int found = db_get(l->store->db, row->table, key, &old, e);
    if (found == 0)
        return error_set(e, ERROR_USAGE, "this %s was there before", row->name);
    return found < 0 ? found : db_put(l->store->db, row->table, key, value, e);
}

static int load_entry(struct load *l, struct value *v, struct error *e)
{
    const struct value *table = value_get(v, "table");
    const struct entry_row *row = table && table->kind == VALUE_TEXT ? entry_named(table->text.data) : NULL;
    if (!table)
        return error_set(e, ERROR_USAGE, "the line has neither `table` nor `file` nor `end`");
    if (!row || row->derived)
        return error_set(e, ERROR_USAGE, "there is no such table in a dump");
    buf_reset(&l->key);
    buf_reset(&l->value);
    int failed = entry_unescape(v, e);
    if (!failed)
        failed = entry_write(row, v, &l->key, &l->value, e);
    if (failed && e)
        e->code = ERROR_USAGE;
    return failed ? -(int)ERROR_USAGE : load_put(l, row, e);
}

static int load_value(struct load *l, struct value *v, struct error *e)
{
    if (v->kind != VALUE_MAP)
        return error_set(e, ERROR_USAGE, "the line is not an object");
    if (l->ended)
        return error_set(e, ERROR_USAGE, "something follows the end of the dump");
    if (l->lines == 0)
        return load_head(v, e);
    if (value_get(v, "end"))
        return load_end(l, v, e);
    return value_get(v, "file") ? load_piece(l, v, e) : load_entry(l, v, e);
}

/* The line without its end. */
static int load_line(struct load *l, const char *text, size_t length, struct error *e)
{
    struct value v;
    struct error why = {0};
    int failed = json_read(text, length, &v, &why);
    if (failed == 0) {
        failed = load_value(l, &v, &why);
        value_clear(&v);
    }
    if (!failed)
        return 0;
    if (why.code == ERROR_USAGE) {
        why.line = (int)(l->lines + 1);
        if (l->lines == 0 && !why.column)
            why.column = 0;
    }
    if (e)
        *e = why;
    return failed;
}

static int load_lines(struct load *l, int fd, struct error *e)
{
    int own = fcntl(fd, F_DUPFD_CLOEXEC, 3), failed = 0;
    FILE *f = own < 0 ? NULL : fdopen(own, "r");
    char *line = NULL;
    size_t size = 0;
    ssize_t length;
    if (!f)
        return error_errno(e, ERROR_FAILED, errno, "cannot read the dump");
    rewind(f);
    while (!failed && (length = getline(&line, &size, f)) > 0) {
        bool whole = line[length - 1] == '\n';
        failed = whole ? load_line(l, line, (size_t)length - 1, e) : -(int)ERROR_USAGE;
        if (!whole) {
            error_set(e, ERROR_USAGE, "the dump was cut off here");
            e->line = (int)(l->lines + 1);
        }
        l->hash = hash_add(l->hash, line, (size_t)length);
        l->lines++;
    }
    if (!failed && ferror(f))
        failed = error_errno(e, ERROR_FAILED, errno, "cannot read the dump");
    fclose(f);
    free(line);
    if (!failed && !l->ended) {
        failed = error_set(
            e, ERROR_USAGE, l->lines ? "the dump was cut off: its last line is missing" : "the dump is empty");
        e->line = (int)l->lines;
    }
    return failed;
}

static void load_clear(struct load *l)
{
    if (l->fd >= 0)
        close(l->fd);
    buf_clear(&l->key);
    buf_clear(&l->value);
    free(l->file);
    strvec_clear(&l->made);
}

int store_load_check(int fd, struct error *e)
{
    struct load l = {.hash = HASH_START, .fd = -1};
    struct error why = {0};
    int failed = load_lines(&l, fd, &why);
    if (failed && e)
        *e = why;
    load_clear(&l);
    return failed;
}

/* ---- into the store ---- */

static int load_empty(struct store *s, struct error *e)
{
    static const enum db_table tables[] = {DB_JOBS, DB_STATES, DB_RUNS, DB_NAMES, DB_ENVS, DB_OUTPUTS};
    uint64_t count;
    if (folder_scheduler(&s->folder))
        return error_set(e, ERROR_EXISTS,
            "a scheduler serves the spool %s: stop it first, or load into another with --spool", s->folder.path);
    bool empty = s->counters.next_job == 1;
    for (size_t i = 0; empty && i < sizeof tables / sizeof *tables; i++) {
        int failed = db_count(s->db, tables[i], &count, e);
        if (failed)
            return failed;
        empty = count == 0;
    }
    if (!empty)
        return error_set(e, ERROR_EXISTS, "the spool %s is not empty: a dump is loaded into a new one (--spool DIR)",
            s->folder.path);
    int failed = 0;
    for (int t = 0; t < DB_TABLES && !failed; t++)
        failed = db_empty(s->db, t, e);
    return failed;
}

struct verdict {
    struct error *e;
    int failed;
};

static void load_refuse(void *context, const struct finding *f)
{
    struct verdict *v = context;
    if (!v->failed)
        v->failed = error_set(v->e, ERROR_USAGE, "what the dump says does not fit together: %s: %s", f->where, f->text);
}

static int load_all(struct load *l, int fd, struct error *e)
{
    struct store *s = l->store;
    struct verdict v = {.e = e};
    int failed = load_empty(s, e);
    if (!failed)
        failed = load_lines(l, fd, e);
    if (!failed)
        failed = store_counters(s, e);
    if (!failed)
        failed = store_indexes(s, true, NULL, NULL, e);
    if (!failed)
        failed = store_recount(s, true, NULL, NULL, e);
    if (!failed)
        failed = store_relations(s, false, load_refuse, &v, e);
    return failed ? failed : v.failed;
}

int store_load(struct store *s, int fd, struct error *e)
{
    struct load l = {.store = s, .hash = HASH_START, .fd = -1};
    struct error why = {0};
    int failed = store_begin(s, true, &why);
    if (!failed)
        failed = load_all(&l, fd, &why);
    if (failed)
        store_abort(s);
    else
        failed = store_commit(s, &why);
    for (size_t i = 0; failed && i < l.made.count; i++)
        unlinkat(s->folder.fd, l.made.items[i], 0);
    if (failed && e)
        *e = why;
    load_clear(&l);
    return failed;
}
