/* The two clocks. Wall time is an instant; monotonic time is a type of its own, so that they cannot be mixed. */
#ifndef AX_CLOCK_H
#define AX_CLOCK_H

#include <stdint.h>

#include "lib/time/instant.h"

struct monotime {
    int64_t ns; /* CLOCK_BOOTTIME: goes on in suspend, never steps */
};

instant clock_wall(void);
struct monotime clock_mono(void);

#endif
