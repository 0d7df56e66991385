#include "cmd/redefine.h"

/* A job that has ended may have given its name to another one since. */
static int redefine_name_free(struct store *s, const struct job *old, const struct job *new, struct error *e)
{
    uint64_t number;
    bool there;
    if (!new->name)
        return 0;
    int code = store_named(s, new->name, &number, &there, e);
    if (code == 0 && there && number != old->number) {
        struct job_state state;
        code = store_state(s, number, &state, e);
        if (code == 0 && (!job_over(&state) || old->name))
            code = error_set(e, ERROR_EXISTS, "job %llu has the name %s", (unsigned long long)number, new->name);
    }
    return code;
}

int redefine(struct store *s, const struct job *old, struct job *new, bool reschedules, instant now, struct error *e)
{
    int code = redefine_name_free(s, old, new, e);
    return code == 0 ? store_update(s, old->number, new, reschedules, now, e) : code;
}
