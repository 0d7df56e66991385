#include "cmd/export_yaml.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/text/yaml.h"
#include "spool/fields.h"

void export_yaml_clear(struct export_yaml *x)
{
    for (size_t i = 0; i < x->count; i++) {
        free(x->items[i].source);
        strvec_clear(&x->items[i].queues);
        buf_clear(&x->items[i].jobs);
    }
    free(x->items);
    strvec_clear(&x->limits);
    free(x->lossy);
    *x = (struct export_yaml){0};
}

/* ---- what is no UTF-8 ---- */

/* Writes U+FFFD for each byte that is none. Returns true if there was one. */
static bool text_mend(struct buf *b, const char *text, size_t length)
{
    bool mended = false;
    for (size_t at = 0; at < length;) {
        uint32_t character;
        size_t bytes = utf8_decode(text + at, length - at, &character);
        if (bytes)
            buf_add(b, text + at, bytes);
        else
            buf_text(b, "\xef\xbf\xbd");
        mended |= !bytes;
        at += bytes ? bytes : 1;
    }
    return mended;
}

static bool value_mend(struct value *v)
{
    bool mended = false;
    struct buf b = {0};
    if (v->kind == VALUE_TEXT && text_mend(&b, v->text.data, v->text.length)) {
        struct value whole = value_bytes(buf_string(&b), b.length);
        value_clear(v);
        *v = whole;
        mended = true;
    }
    bool map = v->kind == VALUE_MAP;
    for (size_t i = 0; (map || v->kind == VALUE_LIST) && i < v->list.count; i++) {
        buf_reset(&b);
        if (map && text_mend(&b, v->list.keys[i], strlen(v->list.keys[i]))) {
            free(v->list.keys[i]);
            v->list.keys[i] = mem_string(buf_string(&b));
            mended = true;
        }
        mended |= value_mend(&v->list.items[i]);
    }
    buf_clear(&b);
    return mended;
}

/* ---- one job ---- */

/* The kept environment becomes one that is said, under what the job says itself. */
static struct value environment_whole(const struct job *j)
{
    struct strvec env = {0};
    struct value map = value_map();
    strvec_copy(&env, &j->kept_env);
    for (size_t i = 0; i < j->env.count; i++) {
        char *name = mem_format("%.*s", (int)strcspn(j->env.items[i], "="), j->env.items[i]);
        strvec_env_set(&env, name, j->env.items[i] + strlen(name) + 1);
        free(name);
    }
    for (size_t i = 0; i < env.count; i++) {
        size_t name = strcspn(env.items[i], "=");
        value_put_key(&map, mem_format("%.*s", (int)name, env.items[i]), value_text(env.items[i] + name + 1));
    }
    strvec_clear(&env);
    return map;
}

static struct value job_fields(const struct job *j, bool environment)
{
    struct value map = value_map();
    for (const struct field *f = fields; f->name; f++) {
        bool env = environment && j->has_kept_env && strcmp(f->name, "env") == 0, home = !j->cwd && strcmp(f->name, "cwd") == 0;
        if (strcmp(f->name, "name") == 0 || (field_is_default(j, f) && !env && !home))
            continue;
        value_put(&map, f->name, env ? environment_whole(j) : home ? value_text("~") : field_get(j, f, FIELD_PRINT));
    }
    return map;
}

static void write_indented(struct buf *b, const struct buf *text)
{
    for (size_t at = 0; at < text->length;) {
        const char *line = text->data + at, *stop = memchr(line, '\n', text->length - at);
        size_t length = stop ? (size_t)(stop - line) : text->length - at;
        if (length)
            buf_text(b, "  ");
        buf_add(b, line, length);
        buf_char(b, '\n');
        at += length + 1;
    }
}

bool export_yaml_job(struct buf *b, const struct job *j, const char *name, bool environment)
{
    struct value map = value_map();
    struct buf text = {0};
    value_put(&map, name, job_fields(j, environment));
    bool mended = value_mend(&map);
    yaml_write(&text, &map);
    write_indented(b, &text);
    buf_clear(&text);
    value_clear(&map);
    return !mended;
}

/* ---- documents ---- */

static bool same_source(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static struct export_document *document_of(struct export_yaml *x, const char *source)
{
    if (x->last < x->count && same_source(x->items[x->last].source, source))
        return &x->items[x->last];
    for (x->last = 0; x->last < x->count; x->last++)
        if (same_source(x->items[x->last].source, source))
            return &x->items[x->last];
    MEM_GROW(x->items, x->capacity, x->count + 1);
    x->items[x->count++] = (struct export_document){.source = mem_string(source)};
    return &x->items[x->last];
}

static void document_queue(struct export_document *d, const struct strvec *limits, const char *queue)
{
    const char *limit = strvec_env_get(limits, queue);
    if (limit)
        strvec_env_set(&d->queues, queue, limit);
}

static bool limit_add(void *context, const struct queue *q)
{
    char *limit = q->limit ? mem_format("%" PRIu32, q->limit) : NULL;
    if (limit)
        strvec_env_set(context, q->name, limit);
    free(limit);
    return true;
}

int export_yaml_limits(struct export_yaml *x, struct store *s, struct error *e)
{
    return store_each_queue(s, limit_add, &x->limits, e);
}

/* In a job file every job has a name, and no two the same. */
static char *job_key(struct store *s, const struct job *j)
{
    uint64_t number;
    if (j->name && store_find(s, j->name, &number, NULL) == 0 && number == j->number)
        return mem_string(j->name);
    char *name = mem_format("job-%" PRIu64, j->number);
    while (store_find(s, name, &number, NULL) == 0) {
        char *longer = mem_format("%s-x", name);
        free(name);
        name = longer;
    }
    return name;
}

static void note_kept(struct buf *b, const struct export_yaml *x, const struct job *j)
{
    if (!j->has_kept_env || x->environment)
        return;
    char *text = mem_format("The environment it has kept (%zu variables) is left out: --with-env", j->kept_env.count);
    yaml_write_comment(b, 2, text);
    free(text);
}

void export_yaml_add(struct export_yaml *x, struct store *s, const struct job *j)
{
    struct export_document *d = document_of(x, j->source);
    char *name = job_key(s, j);
    if (!j->name || strcmp(name, j->name) != 0)
        yaml_write_comment(&d->jobs, 2, j->name ? "Another job has its name now" : "It has no name");
    note_kept(&d->jobs, x, j);
    if (!export_yaml_job(&d->jobs, j, name, x->environment)) {
        MEM_GROW(x->lossy, x->lossy_capacity, x->lossy_count + 1);
        x->lossy[x->lossy_count++] = j->number;
    }
    document_queue(d, &x->limits, j->queue ? j->queue : "default");
    free(name);
}

static void document_write(struct buf *b, const struct export_document *d)
{
    struct value head = value_map();
    value_put(&head, "version", value_int(1));
    if (d->source)
        value_put(&head, "source", value_text(d->source));
    if (d->queues.count) {
        struct value *queues = value_put(&head, "queues", value_map());
        for (size_t i = 0; i < d->queues.count; i++) {
            size_t name = strcspn(d->queues.items[i], "=");
            value_put_key(queues, mem_format("%.*s", (int)name, d->queues.items[i]), value_int(strtoll(d->queues.items[i] + name + 1, NULL, 10)));
        }
    }
    yaml_write(b, &head);
    value_clear(&head);
    buf_text(b, d->jobs.length ? "jobs:\n" : "jobs: {}\n");
    buf_add(b, buf_string(&d->jobs), d->jobs.length);
}

void export_yaml_write(struct buf *b, const struct export_yaml *x)
{
    struct export_document none = {0};
    if (!x->count)
        document_write(b, &none);
    for (size_t i = 0; i < x->count; i++) {
        if (i)
            buf_text(b, "---\n");
        if (!x->items[i].source)
            yaml_write_comment(b, 0, "Added by hand. Applied from a file they belong to the file.");
        document_write(b, &x->items[i]);
    }
}
