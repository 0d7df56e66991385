#include "cmd/run/scheduler.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/random.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/sys/lockfile.h"
#include "lib/sys/manager.h"
#include "lib/sys/process.h"

#define BUSY_SAY 200 /* tries, after which it is said who writes to the spool all the time */

/* One scheduler serves a spool at a time: byte 0 of scheduler.lock. */
static int scheduler_lock(struct scheduler *s, struct error *e)
{
    pid_t holder = 0;
    s->lock = lockfile_open(s->folder->fd, "scheduler.lock", e);
    if (s->lock < 0)
        return s->lock;
    if (lockfile_try(s->lock, true, 0, 1, &holder) == 0)
        return 0;
    return error_set(e, ERROR_EXISTS, "%s is served already, by the scheduler with pid %d", s->folder->path, (int)holder);
}

static void on_watch(void *context, int number, uint32_t event, const char *name)
{
    struct scheduler *s = context;
    if (number == s->watch_data || event & WATCH_OVERFLOW)
        s->changed = true;
    if (number == s->watch_handover)
        adopt_arrived(s, name);
    zonewatch_event(s, number);
    jobsdir_event(&s->jobsdir, number, event, name);
    if (event & WATCH_OVERFLOW) {
        s->lanes_changed = true;
        s->zones_changed = true;
        s->clean = true;
    }
}

static void on_watch_ready(void *context, uint32_t events)
{
    struct scheduler *s = context;
    (void)events;
    watch_read(s->watch, on_watch, s);
}

/* It only has to wake us: every turn measures the clock itself. */
static void on_alarm(void *context, bool stepped)
{
    (void)context;
    (void)stepped;
}

/* Before the first read: what changes after it is not missed. */
static int scheduler_watch(struct scheduler *s, struct error *e)
{
    int failed = watch_new(&s->watch, e);
    if (failed)
        return failed;
    char *data = mem_format("%s/data.mdb", s->folder->path);
    char *handover = mem_format("%s/handover", s->folder->path);
    s->watch_data = watch_add(s->watch, data, WATCH_WRITTEN, e);
    s->watch_handover = s->watch_data < 0 ? -1 : watch_add(s->watch, handover, WATCH_ARRIVED, e);
    free(data);
    free(handover);
    if (s->watch_data < 0 || s->watch_handover < 0)
        return -(int)ERROR_SPOOL;
    return loop_add(s->loop, watch_fd(s->watch), EPOLLIN, on_watch_ready, s, e) ? 0 : -(int)ERROR_FAILED;
}

static bool scheduler_told_to_stop(void)
{
    sigset_t pending;
    sigpending(&pending);
    return sigismember(&pending, SIGTERM) || sigismember(&pending, SIGINT) || sigismember(&pending, SIGHUP);
}

/* Before the generation: jobs that wait for a start of the scheduler are there then. */
static int scheduler_jobs(struct scheduler *s, struct error *e)
{
    if (!s->options.jobs)
        return 0;
    s->jobsdir.spool = s->folder->path;
    s->jobsdir.loop = s->loop;
    s->jobsdir.log = s->log;
    s->jobsdir.watch = s->watch;
    int failed = jobsdir_begin(&s->jobsdir, s->options.jobs, e);
    while (!failed && !s->jobsdir.applied && !scheduler_told_to_stop() && !s->stopping)
        failed = loop_turn(s->loop, e);
    log_flush(s->log);
    return failed;
}

/* For those who ask (ax status, ax why). */
static struct value scheduler_about(const struct scheduler *s)
{
    struct value m = value_map();
    value_put(&m, "pid", value_int(getpid()));
    value_put(&m, "since_ns", value_int(clock_wall()));
    value_put(&m, "version", value_text(AX_VERSION));
    value_put(&m, "workers", value_int(s->options.workers));
    value_put(&m, "jobs", value_text(s->options.jobs));
    value_put(&m, "tz", value_text(getenv("TZ"))); /* store_zones_init: clients reckon by our zone */
    return m;
}

/* Nothing to serve before this: wait for a client that is writing, as long as it takes. */
static int scheduler_generation(struct scheduler *s, struct error *e)
{
    int failed;
    struct store_generation new = {0};
    struct value about = scheduler_about(s);
    for (int tries = 1; (failed = store_generation(s->store, clock_wall(), &about, &new, e)) == STORE_BUSY; tries++) {
        if (scheduler_told_to_stop()) {
            value_clear(&about);
            return -(int)ERROR_SPOOL;
        }
        if (tries == BUSY_SAY) {
            log_event(s->log, LOG_LEVEL_WARNING, "cannot write to the spool", "reason", e->text, NULL);
            log_flush(s->log);
        }
        usleep(tries < BUSY_SAY ? 10000 : 100000);
    }
    value_clear(&about);
    s->generation = new.number;
    s->feed_position = s->feed_trimmed = new.feed_position;
    s->since = clock_wall();
    s->zones_changed = true;
    s->clock_total = new.clock_total;
    s->stepping = new.clock_steps;
    return failed;
}

/* Is there something that has come to its end while nobody served? */
static bool scheduler_prunes(struct scheduler *s)
{
    bool wanted = store_begin(s->store, false, NULL) == 0 && store_prune_wanted(s->store, clock_wall());
    store_abort(s->store);
    return wanted;
}

static int scheduler_open(struct scheduler *s, const char *spool, struct error *e)
{
    int failed = store_open(spool, STORE_SERVE, &s->store, e);
    if (failed)
        return failed;
    s->folder = store_folder(s->store);
    failed = scheduler_lock(s, e);
    if (!failed)
        failed = loop_new(&s->loop, e);
    if (!failed)
        failed = stop_signals(s, e);
    if (!failed)
        failed = loop_alarm(s->loop, on_alarm, s, e);
    if (!failed)
        failed = scheduler_watch(s, e);
    if (!failed)
        failed = scheduler_jobs(s, e);
    if (!failed)
        failed = scheduler_generation(s, e);
    if (failed)
        return failed;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    process_boot(s->boot);
    launch_init(&s->launch, s->folder->path);
    plan_init(&s->plan, s->options.workers, PLAN_WINDOW);
    pool_init(&s->pool, s->loop, &active_calls, s);
    s->pool.spool = s->folder->path;
    s->pool.generation = s->generation;
    s->wall_minus_mono = clock_wall() - clock_mono().ns;
    s->lanes_changed = true;
    s->mailer = (struct courier){.loop = s->loop, .log = s->log, .spool = s->folder->path, .store = s->store};
    s->notifier = s->mailer;
    s->mailer.count = store_mail_count;
    s->mailer.name = "mail";
    s->notifier.count = store_notice_count;
    s->notifier.name = "notify";
    s->alarm.at = INSTANT_NEVER;
    s->pruning = scheduler_prunes(s);
    return adopt_begin(s, e);
}

static void scheduler_close(struct scheduler *s)
{
    struct active *a, *next;
    foreground_clear(s);
    HASH_ITER(hh, s->active, a, next)
        active_free(a);
    zonewatch_clear(s);
    jobsdir_clear(&s->jobsdir);
    courier_clear(&s->mailer);
    courier_clear(&s->notifier);
    if (s->loop) {
        pool_clear(&s->pool);
        loop_free(s->loop);
    }
    watch_free(s->watch);
    plan_clear(&s->plan);
    launch_clear(&s->launch);
    free(s->aside);
    store_close(s->store);
    if (s->lock >= 0)
        close(s->lock);
}

void scheduler_tell(struct scheduler *s, const char *state)
{
    int number = manager_tell(s->options.manager, state);
    if (number)
        log_event(s->log, LOG_LEVEL_WARNING, "the service manager cannot be told", "reason", strerror(number), NULL);
}

static void scheduler_ready(struct scheduler *s)
{
    log_event(s->log, LOG_LEVEL_INFO, "serving", "spool", s->folder->path, "pid", LOG_NUMBER(getpid()), "workers",
        LOG_NUMBER(s->options.workers), "version", AX_VERSION, NULL);
    if (!s->plan.entries && !s->plan.used && !s->again && !s->options.until_idle)
        log_event(s->log, LOG_LEVEL_INFO, "nothing is due: waiting for `ax add`, `ax apply` or `ax start`", NULL);
    scheduler_tell(s, "READY=1\nSTATUS=serving");
    if (s->options.ready_fd < 0)
        return;
    if (write(s->options.ready_fd, "r", 1) != 1)
        log_event(s->log, LOG_LEVEL_WARNING, "nobody waits to hear that we serve", NULL);
    close(s->options.ready_fd);
}

static void nothing(struct loop_timer *t)
{
    (void)t;
}

static int scheduler_loop(struct scheduler *s, struct error *e)
{
    struct loop_timer at_once = {.call = nothing};
    int failed = 0;
    turn_take(s);
    pool_spare(&s->pool);
    courier_look(&s->mailer);
    courier_look(&s->notifier);
    scheduler_ready(s);
    while (!failed) {
        if (s->clean)
            adopt_clean(s);
        stop_look(s);
        log_flush(s->log);
        if (s->done)
            break;
        if ((s->again || s->changed || s->zones_changed) && !s->retry_waits)
            loop_timer_set(s->loop, &at_once, 0);
        failed = loop_turn(s->loop, e);
        if (!failed)
            turn_take(s);
    }
    loop_timer_stop(s->loop, &at_once);
    return failed;
}

int scheduler_run(const char *spool, const struct scheduler_options *options, struct log *log, struct error *e)
{
    struct scheduler s = {.options = *options, .log = log, .lock = -1};
    s.reported_end = &s.reported;
    if (getrandom(&s.random, sizeof s.random, 0) != sizeof s.random)
        s.random = (uint64_t)clock_wall();
    int failed = scheduler_open(&s, spool, e);
    if (!failed)
        failed = scheduler_loop(&s, e);
    scheduler_close(&s);
    log_flush(log);
    return failed ? failed : s.exit_code;
}
