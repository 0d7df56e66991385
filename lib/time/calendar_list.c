/* The lists in a calendar expression: numbers, ranges and steps, checked against what a part can be. */
#include <stdlib.h>

#include "lib/base/mem.h"
#include "lib/time/calendar_cursor.h"

static const struct limits {
    const char *name;
    int32_t min, max;
} limits[PARTS] = {
    [PART_YEAR] = {"year", CALENDAR_YEAR_MIN, CALENDAR_YEAR_MAX},
    [PART_MONTH] = {"month", 1, 12},
    [PART_DAY] = {"day", 1, 31},
    [PART_HOUR] = {"hour", 0, 23},
    [PART_MINUTE] = {"minute", 0, 59},
    [PART_SECOND] = {"second", 0, CALENDAR_MINUTE - 1},
};

enum { DAY_FROM_END_MAX = 28, WIDTH_MAX = 20 };

const char *calendar_part_name(enum calendar_part part)
{
    return limits[part].name;
}

/* ---- refusals ---- */

int cursor_place(const struct cursor *in, const char *at, const char *end)
{
    return error_place(in->e, in->text, 1, (int)(at - in->text) + 1, end > at ? (int)(end - at) : 1);
}

int cursor_shown(const char *at, const char *end)
{
    return end - at > WIDTH_MAX ? WIDTH_MAX : (int)(end - at);
}

/* Something else than `wanted` stands at p. */
int cursor_refuse(const struct cursor *in, const char *name, const char *wanted)
{
    const char *end = in->p;
    while (end < in->end && *end != ' ')
        end++;
    if (in->p == in->end)
        error_set(in->e, ERROR_USAGE, "%s: %s is expected where it ends", name, wanted);
    else if (*in->p == ' ')
        error_set(in->e, ERROR_USAGE, "%s: %s is expected, not a blank", name, wanted);
    else
        error_set(in->e, ERROR_USAGE, "%s: %s is expected, not '%.*s'", name, wanted, cursor_shown(in->p, end), in->p);
    return cursor_place(in, in->p, end);
}

/* ---- numbers ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Microseconds of a fraction that begins at p; what is finer is rounded. */
static int32_t fraction(const char *p, const char **end)
{
    int32_t micro = 0;
    for (int place_value = CALENDAR_MICRO / 10; place_value; place_value /= 10)
        if (is_digit(*p))
            micro += (*p++ - '0') * place_value;
    if (is_digit(*p))
        micro += *p >= '5';
    while (is_digit(*p))
        p++;
    *end = p;
    return micro;
}

static int read_number(struct cursor *in, enum calendar_part part, int32_t *out)
{
    const char *at = in->p, *p = at;
    int64_t value = 0;
    if (!is_digit(*p))
        return cursor_refuse(in, limits[part].name, "a number");
    for (; is_digit(*p); p++)
        if (value <= INT32_MAX)
            value = value * 10 + (*p - '0');
    if (part == PART_SECOND) {
        value *= CALENDAR_MICRO;
        if (*p == '.' && is_digit(p[1]))
            value += fraction(p + 1, &p);
    }
    if (value > INT32_MAX) {
        error_set(in->e, ERROR_USAGE, "%s: %.*s is too large", limits[part].name, cursor_shown(at, p), at);
        return cursor_place(in, at, p);
    }
    *out = (int32_t)value;
    in->p = p;
    return 0;
}

/* ---- the elements of a list ---- */

static void describe_limit(const struct cursor *in, enum calendar_part part, bool above, struct buf *b)
{
    int32_t limit = above ? limits[part].max : limits[part].min;
    if (part == PART_SECOND)
        buf_text(b, "59.999999");
    else if (part == PART_DAY && in->c->from_end && above)
        buf_format(b, "%d, the most that can be counted from the end of every month", DAY_FROM_END_MAX);
    else
        buf_format(b, "%d", limit);
}

/* As people write them: 30 and 2.5, not microseconds. */
static void describe_value(enum calendar_part part, int64_t value, struct buf *b)
{
    if (part != PART_SECOND) {
        buf_format(b, "%lld", (long long)value);
        return;
    }
    buf_format(b, "%lld", (long long)(value / CALENDAR_MICRO));
    if (value % CALENDAR_MICRO) {
        buf_format(b, ".%06d", (int)(value % CALENDAR_MICRO));
        while (b->data[b->length - 1] == '0')
            buf_cut(b, b->length - 1);
    }
}

static int32_t part_max(const struct cursor *in, enum calendar_part part)
{
    return part == PART_DAY && in->c->from_end ? DAY_FROM_END_MAX : limits[part].max;
}

static int check_value(const struct cursor *in, enum calendar_part part, int32_t value, const char *at)
{
    bool above = value > part_max(in, part);
    if (!above && value >= limits[part].min)
        return 0;
    struct buf b = {0};
    describe_value(part, value, &b);
    buf_text(&b, above ? " is above " : " is below ");
    describe_limit(in, part, above, &b);
    error_set(in->e, ERROR_USAGE, "%s: %s", limits[part].name, buf_string(&b));
    buf_clear(&b);
    return cursor_place(in, at, in->p);
}

static int check_step(const struct cursor *in, enum calendar_part part, const struct calendar_range *r, const char *at)
{
    bool down = part == PART_DAY && in->c->from_end;
    int64_t second = down ? (int64_t)r->from - r->step : (int64_t)r->from + r->step;
    if (r->to >= 0 || !r->step || (second >= limits[part].min && second <= part_max(in, part)))
        return 0;
    struct buf b = {0};
    describe_value(part, r->step, &b);
    buf_text(&b, " is too large a step from ");
    describe_value(part, r->from, &b);
    error_set(in->e, ERROR_USAGE, "%s: %s: no second value follows", limits[part].name, buf_string(&b));
    buf_clear(&b);
    return cursor_place(in, at, in->p);
}

static int32_t full_year(enum calendar_part part, int32_t value)
{
    if (part != PART_YEAR || value >= 100)
        return value;
    return value < 70 ? value + 2000 : value + 1900;
}

/* The end of `from..to` becomes the last value that there is. */
static int trim_range(const struct cursor *in, enum calendar_part part, struct calendar_range *r, const char *at)
{
    if (r->to < r->from) {
        error_set(in->e, ERROR_USAGE, "%s: the range begins after its end", limits[part].name);
        return cursor_place(in, at, in->p);
    }
    r->to -= (r->to - r->from) % r->step;
    int code = check_value(in, part, r->to, at);
    if (r->to == r->from) {
        r->to = -1;
        r->step = 0;
    }
    return code;
}

/* `5`, `5..9`, `5/2`, `5..9/2` */
static int read_range(struct cursor *in, enum calendar_part part, struct calendar_range *r)
{
    const char *at = in->p;
    int code = read_number(in, part, &r->from);
    if (code)
        return code;
    r->from = full_year(part, r->from);
    code = check_value(in, part, r->from, at);
    if (!code && in->p[0] == '.' && in->p[1] == '.') {
        in->p += 2;
        code = read_number(in, part, &r->to);
        r->to = full_year(part, r->to);
        r->step = part == PART_SECOND ? CALENDAR_MICRO : 1;
    }
    if (code)
        return code;
    if (*in->p == '/') {
        const char *step = ++in->p;
        if ((code = read_number(in, part, &r->step)))
            return code;
        if (!r->step) {
            error_set(in->e, ERROR_USAGE, "%s: a step of 0 leads nowhere", limits[part].name);
            return cursor_place(in, step, in->p);
        }
    } else if (part == PART_SECOND && r->to >= r->from && r->to - r->from < r->step) {
        error_set(in->e, ERROR_USAGE, "second: a range shorter than a second needs a step, such as /0.1");
        return cursor_place(in, at, in->p);
    }
    return r->to >= 0 ? trim_range(in, part, r, at) : check_step(in, part, r, at);
}

static int range_compare(const void *a, const void *b)
{
    const struct calendar_range *x = a, *y = b;
    if (x->from != y->from)
        return x->from < y->from ? -1 : 1;
    if (x->to != y->to)
        return x->to < y->to ? -1 : 1;
    return x->step < y->step ? -1 : x->step > y->step;
}

static void list_sort(struct calendar_list *list)
{
    qsort(list->items, (size_t)list->count, sizeof *list->items, range_compare);
    int kept = 0;
    for (int i = 0; i < list->count; i++)
        if (!kept || range_compare(&list->items[kept - 1], &list->items[i]) != 0)
            list->items[kept++] = list->items[i];
    list->count = kept;
}

static void list_add(struct calendar_list *list, struct calendar_range r)
{
    list->items = mem_resize(list->items, (size_t)list->count + 1, sizeof *list->items);
    list->items[list->count++] = r;
}

/* A list, or `*`, which must have nothing beside it. */
int calendar_list_read(struct cursor *in, enum calendar_part part)
{
    struct calendar_list *list = &in->c->lists[part];
    list->count = 0;
    if (*in->p == '*') {
        in->p++;
        if (part == PART_SECOND)
            list_add(list, (struct calendar_range){0, -1, CALENDAR_MICRO});
        if (*in->p == '/') {
            error_set(in->e, ERROR_USAGE, "%s: '*' takes no step: write %d/ and the step", limits[part].name,
                part == PART_YEAR ? 2000 : (int)limits[part].min);
            return cursor_place(in, in->p - 1, in->p + 1);
        }
        return 0;
    }
    for (;;) {
        struct calendar_range r = {.to = -1};
        int code = read_range(in, part, &r);
        if (code)
            return code;
        if (list->count == CALENDAR_LIST_MAX) {
            error_set(in->e, ERROR_USAGE, "%s: more than %d elements in a list", limits[part].name, CALENDAR_LIST_MAX);
            return cursor_place(in, in->p, in->p);
        }
        list_add(list, r);
        if (*in->p != ',')
            break;
        in->p++;
    }
    list_sort(list);
    return 0;
}

void calendar_list_set(struct calendar_list *list, int32_t value)
{
    list->count = 0;
    list_add(list, (struct calendar_range){.from = value, .to = -1});
}
