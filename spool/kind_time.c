#include "spool/kind.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/time/when.h"

/* ---- durations ---- */

static int duration_short(const struct field *f, struct error *e)
{
    struct buf least = {0};
    duration_format(&least, f->minimum);
    bool any = f->minimum <= SECOND / 1000;
    int code = error_set(e, ERROR_USAGE, "must be %s%s; `none` stands for no limit", any ? "longer than 0s" : "at least ", any ? "" : buf_string(&least));
    buf_clear(&least);
    return code;
}

/* In a record a duration is a number of nanoseconds; everyone else says the unit. */
static int duration_of(const struct value *v, const struct field *f, const struct field_context *c, duration *out, struct error *e)
{
    duration d;
    char digits[KIND_DIGITS];
    if (!c && v->kind == VALUE_INT) {
        d = v->integer;
    } else {
        if (v->kind != VALUE_TEXT && v->kind != VALUE_INT)
            return kind_refuse(v, "a duration, such as 90s or 1h30m", e);
        const char *text = kind_string(v, digits, e);
        if (!text || duration_parse(text, &d, e) < 0)
            return -(int)ERROR_USAGE;
    }
    *out = d;
    return d < f->minimum && !(!c && d == DURATION_NONE) ? duration_short(f, e) : 0;
}

static int duration_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    duration d = DURATION_NONE;
    bool none = f->minimum > 0 && v->kind == VALUE_TEXT && v->text.length == 4 && memcmp(v->text.data, "none", 4) == 0;
    if (!none && duration_of(v, f, c, &d, e) < 0)
        return -(int)ERROR_USAGE;
    *(duration *)kind_place(j, f) = d;
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
    duration d = *(duration *)kind_place(j, f);
    if (d == DURATION_NONE && f->standard == DURATION_NONE)
        return (struct value){0};
    return duration_value(d, form);
}

static void duration_reset(struct job *j, const struct field *f)
{
    *(duration *)kind_place(j, f) = f->standard;
}

static bool duration_is_default(const struct job *j, const struct field *f)
{
    return *(duration *)kind_place(j, f) == f->standard;
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
            return kind_place_item(&items[i], e);
        }
    *out = d;
    return 0;
}

static int durations_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    struct durations d, *to = kind_place(j, f);
    struct value parts = value_list();
    if (v->kind == VALUE_TEXT && strchr(v->text.data, ',')) {
        struct strvec texts = {0};
        kind_split(v->text.data, &texts);
        parts = kind_strings(&texts);
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
    struct durations *to = kind_place(j, f);
    to->items = mem_resize(to->items, 1, sizeof *to->items);
    to->items[0] = f->standard;
    to->count = 1;
}

static bool durations_is_default(const struct job *j, const struct field *f)
{
    const struct durations *d = kind_place(j, f);
    return d->count == 1 && d->items[0] == f->standard;
}

static struct value durations_get(const struct job *j, const struct field *f, enum field_form form)
{
    const struct durations *d = kind_place(j, f);
    if (d->count == 1)
        return duration_value(d->items[0], form);
    struct value list = value_list();
    for (int i = 0; i < d->count; i++)
        value_push(&list, duration_value(d->items[i], form));
    return list;
}

/* ---- when ---- */

int kind_schedule_free(const struct job *j, struct error *e)
{
    if (job_schedule_kind(j) != SCHEDULE_NONE)
        return error_set(e, ERROR_USAGE, "a job has one schedule, and this one has one already");
    return 0;
}

static int at_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    struct when w = {.at = INSTANT_NONE};
    char digits[KIND_DIGITS];
    if (kind_schedule_free(j, e) < 0)
        return -(int)ERROR_USAGE;
    if (!c && v->kind == VALUE_INT) {
        j->at = v->integer;
        return 0;
    }
    if (v->kind != VALUE_TEXT || !c)
        return kind_refuse(v, f->kind == FIELD_IN ? "a duration, such as 20m" : "a time, such as 2027-01-31T18:00+01:00", e);
    const char *text = kind_string(v, digits, e);
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
    char digits[KIND_DIGITS];
    if (kind_schedule_free(j, e) < 0)
        return -(int)ERROR_USAGE;
    if (!c)
        return duration_of(v, f, c, &j->every, e);
    if (v->kind != VALUE_TEXT && v->kind != VALUE_INT)
        return kind_refuse(v, "a duration, such as 10m", e);
    const char *text = kind_string(v, digits, e);
    if (!text || when_every(text, c->now, &w, e) < 0)
        return -(int)ERROR_USAGE;
    j->every = w.every;
    return 0;
}

/* ---- the kinds ---- */

const struct kind kind_duration = {duration_set, NULL, duration_reset, duration_is_default, duration_get};
const struct kind kind_durations = {durations_set, NULL, durations_reset, durations_is_default, durations_get};
const struct kind kind_at = {at_set, NULL, at_reset, at_is_default, at_get};
const struct kind kind_every = {every_set, NULL, duration_reset, duration_is_default, duration_get};
