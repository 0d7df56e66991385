/* Plain files for what is not to be in anybody's way: a dump is made and read in one, whatever it goes to and comes
 * from. */
#ifndef AX_PLAINFILE_H
#define AX_PLAINFILE_H

#include "lib/base/error.h"

int plainfile_temporary(const char *folder,
    struct error *e); /* without a name, mode 0600; `folder` is tried last. A descriptor, or negative */
int plainfile_copy(int from, int to, struct error *e); /* to the end of it */

#endif
