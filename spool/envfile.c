#include "spool/envfile.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"

#define ENVFILE_MAX (1 << 20) /* bytes; an environment of more could not be given to a command */

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

static int envfile_write(int to, const char *bytes, size_t length)
{
    while (length) {
        ssize_t n = write(to, bytes, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        bytes += n;
        length -= (size_t)n;
    }
    return 0;
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
        int number = total > ENVFILE_MAX ? EFBIG : envfile_write(to, bytes, (size_t)n);
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

static int envfile_line(struct strvec *env, const char *path, int number, char *line, struct error *e)
{
    line += strspn(line, " \t");
    line[strcspn(line, "\r")] = '\0';
    if (!line[0] || line[0] == '#')
        return 0;
    char *equals = strchr(line, '=');
    if (!equals || equals == line) {
        error_set(e, ERROR_USAGE, "%s: line %d: not NAME=VALUE", path, number);
        return error_field(e, "env_file");
    }
    *equals = '\0';
    char *value = equals + 1;
    size_t length = strlen(value);
    if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]) {
        value[length - 1] = '\0';
        value++;
    }
    strvec_env_set(env, line, value);
    return 0;
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
    char *rest = text.data, *line;
    for (int number = 1; !failed && (line = strsep(&rest, "\n")); number++)
        failed = envfile_line(env, path, number, line, e);
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
