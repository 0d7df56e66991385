/* The documents of a file: what stands at the top of each. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/text/yaml.h"
#include "spool/jobfile_parts.h"
#include "spool/kind.h"

#define QUEUE_LIMIT_MAX 1000000

/* A whole number without quotes. */
static bool read_number(struct jobfile_reader *r, const struct value *v, const char *key, int64_t maximum, int64_t *out)
{
    bool digits = v->kind == VALUE_TEXT && v->plain && v->text.length && kind_digits(v->text.data, out) == v->text.length;
    if (v->kind == VALUE_INT)
        *out = v->integer;
    else if (!digits)
        jobfile_refuse(r, jobfile_place_of(v, key), NULL, "%.*s: a whole number without quotes is expected", UTF8_WORD(key));
    if (v->kind != VALUE_INT && !digits)
        return false;
    if (*out >= 0 && *out <= maximum)
        return true;
    jobfile_refuse(r, jobfile_place_of(v, key), NULL, "%.*s: must be from 0 to %" PRId64, UTF8_WORD(key), maximum);
    return false;
}

/* ---- version, source ---- */

/* False: the document is to be left alone. */
static bool read_version(struct jobfile_reader *r, const struct value *document)
{
    const struct value *v = value_get(document, "version");
    int64_t version;
    if (!v && !r->broken) {
        jobfile_refuse(r, (struct jobfile_place){document->line, document->column, 1}, NULL, "the version of the format is missing: begin with a line `version: 1`");
    }
    if (!v || !read_number(r, v, "version", INT64_MAX, &version) || version == 1)
        return true;
    jobfile_refuse(r, jobfile_place_of(v, "version"), NULL, "version %" PRId64 " of the format is not known here: this ax reads version 1", version);
    return false;
}

static const char *label_fault(const struct value *v)
{
    if (v->kind != VALUE_TEXT)
        return "is a text";
    if (!v->text.length || v->text.length >= PATH_MAX)
        return v->text.length ? "is too long" : "is empty";
    for (size_t at = 0, step; at < v->text.length; at += step) {
        uint32_t c;
        step = utf8_decode(v->text.data + at, v->text.length - at, &c);
        if (!step || utf8_hidden(c))
            return "holds a character that cannot be seen";
    }
    return NULL;
}

static void read_source(struct jobfile_reader *r, const struct value *document)
{
    const struct value *v = value_get(document, "source");
    const char *fault = v && v->kind != VALUE_NULL ? label_fault(v) : NULL;
    const char *label = v && v->kind == VALUE_TEXT && !fault ? v->text.data : r->out->path;
    if (fault)
        jobfile_refuse(r, jobfile_place_of(v, "source"), NULL, "source: %s", fault);
    r->out->source = mem_string(r->rules->source ? r->rules->source : label);
}

/* ---- queues ---- */

/* `disks: 2` or `disks: {limit: 2}`. */
static const struct value *queue_limit(struct jobfile_reader *r, const char *name, const struct value *v)
{
    if (v->kind != VALUE_MAP)
        return v;
    for (size_t i = 0; i < v->list.count; i++) {
        struct buf b = {0};
        if (strcmp(v->list.keys[i], "limit") == 0)
            continue;
        jobfile_hint_key(&b, v->list.keys[i], PART_QUEUE);
        jobfile_refuse(r, jobfile_place_key(&v->list.items[i], v->list.keys[i]), NULL, "a queue has no field '%.*s'%s", UTF8_WORD(v->list.keys[i]), buf_string(&b));
        buf_clear(&b);
    }
    const struct value *limit = value_get(v, "limit");
    if (!limit && !v->list.count)
        jobfile_refuse(r, jobfile_place_key(v, name), NULL, "the limit is missing: `%.*s: 2`", UTF8_WORD(name));
    return limit;
}

static void read_queue(struct jobfile_reader *r, const char *name, const struct value *v)
{
    struct error e = {0};
    struct jobfile *out = r->out;
    struct jobfile_place at = jobfile_place_key(v, name);
    int64_t limit;
    if (job_name_check(name, &e) < 0) {
        jobfile_refuse(r, at, NULL, "the name of a queue %s", e.text);
        return;
    }
    v = queue_limit(r, name, v);
    if (!v || !read_number(r, v, name, QUEUE_LIMIT_MAX, &limit))
        return;
    MEM_GROW(out->queues, out->queue_capacity, out->queue_count + 1);
    out->queues[out->queue_count++] = (struct jobfile_queue){
        .name = mem_string(name), .limit = (uint32_t)limit, .line = at.line, .column = at.column, .written = jobfile_written(r, at)};
}

static void read_queues(struct jobfile_reader *r, const struct value *v)
{
    if (!v || v->kind == VALUE_NULL)
        return;
    if (v->kind != VALUE_MAP) {
        jobfile_refuse(r, jobfile_place_of(v, "queues"), NULL, "queues is a map of names and limits, such as `disks: 2`, not %s", value_kind_name(v->kind));
        return;
    }
    for (size_t i = 0; i < v->list.count; i++)
        read_queue(r, v->list.keys[i], &v->list.items[i]);
}

/* ---- jobs ---- */

/* Refused, but read: all errors come in one go. */
static void read_list(struct jobfile_reader *r, const struct value *v)
{
    const struct value *name = NULL;
    for (size_t i = 0; i < v->list.count && !name; i++)
        name = value_get(&v->list.items[i], "name");
    const char *word = name && name->kind == VALUE_TEXT ? name->text.data : "backup";
    char *hint = mem_format("write `%.*s:` and under it the fields of that job, without `-` and `name`", UTF8_WORD(word));
    jobfile_refuse(r, jobfile_place_of(v, "jobs"), hint, "jobs is a map from names to fields, not a list");
    free(hint);
    r->as_list = true;
    for (size_t i = 0; i < v->list.count; i++) {
        const struct value *item = &v->list.items[i];
        name = value_get(item, "name");
        if (name && name->kind == VALUE_TEXT)
            jobfile_read_job(r, name->text.data, jobfile_place_of(name, "name"), item);
    }
}

static void read_jobs(struct jobfile_reader *r, const struct value *document)
{
    const struct value *v = value_get(document, "jobs");
    if (v && v->kind == VALUE_LIST) {
        read_list(r, v);
    } else if (v && v->kind != VALUE_MAP && v->kind != VALUE_NULL) {
        jobfile_refuse(r, jobfile_place_of(v, "jobs"), NULL, "jobs is a map from names to fields, not %s", value_kind_name(v->kind));
    } else if (!v && !r->broken && !value_get(document, "queues")) {
        jobfile_warn(r, (struct jobfile_place){document->line, document->column, 1}, NULL, "there are no jobs in it: they stand under `jobs:`");
    }
    for (size_t i = 0; v && v->kind == VALUE_MAP && i < v->list.count; i++)
        jobfile_read_job(r, v->list.keys[i], jobfile_place_key(&v->list.items[i], v->list.keys[i]), &v->list.items[i]);
}

/* ---- a document ---- */

/* `x-...` is a place for anchors, as other formats have it. */
static void check_keys(struct jobfile_reader *r, const struct value *document)
{
    static const char *const known[] = {"version", "source", "defaults", "params", "queues", "jobs"};
    for (size_t i = 0; i < document->list.count; i++) {
        const char *key = document->list.keys[i];
        size_t k = 0;
        while (k < sizeof known / sizeof *known && strcmp(key, known[k]) != 0)
            k++;
        if (k < sizeof known / sizeof *known || strncmp(key, "x-", 2) == 0)
            continue;
        struct buf b = {0};
        jobfile_hint_key(&b, key, PART_DOCUMENT);
        jobfile_refuse(r, jobfile_place_key(&document->list.items[i], key), NULL, "there is no key '%.*s' at the top of a file%s", UTF8_WORD(key), buf_string(&b));
        buf_clear(&b);
    }
}

static void fill_params(struct jobfile_reader *r, struct value *document)
{
    for (size_t i = 0; r->params.count && i < document->list.count; i++)
        if (strcmp(document->list.keys[i], "jobs") == 0 || strcmp(document->list.keys[i], "defaults") == 0)
            jobfile_params_fill(r, &document->list.items[i]);
}

static void read_document(struct jobfile_reader *r, struct value *document)
{
    if (document->kind != VALUE_MAP) {
        jobfile_refuse(r, jobfile_place_of(document, ""), NULL, "a job file is a map that begins with `version: 1`, not %s", value_kind_name(document->kind));
        return;
    }
    if (!read_version(r, document))
        return;
    check_keys(r, document);
    read_source(r, document);
    jobfile_params_read(r, value_get(document, "params"));
    fill_params(r, document);
    read_queues(r, value_get(document, "queues"));
    jobfile_read_defaults(r, value_get(document, "defaults"));
    read_jobs(r, document);
}

/* ---- a file ---- */

static char *folder_of(const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == path)
        return mem_string("/");
    if (slash)
        return mem_format("%.*s", (int)(slash - path), path);
    char *here = getcwd(NULL, 0);
    return here ? here : mem_string("/");
}

static void reader_document(struct jobfile_reader *r, const char *path, struct value *document, struct jobfiles *out)
{
    MEM_GROW(out->items, out->capacity, out->count + 1);
    r->out = &out->items[out->count++];
    *r->out = (struct jobfile){.file = mem_string(r->file), .path = mem_string(path)};
    r->told_folder = r->as_list = false;
    r->defaults = NULL;
    read_document(r, document);
    if (!r->out->source)
        r->out->source = mem_string(r->rules->source ? r->rules->source : path);
    strvec_clear(&r->params);
    free(r->default_bad);
    r->default_bad = NULL;
}

static void take_given(struct jobfiles *out, const struct jobfile_rules *rules)
{
    bool noted = out->given.count > 0; /* by a file before this one */
    for (size_t i = 0; rules->params && !noted && i < rules->params->count; i++)
        strvec_add(&out->given, rules->params->items[i]);
}

int jobfile_read(const char *file, const char *path, const char *text, size_t length, const struct jobfile_rules *rules, struct jobfiles *out, struct errors *errors)
{
    struct value documents = {0};
    size_t before = errors->count - errors->warnings, read = 0;
    struct jobfile_reader r = {.file = file, .text = text, .length = length, .rules = rules, .errors = errors, .folder = folder_of(path), .first = errors->count};
    take_given(out, rules);
    r.broken = yaml_read_most(file, text, length, &documents, errors) < 0;
    r.own = errors->count;
    for (size_t i = 0; i < documents.list.count; i++) {
        if (documents.list.items[i].kind == VALUE_NULL) /* nothing but `---` and comments */
            continue;
        reader_document(&r, path, &documents.list.items[i], out);
        read++;
    }
    if (!read && !r.broken)
        jobfile_refuse(&r, (struct jobfile_place){0}, NULL, "the file is empty: a job file begins with a line `version: 1`");
    zones_clear(&r.zones);
    free(r.folder);
    value_clear(&documents);
    return errors->count - errors->warnings > before ? -(int)ERROR_USAGE : 0;
}
