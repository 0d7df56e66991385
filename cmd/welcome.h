/* What `ax` alone says. */
#ifndef AX_WELCOME_H
#define AX_WELCOME_H

#include "lib/base/buf.h"

/* A few lines for those who do not know ax yet, with whether the spool is served. */
void welcome_print(struct buf *b);

#endif
