#include "spool/kind.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/time/cron.h"

#define EXPRESSIONS_MAX 100

/* ---- expressions: several are one schedule ---- */

static bool sets_schedule(const struct field *f)
{
    return f->kind == FIELD_CRON || f->kind == FIELD_CALENDAR;
}

/* Records hold what was checked once. */
static int expression_check(const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    if (!c)
        return 0;
    if (!text[strspn(text, " \t")])
        return error_set(e, ERROR_USAGE, "is empty");
    struct cron cron;
    struct schedule s;
    struct zones own = {0}, *zones = c->zones ? c->zones : &own;
    schedule_init(&s, c->zone);
    int failed = f->kind == FIELD_CRON       ? cron_parse(text, 0, &cron, NULL, e)
                 : f->kind == FIELD_CALENDAR ? schedule_add_calendar(&s, text, zones, e)
                                             : schedule_add_except(&s, text, zones, e);
    if (!failed && f->kind == FIELD_CRON && cron.reboot)
        failed = error_set(e, ERROR_USAGE, "@reboot is no time and stands alone: `boot: machine` says the same");
    schedule_clear(&s);
    zones_clear(&own);
    return failed;
}

static int expressions_add(
    struct strvec *to, const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    if (to->count >= EXPRESSIONS_MAX)
        return error_set(e, ERROR_USAGE, "takes at most %d expressions", EXPRESSIONS_MAX);
    int failed = expression_check(f, text, c, e);
    if (!failed)
        strvec_add(to, text);
    return failed;
}

static bool is_reboot(const struct field *f, const char *text)
{
    return f->kind == FIELD_CRON && strcmp(text, "@reboot") == 0;
}

static int expressions_of(
    const struct field *f, const struct value *v, const struct field_context *c, struct strvec *out, struct error *e)
{
    char digits[KIND_DIGITS];
    bool list = v->kind == VALUE_LIST;
    if (!list && v->kind != VALUE_TEXT)
        return kind_refuse(v, "a text or a list of texts", e);
    if (list && !v->list.count)
        return error_set(e, ERROR_USAGE, "the list is empty");
    for (size_t i = 0; i < (list ? v->list.count : 1); i++) {
        const char *text = kind_string(list ? &v->list.items[i] : v, digits, e);
        if (!text || expressions_add(out, f, text, c, e) < 0)
            return kind_place_item(list ? &v->list.items[i] : v, e);
    }
    return 0;
}

static int expressions_set(
    struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    struct strvec texts = {0}, *to = kind_place(j, f);
    if (sets_schedule(f) && kind_schedule_free(j, e) < 0)
        return -(int)ERROR_USAGE;
    if (v->kind == VALUE_TEXT && is_reboot(f, v->text.data)) {
        j->boot = BOOT_MACHINE;
        return 0;
    }
    if (expressions_of(f, v, c, &texts, e) < 0) {
        strvec_clear(&texts);
        return -(int)ERROR_USAGE;
    }
    strvec_clear(to);
    *to = texts;
    return 0;
}

/* On the command line each option adds one. */
static int expressions_set_text(
    struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    struct strvec *to = kind_place(j, f);
    if (sets_schedule(f) && !to->count && kind_schedule_free(j, e) < 0)
        return -(int)ERROR_USAGE;
    if (is_reboot(f, text) && !to->count) {
        j->boot = BOOT_MACHINE;
        return 0;
    }
    return expressions_add(to, f, text, c, e);
}

static void expressions_reset(struct job *j, const struct field *f)
{
    strvec_clear(kind_place(j, f));
}

static bool expressions_is_default(const struct job *j, const struct field *f)
{
    return !((struct strvec *)kind_place(j, f))->count;
}

static struct value expressions_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    const struct strvec *v = kind_place(j, f);
    return v->count == 1 ? value_text(v->items[0]) : kind_strings(v);
}

/* ---- zone ---- */

/* It is there, and can be read. */
static int zone_check(const char *name, const struct field_context *c, struct error *e)
{
    struct zone *zone;
    const struct zone *kept;
    if (!*name || !c->zones) {
        int failed = zone_load(name, &zone, e);
        if (!failed)
            zone_free(zone);
        return failed;
    }
    return zones_get(c->zones, name, &kept, e);
}

static int zone_set(
    struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    char digits[KIND_DIGITS];
    char **to = kind_place(j, f);
    if (v->kind != VALUE_TEXT)
        return kind_refuse(v, "the name of a time zone, such as Europe/Berlin", e);
    const char *text = kind_string(v, digits, e);
    if (!text)
        return -(int)ERROR_USAGE;
    if (c && strcmp(text, "local") != 0 && zone_check(text, c, e) < 0)
        return -(int)ERROR_USAGE;
    char *old = *to;
    *to = strcmp(text, "local") == 0 ? NULL : mem_string(text);
    free(old);
    return 0;
}

static struct value zone_get(const struct job *j, const struct field *f, enum field_form form)
{
    (void)form;
    return value_text(*(char **)kind_place(j, f));
}

static bool zone_is_default(const struct job *j, const struct field *f)
{
    return !*(char **)kind_place(j, f);
}

static void zone_reset(struct job *j, const struct field *f)
{
    char **to = kind_place(j, f);
    free(*to);
    *to = NULL;
}

/* ---- bounds ---- */

/* A date alone as the last one takes in its whole day. */
static instant bound_end(const struct field *f, const char *text, const struct zone *z, instant t)
{
    if (f->offset != offsetof(struct job, not_after) || strpbrk(text, "T:Wt ") || t == INSTANT_NEVER)
        return t;
    struct civil c = zone_civil(z, t);
    c = civil_from_seconds((civil_days(c.year, c.month, c.day) + 1) * 86400);
    return zone_resolve(z, &c).first - 1;
}

static int bound_set(
    struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    char digits[KIND_DIGITS];
    instant t;
    if (!c && v->kind == VALUE_INT) {
        *(instant *)kind_place(j, f) = v->integer;
        return 0;
    }
    if (v->kind != VALUE_TEXT || !c)
        return kind_refuse(v, "a date or time, such as 2027-01-31 or 2027-01-31T18:00", e);
    const char *text = kind_string(v, digits, e);
    if (!text || instant_parse_iso(text, c->zone, &t, e) < 0)
        return -(int)ERROR_USAGE;
    *(instant *)kind_place(j, f) = bound_end(f, text, c->zone, t);
    return 0;
}

static void bound_reset(struct job *j, const struct field *f)
{
    *(instant *)kind_place(j, f) = INSTANT_NONE;
}

static bool bound_is_default(const struct job *j, const struct field *f)
{
    return *(const instant *)kind_place(j, f) == INSTANT_NONE;
}

static struct value bound_get(const struct job *j, const struct field *f, enum field_form form)
{
    instant t = *(const instant *)kind_place(j, f);
    if (t == INSTANT_NONE)
        return (struct value){0};
    if (form == FIELD_RECORD)
        return value_int(t);
    struct buf b = {0};
    instant_format_utc(&b, t);
    struct value v = value_bytes(buf_string(&b), b.length);
    buf_clear(&b);
    return v;
}

/* ---- the kinds ---- */

const struct kind kind_expressions = {
    expressions_set, expressions_set_text, expressions_reset, expressions_is_default, expressions_get};
const struct kind kind_zone = {zone_set, NULL, zone_reset, zone_is_default, zone_get};
const struct kind kind_bound = {bound_set, NULL, bound_reset, bound_is_default, bound_get};
