#include "spool/kind.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"

static int strings_of(const struct value *v, struct strvec *out, struct error *e)
{
    struct strvec strings = {0};
    char digits[KIND_DIGITS];
    for (size_t i = 0; i < v->list.count; i++) {
        const char *text = kind_string(&v->list.items[i], digits, e);
        if (!text) {
            strvec_clear(&strings);
            return kind_place_item(&v->list.items[i], e);
        }
        strvec_add(&strings, text);
    }
    *out = strings;
    return 0;
}

static void strings_replace(struct strvec *to, struct strvec *by)
{
    strvec_clear(to);
    *to = *by;
}

/* ---- text, path, bytes ---- */

static int text_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    if (v->kind != VALUE_TEXT)
        return kind_refuse(v, "a text", e);
    char digits[KIND_DIGITS];
    const char *text = kind_string(v, digits, e);
    if (!text || (f->check && f->check(NULL, text, e) < 0))
        return -(int)ERROR_USAGE;
    char **to = kind_place(j, f);
    char *old = *to;
    *to = f->fallback && strcmp(text, f->fallback) == 0 ? NULL : mem_string(text);
    free(old);
    return 0;
}

static int path_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    char digits[KIND_DIGITS];
    const char *text = v->kind == VALUE_TEXT ? kind_string(v, digits, e) : NULL;
    if (!text)
        return v->kind == VALUE_TEXT ? -(int)ERROR_USAGE : kind_refuse(v, "a text", e);
    if (!*text)
        return error_set(e, ERROR_USAGE, "is empty");
    const char *base = c ? c->directory : NULL;
    if (*text != '/' && !base)
        return error_set(e, ERROR_USAGE, "'%.*s' does not begin with '/': write the whole path", UTF8_WORD(text));
    while (text[0] == '.' && text[1] == '/')
        text += 2 + strspn(text + 2, "/");
    if (strcmp(text, ".") == 0 || !*text)
        text = base ? base : "/";
    char *path = *text == '/' ? mem_string(text) : mem_format("%s%s%s", base, base[strlen(base) - 1] == '/' ? "" : "/", text);
    if (strlen(path) >= PATH_MAX) {
        free(path);
        return error_set(e, ERROR_USAGE, "is longer than a path can be (%d bytes)", PATH_MAX - 1);
    }
    char **to = kind_place(j, f);
    free(*to);
    *to = path;
    return 0;
}

static void text_reset(struct job *j, const struct field *f)
{
    char **to = kind_place(j, f);
    free(*to);
    *to = NULL;
}

static bool text_is_default(const struct job *j, const struct field *f)
{
    return !*(char **)kind_place(j, f);
}

static struct value text_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return value_text(*(char **)kind_place(j, f));
}

static int bytes_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    if (v->kind != VALUE_TEXT)
        return kind_refuse(v, "a text", e);
    char **to = kind_place(j, f);
    char *copy = mem_copy(v->text.data, v->text.length + 1);
    free(*to);
    *to = copy;
    j->input_length = v->text.length;
    return 0;
}

static struct value bytes_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    const char *from = *(char **)kind_place(j, f);
    if (!from)
        return (struct value){0};
    return value_bytes(from, j->input_length);
}

static void bytes_reset(struct job *j, const struct field *f)
{
    text_reset(j, f);
    j->input_length = 0;
}

/* ---- lists of texts ---- */

static int texts_check(const struct strvec *v, const struct field *f, struct error *e)
{
    for (size_t i = 0; f->check && i < v->count; i++)
        if (f->check(NULL, v->items[i], e) < 0)
            return -(int)ERROR_USAGE;
    return 0;
}

/* Those of `more` that are not there yet. */
static void texts_add(struct strvec *to, const struct strvec *more)
{
    for (size_t i = 0; i < more->count; i++) {
        size_t k = 0;
        while (k < to->count && strcmp(to->items[k], more->items[i]) != 0)
            k++;
        if (k == to->count)
            strvec_add(to, more->items[i]);
    }
}

static int texts_set_text(struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    (void)c;
    struct strvec parts = {0};
    kind_split(text, &parts);
    int failed = texts_check(&parts, f, e);
    if (!failed)
        texts_add(kind_place(j, f), &parts);
    strvec_clear(&parts);
    return failed;
}

static int texts_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    struct strvec strings = {0}, once = {0};
    if (v->kind != VALUE_LIST && v->kind != VALUE_TEXT)
        return kind_refuse(v, "a list of texts", e);
    if (v->kind == VALUE_TEXT) {
        char digits[KIND_DIGITS];
        const char *text = kind_string(v, digits, e);
        if (!text)
            return -(int)ERROR_USAGE;
        kind_split(text, &strings);
    } else if (strings_of(v, &strings, e) < 0) {
        return -(int)ERROR_USAGE;
    }
    int failed = texts_check(&strings, f, e);
    if (!failed) {
        texts_add(&once, &strings);
        strings_replace(kind_place(j, f), &once);
    }
    strvec_clear(&strings);
    return failed;
}

static void texts_reset(struct job *j, const struct field *f)
{
    strvec_clear(kind_place(j, f));
}

static bool texts_is_default(const struct job *j, const struct field *f)
{
    return !((struct strvec *)kind_place(j, f))->count;
}

static struct value texts_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return kind_strings(kind_place(j, f));
}

/* ---- command and shell ---- */

static int command_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)f, (void)c;
    struct strvec words = {0};
    char digits[KIND_DIGITS];
    if (v->kind == VALUE_TEXT) {
        const char *line = kind_string(v, digits, e);
        if (!line)
            return -(int)ERROR_USAGE;
        if (!line[strspn(line, " \t\r\n")])
            return error_set(e, ERROR_USAGE, "the command is empty");
        strvec_add(&words, line);
    } else if (v->kind != VALUE_LIST) {
        return kind_refuse(v, "a shell line or a list of words", e);
    } else if (strings_of(v, &words, e) < 0) {
        return -(int)ERROR_USAGE;
    } else if (!words.count || !words.items[0][0]) {
        strvec_clear(&words);
        return error_set(e, ERROR_USAGE, "the first word is empty: it names the program");
    }
    strings_replace(&j->command, &words);
    j->shell_line = v->kind == VALUE_TEXT;
    return 0;
}

static void command_reset(struct job *j, const struct field *f)
{
    (void)f;
    strvec_clear(&j->command);
    j->shell_line = false;
}

static struct value command_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)f, (void)form;
    if (!j->command.count)
        return (struct value){0};
    return j->shell_line ? value_text(j->command.items[0]) : kind_strings(&j->command);
}

static int shell_words(struct job *j, const struct field *f, struct strvec *words, struct error *e)
{
    if (!words->count || !words->items[0][0]) {
        strvec_clear(words);
        return error_set(e, ERROR_USAGE, "is empty: it names the shell");
    }
    strings_replace(kind_place(j, f), words);
    return 0;
}

/* A text names the program and -c follows; a list is all the words before the line. */
static int shell_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    struct strvec words = {0};
    char digits[KIND_DIGITS];
    if (v->kind == VALUE_TEXT) {
        const char *text = kind_string(v, digits, e);
        if (!text)
            return -(int)ERROR_USAGE;
        if (strpbrk(text, " \t\n"))
            return error_set(e, ERROR_USAGE, "'%.*s' is more than one word: words are a list, such as [bash, -euo, pipefail, -c]", UTF8_WORD(text));
        strvec_add(&words, text);
        strvec_add(&words, "-c");
    } else if (v->kind != VALUE_LIST) {
        return kind_refuse(v, "a text or a list of words", e);
    } else if (strings_of(v, &words, e) < 0) {
        return -(int)ERROR_USAGE;
    }
    return shell_words(j, f, &words, e);
}

/* There are no lists on the command line: several words are one. */
static int shell_set_text(struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    (void)c;
    struct strvec words = {0};
    char *copy = mem_string(text), *rest = copy, *word;
    while ((word = strtok_r(rest, " \t\n", &rest)))
        strvec_add(&words, word);
    free(copy);
    if (words.count == 1)
        strvec_add(&words, "-c");
    return shell_words(j, f, &words, e);
}

static void shell_reset(struct job *j, const struct field *f)
{
    struct strvec words = {0};
    strvec_add(&words, "/bin/sh");
    strvec_add(&words, "-c");
    strings_replace(kind_place(j, f), &words);
}

static bool shell_is_default(const struct job *j, const struct field *f)
{
    const struct strvec *v = kind_place(j, f);
    return v->count == 2 && strcmp(v->items[0], "/bin/sh") == 0 && strcmp(v->items[1], "-c") == 0;
}

/* ---- maps: lists of NAME=VALUE ---- */

static int map_entry(struct strvec *to, const struct field *f, const char *name, const char *text, struct error *e)
{
    if (f->check && f->check(name, text, e) < 0)
        return -(int)ERROR_USAGE;
    strvec_env_set(to, name, text);
    return 0;
}

static int map_entries(const struct value *map, const struct field *f, struct strvec *entries, struct error *e)
{
    char digits[KIND_DIGITS];
    for (size_t i = 0; i < map->list.count; i++) {
        struct error why;
        const char *name = map->list.keys[i], *text = kind_string(&map->list.items[i], digits, &why);
        if (!text)
            error_set(e, ERROR_USAGE, "%.*s: %s", UTF8_WORD(name), why.text);
        if (!text || map_entry(entries, f, name, text, e) < 0)
            return kind_place_item(&map->list.items[i], e);
    }
    return 0;
}

static int map_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    struct strvec entries = {0};
    if (v->kind != VALUE_MAP)
        return kind_refuse(v, "a map of names and texts", e);
    if (map_entries(v, f, &entries, e) < 0) {
        strvec_clear(&entries);
        return -(int)ERROR_USAGE;
    }
    strings_replace(kind_place(j, f), &entries);
    return 0;
}

static int map_set_text(struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    (void)c;
    const char *equals = strchr(text, '=');
    if (!equals)
        return error_set(e, ERROR_USAGE, "'%.*s' is not %s", UTF8_WORD(text), f->placeholder);
    char *name = mem_alloc((size_t)(equals - text) + 1);
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    int failed = map_entry(kind_place(j, f), f, name, equals + 1, e);
    free(name);
    return failed;
}

static struct value map_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    const struct strvec *entries = kind_place(j, f);
    struct value map = value_map();
    for (size_t i = 0; i < entries->count; i++) {
        char *name = mem_string(entries->items[i]), *equals = strchr(name, '=');
        *equals = '\0';
        value_put(&map, name, value_text(equals + 1));
        free(name);
    }
    return map;
}

/* ---- the kinds ---- */

const struct kind kind_text = {text_set, NULL, text_reset, text_is_default, text_get};
const struct kind kind_path = {path_set, NULL, text_reset, text_is_default, text_get};
const struct kind kind_bytes = {bytes_set, NULL, bytes_reset, text_is_default, bytes_get};
const struct kind kind_texts = {texts_set, texts_set_text, texts_reset, texts_is_default, texts_get};
const struct kind kind_command = {command_set, NULL, command_reset, texts_is_default, command_get};
const struct kind kind_shell = {shell_set, shell_set_text, shell_reset, shell_is_default, texts_get};
const struct kind kind_map = {map_set, map_set_text, texts_reset, texts_is_default, map_get};
