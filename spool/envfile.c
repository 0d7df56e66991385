#include "spool/envfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/sys/write.h"

#define ENVFILE_MAX (1 << 20) /* bytes; an environment of more could not be given to a command */

#define ENVFILE_VARIABLES 10000 /* each is looked for among those before it */

/* ---- reading ---- */

static int envfile_check(int fd)
{
    struct stat s;
    if (fstat(fd, &s) != 0)
        return errno;
    if (S_ISDIR(s.st_mode))
        return EISDIR;
    return S_ISREG(s.st_mode) ? 0 : EINVAL;
}

static int envfile_pass(int from, int to)
{
    char bytes[4096];
    for (size_t total = 0;;) {
        ssize_t n = read(from, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : 0;
        total += (size_t)n;
        int number = total > ENVFILE_MAX ? EFBIG : write_all(to, bytes, (size_t)n);
        if (number)
            return number;
    }
}

int envfile_copy(const char *path, int to)
{
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int number = envfile_check(fd);
    if (!number)
        number = envfile_pass(fd, to);
    close(fd);
    return number;
}

int envfile_room(void)
{
    return memfd_create("ax env_file", MFD_CLOEXEC);
}

/* ---- understanding ---- */

/* Where a value is while its variables are put in. */
struct envfile_reader {
    struct strvec *env;
    const char *path;
    int count;     /* of variables */
    size_t filled; /* bytes of all values so far: a few lines that double each other are a bomb */
    int number;    /* of the line */
    const char *line;
};

static int envfile_wrong(const struct envfile_reader *r, const char *at, struct error *e, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static int envfile_wrong(const struct envfile_reader *r, const char *at, struct error *e, const char *format, ...)
{
    struct buf b = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&b, format, arguments);
    va_end(arguments);
    error_set(e, ERROR_USAGE, "%s: line %d, column %d: %s", r->path, r->number, (int)(at - r->line) + 1, buf_string(&b));
    buf_clear(&b);
    return error_field(e, "env_file");
}

/* How long the `${NAME}` is that text begins with; 0: it is none. */
static size_t envfile_reference(const char *text)
{
    if (text[0] != '$' || text[1] != '{')
        return 0;
    size_t length = strspn(text + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_");
    return length && (text[2] < '0' || text[2] > '9') && text[2 + length] == '}' ? length + 3 : 0;
}

/* Behind text: the value of the variable it names, or the error. */
static int envfile_variable(const struct envfile_reader *r, const char *at, size_t length, struct buf *b, struct error *e)
{
    if (!length)
        return envfile_wrong(r, at, e, "a `${` that is no ${NAME}: in single quotes it stays as it is");
    char *name = strndup(at + 2, length - 3);
    const char *value = strvec_env_get(r->env, name);
    int failed = 0;
    if (value)
        buf_text(b, value);
    else
        failed = envfile_wrong(r, at, e, "there is no variable %s so far; in single quotes ${%s} stays as it is", name, name);
    free(name);
    return failed;
}

/* `${NAME}` is what an earlier line or the environment so far says, `$${` is `${` itself. Everything else stays. */
static int envfile_expand(const struct envfile_reader *r, const char *value, struct buf *out, struct error *e)
{
    int failed = 0;
    while (*value && !failed && r->filled + out->length <= ENVFILE_MAX) {
        size_t length = envfile_reference(value);
        if (strncmp(value, "$${", 3) == 0) {
            buf_text(out, "${");
            value += 3;
        } else if (strncmp(value, "${", 2) == 0) {
            failed = envfile_variable(r, value, length, out, e);
            value += length;
        } else {
            buf_char(out, *value++);
        }
    }
    return failed;
}

static int envfile_set(struct envfile_reader *r, const char *name, char *value, struct error *e)
{
    size_t length = strlen(value);
    bool literal = false;
    if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]) {
        literal = value[0] == '\'';
        value[length - 1] = '\0';
        value++;
    }
    struct buf b = {0};
    int failed = 0;
    if (literal)
        buf_text(&b, value);
    else
        failed = envfile_expand(r, value, &b, e);
    r->filled += b.length;
    if (!failed && r->filled > ENVFILE_MAX)
        failed = envfile_wrong(r, value, e, "the values are more than %d KiB together", ENVFILE_MAX >> 10);
    if (!failed)
        strvec_env_set(r->env, name, buf_string(&b));
    buf_clear(&b);
    return failed;
}

static int envfile_line(struct envfile_reader *r, char *line, struct error *e)
{
    r->line = line;
    line += strspn(line, " \t");
    line[strcspn(line, "\r")] = '\0';
    if (!line[0] || line[0] == '#')
        return 0;
    char *equals = strchr(line, '=');
    if (!equals || equals == line)
        return envfile_wrong(r, line, e, "not NAME=VALUE");
    if (++r->count > ENVFILE_VARIABLES)
        return envfile_wrong(r, line, e, "more than %d variables", ENVFILE_VARIABLES);
    *equals = '\0';
    return envfile_set(r, line, equals + 1, e);
}

int envfile_failed(const char *path, int number, struct error *e)
{
    error_errno(e, ERROR_FAILED, number, "reading %s", path);
    return error_field(e, "env_file");
}

int envfile_take(struct strvec *env, const char *path, int copy, struct error *e)
{
    struct stat s;
    struct buf text = {0};
    if (fstat(copy, &s) != 0)
        return envfile_failed(path, errno, e);
    buf_reserve(&text, (size_t)s.st_size + 1);
    ssize_t n = pread(copy, text.data, (size_t)s.st_size, 0);
    int failed = n < 0 ? envfile_failed(path, errno, e) : 0;
    text.data[n > 0 ? n : 0] = '\0';
    struct envfile_reader r = {.env = env, .path = path};
    if (!failed && memchr(text.data, '\0', (size_t)n))
        failed = error_set(e, ERROR_USAGE, "%s: is no text: it holds a NUL", path), error_field(e, "env_file");
    char *rest = text.data + (strncmp(text.data, "\xef\xbb\xbf", 3) == 0 ? 3 : 0), *line;
    for (r.number = 1; !failed && (line = strsep(&rest, "\n")); r.number++)
        failed = envfile_line(&r, line, e);
    buf_clear(&text);
    return failed;
}

int envfile_read(struct strvec *env, const char *path, struct error *e)
{
    int copy = envfile_room();
    int number = copy < 0 ? errno : envfile_copy(path, copy);
    int failed = number ? envfile_failed(path, number, e) : envfile_take(env, path, copy, e);
    if (copy >= 0)
        close(copy);
    return failed;
}
