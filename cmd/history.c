#include "cmd/commands.h"

#include <limits.h>

#include <string.h>

#include "cmd/history.h"
#include "cmd/moment.h"

enum { SLICE = 1000 }; /* rows read in one transaction and printed together */

/* One place before that in enum outcome: an open run is not history. */
static const char *const history_outcomes[] = {
    [OUTCOME_OK - 1] = "ok",         [OUTCOME_FAILED - 1] = "failed", [OUTCOME_KILLED - 1] = "killed",           [OUTCOME_TIMEOUT - 1] = "timeout",
    [OUTCOME_CANCELLED - 1] = "cancelled", [OUTCOME_LOST - 1] = "lost", [OUTCOME_UNSTARTABLE - 1] = "unstartable", [OUTCOME_SKIPPED - 1] = "skipped",
    [OUTCOME_MISSED - 1] = "missed", [OUTCOME_MISSED] = NULL,
};

static const struct option_row history_options[] = {
    {.letter = 'n', .word = "limit", .kind = OPTION_INT, .offset = offsetof(struct history_options, limit), .placeholder = "N", .help = "only the newest N rows; with --stats the first N jobs", .minimum = 1, .maximum = INT_MAX},
    {.letter = 'o', .word = "outcome", .kind = OPTION_CHOICES, .offset = offsetof(struct history_options, outcomes), .placeholder = "OUTCOME,...",
        .choices = history_outcomes, .help = "only rows with such an outcome: ok, failed, killed, timeout, cancelled, lost, unstartable, skipped, missed (repeatable)"},
    {.word = "since", .kind = OPTION_TEXT, .offset = offsetof(struct history_options, since), .placeholder = "TIME", .help = "only what ended then or later: 2h (ago), 17:30, yesterday, 2026-12-24"},
    {.word = "until", .kind = OPTION_TEXT, .offset = offsetof(struct history_options, until), .placeholder = "TIME", .help = "only what ended before then; a date takes in its day"},
    {.word = "stats", .kind = OPTION_FLAG, .offset = offsetof(struct history_options, stats), .help = "a line for each job: how many runs, how many went well, how long they took"},
    {.letter = 'w', .word = "wide", .kind = OPTION_FLAG, .offset = offsetof(struct history_options, wide), .help = "all columns, uncut, however narrow the terminal is"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct history_options, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

struct history {
    const struct history_options *options;
    const struct view *view;
    struct table *table;
    struct buf *out;
    struct run last; /* the row looked at last: where the next slice goes on. It owns no texts */
    int looked, shown; /* in this slice */
    int left;          /* rows still wanted */
};

bool history_wants(const struct history_options *o, const struct run *r)
{
    return !o->outcomes || (r->outcome != OUTCOME_NONE && o->outcomes >> (r->outcome - 1) & 1);
}

static void history_show(struct history *h, const struct run *r)
{
    h->shown++;
    h->left--;
    if (h->options->json) {
        struct value v = view_run(r);
        view_line(h->out, &v);
    } else {
        view_runs_add(h->table, h->view, r);
    }
}

static bool history_row(void *context, const struct run *r)
{
    struct history *h = context;
    if (history_wants(h->options, r))
        history_show(h, r);
    h->last = *r;
    h->last.reason = h->last.name = h->last.key = NULL;
    return ++h->looked < SLICE && h->left > 0;
}

/* By their end where there are bounds: the rest of a long history is not read then. */
static int history_slice(struct store *store, bool begin, struct history *h, struct error *e)
{
    const struct store_rows *rows = &h->options->rows;
    const struct run *before = begin ? NULL : &h->last;
    h->looked = h->shown = 0;
    int code = store_begin(store, false, e);
    if (code < 0)
        return code;
    if (h->options->since || h->options->until)
        code = store_each_ended(store, rows, before, history_row, h, e);
    else
        code = store_each_run(store, rows->number, before, history_row, h, e);
    store_abort(store);
    return code;
}

static int history_print(const struct command *self, struct store *store, struct history *h, struct error *e)
{
    bool begin = true, any = false;
    do {
        int code = history_slice(store, begin, h, e);
        if (code < 0)
            return code;
        if (h->table && h->shown)
            table_write(h->out, h->table, h->view->width, h->view->colour);
        command_print(self, h->out);
        any = any || h->shown;
        begin = false;
    } while (h->looked == SLICE && h->left > 0);
    if (!any && h->table && h->view->terminal)
        command_warn(self, h->last.id.job ? "no run is like that" : "no runs yet");
    return 0;
}

static int history_rows(const struct command *self, struct store *store, const struct history_options *o, const struct view *v, struct error *e)
{
    struct buf out = {0};
    struct history h = {.options = o, .view = v, .out = &out, .left = o->limit ? o->limit : INT_MAX, .table = o->json ? NULL : view_runs_new()};
    int code = history_print(self, store, &h, e);
    table_free(h.table);
    buf_clear(&out);
    return code;
}

static int history_find(struct store *store, const char *reference, uint64_t *number, struct error *e)
{
    int code = store_begin(store, false, e);
    if (code < 0)
        return code;
    code = store_find(store, reference, number, e);
    store_abort(store);
    return code;
}

static int history_list(const struct command *self, struct history_options *o, const struct view *v, const char *reference, struct error *e)
{
    struct store *store;
    int code = reference ? client_open_job(&o->common, STORE_READ, reference, &store, e) : client_open(&o->common, STORE_READ, &store, e);
    if (code < 0 && client_absent(e) && !reference) {
        if (o->common.spool && !o->json)
            command_warn(self, "%s", e->text);
        return 0;
    }
    if (code < 0)
        return code;
    if (reference)
        code = history_find(store, reference, &o->rows.number, e);
    if (code == 0)
        code = o->stats ? history_stats(self, store, o, v, e) : history_rows(self, store, o, v, e);
    store_close(store);
    return code;
}

static int history_prepare(struct history_options *o, struct view *v, struct error *e)
{
    o->rows = (struct store_rows){.since = INSTANT_NONE, .until = INSTANT_NEVER};
    int code = view_init(v, e);
    if (code < 0)
        return code;
    v->width = o->wide ? 0 : v->width;
    if (o->since && moment_parse(o->since, MOMENT_SINCE, v->zone, v->now, &o->rows.since, e) < 0)
        return error_field(e, "--since");
    if (o->until && moment_parse(o->until, MOMENT_UNTIL, v->zone, v->now, &o->rows.until, e) < 0)
        return error_field(e, "--until");
    if (o->rows.until <= o->rows.since) {
        error_set(e, ERROR_USAGE, "does not lie behind --since: nothing can have ended between the two");
        return error_field(e, "--until");
    }
    return 0;
}

static int history_run(const struct command *self, int argc, char **argv)
{
    struct history_options o = {0};
    struct view v = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (argc - first > 1)
        return command_usage_error(self, "takes one job, or none for all");
    if (history_prepare(&o, &v, &e) < 0 || history_list(self, &o, &v, first < argc ? argv[first] : NULL, &e) < 0)
        exit_code = command_fail(self, &e);
    view_clear(&v);
    return exit_code;
}

const struct command command_history = {
    .name = "history",
    .summary = "list how runs went, newest first",
    .usage = "[JOB] [--since TIME] [--until TIME] [--outcome OUTCOME] [-n N]\n[JOB] --stats",
    .about = "Due times that got no run (skipped, missed, cancelled before the start) are\n"
             "listed too, with the reason. --stats has, for each job, the part of its runs\n"
             "that went well, how long they took (half of them not longer than P50), how the\n"
             "latest 30 compare with those before, and a picture of these 30.",
    .options = history_options,
    .run = history_run,
};
