/* A job as the line that adds the same one. */
#ifndef AX_SHOW_SHELL_H
#define AX_SHOW_SHELL_H

#include "cmd/view.h"

/* For any shell, or, on a terminal, for one that knows $'...', so that it is safe to look at. With `values` the kept environment is a part of it. */
void show_shell(struct buf *b, const struct view *v, const struct job *j, bool values);

#endif
