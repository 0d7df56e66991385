#include "cmd/run/jobsdir.h"

#include <dirent.h>
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/mem.h"
#include "lib/sys/links.h"
#include "lib/time/instant.h"

#define SETTLE (SECOND / 3) /* an editor or a package writes several times */
#define LIMIT (120 * SECOND)
#define EVENTS (WATCH_WRITTEN | WATCH_ARRIVED | WATCH_GONE | WATCH_RIGHTS) /* a refused file may be mended by chmod */

struct jobsdir_watch {
    int number;
    char *folder;
    char *name; /* the only entry that counts; NULL: all of them */
};

/* ---- what is watched ---- */

static void watch_one(struct jobsdir *d, const char *folder, const char *name)
{
    for (size_t i = 0; i < d->watch_count; i++) {
        const struct jobsdir_watch *w = &d->watches[i];
        if (strcmp(w->folder, folder) == 0 && (!w->name || (name && strcmp(w->name, name) == 0)))
            return;
    }
    struct error e = {0};
    int number = watch_add(d->watch, folder, EVENTS, &e);
    if (number < 0) {
        if (e.code != ERROR_NOT_FOUND)
            log_event(d->log, LOG_LEVEL_WARNING, "changes of job files will not be seen", "folder", folder, "reason",
                e.text, NULL);
        return;
    }
    MEM_GROW(d->watches, d->watch_capacity, d->watch_count + 1);
    d->watches[d->watch_count++] = (struct jobsdir_watch){number, mem_string(folder), mem_string(name)};
}

/* The places where a link lies, or would lie, on the way to the path. */
static void watch_way(struct jobsdir *d, const char *path)
{
    struct strvec places = {0};
    links_places(path, &places);
    for (size_t i = 0; i < places.count; i++) {
        char *slash = strrchr(places.items[i], '/');
        char *folder =
            slash == places.items[i] ? mem_string("/") : strndup(places.items[i], (size_t)(slash - places.items[i]));
        watch_one(d, folder, slash + 1);
        free(folder);
    }
    strvec_clear(&places);
}

/* Files of the folder may be links that lead elsewhere. */
static void watch_entries(struct jobsdir *d, const char *folder)
{
    DIR *dir = opendir(folder);
    struct dirent *entry;
    while (dir && (entry = readdir(dir))) {
        if (entry->d_type != DT_LNK)
            continue;
        char *path = mem_format("%s/%s", folder, entry->d_name);
        watch_way(d, path);
        free(path);
    }
    if (dir)
        closedir(dir);
}

static void watches_drop(struct jobsdir *d)
{
    for (size_t i = 0; i < d->watch_count; i++) {
        watch_remove(d->watch, d->watches[i].number);
        free(d->watches[i].folder);
        free(d->watches[i].name);
    }
    d->watch_count = 0;
}

/* All anew: links lead elsewhere now, and a folder may be another one of the same name. */
static void watch_all(struct jobsdir *d)
{
    char real[PATH_MAX];
    watches_drop(d);
    watch_way(d, d->directory);
    if (!realpath(d->directory, real))
        return; /* gone: the way to it is watched */
    watch_one(d, real, NULL);
    watch_entries(d, real);
    char *slash = strrchr(real, '/'); /* the folder itself may be moved away, and another into its place */
    if (slash && slash[1]) {
        char *name = mem_string(slash + 1);
        *slash = '\0';
        watch_one(d, *real ? real : "/", name);
        free(name);
    }
}

/* ---- applying ---- */

static void jobsdir_apply(struct jobsdir *d)
{
    struct error e = {0};
    if (d->errand.pid) {
        d->changed = true;
        return;
    }
    d->changed = false;
    watch_all(d); /* before it is read */
    char *argv[] = {"ax", "__jobs", (char *)d->spool, d->directory, NULL};
    if (errand_start(&d->errand, argv, LIMIT, &e) == 0)
        return;
    log_event(d->log, LOG_LEVEL_ERROR, "job files", "text", e.text, NULL);
    loop_timer_set(d->loop, &d->settle, 10 * SECOND);
    d->applied = true;
}

static void on_settle(struct loop_timer *t)
{
    jobsdir_apply(t->context);
}

static void on_done(void *context, const char *result)
{
    struct jobsdir *d = context;
    d->applied = true;
    if (!result)
        log_event(
            d->log, LOG_LEVEL_ERROR, "job files", "text", "they could not be applied; what was there stays", NULL);
    if (d->changed)
        loop_timer_set(d->loop, &d->settle, SETTLE);
    else if (!result)
        loop_timer_set(d->loop, &d->settle, 60 * SECOND);
}

void jobsdir_event(struct jobsdir *d, int number, uint32_t event, const char *name)
{
    bool ours = (event & WATCH_OVERFLOW) != 0;
    for (size_t i = 0; !ours && i < d->watch_count; i++)
        ours =
            d->watches[i].number == number && (!d->watches[i].name || !*name || strcmp(d->watches[i].name, name) == 0);
    if (ours && d->directory && d->applied)
        loop_timer_set(d->loop, &d->settle, SETTLE);
    else if (ours)
        d->changed = true;
}

int jobsdir_begin(struct jobsdir *d, const char *directory, struct error *e)
{
    struct stat status;
    if (stat(directory, &status) < 0)
        return error_errno(e, ERROR_USAGE, errno, "--jobs %s", directory);
    if (!S_ISDIR(status.st_mode))
        return error_set(e, ERROR_USAGE, "--jobs %s: is no folder; it names a folder of job files", directory);
    d->directory = mem_string(directory);
    d->errand = (struct errand){
        .loop = d->loop, .log = d->log, .event = "job files", .call = on_done, .context = d, .pidfd = -1, .pipe = -1};
    d->settle.call = on_settle;
    d->settle.context = d;
    jobsdir_apply(d);
    return 0;
}

void jobsdir_clear(struct jobsdir *d)
{
    if (!d->directory)
        return;
    loop_timer_stop(d->loop, &d->settle);
    errand_stop(&d->errand);
    watches_drop(d);
    free(d->watches);
    free(d->directory);
    *d = (struct jobsdir){0};
}
