#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"

enum { SLICE = 1000 }; /* jobs read in one transaction and printed together */

static const char *const ls_states[] = {"waiting", "queued", "retrying", "running", "done", "failed", "cancelled", NULL};

struct ls_options {
    struct common common;
    bool all, json;
    unsigned states; /* bits of ls_states; 0: none was named */
};

static const struct option_row ls_options[] = {
    {.letter = 'a', .word = "all", .kind = OPTION_FLAG, .offset = offsetof(struct ls_options, all), .help = "finished and cancelled jobs too"},
    {.letter = 's', .word = "state", .kind = OPTION_CHOICES, .offset = offsetof(struct ls_options, states), .placeholder = "STATE,...", .choices = ls_states,
        .help = "only jobs in such a state: waiting, queued, retrying, running, done, failed, cancelled (repeatable)"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct ls_options, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

/* One slice: what is shown of up to SLICE jobs. */
struct ls {
    const struct ls_options *options;
    const struct view *view;
    struct table *table;
    struct buf *out;
    uint64_t next; /* where the next slice begins; 0: at the end */
    int looked, shown;
};

static bool ls_wants(const struct ls_options *o, const char *phase)
{
    if (!o->states)
        return o->all || (strcmp(phase, "done") != 0 && strcmp(phase, "cancelled") != 0);
    for (int i = 0; ls_states[i]; i++)
        if (strcmp(ls_states[i], phase) == 0)
            return o->states >> i & 1;
    return false;
}

static bool ls_job(void *context, const struct job *j, const struct job_state *s)
{
    struct ls *ls = context;
    if (ls->looked++ == SLICE) {
        ls->next = j->number;
        return false;
    }
    if (!ls_wants(ls->options, phase_name(s, ls->view->now)))
        return true;
    ls->shown++;
    if (ls->options->json) {
        struct value v = view_job(j, s, ls->view->now);
        view_line(ls->out, &v);
    } else {
        view_jobs_add(ls->table, ls->view, j, s);
    }
    return true;
}

static int ls_slice(struct store *store, struct ls *ls, struct error *e)
{
    uint64_t from = ls->next;
    ls->next = 0;
    ls->looked = 0;
    int code = store_begin(store, false, e);
    if (code < 0)
        return code;
    code = store_each_job(store, from, ls_job, ls, e);
    store_abort(store);
    return code;
}

/* Nothing is printed while a transaction is open: a reader that is stopped in it would keep the pages of all later changes from being used again. */
static int ls_print(const struct command *self, struct store *store, struct ls *ls, struct error *e)
{
    int total = 0;
    ls->next = 1;
    while (ls->next) {
        ls->shown = 0;
        ls->table = ls->options->json ? NULL : view_jobs_new();
        int code = ls_slice(store, ls, e);
        if (code == 0 && ls->table && ls->shown)
            table_write(ls->out, ls->table, ls->view->width, ls->view->colour);
        if (ls->table)
            table_free(ls->table);
        if (code < 0)
            return code;
        command_print(self, ls->out);
        total += ls->shown;
    }
    return total;
}

/* Who sees no jobs may be looking into the wrong spool: root's, or the own one. */
static void ls_other_spool(const struct command *self, const struct ls_options *o)
{
    if (o->common.spool || getenv("AX_SPOOL"))
        return;
    const char *user = getenv("SUDO_USER");
    struct common other = {.spool = "/var/spool/ax"};
    if (geteuid() != 0 && client_served(&other))
        command_warn(self, "no jobs here; the spool of root is served: `sudo ax ls`, or `--spool /var/spool/ax`");
    else if (geteuid() == 0 && user && strcmp(user, "root") != 0)
        command_warn(self, "no jobs here; this is the spool of root, that of %s is another: `ax ls` without sudo", user);
}

static int ls_list(const struct command *self, const struct ls_options *o, const struct view *v, struct error *e)
{
    struct store *store;
    struct buf out = {0};
    struct ls ls = {.options = o, .view = v, .out = &out};
    int code = client_open(&o->common, STORE_READ, &store, e);
    int shown = 0;
    if (code == 0) {
        shown = ls_print(self, store, &ls, e);
        store_close(store);
    } else if (!client_absent(e)) {
        shown = code;
    }
    buf_clear(&out);
    if (shown == 0 && !o->json && !o->states)
        ls_other_spool(self, o);
    return shown < 0 ? shown : 0;
}

static int ls_run(const struct command *self, int argc, char **argv)
{
    struct ls_options o = {0};
    struct view v = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first >= 0 && first < argc)
        exit_code = command_usage_error(self, "takes no arguments, but was given `%s`; `ax show %s` tells about one job", argv[first], argv[first]);
    else if (first >= 0 && (view_init(&v, &e) < 0 || ls_list(self, &o, &v, &e) < 0))
        exit_code = command_fail(self, &e);
    view_clear(&v);
    return exit_code;
}

const struct command command_ls = {
    .name = "ls",
    .aliases = {"list", "ps"},
    .summary = "list jobs",
    .usage = "[--all] [--state STATE,...] [--json]",
    .about = "Lists jobs that wait or run, and those that have failed.",
    .options = ls_options,
    .run = ls_run,
};
