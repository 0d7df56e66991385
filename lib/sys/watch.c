#include "lib/sys/watch.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"

/* inotify gives two watches of one file the same descriptor. So a watch number is a place in a table of ours, and several places may share a descriptor. */
struct watch_entry {
    int descriptor;  /* of inotify; -1: free, or the watched thing is gone */
    bool used, gone; /* gone: it was told that the watched thing is */
    uint32_t events;
    char *path;
    dev_t device;    /* what lay at the path when the watch began */
    ino_t inode;
};

struct watch {
    int fd;
    struct watch_entry *entries;
    size_t count, capacity;
};

static const struct watch_row {
    uint32_t event, mask;
} watch_rows[] = {
    {WATCH_WRITTEN, IN_CLOSE_WRITE},
    {WATCH_ARRIVED, IN_CREATE | IN_MOVED_TO},
    {WATCH_GONE, IN_DELETE | IN_MOVED_FROM | IN_DELETE_SELF | IN_MOVE_SELF | IN_UNMOUNT},
    {WATCH_MODIFIED, IN_MODIFY},
    {WATCH_RIGHTS, IN_ATTRIB},
};

#define WATCH_ROWS (sizeof watch_rows / sizeof *watch_rows)

int watch_new(struct watch **out, struct error *e)
{
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    if (fd < 0)
        return error_errno(e, ERROR_FAILED, errno, "cannot watch files");
    *out = mem_zero(1, sizeof **out);
    (*out)->fd = fd;
    return 0;
}

void watch_free(struct watch *w)
{
    if (!w)
        return;
    for (size_t i = 0; i < w->count; i++)
        free(w->entries[i].path);
    free(w->entries);
    close(w->fd);
    free(w);
}

int watch_fd(const struct watch *w)
{
    return w->fd;
}

/* A file that someone holds open is not deleted when its name is: then only its attributes change, and watch_unnamed tells. */
static uint32_t watch_mask(uint32_t events)
{
    uint32_t mask = events & WATCH_GONE ? IN_ATTRIB : 0;
    for (size_t i = 0; i < WATCH_ROWS; i++)
        if (events & watch_rows[i].event)
            mask |= watch_rows[i].mask;
    return mask;
}

static size_t watch_free_place(struct watch *w)
{
    for (size_t i = 0; i < w->count; i++)
        if (!w->entries[i].used)
            return i;
    MEM_GROW(w->entries, w->capacity, w->count + 1);
    w->entries[w->count] = (struct watch_entry){.descriptor = -1};
    return w->count++;
}

int watch_add(struct watch *w, const char *path, uint32_t events, struct error *e)
{
    struct stat s = {0};
    int descriptor = inotify_add_watch(w->fd, path, watch_mask(events) | IN_MASK_ADD);
    if (descriptor < 0)
        return error_errno(e, errno == ENOENT ? ERROR_NOT_FOUND : ERROR_FAILED, errno, "cannot watch %s", path);
    if (stat(path, &s) < 0)
        s.st_ino = 0; /* gone already: an event of it is on its way */
    size_t place = watch_free_place(w);
    w->entries[place] = (struct watch_entry){
        .descriptor = descriptor, .used = true, .events = events, .path = mem_string(path), .device = s.st_dev, .inode = s.st_ino};
    return (int)place;
}

static bool watch_shared(const struct watch *w, int descriptor)
{
    for (size_t i = 0; i < w->count; i++)
        if (w->entries[i].used && w->entries[i].descriptor == descriptor)
            return true;
    return false;
}

void watch_remove(struct watch *w, int number)
{
    if (number < 0 || (size_t)number >= w->count || !w->entries[number].used)
        return;
    struct watch_entry *entry = &w->entries[number];
    int descriptor = entry->descriptor;
    free(entry->path);
    *entry = (struct watch_entry){.descriptor = -1};
    if (descriptor >= 0 && !watch_shared(w, descriptor))
        inotify_rm_watch(w->fd, descriptor);
}

/* ---- reading ---- */

/* Has the name been taken from the watched thing, or given to another one? */
static bool watch_unnamed(const struct watch_entry *entry)
{
    struct stat s;
    return stat(entry->path, &s) < 0 || s.st_dev != entry->device || s.st_ino != entry->inode;
}

static uint32_t watch_event_of(struct watch_entry *entry, uint32_t mask, const char *name)
{
    uint32_t event = 0;
    for (size_t i = 0; i < WATCH_ROWS; i++)
        if (mask & watch_rows[i].mask)
            event |= watch_rows[i].event;
    if (mask & IN_ATTRIB && !*name && entry->events & WATCH_GONE && watch_unnamed(entry))
        event |= WATCH_GONE;
    if (event & WATCH_GONE && !*name) {
        if (entry->gone)
            event &= ~(uint32_t)WATCH_GONE;
        entry->gone = true;
    }
    return event & entry->events;
}

/* The callback may add and remove watches: nothing is kept across it but the index. */
static void watch_dispatch(struct watch *w, const struct inotify_event *event, watch_call *call, void *context)
{
    const char *name = event->len ? event->name : "";
    bool overflow = event->mask & IN_Q_OVERFLOW;
    for (size_t i = 0; i < w->count; i++) {
        struct watch_entry *entry = &w->entries[i];
        if (!entry->used || (!overflow && entry->descriptor != event->wd))
            continue;
        uint32_t what = overflow ? WATCH_OVERFLOW : watch_event_of(entry, event->mask, name);
        if (event->mask & IN_IGNORED)
            entry->descriptor = -1;
        if (what)
            call(context, (int)i, what, name);
    }
}

static ssize_t watch_batch(struct watch *w, watch_call *call, void *context)
{
    char batch[16384] __attribute__((aligned(__alignof__(struct inotify_event))));
    ssize_t got = read(w->fd, batch, sizeof batch);
    for (ssize_t at = 0; at < got;) {
        const struct inotify_event *event = (const struct inotify_event *)(const void *)(batch + at);
        watch_dispatch(w, event, call, context);
        at += (ssize_t)sizeof *event + (ssize_t)event->len;
    }
    return got;
}

/* Only what waits now: one who writes without end must not keep us here. */
void watch_read(struct watch *w, watch_call *call, void *context)
{
    int waiting = 0;
    if (ioctl(w->fd, FIONREAD, &waiting) < 0)
        return;
    while (waiting > 0) {
        ssize_t got = watch_batch(w, call, context);
        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            return;
        waiting -= (int)got;
    }
}
