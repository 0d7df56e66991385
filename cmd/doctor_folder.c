/* Modes and owners of the spool, of the folders above it, and of every file in it. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "lib/base/mem.h"

#define FOLDER "folder"

/* Who may write to a folder above can put another spool in its place. */
static void folder_above(struct doctor *d)
{
    char *path = mem_string(d->path), *slash;
    struct stat st;
    while ((slash = strrchr(path, '/'))) {
        slash[slash == path] = '\0';
        if (lstat(path, &st) == 0 && st.st_uid != 0 && st.st_uid != geteuid())
            doctor_say(d, FOLDER, path, "move the spool (AX_SPOOL), or have the folder given to you or root: chown",
                "it lies above the spool and belongs to uid %u", (unsigned)st.st_uid);
        else if (lstat(path, &st) == 0 && S_ISDIR(st.st_mode) && st.st_mode & 022 && !(st.st_mode & S_ISVTX))
            doctor_say(d, FOLDER, path, "chmod go-w", "it lies above the spool and others may write to it (mode %04o)",
                (unsigned)(st.st_mode & 07777));
        if (slash == path)
            break;
    }
    free(path);
}

static bool mode_mend(const struct doctor *d, int folder, const char *name, mode_t mode)
{
    return d->fix && fchmodat(folder, name, mode, 0) == 0;
}

/* What is expected in the spool itself. */
static const struct {
    const char *name;
    mode_t kind;
} known[] = {
    {"data.mdb", S_IFREG},
    {"lock.mdb", S_IFREG},
    {"write.lock", S_IFREG},
    {"scheduler.lock", S_IFREG},
    {"mail.lock", S_IFREG},
    {"notify.lock", S_IFREG},
    {"reserve", S_IFREG},
    {"scheduler.log", S_IFREG},
    {"scheduler.log.1", S_IFREG},
    {"runs", S_IFDIR},
    {"output", S_IFDIR},
    {"handover", S_IFDIR},
};

/* 0: of no known name. */
static mode_t kind_wanted(const char *below, const char *name, mode_t have)
{
    if (*below)
        return S_ISSOCK(have) && strcmp(below, "handover") == 0 ? S_IFSOCK : S_IFREG;
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (strcmp(known[i].name, name) == 0)
            return known[i].kind;
    return 0;
}

static void folder_entry(struct doctor *d, int folder, const char *below, const char *name)
{
    struct stat st;
    if (fstatat(folder, name, &st, AT_SYMLINK_NOFOLLOW) != 0)
        return; /* gone meanwhile */
    char *where = mem_format("%s%s%s/%s", d->path, *below ? "/" : "", below, name);
    mode_t kind = kind_wanted(below, name, st.st_mode);
    if (!kind)
        doctor_say(d, FOLDER, where, "it is none of ax: move it away", "nobody knows what it is for");
    else if ((st.st_mode & S_IFMT) != kind)
        doctor_say(d, FOLDER, where, "move it away", "it is not a %s", kind == S_IFDIR ? "folder" : "plain file");
    else if (st.st_uid != geteuid())
        doctor_say(d, FOLDER, where, "chown it to the owner of the spool, if you know how it came about",
            "it belongs to uid %u, the spool to uid %u", (unsigned)st.st_uid, (unsigned)geteuid());
    else if (st.st_mode & 07077)
        doctor_mend(d, FOLDER, where, mode_mend(d, folder, name, st.st_mode & 0700), "it is open to others (mode %04o)",
            (unsigned)(st.st_mode & 07777));
    else if (S_ISDIR(st.st_mode) && (st.st_mode & 0700) != 0700)
        doctor_mend(d, FOLDER, where, mode_mend(d, folder, name, 0700), "its owner may not use it (mode %04o)",
            (unsigned)(st.st_mode & 07777));
    else if (!*below && S_ISREG(st.st_mode) && (st.st_mode & 0600) != 0600)
        doctor_mend(d, FOLDER, where, mode_mend(d, folder, name, 0600), "its owner may not use it (mode %04o)",
            (unsigned)(st.st_mode & 07777));
    free(where);
}

static void folder_entries(struct doctor *d, int folder, const char *below)
{
    int fd = openat(folder, *below ? below : ".", O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    DIR *dir = fd < 0 ? NULL : fdopendir(fd);
    if (!dir) {
        if (fd >= 0)
            close(fd);
        return;
    }
    for (struct dirent *entry; (entry = readdir(dir));)
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            folder_entry(d, fd, below, entry->d_name);
    closedir(dir);
}

void doctor_folder(struct doctor *d)
{
    struct stat st;
    folder_above(d);
    int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) != 0)
        return; /* told of when it is opened */
    if (st.st_uid == geteuid() && st.st_mode & 07077)
        doctor_mend(d, FOLDER, d->path, d->fix && fchmod(fd, 0700) == 0, "it is open to others (mode %04o)",
            (unsigned)(st.st_mode & 07777));
    if (st.st_uid == geteuid()) {
        folder_entries(d, fd, "");
        folder_entries(d, fd, "runs");
        folder_entries(d, fd, "output");
        folder_entries(d, fd, "handover");
    }
    close(fd);
}
