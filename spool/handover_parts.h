/* What the files of the hand-over share among themselves. */
#ifndef AX_HANDOVER_PARTS_H
#define AX_HANDOVER_PARTS_H

#include "spool/handover.h"

#define HANDOVER_NAME_SIZE (RUN_ID_SIZE + 8)
void handover_name(struct run_id id, const char *ending, char out[HANDOVER_NAME_SIZE]);

/* Calls back for every entry `J.N` + ending of the folder. The names are read first: the call may remove files. */
void handover_each(int folder, const char *ending, fence_call *call, void *context);

enum left_found { LEFT_NONE, LEFT_READ, LEFT_UNKNOWN }; /* unknown: cannot be opened just now */
enum left_found left_find(const struct folder *f, struct run_id id, struct report *out);

#endif
