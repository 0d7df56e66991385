/* Open runs, and the files of runs: which are of none. */
#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "lib/base/mem.h"
#include "lib/sys/lockfile.h"
#include "spool/handover.h"
#include "spool/output.h"

#define RUN "run"
#define OLD (3600 * SECOND) /* younger ones may be of a run that is just being recorded */

/* ---- open runs ---- */

static void run_look(struct doctor *d, const struct run *r)
{
    struct fence fence;
    char name[RUN_ID_SIZE], boot[BOOT_ID_SIZE];
    run_id_format(r->id, name);
    char *where = mem_format("run %s", name);
    process_boot(boot);
    fence_look(&d->folder, r->id, &fence);
    struct stat st;
    char *left = mem_format("%s.left", name);
    bool is_left = fstatat(d->folder.handover, left, &st, AT_SYMLINK_NOFOLLOW) == 0; /* told of with the files */
    free(left);
    bool lives = is_left || fence.state == FENCE_HELD ||
                 (fence.state == FENCE_STARTED && strcmp(fence.boot, boot) == 0 && process_alive(&fence.command));
    if (!lives && (r->claimed == INSTANT_NONE || !run_is_foreground(r)))
        doctor_say(d, RUN, where, "`ax run` finds out what has become of it",
            fence.state == FENCE_STARTED ? "it is open, but neither its worker nor its command lives"
                                         : "it is open and nobody serves the spool");
    free(where);
}

static bool run_open(const struct doctor *d, struct run_id id)
{
    for (size_t i = 0; i < d->open_count; i++)
        if (d->open[i].id.job == id.job && d->open[i].id.n == id.n)
            return true;
    return false;
}

/* ---- files ---- */

struct files {
    struct doctor *d;
    struct store *store;
    bool alone; /* nobody serves, and no worker lives: what lies in runs and handover is of nobody */
};

static bool file_id(const char *name, const char *ending, struct run_id *out)
{
    char text[RUN_ID_SIZE];
    size_t length = strlen(name), tail = strlen(ending);
    if (length <= tail || length - tail >= sizeof text || strcmp(name + length - tail, ending) != 0)
        return false;
    memcpy(text, name, length - tail);
    text[length - tail] = '\0';
    return run_id_parse(text, out) && !out->note;
}

static bool file_old(const struct files *f, int folder, const char *name)
{
    struct stat st;
    return fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_mtim.tv_sec < (f->d->now - OLD) / SECOND;
}

static void file_drop(
    const struct files *f, int folder, const char *where, const char *name, const char *why, bool safe)
{
    char *path = mem_format("%s/%s/%s", f->d->path, where, name);
    bool mended = f->d->fix && safe && unlinkat(folder, name, 0) == 0;
    if (safe)
        doctor_mend(f->d, "file", path, mended, "%s", why);
    free(path);
}

static bool run_known(const struct files *f, struct run_id id)
{
    struct run r;
    struct error e = {0};
    int found = store_run(f->store, id, &r, &e);
    if (found == 0)
        run_clear(&r);
    return found == 0 || e.code != ERROR_NOT_FOUND; /* one that does not decode is one */
}

static void file_output(const struct files *f, int folder, const char *name)
{
    struct run_id id;
    if (!file_id(name, "", &id))
        file_drop(f, folder, "output", name, "it is the output of no run", file_old(f, folder, name));
    else if (!run_known(f, id))
        file_drop(f, folder, "output", name, "there is no run of it", file_old(f, folder, name));
}

static void file_fence(const struct files *f, int folder, const char *name)
{
    struct run_id id;
    if (!file_id(name, "", &id) || !run_open(f->d, id))
        file_drop(f, folder, "runs", name, "it is of no open run", f->alone);
}

static void file_handover(const struct files *f, int folder, const char *name)
{
    static const char *const stale[] = {".sock", ".new", ".tmp"};
    struct run_id id;
    char *path = mem_format("%s/handover/%s", f->d->path, name);
    if (file_id(name, ".bad", &id))
        doctor_say(f->d, "file", path, "look at it and remove it: its run was recorded as lost",
            "an outcome that was left and cannot be read");
    else if (file_id(name, ".left", &id) && f->alone && run_open(f->d, id))
        doctor_say(f->d, "file", path, "`ax run` records it", "the outcome of a run waits for a scheduler");
    else if (file_id(name, ".left", &id) && !run_open(f->d, id))
        file_drop(f, folder, "handover", name, "it is of no open run", f->alone);
    for (size_t i = 0; i < sizeof stale / sizeof *stale; i++)
        if (file_id(name, stale[i], &id))
            file_drop(f, folder, "handover", name, "its worker is gone", f->alone);
    free(path);
}

static void files_each(
    const struct files *f, int folder, void (*look)(const struct files *f, int folder, const char *name))
{
    struct strvec names = {0};
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir && fd >= 0)
        close(fd);
    for (struct dirent *entry; dir && (entry = readdir(dir));)
        if (*entry->d_name != '.')
            strvec_add(&names, entry->d_name);
    if (dir)
        closedir(dir);
    for (size_t i = 0; i < names.count; i++)
        look(f, folder, names.items[i]);
    strvec_clear(&names);
}

/* A run whose output should be in a file. */
static bool row_output(void *context, const struct run *r)
{
    struct doctor *d = context;
    struct stat st;
    char name[RUN_ID_SIZE];
    run_id_format(r->id, name);
    if (r->output == OUTPUT_FILE && r->output_bytes && !r->id.note && fstatat(d->folder.output, name, &st, AT_SYMLINK_NOFOLLOW) != 0) {
        char *where = mem_format("run %s", name);
        doctor_say(
            d, RUN, where, "it is gone: nothing can be done", "its output %s/output/%s is not there", d->path, name);
        free(where);
    }
    return true;
}

/* What is mended, is mended with the lock of the scheduler held: none can come in between. */
void doctor_runs(struct doctor *d, struct store *store)
{
    struct files f = {.d = d, .store = store};
    int lock = d->served.pid ? -1 : lockfile_open(d->folder.fd, "scheduler.lock", NULL);
    bool unserved =
        lock >= 0 && (d->fix ? lockfile_try(lock, true, 0, 1, NULL) == 0 : lockfile_holder(lock, 0, 1) == 0);
    f.alone = unserved && !generation_older_alive(lock, UINT32_MAX);
    for (size_t i = 0; i < d->open_count && unserved; i++)
        run_look(d, &d->open[i]);
    if (store_begin(store, false, NULL) == 0) {
        files_each(&f, d->folder.output, file_output);
        files_each(&f, d->folder.runs, file_fence);
        files_each(&f, d->folder.handover, file_handover);
        store_each_row(store, (struct run_id){0}, row_output, d, NULL);
        store_abort(store);
    }
    if (lock >= 0)
        close(lock);
}
