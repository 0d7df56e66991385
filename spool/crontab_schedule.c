/* The schedule of a line as cron reads it: character by character, and no further than it has to. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "spool/crontab_parts.h"

enum { FIELDS = 5, MINUTE = 0, HOUR, DAY, MONTH, WEEKDAY };
enum { LONG_VALUE = 999999999, STEP_MAX = 99 }; /* what ax takes as a number; a step beyond every range */

static const char month_names[] = "janfebmaraprmayjunjulaugsepoctnovdec";
static const char weekday_names[] = "sunmontuewedthufrisat";

static const struct kind {
    const char *name, *refused, *names;
    int low, high;
} kinds[FIELDS] = {
    [MINUTE] = {"minute", "bad minute", NULL, 0, 59},
    [HOUR] = {"hour", "bad hour", NULL, 0, 23},
    [DAY] = {"day-of-month", "bad day-of-month", NULL, 1, 31},
    [MONTH] = {"month", "bad month", month_names, 1, 12},
    [WEEKDAY] = {"day-of-week", "bad day-of-week", weekday_names, 0, 7},
};

struct field {
    const struct kind *kind;
    enum crontab_dialect dialect;
    const char *start, *at;
    struct buf *read; /* what cron makes of it, in a form that says no more */
    bool star;        /* begins with *: decides whether both day fields must match */
    bool any;         /* has a value at all */
    bool odd;         /* a number that overflowed, a range from high to low, or a rest that is dropped */
    bool chance;
};

struct range {
    int first, last, step;
    bool star;
};

/* ---- numbers ---- */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static char lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

static bool is_word(char c)
{
    return is_digit(c) || (lower(c) >= 'a' && lower(c) <= 'z');
}

static int name_value(const struct kind *k, const char *word, size_t length)
{
    for (int i = 0; length == 3 && k->names && k->names[i]; i += 3)
        if (lower(word[0]) == k->names[i] && lower(word[1]) == k->names[i + 1] && lower(word[2]) == k->names[i + 2])
            return k->low + i / 3;
    return -1;
}

/* As atoi() on cron's machine: the number is kept in 64 bits, stops at the largest, and 32 bits of it count. */
static int wrapped_value(struct field *f, const char *digits, size_t length)
{
    uint64_t value = 0;
    for (size_t i = 0; i < length; i++)
        value = value > (uint64_t)(INT64_MAX - 9) / 10 ? (uint64_t)INT64_MAX : value * 10 + (uint64_t)(digits[i] - '0');
    f->odd |= value > LONG_VALUE;
    return (int)(int32_t)(uint32_t)value;
}

static bool read_number(struct field *f, bool named, int *out)
{
    const char *word = f->at;
    bool digits = true;
    for (; is_word(*f->at); f->at++)
        digits &= is_digit(*f->at);
    size_t length = (size_t)(f->at - word);
    if (!length || length > CRONTAB_LIMIT)
        return false;
    if (digits)
        *out = wrapped_value(f, word, length);
    else
        *out = named ? name_value(f->kind, word, length) : -1;
    return digits || *out >= 0;
}

/* ---- ranges ---- */

static bool at_end(char c)
{
    return !c || c == ',' || crontab_blank(c);
}

/* cronie's 5~20, 5~, ~20 and ~. What is chosen is for ax to say. */
static bool read_chance(struct field *f, const char *item, int first)
{
    int last = f->kind->high;
    f->at++;
    if (!at_end(*f->at) && !read_number(f, true, &last))
        return false;
    f->chance = f->any = true;
    if (f->read->length)
        buf_char(f->read, ',');
    buf_add(f->read, item, (size_t)(f->at - item));
    return first >= f->kind->low && first <= last && last <= f->kind->high && at_end(*f->at);
}

static bool read_bounds(struct field *f, struct range *r)
{
    bool cronie = f->dialect == CRONTAB_CRONIE;
    r->star = *f->at == '*';
    if (r->star) {
        f->at++;
        *r = (struct range){f->kind->low, f->kind->high, 1, true};
        return true;
    }
    if (!read_number(f, true, &r->first) || *f->at == '/')
        return false;
    r->last = r->first;
    if (*f->at != '-')
        return true;
    f->at++;
    if (!read_number(f, true, &r->last))
        return false;
    if (cronie && r->first > r->last && r->last == 0 && *f->at != '/')
        r->last = 7;
    return true;
}

static bool is_value(const struct field *f, int value)
{
    return value >= f->kind->low && value <= f->kind->high;
}

/* Both ends must be values, but from high to low there is nothing, and cron says nothing. A step that leaves the
 * numbers of cron's machine comes out below all values. */
static bool range_taken(struct field *f, const struct range *r)
{
    bool inside = is_value(f, r->first) && is_value(f, r->last), taken = r->first <= r->last;
    for (int i = r->first; inside && i <= r->last; i = (int)((unsigned)i + (unsigned)r->step))
        inside = is_value(f, i);
    f->odd |= !taken;
    f->any |= taken;
    return inside;
}

static void range_format(struct field *f, const struct range *r, bool begins)
{
    if (r->first > r->last)
        return;
    if (f->read->length)
        buf_char(f->read, ',');
    if (r->star && (begins || f->read->length))
        buf_char(f->read, '*');
    else if (r->first == r->last && r->step == 1)
        buf_format(f->read, "%d", r->first);
    else
        buf_format(f->read, "%d-%d", r->first, r->last);
    if (r->step != 1)
        buf_format(f->read, "/%d", r->step < STEP_MAX ? r->step : STEP_MAX);
}

static bool read_range(struct field *f)
{
    struct range r = {.step = 1};
    const char *item = f->at;
    if (f->dialect == CRONTAB_CRONIE && *f->at == '~')
        return read_chance(f, item, f->kind->low);
    if (!read_bounds(f, &r))
        return false;
    if (f->dialect == CRONTAB_CRONIE && *f->at == '~' && !r.star && r.first == r.last)
        return read_chance(f, item, r.first);
    if (*f->at == '/') {
        f->at++;
        if (!read_number(f, false, &r.step) || r.step == 0)
            return false;
    }
    if (!range_taken(f, &r))
        return false;
    range_format(f, &r, item == f->start);
    return f->dialect == CRONTAB_DEBIAN || at_end(*f->at);
}

/* ---- fields ---- */

static bool field_read(struct field *f)
{
    f->star = *f->at == '*';
    for (;;) {
        if (!read_range(f))
            return false;
        if (*f->at != ',')
            break;
        f->at++;
    }
    f->odd |= !at_end(*f->at);
    while (*f->at && !crontab_blank(*f->at))
        f->at++;
    return true;
}

enum { SHOWN = 40 };

static void field_doubt(const struct field *f, struct buf *doubts)
{
    int length = (int)(f->at - f->start) > SHOWN ? SHOWN : (int)(f->at - f->start);
    if (doubts->length)
        buf_text(doubts, "; ");
    buf_format(doubts, "%s: cron takes '%.*s' for ", f->kind->name, length, f->start);
    if (f->any)
        buf_format(doubts, "'%s'", buf_string(f->read));
    else
        buf_text(doubts, "no value at all");
}

/* What the day fields come to where one of them has no value: the other alone, or no day. */
static bool days_remain(const struct field *fields)
{
    const struct field *day = &fields[DAY], *weekday = &fields[WEEKDAY];
    if (day->any == weekday->any)
        return day->any;
    return day->any ? !day->star : !weekday->star;
}

static void fields_format(const struct field *fields, struct crontab_schedule *out)
{
    bool never = !fields[MINUTE].any || !fields[HOUR].any || !fields[MONTH].any || !days_remain(fields);
    for (int i = 0; i < FIELDS; i++) {
        const struct field *f = &fields[i];
        if (i)
            buf_char(&out->text, ' ');
        buf_add(&out->text, f->start, (size_t)(f->at - f->start));
        if (f->odd)
            field_doubt(f, &out->doubts);
        out->chance |= f->chance;
        if (never)
            continue;
        if (i)
            buf_char(&out->cron, ' ');
        if (!f->any)
            buf_char(&out->cron, '*');
        else if (f->odd)
            buf_text(&out->cron, buf_string(f->read));
        else
            buf_add(&out->cron, f->start, (size_t)(f->at - f->start));
    }
    if (!never)
        return;
    buf_text(&out->doubts, ": the line never runs");
    buf_text(&out->cron, "0 0 30 2 *");
}

static void read_fields(const char *text, enum crontab_dialect dialect, struct crontab_schedule *out)
{
    struct buf read[FIELDS] = {0};
    struct field fields[FIELDS];
    const char *at = text;
    for (int i = 0; i < FIELDS && !out->refused; i++) {
        fields[i] = (struct field){.kind = &kinds[i], .dialect = dialect, .start = at, .at = at, .read = &read[i]};
        if (!field_read(&fields[i]))
            out->refused = kinds[i].refused;
        at = crontab_skip(fields[i].at);
    }
    if (!out->refused) {
        fields_format(fields, out);
        out->rest = at;
    }
    for (int i = 0; i < FIELDS; i++)
        buf_clear(&read[i]);
}

/* ---- nicknames ---- */

static void read_nickname(const char *text, struct crontab_schedule *out)
{
    static const char *const names[] = {
        "@reboot", "@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"};
    size_t length = strcspn(text, " \t");
    out->refused = "bad time specifier";
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (strlen(names[i]) == length && !memcmp(names[i], text, length))
            out->refused = NULL;
    if (out->refused)
        return;
    buf_add(&out->text, text, length);
    buf_add(&out->cron, text, length);
    out->rest = crontab_skip(text + length);
}

void crontab_schedule_read(const char *text, enum crontab_dialect dialect, struct crontab_schedule *out)
{
    *out = (struct crontab_schedule){0};
    if (*text == '@')
        read_nickname(text, out);
    else
        read_fields(text, dialect, out);
}

void crontab_schedule_clear(struct crontab_schedule *s)
{
    buf_clear(&s->text);
    buf_clear(&s->cron);
    buf_clear(&s->doubts);
}
