/* The files of cron's folders. */
#include "spool/cronfolder.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"

/* ---- checks ---- */

/* Each check gives why not, malloc'd, or NULL. */

static char *check_name(const char *name)
{
    static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-";
    const char *other = name + strspn(name, letters);
    if (!*other)
        return NULL;
    if ((unsigned char)*other <= ' ' || (unsigned char)*other >= 0x7f)
        return mem_string("its name has something else than letters, digits, _ and -");
    return mem_format("its name has a '%c': only letters, digits, _ and - count", *other);
}

static bool is_trusted(uid_t owner)
{
    return owner == 0 || owner == geteuid();
}

static char *check_owner(const struct stat *s, const char *what)
{
    if (is_trusted(s->st_uid))
        return NULL;
    return mem_format(
        "%s belongs to user %u: it must be root's%s", what, (unsigned)s->st_uid, geteuid() ? " or yours" : "");
}

static char *check_mode(const struct stat *s)
{
    if (!(s->st_mode & (S_IWGRP | S_IWOTH)))
        return NULL;
    return mem_format("others can write to it (mode %04o): chmod go-w", (unsigned)(s->st_mode & 07777));
}

static char *check_file(const struct stat *s)
{
    if (!S_ISREG(s->st_mode))
        return mem_string(S_ISDIR(s->st_mode) ? "it is a folder" : "it is no plain file");
    char *why = check_owner(s, "it");
    return why ? why : check_mode(s);
}

static char *check_kind(const struct stat *s, enum cronfolder_kind kind)
{
    if (kind == CRONFOLDER_TABLES && s->st_nlink > 1)
        return mem_format("it has %lu hard links: cron reads files that have one", (unsigned long)s->st_nlink);
    if (kind == CRONFOLDER_SCRIPTS && !(s->st_mode & (S_IXUSR | S_IXGRP | S_IXOTH)))
        return mem_string("it is not executable");
    return NULL;
}

/* ---- opening ---- */

/* Returns a descriptor, or -1 and why. A script need not be readable. Never waits for the other end of a pipe. */
static int open_file(int folder, const char *name, enum cronfolder_kind kind, char **why)
{
    int flags = O_NONBLOCK | O_NOCTTY | O_CLOEXEC | (kind == CRONFOLDER_SCRIPTS ? O_PATH : O_RDONLY);
    struct stat link, s;
    *why = NULL;
    if (fstatat(folder, name, &link, AT_SYMLINK_NOFOLLOW) == 0 && S_ISLNK(link.st_mode))
        *why = check_owner(&link, "the symbolic link");
    if (*why)
        return -1;
    int fd = openat(folder, name, flags);
    if (fd < 0 || fstat(fd, &s) < 0)
        *why = mem_format("it cannot be opened: %s", strerror(errno));
    else
        *why = check_file(&s);
    if (!*why)
        return fd;
    if (fd >= 0)
        close(fd);
    return -1;
}

/* Why not, or NULL. */
static char *read_file(int fd, struct buf *out)
{
    for (;;) {
        buf_reserve(out, 65536);
        ssize_t n = read(fd, out->data + out->length, 65535);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return mem_format("it cannot be read: %s", strerror(errno));
        out->length += (size_t)n;
        out->data[out->length] = '\0';
        if (n == 0)
            return NULL;
        if (out->length > CRONFOLDER_FILE)
            return mem_format("it is larger than %zu MiB", CRONFOLDER_FILE >> 20);
    }
}

/* ---- folders ---- */

static void take_file(int folder, enum cronfolder_kind kind, struct cronfolder_file *f)
{
    struct stat s;
    f->skipped = check_name(f->name);
    if (f->skipped)
        return;
    int fd = open_file(folder, f->name, kind, &f->skipped);
    if (fd < 0)
        return;
    if (fstat(fd, &s) == 0)
        f->skipped = check_kind(&s, kind);
    if (!f->skipped && kind == CRONFOLDER_TABLES)
        f->skipped = read_file(fd, &f->text);
    close(fd);
}

static int compare_files(const void *a, const void *b)
{
    return strcmp(((const struct cronfolder_file *)a)->name, ((const struct cronfolder_file *)b)->name);
}

static int list_files(DIR *folder, const char *path, struct cronfolder *out)
{
    const char *slash = path[strlen(path) - 1] == '/' ? "" : "/";
    for (const struct dirent *entry; errno = 0, (entry = readdir(folder)) != NULL;) {
        if (!strcmp(entry->d_name, ".") || !strcmp(entry->d_name, ".."))
            continue;
        MEM_GROW(out->files, out->capacity, out->count + 1);
        out->files[out->count++] = (struct cronfolder_file){
            .name = mem_string(entry->d_name), .path = mem_format("%s%s%s", path, slash, entry->d_name)};
    }
    return errno;
}

static int check_folder(int fd, const char *path, struct error *e)
{
    struct stat s;
    if (fstat(fd, &s) < 0)
        return error_errno(e, ERROR_FAILED, errno, "%s", path);
    char *why = check_owner(&s, "it");
    if (!why)
        why = check_mode(&s);
    if (!why)
        return 0;
    error_set(e, ERROR_USAGE, "%s is not read: %s", path, why);
    free(why);
    return -ERROR_USAGE;
}

int cronfolder_read(const char *path, enum cronfolder_kind kind, struct cronfolder *out, struct error *e)
{
    struct cronfolder found = {0};
    int fd = *path ? open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC) : (errno = ENOENT, -1);
    if (fd < 0)
        return error_errno(e, errno == ENOENT ? ERROR_NOT_FOUND : ERROR_FAILED, errno, "%s", path);
    int code = check_folder(fd, path, e);
    DIR *folder = code ? NULL : fdopendir(fd);
    if (!folder) {
        code = code ? code : error_errno(e, ERROR_FAILED, errno, "%s", path);
        close(fd);
        return code;
    }
    int number = list_files(folder, path, &found);
    if (found.count)
        qsort(found.files, found.count, sizeof *found.files, compare_files);
    for (size_t i = 0; !number && i < found.count; i++)
        take_file(dirfd(folder), kind, &found.files[i]);
    closedir(folder);
    if (number) {
        cronfolder_clear(&found);
        return error_errno(e, ERROR_FAILED, number, "%s", path);
    }
    *out = found;
    return 0;
}

void cronfolder_clear(struct cronfolder *f)
{
    for (size_t i = 0; i < f->count; i++) {
        free(f->files[i].name);
        free(f->files[i].path);
        free(f->files[i].skipped);
        buf_clear(&f->files[i].text);
    }
    free(f->files);
    *f = (struct cronfolder){0};
}

int cronfolder_table(const char *path, struct buf *out, struct error *e)
{
    struct buf text = {0};
    struct stat s;
    char *why;
    if (lstat(path, &s) < 0)
        return error_errno(e, errno == ENOENT ? ERROR_NOT_FOUND : ERROR_FAILED, errno, "%s", path);
    int fd = open_file(AT_FDCWD, path, CRONFOLDER_TABLES, &why);
    if (fd >= 0) {
        why = read_file(fd, &text);
        close(fd);
    }
    if (!why) {
        buf_clear(out);
        *out = text;
        return 0;
    }
    error_set(e, ERROR_USAGE, "%s is not read: %s", path, why);
    free(why);
    buf_clear(&text);
    return -ERROR_USAGE;
}
