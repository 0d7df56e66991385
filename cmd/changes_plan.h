/* From files to what they would change. */
#ifndef AX_CHANGES_PLAN_H
#define AX_CHANGES_PLAN_H

#include "cmd/command.h"
#include "spool/apply.h"

/* Looks only. Where there is no spool yet, all is new. */
int changes_plan(const struct common *c, const struct jobfiles *files, struct apply_rules rules, struct changes *out, struct error *e);

/* Standard input has no path, so what is read there without a `source` has none of its own: others would be pruned by it. Returns the exit code, printed; or 0. */
int changes_prune_check(const struct command *self, const struct jobfiles *files);

/* Prints jobs that belong to others as errors of the files. Returns the exit code: 0 where there are none. */
int changes_conflicts(const struct changes *changes);

#endif
