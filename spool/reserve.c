#include "spool/reserve.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

int64_t reserve_room(const struct folder *f)
{
    struct statvfs disk;
    if (fstatvfs(f->fd, &disk) < 0 || disk.f_blocks == 0)
        return INT64_MAX;
    uint64_t block = disk.f_frsize ? disk.f_frsize : disk.f_bsize;
    uint64_t blocks = disk.f_bavail;
    return blocks > (uint64_t)INT64_MAX / block ? INT64_MAX : (int64_t)(blocks * block);
}

bool reserve_keep(const struct folder *f)
{
    struct stat st;
    if (fstatat(f->fd, "reserve", &st, AT_SYMLINK_NOFOLLOW) == 0 && st.st_size >= RESERVE_SIZE)
        return true;
    if (reserve_room(f) < 2 * RESERVE_SIZE)
        return false;
    int fd = openat(f->fd, "reserve", O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (fd < 0)
        return false;
    bool made = posix_fallocate(fd, 0, RESERVE_SIZE) == 0;
    if (!made && ftruncate(fd, 0) < 0)
        made = false;
    close(fd);
    return made;
}

void reserve_give_up(const struct folder *f)
{
    int fd = openat(f->fd, "reserve", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return;
    if (ftruncate(fd, 0) < 0)
        unlinkat(f->fd, "reserve", 0);
    close(fd);
}
