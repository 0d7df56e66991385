#include "spool/apply.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "lib/base/mem.h"
#include "lib/sys/child.h"
#include "spool/fields.h"

static void change_clear(struct change *c)
{
    job_clear(&c->old);
    strvec_clear(&c->fields);
    free(c->owner);
}

void changes_clear(struct changes *c)
{
    for (size_t i = 0; i < c->count; i++)
        change_clear(&c->items[i]);
    free(c->items);
    *c = (struct changes){0};
}

static struct change *change_add(struct changes *list, enum change_kind kind)
{
    MEM_GROW(list->items, list->capacity, list->count + 1);
    struct change *c = &list->items[list->count++];
    *c = (struct change){.kind = kind};
    list->of[kind]++;
    return c;
}

/* ---- one job ---- */

/* What a change of moves the due time. */
static bool moves_due(const struct field *f)
{
    return f->group == GROUP_WHEN && f->offset != offsetof(struct job, jitter);
}

static void compare_field(
    const struct job *old, const struct job *new, const struct field *f, struct strvec *names, bool *reschedules)
{
    struct value a = field_get(old, f, FIELD_RECORD), b = field_get(new, f, FIELD_RECORD);
    if (f->kind != FIELD_IN && !value_equal(&a, &b)) {
        strvec_add(names, f->name);
        *reschedules = *reschedules || moves_due(f);
    }
    value_clear(&a);
    value_clear(&b);
}

void apply_compare(const struct job *old, const struct job *new, struct strvec *names, bool *reschedules)
{
    for (const struct field *f = fields; f->name; f++)
        if (!field_is_default(old, f) || !field_is_default(new, f))
            compare_field(old, new, f, names, reschedules);
}

static char *owner_of(const struct job *j)
{
    if (j->source)
        return mem_format("source %s", j->source);
    return mem_string("nobody's file: it was added by hand");
}

/* An environment caught by ax add is no field: the file's definition has none. */
static void plan_known(struct changes *list, const struct jobfile *file, const struct jobfile_job *new, uint64_t number,
    struct job *old, const struct job_state *st)
{
    bool ours = old->source && strcmp(old->source, file->source) == 0;
    bool free_name = !ours && job_over(st); /* a job that has ended has given its name free */
    struct change found = {.number = number, .old = *old};
    if (free_name) {
        job_clear(old);
        if (!new->past)
            *change_add(list, CHANGE_CREATE) = (struct change){.kind = CHANGE_CREATE, .file = file, .new = new};
        return;
    }
    apply_compare(&found.old, &new->job, &found.fields, &found.reschedules);
    if (!ours)
        found.kind = CHANGE_CONFLICT;
    else if ((st->phase == PHASE_CANCELLED || st->retired) && !new->past)
        found.kind = CHANGE_REVIVE;
    else
        found.kind = found.fields.count && !(new->past &&job_over(st)) ? CHANGE_UPDATE : CHANGE_SAME;
    found.reschedules = found.kind == CHANGE_REVIVE || (found.reschedules && found.kind == CHANGE_UPDATE);
    found.owner = ours ? NULL : owner_of(old);
    found.file = file;
    found.new = new;
    *change_add(list, found.kind) = found;
}

static int plan_job(
    struct store *s, const struct jobfile *file, const struct jobfile_job *new, struct changes *list, struct error *e)
{
    uint64_t number = 0;
    bool there;
    struct job old;
    struct job_state st;
    int failed = store_named(s, new->job.name, &number, &there, e);
    if (failed)
        return failed;
    if (!there) {
        if (!new->past)
            *change_add(list, CHANGE_CREATE) = (struct change){.kind = CHANGE_CREATE, .file = file, .new = new};
        return 0;
    }
    failed = store_state(s, number, &st, e);
    if (!failed)
        failed = store_job(s, number, &old, e);
    if (!failed)
        plan_known(list, file, new, number, &old, &st);
    return failed;
}

/* ---- queues ---- */

struct limits {
    const char *name;
    uint32_t limit;
};

static bool limit_find(void *context, const struct queue *q)
{
    struct limits *l = context;
    if (strcmp(q->name, l->name) == 0)
        l->limit = q->limit;
    return true;
}

static int plan_queue(
    struct store *s, const struct jobfile *file, const struct jobfile_queue *q, struct changes *list, struct error *e)
{
    struct limits l = {.name = q->name};
    int failed = store_each_queue(s, limit_find, &l, e);
    if (!failed && l.limit != q->limit)
        *change_add(list, CHANGE_QUEUE) = (struct change){
            .kind = CHANGE_QUEUE, .file = file, .queue = q->name, .limit_before = l.limit, .limit = q->limit};
    return failed;
}

/* ---- what is not named any more ---- */

struct named {
    uint64_t number;
    UT_hash_handle hh;
};

static struct named *named_all(const struct changes *list)
{
    struct named *all = NULL;
    for (size_t i = 0; i < list->count; i++) {
        struct named *n;
        if (!list->items[i].number)
            continue;
        n = mem_zero(1, sizeof *n);
        n->number = list->items[i].number;
        HASH_ADD(hh, all, number, sizeof n->number, n);
    }
    return all;
}

static void named_free(struct named *all)
{
    struct named *n, *next;
    HASH_ITER(hh, all, n, next)
    {
        HASH_DEL(all, n);
        free(n);
    }
}

static int plan_unnamed(
    struct store *s, const char *source, struct named *named, bool prune, struct changes *list, struct error *e)
{
    struct store_numbers numbers = {0};
    int failed = store_source_jobs(s, source, &numbers, e);
    for (size_t i = 0; !failed && i < numbers.count; i++) {
        struct named *n;
        struct job old;
        struct job_state st;
        HASH_FIND(hh, named, &numbers.items[i], sizeof numbers.items[i], n);
        if (n || store_state(s, numbers.items[i], &st, NULL) != 0 || job_over(&st) || st.retired ||
            store_job(s, numbers.items[i], &old, NULL) != 0)
            continue;
        if (old.source && strcmp(old.source, source) == 0) {
            struct change *c = change_add(list, prune ? CHANGE_REMOVE : CHANGE_UNNAMED);
            c->number = numbers.items[i];
            c->old = old;
        } else {
            job_clear(&old);
        }
    }
    free(numbers.items);
    return failed;
}

static bool source_seen(const struct jobfiles *files, size_t before)
{
    for (size_t i = 0; i < before; i++)
        if (strcmp(files->items[i].source, files->items[before].source) == 0)
            return true;
    return false;
}

static bool is_own_account(const struct job *j)
{
    struct child_user account;
    if (!(j->user || j->group) || child_user_find(j->user, j->group, &account, NULL) != 0)
        return true; /* one that is not there is said by the run, where it is still so then */
    bool own = account.uid == geteuid() && account.gid == getegid();
    child_user_clear(&account);
    return own;
}

size_t apply_accounts(const struct jobfiles *files, struct errors *errors)
{
    size_t count = 0;
    for (size_t f = 0; geteuid() != 0 && f < files->count; f++) {
        const struct jobfile *file = &files->items[f];
        for (size_t i = 0; i < file->job_count; i++) {
            const struct jobfile_job *j = &file->jobs[i];
            struct error e = {0};
            if (is_own_account(&j->job))
                continue;
            error_set(&e, ERROR_USAGE, "only root may run a job as someone else");
            error_field(&e, j->job.user ? "user" : "group");
            error_place(&e, NULL, j->line, j->column, 1);
            errors_add(errors, file->file, false, &e, NULL);
            count++;
        }
    }
    return count;
}

int apply_plan(struct store *s, const struct jobfiles *files, bool prune, struct changes *out, struct error *e)
{
    struct changes list = {0};
    int failed = 0;
    for (size_t f = 0; !failed && f < files->count; f++) {
        const struct jobfile *file = &files->items[f];
        for (size_t i = 0; !failed && i < file->queue_count; i++)
            failed = plan_queue(s, file, &file->queues[i], &list, e);
        for (size_t i = 0; !failed && i < file->job_count; i++)
            failed = plan_job(s, file, &file->jobs[i], &list, e);
    }
    struct named *named = named_all(&list);
    for (size_t f = 0; !failed && f < files->count; f++)
        if (!source_seen(files, f))
            failed = plan_unnamed(s, files->items[f].source, named, prune, &list, e);
    named_free(named);
    if (failed)
        changes_clear(&list);
    else
        *out = list;
    return failed;
}

/* ---- doing it ---- */

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
    case CHANGE_UPDATE:
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

int apply_do(struct store *s, const struct jobfiles *files, struct changes *changes, instant now, struct error *e)
{
    int failed = conflict(changes, e);
    for (size_t i = 0; !failed && i < changes->count; i++)
        failed = do_change(s, &changes->items[i], now, e);
    for (size_t f = 0; !failed && f < files->count; f++)
        if (!source_seen(files, f))
            failed = do_source(s, files->items[f].source, changes, e);
    return failed;
}
