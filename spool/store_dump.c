#include "spool/store_dump.h"

#include <dirent.h>
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
#include "spool/pages.h"
#include "spool/store_entry.h"

#define DUMP_BUFFER (1 << 18)
#define DUMP_PIECE (48 * 1024) /* of a file, a line */

struct dump {
    int fd;
    struct buf out;
    uint64_t lines, hash;
    store_damage_call *call;
    void *context;
    const struct entry_row *row;
};

static int dump_flush(struct dump *d, struct error *e)
{
    int number = write_all(d->fd, d->out.data, d->out.length);
    if (number)
        return error_errno(e, ERROR_FAILED, number, "cannot write the dump");
    buf_reset(&d->out);
    return 0;
}

/* Takes v over. */
static int dump_line(struct dump *d, struct value v, struct error *e)
{
    size_t from = d->out.length;
    json_write(&d->out, &v, NULL);
    buf_char(&d->out, '\n');
    value_clear(&v);
    d->hash = hash_add(d->hash, d->out.data + from, d->out.length - from);
    d->lines++;
    return d->out.length < DUMP_BUFFER ? 0 : dump_flush(d, e);
}

static int dump_head(struct dump *d, struct error *e)
{
    struct value v = value_map();
    value_put(&v, "ax_dump", value_int(DUMP_VERSION));
    value_put(&v, "version", value_text(AX_VERSION));
    return dump_line(d, v, e);
}

static int dump_end(struct dump *d, struct error *e)
{
    char hash[24];
    struct value v = value_map();
    snprintf(hash, sizeof hash, "%016" PRIx64, d->hash);
    value_put(&v, "end", value_bool(true));
    value_put(&v, "lines", value_int((int64_t)d->lines));
    value_put(&v, "hash", value_text(hash));
    int failed = dump_line(d, v, e);
    return failed ? failed : dump_flush(d, e);
}

/* ---- entries ---- */

static int dump_entry(struct dump *d, enum db_table table, struct db_bytes key, struct db_bytes value, struct error *e)
{
    const struct entry_row *row = entry_find(table, key);
    struct value v;
    struct error why = {0};
    if (!row) {
        d->call(d->context, db_table_name(table), "an entry of a kind that this ax does not know");
        return 0;
    }
    if (row->derived)
        return 0;
    if (entry_read(row, key, value, &v, &why) == 0)
        return dump_line(d, entry_escape(v), e);
    char *place = entry_place(row, key);
    d->call(d->context, place, why.text);
    free(place);
    return 0;
}

static int dump_table(struct dump *d, struct store *s, enum db_table table, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    int failed = db_cursor_new(s->db, table, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){0}, &key, &value, e); failed == 0;) {
        failed = dump_entry(d, table, key, value, e);
        if (!failed)
            failed = db_cursor_next(c, &key, &value, e);
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

static const enum db_table dump_order[] = {
    DB_META, DB_QUEUES, DB_ENVS, DB_JOBS, DB_STATES, DB_NAMES, DB_RUNS, DB_OUTPUTS};

/* ---- files ---- */

/* Of a run: J.N of output, J.N.left of handover. */
static bool file_wanted(const char *name, const char *ending)
{
    char text[RUN_ID_SIZE];
    struct run_id id;
    size_t length = strlen(name), tail = strlen(ending);
    if (length <= tail || length - tail >= sizeof text || strcmp(name + length - tail, ending) != 0)
        return false;
    memcpy(text, name, length - tail);
    text[length - tail] = '\0';
    return run_id_parse(text, &id) && !id.note;
}

static int dump_piece(struct dump *d, const char *name, int64_t offset, const struct buf *piece, struct error *e)
{
    struct buf text = {0};
    struct value v = value_map();
    base64_write(&text, piece->data, piece->length);
    value_put(&v, "file", value_text(name));
    value_put(&v, "offset", value_int(offset));
    value_put(&v, "bytes", value_text(buf_string(&text)));
    buf_clear(&text);
    return dump_line(d, v, e);
}

/* As long as it is now: that of a run that is open grows. */
static int dump_file(struct dump *d, int folder, const char *where, const char *name, struct error *e)
{
    struct stat st;
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK), failed = 0;
    if (fd < 0 && errno == ENOENT)
        return 0; /* gone meanwhile */
    char *path = mem_format("%s/%s", where, name);
    struct buf piece = {0};
    buf_reserve(&piece, DUMP_PIECE);
    if (fd < 0 || fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        d->call(d->context, path, fd < 0 ? strerror(errno) : "not a plain file");
        st.st_size = -1;
    }
    for (int64_t at = 0; !failed && at <= st.st_size && (at < st.st_size || !at);) {
        int64_t left = st.st_size - at;
        ssize_t n = pread(fd, piece.data, (size_t)(left < DUMP_PIECE ? left : DUMP_PIECE), at);
        if (n < 0)
            d->call(d->context, path, strerror(errno));
        piece.length = n > 0 ? (size_t)n : 0;
        if (n >= 0)
            failed = dump_piece(d, path, at, &piece, e);
        if (n <= 0)
            break;
        at += n;
    }
    if (fd >= 0)
        close(fd);
    buf_clear(&piece);
    free(path);
    return failed;
}

static int dump_folder(struct dump *d, int folder, const char *where, const char *ending, struct error *e)
{
    struct strvec names = {0};
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC), failed = 0;
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        d->call(d->context, where, strerror(errno));
        if (fd >= 0)
            close(fd);
        return 0;
    }
    for (struct dirent *entry; (entry = readdir(dir));)
        if (file_wanted(entry->d_name, ending))
            strvec_add(&names, entry->d_name);
    closedir(dir);
    strvec_sort(&names);
    for (size_t i = 0; i < names.count && !failed; i++)
        failed = dump_file(d, folder, where, names.items[i], e);
    strvec_clear(&names);
    return failed;
}

/* After the entries: a file of a run that the dump has is there by then, and stays. */
static int dump_rest(struct dump *d, const struct folder *f, struct error *e)
{
    int failed = dump_folder(d, f->output, "output", "", e);
    if (!failed)
        failed = dump_folder(d, f->handover, "handover", ".left", e);
    if (!failed)
        failed = dump_end(d, e);
    buf_clear(&d->out);
    return failed;
}

int store_dump(struct store *s, int fd, store_damage_call *call, void *context, struct error *e)
{
    struct dump d = {.fd = fd, .hash = HASH_START, .call = call, .context = context};
    int failed = dump_head(&d, e);
    if (!failed)
        failed = store_begin(s, false, e);
    for (size_t i = 0; i < sizeof dump_order / sizeof *dump_order && !failed; i++)
        failed = dump_table(&d, s, dump_order[i], e);
    store_abort(s);
    if (!failed)
        return dump_rest(&d, &s->folder, e);
    buf_clear(&d.out);
    return failed;
}

/* ---- of a damaged database ---- */

struct salvage {
    struct dump *dump;
    enum db_table table;
    struct error *e;
};

static int salvage_entry(void *context, struct pages_bytes key, struct pages_bytes value)
{
    struct salvage *s = context;
    return dump_entry(
        s->dump, s->table, (struct db_bytes){key.data, key.length}, (struct db_bytes){value.data, value.length}, s->e);
}

int store_dump_damaged(const struct folder *f, int fd, store_damage_call *call, void *context, struct error *e)
{
    struct dump d = {.fd = fd, .hash = HASH_START, .call = call, .context = context};
    struct pages *p;
    int failed = pages_open(f, &p, e);
    if (failed)
        return failed;
    failed = dump_head(&d, e);
    for (size_t i = 0; i < sizeof dump_order / sizeof *dump_order && !failed; i++) {
        struct salvage s = {&d, dump_order[i], e};
        failed = pages_each(p, db_table_name(dump_order[i]), salvage_entry, &s, call, context);
    }
    pages_close(p);
    if (!failed)
        return dump_rest(&d, f, e);
    buf_clear(&d.out);
    return failed;
}
