#include "cmd/stats.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"

void stats_clear(struct stats *s)
{
    free(s->took);
    *s = (struct stats){0};
}

/* One that was cancelled, or that nobody saw end, took no time that says anything of the command. */
static bool stats_timed(const struct run *r)
{
    bool whole = r->outcome == OUTCOME_OK || r->outcome == OUTCOME_FAILED || r->outcome == OUTCOME_KILLED || r->outcome == OUTCOME_TIMEOUT;
    return whole && r->started != INSTANT_NONE && r->ended != INSTANT_NONE;
}

void stats_add(struct stats *s, const struct run *r)
{
    s->of[r->outcome] += r->id.note ? r->count : 1;
    if (r->id.note)
        return;
    s->runs++;
    if (!stats_timed(r))
        return;
    MEM_GROW(s->took, s->capacity, s->count + 1);
    s->took[s->count++] = r->ended > r->started ? r->ended - r->started : 0;
}

double stats_success(const struct stats *s)
{
    static const enum outcome bad[] = {OUTCOME_FAILED, OUTCOME_KILLED, OUTCOME_TIMEOUT, OUTCOME_LOST, OUTCOME_UNSTARTABLE};
    uint64_t all = s->of[OUTCOME_OK];
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        all += s->of[bad[i]];
    return all ? (double)s->of[OUTCOME_OK] / (double)all : -1;
}

/* ---- durations ---- */

static int duration_compare(const void *a, const void *b)
{
    duration x = *(const duration *)a, y = *(const duration *)b;
    return (x > y) - (x < y);
}

/* Nearest rank. */
static duration percentile(const duration *sorted, size_t count, unsigned percent)
{
    return count ? sorted[(count * percent + 99) / 100 - 1] : -1;
}

static duration median(const duration *values, size_t count)
{
    if (!count)
        return -1;
    duration *sorted = mem_copy(values, count * sizeof *values);
    qsort(sorted, count, sizeof *sorted, duration_compare);
    duration m = percentile(sorted, count, 50);
    free(sorted);
    return m;
}

size_t stats_recent(const struct stats *s, const duration **out)
{
    size_t count = s->count < STATS_RECENT ? s->count : STATS_RECENT;
    *out = s->took ? s->took + s->count - count : NULL;
    return count;
}

struct stats_durations stats_durations(const struct stats *s)
{
    struct stats_durations d = {.p50 = -1, .p95 = -1, .p99 = -1, .max = -1, .recent = -1, .trend = -1};
    const duration *recent;
    size_t count = stats_recent(s, &recent), before = s->count - count;
    if (!count)
        return d;
    d.recent = median(recent, count);
    duration earlier = median(s->took, before);
    if (before >= STATS_BEFORE && earlier > 0)
        d.trend = (double)d.recent / (double)earlier;
    duration *sorted = mem_copy(s->took, s->count * sizeof *sorted);
    qsort(sorted, s->count, sizeof *sorted, duration_compare);
    d.p50 = percentile(sorted, s->count, 50);
    d.p95 = percentile(sorted, s->count, 95);
    d.p99 = percentile(sorted, s->count, 99);
    d.max = sorted[s->count - 1];
    free(sorted);
    return d;
}

void stats_spark(struct buf *b, const duration *values, size_t count, bool utf8)
{
    static const char *const blocks[] = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
    static const char *const plain[] = {"_", ".", ",", "-", "~", "=", "*", "#"};
    duration least = count ? values[0] : 0, most = least;
    for (size_t i = 0; i < count; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    bool level = most - least <= most / 10; /* the noise of a steady job is not news */
    for (size_t i = 0; i < count; i++) {
        int step = level ? 2 : (int)((double)(values[i] - least) * 7 / (double)(most - least) + 0.5);
        buf_text(b, utf8 ? blocks[step] : plain[step]);
    }
}
