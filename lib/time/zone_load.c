/* Where zones come from: the only part of a zone that opens files. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/time/zone_data.h"
#include "lib/time/zone_near.h"

enum { FILE_MAX = 1 << 20, NAME_LENGTH_MAX = 255 };

static const char local_file[] = "/etc/localtime";

static const char *zone_folder(void)
{
    const char *folder = getenv("TZDIR");
    return folder && *folder ? folder : "/usr/share/zoneinfo";
}

/* Gives 0 or an errno. A path may be anything: a FIFO must not hang us, nor a huge file fill the memory. */
static int read_file(const char *path, char **data, size_t *size)
{
    struct stat st;
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY | O_NONBLOCK);
    if (fd < 0)
        return errno;
    int code = fstat(fd, &st) < 0 ? errno : !S_ISREG(st.st_mode) ? EINVAL : st.st_size > FILE_MAX ? EFBIG : 0;
    size_t length = 0, room = code ? 0 : (size_t)st.st_size;
    char *bytes = mem_alloc(room);
    while (!code && length < room) {
        ssize_t n = read(fd, bytes + length, room - length);
        if (n < 0 && errno != EINTR)
            code = errno;
        else if (n == 0)
            room = length;
        else if (n > 0)
            length += (size_t)n;
    }
    close(fd);
    if (code) {
        free(bytes);
        return code;
    }
    *data = bytes;
    *size = length;
    return 0;
}

/* errno of what failed, or 0 and then the code of zone_read in *code. */
static int load_path(const char *path, const char *name, struct zone **out, struct error *e, int *code)
{
    char *data = NULL;
    size_t size = 0;
    int number = read_file(path, &data, &size);
    if (number)
        return number;
    *code = zone_read(name, data, size, out, e);
    free(data);
    return 0;
}

static bool name_is_safe(const char *name)
{
    static const char allowed[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789/_+-.";
    size_t length = strlen(name);
    return length > 0 && length <= NAME_LENGTH_MAX && strspn(name, allowed) == length && *name != '/' && *name != '.' &&
           !strstr(name, "/.") && strcmp(name, "posixrules") != 0; /* no zone's name, though the file may be one */
}

static int unknown_name(const char *name, struct error *e)
{
    char *near = e ? zone_near(zone_folder(), name) : NULL;
    if (near)
        error_set(e, ERROR_USAGE, "unknown time zone '%s': did you mean %s?", name, near);
    else
        error_set(e, ERROR_USAGE, "unknown time zone '%s': names are like Europe/Berlin or UTC", name);
    free(near);
    return -(int)ERROR_USAGE;
}

static int unknown(const char *name, int number, struct error *e)
{
    if (access(zone_folder(), X_OK) < 0)
        return error_set(e, ERROR_USAGE, "time zone %s: no time zones are installed in %.200s (Debian: package tzdata)",
            name, zone_folder());
    if (number == ENOENT || number == ENOTDIR || number == EINVAL || number == EISDIR)
        return unknown_name(name, e);
    return error_errno(e, ERROR_USAGE, number, "time zone %s cannot be read", name);
}

char *zone_path(const char *name)
{
    return name_is_safe(name) ? mem_format("%s/%s", zone_folder(), name) : NULL;
}

int zone_load(const char *name, struct zone **out, struct error *e)
{
    char *path = zone_path(name);
    if (!path)
        return error_set(e, ERROR_USAGE, "'%.100s' is not the name of a time zone: names are like Europe/Berlin or UTC", name);
    int code = 0;
    int number = load_path(path, name, out, e, &code);
    free(path);
    if (number && !strcmp(name, "UTC"))
        return zone_utc(out);
    return number ? unknown(name, number, e) : code;
}

/* What /etc/localtime points to tells its name: .../zoneinfo/Europe/Berlin. */
static char *local_name(void)
{
    static const char mark[] = "/zoneinfo/";
    char target[512];
    ssize_t length = readlink(local_file, target, sizeof target - 1);
    if (length > 0) {
        target[length] = '\0';
        char *name = strstr(target, mark);
        if (name && name_is_safe(name + sizeof mark - 1))
            return mem_string(name + sizeof mark - 1);
    }
    return mem_string(local_file);
}

static int load_file(const char *path, const char *name, struct zone **out, struct error *e)
{
    int code = 0;
    int number = load_path(path, name, out, e, &code);
    return number ? error_errno(e, ERROR_USAGE, number, "time zone file %.200s cannot be read", path) : code;
}

static int load_localtime(struct zone **out, struct error *e)
{
    if (access(local_file, F_OK) < 0) /* a machine without tzdata keeps UTC */
        return zone_utc(out);
    char *name = local_name();
    int code = load_file(local_file, name, out, e);
    free(name);
    return code;
}

/* As glibc: first a file of that name, then a POSIX string. Where glibc takes UTC in silence for what it does not know,
 * this is an error, but on a machine that has no zones at all. */
static int load_variable(const char *tz, struct zone **out, struct error *e)
{
    struct error file_error = {0};
    int code = zone_load(tz, out, &file_error);
    if (!code || !zone_from_rule(tz, out, NULL))
        return 0;
    if (name_is_safe(tz) && access(zone_folder(), X_OK) < 0)
        return zone_utc(out);
    if (e)
        *e = file_error;
    return error_field(e, "TZ"), code;
}

char *zone_local_path(const char *tz)
{
    if (!tz)
        return mem_string(local_file);
    tz += *tz == ':';
    return *tz == '/' ? mem_string(tz) : zone_path(tz);
}

int zone_local(const char *tz, struct zone **out, struct error *e)
{
    if (!tz)
        return load_localtime(out, e);
    if (*tz == ':')
        tz++;
    if (!*tz)
        return zone_utc(out);
    return *tz == '/' ? load_file(tz, tz, out, e) : load_variable(tz, out, e);
}
