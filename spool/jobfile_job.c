/* One job of a file, and the fields that `defaults` gives to all of them. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "spool/jobfile_parts.h"

struct filling {
    struct jobfile_reader *r;
    struct jobfile_job *job;
    struct field_context context;
    const struct value *own;      /* its map */
    const struct value *schedule; /* of its own: the first one */
    const char *schedule_key;
    bool failed;
    bool home;                    /* cwd is said to be that of the user */
    bool command_meant;           /* there is none, but a key that means one */
};

static bool is_schedule(const struct field *f)
{
    return f->kind == FIELD_AT || f->kind == FIELD_EVERY || f->kind == FIELD_CRON || f->kind == FIELD_CALENDAR || strcmp(f->name, "boot") == 0;
}

static bool is_none(const struct field *f, const struct value *v)
{
    return v->kind == VALUE_NULL || (strcmp(f->name, "boot") == 0 && v->kind == VALUE_TEXT && strcmp(v->text.data, "none") == 0);
}

/* ---- at ---- */

/* Files are applied again and again, so an `at` has to be the same time whenever it is read: one that is not differs between these two. */
#define EARLY (INT64_C(86400) * SECOND)               /* 1970-01-02 */
#define EARLY_TOO (INT64_C(47655072) * SECOND)        /* a day in July of the year after */

/* Written out as it should be: no need to look further. */
static bool read_instant(struct filling *f, const struct value *v, instant *out)
{
    return v->kind == VALUE_TEXT && strlen(v->text.data) == v->text.length &&
           (instant_parse_iso(v->text.data, f->context.zone, out, NULL) == 0 || instant_parse_epoch(v->text.data, out, NULL) == 0);
}

static int read_at(struct filling *f, const struct field *row, const struct value *v, instant now, instant *out, struct error *e)
{
    struct field_context context = f->context;
    struct job *j = &f->job->job;
    context.now = now;
    int failed = field_set(j, row, v, &context, e);
    if (!failed)
        *out = j->at;
    j->at = INSTANT_NONE;
    return failed;
}

static void refuse_moving(struct filling *f, const struct value *v, instant at)
{
    struct buf b = {0};
    buf_text(&b, "write the date and the time, such as ");
    instant_format_local(&b, at, f->context.zone, true);
    jobfile_refuse(f->r, jobfile_place_of(v, "at"), buf_string(&b), "at: '%.*s' is another time each time the file is applied", UTF8_WORD(v->text.data));
    buf_clear(&b);
    f->failed = true;
}

static int set_at(struct filling *f, const struct field *row, const struct value *v, struct error *e)
{
    instant at = INSTANT_NONE, again = INSTANT_NONE, now = INSTANT_NONE;
    if (read_instant(f, v, &at)) {
        f->job->job.at = at;
        f->job->past = at < f->context.now;
        return 0;
    }
    if (read_at(f, row, v, EARLY, &at, e) < 0 && read_at(f, row, v, f->context.now, &now, e) < 0)
        return -(int)ERROR_USAGE;
    if (at == INSTANT_NONE || read_at(f, row, v, EARLY_TOO, &again, NULL) < 0 || at != again) {
        if (now == INSTANT_NONE)
            read_at(f, row, v, f->context.now, &now, NULL);
        refuse_moving(f, v, now != INSTANT_NONE ? now : f->context.now);
        return 0;
    }
    f->job->job.at = at;
    f->job->past = at < f->context.now;
    return 0;
}

/* ---- one field ---- */

/* Maps of which the defaults give single entries. */
static bool is_merged(const char *key)
{
    return strcmp(key, "env") == 0 || strcmp(key, "notify") == 0;
}

/* The entries of `before` whose names the map itself does not have stay. */
static void merge_map(struct strvec *map, struct strvec *before)
{
    for (size_t i = 0; i < map->count; i++) {
        char *name = map->items[i], *equals = strchr(name, '=');
        *equals = '\0';
        strvec_env_set(before, name, equals + 1);
        *equals = '=';
    }
    strvec_clear(map);
    *map = *before;
    *before = (struct strvec){0};
}

/* `PATH: /opt/bin:$PATH` is what people write, and cron does not do it either. */
static void warn_expansion(struct filling *f, const char *name, const struct value *v)
{
    static const char *const known[] = {"PATH", "HOME", "USER", "LOGNAME", "PWD", "LD_LIBRARY_PATH", NULL};
    const char *dollar = v->kind == VALUE_TEXT ? strchr(v->text.data, '$') : NULL;
    for (; dollar; dollar = strchr(dollar + 1, '$')) {
        const char *word = dollar + 1 + (dollar[1] == '{');
        size_t length = strspn(word, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
        bool same = length == strlen(name) && strncmp(word, name, length) == 0;
        for (size_t i = 0; known[i] && !same; i++)
            same = length == strlen(known[i]) && strncmp(word, known[i], length) == 0;
        if (!same)
            continue;
        jobfile_warn(f->r, jobfile_place_of(v, name), "write the whole value, set it in the command, or in `env_file`, where ${NAME} is a variable", "env: %.*s: variables are not expanded here: $%.*s stays as it is",
                     UTF8_WORD(name), (int)(length > 100 ? 100 : length), word);
        return;
    }
}

/* Of the defaults and the job entry by entry; null takes all of it back. */
static int set_map(struct filling *f, const struct field *row, const struct value *v, struct error *e)
{
    struct strvec *map = (struct strvec *)((char *)&f->job->job + row->offset), before = *map;
    bool env = strcmp(row->name, "env") == 0;
    *map = (struct strvec){0};
    int failed = field_set(&f->job->job, row, v, &f->context, e);
    for (size_t i = 0; env && !failed && v->kind == VALUE_MAP && i < v->list.count; i++)
        warn_expansion(f, v->list.keys[i], &v->list.items[i]);
    if (!failed && v->kind != VALUE_NULL)
        merge_map(map, &before);
    strvec_clear(&before);
    return failed;
}

/* `~` alone, with quotes (without them it is YAML's word for nothing), is the home of the user it runs as. */
static bool is_home(const struct value *v)
{
    return v->kind == VALUE_TEXT && strcmp(v->text.data, "~") == 0;
}

/* A parameter has been filled in by now: what still looks like one was not declared. */
static void warn_path(struct filling *f, const struct field *row, const struct value *v)
{
    const char *from = v->kind == VALUE_TEXT ? strstr(v->text.data, "${") : NULL;
    const char *end = from ? strchr(from, '}') : NULL;
    if (!end || end == from + 2)
        return;
    int length = end - from > 100 ? 100 : (int)(end - from) - 2;
    jobfile_warn(f->r, jobfile_place_of(v, row->name), "declare it under `params:`", "%s: ${%.*s} stays as it is: there is no such parameter", row->name, length, from + 2);
}

/* A path that a shell would expand is none here. */
static int set_path(struct filling *f, const struct field *row, const struct value *v, struct error *e)
{
    static const struct value null = {0};
    if (strcmp(row->name, "cwd") == 0) {
        f->home = is_home(v);
        v = f->home ? &null : v;
    }
    if (v->kind == VALUE_TEXT && (v->text.data[0] == '~' || v->text.data[0] == '$')) {
        error_set(e, ERROR_USAGE, "'%.*s': ~ and variables are not expanded here: write the whole path, one that begins in the folder of the file, or a parameter that `params:` declares",
                  UTF8_WORD(v->text.data));
        return error_field(e, row->name);
    }
    warn_path(f, row, v);
    return field_set(&f->job->job, row, v, &f->context, e);
}

/* Of a list or a map all entries that are wrong, not only the first. False: none is wrong by itself. */
static bool tell_entries(struct filling *f, const struct field *row, const struct value *v)
{
    bool told = false;
    for (size_t i = 0; (v->kind == VALUE_LIST || v->kind == VALUE_MAP) && v->list.count > 1 && i < v->list.count; i++) {
        struct job scratch;
        struct error e = {0};
        struct value one = *v; /* borrows its entry */
        one.list.items = &v->list.items[i];
        one.list.keys = v->list.keys ? &v->list.keys[i] : NULL;
        one.list.count = 1;
        job_init(&scratch);
        if (field_set(&scratch, row, &one, &f->context, &e) < 0) {
            jobfile_tell_field(f->r, &e, &one, row->name, jobfile_hint_value(row, &one));
            told = true;
        }
        job_clear(&scratch);
    }
    return told;
}

static bool set_field(struct filling *f, const struct field *row, const struct value *v)
{
    struct error e = {0};
    int failed;
    if (row->kind == FIELD_AT && v->kind != VALUE_NULL)
        failed = set_at(f, row, v, &e);
    else if (is_merged(row->name))
        failed = set_map(f, row, v, &e);
    else if (row->kind == FIELD_PATH)
        failed = set_path(f, row, v, &e);
    else
        failed = field_set(&f->job->job, row, v, &f->context, &e);
    if (failed && !tell_entries(f, row, v))
        jobfile_tell_field(f->r, &e, v, row->name, jobfile_hint_value(row, v));
    f->failed = f->failed || failed;
    return !f->failed;
}

/* ---- keys ---- */

static void refuse_unknown(struct filling *f, const char *key, const struct value *v)
{
    struct buf b = {0};
    jobfile_hint_key(&b, key, PART_JOB);
    jobfile_refuse(f->r, jobfile_place_key(v, key), NULL, "there is no field '%.*s'%s", UTF8_WORD(key), buf_string(&b));
    buf_clear(&b);
    f->failed = true;
    f->command_meant = f->command_meant || jobfile_means(key, "command");
}

/* The row of a key that may stand in a file; else it is refused. */
static const struct field *known_field(struct filling *f, const char *key, const struct value *v)
{
    const struct field *row = field_find(key);
    if (!row) {
        refuse_unknown(f, key, v);
    } else if (row->kind == FIELD_IN) {
        jobfile_refuse(f->r, jobfile_place_key(v, key), "`at` says a time; `ax add in 20m COMMAND` adds a job by hand",
                       "`in` counts from the moment a job is added, and a file is applied again and again");
        f->failed = true;
    } else if (strcmp(row->name, "name") == 0 && f->r->as_list) {
        return NULL;
    } else if (strcmp(row->name, "name") == 0) {
        jobfile_refuse(f->r, jobfile_place_key(v, key), "`backup:` and the fields of that job under it", "a job's name is the key in front of its fields");
        f->failed = true;
    } else {
        return row;
    }
    return NULL;
}

/* At most one schedule: the two lines are named. */
static bool second_schedule(struct filling *f, const struct field *row, const struct value *v)
{
    if (!is_schedule(row) || is_none(row, v))
        return false;
    if (f->schedule) {
        struct jobfile_place first = jobfile_place_key(f->schedule, f->schedule_key);
        jobfile_refuse(f->r, jobfile_place_key(v, row->name), NULL, "a job has one schedule: `%s` stands in line %d, and `%s` in line %d", f->schedule_key, first.line,
                       row->name, jobfile_place_key(v, row->name).line);
        f->failed = true;
        return true;
    }
    f->schedule = v;
    f->schedule_key = row->name;
    return false;
}

/* What refers to another zone than the file's is read in that one; a zone that is none is refused when its field is set. */
static void take_zone(struct filling *f, const struct value *map)
{
    const struct value *v = map ? value_get(map, "timezone") : NULL;
    if (v && v->kind == VALUE_TEXT && v->text.length && strcmp(v->text.data, "local") != 0)
        zones_get(&f->r->zones, v->text.data, &f->context.zone, NULL);
    else if (v)
        f->context.zone = f->r->rules->zone;
}

static void filling_init(struct filling *f, struct jobfile_reader *r, struct jobfile_job *job)
{
    *f = (struct filling){.r = r, .job = job};
    f->context = (struct field_context){.zone = r->rules->zone, .zones = &r->zones, .now = r->rules->now, .directory = r->folder};
}

/* ---- defaults ---- */

void jobfile_read_defaults(struct jobfile_reader *r, const struct value *map)
{
    struct jobfile_job job = {0};
    struct filling f;
    if (!map || map->kind == VALUE_NULL)
        return;
    if (map->kind != VALUE_MAP) {
        jobfile_refuse(r, jobfile_place_of(map, "defaults"), NULL, "defaults is a map of fields, not %s", value_kind_name(map->kind));
        return;
    }
    job_init(&job.job);
    filling_init(&f, r, &job);
    take_zone(&f, map);
    r->defaults = map;
    r->default_bad = mem_zero(map->list.count + 1, sizeof *r->default_bad);
    for (size_t i = 0; i < map->list.count; i++) {
        const struct value *v = &map->list.items[i];
        const struct field *row = known_field(&f, map->list.keys[i], v);
        f.failed = false;
        r->default_bad[i] = !row || second_schedule(&f, row, v) || !set_field(&f, row, v);
    }
    job_clear(&job.job);
}

/* Those that the job does not say itself. Of the schedules of the job and the defaults the job's counts. */
static void take_defaults(struct filling *f)
{
    const struct value *map = f->r->defaults;
    for (size_t i = 0; map && i < map->list.count; i++) {
        const char *key = map->list.keys[i];
        const struct field *row = f->r->default_bad[i] ? NULL : field_find(key);
        if (!row || (is_schedule(row) && f->schedule))
            continue;
        if (is_merged(key) || !value_get(f->own, key))
            set_field(f, row, &map->list.items[i]);
    }
}

/* A default that goes only with other jobs than this one is not its fault. */
static void drop_defaults(struct filling *f)
{
    struct job *j = &f->job->job;
    static const struct value null = {0};
    static const char *const bound[] = {"jitter", "spread", "every_from"};
    for (size_t i = 0; f->r->defaults && i < sizeof bound / sizeof *bound; i++) {
        bool fits = i < 2 ? job_repeats(j) : j->every != DURATION_NONE;
        if (!fits && !value_get(f->own, bound[i]))
            field_set(j, field_find(bound[i]), &null, NULL, NULL);
    }
}

/* ---- the job ---- */

/* `boot: none` is one that the defaults cannot give another. */
static void find_schedule(struct filling *f)
{
    for (size_t i = 0; i < f->own->list.count; i++) {
        const struct value *v = &f->own->list.items[i];
        const struct field *row = field_find(f->own->list.keys[i]);
        if (row && is_schedule(row) && v->kind != VALUE_NULL) {
            f->schedule = v;
            return;
        }
    }
}

static void take_own(struct filling *f)
{
    const struct value *map = f->own;
    f->schedule = NULL;
    for (size_t i = 0; i < map->list.count; i++) {
        const struct value *v = &map->list.items[i];
        const struct field *row = known_field(f, map->list.keys[i], v);
        if (!row || second_schedule(f, row, v))
            continue;
        set_field(f, row, v);
    }
}

static bool in_temporary(const char *path)
{
    const char *set = getenv("TMPDIR");
    const char *const folders[] = {"/tmp", "/var/tmp", set && *set == '/' && set[1] ? set : "/tmp"};
    for (size_t i = 0; i < sizeof folders / sizeof *folders; i++) {
        size_t length = strlen(folders[i]);
        while (length > 1 && folders[i][length - 1] == '/')
            length--;
        if (strncmp(path, folders[i], length) == 0 && (path[length] == '/' || !path[length]))
            return true;
    }
    return false;
}

static void take_folder(struct filling *f, struct jobfile_place at)
{
    struct jobfile_reader *r = f->r;
    struct job *j = &f->job->job;
    if (j->cwd || f->home)
        return;
    j->cwd = mem_string(r->rules->directory ? r->rules->directory : r->folder);
    if (r->rules->directory || r->told_folder || !in_temporary(r->folder))
        return;
    r->told_folder = true;
    jobfile_warn(r, at, "say where they run with `cwd`, or for all jobs of the file under `defaults:`",
                 "jobs without `cwd` run in the folder of the file, and %.*s is a temporary one", UTF8_WORD(r->folder));
}

static void check_job(struct filling *f, struct jobfile_place at)
{
    struct error e = {0};
    if (f->failed || f->r->broken || job_check(&f->job->job, &e) == 0)
        return;
    const struct value *v = value_get(f->own, e.field);
    if (!v && f->r->defaults)
        v = value_get(f->r->defaults, e.field);
    f->failed = true;
    jobfile_tell(f->r, false, &e, v ? jobfile_place_of(v, e.field) : at, NULL);
}

/* Said also where other fields are wrong: all errors in one go. */
static void check_command(struct filling *f, const char *name, struct jobfile_place at)
{
    const struct value *v = value_get(f->own, "command");
    if ((v && v->kind != VALUE_NULL) || f->command_meant || f->r->broken || f->job->job.command.count)
        return;
    f->failed = true;
    jobfile_refuse(f->r, at, NULL, "the job '%.*s' has no command", UTF8_WORD(name));
}

static void warn_past(struct filling *f, const struct value *v)
{
    struct buf b = {0};
    instant_format_local(&b, f->job->job.at, f->context.zone, false);
    jobfile_warn(f->r, jobfile_place_of(v, "at"), NULL, "at: %s is past: there will be no such job", buf_string(&b));
    buf_clear(&b);
}

static void fill_job(struct filling *f, const char *name, struct jobfile_place at)
{
    struct error e = {0};
    take_zone(f, f->r->defaults);
    take_zone(f, f->own);
    find_schedule(f);
    take_defaults(f);
    take_own(f);
    if (jobfile_line_broken(f->r, at.line)) { /* it stands twice, say: it is told already */
        f->failed = true;
    } else if (job_name_check(name, &e) < 0) {
        error_field(&e, "name");
        jobfile_tell(f->r, false, &e, at, NULL);
        f->failed = true;
    } else {
        f->job->job.name = mem_string(name);
    }
    drop_defaults(f);
    check_command(f, name, at);
    take_folder(f, at);
    check_job(f, at);
    const struct value *time = value_get(f->own, "at");
    if (f->job->past)
        warn_past(f, time ? time : value_get(f->r->defaults, "at"));
}

void jobfile_read_job(struct jobfile_reader *r, const char *name, struct jobfile_place at, const struct value *v)
{
    static const struct value nothing = {.kind = VALUE_MAP};
    struct filling f;
    struct jobfile *out = r->out;
    if (v->kind != VALUE_MAP && v->kind != VALUE_NULL) {
        jobfile_refuse(r, jobfile_place_of(v, name), "write `command: ...` on a line of its own under the name", "a job is a map of fields, not %s", value_kind_name(v->kind));
        return;
    }
    MEM_GROW(out->jobs, out->job_capacity, out->job_count + 1);
    struct jobfile_job *job = &out->jobs[out->job_count++];
    *job = (struct jobfile_job){.line = at.line, .column = at.column, .written = jobfile_written(r, at)};
    job_init(&job->job);
    job->job.source = mem_string(out->source);
    job->job.file = mem_string(out->path);
    filling_init(&f, r, job);
    f.own = v->kind == VALUE_MAP ? v : &nothing;
    fill_job(&f, name, at);
    if (job->job.name)
        return;
    job_clear(&job->job);
    free(job->written);
    out->job_count--;
}
