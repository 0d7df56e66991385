#include "cmd/commands.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "cmd/chosen.h"
#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/sys/process.h"
#include "lib/sys/signals.h"
#include "lib/sys/tree.h"
#include "lib/text/utf8.h"
#include "lib/text/visible.h"
#include "spool/handover.h"

struct signalled { /* one that was named */
    struct run_id id; /* n 0: the job */
    struct run_id *runs;
    size_t count, capacity;
};

struct signal_options {
    struct common common;
    struct selector selector;
    bool first, quiet, json;
    struct signalled *list;
    size_t count, capacity;
};
static const struct option_row signal_options[] = {
    SELECTOR_OPTIONS(signal_options, selector),
    {.word = "main", .kind = OPTION_FLAG, .offset = offsetof(struct signal_options, first), .help = "only to the process that was started, not to its whole session"},
    {.letter = 'q', .word = "quiet", .kind = OPTION_FLAG, .offset = offsetof(struct signal_options, quiet), .help = "print nothing"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct signal_options, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

struct sent {
    size_t processes;
    struct buf denied;
    const char *why; /* nothing was sent; NULL */
};

/* `HUP`, `sighup`, `1`. 0: none. */
static int signal_number(const char *text)
{
    char *end;
    const char *name = strncasecmp(text, "SIG", 3) == 0 ? text + 3 : text;
    long number = strtol(text, &end, 10);
    if (end != text && !*end)
        return number > 0 && number <= SIGRTMAX ? (int)number : 0;
    for (int i = 1; i <= SIGRTMAX; i++)
        if (signals_name(i) && strcasecmp(signals_name(i), name) == 0)
            return i;
    return 0;
}

/* ---- which runs ---- */

static bool signal_open(void *context, const struct run *r)
{
    struct signalled *x = context;
    if (r->id.job != x->id.job || (x->id.n && r->id.n != x->id.n))
        return true;
    MEM_GROW(x->runs, x->capacity, x->count + 1);
    x->runs[x->count++] = r->id;
    return true;
}

static int signal_find(void *context, struct store *s, const struct chosen *c, struct error *e)
{
    struct signal_options *o = context;
    struct signalled x = {.id = {.job = c->job, .n = c->run}};
    int code = store_each_open(s, signal_open, &x, e);
    if (code == 0 && !x.count && selector_given(&o->selector))
        code = error_set(e, ERROR_FAILED, "no run of job %llu is going", (unsigned long long)c->job);
    if (code < 0) {
        free(x.runs);
        return code;
    }
    MEM_GROW(o->list, o->capacity, o->count + 1);
    o->list[o->count++] = x;
    return 0;
}

/* ---- the deed ---- */

static void signal_first(const struct process_id *p, int number, struct sent *out)
{
    struct process_id now;
    int handle = process_open(p->pid);
    bool same = handle >= 0 && process_identify(p->pid, &now) && now.start == p->start; /* behind the opening: the handle is of this one */
    if (!same)
        out->why = "the process that was started is gone";
    else if (process_signal(handle, number) == 0)
        out->processes = 1;
    else if (errno == EPERM)
        buf_format(&out->denied, "pid %d", (int)p->pid);
    else
        out->why = "the process that was started is gone";
    if (handle >= 0)
        close(handle);
}

static void signal_session(const struct process_id *p, int number, struct sent *out)
{
    struct tree tree = {.session = p->pid, .session_start = p->start};
    out->processes = tree_signal(&tree, number, &out->denied);
    /* What they started while we looked is caught by looking again. */
    int most = number == SIGKILL ? 10 : number == SIGSTOP ? 1 : 0;
    for (int again = 0; again < most; again++) {
        struct buf denied = {0};
        size_t left = tree_signal(&tree, number, &denied);
        buf_clear(&denied);
        if (!left)
            break;
    }
    if (!out->processes)
        out->why = "no process of its session is alive";
}

static void signal_run_id(const struct signal_options *o, const struct folder *folder, struct run_id id, int number, struct sent *out)
{
    struct fence fence;
    char boot[BOOT_ID_SIZE];
    process_boot(boot);
    fence_look(folder, id, &fence);
    *out = (struct sent){0};
    if (!fence.command.pid)
        out->why = "it has not been started yet";
    else if (strcmp(fence.boot, boot) != 0)
        out->why = "the machine went down while it ran";
    else if (o->first)
        signal_first(&fence.command, number, out);
    else
        signal_session(&fence.command, number, out);
    buf_string(&out->denied); /* ends it */
}

/* ---- what is said ---- */

static void signal_json(struct buf *b, struct run_id id, int number, const struct sent *sent)
{
    struct value m = value_map();
    char text[RUN_ID_SIZE];
    run_id_format(id, text);
    value_put(&m, "job", value_int((int64_t)id.job));
    value_put(&m, "run", id.n ? value_text(text) : (struct value){0});
    value_put(&m, "signal", value_int(number));
    value_put(&m, "processes", value_int((int64_t)sent->processes));
    value_put(&m, "denied", sent->denied.length ? value_text(sent->denied.data) : (struct value){0});
    value_put(&m, "reason", value_text(sent->why));
    view_line(b, &m);
}

static void signal_text(struct buf *b, struct run_id id, int number, const struct sent *sent)
{
    char text[RUN_ID_SIZE];
    run_id_format(id, text);
    if (id.n)
        buf_format(b, "run %s: ", text);
    else
        buf_format(b, "job %llu: ", (unsigned long long)id.job);
    if (sent->why) {
        buf_text(b, sent->why);
        return;
    }
    const char *name = signals_name(number);
    buf_format(b, name ? "SIG%s" : "signal ", name);
    if (!name)
        buf_format(b, "%d", number);
    buf_format(b, " sent to %zu process%s", sent->processes, sent->processes == 1 ? "" : "es");
    if (sent->denied.length)
        buf_format(b, "; may not be signalled by us: %s", sent->denied.data);
}

static void signal_tell(const struct command *self, const struct signal_options *o, struct run_id id, int number, struct sent *sent)
{
    struct buf b = {0}, line = {0};
    if (o->json) {
        signal_json(&b, id, number, sent);
    } else if (!o->quiet) {
        signal_text(&line, id, number, sent);
        visible_add(&b, line.data, line.length, false);
        buf_char(&b, '\n');
    }
    command_print(self, &b);
    buf_clear(&b);
    buf_clear(&line);
}

/* The signal is sent already: that it cannot be noted is no error of it. */
static void signal_audit(const struct command *self, const struct signal_options *o, uint64_t job, int number)
{
    struct store *store;
    struct error e = {0};
    const char *name = signals_name(number);
    char *what = name ? mem_format("SIG%s sent", name) : mem_format("signal %d sent", number);
    int code = client_open(&o->common, STORE_WRITE, &store, &e);
    if (code == 0) {
        code = store_begin(store, true, &e);
        if (code == 0)
            code = store_audit(store, job, clock_wall(), what, &e);
        if (code == 0)
            code = store_commit(store, &e);
        store_abort(store);
        store_close(store);
    }
    if (code < 0)
        command_warn(self, "the signal was sent, but could not be noted: %s", e.text);
    free(what);
}

/* Returns whether all that was meant got it. */
static bool signal_word(const struct command *self, const struct signal_options *o, const struct folder *folder, const struct signalled *x, int number)
{
    bool any = false, all = x->count > 0;
    if (!x->count) {
        struct sent none = {.why = x->id.n ? "it has ended" : "no run of it is going"};
        signal_tell(self, o, x->id, number, &none);
    }
    for (size_t i = 0; i < x->count; i++) {
        struct sent sent;
        signal_run_id(o, folder, x->runs[i], number, &sent);
        signal_tell(self, o, x->runs[i], number, &sent);
        any = any || sent.processes;
        all = all && !sent.why && !sent.denied.length;
        buf_clear(&sent.denied);
    }
    if (any)
        signal_audit(self, o, x->id.job, number);
    return all;
}

static int signal_all(const struct command *self, const struct signal_options *o, int number, struct error *e)
{
    struct folder folder;
    char *path = folder_path(o->common.spool);
    int result = ERROR_NONE, code = folder_open(path, false, &folder, e);
    free(path);
    if (code < 0)
        return code;
    for (size_t i = 0; i < o->count; i++)
        if (!signal_word(self, o, &folder, &o->list[i], number))
            result = ERROR_FAILED;
    folder_clear(&folder);
    return result;
}

static int signal_do(const struct command *self, struct signal_options *o, char **words, int count, struct error *e)
{
    const char *last = count ? words[count - 1] : "";
    int number = signal_number(last);
    const struct choice choice = {.command = self,
        .common = &o->common,
        .selector = &o->selector,
        .words = words,
        .count = count - 1,
        .runs = true,
        .reads = true,
        .now = clock_wall()};
    if (!count || (count == 1 && !selector_given(&o->selector)))
        return error_set(e, ERROR_USAGE, "takes jobs or runs, and a signal: `ax signal JOB HUP`");
    if (!number)
        return error_set(e, ERROR_USAGE, "`%.*s` is no signal: it comes last, as a name such as HUP or a number", UTF8_WORD(last));
    int code = chosen_do(&choice, signal_find, o, e);
    return code < 0 ? code : signal_all(self, o, number, e);
}

static int signal_main(const struct command *self, int argc, char **argv)
{
    struct signal_options o = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first >= 0)
        exit_code = signal_do(self, &o, argv + first, argc - first, &e);
    for (size_t i = 0; i < o.count; i++)
        free(o.list[i].runs);
    free(o.list);
    selector_clear(&o.selector);
    return exit_code < 0 ? command_fail(self, &e) : exit_code;
}

const struct command command_signal = {
    .name = "signal",
    .summary = "send a signal to runs that are going",
    .usage = "[--main] JOB|RUN... SIGNAL\n[--tag TAG] [--queue QUEUE] [--state STATE] [--all] SIGNAL",
    .about = "It goes to the session of the process that was started and to what descends\n"
             "from it; with --main to that process alone. `ax stop` ends a run, with a grace\n"
             "time and all; here it ends only if the signal ends its process, and is tried\n"
             "again as the job says.\n"
             "Returns 1 if there was no run to get it.",
    .options = signal_options,
    .run = signal_main,
};
