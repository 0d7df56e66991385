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

/* Whoever added it finds in its trail where it went. */
static int do_adopt(struct store *s, const struct change *c, struct job *j, instant now, struct error *e)
{
    char *trail = mem_format("handed to source %s", j->source);
    int failed = store_update(s, c->number, j, c->reschedules, now, e);
    if (!failed)
        failed = store_audit(s, c->number, now, trail, e);
    free(trail);
    return failed;
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
        return do_adopt(s, c, &copy, now, e);
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

/* Of a source whose file is gone: what it had, less what was removed. The removed ones stand together, in the order in which the source had them. */
static int do_gone(struct store *s, const struct change *first, const struct change *end, struct error *e)
{
    const char *source = first->old.source;
    struct store_numbers before = {0}, numbers = {0};
    int failed = store_source_jobs(s, source, &before, e);
    for (size_t i = 0; !failed && i < before.count; i++) {
        if (first < end && first->number == before.items[i]) {
            first++;
            continue;
        }
        MEM_GROW(numbers.items, numbers.capacity, numbers.count + 1);
        numbers.items[numbers.count++] = before.items[i];
    }
    if (!failed)
        failed = store_source_set(s, source, &numbers, e);
    free(before.items);
    free(numbers.items);
    return failed;
}

static bool is_removed_gone(const struct change *c)
{
    return c->kind == CHANGE_REMOVE && c->gone;
}

static int do_all_gone(struct store *s, const struct changes *changes, struct error *e)
{
    int failed = 0;
    for (size_t i = 0, end; !failed && i < changes->count; i = end) {
        const struct change *c = &changes->items[i];
        for (end = i + 1; is_removed_gone(c) && end < changes->count && is_removed_gone(&changes->items[end]) &&
                          strcmp(changes->items[end].old.source, c->old.source) == 0;)
            end++;
        if (is_removed_gone(c))
            failed = do_gone(s, c, changes->items + end, e);
    }
    return failed;
}

int apply_do(struct store *s, const struct jobfiles *files, struct changes *changes, instant now, struct error *e)
{
    int failed = conflict(changes, e);
    for (size_t i = 0; !failed && i < changes->count; i++)
        failed = do_change(s, &changes->items[i], now, e);
    for (size_t f = 0; !failed && f < files->count; f++)
        if (!apply_source_seen(files, f))
            failed = do_source(s, files->items[f].source, changes, e);
    return failed ? failed : do_all_gone(s, changes, e);
}
