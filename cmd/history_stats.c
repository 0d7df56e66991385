/* ax history --stats: the table of runs is read in order, so that the runs of one job at a time are held. */
#include <inttypes.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/history.h"
#include "cmd/stats.h"
#include "lib/base/mem.h"

enum { SLICE = 5000, /* rows read in one transaction */
       LINES = 500 }; /* printed together */

static const struct table_column stats_columns[] = {
    {.title = "JOB", .right = true},
    {.title = "NAME", .stretch = true, .least = 12, .drop = 1},
    {.title = "RUNS", .right = true},
    {.title = "OK", .right = true},
    {.title = "NOT RUN", .right = true, .drop = 8},
    {.title = "P50", .right = true},
    {.title = "P95", .right = true, .drop = 3},
    {.title = "P99", .right = true, .drop = 6},
    {.title = "MAX", .right = true, .drop = 4},
    {.title = "TREND", .right = true, .drop = 5},
    {.title = "LATEST", .drop = 7},
};

struct summary {
    const struct history_options *options;
    const struct view *view;
    struct table *table; /* NULL: JSON */
    struct buf out;
    uint64_t job; /* whose rows are being read; 0: none */
    char *name;
    struct stats stats;
    struct run_id next; /* where the next slice begins */
    int looked, lines, left;
    bool more;
};

/* ---- for people ---- */

static void cell_length(struct table *t, duration d)
{
    struct buf b = {0};
    if (d >= 0)
        view_length(&b, d);
    table_cell(t, TABLE_PLAIN, buf_string(&b));
    buf_clear(&b);
}

static void cell_success(struct table *t, const struct stats *s)
{
    double ok = stats_success(s);
    enum table_colour colour = ok >= 1 ? TABLE_GREEN : ok >= 0.9 ? TABLE_YELLOW : TABLE_RED;
    if (ok < 0)
        table_cell(t, TABLE_PLAIN, "-");
    else if (ok < 1 && ok > 0.999) /* not all is not 100 % */
        table_cell(t, colour, "99.9%");
    else
        table_cellf(t, colour, ok == 1 || ok == 0 ? "%.0f%%" : "%.1f%%", ok * 100);
}

static void cell_trend(struct table *t, double trend)
{
    if (trend < 0)
        table_cell(t, TABLE_PLAIN, "");
    else
        table_cellf(t, trend > 1.5 ? TABLE_YELLOW : TABLE_PLAIN, "%+.0f%%", trend * 100 - 100);
}

static void summary_row(struct summary *u)
{
    const struct stats *s = &u->stats;
    struct stats_durations d = stats_durations(s);
    struct buf spark = {0};
    const duration *recent;
    size_t count = stats_recent(s, &recent);
    stats_spark(&spark, recent, count, u->view->utf8);
    uint64_t not_run = s->of[OUTCOME_SKIPPED] + s->of[OUTCOME_MISSED];
    table_cellf(u->table, TABLE_PLAIN, "%" PRIu64, u->job);
    table_cell(u->table, TABLE_BOLD, u->name ? u->name : "");
    table_cellf(u->table, TABLE_PLAIN, "%" PRIu64, s->runs);
    cell_success(u->table, s);
    table_cellf(u->table, not_run ? TABLE_YELLOW : TABLE_PLAIN, "%" PRIu64, not_run);
    cell_length(u->table, d.p50);
    cell_length(u->table, d.p95);
    cell_length(u->table, d.p99);
    cell_length(u->table, d.max);
    cell_trend(u->table, d.trend);
    table_cell(u->table, TABLE_DIM, buf_string(&spark));
    buf_clear(&spark);
}

/* ---- for machines ---- */

static void put_known(struct value *map, const char *key, duration d)
{
    value_put(map, key, d >= 0 ? value_int(d) : (struct value){0});
}

static void summary_line(struct summary *u)
{
    const struct stats *s = &u->stats;
    struct stats_durations d = stats_durations(s);
    struct value m = value_map(), latest = value_list();
    value_put(&m, "job", value_int((int64_t)u->job));
    value_put(&m, "name", value_text(u->name));
    value_put(&m, "runs", value_int((int64_t)s->runs));
    for (enum outcome o = OUTCOME_OK; o <= OUTCOME_MISSED; o++)
        value_put(&m, outcome_name(o), value_int((int64_t)s->of[o]));
    value_put(&m, "success_rate", stats_success(s) >= 0 ? value_real(stats_success(s)) : (struct value){0});
    put_known(&m, "p50_ns", d.p50);
    put_known(&m, "p95_ns", d.p95);
    put_known(&m, "p99_ns", d.p99);
    put_known(&m, "max_ns", d.max);
    put_known(&m, "latest_p50_ns", d.recent);
    value_put(&m, "trend", d.trend >= 0 ? value_real(d.trend) : (struct value){0});
    const duration *recent;
    size_t count = stats_recent(s, &recent);
    for (size_t i = 0; i < count; i++)
        value_push(&latest, value_int(recent[i]));
    value_put(&m, "latest_ns", latest);
    view_line(&u->out, &m);
}

/* ---- reading ---- */

/* The job's rows are all read. */
static void summary_end(struct summary *u)
{
    if (u->job && u->left > 0) {
        if (u->table)
            summary_row(u);
        else
            summary_line(u);
        u->lines++;
        u->left--;
    }
    stats_clear(&u->stats);
    free(u->name);
    u->name = NULL;
    u->job = 0;
}

static void summary_add(struct summary *u, const struct run *r)
{
    if (r->id.job != u->job) {
        summary_end(u);
        u->job = r->id.job;
    }
    if (r->name && !(u->name && strcmp(u->name, r->name) == 0)) { /* the latest one counts */
        free(u->name);
        u->name = mem_string(r->name);
    }
    stats_add(&u->stats, r);
}

static bool summary_wants(const struct history_options *o, const struct run *r)
{
    return r->outcome != OUTCOME_NONE && r->ended >= o->rows.since && r->ended < o->rows.until && history_wants(o, r);
}

static bool summary_take(void *context, const struct run *r)
{
    struct summary *u = context;
    if (u->options->rows.number && r->id.job != u->options->rows.number)
        return false;
    if (summary_wants(u->options, r))
        summary_add(u, r);
    u->next = r->id;
    u->next.note++;
    u->more = ++u->looked == SLICE || u->lines == LINES;
    return !u->more && u->left > 0;
}

static int summary_slice(struct store *store, struct summary *u, struct error *e)
{
    u->looked = 0;
    u->more = false;
    int code = store_begin(store, false, e);
    if (code < 0)
        return code;
    code = store_each_row(store, u->next, summary_take, u, e);
    store_abort(store);
    return code;
}

static void summary_print(const struct command *self, struct summary *u)
{
    if (u->table && u->lines)
        table_write(&u->out, u->table, u->view->width, u->view->colour);
    command_print(self, &u->out);
    u->lines = 0;
}

int history_stats(const struct command *self, struct store *store, const struct history_options *o, const struct view *v, struct error *e)
{
    struct summary u = {.options = o, .view = v, .left = o->limit ? o->limit : INT_MAX, .next.job = o->rows.number};
    int code;
    u.table = o->json ? NULL : table_new(stats_columns, sizeof stats_columns / sizeof *stats_columns);
    do {
        code = summary_slice(store, &u, e);
        if (code == 0 && !u.more)
            summary_end(&u);
        if (code == 0)
            summary_print(self, &u);
    } while (code == 0 && u.more && u.left > 0);
    summary_end(&u);
    table_free(u.table);
    buf_clear(&u.out);
    return code;
}
