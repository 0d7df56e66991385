#include "cmd/reckon.h"

#include "spool/life.h"

int reckon_due(const struct job *j, struct zones *zones, instant now, instant *out, struct error *e)
{
    struct schedule schedule;
    struct job_state state;
    int code = job_schedule(j, zones, &schedule, e);
    if (code < 0)
        return code;
    struct life life = {.job = j, .schedule = &schedule, .now = now, .since = INSTANT_NONE};
    life_begin(&life, &state);
    schedule_clear(&schedule);
    *out = state.due;
    return 0;
}
