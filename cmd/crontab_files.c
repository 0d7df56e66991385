/* Which crontabs are meant, and their texts. */
#include "cmd/crontab_files.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"

#define FILE_MAX (64 << 20)

void crontab_file_clear(struct crontab_file *f)
{
    free(f->name);
    free(f->path);
    free(f->label);
    free(f->prefix);
    free(f->user);
    free(f->home);
    for (size_t i = 0; i < f->count; i++)
        strvec_clear(&f->entries[i].notes);
    free(f->entries);
    buf_clear(&f->raw);
    free(f->skipped);
    strvec_clear(&f->remarks);
    anacrontab_clear(&f->anacron);
    strvec_clear(&f->reasons);
    crontab_clear(&f->crontab);
}

struct crontab_file *crontab_files_add(struct crontab_import *im, char *label)
{
    for (size_t i = 0; label && i < im->count; i++)
        if (im->files[i].label && strcmp(im->files[i].label, label) == 0) {
            free(label);
            return NULL;
        }
    MEM_GROW(im->files, im->capacity, im->count + 1);
    im->files[im->count] = (struct crontab_file){.label = label};
    return &im->files[im->count++];
}

const struct crontab *crontab_file_tab(const struct crontab_file *f)
{
    return f->is_anacron ? &f->anacron.tab : &f->crontab;
}

/* ---- bytes ---- */

static int read_all(int fd, struct buf *out, struct error *e)
{
    for (;;) {
        buf_reserve(out, 64 << 10);
        ssize_t n = read(fd, out->data + out->length, 64 << 10);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_errno(e, ERROR_USAGE, errno, "cannot be read");
        if (n == 0)
            break;
        out->length += (size_t)n;
        if (out->length > FILE_MAX)
            return error_set(e, ERROR_USAGE, "is larger than %d MiB", FILE_MAX >> 20);
    }
    out->data[out->length] = '\0';
    return 0;
}

int crontab_files_read(struct crontab_file *f, const char *name, struct error *e)
{
    int fd = open(name, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &f->status) < 0) {
        int number = errno;
        if (fd >= 0)
            close(fd);
        return error_set(e, ERROR_USAGE, "%s", strerror(number));
    }
    int code = S_ISDIR(f->status.st_mode) ? error_set(e, ERROR_USAGE, "is a folder") : read_all(fd, &f->raw, e);
    close(fd);
    f->path = code == 0 && S_ISREG(f->status.st_mode) ? realpath(name, NULL) : NULL;
    return code;
}

static int named(struct error *e, const char *name)
{
    struct error whole;
    error_set(&whole, e->code, "%.*s: %s", UTF8_WORD(name), e->text);
    *e = whole;
    return -(int)e->code;
}

/* ---- crontabs of users ---- */

static const char *const user_folders[] = {"/var/spool/cron/crontabs", "/var/spool/cron", NULL}; /* Debian; Red Hat and others */

/* NULL: the caller. */
static int take_user(const struct crontab_import *im, struct crontab_file *f, const char *user, struct error *e)
{
    bool own = !user || strcmp(user, im->runner) == 0;
    const struct passwd *entry = own ? NULL : getpwnam(user);
    if (!own && !im->root)
        return error_set(e, ERROR_USAGE, "only root can import the crontab of another user");
    if (!own && !entry)
        return error_set(e, ERROR_USAGE, "there is no user %.*s", UTF8_WORD(user));
    f->user = mem_string(own ? im->runner : entry->pw_name);
    f->home = mem_string(own ? im->home : entry->pw_dir);
    return 0;
}

static int add_users_own(struct crontab_import *im, struct error *e)
{
    struct crontab_file *f = crontab_files_add(im, NULL);
    const char *prefix = im->options->prefix;
    int code = take_user(im, f, im->options->user, e);
    if (code < 0)
        return code;
    f->label = mem_format("crontab:%s", f->user);
    f->prefix = mem_string(prefix ? prefix : im->root ? f->user : "crontab");
    for (const char *const *folder = user_folders; *folder && !f->path; folder++) {
        char *path = mem_format("%s/%s", *folder, f->user);
        if (access(path, R_OK) == 0 && crontab_files_read(f, path, e) == 0)
            f->name = mem_string(path);
        free(path);
    }
    if (f->path)
        return 0;
    buf_reset(&f->raw);
    f->program = true;
    f->name = mem_format("crontab of %s", f->user);
    return crontab_program_list(f->user, strcmp(f->user, im->runner) != 0, &f->raw, e);
}

/* A file in the folder of crontabs is that of the user of its name, however it was named. */
static bool is_users_own(const struct crontab_file *f)
{
    const char *slash = f->path ? strrchr(f->path, '/') : NULL;
    for (const char *const *folder = user_folders; slash && *folder; folder++)
        if (strlen(*folder) == (size_t)(slash - f->path) && strncmp(f->path, *folder, strlen(*folder)) == 0)
            return true;
    return false;
}

/* ---- named files ---- */

static int add_named(struct crontab_import *im, const char *name, struct error *e)
{
    struct crontab_file *f = crontab_files_add(im, NULL);
    bool input = strcmp(name, "-") == 0;
    f->name = mem_string(input ? "standard input" : name);
    int code = input ? read_all(STDIN_FILENO, &f->raw, e) : crontab_files_read(f, name, e);
    if (code < 0)
        return named(e, f->name);
    const char *user = im->options->user;
    if (!user && is_users_own(f))
        user = strrchr(f->path, '/') + 1;
    code = take_user(im, f, user, e);
    if (code < 0)
        return code;
    bool own = !f->path || is_users_own(f);
    f->label = mem_format("crontab:%s", own ? f->user : f->path);
    if (im->options->prefix)
        f->prefix = mem_string(im->options->prefix);
    else
        f->prefix = own ? mem_string(im->root ? f->user : "crontab") : crontab_prefix(f->path);
    return 0;
}

int crontab_files_load(struct crontab_import *im, int count, char **names, struct error *e)
{
    if (im->options->system)
        return crontab_system_load(im, count, names, e);
    return count ? add_named(im, names[0], e) : add_users_own(im, e);
}
