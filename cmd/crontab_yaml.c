/* The jobs of crontabs as a job file: to be looked at, changed and kept, and applied by `ax apply`. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/crontab_files.h"
#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/text/yaml.h"
#include "spool/fields.h"

/* What all jobs of the file have in common is said once. */
static const char *const common[] = {"cwd", "overlap", "catchup", "weight", "mailto", "mail", NULL};

static bool is_common(const struct jobfile *file, const struct field *f)
{
    struct value first = field_get(&file->jobs[0].job, f, FIELD_PRINT);
    bool same = !field_is_default(&file->jobs[0].job, f);
    for (size_t i = 1; same && i < file->job_count; i++) {
        struct value v = field_get(&file->jobs[i].job, f, FIELD_PRINT);
        same = value_equal(&first, &v);
        value_clear(&v);
    }
    value_clear(&first);
    return same;
}

static bool all_have(const struct jobfile *file, size_t place, const char *pair)
{
    for (size_t i = 0; i < file->job_count; i++) {
        const struct strvec *env = &file->jobs[i].job.env;
        if (place >= env->count || strcmp(env->items[place], pair) != 0)
            return false;
    }
    return true;
}

/* The variables that all jobs begin with, so that their order stays what it is. */
static struct value common_env(const struct jobfile *file)
{
    const struct strvec *first = &file->jobs[0].job.env;
    struct value map = value_map();
    for (size_t i = 0; i < first->count && all_have(file, i, first->items[i]); i++) {
        const char *pair = first->items[i];
        size_t name = strcspn(pair, "=");
        value_put_key(&map, mem_format("%.*s", (int)name, pair), value_text(pair + name + 1));
    }
    return map;
}

static struct value defaults_of(const struct jobfile *file)
{
    struct value map = value_map();
    for (const char *const *name = common; file->job_count && *name; name++) {
        const struct field *f = field_find(*name);
        if (f && is_common(file, f))
            value_put(&map, *name, field_get(&file->jobs[0].job, f, FIELD_PRINT));
    }
    struct value env = file->job_count ? common_env(file) : value_map();
    if (env.list.count)
        value_put(&map, "env", env);
    else
        value_clear(&env);
    return map;
}

/* Takes over an environment, and leaves out the variables that the defaults have. */
static struct value own_env(struct value env, const struct value *defaults)
{
    const struct value *said = value_get(defaults, "env");
    struct value map = value_map();
    for (size_t i = 0; i < env.list.count; i++) {
        if (said && value_get(said, env.list.keys[i]))
            continue;
        value_put(&map, env.list.keys[i], env.list.items[i]);
        env.list.items[i] = (struct value){0};
    }
    value_clear(&env);
    return map;
}

static struct value job_map(const struct job *j, const struct value *defaults)
{
    struct value all = fields_write(j, FIELD_PRINT), map = value_map();
    for (size_t i = 0; i < all.list.count; i++) {
        const char *key = all.list.keys[i];
        bool env = strcmp(key, "env") == 0;
        if (strcmp(key, "name") == 0 || (!env && value_get(defaults, key)))
            continue;
        struct value item = all.list.items[i];
        all.list.items[i] = (struct value){0};
        if (env)
            item = own_env(item, defaults);
        if (env && !item.list.count)
            value_clear(&item);
        else
            value_put(&map, key, item);
    }
    value_clear(&all);
    return map;
}

/* The lines of a text, two blanks further in; empty ones stay empty. */
static void add_indented(struct buf *b, const struct buf *text)
{
    const char *at = buf_string(text), *end = at + text->length;
    while (at < end) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        const char *next = newline ? newline + 1 : end;
        if (*at != '\n')
            buf_text(b, "  ");
        buf_add(b, at, (size_t)(next - at));
        at = next;
    }
}

static void add_comments(struct buf *b, const struct crontab_entry *entry)
{
    if (entry->reason)
        yaml_write_comment(b, 2, entry->reason);
    for (size_t i = 0; i < entry->notes.count; i++)
        yaml_write_comment(b, 2, entry->notes.items[i]);
}

/* False where there are bytes that YAML cannot hold. */
static bool add_job(struct buf *b, const struct crontab_entry *entry, const struct job *j, const struct value *defaults)
{
    struct buf text = {0};
    struct value map = value_map();
    value_put(&map, j->name, job_map(j, defaults));
    bool whole = yaml_write(&text, &map);
    buf_char(b, '\n');
    add_comments(b, entry);
    add_indented(b, &text);
    value_clear(&map);
    buf_clear(&text);
    return whole;
}

static void add_head(struct buf *b, const struct crontab_file *f, const struct value *defaults)
{
    char *origin = mem_format("From %s.", f->name);
    yaml_write_comment(b, 0, origin);
    free(origin);
    for (size_t i = 0; i < f->count; i++)
        if (f->entries[i].status == CRONTAB_REFUSED) {
            char *refused = mem_format("Line %d was left out: %s", f->entries[i].line, f->entries[i].reason);
            yaml_write_comment(b, 0, refused);
            free(refused);
        }
    struct value head = value_map();
    value_put(&head, "version", value_int(1));
    value_put(&head, "source", value_text(f->label));
    yaml_write(b, &head);
    value_clear(&head);
    if (!defaults->list.count)
        return;
    struct buf text = {0};
    yaml_write(&text, defaults);
    buf_text(b, "defaults:\n");
    add_indented(b, &text);
    buf_clear(&text);
}

static int add_file(struct buf *b, const struct crontab_import *im, const struct crontab_file *f, struct error *e)
{
    const struct jobfile *jobs = &im->jobs.items[f->jobs];
    struct value defaults = defaults_of(jobs);
    int code = 0;
    add_head(b, f, &defaults);
    buf_text(b, jobs->job_count ? "jobs:\n" : "jobs: {}\n");
    for (size_t i = 0; code == 0 && i < f->count; i++) {
        const struct crontab_entry *entry = &f->entries[i];
        if (entry->job != SIZE_MAX && !add_job(b, entry, &jobs->jobs[entry->job].job, &defaults))
            code = error_set(e, ERROR_USAGE, "%.*s:%d: there are bytes in the line that are not UTF-8, and YAML cannot hold them",
                             UTF8_WORD(f->name), entry->line);
    }
    value_clear(&defaults);
    return code;
}

int crontab_yaml(struct buf *b, const struct crontab_import *im, struct error *e)
{
    int code = 0;
    for (size_t i = 0; code == 0 && i < im->count; i++) {
        if (im->files[i].skipped)
            continue;
        if (b->length)
            buf_text(b, "---\n");
        code = add_file(b, im, &im->files[i], e);
    }
    return code;
}
