#include "spool/handover.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/lockfile.h"
#include "spool/handover_parts.h"

void handover_name(struct run_id id, const char *ending, char out[HANDOVER_NAME_SIZE])
{
    char text[RUN_ID_SIZE];
    run_id_format(id, text);
    snprintf(out, HANDOVER_NAME_SIZE, "%s%s", text, ending);
}

static bool handover_parse(const char *name, const char *ending, struct run_id *out)
{
    size_t length = strlen(name), tail = strlen(ending);
    if (length <= tail || length - tail >= RUN_ID_SIZE || strcmp(name + length - tail, ending) != 0)
        return false;
    char text[RUN_ID_SIZE];
    memcpy(text, name, length - tail);
    text[length - tail] = '\0';
    return run_id_parse(text, out);
}

void handover_each(int folder, const char *ending, fence_call *call, void *context)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *d = fd < 0 ? NULL : fdopendir(fd);
    if (!d) {
        if (fd >= 0)
            close(fd);
        return;
    }
    struct run_id *ids = NULL;
    size_t count = 0, capacity = 0;
    for (struct dirent *entry; (entry = readdir(d));) {
        struct run_id id;
        if (!handover_parse(entry->d_name, ending, &id))
            continue;
        MEM_GROW(ids, capacity, count + 1);
        ids[count++] = id;
    }
    closedir(d);
    for (size_t i = 0; i < count; i++)
        call(context, ids[i]);
    free(ids);
}

/* ---- generations ---- */

int generation_join(const struct folder *f, uint32_t generation, pid_t scheduler)
{
    pid_t holder;
    int fd = lockfile_open(f->fd, "scheduler.lock", NULL);
    if (fd < 0)
        return -1;
    /* Join first, then look: a scheduler that comes after ours sees us. Were it the other way round, it could clear the fences away in between. */
    if (lockfile_try(fd, false, 1 + (uint64_t)generation, 1, &holder) == 0 && lockfile_holder(fd, 0, 1) == scheduler)
        return fd;
    close(fd);
    return -1;
}

bool generation_older_alive(int lock_fd, uint32_t generation)
{
    return generation && lockfile_holder(lock_fd, 1, generation);
}

/* ---- taking over ---- */

enum adopt_action adopt_decide(bool same_boot, bool left, enum fence_state fence)
{
    if (left)
        return ADOPT_FINISH;
    if (fence == FENCE_HELD) /* a lock is always of now */
        return ADOPT_WAIT;
    if (fence == FENCE_STARTED || !same_boot)
        return ADOPT_LOST;
    return ADOPT_REQUEUE;
}

/* Whether what was written without fsync can be relied on: the kernel has not been started anew. Containers of one kernel come and go with pid 1, which
 * process_boot counts as another boot; files and locks do not mind. */
static bool adopt_same_kernel(const char *a, const char *b)
{
    size_t length = strcspn(a, "/");
    return strcmp(a, b) == 0 || (length && length == strcspn(b, "/") && memcmp(a, b, length) == 0);
}

enum adopt_action adopt_look(const struct folder *f, const struct run *r, const char *boot, struct fence *fence, struct report *left)
{
    bool same_boot = adopt_same_kernel(r->boot, boot);
    *fence = (struct fence){.state = FENCE_NONE, .started = INSTANT_NONE};
    enum left_found found = left_find(f, r->id, left);
    for (int patience = 0; found == LEFT_NONE && patience < 3; patience++) {
        fence_look(f, r->id, fence);
        found = left_find(f, r->id, left); /* it may have been left since; then the lock was given up after that */
        if (found != LEFT_NONE)
            break;
        enum adopt_action action = adopt_decide(same_boot, false, fence->state);
        if (action != ADOPT_REQUEUE || fence_close(f, r->id))
            return action;
    }
    if (found == LEFT_READ)
        return adopt_decide(same_boot, true, fence->state);
    fence->state = FENCE_HELD; /* nothing sure can be said now */
    fence->holder = 0;
    return ADOPT_WAIT;
}
