/* How long what is over is kept: decided from definition, state and time. */
#include "spool/life_parts.h"

static instant life_kept_until(instant ended, duration keep_for)
{
    return keep_for == DURATION_NONE ? INSTANT_NEVER : instant_add(ended, keep_for);
}

instant life_expiry(const struct job_state *s)
{
    bool over = s->phase == PHASE_DONE || s->phase == PHASE_CANCELLED; /* who gave up is to be looked at by somebody */
    return over && !s->job && !s->extras && s->last_ended != INSTANT_NONE ? life_kept_until(s->last_ended, s->keep_for)
                                                                          : INSTANT_NEVER;
}

/* Of an occurrence that is not over: its earlier attempts are told with it. */
static bool keep_belongs(const struct job_state *s, const struct run *r)
{
    bool begun = s->phase == PHASE_RUNNING || s->phase == PHASE_RETRYING;
    return (begun && s->first && r->id.n >= s->first && !r->extra) || (r->extra && s->extras);
}

bool life_keeps(const struct job_state *s, const struct run *r, const struct life_keep *k)
{
    if (r->outcome == OUTCOME_NONE || r->mail == MAIL_PENDING || r->id.n >= s->runs || keep_belongs(s, r))
        return true;
    if (r->ended != INSTANT_NONE && life_kept_until(r->ended, k->keep_for) <= k->now)
        return false;
    return s->runs - r->id.n < (uint32_t)k->keep_runs;
}
