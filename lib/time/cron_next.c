/* The next time of a cron expression, over the clock changes of a zone.
 *
 * Time is a row of stretches with one offset each, in which the local clock just runs. Local times are looked for by
 * cron_match in one stretch after the other; stretches in which nothing can come are jumped over. What a change does
 * is told by `high`, the highest local time that the clock had reached before the stretch.
 *
 * The stretch begins above it: what lies between was skipped, and fixed times in it come once, right after the jump.
 * `30 2 * * *` comes at 03:00 when the clock goes from 02:00 to 03:00.
 *
 * The stretch begins below it: the times up to `high` come again, and fixed times among them have been. `30 2 * * *`
 * comes the first time only when the clock goes from 03:00 back to 02:00. */
#include "lib/time/cron_parts.h"

enum {
    OFFSET_MOST = 26 * 3600, /* from UTC (RFC 9636) */
    REACH = 2 * OFFSET_MOST, /* so far back a change can matter */
    JUMP_MOST = 3 * 3600,    /* a longer jump corrects the clock: nothing is made up for it */
};

/* Beyond it no search begins: year 9999. */
#define FARTHEST INT64_C(253402300799)

/* Within 40 years all kinds of years come, leap or not and with each weekday first. What the clock skips in all of them
 * it always skips, unless the zone has changed its rule since: 80 years are left for that. */
#define LONGEST (INT64_C(80) * 366 * 86400)

struct walk {
    const struct zone *zone;
    int64_t from, to; /* the stretch, as UTC */
    int64_t offset;
    int64_t jump; /* how far the local clock jumped at `from` */
    int64_t high; /* the highest local time reached before */
};

static void walk_begin(struct walk *w, int64_t at)
{
    w->from = at - REACH;
    w->offset = zone_seconds_offset(w->zone, w->from);
    w->to = zone_seconds_change(w->zone, w->from);
    w->jump = 0;
    w->high = w->from + w->offset;
}

static void walk_on(struct walk *w)
{
    int64_t before = w->offset;
    if (w->to + before > w->high)
        w->high = w->to + before;
    w->from = w->to;
    w->offset = zone_seconds_offset(w->zone, w->from);
    w->to = zone_seconds_change(w->zone, w->from);
    w->jump = w->offset - before;
}

/* The local time that the clock shows first in this stretch. */
static int64_t walk_local(const struct walk *w)
{
    return w->from + w->offset;
}

struct found {
    int64_t at; /* UTC seconds, or CRON_NEVER */
    enum occurrence_note note;
};

/* What the jump at the beginning of the stretch skipped: fixed times come now. */
static bool made_up(const struct cron *c, const struct walk *w, struct found *found)
{
    if (w->jump <= 0 || w->jump > JUMP_MOST)
        return false;
    int64_t first = cron_match(c, w->high);
    if (first >= walk_local(w))
        return false;
    bool several = cron_match(c, first + 1) <= walk_local(w);
    *found = (struct found){w->from, several ? OCCURRENCE_MERGED : OCCURRENCE_MOVED};
    return true;
}

static enum occurrence_note note_at(const struct cron *c, const struct walk *w, int64_t local)
{
    if (c->local)
        return local < w->high ? OCCURRENCE_AGAIN : OCCURRENCE_PLAIN;
    if (local - w->offset + REACH < w->to)
        return OCCURRENCE_PLAIN;
    return w->to + zone_seconds_offset(w->zone, w->to) <= local ? OCCURRENCE_FIRST : OCCURRENCE_PLAIN;
}

/* The first time at or after `start`. */
static struct found search(const struct cron *c, const struct zone *z, int64_t start)
{
    int64_t last = start + LONGEST;
    struct walk w = {.zone = z};
    struct found found;
    walk_begin(&w, start);
    for (;;) {
        while (w.to <= start)
            walk_on(&w);
        if (w.from >= start && !c->local && made_up(c, &w, &found))
            return found;
        int64_t begin = w.from > start ? w.from : start;
        int64_t low = begin + w.offset;
        int64_t local = cron_match(c, !c->local && w.high > low ? w.high : low);
        if (local == CRON_NEVER || local > last)
            return (struct found){.at = CRON_NEVER};
        if (local - w.offset < w.to)
            return (struct found){local - w.offset, note_at(c, &w, local)};
        /* Nothing is named before `local`; near the change, what was before `begin` may come again. */
        if (begin + REACH < w.to && local - OFFSET_MOST - REACH > w.to) {
            start = local - OFFSET_MOST;
            walk_begin(&w, start);
        } else {
            walk_on(&w);
        }
    }
}

int64_t cron_next_seconds(const struct cron *c, const struct zone *z, int64_t after)
{
    if (after < -FARTHEST || after >= FARTHEST)
        return CRON_NEVER;
    return search(c, z, after + 1).at;
}

struct occurrence cron_next(const struct cron *c, const struct zone *z, instant after)
{
    struct occurrence none = {.at = INSTANT_NEVER};
    if (after == INSTANT_NEVER)
        return none;
    struct found found = search(c, z, after / SECOND - (after % SECOND < 0) + 1);
    if (found.at > INT64_MAX / SECOND)
        return none;
    return (struct occurrence){found.at * SECOND, found.note};
}

/* ---- a warning of gaps ---- */

enum { HOURS_ALL = 0xffffff, LOOK_AHEAD = 5 * 366 * 86400 };

static void gap_say(struct buf *b, int64_t from, int64_t to, bool made_up_later)
{
    struct civil f = civil_from_seconds(from), t = civil_from_seconds(to);
    buf_format(b, "the clock goes from %04d-%02d-%02d %02d:%02d to ", f.year, f.month, f.day, f.hour, f.minute);
    if (f.day != t.day)
        buf_format(b, "%04d-%02d-%02d ", t.year, t.month, t.day);
    buf_format(b, "%02d:%02d: what it skips ", t.hour, t.minute);
    buf_text(b, made_up_later ? "comes once, right after" : "does not come that day");
}

bool cron_gap_warning(const struct cron *c, const struct zone *z, instant from, struct buf *b)
{
    int64_t start = from / SECOND;
    if (c->local && c->hours == HOURS_ALL)
        return false;
    for (int64_t t = zone_seconds_change(z, start); t < start + LOOK_AHEAD; t = zone_seconds_change(z, t)) {
        int64_t before = t + zone_seconds_offset(z, t - 1), after = t + zone_seconds_offset(z, t);
        if (after > before && cron_match(c, before) < after) {
            gap_say(b, before, after, !c->local && after - before <= JUMP_MOST);
            return true;
        }
    }
    return false;
}
