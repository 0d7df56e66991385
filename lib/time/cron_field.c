/* One field of a cron expression: a list of items, each a value, a range, a choice or a word of the day fields. */
#include <string.h>

#include "lib/time/cron_parts.h"

enum { VALUE_MAX = 999999999, TOKEN_SHOWN = 40 };

static const char month_names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
static const char weekday_names[] = "sunmontuewedthufrisat";

static const struct kind {
    const char *name, *names; /* names: three letters each, the first is `low` */
    int low, high;
    int cycle;         /* this much later a value is the same one: a range that wraps goes on there */
    const char *again; /* when `*` and a step begin anew, and with what */
} kinds[CRON_FIELDS] = {
    [CRON_SECOND] = {"second", NULL, 0, 59, 60, "at 0 in every minute"},
    [CRON_MINUTE] = {"minute", NULL, 0, 59, 60, "at 0 in every hour"},
    [CRON_HOUR] = {"hour", NULL, 0, 23, 24, "at 0 on every day"},
    [CRON_DAY] = {"day-of-month", NULL, 1, 31, 31, "on the 1st of every month"},
    [CRON_MONTH] = {"month", month_names, 1, 12, 12, "in January of every year"},
    [CRON_WEEKDAY] = {"day-of-week", weekday_names, 0, 7, 7, "on Sunday of every week"},
};

struct parser {
    const struct cron_reader *r;
    const struct cron_text *field;
    const struct kind *kind;
    enum cron_field which;
    const char *at, *end, *item; /* item: where the item begins that is being read */
    int items;
    uint64_t set;
    struct cron *c;
};

const char *cron_field_name(enum cron_field which)
{
    return kinds[which].name;
}

/* ---- errors ---- */

static int place(const struct parser *p, const char *at, int64_t width)
{
    return error_place(p->r->e, p->field->whole, 1, (int)(at - p->field->whole) + 1, width > 1 ? (int)width : 1);
}

int cron_shown(const char *text, int64_t length)
{
    int shown = 0;
    while (shown < length && shown < TOKEN_SHOWN && (unsigned char)text[shown] >= ' ' && text[shown] != 0x7f)
        shown++;
    while (shown > 0 && shown < length && ((unsigned char)text[shown] & 0xc0) == 0x80)
        shown--;
    return shown;
}

/* `minute: '1-9/0': a step is at least 1`, with the caret at `at`. */
static int refuse(const struct parser *p, const char *at, const char *why)
{
    error_set(p->r->e, ERROR_USAGE, "%s: '%.*s': %s", p->kind->name, cron_shown(p->field->at, p->field->length),
        p->field->at, why);
    return place(p, at, 1);
}

static int refuse_range(const struct parser *p, const char *at, bool above, int bound)
{
    error_set(p->r->e, ERROR_USAGE, "%s: %.*s is %s %d", p->kind->name, cron_shown(at, p->at - at), at,
        above ? "above" : "below", bound);
    return place(p, at, p->at - at);
}

/* ---- values ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_letter(char c)
{
    return lower(c) >= 'a' && lower(c) <= 'z';
}

static char next_char(const struct parser *p)
{
    return p->at < p->end ? *p->at : '\0';
}

static bool take(struct parser *p, char c)
{
    bool there = lower(next_char(p)) == c;
    p->at += there;
    return there;
}

/* Stops counting where no field goes, so nothing wraps. */
static int read_digits(struct parser *p)
{
    int value = 0;
    for (; is_digit(next_char(p)); p->at++)
        value = value > VALUE_MAX / 10 ? VALUE_MAX : value * 10 + (*p->at - '0');
    return value;
}

static int name_value(const struct kind *k, const char *word)
{
    for (int i = 0; k->names && k->names[i]; i += 3)
        if (lower(word[0]) == k->names[i] && lower(word[1]) == k->names[i + 1] && lower(word[2]) == k->names[i + 2])
            return k->low + i / 3;
    return -1;
}

static int refuse_word(const struct parser *p, int64_t length)
{
    int known = length >= 3 ? name_value(p->kind, p->at) : -1;
    if (known >= 0)
        error_set(p->r->e, ERROR_USAGE, "%s: '%.*s' is written with its first three letters, %.3s", p->kind->name,
            cron_shown(p->at, length), p->at, p->kind->names + 3 * (known - p->kind->low));
    else if (lower(*p->at) == 'h' && length == 1)
        error_set(p->r->e, ERROR_USAGE, "%s: '%.1s' is not taken: a value that is chosen for the job is written ~",
            p->kind->name, p->at);
    else
        error_set(p->r->e, ERROR_USAGE, "%s: '%.*s' is no %s", p->kind->name, cron_shown(p->at, length), p->at,
            p->kind->names ? "number and no name" : "number");
    return place(p, p->at, length);
}

/* A number or a name. The L of `friL` is left for the caller. */
static int read_value(struct parser *p, int *out)
{
    const char *start = p->at;
    if (is_digit(next_char(p))) {
        int value = read_digits(p);
        if (value < p->kind->low || value > p->kind->high)
            return refuse_range(p, start, value > p->kind->high, value > p->kind->high ? p->kind->high : p->kind->low);
        *out = value;
        return 0;
    }
    while (p->at < p->end && is_letter(*p->at))
        p->at++;
    int64_t length = p->at - start;
    p->at = start;
    if (length == 0)
        return refuse(p, start, start == p->end || *start == ',' ? "a value is missing" : "a number is expected here");
    bool last = length == 4 && p->which == CRON_WEEKDAY && lower(start[3]) == 'l';
    int value = length == 3 || last ? name_value(p->kind, start) : -1;
    if (value < 0)
        return refuse_word(p, length);
    p->at += 3;
    *out = value;
    return 0;
}

/* ---- what is legal but likely a slip ---- */

static void warn_step(const struct parser *p, int length, int step)
{
    if (!p->r->warnings || length == 1)
        return;
    if (length > p->kind->cycle) /* Sunday is in the week twice */
        length = p->kind->cycle;
    struct buf b = {0};
    buf_format(&b, "%s: %.*s ", p->kind->name, cron_shown(p->item, p->at - p->item), p->item);
    if (step >= length)
        buf_format(&b, "is its first value only: the step is longer than the range");
    else if (length == p->kind->cycle && p->kind->cycle % step != 0)
        buf_format(&b, "does not come round evenly: it begins anew %s", p->kind->again);
    else if (length == p->kind->cycle && p->which == CRON_DAY && step > 1)
        buf_format(&b, "begins anew %s, however long the last one was", p->kind->again);
    else
        buf_reset(&b);
    if (b.length)
        strvec_add(p->r->warnings, buf_string(&b));
    buf_clear(&b);
}

/* ---- items ---- */

/* A range as it is counted out: from 22 to 6 it goes on after the highest value. */
struct range {
    int low, length;
};

static struct range range_of(const struct parser *p, int low, int high)
{
    if (low > high)
        low = p->which == CRON_WEEKDAY ? low % 7 : low;
    return (struct range){low, high - low + 1 + (low > high ? p->kind->cycle : 0)};
}

static void add_steps(struct parser *p, const struct range *range, int first, int step)
{
    for (int64_t i = first; i < range->length; i += step) {
        int64_t value = range->low + i;
        if (p->which == CRON_WEEKDAY)
            value %= 7;
        else if (value > p->kind->high)
            value -= p->kind->cycle;
        p->set |= UINT64_C(1) << value;
    }
}

static int read_step(struct parser *p, int *out)
{
    const char *start = p->at;
    if (!is_digit(next_char(p)))
        return refuse(p, start, "a step is a number of at least 1");
    int step = read_digits(p);
    if (step == 0)
        return refuse(p, start, "a step is at least 1");
    if (step == VALUE_MAX)
        return refuse(p, start, "the step is too long");
    *out = step;
    return 0;
}

static int read_range(struct parser *p, int low, int high)
{
    int step = 1;
    struct range range = range_of(p, low, high);
    if (take(p, '/')) {
        int code = read_step(p, &step);
        if (code)
            return code;
        warn_step(p, range.length, step);
    }
    add_steps(p, &range, 0, step);
    return 0;
}

/* The finalizer of splitmix64: near seeds give far numbers. */
static uint64_t mix(uint64_t x)
{
    x += UINT64_C(0x9e3779b97f4a7c15);
    x = (x ^ x >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    x = (x ^ x >> 27) * UINT64_C(0x94d049bb133111eb);
    return x ^ x >> 31;
}

static int choose(const struct parser *p, int count)
{
    uint64_t random = mix(mix(p->r->seed) ^ mix((uint64_t)(p->which * 1000 + p->items)));
    return (int)((unsigned __int128)random * (unsigned)count >> 64);
}

/* `a~b`: one value of the range. With a step: every step-th from a chosen one of the first. */
static int read_choice(struct parser *p, int low)
{
    int code = 0, step = 0, high = p->which == CRON_WEEKDAY ? 6 : p->kind->high;
    if (is_digit(next_char(p)) || is_letter(next_char(p)))
        code = read_value(p, &high);
    struct range range = range_of(p, low, high);
    if (!code && take(p, '/'))
        code = read_step(p, &step);
    if (code)
        return code;
    if (step)
        warn_step(p, range.length, step);
    int first = choose(p, step && step < range.length ? step : range.length);
    add_steps(p, &range, first, step ? step : range.length);
    return 0;
}

static int read_nth(struct parser *p, int weekday)
{
    const char *start = p->at;
    int n = is_digit(next_char(p)) ? read_digits(p) : 0;
    if (n < 1 || n > 5)
        return refuse(p, start, "behind # stands which one of the month, 1 to 5");
    p->c->nth_weekday[n] |= (uint8_t)(1 << weekday % 7);
    return 0;
}

static int read_from_value(struct parser *p)
{
    int low, high;
    int code = read_value(p, &low);
    if (code)
        return code;
    if (take(p, '~'))
        return read_choice(p, low);
    if (take(p, '-')) {
        code = read_value(p, &high);
        return code ? code : read_range(p, low, high);
    }
    if (next_char(p) == '/')
        return refuse(p, p->at, "a step needs a range before it, or *");
    if (p->which == CRON_DAY && take(p, 'w'))
        p->c->near_workday |= UINT32_C(1) << low;
    else if (p->which == CRON_WEEKDAY && take(p, 'l'))
        p->c->last_weekday |= (uint8_t)(1 << low % 7);
    else if (p->which == CRON_WEEKDAY && take(p, '#'))
        return read_nth(p, low);
    else
        p->set |= UINT64_C(1) << (p->which == CRON_WEEKDAY ? low % 7 : low);
    return 0;
}

static int read_last(struct parser *p)
{
    if (p->which == CRON_WEEKDAY)
        return refuse(p, p->item, "L stands behind a weekday here, like 5L; Saturday is 6");
    if (take(p, 'w'))
        p->c->last_workday = true;
    else
        p->c->last_day = true;
    return 0;
}

static int read_item(struct parser *p)
{
    bool day = p->which == CRON_DAY || p->which == CRON_WEEKDAY;
    p->item = p->at;
    if (take(p, '*'))
        return read_range(p, p->kind->low, p->kind->high);
    if (take(p, '~'))
        return read_choice(p, p->kind->low);
    if (day && take(p, '?'))
        return p->field->length == 1 ? read_range(p, p->kind->low, p->kind->high)
                                     : refuse(p, p->item, "? stands alone");
    if (day && take(p, 'l'))
        return read_last(p);
    return read_from_value(p);
}

static void store(const struct parser *p)
{
    switch (p->which) {
    case CRON_SECOND:
        p->c->seconds = p->set;
        break;
    case CRON_MINUTE:
        p->c->minutes = p->set;
        break;
    case CRON_HOUR:
        p->c->hours = (uint32_t)p->set;
        break;
    case CRON_DAY:
        p->c->days = (uint32_t)p->set;
        break;
    case CRON_MONTH:
        p->c->months = (uint32_t)p->set;
        break;
    case CRON_WEEKDAY:
        p->c->weekdays = (uint8_t)p->set;
        break;
    }
}

int cron_field_parse(const struct cron_reader *r, enum cron_field which, const struct cron_text *field, struct cron *c)
{
    struct parser p = {.r = r, .field = field, .kind = &kinds[which], .which = which, .c = c};
    p.at = field->at;
    p.end = field->at + field->length;
    do {
        int code = read_item(&p);
        if (code)
            return code;
        p.items++;
        if (p.at < p.end && *p.at != ',')
            return refuse(&p, p.at, "it does not go on like this: behind a value stands a comma or a blank");
    } while (p.at++ < p.end);
    store(&p);
    return 0;
}
