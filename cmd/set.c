#include "cmd/commands.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/caller.h"
#include "cmd/changes.h"
#include "cmd/client.h"
#include "cmd/redefine.h"
#include "cmd/selector.h"
#include "lib/base/mem.h"
#include "lib/sys/child.h"
#include "lib/text/utf8.h"
#include "lib/text/visible.h"
#include "spool/fields.h"
#include "spool/jobfile.h"

struct assignment {
    const struct field *field;
    const char *value; /* empty: the default */
};

struct set {
    struct common common;
    struct selector selector;
    bool quiet, json;
    struct view view;
    char *directory;
    struct assignment *assignments;
    size_t count, capacity;
    struct store_numbers numbers;
    struct jobfile_job *jobs; /* the new definitions, one for each number */
    struct changes changes;
};

static const struct option_row set_options[] = {
    SELECTOR_OPTIONS(set, selector),
    {.letter = 'q', .word = "quiet", .kind = OPTION_FLAG, .offset = offsetof(struct set, quiet), .help = "print nothing"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct set, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

/* ---- the words ---- */

/* `retry_delay=1m`, `retry-delay=1m`. Names of jobs that have a `=` in them are to be said by number. */
static int set_assignment(struct set *x, const char *word, struct error *e)
{
    const char *equals = strchr(word, '=');
    char *name = field_key(word, (size_t)(equals - word));
    const struct field *f = field_find(name);
    int code = 0;
    if (f) {
        MEM_GROW(x->assignments, x->capacity, x->count + 1);
        x->assignments[x->count++] = (struct assignment){f, equals + 1};
    } else {
        struct buf hint = {0};
        jobfile_hint_field(&hint, name);
        code = error_set(e, ERROR_USAGE, "there is no field `%.*s`%s", UTF8_WORD(name), buf_string(&hint));
        buf_clear(&hint);
    }
    free(name);
    return code;
}

static int set_words(struct set *x, int count, char **words, struct strvec *references, struct error *e)
{
    int code = 0;
    for (int i = 0; i < count && code == 0; i++)
        if (strchr(words[i], '='))
            code = set_assignment(x, words[i], e);
        else
            strvec_add(references, words[i]);
    if (code < 0)
        return code;
    if (!x->count)
        return error_set(e, ERROR_USAGE, "no field is set: `ax set JOB... FIELD=VALUE...`, such as cron='0 3 * * *' or retries=3");
    if (!references->count && !selector_given(&x->selector))
        return error_set(e, ERROR_USAGE, "no job is named: `ax set JOB... FIELD=VALUE...`, or --tag, --queue, --state, --name, --all");
    if (references->count && selector_given(&x->selector))
        return error_set(e, ERROR_USAGE, "jobs are named one by one, or chosen by options, not both");
    return 0;
}

/* ---- one definition ---- */

static bool sets_schedule(const struct field *f)
{
    static const char *const names[] = {"at", "in", "every", "cron", "calendar", "boot"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (strcmp(f->name, names[i]) == 0)
            return true;
    return false;
}

/* What field_set_text adds to. */
static bool is_list(const struct field *f)
{
    return f->kind == FIELD_TEXTS || f->kind == FIELD_CRON || f->kind == FIELD_CALENDAR || f->kind == FIELD_EXCEPT;
}

static void set_default(struct job *j, const struct field *f)
{
    const struct value null = {0};
    field_set(j, f, &null, NULL, NULL);
}

/* A new schedule takes the place of the old one, and a new list that of the old list; only a map is changed entry by entry. */
static void set_make_room(const struct set *x, struct job *j)
{
    bool schedule = false;
    for (size_t i = 0; i < x->count; i++) {
        schedule = schedule || (sets_schedule(x->assignments[i].field) && x->assignments[i].value[0]);
        if (is_list(x->assignments[i].field))
            set_default(j, x->assignments[i].field);
    }
    for (const struct field *f = fields; f->name && schedule; f++)
        if (sets_schedule(f))
            set_default(j, f);
}

static int set_fields(const struct set *x, struct job *j, bool zone, const struct field_context *c, struct error *e)
{
    int code = 0;
    for (size_t i = 0; i < x->count && code == 0; i++) {
        const struct assignment *a = &x->assignments[i];
        if ((a->field->kind == FIELD_ZONE) != zone)
            continue;
        if (a->value[0])
            code = field_set_text(j, a->field, a->value, c, e);
        else
            set_default(j, a->field);
    }
    return code;
}

static bool set_names(const struct set *x, const char *name)
{
    for (size_t i = 0; i < x->count; i++)
        if (strcmp(x->assignments[i].field->name, name) == 0)
            return true;
    return false;
}

/* Another user, and another group, are for root. */
static int set_account(const struct set *x, const struct job *j, struct error *e)
{
    struct child_user account;
    if (geteuid() == 0 || !(set_names(x, "user") || set_names(x, "group")) || !(j->user || j->group))
        return 0;
    if (child_user_find(j->user, j->group, &account, NULL) != 0)
        return 0; /* said by the run, where it is still so then */
    bool own = account.uid == geteuid() && account.gid == getegid();
    child_user_clear(&account);
    if (own)
        return 0;
    error_set(e, ERROR_USAGE, "only root may run a job as someone else");
    return error_field(e, j->user ? "user" : "group");
}

/* A job keeps its name: its source, other jobs and people know it by that. */
static int set_name(const struct set *x, const struct job *old, const struct job *new, struct error *e)
{
    if (!set_names(x, "name") || (new->name && old->name && strcmp(new->name, old->name) == 0))
        return 0;
    if (old->name)
        error_set(e, ERROR_USAGE, "a job keeps its name: this one is called '%.*s'", UTF8_WORD(old->name));
    else if (x->numbers.count > 1)
        error_set(e, ERROR_USAGE, "a name is for one job");
    else
        return 0;
    return error_field(e, "name");
}

static int set_definition(const struct set *x, const struct job *old, struct job *new, struct error *e)
{
    struct zones zones = {0};
    struct field_context context = {.zone = x->view.zone, .zones = &zones, .now = x->view.now, .directory = x->directory};
    set_make_room(x, new);
    int code = set_fields(x, new, true, &context, e);
    if (code == 0 && new->timezone)
        zones_get(&zones, new->timezone, &context.zone, NULL);
    if (code == 0)
        code = set_fields(x, new, false, &context, e);
    if (code == 0 && !job_needs_zone(old))
        code = caller_timezone(new, e);
    if (code == 0)
        code = job_check(new, e);
    if (code == 0)
        code = set_name(x, old, new, e);
    if (code == 0)
        code = set_account(x, new, e);
    zones_clear(&zones);
    return code;
}

/* ---- the deed ---- */

/* `set timeout=5m`, of a map the name of its entry alone. */
static void set_trail(const struct set *x, struct buf *line)
{
    buf_text(line, "set");
    for (size_t i = 0; i < x->count; i++) {
        const struct assignment *a = &x->assignments[i];
        size_t length = a->field->kind == FIELD_MAP ? strcspn(a->value, "=") : utf8_cut(a->value, 60);
        buf_format(line, " %s=", a->field->name);
        visible_add(line, a->value, length, false);
    }
}

static int set_one(struct set *x, struct store *s, size_t i, const char *trail, struct error *e)
{
    struct change *c = &x->changes.items[i];
    struct job *new = &x->jobs[i].job;
    int code = store_job(s, x->numbers.items[i], &c->old, e);
    if (code == 0)
        code = store_job(s, x->numbers.items[i], new, e);
    if (code == 0)
        code = set_definition(x, &c->old, new, e);
    if (code < 0)
        return code;
    c->number = x->numbers.items[i];
    c->new = &x->jobs[i];
    apply_compare(&c->old, new, &c->fields, &c->reschedules);
    c->kind = c->fields.count ? CHANGE_UPDATE : CHANGE_SAME;
    x->changes.of[c->kind]++;
    if (c->kind == CHANGE_SAME)
        return 0;
    code = redefine(s, &c->old, new, c->reschedules, x->view.now, e);
    return code == 0 ? store_audit(s, c->number, x->view.now, trail, e) : code;
}

/* With several jobs the error says which one. */
static int set_blame(const struct set *x, size_t i, struct error *e)
{
    struct error plain = *e;
    if (x->numbers.count > 1)
        snprintf(e->text, sizeof e->text, "job %llu: %.*s", (unsigned long long)x->numbers.items[i], (int)utf8_cut(plain.text, sizeof e->text - 30), plain.text);
    return -(int)e->code;
}

/* All in one transaction: if one cannot be changed, none is. */
static int set_all(struct set *x, struct store *s, struct changes_view *told, struct error *e)
{
    struct buf trail = {0};
    int code = store_begin(s, true, e);
    set_trail(x, &trail);
    for (size_t i = 0; i < x->numbers.count && code == 0; i++)
        if ((code = set_one(x, s, i, buf_string(&trail), e)) < 0)
            set_blame(x, i, e);
    buf_clear(&trail);
    if (code == 0)
        code = changes_due(told, s, e);
    if (code == 0)
        return store_commit(s, e);
    store_abort(s);
    return code;
}

static void set_number(struct set *x, uint64_t number)
{
    for (size_t i = 0; i < x->numbers.count; i++)
        if (x->numbers.items[i] == number)
            return;
    MEM_GROW(x->numbers.items, x->numbers.capacity, x->numbers.count + 1);
    x->numbers.items[x->numbers.count++] = number;
}

static int set_find(const struct command *self, struct set *x, struct store *s, const struct strvec *references, struct error *e)
{
    uint64_t number;
    struct buf names = {0};
    int code = store_begin(s, false, e);
    if (code == 0 && selector_given(&x->selector))
        code = selector_find(s, &x->selector, x->view.now, &x->numbers, &names, e);
    for (size_t i = 0; i < references->count && code == 0; i++)
        if ((code = store_find(s, references->items[i], &number, e)) == 0)
            set_number(x, number);
    store_abort(s);
    if (code == 0 && !x->numbers.count)
        code = error_set(e, ERROR_NOT_FOUND, "there is no such job");
    if (code == 0 && selector_given(&x->selector))
        code = selector_confirm(&x->selector, x->numbers.count, &(struct selector_question){self, &x->common, "change", buf_string(&names)}, e);
    buf_clear(&names);
    return code;
}

/* ---- what is said ---- */

static void set_warn(const struct command *self, const struct set *x)
{
    const struct job *owned = NULL;
    size_t count = 0;
    for (size_t i = 0; i < x->changes.count; i++)
        if (x->changes.items[i].kind == CHANGE_UPDATE && x->changes.items[i].old.source) {
            owned = &x->changes.items[i].old;
            count++;
        }
    if (count == 1)
        command_warn(self, "job %llu belongs to source %s: the next apply of that brings back what the file says", (unsigned long long)owned->number, owned->source);
    else if (count)
        command_warn(self, "%zu of the jobs belong to sources, such as %s: the next apply of these brings back what the files say", count, owned->source);
}

static void set_tell(const struct command *self, const struct set *x, const struct changes_view *told)
{
    struct buf b = {0};
    if (x->json) {
        changes_json(&b, told);
    } else if (!x->quiet) {
        changes_text(&b, told);
        if (x->changes.count > 1 || !x->changes.of[CHANGE_UPDATE])
            changes_sum(&b, told);
    }
    command_print(self, &b);
    buf_clear(&b);
    set_warn(self, x);
}

static int set_jobs(const struct command *self, struct set *x, struct store *s, struct error *e)
{
    struct changes_view told;
    size_t count = x->numbers.count;
    x->jobs = mem_zero(count, sizeof *x->jobs);
    x->changes.items = mem_zero(count, sizeof *x->changes.items);
    x->changes.count = count;
    changes_view_init(&told, &x->view, &x->changes);
    told.done = true;
    int code = set_all(x, s, &told, e);
    store_close(s); /* wakes the scheduler */
    if (code == 0)
        set_tell(self, x, &told);
    for (size_t i = 0; i < count; i++)
        job_clear(&x->jobs[i].job);
    changes_view_clear(&told);
    changes_clear(&x->changes);
    free(x->jobs);
    return code;
}

static int set_do(const struct command *self, struct set *x, int count, char **words, struct error *e)
{
    struct store *store;
    struct strvec references = {0};
    int code = set_words(x, count, words, &references, e);
    if (code == 0)
        code = references.count ? client_open_job(&x->common, STORE_WRITE, references.items[0], &store, e)
                                : client_open_for(&x->common, STORE_WRITE, "such job", &store, e);
    if (code == 0) {
        code = set_find(self, x, store, &references, e);
        if (code == 0)
            code = set_jobs(self, x, store, e);
        else
            store_close(store);
    }
    strvec_clear(&references);
    return code;
}

static int set_run(const struct command *self, int argc, char **argv)
{
    struct set x = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &x, &exit_code);
    if (first < 0)
        return exit_code;
    int code = view_init(&x.view, &e);
    if (code == 0) {
        x.directory = getcwd(NULL, 0);
        code = set_do(self, &x, argc - first, argv + first, &e);
        view_clear(&x.view);
    }
    free(x.directory);
    free(x.assignments);
    free(x.numbers.items);
    selector_clear(&x.selector);
    return code < 0 ? command_fail(self, &e) : code;
}

const struct command command_set = {
    .name = "set",
    .summary = "change fields of jobs",
    .usage = "JOB... FIELD=VALUE...\n[--tag TAG] [--queue QUEUE] [--state STATE] [--all] FIELD=VALUE",
    .about = "The fields are the options of `ax add`: `ax set backup timeout=2h retries=3`.\n"
             "FIELD= puts the default back. A schedule takes the place of the old one, and\n"
             "moves the due time; a list takes the place of the old list; of env and rlimits\n"
             "the one entry is set. `command=` is a line for the shell. All jobs are changed,\n"
             "or none.",
    .options = set_options,
    .run = set_run,
};
