#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/text/yaml.h"
#include "spool/jobfile_parts.h"

/* ---- what is declared ---- */

static bool is_name(const char *name)
{
    if (!isalpha((unsigned char)*name) && *name != '_')
        return false;
    for (; *name; name++)
        if (!isalnum((unsigned char)*name) && *name != '_')
            return false;
    return true;
}

/* The last --set of the name; NULL: none. */
static const char *given(const struct jobfile_reader *r, const char *name)
{
    const struct strvec *params = r->rules->params;
    size_t length = strlen(name);
    for (size_t i = params ? params->count : 0; i-- > 0;)
        if (strncmp(params->items[i], name, length) == 0 && params->items[i][length] == '=')
            return params->items[i] + length + 1;
    return NULL;
}

static void read_param(struct jobfile_reader *r, const char *name, const struct value *v)
{
    if (!is_name(name)) {
        jobfile_refuse(r, jobfile_place_key(v, name), NULL, "'%.*s' is no name of a parameter: letters, digits and _, no digit in front", UTF8_WORD(name));
        return;
    }
    strvec_add(&r->out->params, name);
    const char *value = given(r, name);
    if (!value && v->kind == VALUE_TEXT && strlen(v->text.data) == v->text.length)
        value = v->text.data;
    if (value)
        strvec_env_set(&r->params, name, value);
    else if (v->kind == VALUE_NULL)
        jobfile_refuse(r, jobfile_place_key(v, name), NULL, "the parameter %s has no value: say it by --set %s=VALUE, or give it a default here", name, name);
    else
        jobfile_refuse(r, jobfile_place_of(v, name), NULL, "the default of a parameter is a text, not %s", value_kind_name(v->kind));
}

void jobfile_params_read(struct jobfile_reader *r, const struct value *map)
{
    if (!map || map->kind == VALUE_NULL)
        return;
    if (map->kind != VALUE_MAP) {
        jobfile_refuse(r, jobfile_place_of(map, "params"), "write `NAME: default`, or `NAME:` where --set has to say it", "params is a map of names, not %s",
                       value_kind_name(map->kind));
        return;
    }
    for (size_t i = 0; i < map->list.count; i++)
        read_param(r, map->list.keys[i], &map->list.items[i]);
}

/* ---- what stands for them ---- */

/* The value of the `${NAME}` that text begins with, and how long that is; NULL: it is none that was declared. */
static const char *placeholder(const struct strvec *params, const char *text, size_t *length)
{
    if (text[0] != '$' || text[1] != '{')
        return NULL;
    size_t name = strcspn(text + 2, "}");
    if (text[2 + name] != '}')
        return NULL;
    for (size_t i = 0; i < params->count; i++)
        if (strncmp(params->items[i], text + 2, name) == 0 && params->items[i][name] == '=') {
            *length = name + 3;
            return params->items[i] + name + 1;
        }
    return NULL;
}

/* What was filled in stays within the bounds of a file: a long value that is used often is a bomb as an anchor can be. */
static bool too_much(struct jobfile_reader *r, const struct value *v, size_t length)
{
    if (r->filled > YAML_SIZE_MAX)
        return true;
    r->filled += length;
    if (r->filled > YAML_SIZE_MAX)
        jobfile_refuse(r, jobfile_place_of(v, ""), NULL, "the values of the parameters are more than %d MiB together", YAML_SIZE_MAX >> 20);
    return r->filled > YAML_SIZE_MAX;
}

/* `${NAME}` is the value, `$${NAME}` is `${NAME}`. Everything else stays: most of it is for the shell. */
static void fill_text(struct jobfile_reader *r, struct value *v)
{
    const struct strvec *params = &r->params;
    const char *text = v->text.data, *end = text + v->text.length;
    if (!memmem(text, v->text.length, "${", 2))
        return;
    struct buf b = {0};
    while (text < end && !too_much(r, v, 0)) {
        size_t length;
        const char *value = placeholder(params, text, &length);
        bool escaped = !value && text[0] == '$' && placeholder(params, text + 1, &length);
        if (value && !too_much(r, v, strlen(value)))
            buf_text(&b, value);
        else if (escaped)
            buf_add(&b, text + 1, length);
        else if (!value)
            buf_char(&b, *text);
        text += value ? length : escaped ? length + 1 : 1;
    }
    free(v->text.data);
    v->text.length = b.length;
    v->text.data = buf_take(&b);
}

void jobfile_params_fill(struct jobfile_reader *r, struct value *v)
{
    if (v->kind == VALUE_TEXT)
        fill_text(r, v);
    if (v->kind != VALUE_LIST && v->kind != VALUE_MAP)
        return;
    for (size_t i = 0; i < v->list.count; i++)
        jobfile_params_fill(r, &v->list.items[i]);
}
