#include "cmd/view.h"

#include <string.h>

#include "spool/fields.h"

const char *view_schedule_kind(const struct job *j)
{
    static const char *const names[] = {
        [SCHEDULE_NONE] = "none", [SCHEDULE_AT] = "once", [SCHEDULE_EVERY] = "every",
        [SCHEDULE_CRON] = "cron", [SCHEDULE_CALENDAR] = "calendar", [SCHEDULE_BOOT] = "boot",
    };
    return names[job_schedule_kind(j)];
}

/* The expressions of a job that has some, else NULL. */
static const struct strvec *expressions(const struct job *j)
{
    return j->cron.count ? &j->cron : j->calendar.count ? &j->calendar : NULL;
}

static void add_expressions(struct buf *b, const struct strvec *texts, const char *between)
{
    for (size_t i = 0; i < texts->count; i++) {
        buf_text(b, i ? between : "");
        buf_text(b, texts->items[i]);
    }
}

static void add_every(struct buf *b, const struct job *j)
{
    buf_text(b, "every ");
    duration_format(b, j->every);
}

void view_schedule(struct buf *b, const struct job *j, bool all)
{
    const struct strvec *texts = expressions(j);
    if (texts && all)
        add_expressions(b, texts, "; ");
    else if (texts && texts->count > 1)
        buf_format(b, "%s +%zu", texts->items[0], texts->count - 1);
    else if (texts)
        buf_text(b, texts->items[0]);
    else if (j->every != DURATION_NONE)
        add_every(b, j);
    else if (j->boot)
        buf_text(b, "boot");
    else
        buf_char(b, '-');
}

static void add_kind_every(struct buf *b, const struct job *j, const char *then)
{
    static const char *const from[] = {[EVERY_FROM_START] = "", [EVERY_FROM_END] = " after it has ended", [EVERY_FROM_CLOCK] = " by the clock"};
    buf_text(b, then);
    if (j->every_from == EVERY_FROM_END)
        duration_format(b, j->every);
    else
        add_every(b, j);
    buf_text(b, from[j->every_from]);
}

void view_kind(struct buf *b, const struct job *j, bool never)
{
    const char *then = never ? "" : "then ";
    switch (job_schedule_kind(j)) {
    case SCHEDULE_AT:
        buf_text(b, "once");
        break;
    case SCHEDULE_EVERY:
        add_kind_every(b, j, then);
        break;
    case SCHEDULE_CRON:
    case SCHEDULE_CALENDAR:
        buf_format(b, "%sby %s ", then, view_schedule_kind(j));
        add_expressions(b, expressions(j), " and ");
        break;
    case SCHEDULE_BOOT:
        buf_text(b, j->boot == BOOT_MACHINE ? "at each boot of the machine" : "at each start of the scheduler");
        break;
    case SCHEDULE_NONE:
        buf_text(b, "only when it is started by hand");
        break;
    }
}

const char *view_without_due(const struct job *j)
{
    switch (job_schedule_kind(j)) {
    case SCHEDULE_BOOT:
        return j->boot == BOOT_MACHINE ? "at boot" : "at start";
    case SCHEDULE_NONE:
        return "by hand";
    default:
        return NULL;
    }
}

const char *view_note(enum occurrence_note note)
{
    switch (note) {
    case OCCURRENCE_MOVED:
        return "moved: the clock skips its local time";
    case OCCURRENCE_MERGED:
        return "merged: the clock skips other local times, which come here too";
    case OCCURRENCE_FIRST:
        return "first: its local time comes twice, and the second is left out";
    case OCCURRENCE_AGAIN:
        return "repeated: its local time comes a second time";
    case OCCURRENCE_PLAIN:
        break;
    }
    return NULL;
}

struct value view_field(const struct job *j, const char *name)
{
    const struct field *f = field_find(name);
    return field_is_default(j, f) ? (struct value){0} : field_get(j, f, FIELD_PRINT);
}
