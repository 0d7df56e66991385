/* Walks through the times of one schedule. */
#include "cmd/next.h"

#include "cmd/view.h"

enum { CHUNK = 1 << 16 }; /* bytes printed together */

struct walk {
    struct schedule schedule;
    instant first;  /* the due time that the job waits for; INSTANT_NONE: the schedule alone tells */
    instant after;
    int most;
    const char *rest; /* why there are no more than these */
};

static bool is_from_end(const struct job *j)
{
    return job_schedule_kind(j) == SCHEDULE_EVERY && j->every_from == EVERY_FROM_END;
}

static void walk_begin(const struct next *n, struct walk *w)
{
    const struct job *j = &n->job;
    w->after = n->from;
    if (j->at != INSTANT_NONE)
        w->after = j->at - 1; /* `now` lies a little back */
    if (j->every == DURATION_NONE)
        return;
    w->schedule.start = instant_add(n->from, j->every);
    if (j->not_before != INSTANT_NONE && j->not_before > n->from)
        w->schedule.start = j->not_before;
}

/* Of a job in the spool: goes on from what it waits for, or from what follows its run. */
static void walk_begin_job(const struct next *n, struct walk *w)
{
    const struct job_state *s = &n->state;
    instant next = s->phase == PHASE_WAITING ? s->due : view_after(s);
    w->after = n->from;
    schedule_begin(&w->schedule, next != INSTANT_NEVER ? next : s->due);
    if (job_over(s)) {
        w->most = 0;
        w->rest = phase_name(s, n->now);
    } else if (next != INSTANT_NEVER && (next > n->from || (s->phase == PHASE_WAITING && !n->from_text))) {
        w->first = next; /* also if it is late: it is still to come */
    } else if (!s->repeats) {
        w->most = 0;
        w->rest = s->phase == PHASE_WAITING ? NULL : phase_name(s, n->now);
    }
}

static struct occurrence walk_next(struct walk *w)
{
    if (w->first == INSTANT_NONE)
        return schedule_next(&w->schedule, w->after);
    struct occurrence o = schedule_next(&w->schedule, w->first - 1);
    if (o.at != w->first)
        o = (struct occurrence){.at = w->first}; /* by rules that were changed meanwhile */
    w->first = INSTANT_NONE;
    return o;
}

/* Returns how many lines there were. *beyond is the first time behind --until. */
static int walk_print(const struct command *self, const struct next *n, struct walk *w, instant *beyond)
{
    struct buf b = {0};
    int count = 0;
    while (count < w->most) {
        struct occurrence o = walk_next(w);
        if (n->skipped)
            o.note = OCCURRENCE_MOVED;
        if (o.at == INSTANT_NEVER)
            break;
        if (o.at > n->until) {
            *beyond = o.at;
            break;
        }
        next_print(&b, n, &(struct next_line){.at = o.at, .note = o.note, .job = n->job.number ? &n->job : NULL});
        if (o.at > w->after)
            w->after = o.at;
        count++;
        if (b.length >= CHUNK)
            command_print(self, &b);
    }
    if (*beyond == INSTANT_NEVER && count < w->most && next_far_possible(n, &w->schedule))
        count += next_far(&b, n, &w->schedule, n->far ? n->far : w->after / SECOND, w->most - count);
    command_print(self, &b);
    buf_clear(&b);
    return count;
}

static int next_check_far(const struct next *n, const struct schedule *s, struct error *e)
{
    return n->far && !next_far_possible(n, s) ? next_far_refuse(n, e) : 0;
}

static int next_never(const struct next *n, const struct walk *w, instant beyond, struct error *e)
{
    struct buf at = {0};
    int code;
    if (n->far)
        buf_text(&at, n->from_text);
    else
        instant_format_local(&at, next_second(beyond == INSTANT_NEVER ? n->from : beyond), n->zone, false);
    if (beyond != INSTANT_NEVER)
        code = error_set(e, ERROR_FAILED, "none up to then: the next one is %s", buf_string(&at));
    else if (n->job.boot)
        code = error_set(e, ERROR_FAILED, "never by the clock: it is due after each %s", n->job.boot == BOOT_MACHINE ? "boot of the machine" : "start of the scheduler");
    else if (job_schedule_kind(&n->job) == SCHEDULE_NONE)
        code = error_set(e, ERROR_FAILED, "never: job %llu has no schedule", (unsigned long long)n->job.number);
    else if (w->rest)
        code = error_set(e, ERROR_FAILED, "never: job %llu is %s, and nothing is due after that", (unsigned long long)n->job.number, w->rest);
    else
        code = error_set(e, ERROR_FAILED, "never: there is no such time after %s", buf_string(&at));
    buf_clear(&at);
    return code;
}

static void next_say(const struct command *self, const struct next *n, const struct schedule *s)
{
    struct buf b = {0};
    struct strvec traps = {0};
    if (n->explain)
        next_explain(&b, &traps, n, s);
    else if (!n->json && !n->job.number)
        next_warnings(&traps, n);
    command_print(self, &b);
    for (size_t i = 0; i < traps.count && !n->json; i++)
        command_warn(self, "%s", traps.items[i]);
    strvec_clear(&traps);
    buf_clear(&b);
}

int next_times(const struct command *self, struct next *n, struct error *e)
{
    struct walk w = {.first = INSTANT_NONE, .most = next_lines(n)};
    instant beyond = INSTANT_NEVER;
    int code = job_schedule(&n->job, &n->zones, &w.schedule, e);
    if (code < 0)
        return code;
    if (next_check_far(n, &w.schedule, e) < 0) {
        schedule_clear(&w.schedule);
        return -(int)e->code;
    }
    if (n->job.number)
        walk_begin_job(n, &w);
    else
        walk_begin(n, &w);
    if (is_from_end(&n->job) && w.most > 1)
        w.most = 1;
    next_say(self, n, &w.schedule);
    if (walk_print(self, n, &w, &beyond) == 0)
        code = next_never(n, &w, beyond, e);
    else if (is_from_end(&n->job) && next_lines(n) > 1 && !n->json)
        command_warn(self, "the times behind it are known when the runs have ended (every_from: end)");
    schedule_clear(&w.schedule);
    return code;
}
