/* An instant ends with the year 2261, cron's calendar does not: from there on its times are whole seconds, up to the
 * year 9999. */
#include <stdio.h>
#include <string.h>

#include "cmd/next.h"
#include "cmd/view.h"

#define LAST INT64_C(253402300799) /* the end of the year 9999, UTC */
#define CYCLE_YEARS 400 /* after which dates fall on the same weekdays */
#define CYCLE_SECONDS (INT64_C(146097) * 86400)

bool next_far_from(const char *text, int64_t *seconds)
{
    char moved[64];
    instant t;
    int year = 0;
    size_t length = strlen(text), date = sizeof "2399-01-01" - 1;
    if (strspn(text, "0123456789") != 4 || text[4] != '-' || length <= date || length >= sizeof moved)
        return false;
    if (!strpbrk(text + date, "Zz+-")) /* without an offset it hangs on rules that nobody knows yet */
        return false;
    snprintf(moved, sizeof moved, "%s", text);
    for (int i = 0; i < 4; i++)
        year = 10 * year + (text[i] - '0');
    int cycles = (year - 1862) / CYCLE_YEARS;
    if (cycles < 1)
        return false;
    year -= cycles * CYCLE_YEARS;
    for (int i = 3; i >= 0; i--, year /= 10)
        moved[i] = (char)('0' + year % 10);
    if (instant_parse_iso(moved, NULL, &t, NULL) < 0)
        return false;
    *seconds = (t - (t % SECOND + SECOND) % SECOND) / SECOND + cycles * CYCLE_SECONDS;
    return true;
}

bool next_far_possible(const struct next *n, const struct schedule *s)
{
    bool bounded = s->not_before != INSTANT_NONE || s->not_after != INSTANT_NONE || n->until != INSTANT_NEVER;
    return s->kind == SCHEDULE_CRON && !s->except_count && !s->offset && !bounded;
}

/* ---- lines ---- */

static void far_civil(struct buf *b, int64_t seconds, char between)
{
    struct civil c = civil_from_seconds(seconds);
    buf_format(b, "%04d-%02d-%02d%c%02d:%02d:%02d", c.year, c.month, c.day, between, c.hour, c.minute, c.second);
}

static void far_utc(struct buf *b, int64_t t)
{
    far_civil(b, t, 'T');
    buf_char(b, 'Z');
}

static void far_local(struct buf *b, const struct zone *z, int64_t t, bool iso)
{
    int32_t offset = zone_seconds_offset(z, t);
    int minutes = (offset < 0 ? -offset : offset) / 60;
    far_civil(b, t + offset, iso ? 'T' : ' ');
    buf_format(b, "%s%c%02d:%02d", iso ? "" : " ", offset < 0 ? '-' : '+', minutes / 60, minutes % 60);
}

/* A year is 365.2425 days here, as it is over 400 of them. */
static void far_distance(struct buf *b, int64_t seconds)
{
    if (seconds <= INT64_MAX / SECOND)
        duration_distance(b, seconds * SECOND);
    else
        buf_format(b, "in %lld years", (long long)(seconds / (CYCLE_SECONDS / CYCLE_YEARS)));
}

static void far_print(struct buf *b, const struct next *n, int64_t t)
{
    struct buf utc = {0}, local = {0};
    far_utc(&utc, t);
    far_local(&local, n->zone, t, n->json);
    if (n->json) {
        struct value m = value_map();
        if (n->job.number)
            next_put_job(&m, &n->job);
        value_put(&m, "due", value_text(buf_string(&utc)));
        value_put(&m, "due_ns", (struct value){0}); /* more than 64 bits hold */
        value_put(&m, "local", value_text(buf_string(&local)));
        value_put(&m, "note", (struct value){0});
        view_line(b, &m);
    } else {
        buf_format(b, "%s  %s  ", buf_string(&local), buf_string(&utc));
        far_distance(b, t - (n->far ? n->far : n->from / SECOND));
        buf_char(b, '\n');
    }
    buf_clear(&utc);
    buf_clear(&local);
}

static int64_t far_next(const struct schedule *s, int64_t after)
{
    int64_t first = INT64_MAX;
    for (size_t i = 0; i < s->cron_count; i++) {
        int64_t t = cron_next_seconds(&s->crons[i], s->zone, after);
        first = t < first ? t : first;
    }
    return first > LAST ? INT64_MAX : first;
}

int next_far(struct buf *b, const struct next *n, const struct schedule *s, int64_t after, int most)
{
    int count = 0;
    while (count < most && (after = far_next(s, after)) != INT64_MAX) {
        far_print(b, n, after);
        count++;
    }
    return count;
}
