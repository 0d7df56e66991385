#include "spool/job_schedule.h"

#include <inttypes.h>
#include <stdlib.h>
#include <unistd.h>

#include "lib/base/mem.h"

#define HOST_MAX 256

enum schedule_kind job_schedule_kind(const struct job *j)
{
    if (j->cron.count)
        return SCHEDULE_CRON;
    if (j->calendar.count)
        return SCHEDULE_CALENDAR;
    if (j->boot)
        return SCHEDULE_BOOT;
    if (j->every != DURATION_NONE)
        return SCHEDULE_EVERY;
    return j->at != INSTANT_NONE ? SCHEDULE_AT : SCHEDULE_NONE;
}

bool job_repeats(const struct job *j)
{
    enum schedule_kind kind = job_schedule_kind(j);
    return kind != SCHEDULE_NONE && kind != SCHEDULE_AT;
}

bool job_needs_zone(const struct job *j)
{
    return j->cron.count || j->calendar.count || j->except.count ||
           (j->every != DURATION_NONE && j->every_from == EVERY_FROM_CLOCK);
}

/* ---- check ---- */

static int refuse(struct error *e, const char *field, const char *text)
{
    error_set(e, ERROR_USAGE, "%s", text);
    return error_field(e, field);
}

static int check_single(const struct job *j, struct error *e)
{
    const struct {
        const char *field;
        bool there;
    } kinds[] = {
        {"at", j->at != INSTANT_NONE},
        {"every", j->every != DURATION_NONE},
        {"cron", j->cron.count > 0},
        {"calendar", j->calendar.count > 0},
        {"boot", j->boot != BOOT_NONE},
    };
    const char *first = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if (!kinds[i].there)
            continue;
        if (first) {
            error_set(e, ERROR_USAGE, "a job has one schedule: this one has `%s`%s too", first,
                i && first[0] == 'a' ? " (or `in`)" : "");
            return error_field(e, kinds[i].field);
        }
        first = kinds[i].field;
    }
    return 0;
}

/* @reboot among cron expressions is what `boot` says; it has no times to be mixed with others. */
int job_schedule_check(const struct job *j, struct error *e)
{
    if (check_single(j, e) < 0)
        return -(int)ERROR_USAGE;
    if (j->every_from != EVERY_FROM_START && j->every == DURATION_NONE)
        return refuse(e, "every_from", "goes only with `every`");
    if (schedule_check_every(j->every, (enum every_from)j->every_from, e) < 0)
        return error_field(e, "every");
    if (j->not_before != INSTANT_NONE && j->not_after != INSTANT_NONE && j->not_after < j->not_before)
        return refuse(e, "not_after", "lies before `not_before`: the job would never run");
    const char *several = j->except.count                 ? "except"
                          : j->not_before != INSTANT_NONE ? "not_before"
                          : j->not_after != INSTANT_NONE  ? "not_after"
                                                          : NULL;
    if (several && job_schedule_kind(j) == SCHEDULE_AT)
        return refuse(e, several, "goes only with a job that repeats");
    if ((j->jitter || j->spread) && !job_repeats(j))
        return refuse(e, j->jitter ? "jitter" : "spread", "goes only with a job that repeats");
    return 0;
}

/* ---- the schedule ---- */

/* A job's own number, the same after a restart and an edit: two for two uses. */
static uint64_t job_seed(const struct job *j, const char *use)
{
    char host[HOST_MAX] = "";
    if (gethostname(host, sizeof host - 1) < 0)
        host[0] = '\0';
    char *key = j->name ? mem_format("%s:%s", use, j->name) : mem_format("%s:%" PRIu64, use, j->number);
    uint64_t seed = schedule_seed(host, key);
    free(key);
    return seed;
}

static int add_expressions(const struct job *j, struct zones *zones, struct schedule *s, struct error *e)
{
    uint64_t seed = j->cron.count ? job_seed(j, "cron") : 0;
    for (size_t i = 0; i < j->cron.count; i++)
        if (schedule_add_cron(s, j->cron.items[i], seed, NULL, e) < 0)
            return error_field(e, "cron");
    for (size_t i = 0; i < j->calendar.count; i++)
        if (schedule_add_calendar(s, j->calendar.items[i], zones, e) < 0)
            return error_field(e, "calendar");
    for (size_t i = 0; i < j->except.count; i++)
        if (schedule_add_except(s, j->except.items[i], zones, e) < 0)
            return error_field(e, "except");
    return 0;
}

int job_schedule(const struct job *j, struct zones *zones, struct schedule *out, struct error *e)
{
    struct schedule s;
    const struct zone *zone = NULL;
    if (job_needs_zone(j) && zones_get(zones, j->timezone, &zone, e) < 0)
        return error_field(e, "timezone");
    schedule_init(&s, zone);
    s.kind = job_schedule_kind(j);
    s.at = j->at;
    s.every = j->every;
    s.every_from = (enum every_from)j->every_from;
    s.not_before = j->not_before;
    s.not_after = j->not_after;
    duration spread =
        s.kind == SCHEDULE_EVERY && j->spread > j->every ? j->every : j->spread; /* intervals keep their phase by it */
    if (spread > 0)
        s.offset = (duration)(job_seed(j, "spread") % (uint64_t)spread);
    int failed = add_expressions(j, zones, &s, e);
    if (failed)
        schedule_clear(&s);
    else
        *out = s;
    return failed;
}
