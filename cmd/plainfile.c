#include "cmd/plainfile.h"
#include "lib/sys/write.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

int plainfile_temporary(const char *folder, struct error *e)
{
    const char *own = getenv("TMPDIR"), *places[] = {own && *own == '/' ? own : "/var/tmp", "/var/tmp", "/tmp", folder};
    for (size_t i = 0; i < sizeof places / sizeof *places; i++) {
        int fd = places[i] ? open(places[i], O_TMPFILE | O_RDWR | O_CLOEXEC, 0600) : -1;
        if (fd >= 0)
            return fd;
    }
    return error_errno(e, ERROR_FAILED, errno, "cannot make a temporary file (TMPDIR says where)");
}

int plainfile_copy(int from, int to, struct error *e)
{
    char bytes[65536];
    for (;;) {
        ssize_t n = read(from, bytes, sizeof bytes);
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_errno(e, ERROR_FAILED, errno, "cannot read");
        if (n == 0)
            return 0;
        int number = write_all(to, bytes, (size_t)n);
        if (number)
            return error_errno(e, ERROR_FAILED, number, "cannot write a temporary file");
    }
}
