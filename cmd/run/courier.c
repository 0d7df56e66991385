#include "cmd/run/courier.h"

#include <stdio.h>
#include <stdlib.h>

#include "lib/base/fault.h"
#include "lib/base/mem.h"
#include "lib/sys/lockfile.h"

#define LIMIT (3600 * SECOND) /* each message has a limit of its own */
#define PAUSE (60 * SECOND)   /* after an errand that failed as a whole */

static void courier_start(struct courier *c);

static void on_again(struct loop_timer *t)
{
    struct courier *c = t->context;
    c->waits = false;
    courier_start(c);
}

static void courier_pause(struct courier *c, int64_t pause)
{
    c->again.call = on_again;
    c->again.context = c;
    c->waits = true;
    loop_timer_set(c->loop, &c->again, pause);
}

/* `= SECONDS`: how long the next one has to wait; `= none`. */
static void on_done(void *context, const char *result)
{
    struct courier *c = context;
    char *end;
    long seconds = result ? strtol(result, &end, 10) : 0;
    if (c->wanted)
        courier_start(c);
    else if (!result)
        courier_pause(c, PAUSE);
    else if (end != result)
        courier_pause(c, (seconds > 0 ? seconds : 1) * SECOND);
}

static void courier_start(struct courier *c)
{
    struct error e = {0};
    char *command = mem_format("__%s", c->name);
    char *argv[] = {"ax", command, (char *)c->spool, NULL};
    c->wanted = false;
    c->errand.loop = c->loop;
    c->errand.log = c->log;
    c->errand.event = c->name;
    c->errand.call = on_done;
    c->errand.context = c;
    int failed = errand_start(&c->errand, argv, LIMIT, &e);
    free(command);
    if (!failed)
        return;
    log_event(c->log, LOG_LEVEL_ERROR, c->name, "text", e.text, NULL);
    courier_pause(c, PAUSE);
}

bool courier_busy(const struct courier *c)
{
    return c->errand.pid != 0;
}

void courier_look(struct courier *c)
{
    if (!c->count(c->store))
        return;
    c->wanted = true;
    if (courier_busy(c))
        return;
    if (c->waits)
        loop_timer_stop(c->loop, &c->again);
    c->waits = false;
    courier_start(c);
}

void courier_clear(struct courier *c)
{
    if (!c->loop)
        return;
    loop_timer_stop(c->loop, &c->again);
    errand_leave(&c->errand);
}

/* ---- for the errands ---- */

int courier_lock(const char *spool, const char *name, struct error *e)
{
    struct folder f;
    pid_t holder;
    int code = folder_open(spool, false, &f, e);
    if (code)
        return code;
    char *file = mem_format("%s.lock", name);
    int fd = lockfile_open(f.fd, file, e);
    folder_clear(&f);
    free(file);
    if (fd >= 0 && lockfile_try(fd, true, 0, 1, &holder) != 0)
        return error_set(e, ERROR_EXISTS, "process %d, of an earlier scheduler, is still at it", (int)holder);
    return fd < 0 ? fd : 0;
}

instant courier_next(uint32_t tries, instant now)
{
    static const int pauses[] = {60, 600, 3600}; /* seconds */
    if (tries > sizeof pauses / sizeof *pauses)
        return INSTANT_NONE;
    return instant_add(now, FAULT_SLACK(pauses[tries - 1]) * SECOND);
}

long courier_wait(instant next, instant now)
{
    return next > now ? (long)((next - now) / SECOND) + 1 : 1;
}

int courier_end(int code, const struct error *e, long wait)
{
    if (code < 0)
        printf("W %s\n", e->text);
    else if (wait >= 0)
        printf("= %ld\n", wait);
    else
        puts("= none");
    return code < 0 ? ERROR_FAILED : ERROR_NONE;
}
