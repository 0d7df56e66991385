/* The rules' view of a job: definition, schedule, time and chance. */
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include "lib/base/hash.h"
#include "spool/store_private.h"

/* By what the latest scheduler has said of itself. One that starts with another zone reckons all anew. */
int store_zones_init(struct store *s, struct zones *out, struct error *e)
{
    struct value about = {0};
    const char *tz = getenv("TZ");
    int failed = s->use == STORE_SERVE ? 0 : store_setting(s, "scheduler", &about, e);
    if (failed)
        return failed;
    const struct value *of = value_get(&about, "tz");
    if (of)
        tz = of->kind == VALUE_TEXT ? of->text.data : NULL;
    failed = zones_init(out, tz, e);
    value_clear(&about);
    return failed;
}

int store_zones(struct store *s, struct zones **out, struct error *e)
{
    if (!s->zones.local) {
        int failed = store_zones_init(s, &s->zones, e);
        if (failed)
            return failed;
        s->zones.lenient = s->use == STORE_SERVE; /* a zone that is gone must not hold up what has been done */
    }
    *out = &s->zones;
    return 0;
}

static uint64_t boot_number(struct store *s, int kind)
{
    if (kind != BOOT_MACHINE)
        return kind == BOOT_SCHEDULER ? (uint64_t)s->counters.generation : 0;
    if (!s->boot[0])
        process_boot(s->boot);
    return hash_add(HASH_START, s->boot, strlen(s->boot));
}

int store_life(struct store *s, const struct job *j, instant now, struct store_life *out, struct error *e)
{
    struct zones *zones = NULL;
    int failed = job_needs_zone(j) ? store_zones(s, &zones, e) : 0;
    if (!failed)
        failed = job_schedule(j, zones, &out->schedule, e);
    if (failed)
        return failed;
    out->notes.count = 0;
    out->notes.notice.event = NOTIFY_NONE;
    out->life = (struct life){.job = j,
        .schedule = &out->schedule,
        .now = now,
        .since = INSTANT_NONE,
        .boot = boot_number(s, j->boot),
        .notes = &out->notes};
    if (j->jitter && getrandom(&out->life.random, sizeof out->life.random, 0) < 0)
        out->life.random = (uint64_t)now;
    return 0;
}

void store_life_clear(struct store_life *l)
{
    life_notes_clear(&l->notes);
    schedule_clear(&l->schedule);
}
