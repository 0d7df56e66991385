#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/json.h"
#include "spool/fields.h"

/* Written for what editors make of YAML, which is more than ax makes of it: there `5` is a number and `true` a boolean, also where ax takes the text. So
 * the types are wide, and what only ax can judge (expressions, times, zones) is any text. */

struct schema_options {
    struct common common;
};
static const struct option_row schema_options[] = {
    COMMAND_OPTIONS,
    {0},
};

#define DURATION_PATTERN "^[^0-9]*([0-9][0-9., ]*[^0-9., ]|none|P)"
#define EXITS_PATTERN "^ *[0-9]+(-[0-9]+)?( *, *[0-9]+(-[0-9]+)?)*,? *$"
#define JOB_NAME_PATTERN "^(?!-)(?!\\s)(?![0-9]+(\\.[0-9]*)?$).*[^\\s]$"

/* ---- pieces ---- */

static struct value schema_type(const char *type)
{
    struct value m = value_map();
    value_put(&m, "type", value_text(type));
    return m;
}

static struct value schema_pattern(const char *pattern)
{
    struct value m = schema_type("string");
    value_put(&m, "pattern", value_text(pattern));
    return m;
}

static struct value schema_integer(int64_t minimum, int64_t maximum)
{
    struct value m = schema_type("integer");
    value_put(&m, "minimum", value_int(minimum));
    value_put(&m, "maximum", value_int(maximum));
    return m;
}

static struct value schema_text(void)
{
    struct value m = value_map();
    struct value *types = value_put(&m, "type", value_list());
    value_push(types, value_text("string"));
    value_push(types, value_text("number"));
    value_push(types, value_text("boolean"));
    return m;
}

static struct value schema_list(struct value of, int64_t least)
{
    struct value m = schema_type("array");
    value_put(&m, "items", of);
    if (least)
        value_put(&m, "minItems", value_int(least));
    return m;
}

static struct value schema_words(const char *const *words)
{
    struct value m = value_map();
    struct value *list = value_put(&m, "enum", value_list());
    for (; *words; words++)
        value_push(list, value_text(*words));
    return m;
}

static struct value schema_const(struct value v)
{
    struct value m = value_map();
    value_put(&m, "const", v);
    return m;
}

static struct value schema_map_of(struct value of)
{
    struct value m = schema_type("object");
    value_put(&m, "additionalProperties", of);
    return m;
}

/* Where the names are known. Of one that ends in a blank more follows. */
static struct value schema_map_names(struct value map, const char *const *words)
{
    struct buf pattern = {0};
    for (int i = 0; words && words[i]; i++) {
        size_t length = strlen(words[i]);
        buf_format(&pattern, "%s%s%s", i ? "|" : "^(", words[i], words[i][length - 1] == ' ' ? ".+" : "");
    }
    if (pattern.length) {
        buf_text(&pattern, ")$");
        struct value *names = value_put(&map, "propertyNames", value_map());
        value_put(names, "pattern", value_text(buf_string(&pattern)));
    }
    buf_clear(&pattern);
    return map;
}

static struct value schema_described(struct value m, const char *description)
{
    value_put(&m, "description", value_text(description));
    return m;
}

/* Nothing stands for an empty one. */
static struct value schema_or_nothing(struct value m)
{
    struct value or = value_map();
    struct value *any = value_put(&or, "anyOf", value_list());
    value_push(any, m);
    value_push(any, schema_type("null"));
    return or;
}

static struct value schema_required(const char *name, const char *other)
{
    struct value m = value_map();
    struct value *names = value_put(&m, "required", value_list());
    value_push(names, value_text(name));
    if (other)
        value_push(names, value_text(other));
    return m;
}

static struct value schema_ref(const char *name)
{
    struct value m = value_map();
    char *path = mem_format("#/definitions/%s", name);
    value_put(&m, "$ref", value_text(path));
    free(path);
    return m;
}

/* ---- kinds of fields ---- */

/* The forms in which a value of the field may be written. */
static void schema_forms(struct value *any, const struct field *f)
{
    switch (f->kind) {
    case FIELD_TEXT:
    case FIELD_PATH:
    case FIELD_BYTES:
    case FIELD_AT:
    case FIELD_IN:
    case FIELD_ZONE:
    case FIELD_BOUND:
        value_push(any, schema_text());
        break;
    case FIELD_TEXTS:
        value_push(any, schema_text());
        value_push(any, schema_list(schema_text(), 0));
        break;
    case FIELD_COMMAND:
    case FIELD_SHELL:
    case FIELD_CRON:
    case FIELD_CALENDAR:
    case FIELD_EXCEPT:
        value_push(any, schema_text());
        value_push(any, schema_list(schema_text(), 1));
        break;
    case FIELD_INT:
        value_push(any, schema_integer(f->minimum, f->maximum));
        break;
    case FIELD_PERCENT:
        value_push(any, schema_integer(f->minimum, f->maximum));
        value_push(any, schema_pattern("^[0-9]+%?$"));
        break;
    case FIELD_SIZE:
        value_push(any, schema_integer(f->minimum, f->maximum));
        value_push(any, schema_pattern("^[0-9]+[KMGTkmgt]?$"));
        break;
    case FIELD_DURATION:
    case FIELD_EVERY:
        value_push(any, schema_ref("duration"));
        break;
    case FIELD_DURATIONS:
        value_push(any, schema_ref("duration"));
        value_push(any, schema_list(schema_ref("duration"), 1));
        break;
    case FIELD_CHOICE:
        value_push(any, schema_words(f->words));
        break;
    case FIELD_EXITS:
        value_push(any, schema_ref("exit_codes"));
        value_push(any, schema_list(schema_ref("exit_codes"), f->minimum));
        break;
    case FIELD_MAP:
        value_push(any, schema_map_names(schema_map_of(schema_text()), f->words));
        break;
    case FIELD_SAID:
        value_push(any, schema_type("boolean"));
        break;
    case FIELD_MODE:
        value_push(any, schema_pattern("^[0-7]{1,4}$"));
        value_push(any, schema_integer(0, 777));
        break;
    }
}

/* Nothing (`name:`) is the default. */
static struct value schema_field(const struct field *f)
{
    struct value m = value_map();
    value_put(&m, "description", value_text(f->help));
    if (f->fallback && f->kind == FIELD_INT)
        value_put(&m, "default", value_int(f->standard));
    else if (f->fallback)
        value_put(&m, "default", value_text(f->fallback));
    struct value *any = value_put(&m, "anyOf", value_list());
    schema_forms(any, f);
    value_push(any, schema_type("null"));
    return m;
}

/* ---- jobs ---- */

static const char *const schedules[] = {"at", "every", "cron", "calendar", "boot"};
enum { SCHEDULES = sizeof schedules / sizeof *schedules };

static struct value schema_pair(const char *a, const char *b)
{
    struct value not = value_map(), both = schema_required(a, b);
    struct value *properties = value_put(&both, "properties", value_map());
    value_put(properties, a, schema_ref("schedule"));
    value_put(properties, b, schema_ref("schedule"));
    value_put(&not, "not", both);
    return not;
}

/* A name is the key of its job, and in a file nobody knows what `in` counts from. */
static struct value schema_fields(bool job)
{
    struct value m = schema_type("object");
    struct value *properties = value_put(&m, "properties", value_map());
    for (const struct field *f = fields; f->name; f++)
        if (strcmp(f->name, "name") != 0 && f->kind != FIELD_IN)
            value_put(properties, f->name, schema_field(f));
    value_put(&m, "additionalProperties", value_bool(false));
    if (!job)
        return m;
    struct value *rules = value_put(&m, "allOf", value_list());
    for (size_t a = 0; a < SCHEDULES; a++)
        for (size_t b = a + 1; b < SCHEDULES; b++)
            value_push(rules, schema_pair(schedules[a], schedules[b]));
    return m;
}

static struct value schema_jobs(void)
{
    struct value m = schema_map_of(schema_or_nothing(schema_ref("job"))), names = value_map();
    value_put(&names, "pattern", value_text(JOB_NAME_PATTERN));
    value_put(&names, "maxLength", value_int(100));
    value_put(&m, "propertyNames", names);
    return schema_described(schema_or_nothing(m), "the jobs, by name");
}

/* ---- the file ---- */

static struct value schema_queue(void)
{
    struct value m = value_map(), form = schema_type("object");
    struct value *any = value_put(&m, "anyOf", value_list());
    value_push(any, schema_integer(0, 1000000));
    value_put(value_put(&form, "properties", value_map()), "limit", schema_integer(0, 1000000));
    value_push(value_put(&form, "required", value_list()), value_text("limit"));
    value_put(&form, "additionalProperties", value_bool(false));
    value_push(any, form);
    return m;
}

static struct value schema_params(void)
{
    struct value of = schema_text();
    value_push(&of.list.items[0], value_text("null"));
    return schema_described(schema_or_nothing(schema_map_of(of)), "placeholders: ${NAME} in texts is the value that --set gives, or this one; nothing: --set has to say it");
}

static struct value schema_properties(void)
{
    struct value m = value_map();
    value_put(&m, "version", schema_described(schema_const(value_int(1)), "of this format"));
    value_put(&m, "source", schema_described(schema_text(), "who owns the jobs, wherever the file lies (default: its real path)"));
    value_put(&m, "defaults", schema_described(schema_or_nothing(schema_ref("defaults")), "fields of all jobs that do not say otherwise; env and notify are merged name by name"));
    value_put(&m, "params", schema_params());
    value_put(&m, "queues", schema_described(schema_or_nothing(schema_map_of(schema_queue())), "how much weight may run at once in a queue"));
    value_put(&m, "jobs", schema_jobs());
    return m;
}

static struct value schema_definitions(void)
{
    struct value m = value_map(), span = value_map(), exits = value_map(), none = value_map(), schedule = value_map();
    struct value *any = value_put(&span, "anyOf", value_list());
    value_push(any, schema_pattern(DURATION_PATTERN));
    value_push(any, schema_const(value_int(0)));
    any = value_put(&exits, "anyOf", value_list());
    value_push(any, schema_integer(0, 255));
    value_push(any, schema_pattern(EXITS_PATTERN));
    value_put(&m, "duration", span);
    value_put(&m, "exit_codes", exits);
    any = value_put(&none, "enum", value_list());
    value_push(any, (struct value){0});
    value_push(any, value_text("none"));
    value_put(&schedule, "not", none);
    value_put(&m, "schedule", schema_described(schedule, "one that is said"));
    value_put(&m, "defaults", schema_fields(false));
    value_put(&m, "job", schema_fields(true));
    return m;
}

/* In the job, or for all of them in the defaults. */
static struct value schema_command(void)
{
    struct value m = value_map(), defaults = schema_required("defaults", NULL), jobs = value_map(), job = schema_required("command", NULL), all = value_map();
    struct value *any = value_put(&m, "anyOf", value_list());
    value_put(&job, "type", value_text("object"));
    value_put(&all, "additionalProperties", job);
    value_put(value_put(&jobs, "properties", value_map()), "jobs", all);
    value_put(value_put(&defaults, "properties", value_map()), "defaults", schema_required("command", NULL));
    value_push(any, jobs);
    value_push(any, defaults);
    return m;
}

static struct value schema_file(void)
{
    struct value m = value_map();
    value_put(&m, "$schema", value_text("http://json-schema.org/draft-07/schema#"));
    value_put(&m, "title", value_text("jobs of ax"));
    value_put(&m, "type", value_text("object"));
    value_put(&m, "properties", schema_properties());
    value_put(value_put(&m, "patternProperties", value_map()), "^x-", value_map());
    value_push(value_put(&m, "required", value_list()), value_text("version"));
    value_put(&m, "additionalProperties", value_bool(false));
    value_push(value_put(&m, "allOf", value_list()), schema_command());
    value_put(&m, "definitions", schema_definitions());
    return m;
}

/* ---- for people to read, and to see differences in ---- */

static bool is_nest(const struct value *v)
{
    return v->kind == VALUE_LIST || v->kind == VALUE_MAP;
}

/* On one line: what is empty, lists of scalars, and small maps of scalars. */
static bool is_short(const struct value *v)
{
    for (size_t i = 0; is_nest(v) && i < v->list.count; i++)
        if (is_nest(&v->list.items[i]) && (v->kind == VALUE_LIST || !is_short(&v->list.items[i])))
            return false;
    return !is_nest(v) || v->list.count <= (v->kind == VALUE_MAP ? 3 : 20);
}

static void write_pretty(struct buf *b, const struct value *v, int depth)
{
    if (is_short(v)) {
        json_write(b, v, NULL);
        return;
    }
    bool map = v->kind == VALUE_MAP;
    buf_text(b, map ? "{" : "[");
    for (size_t i = 0; i < v->list.count; i++) {
        buf_format(b, "%s\n%*s", i ? "," : "", 2 * (depth + 1), "");
        if (map)
            buf_format(b, "\"%s\": ", v->list.keys[i]);
        write_pretty(b, &v->list.items[i], depth + 1);
    }
    buf_format(b, "\n%*s%s", 2 * depth, "", map ? "}" : "]");
}

static int schema_run(const struct command *self, int argc, char **argv)
{
    struct schema_options o = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (first < argc)
        return command_usage_error(self, "takes no arguments, but was given `%s`", argv[first]);
    struct value schema = schema_file();
    struct buf b = {0};
    write_pretty(&b, &schema, 0);
    buf_char(&b, '\n');
    command_print(self, &b);
    buf_clear(&b);
    value_clear(&schema);
    return 0;
}

const struct command command_schema = {
    .name = "schema",
    .summary = "print the JSON Schema of job files, for editors",
    .usage = "",
    .about = "With it an editor completes and checks job files. It is installed as\n"
             "PREFIX/share/ax/ax-jobs.schema.json; a first line that many editors know is\n"
             "    # yaml-language-server: $schema=/usr/local/share/ax/ax-jobs.schema.json",
    .options = schema_options,
    .run = schema_run,
};
