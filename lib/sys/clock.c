#include "lib/sys/clock.h"

#include <time.h>

#include "lib/base/fault.h"

static int64_t clock_read(clockid_t id)
{
    struct timespec t = {0};
    clock_gettime(id, &t);
    return (int64_t)t.tv_sec * SECOND + t.tv_nsec;
}

instant clock_wall(void)
{
    return clock_read(CLOCK_REALTIME) + FAULT_SHIFT() * SECOND;
}

struct monotime clock_mono(void)
{
    return (struct monotime){clock_read(CLOCK_BOOTTIME)};
}
