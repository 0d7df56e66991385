/* What applying leaves in the trail of a job. */
#include "lib/base/buf.h"
#include "spool/apply.h"

static void trail_fields(struct buf *b, const struct strvec *fields)
{
    for (size_t i = 0; i < fields->count; i++)
        buf_format(b, "%s%s", i ? ", " : ": ", fields->items[i]);
}

int apply_trail(struct store *s, const struct change *c, instant now, struct error *e)
{
    static const char *const words[CHANGE_MOVE + 1] = {[CHANGE_CREATE] = "added by source %s",
        [CHANGE_UPDATE] = "changed by source %s",
        [CHANGE_MOVE] = "changed by source %s",
        [CHANGE_REVIVE] = "brought back by source %s",
        [CHANGE_ADOPT] = "handed to source %s",
        [CHANGE_REMOVE] = "not in source %s any more, removed"};
    if (!words[c->kind])
        return 0;
    struct buf b = {0};
    buf_format(&b, words[c->kind], c->new ? c->new->job.source : c->old.source);
    trail_fields(&b, &c->fields);
    int failed = store_audit(s, c->number, now, buf_string(&b), e);
    buf_clear(&b);
    return failed;
}
