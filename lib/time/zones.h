/* The zones that are in use, each loaded once, and what to watch to hear that their rules have changed.
 *
 * A zone that was given out stays where it is until zones_clear: zones_reload puts new rules into it in place (and a
 * new name into the local one), so that whoever holds it need not be told; only what was reckoned with the old rules must be
 * reckoned anew. A zone whose file has become unreadable, or is gone, keeps the rules it has. */
#ifndef AX_ZONES_H
#define AX_ZONES_H

#include <stdbool.h>

#include "lib/base/error.h"
#include "lib/base/strvec.h"
#include "lib/time/zone.h"

struct zones_entry;
struct zones {
    char *tz; /* as zone_local takes it */
    bool lenient; /* set it after zones_init: a named zone that cannot be loaded is UTC until it can */
    struct zones_entry *local;
    struct zones_entry *named; /* a hash table */
};

/* `tz` is the value of the TZ variable, NULL if it is not set. Fails where zone_local does, and then holds nothing. */
int zones_init(struct zones *zones, const char *tz, struct error *e);
void zones_clear(struct zones *zones);

/* By IANA name, as zone_load; NULL or "" is the local zone. The zone belongs to zones. */
int zones_get(struct zones *zones, const char *name, const struct zone **out, struct error *e);

/* Loads again all that was asked for, also what was not there before. `changed` tells whether any rule is another. */
void zones_reload(struct zones *zones, bool *changed);

/* Adds the folders in which a change can mean new rules, each once: where the files of the zones lie, and where any
 * symbolic link lies that leads to them (/etc, for /etc/localtime). Of what is missing, the nearest folder that is
 * there. Ask again after zones_reload and after zones_get of a new name. */
void zones_folders(const struct zones *zones, struct strvec *folders);

#endif
