/* Time zones that change under us: a new /etc/localtime, an update of the zone files. Due times that hang on them are
 * reckoned anew. */
#include <stdlib.h>
#include <string.h>

#include "cmd/run/scheduler.h"
#include "lib/base/mem.h"

#define SETTLE (2 * SECOND) /* a package writes many files: look when it is done */

static void zonewatch_add(struct scheduler *s, const char *folder)
{
    struct error e = {0};
    for (size_t i = 0; i < s->zone_folders.count; i++)
        if (strcmp(s->zone_folders.items[i], folder) == 0)
            return;
    int number = watch_add(s->watch, folder, WATCH_ARRIVED | WATCH_GONE | WATCH_WRITTEN, &e);
    if (number < 0) {
        log_event(s->log, LOG_LEVEL_WARNING, "changes of time zones will not be seen", "folder", folder, "reason",
            e.text, NULL);
        return;
    }
    MEM_GROW(s->zone_watches, s->zone_watch_capacity, s->zone_folders.count + 1);
    s->zone_watches[s->zone_folders.count] = number;
    strvec_add(&s->zone_folders, folder);
}

/* A folder that was swapped for another is watched by its name again. */
static void zonewatch_forget(struct scheduler *s)
{
    for (size_t i = 0; i < s->zone_folders.count; i++)
        watch_remove(s->watch, s->zone_watches[i]);
    strvec_clear(&s->zone_folders);
}

int zonewatch_look(struct scheduler *s, struct error *e)
{
    struct strvec folders = {0}, changed = {0};
    int failed = store_begin(s->store, false, e);
    if (failed)
        return failed;
    failed = store_zones_watch(s->store, &folders, &changed, e);
    store_abort(s->store);
    for (size_t i = 0; !failed && i < folders.count; i++)
        zonewatch_add(s, folders.items[i]);
    strvec_clear(&folders);
    for (size_t i = 0; !failed && i < changed.count; i++)
        log_event(s->log, LOG_LEVEL_WARNING, "the rules of a time zone have changed, due times are reckoned anew", "zone",
            changed.items[i], NULL);
    if (!failed && changed.count)
        s->zone_from = 1; /* from the start again, if it was under way */
    strvec_clear(&changed);
    if (failed)
        return failed;
    s->zones_changed = false;
    return 0;
}

static void zonewatch_settled(struct loop_timer *t)
{
    struct scheduler *s = t->context;
    zonewatch_forget(s);
    s->zones_changed = true;
}

bool zonewatch_event(struct scheduler *s, int number)
{
    for (size_t i = 0; i < s->zone_folders.count; i++)
        if (s->zone_watches[i] == number) {
            s->zone_timer.call = zonewatch_settled;
            s->zone_timer.context = s;
            loop_timer_set(s->loop, &s->zone_timer, SETTLE);
            return true;
        }
    return false;
}

void zonewatch_clear(struct scheduler *s)
{
    if (s->loop)
        loop_timer_stop(s->loop, &s->zone_timer);
    strvec_clear(&s->zone_folders);
    free(s->zone_watches);
}
