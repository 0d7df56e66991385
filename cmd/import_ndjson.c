/* `ax import ndjson`: jobs from lines of JSON. */
#include "cmd/import.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/caller.h"
#include "cmd/client.h"
#include "cmd/import_place.h"
#include "cmd/progress.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/json.h"
#include "lib/text/utf8.h"
#include "lib/time/cron.h"
#include "spool/fields.h"
#include "spool/record.h"

#define LINE_MAX_BYTES (8 << 20) /* more than any job takes */
#define READ_BYTES (256 << 10)
enum { NEVER_NAMED = 10, TRAPS_NAMED = 10 };

/* All jobs of the file, read and checked before the spool is locked. They are kept as records, a small part of what they take as structs: a million
 * jobs are some 100 MB. Each record is led by a struct import_head. */
struct import {
    const char *name; /* of the file, for messages */
    struct field_context context;
    struct zones zones;
    struct buf records;
    int64_t count;
    int line;
    int64_t read, size; /* bytes; size 0: not known */
    struct progress progress;
    uint64_t first, last; /* numbers given */
    int never[NEVER_NAMED]; /* lines of jobs that are never due */
    int64_t never_count;    /* all of them; the first ones are named */
    struct strvec traps;    /* what expressions say that is likely a slip, of the first such jobs */
};
struct import_head {
    int32_t line;
    uint32_t length;
};

/* ---- lines to records ---- */

/* `column` is that of the line, 0 where it is not known. What the field says, and the place in that, stays. */
static int import_fail(const struct import *im, int line, int column, struct error *e)
{
    struct buf place = {0};
    buf_format(&place, "%s: line %d", im->name, line);
    if (column)
        buf_format(&place, ", column %d", column);
    if (e->field[0])
        buf_format(&place, ": %s", e->field);
    struct error whole;
    error_set(&whole, e->code, "%s: %s", buf_string(&place), e->text);
    if (e->field[0] && e->source[0])
        error_place(&whole, e->source, line, e->column, e->width);
    buf_clear(&place);
    *e = whole;
    return -(int)e->code;
}

static int import_job(struct import *im, const struct value *map, struct error *e)
{
    struct job j;
    job_init(&j);
    int code = fields_read(&j, map, &im->context, e);
    const struct value *zone = value_get(map, "timezone");
    if (code == 0 && (!zone || zone->kind == VALUE_NULL))
        code = caller_timezone(&j, e);
    if (code == 0) {
        size_t at = im->records.length;
        struct import_head head = {.line = im->line};
        buf_add(&im->records, &head, sizeof head);
        record_write_job(&im->records, &j, 0);
        head.length = (uint32_t)(im->records.length - at - sizeof head);
        memcpy(im->records.data + at, &head, sizeof head);
        im->count++;
    }
    job_clear(&j);
    return code;
}

static bool import_blank(const char *text, size_t length)
{
    while (length && strchr(" \t\r", text[length - 1]))
        length--;
    return length == 0;
}

static int import_line(struct import *im, const char *text, size_t length, struct error *e)
{
    im->line++;
    if (import_blank(text, length))
        return 0;
    struct value map = {0};
    int code = json_read(text, length, &map, e);
    if (code == 0 && map.kind != VALUE_MAP)
        code = error_set(e, ERROR_USAGE, "a job is an object, such as {\"at\": \"17:30\", \"command\": \"make\"}, not %s", value_kind_name(map.kind));
    if (code == 0)
        code = import_job(im, &map, e);
    value_clear(&map);
    if (code == 0)
        return 0;
    return import_fail(im, im->line, e->field[0] ? import_column(text, length, e->field) : e->column, e);
}

/* Takes the whole lines out of b; at the end of the file what is left is a line too. */
static int import_lines(struct import *im, struct buf *b, bool end, struct error *e)
{
    size_t at = 0;
    int code = 0;
    while (code == 0 && at < b->length) {
        char *stop = memchr(b->data + at, '\n', b->length - at);
        if (!stop && !end)
            break;
        size_t length = stop ? (size_t)(stop - b->data) - at : b->length - at;
        code = import_line(im, b->data + at, length, e);
        at += length + (stop ? 1 : 0);
        progress_show(&im->progress, "reading", im->size ? im->read / 64 * 64 : im->count, im->size);
    }
    if (at)
        memmove(b->data, b->data + at, b->length - at);
    buf_cut(b, b->length - at);
    if (code == 0 && b->length > LINE_MAX_BYTES)
        code = error_set(e, ERROR_USAGE, "%s: line %d: longer than 8 MiB", im->name, im->line + 1);
    return code;
}

static int import_read(struct import *im, int fd, struct error *e)
{
    struct buf b = {0};
    int code = 0;
    for (;;) {
        buf_reserve(&b, READ_BYTES);
        ssize_t n = read(fd, b.data + b.length, READ_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            code = error_errno(e, ERROR_USAGE, errno, "reading %s", im->name);
        if (n <= 0)
            break;
        b.length += (size_t)n;
        im->read += n;
        code = import_lines(im, &b, false, e);
        if (code < 0)
            break;
    }
    if (code == 0)
        code = import_lines(im, &b, true, e);
    buf_clear(&b);
    return code;
}

static int import_open(struct import *im, const char *path, struct error *e)
{
    struct stat status;
    if (strcmp(path, "-") == 0) {
        im->name = "standard input";
        return import_read(im, STDIN_FILENO, e);
    }
    im->name = path;
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return error_errno(e, ERROR_USAGE, errno, "%s", path);
    if (fstat(fd, &status) == 0 && S_ISREG(status.st_mode))
        im->size = status.st_size;
    int code = import_read(im, fd, e);
    close(fd);
    return code;
}

/* ---- records to the spool ---- */

/* The line that the job came from which got the number: numbers are given in order. */
static int import_line_of(const struct import *im, uint64_t number)
{
    struct import_head head = {0};
    size_t at = 0;
    for (uint64_t n = im->first; n <= number; n++) {
        memcpy(&head, im->records.data + at, sizeof head);
        at += sizeof head + head.length;
    }
    return head.line;
}

/* The name is taken: by a job of this file, which will have no number when nothing is added, or by one that was there. */
static int import_twin(const struct import *im, struct store *store, const char *name, struct error *e)
{
    uint64_t number;
    if (!im->first || !name || store_find(store, name, &number, NULL) < 0 || number < im->first || number > im->last)
        return -(int)e->code;
    error_set(e, ERROR_USAGE, "line %d has the name '%.*s' too", import_line_of(im, number), UTF8_WORD(name));
    return error_field(e, "name");
}

static void import_trap(struct import *im, const char *expression, int line)
{
    struct cron cron;
    struct strvec traps = {0};
    if (im->traps.count < TRAPS_NAMED && cron_parse(expression, 0, &cron, &traps, NULL) == 0)
        for (size_t i = 0; i < traps.count; i++)
            strvec_take(&im->traps, mem_format("line %d: warning: `%s`: %s", line, expression, traps.items[i]));
    strvec_clear(&traps);
}

/* A schedule of dates that do not come is no error, but likely none was meant. */
static int import_look(struct import *im, struct store *store, const struct job *j, int line, struct error *e)
{
    struct job_state state;
    if (!j->cron.count && !j->calendar.count)
        return 0;
    for (size_t i = 0; i < j->cron.count; i++)
        import_trap(im, j->cron.items[i], line);
    int code = store_state(store, j->number, &state, e);
    if (code == 0 && state.due == INSTANT_NEVER && im->never_count++ < NEVER_NAMED)
        im->never[im->never_count - 1] = line;
    return code;
}

static int import_add(struct import *im, struct store *store, const struct import_head *head, const char *record, struct error *e)
{
    struct job j;
    uint64_t environment;
    struct store_added added;
    int code = record_read_job(record, head->length, &j, &environment, e);
    if (code < 0)
        return code;
    code = store_add(store, &j, im->context.now, STORE_REFUSE, &added, e);
    if (code == -ERROR_EXISTS)
        code = import_twin(im, store, j.name, e);
    if (code == 0)
        code = import_look(im, store, &j, head->line, e);
    job_clear(&j);
    if (code < 0)
        return import_fail(im, head->line, 0, e);
    if (!im->first)
        im->first = added.number;
    im->last = added.number;
    return 0;
}

static int import_add_all(struct import *im, struct store *store, struct error *e)
{
    int64_t done = 0;
    for (size_t at = 0; at < im->records.length;) {
        struct import_head head;
        memcpy(&head, im->records.data + at, sizeof head);
        int code = import_add(im, store, &head, im->records.data + at + sizeof head, e);
        if (code < 0)
            return code;
        at += sizeof head + head.length;
        progress_show(&im->progress, "adding", ++done, im->count);
    }
    return 0;
}

static int import_store(struct import *im, struct store *store, struct error *e)
{
    int code = store_begin(store, true, e);
    if (code < 0)
        return code;
    code = import_add_all(im, store, e);
    if (code == 0)
        return store_commit(store, e);
    store_abort(store);
    return code;
}

static void import_tell(const struct command *self, const struct import *im, const struct import_options *o)
{
    struct buf b = {0};
    if (o->json) {
        struct value m = value_map();
        value_put(&m, "added", value_int(im->count));
        value_put(&m, "first", im->count ? value_int((int64_t)im->first) : (struct value){0});
        value_put(&m, "last", im->count ? value_int((int64_t)im->last) : (struct value){0});
        view_line(&b, &m);
    } else if (!o->quiet && im->count) {
        buf_format(&b, im->count == 1 ? "added job %llu\n" : "added jobs %llu to %llu\n", (unsigned long long)im->first, (unsigned long long)im->last);
    } else if (!o->quiet) {
        buf_text(&b, "no jobs in it, nothing added\n");
    }
    command_print(self, &b);
    buf_clear(&b);
}

static void import_warn(const struct command *self, const struct import *im)
{
    for (size_t i = 0; i < im->traps.count; i++)
        command_warn(self, "%s: %s", im->name, im->traps.items[i]);
    for (int64_t i = 0; i < im->never_count && i < NEVER_NAMED; i++)
        command_warn(self, "%s: line %d: this never comes: its schedule has no due time ahead", im->name, im->never[i]);
    if (im->never_count > NEVER_NAMED)
        command_warn(self, "%s: %lld more never come", im->name, (long long)(im->never_count - NEVER_NAMED));
}

static int import_file(const struct command *self, const struct import_options *o, const char *path, struct error *e)
{
    struct view v = {0};
    struct store *store;
    int code = view_init(&v, e);
    if (code < 0)
        return code;
    struct import im = {.context = {.zone = v.zone, .now = v.now}};
    im.context.zones = &im.zones;
    bool served = true;
    progress_begin(&im.progress);
    code = import_open(&im, path, e);
    if (code == 0 && im.count)
        code = client_open(&o->common, STORE_WRITE, &store, e);
    if (code == 0 && im.count) {
        code = import_store(&im, store, e);
        served = folder_scheduler(store_folder(store)) > 0;
        store_close(store);
    }
    progress_end(&im.progress);
    if (code == 0) {
        import_tell(self, &im, o);
        import_warn(self, &im);
    }
    if (code == 0 && !served)
        client_hint(self, &o->common);
    buf_clear(&im.records);
    strvec_clear(&im.traps);
    zones_clear(&im.zones);
    view_clear(&v);
    return code;
}

int import_ndjson(const struct command *self, const struct import_options *o, int count, char **names)
{
    struct error e = {0};
    if (count != 1)
        return command_usage_error(self, "takes one file: `ax import ndjson FILE`, `-` for standard input");
    return import_file(self, o, names[0], &e) < 0 ? command_fail(self, &e) : 0;
}
