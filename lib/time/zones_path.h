/* The folders in which a change can make a path lead to another file: for zones.c only. */
#ifndef AX_ZONES_PATH_H
#define AX_ZONES_PATH_H

#include "lib/base/strvec.h"

/* Adds each folder once, without `.`, `..` and links in its own path. */
void zones_path_folders(const char *path, struct strvec *folders);

#endif
