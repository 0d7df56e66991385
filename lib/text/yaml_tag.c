#include <stdlib.h>
#include <string.h>

#include "lib/text/utf8.h"
#include "lib/text/yaml_parts.h"

#define YAML_TAG "tag:yaml.org,2002:"

static bool yaml_tag_any(const char *text)
{
    (void)text;
    return true;
}

bool yaml_tag_null(const char *text)
{
    return !*text || strcmp(text, "~") == 0 || strcmp(text, "null") == 0;
}

static bool yaml_tag_bool(const char *text)
{
    return strcmp(text, "true") == 0 || strcmp(text, "false") == 0;
}

static bool yaml_tag_int(const char *text)
{
    text += *text == '-' || *text == '+';
    return *text && strspn(text, "0123456789") == strlen(text);
}

static bool yaml_tag_float(const char *text)
{
    char *end;
    if (!*text || strspn(text, "+-.0123456789eE") != strlen(text))
        return false;
    strtod(text, &end);
    return !*end;
}

static const struct yaml_tag yaml_tags[] = {
    {"str", VALUE_TEXT, yaml_tag_any, false},
    {"int", VALUE_TEXT, yaml_tag_int, true},
    {"float", VALUE_TEXT, yaml_tag_float, true},
    {"bool", VALUE_TEXT, yaml_tag_bool, true},
    {"null", VALUE_NULL, yaml_tag_null, true},
    {"seq", VALUE_LIST, NULL, false},
    {"map", VALUE_MAP, NULL, false},
    {0},
};

static const struct yaml_tag *yaml_tag_find(const char *tag)
{
    size_t prefix = strlen(YAML_TAG);
    if (strncmp(tag, YAML_TAG, prefix) != 0)
        return NULL;
    for (const struct yaml_tag *t = yaml_tags; t->name; t++)
        if (strcmp(t->name, tag + prefix) == 0)
            return t;
    return NULL;
}

bool yaml_tag_check(struct yaml_text *t, const struct yaml_node *n, enum value_kind kind, const struct yaml_tag **found)
{
    *found = NULL;
    if (!n->tag || strcmp(n->tag, "!") == 0)
        return true;
    const struct yaml_tag *tag = yaml_tag_find(n->tag);
    bool standard = strncmp(n->tag, YAML_TAG, strlen(YAML_TAG)) == 0;
    const char *name = standard ? n->tag + strlen(YAML_TAG) : n->tag;
    int width = (int)strlen(name) + 2 * standard;
    if (!tag)
        return yaml_text_error(t, n->place, width, "a text that begins with `!` must be quoted",
            "the tag `%s%.*s` is not known (!!str !!int !!float !!bool !!null !!seq !!map are)", standard ? "!!" : "", UTF8_WORD(name));
    bool fits = kind == VALUE_TEXT ? tag->fits && tag->fits(n->text) : tag->kind == kind;
    if (!fits)
        return yaml_text_error(t, n->place, width, NULL, "`!!%s` does not fit what it stands in front of", tag->name);
    *found = tag;
    return true;
}
