#include "spool/kind.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "lib/base/mem.h"

const struct kind *kind_of(const struct field *f)
{
    static const struct kind *const kinds[] = {
        [FIELD_TEXT] = &kind_text,
        [FIELD_PATH] = &kind_path,
        [FIELD_BYTES] = &kind_bytes,
        [FIELD_TEXTS] = &kind_texts,
        [FIELD_COMMAND] = &kind_command,
        [FIELD_SHELL] = &kind_shell,
        [FIELD_INT] = &kind_int,
        [FIELD_PERCENT] = &kind_int,
        [FIELD_SIZE] = &kind_size,
        [FIELD_DURATION] = &kind_duration,
        [FIELD_DURATIONS] = &kind_durations,
        [FIELD_CHOICE] = &kind_choice,
        [FIELD_EXITS] = &kind_exits,
        [FIELD_MAP] = &kind_map,
        [FIELD_MODE] = &kind_mode,
        [FIELD_AT] = &kind_at,
        [FIELD_IN] = &kind_at,
        [FIELD_EVERY] = &kind_every,
        [FIELD_CRON] = &kind_expressions,
        [FIELD_CALENDAR] = &kind_expressions,
        [FIELD_EXCEPT] = &kind_expressions,
        [FIELD_ZONE] = &kind_zone,
        [FIELD_BOUND] = &kind_bound,
        [FIELD_SAID] = &kind_said,
    };
    return kinds[f->kind];
}

void *kind_place(const struct job *j, const struct field *f)
{
    return (char *)(uintptr_t)j + f->offset;
}

int kind_refuse(const struct value *v, const char *wanted, struct error *e)
{
    return error_set(e, ERROR_USAGE, "wants %s, not %s", wanted, value_kind_name(v->kind));
}

const char *kind_string(const struct value *v, char digits[KIND_DIGITS], struct error *e)
{
    if (v->kind == VALUE_INT) {
        snprintf(digits, KIND_DIGITS, "%" PRId64, v->integer);
        return digits;
    }
    if (v->kind != VALUE_TEXT) {
        kind_refuse(v, "a text", e);
        return NULL;
    }
    if (strlen(v->text.data) != v->text.length) {
        error_set(e, ERROR_USAGE, "holds a NUL byte");
        return NULL;
    }
    return v->text.data;
}

int kind_place_item(const struct value *item, struct error *e)
{
    return item->line ? error_place(e, NULL, item->line, item->column, 1) : -(int)ERROR_USAGE;
}

struct value kind_strings(const struct strvec *v)
{
    struct value list = value_list();
    for (size_t i = 0; i < v->count; i++)
        value_push(&list, value_text(v->items[i]));
    return list;
}

void kind_split(const char *text, struct strvec *out)
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

size_t kind_digits(const char *text, int64_t *out)
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
