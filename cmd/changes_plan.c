#include "cmd/changes_plan.h"

#include <string.h>
#include <unistd.h>

#include "cmd/client.h"
#include "cmd/files.h"
#include "lib/base/mem.h"

static void plan_new(struct changes *list, struct change c)
{
    MEM_GROW(list->items, list->capacity, list->count + 1);
    job_init(&c.old);
    list->items[list->count++] = c;
    list->of[c.kind]++;
}

static void plan_file(struct changes *list, const struct jobfile *file)
{
    for (size_t i = 0; i < file->queue_count; i++)
        plan_new(list, (struct change){.kind = CHANGE_QUEUE, .file = file, .queue = file->queues[i].name, .limit = file->queues[i].limit});
    for (size_t i = 0; i < file->job_count; i++)
        if (!file->jobs[i].past)
            plan_new(list, (struct change){.kind = CHANGE_CREATE, .file = file, .new = &file->jobs[i]});
}

int changes_plan(const struct common *c, const struct jobfiles *files, struct apply_rules rules, struct changes *out, struct error *e)
{
    struct store *store;
    int code = client_open(c, STORE_READ, &store, e);
    if (code < 0 && client_absent(e)) {
        for (size_t i = 0; i < files->count; i++)
            plan_file(out, &files->items[i]);
        return 0;
    }
    if (code < 0)
        return code;
    code = store_begin(store, false, e);
    if (code == 0)
        code = apply_plan(store, files, rules, out, e);
    store_abort(store);
    store_close(store);
    return code;
}

int changes_prune_check(const struct command *self, const struct jobfiles *files)
{
    for (size_t i = 0; i < files->count; i++)
        if (strcmp(files->items[i].source, "-") == 0)
            return command_usage_error(self, "--prune wants to know whose jobs these are: standard input has no path, so say it by --source LABEL, or `source:` in the file");
    return 0;
}

int changes_conflicts(const struct changes *changes)
{
    struct errors errors = {0};
    for (size_t i = 0; i < changes->count; i++) {
        const struct change *c = &changes->items[i];
        struct error e = {0};
        if (c->kind != CHANGE_CONFLICT)
            continue;
        if (c->old.source)
            error_set(&e, ERROR_EXISTS, "job %llu has the name %s already, and belongs to source %s%s", (unsigned long long)c->number, c->new->job.name, c->old.source,
                      c->old.source[0] == '/' && access(c->old.source, F_OK) < 0 ? ", a file that is gone: `ax cancel` of it gives the name free" : "");
        else
            error_set(&e, ERROR_EXISTS, "job %llu has the name %s already, and was added by hand: --adopt hands it to the file", (unsigned long long)c->number, c->new->job.name);
        files_place_job(&e, c->new);
        errors_add(&errors, c->file->file, false, &e, NULL);
    }
    int code = errors.count ? ERROR_EXISTS : 0;
    files_print(&errors);
    errors_clear(&errors);
    return code;
}
