#include "spool/jobfile.h"

#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"

static void jobfile_clear(struct jobfile *f)
{
    for (size_t i = 0; i < f->job_count; i++) {
        job_clear(&f->jobs[i].job);
        free(f->jobs[i].written);
    }
    for (size_t i = 0; i < f->queue_count; i++) {
        free(f->queues[i].name);
        free(f->queues[i].written);
    }
    free(f->file);
    free(f->path);
    free(f->source);
    free(f->jobs);
    free(f->queues);
    strvec_clear(&f->params);
}

void jobfiles_clear(struct jobfiles *files)
{
    for (size_t i = 0; i < files->count; i++)
        jobfile_clear(&files->items[i]);
    free(files->items);
    strvec_clear(&files->given);
    strvec_clear(&files->folders);
    *files = (struct jobfiles){0};
}

/* ---- what all files say together ---- */

struct seen {
    const char *name, *file;
    int line;
    uint32_t limit; /* of a queue */
    UT_hash_handle hh;
};

/* The first that has the name; NULL: this one is the first. */
static const struct seen *seen_before(struct seen **all, struct seen *new)
{
    struct seen *first;
    HASH_FIND_STR(*all, new->name, first);
    if (first)
        return first;
    HASH_ADD_KEYPTR(hh, *all, new->name, strlen(new->name), new);
    return NULL;
}

struct check {
    struct errors *errors;
    struct seen *jobs, *queues; /* hash tables */
    struct seen *room;
    int failed;
};

static void tell(struct check *c, const struct seen *s, const char *written, int column, struct error *e)
{
    int width = (int)strlen(s->name);
    if (written)
        errors_locate_line(e, written, strlen(written), s->line, column, width);
    else
        error_place(e, NULL, s->line, column, width);
    errors_add(c->errors, s->file, false, e, NULL);
    c->failed = -(int)ERROR_USAGE;
}

static void check_job(struct check *c, const struct jobfile *f, const struct jobfile_job *j)
{
    struct error e;
    struct seen *new = c->room++;
    *new = (struct seen){.name = j->job.name, .file = f->file, .line = j->line};
    const struct seen *first = j->job.name ? seen_before(&c->jobs, new) : NULL;
    if (!first)
        return;
    if (strcmp(first->file, f->file) == 0)
        error_set(&e, ERROR_USAGE, "the name '%s' stands twice: in line %d and in line %d", j->job.name, first->line, j->line);
    else
        error_set(&e, ERROR_USAGE, "the name '%s' stands in %.*s too, in line %d", j->job.name, UTF8_WORD(first->file), first->line);
    tell(c, new, j->written, j->column, &e);
}

static void check_queue(struct check *c, const struct jobfile *f, const struct jobfile_queue *q)
{
    struct error e;
    struct seen *new = c->room++;
    *new = (struct seen){.name = q->name, .file = f->file, .line = q->line, .limit = q->limit};
    const struct seen *first = seen_before(&c->queues, new);
    if (!first || first->limit == q->limit)
        return;
    error_set(&e, ERROR_USAGE, "the queue '%s' has the limit %u here, and %u in %.*s, line %d", q->name, q->limit, first->limit, UTF8_WORD(first->file), first->line);
    tell(c, new, q->written, q->column, &e);
}

static bool is_declared(const struct jobfiles *files, const char *name, size_t length)
{
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < files->items[i].params.count; k++)
            if (strncmp(files->items[i].params.items[k], name, length) == 0 && !files->items[i].params.items[k][length])
                return true;
    return false;
}

static void check_given(struct check *c, const struct jobfiles *files, const char *given)
{
    struct error e;
    const char *equals = strchr(given, '=');
    if (equals && is_declared(files, given, (size_t)(equals - given)))
        return;
    if (!equals)
        error_set(&e, ERROR_USAGE, "--set: '%.*s' is not NAME=VALUE", UTF8_WORD(given));
    else
        error_set(&e, ERROR_USAGE, "--set: no file declares '%.*s' under `params:`", (int)(equals - given > 100 ? 100 : equals - given), given);
    errors_add(c->errors, NULL, false, &e, NULL);
    c->failed = -(int)ERROR_USAGE;
}

int jobfiles_check(const struct jobfiles *files, struct errors *errors)
{
    size_t count = 0;
    for (size_t i = 0; i < files->count; i++)
        count += files->items[i].job_count + files->items[i].queue_count;
    struct check c = {.errors = errors};
    struct seen *seen = mem_zero(count + 1, sizeof *seen);
    c.room = seen;
    for (size_t i = 0; i < files->count; i++) {
        const struct jobfile *f = &files->items[i];
        for (size_t k = 0; k < f->job_count; k++)
            check_job(&c, f, &f->jobs[k]);
        for (size_t k = 0; k < f->queue_count; k++)
            check_queue(&c, f, &f->queues[k]);
    }
    for (size_t i = 0; i < files->given.count; i++)
        check_given(&c, files, files->given.items[i]);
    HASH_CLEAR(hh, c.jobs);
    HASH_CLEAR(hh, c.queues);
    free(seen);
    return c.failed;
}
