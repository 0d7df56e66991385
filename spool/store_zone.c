/* The rules of time zones by which due times were reckoned: meta "zone:NAME", "zone:" for the local one, with the stamp
 * of its rules. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/record.h"
#include "spool/store_private.h"

#define PREFIX "zone:"
#define PREFIX_LENGTH (sizeof PREFIX - 1)

static int stamp_put(struct store *s, const char *name, const struct zone *zone, struct error *e)
{
    char *key = mem_format(PREFIX "%s", name);
    struct key stamp = {.length = 0};
    key_u64(&stamp, zone_stamp(zone));
    int failed = db_put(s->db, DB_META, (struct db_bytes){key, strlen(key)}, key_bytes(&stamp), e);
    free(key);
    return failed;
}

/* Of one that is known the old stamp stays: it is what the jobs that are there were reckoned by. */
static int stamp_note(struct store *s, const char *name, const struct zone *zone, struct error *e)
{
    char *key = mem_format(PREFIX "%s", name);
    struct db_bytes value;
    int found = db_get(s->db, DB_META, (struct db_bytes){key, strlen(key)}, &value, e);
    free(key);
    if (found != STORE_NONE)
        return found;
    s->counters.zones++;
    s->changed = true;
    return stamp_put(s, name, zone, e);
}

static int stamp_note_calendar(struct store *s, const struct schedule_calendar *c, struct error *e)
{
    return c->calendar && calendar_zone(c->calendar) ? stamp_note(s, calendar_zone(c->calendar), c->zone, e) : 0;
}

int store_zone_note(struct store *s, const struct job *j, const struct schedule *schedule, struct error *e)
{
    int failed = job_needs_zone(j) ? stamp_note(s, j->timezone ? j->timezone : "", schedule->zone, e) : 0;
    for (size_t i = 0; !failed && i < schedule->calendar_count; i++)
        failed = stamp_note_calendar(s, &schedule->calendars[i], e);
    for (size_t i = 0; !failed && i < schedule->except_count; i++)
        failed = stamp_note_calendar(s, &schedule->excepts[i].on, e);
    return failed;
}

/* ---- all that are known ---- */

struct stamped {
    char *name;
    uint64_t stamp;
};
struct stamps {
    struct stamped *items;
    size_t count, capacity;
};

static void stamps_clear(struct stamps *t)
{
    for (size_t i = 0; i < t->count; i++)
        free(t->items[i].name);
    free(t->items);
}

static int stamps_read(struct store *s, struct stamps *out, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    int failed = db_cursor_new(s->db, DB_META, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, (struct db_bytes){PREFIX, PREFIX_LENGTH}, &key, &value, e); failed == 0;
         failed = db_cursor_next(c, &key, &value, e)) {
        struct stamped t = {0};
        if (key.length < PREFIX_LENGTH || memcmp(key.data, PREFIX, PREFIX_LENGTH) != 0)
            break;
        if (!key_take_u64(&value, &t.stamp))
            t.stamp = 0; /* damaged: is reckoned anew */
        t.name = strndup((const char *)key.data + PREFIX_LENGTH, key.length - PREFIX_LENGTH);
        MEM_GROW(out->items, out->capacity, out->count + 1);
        out->items[out->count++] = t;
    }
    db_cursor_free(c);
    return failed < 0 ? failed : 0;
}

int store_zones_watch(struct store *s, struct strvec *folders, struct strvec *changed, struct error *e)
{
    struct stamps stamps = {0};
    struct zones *zones;
    bool reloaded;
    int failed = stamps_read(s, &stamps, e);
    if (!failed && stamps.count)
        failed = store_zones(s, &zones, e);
    if (!failed && stamps.count) {
        zones_reload(zones, &reloaded);
        for (size_t i = 0; i < stamps.count; i++) {
            const struct zone *zone;
            if (zones_get(zones, stamps.items[i].name, &zone, NULL) == 0 && zone_stamp(zone) != stamps.items[i].stamp)
                strvec_add(changed, *stamps.items[i].name ? stamps.items[i].name : "local");
        }
        zones_folders(zones, folders);
    }
    stamps_clear(&stamps);
    return failed;
}

/* ---- reckoning anew ---- */

static int zone_step_job(struct store *s, uint64_t number, struct db_bytes record, instant now, struct error *e)
{
    struct job_state old, new;
    struct job job;
    struct store_life l;
    if (record_read_state(record.data, record.length, &old, NULL) != 0 || !old.repeats || old.phase > PHASE_RUNNING)
        return 0;
    if (store_job_get(s, number, false, &job, NULL) != 0)
        return 0; /* a damaged record must not hold up all others */
    new = old;
    int failed = job_needs_zone(&job) ? store_life(s, &job, now, &l, e) : 0;
    if (!failed && job_needs_zone(&job)) {
        if (life_zone_change(&l.life, &new))
            failed = store_state_put(s, number, &old, &new, e);
        store_life_clear(&l);
    }
    job_clear(&job);
    return failed;
}

static int stamps_renew(struct store *s, struct error *e)
{
    struct stamps stamps = {0};
    struct zones *zones;
    int failed = stamps_read(s, &stamps, e);
    if (!failed)
        failed = store_zones(s, &zones, e);
    for (size_t i = 0; !failed && i < stamps.count; i++) {
        const struct zone *zone;
        if (zones_get(zones, stamps.items[i].name, &zone, NULL) == 0)
            failed = stamp_put(s, stamps.items[i].name, zone, e);
    }
    stamps_clear(&stamps);
    return failed;
}

int store_zone_step(struct store *s, instant now, uint64_t *from, uint32_t limit, struct error *e)
{
    struct db_cursor *c;
    struct db_bytes key, value;
    struct key first = key_number(*from);
    uint64_t number = 0;
    int failed = db_cursor_new(s->db, DB_STATES, &c, e);
    if (failed)
        return failed;
    for (failed = db_cursor_from(c, key_bytes(&first), &key, &value, e); failed == 0;
         failed = db_cursor_next(c, &key, &value, e)) {
        if (!key_take_u64(&key, &number))
            failed = store_damaged(s, "its states", e);
        else if (key.length) /* an extra occurrence of the job: it has no schedule */
            continue;
        else if (number >= EXTRA_FIRST) { /* nor have their states: the end has no schedule */
            failed = DB_NONE;
            break;
        } else if (limit-- == 0)
            break; /* go on here */
        else
            failed = zone_step_job(s, number, value, now, e);
        if (failed)
            break;
    }
    db_cursor_free(c);
    if (failed < 0)
        return failed;
    *from = failed == DB_NONE ? 0 : number;
    return *from ? 0 : stamps_renew(s, e);
}
