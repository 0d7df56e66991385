#include "lib/sys/write.h"

#include <errno.h>
#include <unistd.h>

int write_all(int fd, const void *data, size_t length)
{
    const char *rest = data;
    while (length) {
        ssize_t n = write(fd, rest, length);
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n < 0 ? errno : ENOSPC;
        rest += n;
        length -= (size_t)n;
    }
    return 0;
}

int write_synced(int fd, const void *data, size_t length)
{
    int number = write_all(fd, data, length);
    return !number && fsync(fd) != 0 ? errno : number;
}
