/* Files and folders of files: found, opened, trusted or not, read. */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/text/visible.h"
#include "lib/text/yaml.h"
#include "spool/jobfile.h"

#define LINKS_MAX 40
#define READ_BYTES (256 << 10)

struct loading {
    const char *name; /* of the file, for messages */
    bool trusted;
    const struct jobfile_rules *rules;
    struct jobfiles *out;
    struct errors *errors;
};

static int refuse_hint(const struct loading *l, const char *hint, const char *format, ...) __attribute__((format(printf, 3, 4)));
static int refuse_hint(const struct loading *l, const char *hint, const char *format, ...)
{
    struct error e;
    struct buf b = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&b, format, arguments);
    va_end(arguments);
    error_set(&e, ERROR_USAGE, "%s", buf_string(&b));
    errors_add(l->errors, l->name, false, &e, hint);
    buf_clear(&b);
    return -(int)ERROR_USAGE;
}

static int refuse_errno(const struct loading *l, int number, const char *what)
{
    return refuse_hint(l, NULL, "%s: %s", what, strerror(number));
}

/* ---- whether it can be trusted ---- */

static void owner_name(uid_t uid, char out[64])
{
    char memory[4096];
    struct passwd entry, *found = NULL;
    if (getpwuid_r(uid, &entry, memory, sizeof memory, &found) == 0 && found)
        snprintf(out, 64, "%s", found->pw_name);
    else
        snprintf(out, 64, "uid %u", (unsigned)uid);
}

static int refuse_untrusted(const struct loading *l, const char *path, const struct stat *st, const char *why, const char *mend)
{
    struct buf hint = {0};
    char owner[64];
    owner_name(st->st_uid, owner);
    buf_format(&hint, "%s ", mend);
    visible_shell_word(&hint, path);
    const char *what = S_ISDIR(st->st_mode) ? "the folder" : S_ISLNK(st->st_mode) ? "the symbolic link" : "the file";
    int failed = refuse_hint(l, buf_string(&hint), "is not taken: %s %s %s (owner %s, mode %04o)", what, path, why, owner, (unsigned)(st->st_mode & 07777));
    buf_clear(&hint);
    return failed;
}

/* Owned by root or by us, and no one else can write to it. In a folder with the sticky bit others may make files, but neither change nor replace ours. */
static int check_owned(const struct loading *l, const char *path, const struct stat *st)
{
    if (st->st_uid != 0 && st->st_uid != geteuid())
        return refuse_untrusted(l, path, st, "belongs to someone else", geteuid() == 0 ? "chown root" : S_ISLNK(st->st_mode) ? "make it anew as yourself: ln -sf TARGET" : "copy it, or have it given to you: chown");
    if (S_ISLNK(st->st_mode) || !(st->st_mode & 022) || (S_ISDIR(st->st_mode) && (st->st_mode & S_ISVTX)))
        return 0;
    return refuse_untrusted(l, path, st, "can be written to by others", "chmod go-w");
}

static char *join(const char *folder, const char *name)
{
    if (*name == '/')
        return mem_string(name);
    return mem_format("%s%s%s", folder, folder[strlen(folder) - 1] == '/' ? "" : "/", name);
}

/* The folder part of a path and what is behind it. */
static char *split(const char *path, const char **base)
{
    const char *slash = strrchr(path, '/');
    *base = slash ? slash + 1 : path;
    if (!slash)
        return mem_string(".");
    return slash == path ? mem_string("/") : mem_format("%.*s", (int)(slash - path), path);
}

static int check_open(const struct loading *l, const char *path, int fd)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return refuse_errno(l, errno, path);
    return check_owned(l, path, &st);
}

static bool is_folder(int fd)
{
    struct stat st;
    return fstat(fd, &st) == 0 && S_ISDIR(st.st_mode);
}

/* What the symbolic link says, if it is one of ours. */
static int read_link(const struct loading *l, int folder, const char *path, const char *base, char **target)
{
    struct stat st;
    char link[PATH_MAX];
    if (fstatat(folder, base, &st, AT_SYMLINK_NOFOLLOW) < 0 || !S_ISLNK(st.st_mode))
        return refuse_errno(l, ELOOP, path);
    if (check_owned(l, path, &st) < 0)
        return -(int)ERROR_USAGE;
    ssize_t length = readlinkat(folder, base, link, sizeof link - 1);
    if (length <= 0)
        return refuse_errno(l, length < 0 ? errno : ENOENT, path);
    link[length] = '\0';
    *target = mem_string(link);
    return 1;
}

/* Opens what has the name in an open folder; 1: it is a symbolic link, *target is where it leads. */
static int open_in(const struct loading *l, int folder, const char *path, const char *base, int *out, char **target)
{
    int fd = openat(folder, *base ? base : ".", O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY | O_NOFOLLOW);
    if (fd < 0 && errno == ELOOP)
        return read_link(l, folder, path, base, target);
    if (fd < 0)
        return refuse_errno(l, errno, "cannot be opened");
    *out = fd;
    return 0;
}

/* One step: opened in its folder, and that very folder looked at. A folder itself may lie wherever it is. */
static int open_step(const struct loading *l, const char *path, int *out, char **next)
{
    const char *base;
    char *folder = split(path, &base), *target = NULL;
    int fd = open(folder, O_PATH | O_DIRECTORY | O_CLOEXEC);
    int code = fd < 0 ? refuse_errno(l, errno, "cannot be opened") : open_in(l, fd, path, base, out, &target);
    if (code >= 0 && !(code == 0 && is_folder(*out)) && check_open(l, folder, fd) < 0) {
        if (code == 0)
            close(*out);
        code = -(int)ERROR_USAGE;
    }
    if (code == 1)
        *next = join(folder, target);
    if (fd >= 0)
        close(fd);
    free(target);
    free(folder);
    return code;
}

static char *without_slashes(const char *name)
{
    size_t length = strlen(name);
    while (length > 1 && name[length - 1] == '/')
        length--;
    return mem_format("%.*s", (int)length, name);
}

/* Symbolic links of the file itself are followed by hand, so that the folders of both ends are looked at. What leads to these folders need not be: whoever moves another
 * folder into their place has to find one that is owned by us or root, with files that are. */
static int open_trusted(const struct loading *l, const char *name, int *out)
{
    char *path = without_slashes(name);
    int code = 1;
    for (int i = 0; code == 1 && i < LINKS_MAX; i++) {
        char *next = NULL;
        code = open_step(l, path, out, &next);
        if (code == 1) {
            free(path);
            path = next;
        }
    }
    if (code == 1)
        code = refuse_errno(l, ELOOP, "cannot be opened");
    if (code == 0 && check_open(l, path, *out) < 0) {
        close(*out);
        code = -(int)ERROR_USAGE;
    }
    free(path);
    return code;
}

/* ---- one file ---- */

static int open_name(const struct loading *l, int *out)
{
    if (l->trusted)
        return open_trusted(l, l->name, out);
    int fd = open(l->name, O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY);
    if (fd < 0)
        return refuse_errno(l, errno, "cannot be opened");
    *out = fd;
    return 0;
}

static int read_all(const struct loading *l, int fd, struct buf *b)
{
    for (;;) {
        buf_reserve(b, READ_BYTES);
        ssize_t n = read(fd, b->data + b->length, READ_BYTES);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return refuse_errno(l, errno, "reading it");
        if (n == 0)
            return 0;
        b->length += (size_t)n;
        if (b->length > YAML_SIZE_MAX)
            return refuse_hint(l, NULL, "is larger than %d MiB", YAML_SIZE_MAX >> 20);
    }
}

/* The path of what was opened, not of what has the name by now. */
static char *path_of(int fd, const char *name)
{
    char link[64], path[PATH_MAX];
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t length = readlink(link, path, sizeof path - 1);
    if (length > 0 && path[0] == '/') {
        path[length] = '\0';
        return mem_string(path);
    }
    char *real = realpath(name, NULL);
    return real ? real : mem_string(name);
}

/* A file that was named twice, or by itself and by its folder, is read once. */
static bool is_there(const struct loading *l, const char *path)
{
    for (size_t i = 0; i < l->out->count; i++)
        if (strcmp(l->out->items[i].path, path) == 0)
            return true;
    return false;
}

static int load_open(const struct loading *l, int fd, const char *path)
{
    struct buf b = {0};
    int code = read_all(l, fd, &b);
    if (code == 0)
        code = jobfile_read(l->name, path, buf_string(&b), b.length, l->rules, l->out, l->errors);
    buf_clear(&b);
    return code;
}

/* Takes over the descriptor. A FIFO or a device could make us wait, or never end. */
static int load_file(const struct loading *l, int fd)
{
    struct stat st;
    int code = 0;
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        code = refuse_hint(l, "`-` reads standard input", "is no plain file");
    } else {
        char *path = path_of(fd, l->name);
        code = is_there(l, path) ? 0 : load_open(l, fd, path);
        free(path);
    }
    close(fd);
    return code;
}

/* ---- a folder ---- */

bool jobfile_is_name(const char *name)
{
    const char *dot = strrchr(name, '.');
    return name[0] != '.' && dot && (strcmp(dot, ".yaml") == 0 || strcmp(dot, ".yml") == 0);
}

static int list_folder(const struct loading *l, DIR *folder, struct strvec *names)
{
    struct dirent *entry;
    errno = 0;
    while ((entry = readdir(folder)))
        if (jobfile_is_name(entry->d_name))
            strvec_take(names, join(l->name, entry->d_name));
    if (errno)
        return refuse_errno(l, errno, "reading the folder");
    strvec_sort(names);
    return 0;
}

static int load_files(const struct loading *l, const struct strvec *names)
{
    int code = 0;
    struct error e;
    for (size_t i = 0; i < names->count; i++) {
        struct loading one = *l;
        int fd;
        one.name = names->items[i];
        if (open_name(&one, &fd) < 0 || load_file(&one, fd) < 0)
            code = -(int)ERROR_USAGE;
    }
    if (!names->count) {
        error_set(&e, ERROR_USAGE, "there are no job files in this folder: *.yaml or *.yml");
        errors_add(l->errors, l->name, true, &e, NULL);
    }
    return code;
}

/* Takes over the descriptor. */
static int load_folder(const struct loading *l, int fd)
{
    struct strvec names = {0};
    DIR *folder = fdopendir(fd);
    if (!folder) {
        close(fd);
        return refuse_errno(l, ENOMEM, "reading the folder");
    }
    int code = list_folder(l, folder, &names);
    if (code == 0) {
        strvec_take(&l->out->folders, path_of(fd, l->name));
        code = load_files(l, &names);
    }
    closedir(folder);
    strvec_clear(&names);
    return code;
}

int jobfiles_load(const char *name, bool trusted, const struct jobfile_rules *rules, struct jobfiles *out, struct errors *errors)
{
    struct loading l = {.name = name, .trusted = trusted, .rules = rules, .out = out, .errors = errors};
    if (strcmp(name, "-") == 0) {
        l.name = "standard input";
        return load_open(&l, STDIN_FILENO, "-");
    }
    l.name = *name ? name : NULL;
    if (!l.name)
        return refuse_hint(&l, NULL, "the name of a job file is empty: a variable that is not set?");
    int fd;
    if (open_name(&l, &fd) < 0)
        return -(int)ERROR_USAGE;
    return is_folder(fd) ? load_folder(&l, fd) : load_file(&l, fd);
}
