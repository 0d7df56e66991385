#include "lib/base/fault.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

void fault_point(const char *name)
{
    static unsigned passed; /* of the one place that AX_FAULT names: a test's counter, the only state there is */
    const char *wanted = getenv("AX_FAULT");
    size_t length = strlen(name);
    if (!wanted || strncmp(wanted, name, length) != 0 || (wanted[length] && wanted[length] != ':'))
        return;
    const char *rest = wanted + length;
    char *end = NULL;
    unsigned long number = *rest == ':' ? strtoul(rest + 1, &end, 10) : 1;
    if (++passed != number)
        return;
    kill(getpid(), end && strcmp(end, ":stop") == 0 ? SIGSTOP : SIGKILL);
}

long fault_shift(void)
{
    const char *shift = getenv("AX_CLOCK_SHIFT");
    return shift ? strtol(shift, NULL, 10) : 0;
}

long fault_slack(long usual)
{
    const char *seconds = getenv("AX_SLACK");
    return seconds ? strtol(seconds, NULL, 10) : usual;
}
