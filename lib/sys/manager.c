#include "lib/sys/manager.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "lib/base/mem.h"

char *manager_socket(void)
{
    char *name = mem_string(getenv("NOTIFY_SOCKET"));
    unsetenv("NOTIFY_SOCKET");
    if (name && name[0] != '/' && name[0] != '@') {
        free(name);
        name = NULL;
    }
    return name;
}

int manager_tell(const char *name, const char *state)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    size_t length = name ? strlen(name) : 0;
    if (!name)
        return 0;
    if (length >= sizeof address.sun_path)
        return ENAMETOOLONG;
    memcpy(address.sun_path, name, length);
    if (name[0] == '@')
        address.sun_path[0] = '\0';
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (fd < 0)
        return errno;
    socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + length + (name[0] != '@'));
    ssize_t sent = sendto(fd, state, strlen(state), MSG_NOSIGNAL, (struct sockaddr *)&address, size);
    int number = sent < 0 ? errno : 0;
    close(fd);
    return number;
}
