#include "cmd/edit_file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/program.h"
#include "lib/base/mem.h"
#include "lib/sys/write.h"
#include "lib/text/yaml.h"

#define MARK "#! " /* leads the lines that are ours */

/* ---- the file ---- */

int edit_file_new(struct edit_file *f, uint64_t number, struct error *e)
{
    const char *folder = getenv("TMPDIR");
    char *path = mem_format("%s/ax-job-%llu-XXXXXX.yaml", folder && *folder == '/' ? folder : "/tmp", (unsigned long long)number);
    int fd = mkostemps(path, 5, O_CLOEXEC); /* 0600 */
    if (fd < 0) {
        error_errno(e, ERROR_FAILED, errno, "%s", path);
        free(path);
        return -(int)ERROR_FAILED;
    }
    close(fd);
    f->path = path;
    return 0;
}

void edit_file_keep(struct edit_file *f)
{
    f->kept = true;
}

void edit_file_clear(struct edit_file *f)
{
    if (f->path && !f->kept)
        unlink(f->path);
    free(f->path);
    *f = (struct edit_file){0};
}

static int write_bytes(const struct edit_file *f, const struct buf *b, struct error *e)
{
    int fd = open(f->path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        return error_errno(e, ERROR_FAILED, errno, "%s", f->path);
    int number = write_all(fd, b->data, b->length);
    close(fd);
    return number ? error_errno(e, ERROR_FAILED, number, "%s", f->path) : 0;
}

static size_t count_lines(const struct buf *b)
{
    size_t lines = 0;
    for (size_t i = 0; i < b->length; i++)
        lines += b->data[i] == '\n';
    return lines;
}

/* The errors as comments, with `shift` added to their lines. */
static void write_errors(struct buf *b, const struct errors *errors, size_t shift)
{
    struct buf text = {0};
    for (size_t i = 0; i < errors->count; i++) {
        struct errors_item item = errors->items[i];
        item.file = NULL; /* it is this one */
        item.error.line += item.error.line ? (int)shift : 0;
        errors_format(&item, &text);
    }
    for (size_t at = 0; at < text.length;) {
        const char *stop = memchr(text.data + at, '\n', text.length - at);
        size_t length = stop ? (size_t)(stop - text.data) - at : text.length - at;
        buf_text(b, MARK);
        buf_add(b, text.data + at, length);
        buf_char(b, '\n');
        at += length + 1;
    }
    buf_clear(&text);
}

int edit_file_write(const struct edit_file *f, struct errors *errors, const struct buf *text, struct error *e)
{
    struct buf b = {0};
    if (errors) {
        errors_sort(errors);
        write_errors(&b, errors, 0);
        size_t lines = count_lines(&b);
        buf_reset(&b);
        write_errors(&b, errors, lines);
    }
    buf_add(&b, buf_string(text), text->length);
    int code = write_bytes(f, &b, e);
    buf_clear(&b);
    return code;
}

static int read_all(const struct edit_file *f, struct buf *b, struct error *e)
{
    int fd = open(f->path, O_RDONLY | O_CLOEXEC); /* editors write anew and rename */
    if (fd < 0)
        return error_errno(e, ERROR_FAILED, errno, "%s", f->path);
    ssize_t n = 1;
    while (n > 0 && b->length <= YAML_SIZE_MAX) {
        buf_reserve(b, 64 << 10);
        n = read(fd, b->data + b->length, 64 << 10);
        b->length += n > 0 ? (size_t)n : 0;
        n = n < 0 && errno == EINTR ? 1 : n;
    }
    int code = n < 0 ? error_errno(e, ERROR_FAILED, errno, "%s", f->path) : 0;
    close(fd);
    return code;
}

int edit_file_read(const struct edit_file *f, struct buf *text, struct error *e)
{
    struct buf whole = {0};
    int code = read_all(f, &whole, e);
    size_t at = 0;
    while (code == 0 && whole.length - at >= strlen(MARK) && memcmp(whole.data + at, MARK, strlen(MARK)) == 0) {
        const char *stop = memchr(whole.data + at, '\n', whole.length - at);
        at = stop ? (size_t)(stop - whole.data) + 1 : whole.length;
    }
    buf_reset(text);
    if (code == 0)
        buf_add(text, buf_string(&whole) + at, whole.length - at);
    buf_clear(&whole);
    return code;
}

bool edit_file_is_empty(const struct buf *text)
{
    for (size_t at = 0; at < text->length;) {
        const char *line = text->data + at, *stop = memchr(line, '\n', text->length - at);
        size_t length = stop ? (size_t)(stop - line) : text->length - at, blank = 0;
        while (blank < length && strchr(" \t\r", line[blank]))
            blank++;
        if (blank < length && line[blank] != '#')
            return false;
        at += length + 1;
    }
    return true;
}

/* ---- the editor ---- */

static bool in_path(const char *name)
{
    const char *path = getenv("PATH");
    char *all = mem_string(path ? path : "/usr/bin:/bin"), *rest = all, *folder;
    bool found = false;
    while (!found && (folder = strsep(&rest, ":"))) {
        char *file = mem_format("%s/%s", *folder ? folder : ".", name);
        found = access(file, X_OK) == 0;
        free(file);
    }
    free(all);
    return found;
}

static const char *editor(void)
{
    static const char *const common[] = {"editor", "nano", "vi"};
    const char *visual = getenv("VISUAL"), *plain = getenv("EDITOR");
    if (visual && *visual)
        return visual;
    if (plain && *plain)
        return plain;
    for (size_t i = 0; i < sizeof common / sizeof *common; i++)
        if (in_path(common[i]))
            return common[i];
    return NULL;
}

/* A shell reads it, as everywhere: `code --wait` is one too. */
int edit_file_edit(const struct edit_file *f, struct error *e)
{
    const char *program = editor();
    if (!program)
        return error_set(e, ERROR_FAILED, "there is no editor: set VISUAL or EDITOR");
    char *line = mem_format("%s \"$1\"", program);
    const char *const argv[] = {"/bin/sh", "-c", line, "ax edit", f->path, NULL};
    int code = program_run(argv, e);
    if (code > 0)
        code = error_set(e, ERROR_FAILED, "the editor failed (%s): nothing was changed", program);
    free(line);
    return code;
}
