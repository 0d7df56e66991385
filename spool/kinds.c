#include "spool/kinds.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/time/when.h"

static void *place(const struct job *j, const struct field *f)
{
    return (char *)(uintptr_t)j + f->offset;
}

static int refuse_kind(const struct value *v, const char *wanted, struct error *e)
{
    return error_set(e, ERROR_USAGE, "wants %s, not %s", wanted, value_kind_name(v->kind));
}

/* The text of a value without NULs, or NULL. Whole numbers are texts too: YAML and people write `[sleep, 5]`. `digits` holds them. */
#define DIGITS_SIZE 24
static const char *text_of(const struct value *v, char digits[DIGITS_SIZE], struct error *e)
{
    if (v->kind == VALUE_INT) {
        snprintf(digits, DIGITS_SIZE, "%" PRId64, v->integer);
        return digits;
    }
    if (v->kind != VALUE_TEXT) {
        refuse_kind(v, "a text", e);
        return NULL;
    }
    if (strlen(v->text.data) != v->text.length) {
        error_set(e, ERROR_USAGE, "holds a NUL byte");
        return NULL;
    }
    return v->text.data;
}

static struct value value_strings(const struct strvec *v)
{
    struct value list = value_list();
    for (size_t i = 0; i < v->count; i++)
        value_push(&list, value_text(v->items[i]));
    return list;
}

static int strings_of(const struct value *v, struct strvec *out, struct error *e)
{
    struct strvec strings = {0};
    char digits[DIGITS_SIZE];
    for (size_t i = 0; i < v->list.count; i++) {
        const char *text = text_of(&v->list.items[i], digits, e);
        if (!text) {
            strvec_clear(&strings);
            return -(int)ERROR_USAGE;
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
        return refuse_kind(v, "a text", e);
    char digits[DIGITS_SIZE];
    const char *text = text_of(v, digits, e);
    if (!text || (f->check && f->check(NULL, text, e) < 0))
        return -(int)ERROR_USAGE;
    char **to = place(j, f);
    char *old = *to;
    *to = f->fallback && strcmp(text, f->fallback) == 0 ? NULL : mem_string(text);
    free(old);
    return 0;
}

static int path_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    char digits[DIGITS_SIZE];
    const char *text = v->kind == VALUE_TEXT ? text_of(v, digits, e) : NULL;
    if (!text)
        return v->kind == VALUE_TEXT ? -(int)ERROR_USAGE : refuse_kind(v, "a text", e);
    if (!*text)
        return error_set(e, ERROR_USAGE, "is empty");
    const char *base = c ? c->directory : NULL;
    if (*text != '/' && !base)
        return error_set(e, ERROR_USAGE, "'%.100s' does not begin with '/': write the whole path", text);
    char *path = *text == '/' ? mem_string(text) : mem_format("%s/%s", base, text);
    if (strlen(path) >= PATH_MAX) {
        free(path);
        return error_set(e, ERROR_USAGE, "is longer than a path can be (%d bytes)", PATH_MAX - 1);
    }
    char **to = place(j, f);
    free(*to);
    *to = path;
    return 0;
}

static void text_reset(struct job *j, const struct field *f)
{
    char **to = place(j, f);
    free(*to);
    *to = NULL;
}

static bool text_is_default(const struct job *j, const struct field *f)
{
    return !*(char **)place(j, f);
}

static struct value text_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return value_text(*(char **)place(j, f));
}

static int bytes_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    if (v->kind != VALUE_TEXT)
        return refuse_kind(v, "a text", e);
    char **to = place(j, f);
    char *copy = mem_copy(v->text.data, v->text.length + 1);
    free(*to);
    *to = copy;
    j->input_length = v->text.length;
    return 0;
}

static struct value bytes_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    const char *from = *(char **)place(j, f);
    return from ? value_bytes(from, j->input_length) : (struct value){0};
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

/* The parts between commas, blanks around them left out. */
static void texts_split(const char *text, struct strvec *out)
{
    for (;;) {
        text += strspn(text, " ");
        size_t length = strcspn(text, ","), used = length;
        while (used && text[used - 1] == ' ')
            used--;
        char *part = mem_alloc(used + 1);
        memcpy(part, text, used);
        part[used] = '\0';
        strvec_take(out, part);
        if (!text[length])
            return;
        text += length + 1;
    }
}

static int texts_set_text(struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    (void)c;
    struct strvec parts = {0};
    texts_split(text, &parts);
    int failed = texts_check(&parts, f, e);
    if (!failed)
        texts_add(place(j, f), &parts);
    strvec_clear(&parts);
    return failed;
}

static int texts_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    struct strvec strings = {0}, once = {0};
    if (v->kind != VALUE_LIST && v->kind != VALUE_TEXT)
        return refuse_kind(v, "a list of texts", e);
    if (v->kind == VALUE_TEXT) {
        char digits[DIGITS_SIZE];
        const char *text = text_of(v, digits, e);
        if (!text)
            return -(int)ERROR_USAGE;
        texts_split(text, &strings);
    } else if (strings_of(v, &strings, e) < 0) {
        return -(int)ERROR_USAGE;
    }
    int failed = texts_check(&strings, f, e);
    if (!failed) {
        texts_add(&once, &strings);
        strings_replace(place(j, f), &once);
    }
    strvec_clear(&strings);
    return failed;
}

static void texts_reset(struct job *j, const struct field *f)
{
    strvec_clear(place(j, f));
}

static bool texts_is_default(const struct job *j, const struct field *f)
{
    return !((struct strvec *)place(j, f))->count;
}

static struct value texts_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return value_strings(place(j, f));
}

/* ---- command and shell ---- */

static int command_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)f, (void)c;
    struct strvec words = {0};
    char digits[DIGITS_SIZE];
    if (v->kind == VALUE_TEXT) {
        const char *line = text_of(v, digits, e);
        if (!line)
            return -(int)ERROR_USAGE;
        if (!line[strspn(line, " \t\r\n")])
            return error_set(e, ERROR_USAGE, "the command is empty");
        strvec_add(&words, line);
    } else if (v->kind != VALUE_LIST) {
        return refuse_kind(v, "a shell line or a list of words", e);
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
    return j->shell_line ? value_text(j->command.items[0]) : value_strings(&j->command);
}

/* A text names the program and -c follows; a list is all the words before the line. */
static int shell_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    struct strvec words = {0};
    char digits[DIGITS_SIZE];
    if (v->kind == VALUE_TEXT) {
        const char *text = text_of(v, digits, e);
        if (!text)
            return -(int)ERROR_USAGE;
        if (strpbrk(text, " \t\n"))
            return error_set(e, ERROR_USAGE, "'%.100s' is more than one word: words are a list, such as [bash, -euo, pipefail, -c]", text);
        strvec_add(&words, text);
        strvec_add(&words, "-c");
    } else if (v->kind != VALUE_LIST) {
        return refuse_kind(v, "a text or a list of words", e);
    } else if (strings_of(v, &words, e) < 0) {
        return -(int)ERROR_USAGE;
    }
    if (!words.count || !words.items[0][0]) {
        strvec_clear(&words);
        return error_set(e, ERROR_USAGE, "is empty: it names the shell");
    }
    strings_replace(place(j, f), &words);
    return 0;
}

static void shell_reset(struct job *j, const struct field *f)
{
    struct strvec words = {0};
    strvec_add(&words, "/bin/sh");
    strvec_add(&words, "-c");
    strings_replace(place(j, f), &words);
}

static bool shell_is_default(const struct job *j, const struct field *f)
{
    const struct strvec *v = place(j, f);
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

static int map_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    struct strvec entries = {0};
    char digits[DIGITS_SIZE];
    if (v->kind != VALUE_MAP)
        return refuse_kind(v, "a map of names and texts", e);
    for (size_t i = 0; i < v->list.count; i++) {
        struct error why;
        const char *name = v->list.keys[i], *text = text_of(&v->list.items[i], digits, &why);
        if (!text || map_entry(&entries, f, name, text, &why) < 0) {
            strvec_clear(&entries);
            return error_set(e, ERROR_USAGE, text ? "%.0s%s" : "%.100s: %s", name, why.text);
        }
    }
    strings_replace(place(j, f), &entries);
    return 0;
}

static int map_set_text(struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    (void)c;
    const char *equals = strchr(text, '=');
    if (!equals)
        return error_set(e, ERROR_USAGE, "'%.100s' is not %s", text, f->placeholder);
    char *name = mem_alloc((size_t)(equals - text) + 1);
    memcpy(name, text, (size_t)(equals - text));
    name[equals - text] = '\0';
    int failed = map_entry(place(j, f), f, name, equals + 1, e);
    free(name);
    return failed;
}

static struct value map_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    const struct strvec *entries = place(j, f);
    struct value map = value_map();
    for (size_t i = 0; i < entries->count; i++) {
        char *name = mem_string(entries->items[i]), *equals = strchr(name, '=');
        *equals = '\0';
        value_put(&map, name, value_text(equals + 1));
        free(name);
    }
    return map;
}

/* ---- numbers ---- */

/* Digits with at most a minus in front. Returns how many bytes they take, 0 if there are none; what overflows becomes INT64_MAX or INT64_MIN. */
static size_t number_parse(const char *text, int64_t *out)
{
    bool minus = *text == '-';
    const char *p = text + minus;
    if (*p < '0' || *p > '9')
        return 0;
    int64_t n = 0;
    for (; *p >= '0' && *p <= '9'; p++)
        if (__builtin_mul_overflow(n, 10, &n) || __builtin_add_overflow(n, *p - '0', &n))
            n = INT64_MAX;
    *out = minus ? (n == INT64_MAX ? INT64_MIN : -n) : n;
    return (size_t)(p - text);
}

static int number_in_range(const struct field *f, int64_t n, struct error *e)
{
    if (n < f->minimum || n > f->maximum)
        return error_set(e, ERROR_USAGE, "must be from %" PRId64 " to %" PRId64, f->minimum, f->maximum);
    return 0;
}

/* A whole number, or a text of one with one of the suffixes behind it. */
static int number_of(const struct value *v, const char *suffixes, const char *wanted, int64_t *out, struct error *e)
{
    char digits[DIGITS_SIZE];
    if (v->kind != VALUE_INT && v->kind != VALUE_TEXT)
        return refuse_kind(v, wanted, e);
    const char *text = text_of(v, digits, e);
    if (!text)
        return -(int)ERROR_USAGE;
    int64_t n;
    size_t used = number_parse(text, &n);
    const char *suffix = used && text[used] ? strchr(suffixes, text[used]) : NULL;
    if (!used || (text[used] && (!suffix || text[used + 1])))
        return error_set(e, ERROR_USAGE, "'%.100s' is not %s", text, wanted);
    if (suffix && *suffix != '%')
        for (const char *unit = suffixes; unit <= suffix; unit++)
            if (__builtin_mul_overflow(n, 1024, &n))
                n = n < 0 ? INT64_MIN : INT64_MAX;
    *out = n;
    return 0;
}

static int int_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    int64_t n;
    bool percent = f->kind == FIELD_PERCENT;
    if (number_of(v, percent ? "%" : "", percent ? "a percentage, such as 10 or 10%" : "a whole number", &n, e) < 0 || number_in_range(f, n, e) < 0)
        return -(int)ERROR_USAGE;
    *(int *)place(j, f) = (int)n;
    return 0;
}

static void int_reset(struct job *j, const struct field *f)
{
    *(int *)place(j, f) = (int)f->standard;
}

static bool int_is_default(const struct job *j, const struct field *f)
{
    return *(int *)place(j, f) == f->standard;
}

static struct value int_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return value_int(*(int *)place(j, f));
}

static int size_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    int64_t n;
    if (number_of(v, "KMGT", "a number of bytes, such as 4096, 64K or 10M", &n, e) < 0 || number_in_range(f, n, e) < 0)
        return -(int)ERROR_USAGE;
    *(int64_t *)place(j, f) = n;
    return 0;
}

static void long_reset(struct job *j, const struct field *f)
{
    *(int64_t *)place(j, f) = f->standard;
}

static bool long_is_default(const struct job *j, const struct field *f)
{
    return *(int64_t *)place(j, f) == f->standard;
}

static struct value size_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return value_int(*(int64_t *)place(j, f));
}

static int mode_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    char digits[DIGITS_SIZE];
    if (v->kind != VALUE_TEXT)
        return refuse_kind(v, "an octal text, such as \"022\"", e);
    const char *text = text_of(v, digits, e);
    size_t length = text ? strlen(text) : 0;
    if (!length || length > 4 || strspn(text, "01234567") != length || strtol(text, NULL, 8) > f->maximum)
        return error_set(e, ERROR_USAGE, "is not an octal number from 000 to 777, such as 022");
    *(int *)place(j, f) = (int)strtol(text, NULL, 8);
    return 0;
}

static struct value mode_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    char text[16];
    int mode = *(int *)place(j, f);
    snprintf(text, sizeof text, "%03o", (unsigned)mode);
    return mode < 0 ? (struct value){0} : value_text(text);
}

static int choice_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    struct buf words = {0};
    for (int i = 0; f->words[i]; i++) {
        if (v->kind == VALUE_TEXT && strlen(f->words[i]) == v->text.length && memcmp(f->words[i], v->text.data, v->text.length) == 0) {
            *(int *)place(j, f) = i;
            buf_clear(&words);
            return 0;
        }
        buf_format(&words, "%s%s", i ? ", " : "", f->words[i]);
    }
    error_set(e, ERROR_USAGE, "must be one of %s", buf_string(&words));
    buf_clear(&words);
    return -(int)ERROR_USAGE;
}

static struct value choice_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return value_text(f->words[*(int *)place(j, f)]);
}

/* ---- durations ---- */

/* In a record a duration is a number of nanoseconds; everyone else says the unit. */
static int duration_of(const struct value *v, const struct field *f, const struct field_context *c, duration *out, struct error *e)
{
    duration d;
    char digits[DIGITS_SIZE];
    if (!c && v->kind == VALUE_INT) {
        d = v->integer;
    } else {
        if (v->kind != VALUE_TEXT && v->kind != VALUE_INT)
            return refuse_kind(v, "a duration, such as 90s or 1h30m", e);
        const char *text = text_of(v, digits, e);
        if (!text || duration_parse(text, &d, e) < 0)
            return -(int)ERROR_USAGE;
    }
    if (d < f->minimum)
        return error_set(e, ERROR_USAGE, f->fallback ? "must be longer" : "must be longer than 0s; `none` stands for no limit");
    *out = d;
    return 0;
}

static int duration_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    duration d = DURATION_NONE;
    bool none = !f->fallback && v->kind == VALUE_TEXT && strcmp(v->text.data, "none") == 0;
    if (!none && duration_of(v, f, c, &d, e) < 0)
        return -(int)ERROR_USAGE;
    *(duration *)place(j, f) = d;
    return 0;
}

static struct value duration_value(duration d, enum field_form form)
{
    if (form == FIELD_RECORD)
        return value_int(d);
    struct buf b = {0};
    duration_format(&b, d);
    struct value v = value_bytes(buf_string(&b), b.length);
    buf_clear(&b);
    return v;
}

static struct value duration_get(const struct job *j, const struct field *f, enum field_form form)
{
    duration d = *(duration *)place(j, f);
    return d == DURATION_NONE ? (struct value){0} : duration_value(d, form);
}

#define DURATIONS_MAX 1000

static int durations_of(const struct value *items, size_t count, const struct field *f, const struct field_context *c, struct durations *out, struct error *e)
{
    if (!count || count > DURATIONS_MAX)
        return error_set(e, ERROR_USAGE, "takes 1 to %d durations", DURATIONS_MAX);
    struct durations d = {.items = mem_zero(count, sizeof(duration)), .count = (int)count};
    for (size_t i = 0; i < count; i++)
        if (duration_of(&items[i], f, c, &d.items[i], e) < 0) {
            free(d.items);
            return -(int)ERROR_USAGE;
        }
    *out = d;
    return 0;
}

static int durations_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    struct durations d, *to = place(j, f);
    struct value parts = value_list();
    if (v->kind == VALUE_TEXT && strchr(v->text.data, ',')) {
        struct strvec texts = {0};
        texts_split(v->text.data, &texts);
        parts = value_strings(&texts);
        strvec_clear(&texts);
        v = &parts;
    }
    int failed = v->kind == VALUE_LIST ? durations_of(v->list.items, v->list.count, f, c, &d, e) : durations_of(v, 1, f, c, &d, e);
    value_clear(&parts);
    if (failed)
        return failed;
    free(to->items);
    *to = d;
    return 0;
}

static void durations_reset(struct job *j, const struct field *f)
{
    struct durations *to = place(j, f);
    to->items = mem_resize(to->items, 1, sizeof *to->items);
    to->items[0] = f->standard;
    to->count = 1;
}

static bool durations_is_default(const struct job *j, const struct field *f)
{
    const struct durations *d = place(j, f);
    return d->count == 1 && d->items[0] == f->standard;
}

static struct value durations_get(const struct job *j, const struct field *f, enum field_form form)
{
    const struct durations *d = place(j, f);
    if (d->count == 1)
        return duration_value(d->items[0], form);
    struct value list = value_list();
    for (int i = 0; i < d->count; i++)
        value_push(&list, duration_value(d->items[i], form));
    return list;
}

/* ---- exit codes ---- */

static void exits_add(struct exits *x, int64_t first, int64_t last)
{
    for (int64_t code = first; code <= last; code++)
        x->bits[code / 8] |= (uint8_t)(1 << code % 8);
}

/* `3` or `64-78`. */
static int exits_part(struct exits *x, const char *text, struct error *e)
{
    int64_t first, last;
    size_t used = *text == '-' ? 0 : number_parse(text, &first);
    const char *rest = text + used;
    last = first = used ? first : -1;
    if (used && *rest == '-') {
        rest++;
        used = *rest == '-' ? 0 : number_parse(rest, &last);
        rest += used;
    }
    if (!used || *rest)
        return error_set(e, ERROR_USAGE, "'%.100s' is not an exit code: write them like 3 or 1,64-78", text);
    if (last > 255 || first > last)
        return error_set(e, ERROR_USAGE, "'%.100s': exit codes are from 0 to 255, the smaller one first", text);
    exits_add(x, first, last);
    return 0;
}

static int exits_value(struct exits *x, const struct value *v, struct error *e)
{
    char digits[DIGITS_SIZE];
    if (v->kind != VALUE_INT && v->kind != VALUE_TEXT)
        return refuse_kind(v, "exit codes, such as 3 or [1, 2]", e);
    const char *text = text_of(v, digits, e);
    if (!text)
        return -(int)ERROR_USAGE;
    struct strvec parts = {0};
    int failed = 0;
    texts_split(text, &parts);
    for (size_t i = 0; i < parts.count && !failed; i++)
        failed = exits_part(x, parts.items[i], e);
    strvec_clear(&parts);
    return failed;
}

static int exits_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    struct exits x = {{0}};
    if (v->kind == VALUE_LIST && (int64_t)v->list.count < f->minimum)
        return error_set(e, ERROR_USAGE, "takes at least one exit code");
    if (v->kind != VALUE_LIST && exits_value(&x, v, e) < 0)
        return -(int)ERROR_USAGE;
    for (size_t i = 0; v->kind == VALUE_LIST && i < v->list.count; i++)
        if (exits_value(&x, &v->list.items[i], e) < 0)
            return -(int)ERROR_USAGE;
    *(struct exits *)place(j, f) = x;
    return 0;
}

static struct exits exits_standard(const struct field *f)
{
    return (struct exits){{(uint8_t)f->standard}};
}

static void exits_reset(struct job *j, const struct field *f)
{
    *(struct exits *)place(j, f) = exits_standard(f);
}

static bool exits_is_default(const struct job *j, const struct field *f)
{
    struct exits standard = exits_standard(f);
    return memcmp(place(j, f), &standard, sizeof standard) == 0;
}

static struct value exits_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    const struct exits *x = place(j, f);
    struct value list = value_list();
    for (int code = 0; code < 256; code++)
        if (x->bits[code / 8] >> code % 8 & 1)
            value_push(&list, value_int(code));
    return list;
}

/* ---- when ---- */

static int schedule_free(const struct job *j, struct error *e)
{
    if (job_schedule(j) != SCHEDULE_NONE)
        return error_set(e, ERROR_USAGE, "a job has one schedule, and this one has one already");
    return 0;
}

static int at_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    struct when w = {.at = INSTANT_NONE};
    char digits[DIGITS_SIZE];
    if (schedule_free(j, e) < 0)
        return -(int)ERROR_USAGE;
    if (!c && v->kind == VALUE_INT) {
        j->at = v->integer;
        return 0;
    }
    if (v->kind != VALUE_TEXT || !c)
        return refuse_kind(v, f->kind == FIELD_IN ? "a duration, such as 20m" : "a time, such as 2027-01-31T18:00+01:00", e);
    const char *text = text_of(v, digits, e);
    if (!text || (f->kind == FIELD_IN ? when_in(text, c->now, &w, e) : when_at(text, c->zone, c->now, &w, e)) < 0)
        return -(int)ERROR_USAGE;
    j->at = w.at;
    return 0;
}

static void at_reset(struct job *j, const struct field *f)
{
    (void)f;
    j->at = INSTANT_NONE;
}

static bool at_is_default(const struct job *j, const struct field *f)
{
    return f->kind == FIELD_IN || j->at == INSTANT_NONE;
}

static struct value at_get(const struct job *j, const struct field *f, enum field_form form)
{
    if (at_is_default(j, f))
        return (struct value){0};
    if (form == FIELD_RECORD)
        return value_int(j->at);
    struct buf b = {0};
    instant_format_utc(&b, j->at);
    struct value v = value_bytes(buf_string(&b), b.length);
    buf_clear(&b);
    return v;
}

static int every_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    struct when w;
    char digits[DIGITS_SIZE];
    if (schedule_free(j, e) < 0)
        return -(int)ERROR_USAGE;
    if (!c)
        return duration_of(v, f, c, &j->every, e);
    if (v->kind != VALUE_TEXT && v->kind != VALUE_INT)
        return refuse_kind(v, "a duration, such as 10m", e);
    const char *text = text_of(v, digits, e);
    if (!text || when_every(text, c->now, &w, e) < 0)
        return -(int)ERROR_USAGE;
    j->every = w.every;
    return 0;
}

const struct kind *kind_of(const struct field *f)
{
    static const struct kind kinds[] = {
        [FIELD_TEXT] = {text_set, NULL, text_reset, text_is_default, text_get},
        [FIELD_PATH] = {path_set, NULL, text_reset, text_is_default, text_get},
        [FIELD_BYTES] = {bytes_set, NULL, bytes_reset, text_is_default, bytes_get},
        [FIELD_TEXTS] = {texts_set, texts_set_text, texts_reset, texts_is_default, texts_get},
        [FIELD_COMMAND] = {command_set, NULL, command_reset, texts_is_default, command_get},
        [FIELD_SHELL] = {shell_set, NULL, shell_reset, shell_is_default, texts_get},
        [FIELD_INT] = {int_set, NULL, int_reset, int_is_default, int_get},
        [FIELD_PERCENT] = {int_set, NULL, int_reset, int_is_default, int_get},
        [FIELD_SIZE] = {size_set, NULL, long_reset, long_is_default, size_get},
        [FIELD_DURATION] = {duration_set, NULL, long_reset, long_is_default, duration_get},
        [FIELD_DURATIONS] = {durations_set, NULL, durations_reset, durations_is_default, durations_get},
        [FIELD_CHOICE] = {choice_set, NULL, int_reset, int_is_default, choice_get},
        [FIELD_EXITS] = {exits_set, NULL, exits_reset, exits_is_default, exits_get},
        [FIELD_MAP] = {map_set, map_set_text, texts_reset, texts_is_default, map_get},
        [FIELD_MODE] = {mode_set, NULL, int_reset, int_is_default, mode_get},
        [FIELD_AT] = {at_set, NULL, at_reset, at_is_default, at_get},
        [FIELD_IN] = {at_set, NULL, at_reset, at_is_default, at_get},
        [FIELD_EVERY] = {every_set, NULL, long_reset, long_is_default, duration_get},
    };
    return &kinds[f->kind];
}
