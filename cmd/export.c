#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/text/json.h"
#include "spool/fields.h"

enum { LOSSY = 10 };
enum { SLICE = 1000 }; /* jobs read in one transaction and written together */

struct export_options {
    struct common common;
    bool ndjson, environment, all;
};
static const struct option_row export_options[] = {
    {.word = "ndjson", .kind = OPTION_FLAG, .offset = offsetof(struct export_options, ndjson), .help = "one JSON object a line, as `ax import ndjson` reads it"},
    {.word = "with-env", .kind = OPTION_FLAG, .offset = offsetof(struct export_options, environment), .help = "with the environments that jobs have kept, values included"},
    {.letter = 'a', .word = "all", .kind = OPTION_FLAG, .offset = offsetof(struct export_options, all), .help = "jobs that have ended too"},
    COMMAND_OPTIONS,
    {0},
};

struct export {
    const struct export_options *options;
    instant now;
    struct buf out;
    uint64_t next; /* where the next slice begins; 0: at the end */
    int looked;
    uint64_t lossy[LOSSY]; /* jobs with texts that are no UTF-8 */
    uint64_t lossy_count;  /* all of them; the first ones are named */
};

/* The kept environment becomes one that is said, under what the job says itself. */
static void export_environment(struct value *map, const struct job *j)
{
    struct strvec env = {0};
    strvec_copy(&env, &j->kept_env);
    for (size_t i = 0; i < j->env.count; i++) {
        char *name = mem_format("%.*s", (int)strcspn(j->env.items[i], "="), j->env.items[i]);
        strvec_env_set(&env, name, j->env.items[i] + strlen(name) + 1);
        free(name);
    }
    struct value whole = value_map();
    for (size_t i = 0; i < env.count; i++) {
        size_t name = strcspn(env.items[i], "=");
        value_put_key(&whole, mem_format("%.*s", (int)name, env.items[i]), value_text(env.items[i] + name + 1));
    }
    strvec_clear(&env);
    struct value *old = (struct value *)value_get(map, "env");
    if (old) {
        value_clear(old);
        *old = whole;
    } else {
        value_put(map, "env", whole);
    }
}

/* A time that has passed is refused when it is read: a job that is late by now is due at once. */
static void export_late(struct value *map, const struct job *j, instant now)
{
    if (j->at == INSTANT_NONE || j->at > now)
        return;
    for (size_t i = 0; i < map->list.count; i++) {
        if (strcmp(map->list.keys[i], "at") != 0)
            continue;
        value_clear(&map->list.items[i]);
        map->list.items[i] = value_text("0s");
        strcpy(map->list.keys[i], "in"); /* as long as the other */
    }
}

static void export_write(struct export *x, const struct job *j)
{
    bool lossy = false;
    struct value map = fields_write(j, FIELD_PRINT);
    if (x->options->environment && j->has_kept_env)
        export_environment(&map, j);
    export_late(&map, j, x->now);
    json_write(&x->out, &map, &lossy);
    buf_char(&x->out, '\n');
    value_clear(&map);
    if (lossy && x->lossy_count++ < LOSSY)
        x->lossy[x->lossy_count - 1] = j->number;
}

static bool export_job(void *context, const struct job *j, const struct job_state *s)
{
    struct export *x = context;
    if (x->looked++ == SLICE) {
        x->next = j->number;
        return false;
    }
    if (x->options->all || !job_over(s))
        export_write(x, j);
    return true;
}

static int export_slice(struct store *store, struct export *x, struct error *e)
{
    uint64_t from = x->next;
    x->next = 0;
    x->looked = 0;
    int code = store_begin(store, false, e);
    if (code < 0)
        return code;
    code = store_each_job(store, from, export_job, x, e);
    store_abort(store);
    return code;
}

/* JSON is Unicode, and a form of our own for other bytes would be read by nobody else. So the jobs are named, and whoever needs the bytes has `ax show --shell`. */
static int export_lossy(const struct export *x, struct error *e)
{
    struct buf names = {0};
    for (uint64_t i = 0; i < x->lossy_count && i < LOSSY; i++)
        buf_format(&names, "%s%llu", i ? ", " : "", (unsigned long long)x->lossy[i]);
    if (x->lossy_count > LOSSY)
        buf_format(&names, " and %llu more", (unsigned long long)(x->lossy_count - LOSSY));
    int code = error_set(e, ERROR_FAILED, "JSON cannot say bytes that are no UTF-8: they were written as U+FFFD in job%s %s; `ax show --shell` has them as they are",
                         x->lossy_count > 1 ? "s" : "", buf_string(&names));
    buf_clear(&names);
    return code;
}

static int export_all(const struct command *self, const struct export_options *o, struct error *e)
{
    struct store *store;
    struct export x = {.options = o, .now = clock_wall(), .next = 1};
    int code = client_open(&o->common, STORE_READ, &store, e);
    if (code < 0)
        return client_absent(e) ? 0 : code;
    while (code == 0 && x.next) {
        code = export_slice(store, &x, e);
        if (code == 0)
            command_print(self, &x.out);
    }
    store_close(store);
    buf_clear(&x.out);
    if (code == 0 && x.lossy_count)
        code = export_lossy(&x, e);
    return code;
}

static int export_run(const struct command *self, int argc, char **argv)
{
    struct export_options o = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (first < argc)
        return command_usage_error(self, "takes no arguments, but was given `%s`", argv[first]);
    if (!o.ndjson)
        return command_usage_error(self, "the form is missing: `ax export --ndjson`");
    if (export_all(self, &o, &e) < 0)
        exit_code = command_fail(self, &e);
    return exit_code;
}

const struct command command_export = {
    .name = "export",
    .summary = "write jobs as a file that can be imported",
    .usage = "--ndjson [--with-env] [--all]",
    .about = "Environments that jobs have kept are left out, since they hold secrets, unless\n"
             "--with-env asks for them. Bytes that are no UTF-8 are written as U+FFFD; the\n"
             "jobs are named then, and the exit code is 1.",
    .options = export_options,
    .run = export_run,
};
