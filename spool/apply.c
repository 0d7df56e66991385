#include "spool/apply.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
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

struct named;

struct plan { /* in the making */
    struct store *store;
    const struct jobfiles *files;
    struct apply_rules rules;
    struct changes list;
    struct named *named; /* the jobs that the files name */
};

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
    if (f->group == GROUP_STATE && field_is_default(new, f))
        return; /* it stays as it is */
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

static bool same_text(const char *a, const char *b)
{
    return a && b ? strcmp(a, b) == 0 : a == b;
}

/* ---- files that are no more in a folder ---- */

/* It lay in one of the folders, and nothing has its name any more. */
static bool is_gone(const struct jobfiles *files, const char *path)
{
    struct stat st;
    const char *slash = path ? strrchr(path, '/') : NULL;
    size_t length = slash ? (size_t)(slash - path) : 0;
    for (size_t i = 0; slash && i < files->folders.count; i++) {
        const char *folder = files->folders.items[i];
        size_t own = strcmp(folder, "/") == 0 ? 0 : strlen(folder);
        if (own == length && strncmp(folder, path, length) == 0)
            return jobfile_is_name(slash + 1) && lstat(path, &st) < 0 && (errno == ENOENT || errno == ENOTDIR);
    }
    return false;
}

enum source_is { SOURCE_ELSEWHERE, SOURCE_GIVEN, SOURCE_GONE };

/* Is it among the files, and is there such a file? */
static enum source_is find_source(const struct jobfiles *files, const char *source)
{
    enum source_is found = SOURCE_ELSEWHERE;
    for (size_t i = 0; i < files->count && found != SOURCE_GIVEN; i++)
        if (strcmp(files->items[i].source, source) == 0)
            found = files->items[i].gone ? SOURCE_GONE : SOURCE_GIVEN;
    return found;
}

/* Its file is gone from the folder, and another one there names the job: it was renamed. */
static bool is_heir(const struct jobfiles *files, const struct job *old)
{
    if (!old->source)
        return false;
    enum source_is is = find_source(files, old->source);
    return is == SOURCE_GONE || (is == SOURCE_ELSEWHERE && is_gone(files, old->file));
}

/* ---- one job that is there ---- */

/* Standard input has no place: what only comes from there now stays where it was. */
static void plan_file(struct change *c, const struct jobfile_job *new)
{
    bool same = same_text(c->old.file, new->job.file);
    if (c->kind == CHANGE_MOVE && !c->heir && (same || same_text(new->job.file, "-")))
        c->kind = CHANGE_SAME;
    if (!same && (c->kind == CHANGE_MOVE || c->kind == CHANGE_UPDATE || c->kind == CHANGE_REVIVE))
        strvec_add(&c->fields, APPLY_FILE);
}

/* An environment caught by ax add is no field: the file's definition has none. */
static void plan_known(struct plan *p, const struct jobfile *file, const struct jobfile_job *new, uint64_t number,
    struct job *old, const struct job_state *st)
{
    struct changes *list = &p->list;
    bool own = old->source && strcmp(old->source, file->source) == 0, ours = own || is_heir(p->files, old);
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
        found.kind = p->rules.adopt && !found.old.source && !new->past ? CHANGE_ADOPT : CHANGE_CONFLICT;
    else if ((st->phase == PHASE_CANCELLED || st->retired) && !new->past)
        found.kind = CHANGE_REVIVE;
    else
        found.kind = new->past && job_over(st) ? CHANGE_SAME : found.fields.count ? CHANGE_UPDATE : CHANGE_MOVE;
    found.heir = ours && !own;
    plan_file(&found, new);
    found.reschedules = found.kind == CHANGE_REVIVE ||
                        (found.reschedules && (found.kind == CHANGE_UPDATE || found.kind == CHANGE_ADOPT));
    found.owner = found.kind == CHANGE_CONFLICT ? owner_of(old) : NULL;
    found.file = file;
    found.new = new;
    *change_add(list, found.kind) = found;
}

static int plan_job(struct plan *p, const struct jobfile *file, const struct jobfile_job *new, struct error *e)
{
    struct store *s = p->store;
    uint64_t number = 0;
    bool there;
    struct job old;
    struct job_state st;
    int failed = store_named(s, new->job.name, &number, &there, e);
    if (failed)
        return failed;
    if (!there) {
        if (!new->past)
            *change_add(&p->list, CHANGE_CREATE) = (struct change){.kind = CHANGE_CREATE, .file = file, .new = new};
        return 0;
    }
    failed = store_state(s, number, &st, e);
    if (!failed)
        failed = store_job(s, number, &old, e);
    if (!failed)
        plan_known(p, file, new, number, &old, &st);
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

static int plan_queue(struct plan *p, const struct jobfile *file, const struct jobfile_queue *q, struct error *e)
{
    struct limits l = {.name = q->name};
    int failed = store_each_queue(p->store, limit_find, &l, e);
    if (!failed && l.limit != q->limit)
        *change_add(&p->list, CHANGE_QUEUE) = (struct change){
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

/* The job is of this source still, and has not ended: 1, and *old is for the caller to clear. */
static int is_left(struct plan *p, const char *source, uint64_t number, struct job *old)
{
    struct job_state st;
    if (store_state(p->store, number, &st, NULL) != 0 || job_over(&st) || st.retired || store_job(p->store, number, old, NULL) != 0)
        return 0;
    if (old->source && strcmp(old->source, source) == 0)
        return 1;
    job_clear(old);
    return 0;
}

static struct change *add_left(struct plan *p, uint64_t number, const struct job *old)
{
    struct change *c = change_add(&p->list, p->rules.prune ? CHANGE_REMOVE : CHANGE_UNNAMED);
    c->number = number;
    c->old = *old;
    return c;
}

static int plan_unnamed(struct plan *p, const char *source, struct error *e)
{
    struct store_numbers numbers = {0};
    int failed = store_source_jobs(p->store, source, &numbers, e);
    for (size_t i = 0; !failed && i < numbers.count; i++) {
        struct named *n;
        struct job old;
        HASH_FIND(hh, p->named, &numbers.items[i], sizeof numbers.items[i], n);
        if (!n && is_left(p, source, numbers.items[i], &old))
            add_left(p, numbers.items[i], &old);
    }
    free(numbers.items);
    return failed;
}

static int plan_gone(struct plan *p, const struct jobfiles *files, const char *source, struct error *e)
{
    struct store_numbers numbers = {0};
    int failed = store_source_jobs(p->store, source, &numbers, e);
    for (size_t i = 0; !failed && i < numbers.count; i++) {
        struct named *n;
        struct job old;
        HASH_FIND(hh, p->named, &numbers.items[i], sizeof numbers.items[i], n);
        if (n || !is_left(p, source, numbers.items[i], &old))
            continue;
        if (is_gone(files, old.file))
            add_left(p, numbers.items[i], &old)->gone = true;
        else
            job_clear(&old);
    }
    free(numbers.items);
    return failed;
}

/* Sources that are in none of the files: of the others it is known what they name. */
static int plan_all_gone(struct plan *p, const struct jobfiles *files, struct error *e)
{
    struct strvec sources = {0};
    int failed = files->folders.count ? store_sources(p->store, &sources, e) : 0;
    for (size_t i = 0; !failed && i < sources.count; i++)
        if (find_source(files, sources.items[i]) == SOURCE_ELSEWHERE)
            failed = plan_gone(p, files, sources.items[i], e);
    strvec_clear(&sources);
    return failed;
}

bool apply_source_seen(const struct jobfiles *files, size_t before)
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

int apply_plan(struct store *s, const struct jobfiles *files, struct apply_rules rules, struct changes *out, struct error *e)
{
    struct plan p = {.store = s, .files = files, .rules = rules};
    int failed = 0;
    for (size_t f = 0; !failed && f < files->count; f++) {
        const struct jobfile *file = &files->items[f];
        for (size_t i = 0; !failed && i < file->queue_count; i++)
            failed = plan_queue(&p, file, &file->queues[i], e);
        for (size_t i = 0; !failed && i < file->job_count; i++)
            failed = plan_job(&p, file, &file->jobs[i], e);
    }
    p.named = named_all(&p.list);
    for (size_t f = 0; !failed && f < files->count; f++)
        if (!apply_source_seen(files, f))
            failed = plan_unnamed(&p, files->items[f].source, e);
    if (!failed)
        failed = plan_all_gone(&p, files, e);
    named_free(p.named);
    if (failed)
        changes_clear(&p.list);
    else
        *out = p.list;
    return failed;
}
