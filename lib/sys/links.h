/* Symbolic links on the way along a path. */
#ifndef AX_LINKS_H
#define AX_LINKS_H

#include "lib/base/strvec.h"

/* Adds, each once, the places at which a change can make the path lead elsewhere: each link on the way, and the end of
 * the way (of what is missing the nearest part that is not there). As absolute paths without `.`, `..` and links before
 * their last part: what changes there is an event in the folder that holds it. */
void links_places(const char *path, struct strvec *places);

/* The same as the folders that hold those places. */
void links_folders(const char *path, struct strvec *folders);

#endif
