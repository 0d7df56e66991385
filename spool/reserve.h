/* Room kept free on the disk (the file `reserve`, really allocated), so that a full disk still lets people cancel and
 * outcomes be recorded. */
#ifndef AX_RESERVE_H
#define AX_RESERVE_H

#include <stdbool.h>
#include <stdint.h>

#include "spool/folder.h"

#define RESERVE_SIZE (INT64_C(1) << 20)

int64_t reserve_room(
    const struct folder *f); /* bytes free for us on the disk, without the reserve; INT64_MAX if unknown */
bool reserve_keep(const struct folder *f);    /* makes it if it is not there and there is room. true: it is there */
void reserve_give_up(const struct folder *f); /* its room is free now */

#endif
