#include "cmd/view.h"
#include "lib/sys/signals.h"

#include <stdio.h>
#include <string.h>

static const struct table_column runs_columns[] = {
    {.title = "RUN", .right = true},
    {.title = "NAME", .stretch = true, .least = 12, .drop = 3},
    {.title = "TRY", .right = true, .drop = 6},
    {.title = "DUE"},
    {.title = "LATE", .right = true, .drop = 5},
    {.title = "TOOK", .right = true, .drop = 1},
    {.title = "OUTCOME"},
    {.title = "CPU", .right = true, .drop = 8},
    {.title = "MEMORY", .right = true, .drop = 9},
    {.title = "OUTPUT", .right = true, .drop = 7},
    {.title = "REASON", .stretch = true, .least = 10, .drop = 4},
};

struct table *view_runs_new(void)
{
    return table_new(runs_columns, sizeof runs_columns / sizeof *runs_columns);
}

static void runs_add_length(struct table *t, instant from, instant to)
{
    struct buf b = {0};
    if (from != INSTANT_NONE && to != INSTANT_NONE)
        view_length(&b, instant_add(to, -from));
    table_cell(t, TABLE_PLAIN, buf_string(&b));
    buf_clear(&b);
}

static void runs_add_output(struct table *t, const struct run *r)
{
    struct buf b = {0};
    if (r->output_bytes > 0)
        view_bytes(&b, r->output_bytes);
    table_cell(t, TABLE_PLAIN, buf_string(&b));
    buf_clear(&b);
}

/* What the kernel has counted for the command and all it waited for. */
static void runs_add_usage(struct table *t, const struct run *r)
{
    struct buf b = {0};
    if (r->cpu_user_ns >= 0 && r->cpu_system_ns >= 0)
        view_length(&b, r->cpu_user_ns + r->cpu_system_ns);
    table_cell(t, TABLE_PLAIN, buf_string(&b));
    buf_reset(&b);
    if (r->max_rss > 0)
        view_bytes(&b, r->max_rss);
    table_cell(t, TABLE_PLAIN, buf_string(&b));
    buf_clear(&b);
}

static void runs_add_outcome(struct table *t, const struct view *v, const struct run *r)
{
    struct buf b = {0};
    if (view_brief(v) && r->outcome == OUTCOME_FAILED && r->exit_code >= 0)
        buf_format(&b, "exit %d", r->exit_code);
    else
        view_result(&b, r);
    if (r->count > 1)
        buf_format(&b, " x %u", r->count);
    table_cell(t, view_outcome_colour(r->outcome), buf_string(&b));
    buf_clear(&b);
}

/* Of a row that stands for several due times: from the first to the last one. */
static void runs_add_due(struct table *t, const struct view *v, const struct run *r)
{
    struct buf b = {0};
    void (*write)(struct buf *, const struct view *, instant) = view_brief(v) ? view_clock : view_time;
    write(&b, v, r->due);
    if (r->count > 1 && r->last_due != INSTANT_NONE) {
        buf_text(&b, " to ");
        write(&b, v, r->last_due);
    }
    table_cell(t, TABLE_PLAIN, buf_string(&b));
    buf_clear(&b);
}

void view_runs_add(struct table *t, const struct view *v, const struct run *r)
{
    char id[RUN_ID_SIZE];
    run_id_format(r->id, id);
    if (r->id.note)
        snprintf(id, sizeof id, "%llu", (unsigned long long)r->id.job);
    table_cell(t, TABLE_PLAIN, id);
    table_cell(t, TABLE_BOLD, r->name ? r->name : "");
    if (r->id.note)
        table_cell(t, TABLE_PLAIN, "");
    else
        table_cellf(t, TABLE_PLAIN, "%u", r->attempt);
    runs_add_due(t, v, r);
    runs_add_length(t, r->due, r->started);
    runs_add_length(t, r->started, r->ended);
    runs_add_outcome(t, v, r);
    runs_add_usage(t, r);
    runs_add_output(t, r);
    const char *cause = r->cause == CAUSE_MANUAL ? "started by hand" : r->cause == CAUSE_REPLAY ? "replayed" : "";
    table_cellf(t, TABLE_DIM, "%s%s%s", cause, *cause && r->reason ? "; " : "", r->reason ? r->reason : "");
}

/* ---- for machines ---- */

void view_put_time(struct value *map, const char *key, instant t)
{
    bool known = t != INSTANT_NONE && t != INSTANT_NEVER;
    struct buf text = {0}, twin = {0};
    buf_format(&twin, "%s_ns", key);
    if (known)
        instant_format_utc(&text, t);
    value_put(map, key, known ? value_bytes(text.data, text.length) : (struct value){0});
    value_put(map, buf_string(&twin), known ? value_int(t) : (struct value){0});
    buf_clear(&text);
    buf_clear(&twin);
}

static void put_text(struct value *map, const char *key, const char *text)
{
    value_put(map, key, text ? value_text(text) : (struct value){0});
}

static void put_known(struct value *map, const char *key, int64_t number, int64_t unknown)
{
    value_put(map, key, number != unknown ? value_int(number) : (struct value){0});
}

static void put_signal(struct value *map, int number)
{
    const char *name = number ? signals_name(number) : NULL;
    struct buf b = {0};
    if (name)
        buf_format(&b, "SIG%s", name);
    put_known(map, "signal", number, 0);
    put_text(map, "signal_name", name ? buf_string(&b) : NULL);
    buf_clear(&b);
}

/* Only the names: what was said for one run may be a secret. */
static void put_set(struct value *map, const struct strvec *set)
{
    struct value names = value_list();
    for (size_t i = 0; i < set->count; i++)
        value_push(&names, value_bytes(set->items[i], strcspn(set->items[i], "=")));
    value_put(map, "set", names);
}

struct value view_run(const struct run *r)
{
    struct value m = value_map();
    char id[RUN_ID_SIZE];
    run_id_format(r->id, id);
    put_text(&m, "run", r->id.note ? NULL : id); /* a due time that got no run */
    value_put(&m, "job", value_int((int64_t)r->id.job));
    put_text(&m, "name", r->name);
    put_known(&m, "attempt", r->id.note ? 0 : r->attempt, 0);
    view_put_time(&m, "due", r->due);
    view_put_time(&m, "last_due", r->last_due);
    value_put(&m, "count", value_int(r->count));
    view_put_time(&m, "claimed", r->claimed);
    view_put_time(&m, "started", r->started);
    view_put_time(&m, "ended", r->ended);
    put_text(&m, "outcome", r->outcome == OUTCOME_NONE ? NULL : outcome_name(r->outcome));
    put_known(&m, "exit_code", r->exit_code, -1);
    put_signal(&m, r->signal);
    put_text(&m, "reason", r->reason);
    put_known(&m, "cpu_user_ns", r->cpu_user_ns, -1);
    put_known(&m, "cpu_system_ns", r->cpu_system_ns, -1);
    put_known(&m, "max_rss", r->max_rss, -1);
    put_known(&m, "output_bytes", r->output_bytes, -1);
    put_text(&m, "key", r->key);
    put_set(&m, &r->set);
    put_text(&m, "mail", run_mail_name(r->mail));
    put_text(&m, "cause", run_cause_name(r->cause));
    return m;
}
