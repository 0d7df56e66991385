#include "cmd/next.h"

#include <string.h>

#include "cmd/view.h"
#include "lib/text/visible.h"
#include "spool/fields.h"

#define HOUR (INT64_C(3600) * SECOND)
#define LOOK_AHEAD (5 * 366 * 24 * HOUR) /* as cron_gap_warning */

/* ---- traps ---- */

void next_warnings(struct strvec *traps, const struct next *n)
{
    struct cron c;
    for (size_t i = 0; i < n->job.cron.count; i++)
        cron_parse(n->job.cron.items[i], 0, &c, traps, NULL);
}

static void trap_add(struct strvec *traps, struct buf *b)
{
    strvec_add(traps, buf_string(b));
    buf_clear(b);
}

static void civil_add(struct buf *b, instant local, bool date)
{
    struct civil c = civil_from_seconds(local / SECOND);
    if (date)
        buf_format(b, "%04d-%02d-%02d ", c.year, c.month, c.day);
    buf_format(b, "%02d:%02d", c.hour, c.minute);
}

/* What is due at least once an hour goes on with the local clock: nothing is missed. */
static bool is_frequent(const struct schedule_calendar *c, instant after)
{
    instant first = calendar_next(c->calendar, c->zone, after).at;
    return first != INSTANT_NEVER && calendar_next(c->calendar, c->zone, first).at - first <= HOUR;
}

/* Local times are looked for where the clock never changes. */
static bool calendar_gap_warning(const struct schedule_calendar *c, const struct zone *utc, instant from, struct buf *b)
{
    if (is_frequent(c, from))
        return false;
    for (instant t = zone_next_change(c->zone, from); t < from + LOOK_AHEAD; t = zone_next_change(c->zone, t)) {
        instant before = t + zone_offset_at(c->zone, t - 1).seconds * SECOND, after = t + zone_offset_at(c->zone, t).seconds * SECOND;
        if (after <= before)
            continue;
        instant skipped = calendar_next(c->calendar, utc, before - 1).at;
        if (skipped >= after)
            continue;
        buf_text(b, "the clock goes from ");
        civil_add(b, before, true);
        buf_text(b, " to ");
        civil_add(b, after, false);
        buf_text(b, ": there is no ");
        civil_add(b, skipped, false);
        buf_text(b, " that day, and a calendar expression leaves it out");
        return true;
    }
    return false;
}

static void traps_of_clock(struct strvec *traps, const struct next *n, const struct schedule *s)
{
    struct zone *utc;
    struct buf b = {0};
    for (size_t i = 0; i < s->cron_count; i++)
        if (cron_gap_warning(&s->crons[i], s->zone, n->from, &b))
            trap_add(traps, &b);
    if (!s->calendar_count || zone_load("UTC", &utc, NULL) < 0)
        return;
    for (size_t i = 0; i < s->calendar_count; i++)
        if (calendar_gap_warning(&s->calendars[i], utc, n->from, &b))
            trap_add(traps, &b);
    zone_free(utc);
}

/* ---- the schedule in words ---- */

static void explain_moment(struct buf *b, const struct next *n, const char *words, instant t)
{
    if (t == INSTANT_NONE || t == INSTANT_NEVER)
        return;
    buf_text(b, words);
    instant_format_local(b, next_second(t), n->zone, false);
}

static void explain_every(struct buf *b, const struct next *n, const struct schedule *s)
{
    buf_text(b, "every ");
    duration_format(b, s->every);
    if (s->every_from == EVERY_FROM_CLOCK) {
        buf_text(b, ", counted from local midnight");
        return;
    }
    if (s->every_from == EVERY_FROM_END)
        buf_text(b, " after the end of the run before");
    else if (s->every % (24 * HOUR) == 0)
        buf_text(b, ", each day of 24 hours whatever the clock does");
    explain_moment(b, n, ", from ", s->start);
}

static void explain_kind(struct buf *b, const struct next *n, const struct schedule *s)
{
    switch (s->kind) {
    case SCHEDULE_AT:
        explain_moment(b, n, "once, at ", s->at);
        break;
    case SCHEDULE_EVERY:
        explain_every(b, n, s);
        break;
    case SCHEDULE_CRON:
        for (size_t i = 0; i < s->cron_count; i++) {
            buf_text(b, i ? "; and " : "");
            cron_explain(&s->crons[i], b);
        }
        break;
    case SCHEDULE_CALENDAR:
        for (size_t i = 0; i < s->calendar_count; i++) {
            buf_text(b, i ? "; and " : "");
            calendar_explain(s->calendars[i].calendar, b);
        }
        break;
    case SCHEDULE_BOOT:
        buf_format(b, "once after each %s", n->job.boot == BOOT_MACHINE ? "boot of the machine" : "start of the scheduler");
        break;
    case SCHEDULE_NONE:
        buf_text(b, "only when started by hand");
        break;
    }
}

/* The days left out, as they were written. */
static void explain_except(struct buf *b, const struct job *j)
{
    for (size_t i = 0; i < j->except.count; i++) {
        buf_text(b, i ? ", " : ", but not on ");
        visible_add(b, j->except.items[i], strlen(j->except.items[i]), false);
    }
}

/* The words of such expressions name their zone. */
static bool has_own_zones(const struct schedule *s)
{
    for (size_t i = 0; i < s->calendar_count; i++)
        if (!calendar_zone(s->calendars[i].calendar))
            return false;
    return s->kind == SCHEDULE_CALENDAR;
}

static void explain(struct buf *b, const struct next *n, const struct schedule *s)
{
    explain_kind(b, n, s);
    explain_except(b, &n->job);
    explain_moment(b, n, ", not before ", s->not_before);
    explain_moment(b, n, ", not after ", s->not_after);
    if (s->offset) {
        buf_text(b, ", moved by ");
        duration_format(b, s->offset);
    }
    if (n->job.jitter) {
        buf_text(b, ", started up to ");
        duration_format(b, n->job.jitter);
        buf_text(b, " later");
    }
    if (schedule_is_local(s) && !has_own_zones(s))
        buf_format(b, " (local times of %s)", zone_name(n->zone));
}

static void normal_forms(struct strvec *forms, const struct schedule *s)
{
    for (size_t i = 0; s->kind == SCHEDULE_CALENDAR && i < s->calendar_count; i++) {
        struct buf form = {0};
        calendar_format(s->calendars[i].calendar, &form);
        strvec_take(forms, buf_take(&form));
    }
}

static struct value text_list(const struct strvec *texts)
{
    struct value list = value_list();
    for (size_t i = 0; i < texts->count; i++)
        value_push(&list, value_text(texts->items[i]));
    return list;
}

void next_explain(struct buf *b, struct strvec *traps, const struct next *n, const struct schedule *s)
{
    struct buf text = {0};
    struct strvec forms = {0};
    explain(&text, n, s);
    normal_forms(&forms, s);
    next_warnings(traps, n);
    traps_of_clock(traps, n, s);
    if (n->json) {
        struct value m = value_map();
        value_put(&m, "explanation", value_text(buf_string(&text)));
        if (forms.count)
            value_put(&m, "normal", text_list(&forms));
        value_put(&m, "warnings", text_list(traps));
        view_line(b, &m);
    } else {
        visible_add(b, text.data, text.length, false);
        buf_char(b, '\n');
        for (size_t i = 0; i < forms.count; i++)
            buf_format(b, "normal form: %s\n", forms.items[i]);
    }
    strvec_clear(&forms);
    buf_clear(&text);
}
