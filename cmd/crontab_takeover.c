/* Making lines of a crontab comments, and giving them back to cron. A new file is written beside the old one and renamed over it,
 * so that cron sees the one or the other; names with a dot in front are no crontabs to any cron. */
#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/crontab_files.h"
#include "lib/base/mem.h"
#include "lib/sys/write.h"
#include "lib/text/utf8.h"
#include "spool/crontab_mark.h"

#define BACKUP ".before-ax"

/* ---- files ---- */

static char *beside(const char *path, const char *ending)
{
    const char *slash = strrchr(path, '/');
    return mem_format("%.*s/.%s%s", (int)(slash - path), path, slash + 1, ending);
}

/* Owner first: chown takes bits of the mode away. */
static int set_owner(int fd, const struct stat *as)
{
    struct stat now;
    if (!as)
        return fchmod(fd, 0600);
    if (fstat(fd, &now) < 0)
        return -1;
    if ((now.st_uid != as->st_uid || now.st_gid != as->st_gid) && fchown(fd, as->st_uid, as->st_gid) < 0)
        return -1;
    return fchmod(fd, as->st_mode & 07777);
}

/* A new file of that name with an ending of its own; its name is malloc'd. */
static int write_new(const char *path, const struct buf *text, const struct stat *as, char **name, struct error *e)
{
    char *temporary = mem_format("%s.XXXXXX", path);
    int fd = mkostemp(temporary, O_CLOEXEC);
    bool made = fd >= 0;
    int number = made ? write_synced(fd, text->data, text->length) : errno;
    if (!number && set_owner(fd, as) != 0)
        number = errno;
    if (made && close(fd) < 0 && !number)
        number = errno;
    if (!number) {
        *name = temporary;
        return 0;
    }
    int code = error_errno(e, ERROR_FAILED, number, "%.*s: cannot be written", UTF8_WORD(path));
    if (made)
        unlink(temporary);
    free(temporary);
    return code;
}

static int sync_folder(const char *path)
{
    char *folder = mem_string(path), *slash = strrchr(folder, '/');
    slash[slash == folder] = '\0';
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int failed = fd < 0 ? -1 : fsync(fd);
    if (fd >= 0)
        close(fd);
    free(folder);
    return failed;
}

/* The same bytes as the file has. */
static bool is_backup(const char *path, const struct buf *text)
{
    bool same = false;
    struct stat status;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (fd >= 0 && fstat(fd, &status) == 0 && S_ISREG(status.st_mode) && (size_t)status.st_size == text->length) {
        char *bytes = mem_alloc(text->length + 1);
        same = pread(fd, bytes, text->length, 0) == (ssize_t)text->length && memcmp(bytes, buf_string(text), text->length) == 0;
        free(bytes);
    }
    if (fd >= 0)
        close(fd);
    return same;
}

static bool has_changed(const struct crontab_file *f)
{
    struct stat now;
    const struct stat *then = &f->status;
    return stat(f->path, &now) < 0 || now.st_ino != then->st_ino || now.st_size != then->st_size || now.st_mtim.tv_sec != then->st_mtim.tv_sec ||
           now.st_mtim.tv_nsec != then->st_mtim.tv_nsec;
}

/* ---- texts ---- */

static void mark_text(const struct crontab_file *f, struct crontab_swap *s)
{
    int *lines = mem_zero(f->count + 1, sizeof *lines);
    size_t count = 0;
    for (size_t i = 0; i < f->count; i++)
        if (f->entries[i].job != SIZE_MAX)
            lines[count++] = f->entries[i].line;
    s->lines = crontab_mark(&s->text, buf_string(&f->raw), f->raw.length, lines, count);
    crontab_unmark(&s->whole, buf_string(&f->raw), f->raw.length);
    free(lines);
}

static int prepare(struct crontab_swap *s, const char *folder, struct error *e)
{
    const struct crontab_file *f = s->file;
    char *saved = NULL;
    const struct stat *as = f->path ? &f->status : NULL;
    s->backup = f->path ? beside(f->path, BACKUP) : mem_format("%s/crontab.%s%s", folder, f->user, BACKUP);
    s->exact = s->undo && is_backup(s->backup, &s->text);
    int code = f->path && has_changed(f) ? error_set(e, ERROR_FAILED, "%.*s has just been changed by somebody: try again", UTF8_WORD(f->name)) : 0;
    if (code == 0 && !s->undo)
        code = write_new(s->backup, &s->whole, as, &saved, e);
    if (code == 0 && saved && rename(saved, s->backup) < 0) {
        code = error_errno(e, ERROR_FAILED, errno, "%.*s: cannot be written", UTF8_WORD(s->backup));
        unlink(saved);
    }
    free(saved);
    if (code == 0 && f->path) {
        char *path = beside(f->path, ".new-by-ax");
        code = write_new(path, &s->text, as, &s->temporary, e);
        free(path);
    }
    return code;
}

static void swap_clear(struct crontab_swap *s)
{
    if (s->temporary)
        unlink(s->temporary);
    free(s->temporary);
    free(s->backup);
    buf_clear(&s->text);
    buf_clear(&s->whole);
}

int crontab_swaps_prepare(const struct crontab_import *im, const char *folder, struct crontab_swaps *out, struct error *e)
{
    bool undo = im->options->undo;
    int code = 0;
    for (size_t i = 0; code == 0 && i < im->count; i++) {
        const struct crontab_file *f = &im->files[i];
        struct crontab_swap s = {.file = f, .undo = undo};
        if (undo)
            s.lines = crontab_unmark(&s.text, buf_string(&f->raw), f->raw.length);
        else
            mark_text(f, &s);
        if (f->is_scripts && (s.lines || undo))
            code = error_set(e, ERROR_USAGE, "%.*s is a folder of scripts, not a crontab with lines: take over the line that runs it, in /etc/crontab or the anacrontab", UTF8_WORD(f->name));
        else if (s.lines && !f->path && !f->program)
            code = error_set(e, ERROR_USAGE, "%.*s is no file that can be changed", UTF8_WORD(f->name));
        else if (s.lines)
            code = prepare(&s, folder, e);
        if (code < 0 || !s.lines) {
            swap_clear(&s);
            continue;
        }
        MEM_GROW(out->items, out->capacity, out->count + 1);
        out->items[out->count++] = s;
    }
    if (code == 0 && undo && !out->count)
        code = error_set(e, ERROR_FAILED, "nothing of it was taken over: there is no line that begins with `%s`", CRONTAB_MARK);
    return code;
}

/* ---- in their places ---- */

static int finish(struct crontab_swap *s, const struct crontab_import *im, struct error *e)
{
    const struct crontab_file *f = s->file;
    if (f->program)
        return crontab_program_install(f->user, strcmp(f->user, im->runner) != 0, &s->text, e);
    if (rename(s->temporary, f->path) < 0)
        return error_errno(e, ERROR_FAILED, errno, "%.*s: cannot be replaced", UTF8_WORD(f->path));
    free(s->temporary);
    s->temporary = NULL;
    sync_folder(f->path);
    return 0;
}

int crontab_swaps_finish(const struct crontab_import *im, struct crontab_swaps *swaps, struct error *e)
{
    for (size_t i = 0; i < swaps->count; i++) {
        struct error why;
        if (finish(&swaps->items[i], im, &why) < 0)
            return error_set(e, ERROR_FAILED, "%s. %s: put the crontab right by hand", why.text,
                             swaps->items[i].undo ? "The jobs are gone from ax, but their lines are still comments"
                                                  : "The jobs are in ax, but cron has its lines too, so both run them");
        if (swaps->items[i].exact)
            unlink(swaps->items[i].backup);
    }
    return 0;
}

void crontab_swaps_tell(struct buf *b, const struct crontab_swaps *swaps)
{
    for (size_t i = 0; i < swaps->count; i++) {
        const struct crontab_swap *s = &swaps->items[i];
        const char *lines = s->lines == 1 ? "line" : "lines";
        if (!s->undo)
            buf_format(b, "%s: %zu %s taken over; as it was: %s\n", s->file->name, s->lines, lines, s->backup);
        else
            buf_format(b, "%s: %zu %s given back to cron%s\n", s->file->name, s->lines, lines,
                       s->exact ? ", the file is as it was" : "; it has been edited since it was taken over, so the backup stays");
    }
}

void crontab_swaps_clear(struct crontab_swaps *swaps)
{
    for (size_t i = 0; i < swaps->count; i++)
        swap_clear(&swaps->items[i]);
    free(swaps->items);
    *swaps = (struct crontab_swaps){0};
}
