/* Resource limits as a user writes them: NAME -> `soft` or `soft:hard`, each a number or `unlimited`. Sizes take K M G T (powers of 1024); cpu is in seconds. */
#ifndef AX_RLIMITS_H
#define AX_RLIMITS_H

#include "lib/base/error.h"
#include "lib/base/strvec.h"
#include "lib/sys/child.h"

/* cpu fsize data stack core nproc nofile memlock as. One value alone is both soft and hard. ERROR_USAGE. */
int rlimits_parse(const char *name, const char *text, struct child_limit *out, struct error *e);

/* A whole list of NAME=VALUE (struct job's rlimits). *out is malloc'd, NULL if there are none. */
int rlimits_all(const struct strvec *list, struct child_limit **out, int *count, struct error *e);

#endif
