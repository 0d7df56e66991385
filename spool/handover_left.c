#include "spool/handover.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/fault.h"
#include "lib/sys/write.h"
#include "lib/text/pack.h"
#include "spool/handover_parts.h"

/* ---- outcomes ---- */

static int left_sync_folder(int folder)
{
    int fd = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        return errno;
    int number = fsync(fd) == 0 ? 0 : errno;
    close(fd);
    return number;
}

static int left_save(const struct folder *f, struct run_id id, const struct buf *bytes)
{
    char temporary[HANDOVER_NAME_SIZE], name[HANDOVER_NAME_SIZE];
    handover_name(id, ".tmp", temporary);
    handover_name(id, ".left", name);
    int fd = openat(f->handover, temporary, O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return errno;
    FAULT_POINT("worker-left-made");
    int number = write_synced(fd, bytes->data, bytes->length);
    close(fd);
    FAULT_POINT("worker-left-synced");
    if (!number && renameat(f->handover, temporary, f->handover, name) != 0)
        number = errno;
    FAULT_POINT("worker-left-renamed");
    if (number)
        unlinkat(f->handover, temporary, 0);
    return number ? number : left_sync_folder(f->handover);
}

int left_write(const struct folder *f, const struct report *r, struct error *e)
{
    struct value v = report_write(r);
    struct buf bytes = {0};
    pack_write(&bytes, &v);
    value_clear(&v);
    int number = left_save(f, r->id, &bytes);
    buf_clear(&bytes);
    char text[RUN_ID_SIZE];
    run_id_format(r->id, text);
    return number ? error_errno(e, ERROR_SPOOL, number, "leaving the outcome of run %s", text) : 0;
}

static int left_load(int folder, const char *name, struct buf *bytes) /* 0 or an errno */
{
    int fd = openat(folder, name, O_RDONLY | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0)
        return errno;
    int number = 0;
    for (;;) {
        buf_reserve(bytes, 8192);
        ssize_t n = read(fd, bytes->data + bytes->length, 8192);
        if (n == 0)
            break;
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0) {
            number = errno;
            break;
        }
        bytes->length += (size_t)n;
    }
    close(fd);
    return number;
}

static bool left_decode(const struct buf *bytes, struct run_id id, struct report *out)
{
    struct value v = {0};
    struct report r;
    if (pack_read(bytes->data, bytes->length, &v, NULL) != 0)
        return false;
    bool good = report_read(&v, &r, NULL) == 0;
    value_clear(&v);
    if (good && (r.id.job != id.job || r.id.n != id.n)) {
        report_clear(&r);
        good = false;
    }
    if (good)
        *out = r;
    return good;
}

enum left_found left_find(const struct folder *f, struct run_id id, struct report *out)
{
    char name[HANDOVER_NAME_SIZE], bad[HANDOVER_NAME_SIZE];
    handover_name(id, ".left", name);
    struct buf bytes = {0};
    int number = left_load(f->handover, name, &bytes);
    enum left_found found = LEFT_NONE;
    if (number == EMFILE || number == ENFILE || number == ENOMEM)
        found = LEFT_UNKNOWN;
    else if (!number && left_decode(&bytes, id, out))
        found = LEFT_READ;
    buf_clear(&bytes);
    if (found == LEFT_NONE && number != ENOENT) {
        handover_name(id, ".bad", bad);
        renameat(f->handover, name, f->handover, bad);
    }
    return found;
}

bool left_read(const struct folder *f, struct run_id id, struct report *out)
{
    return left_find(f, id, out) == LEFT_READ;
}

static void left_unlink(const struct folder *f, struct run_id id, const char *ending)
{
    char name[HANDOVER_NAME_SIZE];
    handover_name(id, ending, name);
    unlinkat(f->handover, name, 0);
}

static const char *const left_endings[] = {".left", ".tmp", ".sock", ".new"};
#define LEFT_ENDINGS (sizeof left_endings / sizeof *left_endings)

void left_remove(const struct folder *f, struct run_id id)
{
    for (size_t i = 0; i < LEFT_ENDINGS; i++)
        left_unlink(f, id, left_endings[i]);
}

void left_each(const struct folder *f, fence_call *call, void *context)
{
    for (size_t i = 0; i < LEFT_ENDINGS; i++)
        handover_each(f->handover, left_endings[i], call, context);
}

/* ---- sockets ---- */

/* A socket's path may be 107 bytes long, a spool's may be longer: go through the descriptor of its folder. */
static void orphan_address(const struct folder *f, struct run_id id, const char *ending, struct sockaddr_un *out)
{
    char name[HANDOVER_NAME_SIZE];
    handover_name(id, ending, name);
    *out = (struct sockaddr_un){.sun_family = AF_UNIX};
    snprintf(out->sun_path, sizeof out->sun_path, "/proc/self/fd/%d/%s", f->handover, name);
}

static int orphan_socket(void)
{
    return socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
}

static int orphan_fail(int fd, int number)
{
    close(fd);
    errno = number;
    return -1;
}

int orphan_listen(const struct folder *f, struct run_id id)
{
    struct sockaddr_un address;
    char made[HANDOVER_NAME_SIZE], name[HANDOVER_NAME_SIZE];
    handover_name(id, ".new", made);
    handover_name(id, ".sock", name);
    int fd = orphan_socket();
    if (fd < 0)
        return -1;
    orphan_address(f, id, ".new", &address);
    unlinkat(f->handover, made, 0);
    /* Gets its name only when it listens, so that nobody is refused while its worker lives. */
    if (fchmod(fd, 0600) != 0 || bind(fd, (struct sockaddr *)&address, sizeof address) != 0 || listen(fd, 8) != 0 ||
        renameat(f->handover, made, f->handover, name) != 0) {
        int number = errno;
        unlinkat(f->handover, made, 0);
        return orphan_fail(fd, number);
    }
    return fd;
}

int orphan_connect(const struct folder *f, struct run_id id)
{
    struct sockaddr_un address;
    int fd = orphan_socket();
    if (fd < 0)
        return -1;
    orphan_address(f, id, ".sock", &address);
    if (connect(fd, (struct sockaddr *)&address, sizeof address) != 0)
        return orphan_fail(fd, errno);
    return fd;
}

void orphan_remove(const struct folder *f, struct run_id id)
{
    left_unlink(f, id, ".sock");
    left_unlink(f, id, ".new");
}
