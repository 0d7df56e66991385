/* Changing the spool as it was planned. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/apply.h"

static int conflict(const struct changes *changes, struct error *e)
{
    for (size_t i = 0; i < changes->count; i++)
        if (changes->items[i].kind == CHANGE_CONFLICT) {
            error_set(e, ERROR_EXISTS, "job %s is of %s", changes->items[i].new->job.name, changes->items[i].owner);
            return error_field(e, "name");
        }
    return 0;
}

static int do_change(struct store *s, struct change *c, instant now, struct error *e)
{
    struct job copy;
    struct store_added added;
    if (c->new)
        copy = c->new->job; /* its texts are borrowed */
    switch (c->kind) {
    case CHANGE_CREATE: {
        int failed = store_add(s, &copy, now, STORE_REFUSE, &added, e);
        if (!failed)
            c->number = added.number;
        return failed;
    }
    case CHANGE_ADOPT:
    case CHANGE_UPDATE:
    case CHANGE_MOVE:
    case CHANGE_REVIVE:
        return store_update(s, c->number, &copy, c->reschedules, now, e);
    case CHANGE_REMOVE:
        return store_retire(s, c->number, now, e);
    case CHANGE_QUEUE:
        return store_queue_set(s, c->queue, c->limit, e);
    case CHANGE_UNNAMED:
    case CHANGE_SAME:
    case CHANGE_CONFLICT:
        break;
    }
    return 0;
}

/* What the source has from now on: what its files name, and what is left of before. */
static int do_source(struct store *s, const char *source, const struct changes *changes, struct error *e)
{
    struct store_numbers before = {0}, numbers = {0};
    int failed = store_source_jobs(s, source, &before, e);
    for (size_t i = 0; !failed && i < changes->count; i++) {
        const struct change *c = &changes->items[i];
        const char *of = c->file ? c->file->source : c->old.source;
        if (c->kind == CHANGE_QUEUE || c->kind == CHANGE_REMOVE || !c->number || strcmp(of, source) != 0)
            continue;
        MEM_GROW(numbers.items, numbers.capacity, numbers.count + 1);
        numbers.items[numbers.count++] = c->number;
    }
    bool same = before.count == numbers.count &&
                (!before.count || memcmp(before.items, numbers.items, before.count * sizeof *before.items) == 0);
    if (!failed && !same)
        failed = store_source_set(s, source, &numbers, e);
    free(before.items);
    free(numbers.items);
    return failed;
}

/* ---- sources whose file is gone ---- */

static bool leaves_source(const struct change *c)
{
    return (c->kind == CHANGE_REMOVE && c->gone) || (c->heir && c->kind != CHANGE_CONFLICT);
}

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* What it had, less what was removed or has gone over to another file. */
static int do_gone(struct store *s, const char *source, const struct store_numbers *left, struct error *e)
{
    struct store_numbers before = {0}, numbers = {0};
    int failed = store_source_jobs(s, source, &before, e);
    for (size_t i = 0; !failed && i < before.count; i++) {
        if (bsearch(&before.items[i], left->items, left->count, sizeof *left->items, compare_numbers))
            continue;
        MEM_GROW(numbers.items, numbers.capacity, numbers.count + 1);
        numbers.items[numbers.count++] = before.items[i];
    }
    if (!failed)
        failed = store_source_set(s, source, &numbers, e);
    free(before.items);
    free(numbers.items);
    return failed;
}

static int do_all_gone(struct store *s, const struct changes *changes, struct error *e)
{
    struct store_numbers left = {0};
    struct strvec sources = {0};
    int failed = 0;
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *c = &changes->items[i];
        if (!leaves_source(c))
            continue;
        if (!sources.count || strcmp(sources.items[sources.count - 1], c->old.source) != 0)
            strvec_add(&sources, c->old.source);
        MEM_GROW(left.items, left.capacity, left.count + 1);
        left.items[left.count++] = c->number;
    }
    if (left.count)
        qsort(left.items, left.count, sizeof *left.items, compare_numbers);
    for (size_t i = 0; !failed && i < sources.count; i++)
        failed = do_gone(s, sources.items[i], &left, e);
    free(left.items);
    strvec_clear(&sources);
    return failed;
}

int apply_do(struct store *s, const struct jobfiles *files, struct changes *changes, instant now, struct error *e)
{
    int failed = conflict(changes, e);
    for (size_t i = 0; !failed && i < changes->count; i++) {
        failed = do_change(s, &changes->items[i], now, e);
        if (!failed)
            failed = apply_trail(s, &changes->items[i], now, e);
    }
    for (size_t f = 0; !failed && f < files->count; f++)
        if (!apply_source_seen(files, f))
            failed = do_source(s, files->items[f].source, changes, e);
    return failed ? failed : do_all_gone(s, changes, e);
}
