/* A client's way into the spool: opening it, naming jobs, waiting for others to change it. */
#ifndef AX_CLIENT_H
#define AX_CLIENT_H

#include "cmd/command.h"
#include "lib/sys/clock.h"
#include "spool/store.h"

int client_open(const struct common *c, enum store_use use, struct store **out, struct error *e);

/* There is no spool yet: nobody has added a job. */
bool client_absent(const struct error *e);

/* Opens the spool to look for something in it; that there is none is ERROR_NOT_FOUND then. */
int client_open_for(const struct common *c, enum store_use use, const char *what, struct store **out, struct error *e);

/* The same for a job by its reference. */
int client_open_job(const struct common *c, enum store_use use, const char *reference, struct store **out, struct error *e);

/* Whether a scheduler serves the spool. */
bool client_served(const struct common *c);

/* The local zone of jobs: that of the scheduler, where the spool knows one (store_zones_init), else the caller's. `c` NULL: the caller's. */
int client_zones(const struct common *c, struct zones *out, struct error *e);

/* Tells on standard error that nobody serves the spool, and how to change that. */
void client_hint(const struct command *self, const struct common *c);

/* ---- waiting ---- */

struct client_watch; /* changes of the spool, and of one run's output */

int client_watch_new(const struct common *c, struct client_watch **out, struct error *e);
void client_watch_free(struct client_watch *w);

/* Sleeps until something may have changed: look again then. Not before a few milliseconds have gone, and after some seconds in any case. The store must
 * be closed. */
void client_watch_wait(struct client_watch *w);
void client_watch_wait_until(struct client_watch *w, const struct monotime *end); /* not longer than that; NULL: no bound */

#endif
