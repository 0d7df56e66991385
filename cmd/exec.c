#include "cmd/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/await.h"
#include "cmd/client.h"
#include "cmd/exec_run.h"
#include "cmd/files.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/text/visible.h"
#include "spool/launch.h"
#include "spool/life.h"

struct exec {
    struct common common;
    struct files_options files;
    const char *file;
    bool environment, compare, json;
    char *spool;
    struct job job;
    bool stored; /* the job is in the store, and the run is recorded */
    int fence;   /* of the run; -1: none */
    struct run run;
    struct order order;
    struct startup startup;
};
static const struct option_row exec_options[] = {
    {.word = "env", .kind = OPTION_FLAG, .offset = offsetof(struct exec, environment), .help = "run nothing, and print the environment it would have"},
    {.word = "compare", .kind = OPTION_FLAG, .offset = offsetof(struct exec, compare), .help = "run nothing, and show how that differs from the one here, PATH first"},
    {.letter = 'f', .word = "file", .kind = OPTION_TEXT, .offset = offsetof(struct exec, file), .placeholder = "FILE", .help = "a job of this file, as it would be applied; nothing is recorded"},
    FILES_OPTIONS(struct exec, files),
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct exec, json), .help = "with --env or --compare: one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

/* ---- the job ---- */

/* The run that it would be: with --env and --compare, and of a file, none is recorded. */
static void exec_imagine(struct exec *x, uint32_t n)
{
    instant now = clock_wall();
    run_init(&x->run);
    x->run.id = (struct run_id){.job = x->job.number, .n = n};
    x->run.attempt = 1;
    x->run.due = x->run.claimed = now;
    x->run.key = mem_format("%llu-%lld", (unsigned long long)x->job.number, (long long)now);
}

/* The fence says that we live: it is there before anybody can know of the run. */
static int exec_begin(struct exec *x, struct store *s, uint64_t number, struct error *e)
{
    struct process_id self;
    int code = store_exec_begin(s, number, clock_wall(), &x->run, e);
    if (code < 0)
        return code;
    process_identify(getpid(), &self);
    x->fence = fence_create(store_folder(s), x->run.id, &self);
    return x->fence < 0 ? error_errno(e, ERROR_FAILED, errno, "making the run's file") : 0;
}

static int exec_find(struct exec *x, struct store *s, const char *reference, struct error *e)
{
    uint64_t number;
    struct job_state state;
    int code = store_find(s, reference, &number, e);
    job_clear(&x->job);
    if (code == 0)
        code = store_job(s, number, &x->job, e);
    if (code == 0)
        code = store_state(s, number, &state, e);
    if (code < 0)
        return code;
    if (!x->environment && !x->compare)
        return exec_begin(x, s, number, e);
    exec_imagine(x, state.runs + 1);
    return 0;
}

static int exec_from_store(struct exec *x, const char *reference, struct error *e)
{
    struct store *store;
    bool runs = !x->environment && !x->compare;
    int code = client_open_job(&x->common, runs ? STORE_WRITE : STORE_READ, reference, &store, e);
    if (code < 0)
        return code;
    code = store_begin(store, runs, e);
    if (code == 0)
        code = exec_find(x, store, reference, e);
    if (code == 0)
        code = store_commit(store, e);
    if (code < 0 && x->fence >= 0)
        fence_remove(store_folder(store), x->run.id);
    store_abort(store);
    store_close(store);
    x->stored = runs && code == 0;
    return code;
}

/* Takes the job out of the list. */
static bool exec_take(struct exec *x, struct jobfiles *files, const char *name)
{
    for (size_t i = 0; i < files->count; i++)
        for (size_t k = 0; k < files->items[i].job_count; k++) {
            struct job *j = &files->items[i].jobs[k].job;
            if (strcmp(j->name, name) != 0)
                continue;
            job_clear(&x->job);
            x->job = *j;
            job_init(j);
            return true;
        }
    return false;
}

/* Returns 0 or the exit code. */
static int exec_from_file(const struct command *self, struct exec *x, const char *name)
{
    struct jobfiles files = {0};
    struct error e = {0};
    char *path = mem_string(x->file);
    int code = files_load(self, NULL, &x->files, 1, &path, &files, NULL);
    if (code == 0 && !exec_take(x, &files, name)) {
        error_set(&e, ERROR_NOT_FOUND, "there is no job `%.100s` in %.300s", name, x->file);
        code = command_fail(self, &e);
    }
    jobfiles_clear(&files);
    free(path);
    if (code == 0)
        exec_imagine(x, 1);
    return code;
}

/* ---- the environment ---- */

static void exec_value(struct buf *b, const char *text)
{
    if (isatty(STDOUT_FILENO))
        visible_add(b, text, strlen(text), false);
    else
        buf_text(b, text);
}

static void exec_environment(const struct command *self, const struct exec *x)
{
    struct buf b = {0};
    struct strvec sorted = {0};
    strvec_copy(&sorted, &x->order.env);
    strvec_sort(&sorted);
    for (size_t i = 0; i < sorted.count; i++) {
        const char *entry = sorted.items[i], *equals = strchr(entry, '=');
        if (x->json && equals) {
            struct value m = value_map();
            char *name = mem_format("%.*s", (int)(equals - entry), entry);
            value_put(&m, "name", value_text(name));
            value_put(&m, "value", value_text(equals + 1));
            view_line(&b, &m);
            free(name);
        } else if (equals) {
            exec_value(&b, entry);
            buf_char(&b, '\n');
        }
    }
    command_print(self, &b);
    buf_clear(&b);
    strvec_clear(&sorted);
}

static void exec_difference(const struct exec *x, struct buf *b, const char *name, const char *here, const char *job)
{
    if ((!here && !job) || (here && job && strcmp(here, job) == 0))
        return;
    if (x->json) {
        struct value m = value_map();
        value_put(&m, "name", value_text(name));
        value_put(&m, "here", value_text(here));
        value_put(&m, "job", value_text(job));
        view_line(b, &m);
        return;
    }
    visible_add(b, name, strlen(name), false);
    buf_text(b, here ? "\n  here  " : "\n  here  (not set)");
    exec_value(b, here ? here : "");
    buf_text(b, job ? "\n  job   " : "\n  job   (not set)");
    exec_value(b, job ? job : "");
    buf_char(b, '\n');
}

/* Names of both, sorted, each once. */
static void exec_names(const struct exec *x, struct strvec *out)
{
    for (char **p = environ; *p; p++)
        strvec_take(out, mem_format("%.*s", (int)strcspn(*p, "="), *p));
    for (size_t i = 0; i < x->order.env.count; i++)
        strvec_take(out, mem_format("%.*s", (int)strcspn(x->order.env.items[i], "="), x->order.env.items[i]));
    strvec_sort(out);
}

static void exec_place(const struct exec *x, struct buf *b)
{
    char *here = getcwd(NULL, 0);
    mode_t mask = umask(0);
    umask(mask);
    char *mine = mem_format("%03o", (unsigned)mask), *its = mem_format("%03o", (unsigned)x->order.umask_bits);
    exec_difference(x, b, "(directory)", here, x->order.cwd ? x->order.cwd : "/");
    exec_difference(x, b, "(umask)", mine, its);
    free(here);
    free(mine);
    free(its);
}

static void exec_compare(const struct command *self, const struct exec *x)
{
    struct buf b = {0};
    struct strvec names = {0};
    exec_difference(x, &b, "PATH", getenv("PATH"), strvec_env_get(&x->order.env, "PATH"));
    exec_place(x, &b);
    exec_names(x, &names);
    for (size_t i = 0; i < names.count; i++)
        if (strcmp(names.items[i], "PATH") != 0 && (i == 0 || strcmp(names.items[i], names.items[i - 1]) != 0))
            exec_difference(x, &b, names.items[i], getenv(names.items[i]), strvec_env_get(&x->order.env, names.items[i]));
    if (!b.length && !x->json)
        buf_text(&b, "no difference\n");
    command_print(self, &b);
    buf_clear(&b);
    strvec_clear(&names);
}

/* ---- the run ---- */

static enum outcome exec_outcome(const struct exec *x, const struct report *r)
{
    switch (r->how) {
    case REPORT_EXITED:
    case REPORT_SIGNALED:
        return life_judge(&x->job, r->code, r->signal);
    case REPORT_TIMEOUT:
        return OUTCOME_TIMEOUT;
    case REPORT_CANCELLED:
    case REPORT_STOPPED:
        return OUTCOME_CANCELLED;
    default:
        return OUTCOME_UNSTARTABLE;
    }
}

static void exec_take_report(struct exec *x, const struct report *r, const struct output_writer *writer, const char *bytes, size_t length)
{
    struct run *run = &x->run;
    run->outcome = exec_outcome(x, r);
    run->started = r->started;
    run->ended = r->ended;
    run->exit_code = r->code;
    run->signal = r->signal;
    run->cpu_user_ns = r->cpu_user_ns;
    run->cpu_system_ns = r->cpu_system_ns;
    run->max_rss = r->max_rss;
    run->reason = mem_string(r->reason);
    run->output_bytes = writer ? output_writer_total(writer) : 0;
    run->output = writer && !bytes ? OUTPUT_FILE : length ? OUTPUT_INLINE : OUTPUT_NONE;
}

static int exec_record(const struct exec *x, const char *bytes, size_t length, struct error *e)
{
    struct store *store;
    const struct store_end end = {.run = &x->run, .output = bytes, .length = length};
    int code = client_open(&x->common, STORE_WRITE, &store, e);
    if (code < 0)
        return code;
    code = store_begin(store, true, e);
    if (code == 0)
        code = store_exec_end(store, &end, e);
    if (code == 0)
        code = store_commit(store, e);
    store_abort(store);
    store_close(store);
    return code;
}

/* What is passed on. A run that was ended by Ctrl-C is one that a signal has ended. */
static int exec_code(const struct command *self, const struct report *r)
{
    if (r->how == REPORT_TIMEOUT) {
        command_warn(self, "its time limit has ended it");
        return AWAIT_TIMEOUT;
    }
    if (r->how == REPORT_UNSTARTABLE || r->how == REPORT_SHORTAGE) {
        command_warn(self, "%s", r->reason ? r->reason : "it could not be started");
        return AWAIT_ERROR;
    }
    if (r->how == REPORT_CANCELLED)
        command_warn(self, "ended with all its processes");
    return r->signal ? AWAIT_SIGNAL + r->signal : r->code;
}

static int exec_go(const struct command *self, struct exec *x, const struct folder *folder, bool ready)
{
    struct error e = {0};
    struct report report;
    size_t length = 0;
    struct output_writer *writer = folder ? output_writer_new(folder, x->run.id, x->order.output_max) : NULL;
    const struct exec_run run = {.startup = &x->startup, .spool = x->spool, .writer = writer, .fence = x->fence};
    if (ready) {
        exec_run(&run, &report);
    } else {
        report = report_unstarted(x->run.id, x->startup.how, clock_wall(), x->startup.reason);
        x->startup.reason = NULL;
    }
    const char *bytes = writer ? output_writer_inline(writer, &length) : NULL;
    exec_take_report(x, &report, writer, bytes, length);
    int code = x->stored ? exec_record(x, bytes, length, &e) : 0;
    if (code < 0)
        command_warn(self, "the run could not be recorded: %s", e.text);
    if (folder && code == 0)
        fence_remove(folder, x->run.id);
    output_writer_free(writer, bytes != NULL);
    code = exec_code(self, &report);
    report_clear(&report);
    return code;
}

/* What an order cannot be made of cannot be started: that is how the run ends. */
static bool exec_prepare(struct exec *x, int null)
{
    struct launch launch;
    struct error e;
    launch_init(&launch, x->spool);
    startup_init(&x->startup, &x->order, null);
    int code = launch_order(&launch, &x->job, &x->run, &x->order, &e);
    launch_clear(&launch);
    return code == 0 ? startup_prepare(&x->startup) : startup_fail(&x->startup, REPORT_UNSTARTABLE, mem_string(e.text));
}

static int exec_do(const struct command *self, struct exec *x, struct error *e)
{
    struct folder folder;
    int code = x->stored ? folder_open(x->spool, false, &folder, e) : 0;
    if (code < 0)
        return code;
    int null = open("/dev/null", O_RDONLY | O_CLOEXEC);
    bool ready = exec_prepare(x, null);
    if (!x->environment && !x->compare)
        code = exec_go(self, x, x->stored ? &folder : NULL, ready);
    else if (!ready)
        code = error_set(e, ERROR_FAILED, "%s", x->startup.reason);
    else
        (x->compare ? exec_compare : exec_environment)(self, x);
    startup_clear(&x->startup);
    order_clear(&x->order);
    if (null >= 0)
        close(null);
    if (x->stored)
        folder_clear(&folder);
    return code;
}

static int exec_word(const struct command *self, struct exec *x, const char *word)
{
    struct error e = {0};
    int code;
    if (x->file) {
        code = exec_from_file(self, x, word);
        if (code)
            return code;
    } else if (exec_from_store(x, word, &e) < 0) {
        return command_fail(self, &e);
    }
    code = exec_do(self, x, &e);
    if (code >= 0)
        return code;
    command_fail(self, &e);
    return AWAIT_ERROR;
}

static int exec_main(const struct command *self, int argc, char **argv)
{
    struct exec x = {.fence = -1};
    int code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &x, &code);
    if (first < 0)
        return code;
    if (argc - first != 1)
        return command_usage_error(self, "takes one job: `ax exec JOB`, `ax exec --file FILE NAME`");
    if (x.environment && x.compare)
        return command_usage_error(self, "--env and --compare exclude each other");
    job_init(&x.job);
    run_init(&x.run);
    x.spool = folder_path(x.common.spool);
    code = exec_word(self, &x, argv[first]);
    if (x.fence >= 0)
        close(x.fence);
    free(x.spool);
    strvec_clear(&x.files.set);
    job_clear(&x.job);
    run_clear(&x.run);
    return code;
}

const struct command command_exec = {
    .name = "exec",
    .summary = "run a job here, in the foreground, just as it would run",
    .usage = "[--env | --compare] JOB\n[--env | --compare] --file FILE NAME",
    .about = "Environment, directory, user, limits, shell and input are those it has when the\n"
             "scheduler starts it; what it writes comes by way of a pipe, and its exit code is\n"
             "passed on (128+N: a signal, 124: a time limit, 125: an error). Schedule, queues,\n"
             "overlap and retries have no part in it. Ctrl-C ends it with all its processes.\n"
             "The run is kept in history as one that was started by hand.",
    .options = exec_options,
    .run = exec_main,
};
