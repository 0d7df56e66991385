#include "lib/time/zones.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <uthash.h>

#include "lib/base/mem.h"
#include "lib/sys/links.h"
#include "lib/time/zone_data.h"

struct zones_entry {
    char *name;
    char *path; /* NULL: no file */
    struct zone *zone; /* NULL: it was asked for and could not be loaded */
    bool from_file;
    UT_hash_handle hh;
};

static struct zones_entry *entry_new(const char *name, char *path)
{
    struct zones_entry *entry = mem_zero(1, sizeof *entry);
    entry->name = mem_string(name);
    entry->path = path;
    return entry;
}

static void entry_free(struct zones_entry *entry)
{
    if (!entry)
        return;
    zone_free(entry->zone);
    free(entry->name);
    free(entry->path);
    free(entry);
}

static bool entry_file_is_there(const struct zones_entry *entry)
{
    return entry->path && access(entry->path, R_OK) == 0;
}

static int entry_load(const struct zones *zones, const struct zones_entry *entry, struct zone **out, struct error *e)
{
    return entry == zones->local ? zone_local(zones->tz, out, e) : zone_load(entry->name, out, e);
}

/* The first load. */
static int entry_fill(const struct zones *zones, struct zones_entry *entry, struct error *e)
{
    int code = entry_load(zones, entry, &entry->zone, e);
    entry->from_file = !code && entry_file_is_there(entry);
    return code;
}

/* Puts the new rules where the old were, and tells whether they differ. */
static bool entry_replace(struct zones_entry *entry, struct zone *fresh)
{
    bool changed = zone_stamp(entry->zone) != zone_stamp(fresh);
    struct zone old = *entry->zone;
    *entry->zone = *fresh;
    *fresh = old;
    zone_free(fresh);
    return changed;
}

/* Without its file a zone would become UTC, where zone_load and zone_local fall back on it: it keeps what it has. */
static bool entry_reload(const struct zones *zones, struct zones_entry *entry)
{
    if (!entry->zone)
        return entry_fill(zones, entry, NULL) == 0;
    struct zone *fresh = NULL;
    bool there = entry_file_is_there(entry);
    if ((entry->from_file && !there) || entry_load(zones, entry, &fresh, NULL) < 0)
        return false;
    entry->from_file = there;
    return entry_replace(entry, fresh);
}

int zones_init(struct zones *zones, const char *tz, struct error *e)
{
    struct zones made = {.tz = mem_string(tz)};
    made.local = entry_new("", zone_local_path(tz));
    int code = entry_fill(&made, made.local, e);
    if (code)
        zones_clear(&made);
    *zones = made;
    return code;
}

void zones_clear(struct zones *zones)
{
    struct zones_entry *entry, *next;
    HASH_ITER(hh, zones->named, entry, next) {
        HASH_DEL(zones->named, entry);
        entry_free(entry);
    }
    entry_free(zones->local);
    free(zones->tz);
    *zones = (struct zones){0};
}

static struct zones_entry *find_or_add(struct zones *zones, const char *name)
{
    struct zones_entry *entry = NULL;
    HASH_FIND_STR(zones->named, name, entry);
    if (entry)
        return entry;
    char *path = zone_path(name);
    if (!path) /* not even a name: nothing will ever be there */
        return NULL;
    entry = entry_new(name, path);
    HASH_ADD_KEYPTR(hh, zones->named, entry->name, strlen(entry->name), entry);
    return entry;
}

int zones_get(struct zones *zones, const char *name, const struct zone **out, struct error *e)
{
    struct zones_entry *entry = name && *name ? find_or_add(zones, name) : zones->local;
    if (!entry)
        return zone_load(name, NULL, e); /* says what is wrong with the name */
    int code = entry->zone ? 0 : entry_fill(zones, entry, e);
    if (code && zones->lenient && entry != zones->local)
        return zones_get(zones, "UTC", out, e);
    if (!code)
        *out = entry->zone;
    return code;
}

void zones_reload(struct zones *zones, bool *changed)
{
    struct zones_entry *entry, *next;
    *changed = entry_reload(zones, zones->local);
    HASH_ITER(hh, zones->named, entry, next) {
        *changed = entry_reload(zones, entry) || *changed;
    }
}

void zones_folders(const struct zones *zones, struct strvec *folders)
{
    struct zones_entry *entry, *next;
    if (zones->local->path)
        links_folders(zones->local->path, folders);
    HASH_ITER(hh, zones->named, entry, next) {
        links_folders(entry->path, folders);
    }
}
