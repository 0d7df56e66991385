#include "spool/folder.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/lockfile.h"

/* ---- where it is ---- */

static const char *folder_variable(const char *name)
{
    const char *value = getenv(name);
    return value && *value ? value : NULL;
}

static char *folder_home(void)
{
    const char *home = folder_variable("HOME");
    if (home && *home == '/')
        return mem_string(home);
    return mem_string("/");
}

static char *folder_default(void)
{
    if (geteuid() == 0)
        return mem_string("/var/spool/ax");
    const char *state = folder_variable("XDG_STATE_HOME");
    if (state && *state == '/') /* a relative one is to be ignored, says the XDG specification */
        return mem_format("%s/ax", state);
    char *home = folder_home();
    char *path = mem_format("%s/.local/state/ax", home);
    free(home);
    return path;
}

/* Without blanks of path language at the end: `dir/` would follow a symbolic link that `dir` does not. */
static void folder_trim(char *path)
{
    size_t length = strlen(path);
    for (;;) {
        if (length > 1 && path[length - 1] == '/')
            length--;
        else if (length > 2 && path[length - 1] == '.' && path[length - 2] == '/')
            length -= 2;
        else
            break;
    }
    path[length] = '\0';
}

char *folder_absolute(const char *path)
{
    char *absolute, *here = *path == '/' ? NULL : getcwd(NULL, 0);
    if (here)
        absolute = mem_format("%s/%s", strcmp(here, "/") == 0 ? "" : here, path);
    else
        absolute = mem_string(path);
    free(here);
    folder_trim(absolute);
    return absolute;
}

char *folder_path(const char *wanted)
{
    if (wanted && !*wanted)
        return mem_string(""); /* most likely an unset variable: not the default spool, but refused by folder_open */
    if (!wanted)
        wanted = folder_variable("AX_SPOOL");
    return wanted && *wanted ? folder_absolute(wanted) : folder_default();
}

/* ---- whether it can be trusted ---- */

/* File systems whose files other machines may change: locks and shared memory maps do not hold there. 9p is a local
 * folder of a virtual machine or WSL as often as not, but its maps are not coherent either. Overlays, ZFS, Btrfs and
 * tmpfs are local. */
static const struct {
    uint32_t magic;
    const char *name;
} folder_remote[] = {
    {NFS_SUPER_MAGIC, "NFS"},
    {0xFF534D42, "CIFS"},
    {0xFE534D42, "SMB"},
    {SMB_SUPER_MAGIC, "SMB"},
    {AFS_SUPER_MAGIC, "AFS"},
    {0x6B414653, "AFS"},
    {CODA_SUPER_MAGIC, "Coda"},
    {0x00C36400, "Ceph"},
    {V9FS_MAGIC, "9p"},
    {0x0BD00BD0, "Lustre"},
    {0x47504653, "GPFS"},
    {0x01161970, "GFS2"},
    {0x7461636F, "OCFS2"},
    {0x013111A8, "IBRIX"},
    {0x20030528, "OrangeFS"},
    {0xAAD7AAEA, "PanFS"},
    {0x564C, "NCP"},
    {0x786F4256, "VirtualBox's shared folders"},
    {0xBACBACBC, "VMware's shared folders"},
};

/* The words of the mount that holds the device, from /proc/self/mountinfo: FUSE is local (ntfs-3g, fuse-overlayfs) or
 * not (sshfs). */
static bool folder_fuse_remote(const struct stat *st, char type[64])
{
    static const char *const remote[] = {"fuse.sshfs", "fuse.glusterfs", "fuse.s3fs", "fuse.rclone", "fuse.gcsfuse",
        "fuse.cephfs", "fuse.ceph-fuse", "fuse.curlftpfs", "fuse.davfs", "fuse.juicefs", "fuse.moosefs", "fuse.mfs",
        "fuse.goofys", "fuse.nfs", "fuse.smbnetfs"};
    bool found = false;
    FILE *f = fopen("/proc/self/mountinfo", "re");
    char *line = NULL;
    size_t size = 0;
    while (f && getline(&line, &size, f) > 0) {
        unsigned high, low;
        const char *dash = strstr(line, " - ");
        if (!dash || sscanf(line, "%*d %*d %u:%u", &high, &low) != 2 || high != major(st->st_dev) ||
            low != minor(st->st_dev))
            continue;
        if (sscanf(dash, " - %63s", type) != 1)
            continue;
        for (size_t i = 0; i < sizeof remote / sizeof *remote && !found; i++)
            found = strcmp(type, remote[i]) == 0;
        break;
    }
    free(line);
    if (f)
        fclose(f);
    return found;
}

static int folder_check_disk(const char *path, int fd, const struct stat *st, struct error *e)
{
    struct statfs disk;
    if (fstatfs(fd, &disk) < 0)
        return error_errno(e, ERROR_SPOOL, errno, "cannot look at the file system of the spool %s", path);
    char type[64] = "";
    const char *remote = NULL;
    for (size_t i = 0; i < sizeof folder_remote / sizeof *folder_remote && !remote; i++)
        if ((uint32_t)disk.f_type == folder_remote[i].magic)
            remote = folder_remote[i].name;
    if (!remote && (uint32_t)disk.f_type == FUSE_SUPER_MAGIC && folder_fuse_remote(st, type))
        remote = type;
    if (remote)
        return error_set(e, ERROR_SPOOL,
            "the spool %s lies on a network file system (%s), where it is not safe: use --spool or AX_SPOOL with a "
            "local folder",
            path, remote);
    return 0;
}

static int folder_check(const char *path, int fd, struct error *e)
{
    struct stat st;
    if (fstat(fd, &st) < 0)
        return error_errno(e, ERROR_SPOOL, errno, "cannot look at the spool %s", path);
    if (st.st_uid != geteuid())
        return error_set(e, ERROR_SPOOL,
            "the spool %s belongs to uid %u, not to you (uid %u): use another with --spool or AX_SPOOL", path,
            (unsigned)st.st_uid, (unsigned)geteuid());
    if (st.st_mode & 077)
        return error_set(e, ERROR_SPOOL, "the spool %s is open to others (mode %04o): chmod 700 %s", path,
            (unsigned)(st.st_mode & 07777), path);
    return folder_check_disk(path, fd, &st, e);
}

/* ---- opening ---- */

static int folder_make(const char *path, struct error *e)
{
    char *copy = mem_string(path);
    int failed = 0;
    for (char *slash = copy + 1; !failed; slash++) {
        slash = strchrnul(slash, '/');
        bool last = !*slash;
        *slash = '\0';
        if (mkdir(copy, 0700) < 0 && errno != EEXIST && (last || (errno != EROFS && errno != EACCES && errno != EPERM)))
            failed = errno;
        if (last)
            break;
        *slash = '/';
    }
    if (failed)
        error_errno(e, ERROR_SPOOL, failed, "cannot make the spool %s", path);
    free(copy);
    return failed ? -ERROR_SPOOL : 0;
}

static int folder_refuse(const char *path, int number, struct error *e)
{
    struct stat st;
    if ((number == ELOOP || number == ENOTDIR) && lstat(path, &st) == 0) {
        if (S_ISLNK(st.st_mode))
            return error_set(e, ERROR_SPOOL, "the spool %s is a symbolic link: name the folder itself", path);
        return error_set(e, ERROR_SPOOL, "the spool %s is not a folder", path);
    }
    if (number == ENOENT) {
        error_set(e, ERROR_SPOOL, "there is no spool at %s yet: `ax add` or `ax run` makes it", path);
        if (e)
            e->sys = ENOENT;
        return -ERROR_SPOOL;
    }
    return error_errno(e, ERROR_SPOOL, number, "cannot open the spool %s", path);
}

#define FOLDER_FLAGS (O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)

static int folder_below(struct folder *f, const char *name, int *out, struct error *e)
{
    int fd = openat(f->fd, name, FOLDER_FLAGS);
    if (fd < 0 && errno == ENOENT && (mkdirat(f->fd, name, 0700) == 0 || errno == EEXIST))
        fd = openat(f->fd, name, FOLDER_FLAGS);
    if (fd < 0)
        return error_errno(e, ERROR_SPOOL, errno, "cannot open %s/%s", f->path, name);
    *out = fd;
    return 0;
}

int folder_open(const char *path, bool create, struct folder *out, struct error *e)
{
    if (!*path)
        return error_set(e, ERROR_USAGE, "--spool: the path is empty: a variable that is not set?");
    struct folder f = {.path = folder_absolute(path), .fd = -1, .runs = -1, .output = -1, .handover = -1};
    int failed = 0;
    f.fd = open(f.path, FOLDER_FLAGS);
    if (f.fd < 0 && errno == ENOENT && create) {
        failed = folder_make(f.path, e);
        if (!failed)
            f.fd = open(f.path, FOLDER_FLAGS);
    }
    if (!failed && f.fd < 0)
        failed = folder_refuse(f.path, errno, e);
    if (!failed)
        failed = folder_check(f.path, f.fd, e);
    if (!failed)
        failed = folder_below(&f, "runs", &f.runs, e);
    if (!failed)
        failed = folder_below(&f, "output", &f.output, e);
    if (!failed)
        failed = folder_below(&f, "handover", &f.handover, e);
    if (failed)
        folder_clear(&f);
    else
        *out = f;
    return failed;
}

static void folder_shut(int fd)
{
    if (fd >= 0)
        close(fd);
}

void folder_clear(struct folder *f)
{
    if (!f->path)
        return;
    free(f->path);
    folder_shut(f->handover);
    folder_shut(f->output);
    folder_shut(f->runs);
    folder_shut(f->fd);
    *f = (struct folder){.fd = -1, .runs = -1, .output = -1, .handover = -1};
}

pid_t folder_scheduler(const struct folder *f)
{
    int fd = openat(f->fd, "scheduler.lock", O_RDWR | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return 0;
    pid_t holder = lockfile_holder(fd, 0, 1);
    close(fd);
    return holder;
}
