/* crontab(1): the way to one's own crontab for those who may not look into the folder where it lies. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cmd/crontab_files.h"
#include "lib/sys/child.h"
#include "lib/sys/write.h"

#define LIST_MAX (64 << 20)

static int run(char *const argv[], int in, int out, struct error *e)
{
    struct child_failure failure;
    const struct child c = {.argv = argv, .envp = environ, .in = in, .out = out, .err = STDERR_FILENO, .keep = -1, .umask_bits = -1};
    pid_t pid = child_spawn(&c, NULL, &failure);
    int status;
    if (pid < 0 && failure.number == ENOENT)
        return error_set(e, ERROR_USAGE, "there is no program `crontab` here to ask for the crontab: name the file");
    if (pid < 0)
        return error_errno(e, ERROR_FAILED, failure.number, "crontab: %s", child_step_name(failure.step));
    while (waitpid(pid, &status, 0) < 0)
        if (errno != EINTR)
            return error_errno(e, ERROR_FAILED, errno, "waiting for crontab");
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    return error_set(e, ERROR_FAILED, "`crontab %s` failed", argv[1]);
}

static int temporary(struct error *e)
{
    int fd = memfd_create("crontab", MFD_CLOEXEC);
    return fd < 0 ? error_errno(e, ERROR_FAILED, errno, "memory for a crontab") : fd;
}

static int read_back(int fd, struct buf *out, struct error *e)
{
    off_t size = lseek(fd, 0, SEEK_END);
    if (size < 0 || size > LIST_MAX)
        return error_set(e, ERROR_USAGE, "the crontab is larger than %d MiB", LIST_MAX >> 20);
    buf_reserve(out, (size_t)size + 1);
    for (off_t at = 0; at < size;) {
        ssize_t n = pread(fd, out->data + at, (size_t)(size - at), at);
        if (n <= 0)
            return error_errno(e, ERROR_FAILED, errno, "reading a crontab");
        at += n;
    }
    out->length = (size_t)size;
    out->data[size] = '\0';
    return 0;
}

int crontab_program_list(const char *user, bool other, struct buf *out, struct error *e)
{
    char *own[] = {"crontab", "-l", NULL}, *of[] = {"crontab", "-l", "-u", (char *)user, NULL};
    int fd = temporary(e);
    if (fd < 0)
        return fd;
    int code = run(other ? of : own, -1, fd, e);
    if (code == 0)
        code = read_back(fd, out, e);
    close(fd);
    return code;
}

int crontab_program_install(const char *user, bool other, const struct buf *text, struct error *e)
{
    char *own[] = {"crontab", "-", NULL}, *of[] = {"crontab", "-u", (char *)user, "-", NULL};
    int fd = temporary(e);
    if (fd < 0)
        return fd;
    int number = write_all(fd, text->data, text->length);
    int code = number ? error_errno(e, ERROR_FAILED, number, "memory for a crontab") : 0;
    if (code == 0 && lseek(fd, 0, SEEK_SET) == 0)
        code = run(other ? of : own, fd, STDOUT_FILENO, e);
    close(fd);
    return code;
}
