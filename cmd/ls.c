#include "cmd/commands.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/client.h"
#include "cmd/ls.h"
#include "cmd/moment.h"

enum { SLICE = 1000 }; /* jobs read in one transaction and printed together */

static const char *const ls_orders[] = {[LS_NUMBER] = "number", [LS_DUE] = "due", [LS_NAME] = "name", [LS_STATE] = "state", [LS_LAST] = "last", NULL};

static const struct option_row ls_options[] = {
    {.letter = 'a', .word = "all", .kind = OPTION_FLAG, .offset = offsetof(struct ls_options, all), .help = "finished and cancelled jobs too"},
    {.letter = 's', .word = "state", .kind = OPTION_CHOICES, .offset = offsetof(struct ls_options, states), .placeholder = "STATE,...", .choices = view_states,
        .help = "only jobs in such a state: running, queued, retrying, waiting, paused, failed, done, cancelled (repeatable)"},
    {.letter = 't', .word = "tag", .kind = OPTION_TEXTS, .offset = offsetof(struct ls_options, tags), .placeholder = "TAG", .help = "only jobs with this tag (repeatable: one of them)"},
    {.word = "queue", .kind = OPTION_TEXTS, .offset = offsetof(struct ls_options, queues), .placeholder = "QUEUE", .help = "only jobs of this queue (repeatable)"},
    {.word = "name", .kind = OPTION_TEXTS, .offset = offsetof(struct ls_options, names), .placeholder = "GLOB", .help = "only jobs with such a name, as in 'backup-*' (repeatable)"},
    {.word = "source", .kind = OPTION_TEXTS, .offset = offsetof(struct ls_options, sources), .placeholder = "LABEL", .help = "only jobs that come from this source of a job file (repeatable)"},
    {.word = "due-before", .kind = OPTION_TEXT, .offset = offsetof(struct ls_options, before_text), .placeholder = "TIME", .help = "only jobs that are due before then: 2h (from now), 17:30, tomorrow, 2026-12-24"},
    {.word = "sort", .kind = OPTION_CHOICE, .offset = offsetof(struct ls_options, order), .placeholder = "ORDER", .choices = ls_orders,
        .help = "number (default), due, name, state, or last: what ended last comes first"},
    {.letter = 'n', .word = "limit", .kind = OPTION_INT, .offset = offsetof(struct ls_options, limit), .placeholder = "N", .help = "only the first N", .minimum = 1, .maximum = INT_MAX},
    {.letter = 'w', .word = "wide", .kind = OPTION_FLAG, .offset = offsetof(struct ls_options, wide), .help = "all columns, uncut, however narrow the terminal is"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct ls_options, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

struct ls {
    const struct command *command;
    const struct ls_options *options;
    const struct view *view;
    struct store *store;
    struct table *table; /* NULL: JSON */
    struct ls_sort *sort;  /* NULL: in order of number, as they are read */
    struct buf out;
    uint64_t next; /* where the next slice begins; 0: at the end */
    int looked, shown;
    bool found; /* some job, wanted or not */
};

static void ls_show(struct ls *ls, const struct job *j, const struct job_state *s)
{
    ls->shown++;
    if (ls->table) {
        view_jobs_add(ls->table, ls->view, j, s);
    } else {
        struct value v = view_job(j, s, ls->view->now);
        view_line(&ls->out, &v);
    }
}

/* Nothing is printed while a transaction is open: a reader that is stopped in it would keep the pages of all later changes from being used again. */
static void ls_print(struct ls *ls)
{
    if (ls->table && ls->shown)
        table_write(&ls->out, ls->table, ls->view->width, ls->view->colour);
    command_print(ls->command, &ls->out);
}

/* ---- reading ---- */

static bool ls_job(void *context, const struct job *j, const struct job_state *s)
{
    struct ls *ls = context;
    if (ls->looked++ == SLICE) {
        ls->next = j->number;
        return false;
    }
    ls->found = true;
    if (!ls_wants(ls->options, j, s, ls->view->now))
        return true;
    if (ls->sort)
        ls_sort_offer(ls->sort, j, s, ls->view->now);
    else
        ls_show(ls, j, s);
    return ls->sort || ls->shown != ls->options->limit;
}

static int ls_read(struct ls *ls, struct error *e)
{
    ls->next = 1;
    while (ls->next) {
        uint64_t from = ls->next;
        ls->next = 0;
        ls->looked = 0;
        int code = store_begin(ls->store, false, e);
        if (code < 0)
            return code;
        code = store_each_job(ls->store, from, ls_job, ls, e);
        store_abort(ls->store);
        if (code < 0)
            return code;
        if (!ls->sort)
            ls_print(ls);
    }
    return 0;
}

/* Whoever has gone since the order was found is left out. */
static int ls_read_sorted(struct ls *ls, struct error *e)
{
    for (size_t i = 0; i < ls->sort->count;) {
        size_t end = ls->sort->count - i > SLICE ? i + SLICE : ls->sort->count;
        int code = store_begin(ls->store, false, e);
        if (code < 0)
            return code;
        for (; i < end; i++) {
            struct job j;
            struct job_state s;
            if (store_state(ls->store, ls->sort->places[i].number, &s, NULL) < 0 || store_job(ls->store, ls->sort->places[i].number, &j, NULL) < 0)
                continue;
            ls_show(ls, &j, &s);
            job_clear(&j);
        }
        store_abort(ls->store);
        ls_print(ls);
    }
    return 0;
}

static int ls_all(struct ls *ls, struct error *e)
{
    const struct ls_options *o = ls->options;
    struct ls_sort sort;
    if (o->order == LS_NUMBER)
        return ls_read(ls, e);
    ls_sort_init(&sort, (enum ls_order)o->order, o->limit);
    ls->sort = &sort;
    int code = ls_read(ls, e);
    if (code == 0) {
        ls_sort_finish(&sort);
        code = ls_read_sorted(ls, e);
    }
    ls->sort = NULL;
    ls_sort_clear(&sort);
    return code;
}

/* ---- the command ---- */

/* Who sees no jobs may be looking into the wrong spool: root's, or the own one. */
static bool ls_other_spool(const struct command *self, const struct ls_options *o)
{
    if (o->common.spool || getenv("AX_SPOOL"))
        return false;
    const char *user = getenv("SUDO_USER");
    if (geteuid() != 0 && access("/var/spool/ax", F_OK) == 0) /* whether it is served, only root can see */
        command_warn(self, "no jobs here; root has a spool of its own, /var/spool/ax: `sudo ax ls` shows what is in it");
    else if (geteuid() == 0 && user && strcmp(user, "root") != 0)
        command_warn(self, "no jobs here; this is the spool of root, that of %s is another: `ax ls` without sudo", user);
    else
        return false;
    return true;
}

static bool ls_filters(const struct ls_options *o)
{
    return o->states || o->tags.count || o->queues.count || o->names.count || o->sources.count || o->before != INSTANT_NONE;
}

/* A person sees an empty screen: whether all is over, or nothing was ever there. */
static void ls_empty(const struct command *self, const struct ls *ls)
{
    const struct ls_options *o = ls->options;
    if (o->json || (!ls_filters(o) && ls_other_spool(self, o)) || !ls->view->terminal)
        return;
    if (!ls->found)
        command_warn(self, "no jobs yet: `ax add 20m COMMAND` makes one");
    else if (ls_filters(o))
        command_warn(self, "no job is like that");
    else
        command_warn(self, "nothing is to come, goes on or has failed; `ax ls --all` has the jobs that are over too");
}

static int ls_list(const struct command *self, const struct ls_options *o, const struct view *v, struct error *e)
{
    struct ls ls = {.command = self, .options = o, .view = v};
    int code = client_open(&o->common, STORE_READ, &ls.store, e);
    if (code == 0) {
        ls.table = o->json ? NULL : view_jobs_new();
        code = ls_all(&ls, e);
        store_close(ls.store);
        table_free(ls.table);
        buf_clear(&ls.out);
    } else if (client_absent(e)) {
        code = 0;
        if (o->common.spool && !o->json) { /* the one that was meant is likely another */
            command_warn(self, "%s", e->text);
            return 0;
        }
    }
    if (code == 0 && !ls.shown)
        ls_empty(self, &ls);
    return code;
}

static int ls_prepare(struct ls_options *o, struct view *v, struct error *e)
{
    int code = view_init(v, e);
    if (code < 0)
        return code;
    v->width = o->wide ? 0 : v->width;
    if (o->before_text && moment_parse(o->before_text, MOMENT_AHEAD, v->zone, v->now, &o->before, e) < 0)
        return error_field(e, "--due-before");
    return 0;
}

static int ls_run(const struct command *self, int argc, char **argv)
{
    struct ls_options o = {.before = INSTANT_NONE};
    struct view v = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first >= 0 && first < argc)
        exit_code = command_usage_error(self, "takes no arguments, but was given `%s`; `ax show %s` tells about one job", argv[first], argv[first]);
    else if (first >= 0 && (ls_prepare(&o, &v, &e) < 0 || ls_list(self, &o, &v, &e) < 0))
        exit_code = command_fail(self, &e);
    view_clear(&v);
    strvec_clear(&o.tags);
    strvec_clear(&o.queues);
    strvec_clear(&o.names);
    strvec_clear(&o.sources);
    return exit_code;
}

const struct command command_ls = {
    .name = "ls",
    .aliases = {"list", "ps"},
    .summary = "list jobs",
    .usage = "[--all] [filters] [--sort ORDER] [--limit N] [--json]",
    .about = "Lists jobs that wait or run, and those that have failed. Where the terminal is\n"
             "narrow, columns are cut or left out: --wide shows all.",
    .options = ls_options,
    .run = ls_run,
};
