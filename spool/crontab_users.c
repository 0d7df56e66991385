/* Which words are users: a crontab asks for the same few again and again, and a look-up can be slow. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/crontab_parts.h"

enum { USERS_KEPT = 64 };

const char *crontab_users_home(struct crontab_users *u, const struct crontab_rules *rules, const char *name)
{
    for (size_t i = 0; i < u->count; i++)
        if (!strcmp(u->items[i].name, name))
            return u->items[i].home;
    const char *home = rules->home_of(rules->context, name);
    if (u->count == USERS_KEPT)
        return home;
    if (!u->items)
        u->items = mem_zero(USERS_KEPT, sizeof *u->items);
    u->items[u->count] = (struct crontab_user){mem_string(name), mem_string(home)};
    return u->items[u->count++].home;
}

void crontab_users_clear(struct crontab_users *u)
{
    for (size_t i = 0; i < u->count; i++) {
        free(u->items[i].name);
        free(u->items[i].home);
    }
    free(u->items);
    *u = (struct crontab_users){0};
}
