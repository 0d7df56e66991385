#include "lib/time/schedule.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/hash.h"
#include "lib/base/mem.h"
#include "lib/time/every_clock.h"

#define HOUR (INT64_C(3600) * SECOND)
#define DAY (24 * HOUR)
#define WINDOW_FIRST (60 * SECOND)
#define WINDOW_GROWTH 4

void schedule_init(struct schedule *s, const struct zone *zone)
{
    *s = (struct schedule){.zone = zone,
        .at = INSTANT_NONE,
        .every = DURATION_NONE,
        .start = INSTANT_NONE,
        .not_before = INSTANT_NONE,
        .not_after = INSTANT_NONE};
}

void schedule_clear(struct schedule *s)
{
    for (size_t i = 0; i < s->calendar_count; i++)
        calendar_free(s->calendars[i].calendar);
    for (size_t i = 0; i < s->except_count; i++)
        calendar_free(s->excepts[i].on.calendar);
    free(s->crons);
    free(s->calendars);
    free(s->excepts);
    *s = (struct schedule){0};
}

/* ---- building ---- */

int schedule_add_cron(struct schedule *s, const char *text, uint64_t seed, struct strvec *warnings, struct error *e)
{
    struct cron c;
    int failed = cron_parse(text, seed, &c, warnings, e);
    if (failed)
        return failed;
    s->crons = mem_resize(s->crons, s->cron_count + 1, sizeof *s->crons);
    s->crons[s->cron_count++] = c;
    return 0;
}

static int schedule_calendar(
    const struct schedule *s, const char *text, struct zones *zones, struct schedule_calendar *out, struct error *e)
{
    struct calendar *c;
    const struct zone *zone = s->zone;
    int failed = calendar_parse(text, &c, e);
    if (failed)
        return failed;
    if (calendar_zone(c))
        failed = zones_get(zones, calendar_zone(c), &zone, e);
    if (failed) {
        calendar_free(c);
        return failed;
    }
    *out = (struct schedule_calendar){c, zone};
    return 0;
}

int schedule_add_calendar(struct schedule *s, const char *text, struct zones *zones, struct error *e)
{
    struct schedule_calendar c;
    int failed = schedule_calendar(s, text, zones, &c, e);
    if (failed)
        return failed;
    s->calendars = mem_resize(s->calendars, s->calendar_count + 1, sizeof *s->calendars);
    s->calendars[s->calendar_count++] = c;
    return 0;
}

#define NO_DATE INT64_MIN

/* 2026-12-24, as days since 1970, NO_DATE if the month does not have it; returns how many bytes it takes, 0 if no date
 * stands in front. */
static size_t schedule_date(const char *text, int64_t *days)
{
    int part[3] = {0};
    const char *p = text;
    for (int i = 0; i < 3; i++) {
        if (i && *p++ != '-')
            return 0;
        for (int digits = i ? 2 : 4; digits; digits--, p++) {
            if (*p < '0' || *p > '9')
                return 0;
            part[i] = part[i] * 10 + (*p - '0');
        }
    }
    if (part[1] < 1 || part[1] > 12)
        return 0;
    bool real = part[2] >= 1 && part[2] <= civil_month_days(part[0], part[1]);
    *days = real ? civil_days(part[0], part[1], part[2]) : NO_DATE;
    return (size_t)(p - text);
}

static int schedule_no_date(const char *text, const char *date, struct error *e)
{
    error_set(e, ERROR_USAGE, "there is no %.10s", date);
    return error_place(e, text, 1, (int)(date - text) + 1, 10);
}

/* 0: it is no date or range of dates; 1: it is; negative: it is one that is wrong. */
static int schedule_dates(const char *text, struct schedule_except *out, struct error *e)
{
    size_t length = schedule_date(text, &out->first);
    out->last = out->first;
    if (!length)
        return 0;
    if (!text[length])
        return out->first == NO_DATE ? schedule_no_date(text, text, e) : 1;
    if (strncmp(text + length, "..", 2) != 0 || strchr(text + length + 2, '-') == NULL)
        return 0;
    if (out->first == NO_DATE)
        return schedule_no_date(text, text, e);
    const char *end = text + length + 2;
    length = schedule_date(end, &out->last);
    if (length && !end[length] && out->last == NO_DATE)
        return schedule_no_date(text, end, e);
    if (!length || end[length])
        error_set(e, ERROR_USAGE, "behind `..` stands no date such as 2027-01-06");
    else if (out->last < out->first)
        error_set(e, ERROR_USAGE, "the second date lies before the first");
    else
        return 1;
    return error_place(e, text, 1, (int)(end - text) + 1, (int)strlen(end));
}

int schedule_add_except(struct schedule *s, const char *text, struct zones *zones, struct error *e)
{
    struct schedule_except x = {0};
    int code = schedule_dates(text, &x, e);
    if (code == 0)
        code = schedule_calendar(s, text, zones, &x.on, e);
    if (code < 0)
        return code;
    s->excepts = mem_resize(s->excepts, s->except_count + 1, sizeof *s->excepts);
    s->excepts[s->except_count++] = x;
    return 0;
}

int schedule_check_every(duration every, enum every_from from, struct error *e)
{
    if (from != EVERY_FROM_CLOCK || every <= DAY || every % DAY == 0)
        return 0;
    return error_set(e, ERROR_USAGE, "an interval aligned to the clock is at most a day, or whole days");
}

void schedule_begin(struct schedule *s, instant due)
{
    s->start = instant_add(due, -s->offset);
}

bool schedule_repeats(const struct schedule *s)
{
    return s->kind == SCHEDULE_EVERY || s->kind == SCHEDULE_CRON || s->kind == SCHEDULE_CALENDAR ||
           s->kind == SCHEDULE_BOOT;
}

bool schedule_is_local(const struct schedule *s)
{
    return s->kind == SCHEDULE_CRON || s->kind == SCHEDULE_CALENDAR || s->except_count ||
           (s->kind == SCHEDULE_EVERY && s->every_from == EVERY_FROM_CLOCK);
}

/* ---- the next one ---- */

static struct occurrence every_next(const struct schedule *s, instant after)
{
    if (s->every_from == EVERY_FROM_CLOCK)
        return every_clock_next(s->every, s->zone, after);
    if (s->start == INSTANT_NONE)
        return (struct occurrence){.at = INSTANT_NEVER};
    if (after < s->start)
        return (struct occurrence){.at = s->start};
    uint64_t passed = ((uint64_t)after - (uint64_t)s->start) / (uint64_t)s->every;
    instant last = (instant)((uint64_t)s->start + passed * (uint64_t)s->every);
    return (struct occurrence){.at = last < INSTANT_NEVER - s->every ? last + s->every : INSTANT_NEVER};
}

static struct occurrence earlier(struct occurrence a, struct occurrence b)
{
    return b.at < a.at || (b.at == a.at && a.note == OCCURRENCE_PLAIN) ? b : a;
}

/* True if two of its times lie at most an hour apart. */
static bool calendar_is_frequent(const struct schedule_calendar *c, instant after)
{
    instant first = calendar_next(c->calendar, c->zone, after).at;
    return first != INSTANT_NEVER && calendar_next(c->calendar, c->zone, first).at - first <= HOUR;
}

/* calendar_next has a time in the second pass of a repeated hour if it is asked there. A job does not: it would depend
 * on when it happens to be asked. */
static struct occurrence calendar_next_once(const struct schedule_calendar *c, instant after)
{
    struct occurrence o = calendar_next(c->calendar, c->zone, after);
    while (o.note == OCCURRENCE_AGAIN && o.at != INSTANT_NEVER)
        o = calendar_next(c->calendar, c->zone, o.at);
    return o;
}

/* `fixed` is where what has fixed times goes on, `after` where all else does. */
static struct occurrence kind_next(const struct schedule *s, instant after, instant fixed)
{
    struct occurrence o = {.at = INSTANT_NEVER};
    switch (s->kind) {
    case SCHEDULE_AT:
        if (s->at > after)
            o.at = s->at;
        break;
    case SCHEDULE_EVERY:
        return every_next(s, s->every <= HOUR ? after : fixed);
    case SCHEDULE_CRON:
        for (size_t i = 0; i < s->cron_count; i++)
            o = earlier(o, cron_next(&s->crons[i], s->zone, s->crons[i].local ? after : fixed));
        break;
    case SCHEDULE_CALENDAR:
        for (size_t i = 0; i < s->calendar_count; i++) {
            const struct schedule_calendar *c = &s->calendars[i];
            instant from = fixed == after || calendar_is_frequent(c, after) ? after : fixed;
            o = earlier(
                o, s->start == INSTANT_NONE ? calendar_next(c->calendar, c->zone, from) : calendar_next_once(c, from));
        }
        break;
    case SCHEDULE_NONE:
    case SCHEDULE_BOOT:
        break;
    }
    return o;
}

static int64_t local_day(const struct zone *z, instant t)
{
    struct civil local = zone_civil(z, t);
    return civil_days(local.year, local.month, local.day);
}

/* The last moment of the local day. */
static instant day_end(const struct zone *z, int64_t day)
{
    struct civil midnight = civil_from_seconds((day + 1) * 86400);
    struct zone_local_time t = zone_resolve(z, &midnight);
    return (t.fit == ZONE_GAP ? t.jump : t.first) - 1;
}

/* If t lies on an excepted day: *end is the last moment of it, in the zone of the exception. */
static bool is_excepted(const struct schedule *s, instant t, instant *end)
{
    int64_t day = local_day(s->zone, t);
    for (size_t i = 0; i < s->except_count; i++) {
        const struct schedule_except *x = &s->excepts[i];
        if (x->on.calendar ? !calendar_on_date(x->on.calendar, x->on.zone, t) : day < x->first || day > x->last)
            continue;
        const struct zone *zone = x->on.calendar ? x->on.zone : s->zone;
        *end = day_end(zone, local_day(zone, t));
        return true;
    }
    return false;
}

bool schedule_bars(const struct schedule *s, instant t)
{
    instant end;
    return (s->not_before != INSTANT_NONE && t < s->not_before) || (s->not_after != INSTANT_NONE && t > s->not_after) ||
           (s->except_count && is_excepted(s, t, &end));
}

/* Without the offset. An excepted day is left at its end: no need to look at each of its minutes. */
static struct occurrence plain_next(const struct schedule *s, instant after, instant fixed)
{
    if (s->not_before != INSTANT_NONE && after < s->not_before)
        after = s->not_before - 1;
    if (fixed < after)
        fixed = after;
    struct occurrence o;
    instant end;
    while ((o = kind_next(s, after, fixed)).at != INSTANT_NEVER) {
        if (s->not_after != INSTANT_NONE && o.at > s->not_after)
            break;
        if (!s->except_count || !is_excepted(s, o.at, &end))
            return o;
        after = end > o.at ? end : o.at;
        if (fixed < after)
            fixed = after;
    }
    return (struct occurrence){.at = INSTANT_NEVER};
}

static struct occurrence moved_next(const struct schedule *s, instant after, instant fixed)
{
    if (!s->offset)
        return plain_next(s, after, fixed);
    instant from = instant_add(after, -s->offset);
    fixed = instant_add(fixed, -s->offset);
    struct occurrence o = plain_next(s, from, fixed);
    while (o.at != INSTANT_NEVER) {
        struct occurrence next = plain_next(s, o.at, fixed > o.at ? fixed : o.at);
        instant moved = instant_add(o.at, s->offset);
        if (o.at >= INSTANT_NEVER - s->offset)
            break;
        if (moved >= next.at)
            moved = next.at - 1;
        if (s->not_after != INSTANT_NONE && moved > s->not_after)
            moved = s->not_after;
        if (moved > after)
            return (struct occurrence){moved, o.note};
        o = next;
    }
    return (struct occurrence){.at = INSTANT_NEVER};
}

struct occurrence schedule_next(const struct schedule *s, instant after)
{
    return moved_next(s, after, after);
}

struct occurrence schedule_next_again(const struct schedule *s, instant now, instant before)
{
    return moved_next(s, now, before > now ? before : now);
}

/* ---- spans ---- */

static bool is_even(const struct schedule *s)
{
    return s->kind == SCHEDULE_EVERY && s->every_from != EVERY_FROM_CLOCK && !s->except_count && s->offset < s->every &&
           s->not_after == INSTANT_NONE;
}

/* How many come after `after`, up to `until`; stops at `enough`. */
static uint32_t count_to(const struct schedule *s, instant after, instant until, uint32_t enough)
{
    uint32_t count = 0;
    while (count < enough && (after = schedule_next(s, after).at) <= until && after != INSTANT_NEVER)
        count++;
    return count;
}

instant schedule_from(const struct schedule *s, instant due, instant from)
{
    return from <= due ? due : schedule_next(s, from - 1).at;
}

/* The n-th last lies in a window before `until` that is widened until it holds as many: long spans are not walked
 * through. */
instant schedule_last(const struct schedule *s, instant due, instant until, uint32_t n)
{
    if (until <= due)
        return due;
    if (is_even(s)) {
        uint64_t more = ((uint64_t)until - (uint64_t)due) / (uint64_t)s->every;
        return (instant)((uint64_t)due + (more + 1 > n ? more + 1 - n : 0) * (uint64_t)s->every);
    }
    int64_t window = WINDOW_FIRST;
    instant at = instant_add(until, -window);
    while (at > due && count_to(s, at, until, n) < n) {
        window = window > INT64_MAX / WINDOW_GROWTH ? INT64_MAX : window * WINDOW_GROWTH;
        at = instant_add(until, -window);
    }
    uint32_t count = 0;
    if (at <= due)
        at = due, count = 1; /* it is one, also if the rules have changed since it was reckoned */
    count += count_to(s, at, until, UINT32_MAX - 1);
    if (at != due)
        at = schedule_next(s, at).at;
    while (count-- > n)
        at = schedule_next(s, at).at;
    return at;
}

struct schedule_span schedule_span(const struct schedule *s, instant due, instant until)
{
    if (until <= due)
        return (struct schedule_span){1, due};
    if (is_even(s)) {
        uint64_t more = ((uint64_t)until - (uint64_t)due) / (uint64_t)s->every;
        return (struct schedule_span){more < SCHEDULE_SPAN_MAX ? (uint32_t)more + 1 : SCHEDULE_SPAN_MAX,
            (instant)((uint64_t)due + more * (uint64_t)s->every)};
    }
    struct schedule_span span = {1, due};
    while (span.count < SCHEDULE_SPAN_MAX) {
        instant at = schedule_next(s, span.last).at;
        if (at > until || at == INSTANT_NEVER)
            return span;
        span.last = at;
        span.count++;
    }
    span.last = schedule_last(s, span.last, until, 1);
    return span;
}

/* With a last mix: neighbouring names must not lie near each other. */
uint64_t schedule_seed(const char *host, const char *key)
{
    uint64_t h = hash_add(hash_add(HASH_START, host, strlen(host) + 1), key, strlen(key) + 1);
    h = (h ^ (h >> 33)) * UINT64_C(0xff51afd7ed558ccd);
    h = (h ^ (h >> 33)) * UINT64_C(0xc4ceb9fe1a85ec53);
    return h ^ (h >> 33);
}
