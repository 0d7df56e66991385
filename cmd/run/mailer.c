#include "cmd/run/mailer.h"

#include <stdlib.h>

#define LIMIT (3600 * SECOND) /* each mail has a limit of its own */
#define PAUSE (60 * SECOND)   /* after an errand that failed as a whole */

static void mailer_start(struct mailer *m);

static void on_again(struct loop_timer *t)
{
    struct mailer *m = t->context;
    m->waits = false;
    mailer_start(m);
}

static void mailer_wait(struct mailer *m, int64_t pause)
{
    m->again.call = on_again;
    m->again.context = m;
    m->waits = true;
    loop_timer_set(m->loop, &m->again, pause);
}

/* `= SECONDS`: how long the next one has to wait; `= none`. */
static void on_done(void *context, const char *result)
{
    struct mailer *m = context;
    char *end;
    long seconds = result ? strtol(result, &end, 10) : 0;
    if (m->wanted)
        mailer_start(m);
    else if (!result)
        mailer_wait(m, PAUSE);
    else if (end != result)
        mailer_wait(m, (seconds > 0 ? seconds : 1) * SECOND);
}

static void mailer_start(struct mailer *m)
{
    struct error e = {0};
    char *argv[] = {"ax", "__mail", (char *)m->spool, NULL};
    m->wanted = false;
    m->errand.loop = m->loop;
    m->errand.log = m->log;
    m->errand.event = "mail";
    m->errand.call = on_done;
    m->errand.context = m;
    if (errand_start(&m->errand, argv, LIMIT, &e) == 0)
        return;
    log_event(m->log, LOG_LEVEL_ERROR, "mail", "text", e.text, NULL);
    mailer_wait(m, PAUSE);
}

bool mailer_busy(const struct mailer *m)
{
    return m->errand.pid != 0;
}

void mailer_look(struct mailer *m)
{
    if (!store_mail_count(m->store))
        return;
    m->wanted = true;
    if (mailer_busy(m))
        return;
    if (m->waits)
        loop_timer_stop(m->loop, &m->again);
    m->waits = false;
    mailer_start(m);
}

void mailer_clear(struct mailer *m)
{
    if (!m->loop)
        return;
    loop_timer_stop(m->loop, &m->again);
    errand_leave(&m->errand);
}
