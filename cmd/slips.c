#include "cmd/slips.h"

#include <stdlib.h>

#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/time/cron.h"

void slips_clear(struct slips *s)
{
    strvec_clear(&s->texts);
    free(s->never);
    *s = (struct slips){0};
}

/* Returns true if the expression has no due time ahead. */
static bool slips_cron(struct slips *s, const char *text, const struct zone *zone, instant now)
{
    struct cron cron;
    struct strvec warnings = {0};
    if (cron_parse(text, 0, &cron, &warnings, NULL) < 0)
        return false;
    for (size_t i = 0; i < warnings.count; i++)
        strvec_take(&s->texts, mem_format("`%s`: %s", text, warnings.items[i]));
    strvec_clear(&warnings);
    return cron_next(&cron, zone, now).at == INSTANT_NEVER;
}

static bool calendar_is_over(const char *text, const struct zone *zone, instant now)
{
    struct schedule s;
    struct zones zones = {0};
    schedule_init(&s, zone);
    s.kind = SCHEDULE_CALENDAR;
    bool over = schedule_add_calendar(&s, text, &zones, NULL) == 0 && schedule_next(&s, now).at == INSTANT_NEVER;
    schedule_clear(&s);
    zones_clear(&zones);
    return over;
}

static char *slips_never(const struct job *j, size_t dead)
{
    size_t texts = j->cron.count + j->calendar.count;
    struct buf b = {0}, schedule = {0};
    view_schedule(&schedule, j, true);
    if (texts && dead == texts)
        buf_format(&b, "this never comes: no date ahead fits `%s`", buf_string(&schedule));
    else
        buf_format(&b, "this never comes: not_before, not_after and except leave no due time of `%s`", buf_string(&schedule));
    buf_clear(&schedule);
    return buf_take(&b);
}

void slips_find(struct slips *s, const struct job *j, const struct zone *zone, instant due, instant now)
{
    struct strvec dead = {0};
    for (size_t i = 0; i < j->cron.count; i++)
        if (slips_cron(s, j->cron.items[i], zone, now))
            strvec_add(&dead, j->cron.items[i]);
    for (size_t i = 0; i < j->calendar.count; i++)
        if (calendar_is_over(j->calendar.items[i], zone, now))
            strvec_add(&dead, j->calendar.items[i]);
    if (due == INSTANT_NEVER && !view_without_due(j))
        s->never = slips_never(j, dead.count);
    for (size_t i = 0; i < dead.count && !s->never; i++)
        strvec_take(&s->texts, mem_format("`%s` never comes; the others do", dead.items[i]));
    strvec_clear(&dead);
}
