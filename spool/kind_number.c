#include "spool/kind.h"

#include <ctype.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/text/utf8.h"

/* ---- numbers ---- */

static int number_in_range(const struct field *f, int64_t n, struct error *e)
{
    if (n < f->minimum || n > f->maximum)
        return error_set(e, ERROR_USAGE, "must be from %" PRId64 " to %" PRId64, f->minimum, f->maximum);
    return 0;
}

/* A whole number, or a text of one with one of the suffixes behind it. */
static int number_of(const struct value *v, const char *suffixes, const char *wanted, int64_t *out, struct error *e)
{
    char digits[KIND_DIGITS];
    if (v->kind != VALUE_INT && v->kind != VALUE_TEXT)
        return kind_refuse(v, wanted, e);
    const char *text = kind_string(v, digits, e);
    if (!text)
        return -(int)ERROR_USAGE;
    int64_t n;
    size_t used = kind_digits(text, &n);
    const char *suffix = used && text[used] ? strchr(suffixes, toupper((unsigned char)text[used])) : NULL;
    if (!used || (text[used] && (!suffix || text[used + 1])))
        return error_set(e, ERROR_USAGE, "'%.*s' is not %s", UTF8_WORD(text), wanted);
    if (suffix && *suffix != '%')
        for (const char *unit = suffixes; unit <= suffix; unit++)
            if (__builtin_mul_overflow(n, 1024, &n))
                n = n < 0 ? INT64_MIN : INT64_MAX;
    *out = n;
    return 0;
}

static int int_put(struct job *j, const struct field *f, const struct value *v, struct error *e)
{
    int64_t n;
    bool percent = f->kind == FIELD_PERCENT;
    if (number_of(v, percent ? "%" : "", percent ? "a percentage, such as 10 or 10%" : "a whole number", &n, e) < 0 || number_in_range(f, n, e) < 0)
        return -(int)ERROR_USAGE;
    *(int *)kind_place(j, f) = (int)n;
    return 0;
}

/* 010 is eight to YAML 1.1 and ten to YAML 1.2. */
static bool number_is_padded(const char *text)
{
    text += *text == '-';
    return text[0] == '0' && text[1] >= '0' && text[1] <= '9';
}

/* Where numbers have a form of their own a text is none, but for one without quotes in YAML; a percentage may have its sign. */
static int int_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    if (f->kind == FIELD_INT && v->kind != VALUE_INT && !v->plain)
        return kind_refuse(v, "a whole number", e);
    if (v->plain && number_is_padded(v->text.data))
        return error_set(e, ERROR_USAGE, "'%.*s' begins with 0, which some take for octal: write the number without it", UTF8_WORD(v->text.data));
    return int_put(j, f, v, e);
}

static int int_set_text(struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    (void)c;
    struct value v = value_text(text);
    int code = int_put(j, f, &v, e);
    value_clear(&v);
    return code;
}

static void int_reset(struct job *j, const struct field *f)
{
    *(int *)kind_place(j, f) = (int)f->standard;
}

static bool int_is_default(const struct job *j, const struct field *f)
{
    return *(int *)kind_place(j, f) == f->standard;
}

static struct value int_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return value_int(*(int *)kind_place(j, f));
}

static int size_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    int64_t n;
    if (number_of(v, "KMGT", "a number of bytes, such as 4096, 64k or 10M", &n, e) < 0 || number_in_range(f, n, e) < 0)
        return -(int)ERROR_USAGE;
    *(int64_t *)kind_place(j, f) = n;
    return 0;
}

static void size_reset(struct job *j, const struct field *f)
{
    *(int64_t *)kind_place(j, f) = f->standard;
}

static bool size_is_default(const struct job *j, const struct field *f)
{
    return *(int64_t *)kind_place(j, f) == f->standard;
}

static struct value size_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return value_int(*(int64_t *)kind_place(j, f));
}

static int mode_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    char digits[KIND_DIGITS];
    if (v->kind != VALUE_TEXT)
        return kind_refuse(v, "an octal text, such as \"022\"", e);
    const char *text = kind_string(v, digits, e);
    size_t length = text ? strlen(text) : 0;
    if (!length || length > 4 || strspn(text, "01234567") != length || strtol(text, NULL, 8) > f->maximum)
        return error_set(e, ERROR_USAGE, "is not an octal number from 000 to 777, such as 022");
    *(int *)kind_place(j, f) = (int)strtol(text, NULL, 8);
    return 0;
}

static struct value mode_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    char text[16];
    int mode = *(int *)kind_place(j, f);
    snprintf(text, sizeof text, "%03o", (unsigned)mode);
    if (mode < 0)
        return (struct value){0};
    return value_text(text);
}

static int choice_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    struct buf words = {0};
    for (int i = 0; f->words[i]; i++) {
        if (v->kind == VALUE_TEXT && strlen(f->words[i]) == v->text.length && memcmp(f->words[i], v->text.data, v->text.length) == 0) {
            *(int *)kind_place(j, f) = i;
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
    return value_text(f->words[*(int *)kind_place(j, f)]);
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
    size_t used = *text == '-' ? 0 : kind_digits(text, &first);
    const char *rest = text + used;
    last = first = used ? first : -1;
    if (used && *rest == '-') {
        rest++;
        used = *rest == '-' ? 0 : kind_digits(rest, &last);
        rest += used;
    }
    if (!used || *rest)
        return error_set(e, ERROR_USAGE, "'%.*s' is not an exit code: write them like 3 or 1,64-78", UTF8_WORD(text));
    if (last > 255 || first > last)
        return error_set(e, ERROR_USAGE, "'%.*s': exit codes are from 0 to 255, the smaller one first", UTF8_WORD(text));
    exits_add(x, first, last);
    return 0;
}

static int exits_value(struct exits *x, const struct value *v, struct error *e)
{
    char digits[KIND_DIGITS];
    if (v->kind != VALUE_INT && v->kind != VALUE_TEXT)
        return kind_refuse(v, "exit codes, such as 3 or [1, 2]", e);
    const char *text = kind_string(v, digits, e);
    if (!text)
        return -(int)ERROR_USAGE;
    struct strvec parts = {0};
    int failed = 0;
    kind_split(text, &parts);
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
            return kind_place_item(&v->list.items[i], e);
    *(struct exits *)kind_place(j, f) = x;
    return 0;
}

static struct exits exits_standard(const struct field *f)
{
    return (struct exits){{(uint8_t)f->standard}};
}

static void exits_reset(struct job *j, const struct field *f)
{
    *(struct exits *)kind_place(j, f) = exits_standard(f);
}

static bool exits_is_default(const struct job *j, const struct field *f)
{
    struct exits standard = exits_standard(f);
    return memcmp(kind_place(j, f), &standard, sizeof standard) == 0;
}

static struct value exits_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    const struct exits *x = kind_place(j, f);
    struct value list = value_list();
    for (int code = 0; code < 256; code++)
        if (x->bits[code / 8] >> code % 8 & 1)
            value_push(&list, value_int(code));
    return list;
}

/* ---- the kinds ---- */

/* ---- true, false, not said ---- */

static int said_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    (void)c;
    bool word = v->kind == VALUE_TEXT && v->plain, yes = word && strcmp(v->text.data, "true") == 0;
    if (v->kind != VALUE_BOOL && !yes && !(word && strcmp(v->text.data, "false") == 0))
        return word ? error_set(e, ERROR_USAGE, "'%.*s' is neither true nor false", UTF8_WORD(v->text.data)) : kind_refuse(v, "true or false", e);
    *(enum said *)kind_place(j, f) = yes || (v->kind == VALUE_BOOL && v->boolean) ? SAID_YES : SAID_NO;
    return 0;
}

static int said_set_text(struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    struct value v = value_text(text);
    v.plain = true;
    int code = said_set(j, f, &v, c, e);
    value_clear(&v);
    return code;
}

static void said_reset(struct job *j, const struct field *f)
{
    *(enum said *)kind_place(j, f) = SAID_NOT;
}

static bool said_is_default(const struct job *j, const struct field *f)
{
    return *(enum said *)kind_place(j, f) == SAID_NOT;
}

static struct value said_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return value_bool(*(enum said *)kind_place(j, f) == SAID_YES);
}

const struct kind kind_int = {int_set, int_set_text, int_reset, int_is_default, int_get};
const struct kind kind_size = {size_set, NULL, size_reset, size_is_default, size_get};
const struct kind kind_mode = {mode_set, NULL, int_reset, int_is_default, mode_get};
const struct kind kind_choice = {choice_set, NULL, int_reset, int_is_default, choice_get};
const struct kind kind_exits = {exits_set, NULL, exits_reset, exits_is_default, exits_get};
const struct kind kind_said = {said_set, said_set_text, said_reset, said_is_default, said_get};
