/* stamp FILE WORD...: the time at main, in nanoseconds since 1970, appended to FILE in front of the words, as one line. */
#include <fcntl.h>
#include <stdio.h>
#include <time.h>
#include <unistd.h>

int main(int argc, char **argv)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    if (argc < 2)
        return 2;
    char line[256];
    int length = snprintf(line, sizeof line, "%lld%09ld", (long long)now.tv_sec, now.tv_nsec);
    for (int i = 2; i < argc && length < (int)sizeof line - 1; i++)
        length += snprintf(line + length, sizeof line - (size_t)length, " %s", argv[i]);
    if (length > (int)sizeof line - 2)
        return 2;
    line[length++] = '\n';
    int fd = open(argv[1], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
    return fd < 0 || write(fd, line, (size_t)length) != length;
}
