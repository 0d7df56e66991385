/* ax retry and ax skip: two rows, one way. */
#include "cmd/commands.h"

#include <stdlib.h>

#include "cmd/chosen.h"
#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"

struct done {
    uint64_t number;
    char *name;
    instant due;
};

struct retry {
    struct common common;
    struct selector selector;
    struct view view;
    bool quiet, json, all_failed;
    bool skips; /* ax skip */
    struct done *list;
    size_t count, capacity;
};

#define RETRY_ROWS \
    SELECTOR_OPTIONS(retry, selector), \
        {.letter = 'q', .word = "quiet", .kind = OPTION_FLAG, .offset = offsetof(struct retry, quiet), .help = "print nothing"}, \
        {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct retry, json), .help = "one JSON object a line"}, COMMAND_OPTIONS, {0}

static const struct option_row skip_options[] = {RETRY_ROWS};
static const struct option_row retry_options[] = {
    {.word = "all-failed",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct retry, all_failed),
        .help = "all one-off jobs that have failed"},
    RETRY_ROWS,
};

static int retry_one(void *context, struct store *s, const struct chosen *c, struct error *e)
{
    struct retry *r = context;
    struct job job;
    struct done d = {.number = c->job};
    instant now = r->view.now;
    int code = r->skips ? store_skip(s, c->job, now, &d.due, e) : store_retry(s, (struct run_id){.job = c->job, .n = c->run}, now, &d.due, e);
    if (code == 0)
        code = store_audit(s, c->job, now, r->skips ? "next occurrence skipped" : "tried again", e);
    if (code == 0)
        code = store_job(s, c->job, &job, e);
    if (code < 0)
        return code;
    d.name = mem_string(job.name);
    job_clear(&job);
    MEM_GROW(r->list, r->capacity, r->count + 1);
    r->list[r->count++] = d;
    return 0;
}

/* ---- what is said ---- */

static void retry_tell(const struct command *self, const struct retry *r)
{
    struct buf b = {0};
    for (size_t i = 0; i < r->count; i++) {
        const struct done *d = &r->list[i];
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
    if (!r->count && r->all_failed && !r->json && !r->quiet)
        buf_text(&b, "no one-off job has failed; name the others that are to run again\n");
    command_print(self, &b);
    buf_clear(&b);
}

/* ---- the commands ---- */

static int retry_choose(const struct command *self, struct retry *r, char **words, int count, struct error *e)
{
    struct selector failed = {.all = true, .states = 1U << view_state("failed")};
    const struct choice choice = {.command = self,
        .common = &r->common,
        .selector = r->all_failed ? &failed : &r->selector,
        .words = words,
        .count = count,
        .runs = !r->skips,
        .now = r->view.now};
    if (r->all_failed && (count || selector_given(&r->selector)))
        return error_set(e, ERROR_USAGE, "--all-failed takes them all: no job is named beside it");
    int code = chosen_do(&choice, retry_one, r, e);
    return r->all_failed && code == -ERROR_NOT_FOUND ? 0 : code;
}

static int retry_do(const struct command *self, struct retry *r, char **words, int count, struct error *e)
{
    int code = retry_choose(self, r, words, count, e);
    if (code == 0)
        retry_tell(self, r);
    for (size_t i = 0; i < r->count; i++)
        free(r->list[i].name);
    free(r->list);
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
    if (first >= 0) {
        exit_code = view_init(&r.view, &e);
        if (exit_code == 0)
            exit_code = retry_do(self, &r, argv + first, argc - first, &e);
        view_clear(&r.view);
    }
    selector_clear(&r.selector);
    return exit_code < 0 ? command_fail(self, &e) : exit_code;
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
    .usage = "JOB|RUN...\n--all-failed\n[--tag TAG] [--queue QUEUE] [--state STATE] [--all]",
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
    .usage = "JOB...\n[--tag TAG] [--queue QUEUE] [--state STATE] [--all]",
    .about = "It is recorded as skipped by hand. Called again, it skips the one after it.",
    .options = skip_options,
    .run = skip_run,
};
