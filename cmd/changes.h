/* What applying files would change, or has changed, for people and for machines. */
#ifndef AX_CHANGES_H
#define AX_CHANGES_H

#include "cmd/command.h"
#include "cmd/view.h"
#include "spool/apply.h"

struct changes_view {
    const struct view *view;
    const struct changes *changes;
    instant *dues; /* one for each change: the next due time where it is another than before, else INSTANT_NONE */
    bool done;     /* it has been applied */
};

/* Makes room for the due times: none is known. */
void changes_view_init(struct changes_view *c, const struct view *v, const struct changes *changes);
void changes_view_clear(struct changes_view *c);

/* Reckons the due times of what has not been applied, in the zone in which it would run. */
void changes_reckon(struct changes_view *c, const struct common *common, instant now);
/* Takes them from the store, inside the transaction in which it was applied. */
int changes_due(struct changes_view *c, struct store *s, struct error *e);

bool changes_moves(const struct change *c); /* its due time is set anew */
size_t changes_count(const struct changes *c); /* what is to be done, but for CHANGE_MOVE: that is told, and no difference */

void changes_text(struct buf *b, const struct changes_view *c);
void changes_sum(struct buf *b, const struct changes_view *c); /* `1 added, 2 changed, 40 unchanged` */
void changes_json(struct buf *b, const struct changes_view *c); /* one object a line, of jobs and queues */

/* What differs between the definitions in these fields, each on lines of its own. */
void changes_fields(struct buf *b, const struct job *old, const struct job *new, const struct strvec *names, bool colour);

#endif
