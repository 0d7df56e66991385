/* Goes along a path as the kernel does, and notes where a link lies, where the end lies, and where nothing is. A link
 * is changed by an event in the folder it lies in; what it leads to, by one in another. */
#include "lib/sys/links.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"

enum { LINKS_MAX = 40 };

static void add_once(struct strvec *list, const char *text)
{
    for (size_t i = 0; i < list->count; i++)
        if (!strcmp(list->items[i], text))
            return;
    strvec_add(list, text);
}

/* Takes the next part off the rest of a path: its length, and *at moves on behind it. */
static size_t next_part(const char **at, const char **part)
{
    *part = *at + strspn(*at, "/");
    size_t length = strcspn(*part, "/");
    *at = *part + length;
    return length;
}

static void go_up(struct buf *done)
{
    const char *slash = done->length ? strrchr(done->data, '/') : NULL;
    buf_cut(done, slash ? (size_t)(slash - done->data) : 0);
}

/* A path on the way: `done` is the folder so far, without a slash at its end; `at` points into `rest`. */
struct walk {
    struct buf done;
    char *rest;
    const char *at;
    int links;
};

/* A link: what it holds goes before the rest of the path. */
static bool follow(struct walk *w, const char *link)
{
    char target[PATH_MAX];
    ssize_t length = w->links++ < LINKS_MAX ? readlink(link, target, sizeof target - 1) : 0;
    if (length <= 0)
        return false;
    target[length] = '\0';
    char *longer = mem_format("%s/%s", target, w->at);
    free(w->rest);
    w->at = w->rest = longer;
    return true;
}

/* One part of the path. Gives false at the end of the way. */
static bool step(struct walk *w, struct strvec *places)
{
    struct stat st;
    const char *part;
    size_t length = next_part(&w->at, &part), before = w->done.length;
    if (!length || (length == 1 && *part == '.'))
        return length > 0;
    if (length == 2 && part[0] == '.' && part[1] == '.') {
        go_up(&w->done);
        return true;
    }
    buf_format(&w->done, "/%.*s", (int)length, part);
    bool there = lstat(w->done.data, &st) == 0;
    if (there && S_ISDIR(st.st_mode))
        return true;
    add_once(places, w->done.data);
    bool followed = there && S_ISLNK(st.st_mode) && follow(w, w->done.data);
    buf_cut(&w->done, before);
    if (followed && *w->rest == '/')
        buf_reset(&w->done);
    return followed;
}

void links_places(const char *path, struct strvec *places)
{
    char here[PATH_MAX] = "";
    if (*path != '/' && !getcwd(here, sizeof here))
        return;
    struct walk w = {.rest = mem_format("%s/%s", here, path)};
    w.at = w.rest;
    while (step(&w, places))
        continue;
    free(w.rest);
    buf_clear(&w.done);
}

void links_folders(const char *path, struct strvec *folders)
{
    struct strvec places = {0};
    links_places(path, &places);
    for (size_t i = 0; i < places.count; i++) {
        char *slash = strrchr(places.items[i], '/');
        slash[slash == places.items[i]] = '\0';
        add_once(folders, places.items[i]);
    }
    strvec_clear(&places);
}
