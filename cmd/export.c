#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/client.h"
#include "cmd/export_yaml.h"
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
    const char *source;
};
static const struct option_row export_options[] = {
    {.word = "ndjson", .kind = OPTION_FLAG, .offset = offsetof(struct export_options, ndjson), .help = "one JSON object a line, as `ax import ndjson` reads it"},
    {.word = "with-env", .kind = OPTION_FLAG, .offset = offsetof(struct export_options, environment), .help = "with the environments that jobs have kept, values included"},
    {.letter = 'a', .word = "all", .kind = OPTION_FLAG, .offset = offsetof(struct export_options, all), .help = "jobs that have ended too"},
    {.word = "source", .kind = OPTION_TEXT, .offset = offsetof(struct export_options, source), .placeholder = "LABEL", .help = "only the jobs of this source"},
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

static bool export_wanted(const struct export_options *o, const struct job *j, const struct job_state *s)
{
    if (o->source && (!j->source || strcmp(o->source, j->source) != 0))
        return false;
    return o->all || !job_over(s);
}

static bool export_job(void *context, const struct job *j, const struct job_state *s)
{
    struct export *x = context;
    if (x->looked++ == SLICE) {
        x->next = j->number;
        return false;
    }
    if (export_wanted(x->options, j, s))
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

/* JSON and YAML are Unicode, and a form of our own for other bytes would be read by nobody else. So the jobs are named, and whoever needs the bytes has
 * `ax show --shell`. */
static int export_lossy(const char *form, const uint64_t *numbers, uint64_t count, struct error *e)
{
    struct buf names = {0};
    for (uint64_t i = 0; i < count && i < LOSSY; i++)
        buf_format(&names, "%s%llu", i ? ", " : "", (unsigned long long)numbers[i]);
    if (count > LOSSY)
        buf_format(&names, " and %llu more", (unsigned long long)(count - LOSSY));
    int code = error_set(e, ERROR_FAILED, "%s cannot say bytes that are no UTF-8: they were written as U+FFFD in job%s %s; `ax show --shell` has them as they are",
                         form, count > 1 ? "s" : "", buf_string(&names));
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
        code = export_lossy("JSON", x.lossy, x.lossy_count, e);
    return code;
}

/* ---- YAML ---- */

struct export_yaml_jobs {
    const struct export_options *options;
    struct store *store;
    struct export_yaml yaml;
};

static bool export_yaml_each(void *context, const struct job *j, const struct job_state *s)
{
    struct export_yaml_jobs *x = context;
    if (export_wanted(x->options, j, s))
        export_yaml_add(&x->yaml, x->store, j);
    return true;
}

/* A job that is named is written whether or not it has ended; one that is named twice, once. */
static int export_yaml_named(struct export_yaml_jobs *x, char **names, int count, struct error *e)
{
    struct strvec done = {0};
    int code = 0;
    for (int i = 0; i < count && code == 0; i++) {
        struct job j;
        struct job_state state;
        uint64_t number = 0;
        code = store_find(x->store, names[i], &number, e);
        char key[24];
        snprintf(key, sizeof key, "%llu", (unsigned long long)number);
        if (code == 0 && strvec_env_get(&done, key))
            continue;
        strvec_env_set(&done, key, "");
        if (code == 0)
            code = store_state(x->store, number, &state, e);
        if (code == 0)
            code = store_job(x->store, number, &j, e);
        if (code == 0) {
            export_yaml_add(&x->yaml, x->store, &j);
            job_clear(&j);
        }
    }
    strvec_clear(&done);
    return code;
}

/* In one transaction: jobs that go together are written as they were together. */
static int export_yaml_read(struct export_yaml_jobs *x, char **names, int count, struct error *e)
{
    int code = store_begin(x->store, false, e);
    if (code < 0)
        return code;
    code = export_yaml_limits(&x->yaml, x->store, e);
    if (code == 0 && count)
        code = export_yaml_named(x, names, count, e);
    else if (code == 0)
        code = store_each_job(x->store, 1, export_yaml_each, x, e);
    store_abort(x->store);
    return code;
}

static int export_files(const struct command *self, const struct export_options *o, char **names, int count, struct error *e)
{
    struct export_yaml_jobs x = {.options = o, .yaml = {.environment = o->environment}};
    struct buf b = {0};
    int code = count ? client_open_job(&o->common, STORE_READ, names[0], &x.store, e) : client_open(&o->common, STORE_READ, &x.store, e);
    if (code == 0) {
        code = export_yaml_read(&x, names, count, e);
        store_close(x.store);
    } else if (!count && client_absent(e)) {
        code = 0;
    }
    if (code == 0) {
        export_yaml_write(&b, &x.yaml);
        command_print(self, &b);
    }
    if (code == 0 && x.yaml.lossy_count)
        code = export_lossy("YAML", x.yaml.lossy, x.yaml.lossy_count, e);
    export_yaml_clear(&x.yaml);
    buf_clear(&b);
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
    if (first < argc && (o.ndjson || o.source || o.all))
        return command_usage_error(self, "%s goes with all jobs, but `%s` is named", o.ndjson ? "--ndjson" : o.source ? "--source" : "--all", argv[first]);
    int code = o.ndjson ? export_all(self, &o, &e) : export_files(self, &o, argv + first, argc - first, &e);
    return code < 0 ? command_fail(self, &e) : exit_code;
}

const struct command command_export = {
    .name = "export",
    .summary = "write jobs as a file that can be applied or imported",
    .usage = "[--with-env] [JOB...]\n[--with-env] [--all] [--source LABEL]\n--ndjson [--with-env] [--all] [--source LABEL]",
    .about = "YAML for `ax apply`, one document for each source and one for the jobs that were\n"
             "added by hand; or JSON for `ax import ndjson`. Environments that jobs have kept\n"
             "are left out, since they hold secrets, unless --with-env asks for them. Bytes\n"
             "that are no UTF-8 are written as U+FFFD; the jobs are named then, and the exit\n"
             "code is 1.",
    .options = export_options,
    .run = export_run,
};
