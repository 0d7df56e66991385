#include <fnmatch.h>
#include <string.h>

#include "cmd/ls.h"

static bool wants_state(const struct ls_options *o, const char *phase)
{
    if (o->states)
        return o->states >> view_state(phase) & 1;
    return o->all || (strcmp(phase, "done") != 0 && strcmp(phase, "cancelled") != 0);
}

static bool has(const struct strvec *list, const char *word)
{
    for (size_t i = 0; i < list->count; i++)
        if (strcmp(list->items[i], word) == 0)
            return true;
    return false;
}

static bool has_any(const struct strvec *list, const struct strvec *words)
{
    for (size_t i = 0; i < words->count; i++)
        if (has(list, words->items[i]))
            return true;
    return false;
}

static bool matches(const struct strvec *globs, const char *name)
{
    for (size_t i = 0; i < globs->count; i++)
        if (fnmatch(globs->items[i], name, 0) == 0)
            return true;
    return false;
}

bool ls_wants(const struct ls_options *o, const struct job *j, const struct job_state *s, instant now)
{
    if (!wants_state(o, phase_name(s, now)))
        return false;
    if (o->before != INSTANT_NONE && (job_over(s) || view_next(s) >= o->before))
        return false;
    if (o->tags.count && !has_any(&o->tags, &j->tags))
        return false;
    if (o->queues.count && !has(&o->queues, j->queue ? j->queue : "default"))
        return false;
    if (o->names.count && !(j->name && matches(&o->names, j->name)))
        return false;
    return !o->sources.count || (j->source && has(&o->sources, j->source));
}
