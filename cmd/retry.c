/* ax retry and ax skip: two rows, one way. */
#include "cmd/commands.h"

#include <stdlib.h>

#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"

struct retry {
    struct common common;
    struct view view;
    bool quiet, json, all_failed;
    bool skips; /* ax skip */
};

static const struct option_row skip_options[] = {
    {.letter = 'q',
        .word = "quiet",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct retry, quiet),
        .help = "print nothing"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct retry, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};
static const struct option_row retry_options[] = {
    {.word = "all-failed",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct retry, all_failed),
        .help = "all one-off jobs that have failed"},
    {.letter = 'q',
        .word = "quiet",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct retry, quiet),
        .help = "print nothing"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct retry, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

struct done {
    uint64_t number;
    char *name;
    instant due;
};
struct done_list {
    struct done *items;
    size_t count, capacity;
};

static int retry_one(const struct retry *r, struct store *s, uint64_t number, struct done_list *list, struct error *e)
{
    struct job job;
    struct done d = {.number = number};
    int code =
        r->skips ? store_skip(s, number, r->view.now, &d.due, e) : store_retry(s, number, r->view.now, &d.due, e);
    if (code == 0)
        code = store_audit(s, number, r->view.now, r->skips ? "next occurrence skipped" : "tried again", e);
    if (code == 0)
        code = store_job(s, number, &job, e);
    if (code < 0)
        return code;
    d.name = mem_string(job.name);
    job_clear(&job);
    MEM_GROW(list->items, list->capacity, list->count + 1);
    list->items[list->count++] = d;
    return 0;
}

/* ---- which ones ---- */

struct numbers {
    uint64_t *items;
    size_t count, capacity;
};

static bool add_failed(void *context, const struct job *j, const struct job_state *st)
{
    struct numbers *n = context;
    if (st->phase != PHASE_FAILED || st->repeats)
        return true;
    MEM_GROW(n->items, n->capacity, n->count + 1);
    n->items[n->count++] = j->number;
    return true;
}

/* A run names its job: what is tried again is its occurrence, if it is the last. */
static int find(struct store *s, const char *reference, uint64_t *number, struct error *e)
{
    struct run_id id;
    struct run run;
    if (!run_id_parse(reference, &id) || id.note)
        return store_find(s, reference, number, e);
    int code = store_run(s, id, &run, e);
    if (code < 0)
        return code;
    run_clear(&run);
    *number = id.job;
    return 0;
}

static int retry_all(
    const struct retry *r, struct store *s, char **references, int count, struct done_list *list, struct error *e)
{
    struct numbers n = {0};
    int code = store_begin(s, true, e);
    if (code < 0)
        return code;
    if (r->all_failed)
        code = store_each_job(s, 1, add_failed, &n, e);
    for (int i = 0; i < count && code == 0; i++) {
        MEM_GROW(n.items, n.capacity, n.count + 1);
        code = find(s, references[i], &n.items[n.count++], e);
    }
    for (size_t i = 0; i < n.count && code == 0; i++)
        code = retry_one(r, s, n.items[i], list, e);
    free(n.items);
    if (code == 0)
        return store_commit(s, e);
    store_abort(s);
    return code;
}

/* ---- what is said ---- */

static void retry_tell(const struct command *self, const struct retry *r, const struct done_list *list)
{
    struct buf b = {0};
    for (size_t i = 0; i < list->count; i++) {
        const struct done *d = &list->items[i];
        struct buf line = {0};
        if (r->json) {
            struct value m = value_map();
            value_put(&m, "job", value_int((int64_t)d->number));
            value_put(&m, "name", value_text(d->name));
            view_put_time(&m, "due", d->due);
            view_line(&b, &m);
        } else if (!r->quiet) {
            buf_format(&line, "job %llu%s%s: %s ", (unsigned long long)d->number, d->name ? " " : "",
                d->name ? d->name : "", r->skips ? "skips" : "tries again, as soon as there is a slot, what was due");
            view_time(&line, &r->view, d->due);
            visible_add(&b, line.data, line.length, false);
            buf_char(&b, '\n');
        }
        buf_clear(&line);
    }
    if (!list->count && r->all_failed && !r->json && !r->quiet)
        buf_text(&b, "no job has failed\n");
    command_print(self, &b);
    buf_clear(&b);
}

/* ---- the commands ---- */

static int retry_do(const struct command *self, struct retry *r, char **references, int count, struct error *e)
{
    struct store *store;
    struct done_list list = {0};
    int code = count ? client_open_job(&r->common, STORE_WRITE, references[0], &store, e)
                     : client_open(&r->common, STORE_WRITE, &store, e);
    if (code < 0)
        return code;
    code = retry_all(r, store, references, count, &list, e);
    store_close(store); /* wakes the scheduler */
    if (code == 0)
        retry_tell(self, r, &list);
    for (size_t i = 0; i < list.count; i++)
        free(list.items[i].name);
    free(list.items);
    if (code == 0 && !r->skips && !client_served(&r->common))
        client_hint(self, &r->common);
    return code;
}

static int retry_main(const struct command *self, int argc, char **argv, bool skips)
{
    struct retry r = {.skips = skips};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &r, &exit_code);
    if (first < 0)
        return exit_code;
    if (first == argc && !r.all_failed)
        return command_usage_error(self, "no job is named: `ax %s JOB...`", self->name);
    int code = view_init(&r.view, &e);
    if (code == 0) {
        code = retry_do(self, &r, argv + first, argc - first, &e);
        view_clear(&r.view);
    }
    return code < 0 ? command_fail(self, &e) : code;
}

static int retry_run(const struct command *self, int argc, char **argv)
{
    return retry_main(self, argc, argv, false);
}

static int skip_run(const struct command *self, int argc, char **argv)
{
    return retry_main(self, argc, argv, true);
}

const struct command command_retry = {
    .name = "retry",
    .summary = "run again what has failed",
    .usage = "[--json] JOB|RUN... | --all-failed",
    .about = "A one-off job that gave up starts once more with its first attempt, for the same\n"
             "occurrence: AX_DUE and AX_KEY are those of before. Of a repeating job the due\n"
             "time of its last failed run is replayed. Returns 1 if one has not failed;\n"
             "nothing is done then.",
    .options = retry_options,
    .run = retry_run,
};

const struct command command_skip = {
    .name = "skip",
    .summary = "leave out the next occurrence of repeating jobs",
    .usage = "[--json] JOB...",
    .about = "It is recorded as skipped by hand. Called again, it skips the one after it.",
    .options = skip_options,
    .run = skip_run,
};
