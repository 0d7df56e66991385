/* ax: jobs that run later, or again and again. Where to go on reading: cmd/command.c has the table of commands. */
#include <fcntl.h>
#include <unistd.h>

#include "cmd/command.h"

/* A descriptor below 3 that is closed would be given to the next file opened, such as the data file, and then be printed into. */
static void descriptors_fill(void)
{
    for (int fd = 0; fd <= 2; fd++)
        if (fcntl(fd, F_GETFD) < 0 && open("/dev/null", fd == 0 ? O_WRONLY : O_RDONLY) < 0)
            _exit(ERROR_FAILED);
}

int main(int argc, char **argv)
{
    descriptors_fill();
    return command_main(argc, argv);
}
