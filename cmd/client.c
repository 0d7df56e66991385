#include "cmd/client.h"

#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/sys/watch.h"
#include "lib/text/utf8.h"
#include "lib/text/visible.h"

int client_open(const struct common *c, enum store_use use, struct store **out, struct error *e)
{
    char *path = folder_path(c->spool);
    int code = store_open(path, use, out, e);
    free(path);
    return code;
}

bool client_absent(const struct error *e)
{
    return e->code == ERROR_SPOOL && e->sys == ENOENT;
}

int client_open_for(const struct common *c, enum store_use use, const char *what, struct store **out, struct error *e)
{
    /* Opened for writing it would be made; nothing is made by asking for what cannot be there. */
    char *path = folder_path(c->spool);
    struct folder folder;
    struct error absent = {0};
    int code = folder_open(path, false, &folder, &absent);
    if (code == 0)
        folder_clear(&folder);
    if (code == 0 || !client_absent(&absent))
        code = store_open(path, use, out, &absent);
    if (code < 0 && client_absent(&absent))
        code = error_set(e, ERROR_NOT_FOUND, "there is no %s: there is no spool at %s", what, path);
    else if (code < 0 && e)
        *e = absent;
    free(path);
    return code;
}

int client_open_job(const struct common *c, enum store_use use, const char *reference, struct store **out, struct error *e)
{
    char *what = mem_format("job `%.*s`", UTF8_WORD(reference));
    int code = client_open_for(c, use, what, out, e);
    free(what);
    return code;
}

bool client_served(const struct common *c)
{
    char *path = folder_path(c->spool);
    struct folder folder;
    bool served = false;
    if (folder_open(path, false, &folder, NULL) == 0) {
        served = folder_scheduler(&folder) != 0; /* -1: in another pid namespace */
        folder_clear(&folder);
    }
    free(path);
    return served;
}

/* A spool that cannot be read is told by whoever needs it. */
int client_zones(const struct common *c, struct zones *out, struct error *e)
{
    struct store *store = NULL;
    if (!c || client_open(c, STORE_READ, &store, NULL) < 0)
        return zones_init(out, getenv("TZ"), e);
    int code = store_begin(store, false, e);
    if (code == 0)
        code = store_zones_init(store, out, e);
    store_abort(store);
    store_close(store);
    return code;
}

void client_hint(const struct command *self, const struct common *c)
{
    struct buf line = {0};
    if (c->spool) {
        buf_text(&line, " --spool ");
        visible_shell_word(&line, c->spool);
    }
    command_warn(self, "nobody serves the spool, so nothing runs yet; `ax run --detach%s` starts the scheduler", buf_string(&line));
    buf_clear(&line);
}

/* ---- waiting ---- */

/* The event of a write comes before the database publishes the transaction, so one look right after it may be too early: after each event comes a
 * second look. In between at least PAUSE passes, which bounds what waiting costs when the spool is written to all the time. LATE is the fallback. */
enum { PAUSE_MS = 10, AGAIN_MS = 100, LATE_MS = 5000 };

struct client_watch {
    struct watch *watch;
    bool again; /* an event was seen before the last look */
};

int client_watch_new(const struct common *c, struct client_watch **out, struct error *e)
{
    struct watch *watch;
    int code = watch_new(&watch, e);
    if (code < 0)
        return code;
    static const struct {
        const char *name;
        uint32_t events;
    } places[] = {
        {"data.mdb", WATCH_MODIFIED | WATCH_WRITTEN},
        {"output", WATCH_ARRIVED | WATCH_MODIFIED},
        {"handover", WATCH_ARRIVED | WATCH_GONE},
        {"scheduler.lock", WATCH_WRITTEN}, /* closed: the scheduler has gone */
    };
    char *spool = folder_path(c->spool);
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        char *path = mem_format("%s/%s", spool, places[i].name);
        watch_add(watch, path, places[i].events, NULL); /* what cannot be watched is left to the fallback */
        free(path);
    }
    free(spool);
    *out = mem_zero(1, sizeof **out);
    (*out)->watch = watch;
    return 0;
}

void client_watch_free(struct client_watch *w)
{
    if (w)
        watch_free(w->watch);
    free(w);
}

static void client_watch_seen(void *context, int number, uint32_t event, const char *name)
{
    (void)number, (void)event, (void)name;
    *(bool *)context = true;
}

void client_watch_wait(struct client_watch *w)
{
    client_watch_wait_until(w, NULL);
}

void client_watch_wait_until(struct client_watch *w, const struct monotime *end)
{
    struct pollfd p = {.fd = watch_fd(w->watch), .events = POLLIN};
    int64_t most = w->again ? AGAIN_MS : LATE_MS;
    int64_t left = end ? (end->ns - clock_mono().ns + 999999) / 1000000 : most;
    poll(&p, 1, left < 0 ? 0 : (int)(left < most ? left : most));
    const struct timespec pause = {.tv_nsec = PAUSE_MS * 1000000L};
    nanosleep(&pause, NULL);
    bool seen = false;
    watch_read(w->watch, client_watch_seen, &seen);
    w->again = seen;
}
