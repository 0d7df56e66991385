#include "cmd/view.h"

#include <string.h>

#include "spool/fields.h"

static const struct table_column jobs_columns[] = {
    {.title = "JOB", .right = true},
    {.title = "NAME", .stretch = true, .least = 12},
    {.title = "STATE"},
    {.title = "DUE", .drop = 2},
    {.title = "FROM NOW"},
    {.title = "SCHEDULE", .stretch = true, .drop = 4},
    {.title = "LAST", .drop = 3},
    {.title = "COMMAND", .stretch = true, .least = 10, .drop = 1},
};

struct table *view_jobs_new(void)
{
    return table_new(jobs_columns, sizeof jobs_columns / sizeof *jobs_columns);
}

const char *const view_states[] = {"running", "queued", "retrying", "waiting", "paused", "failed", "done", "cancelled", NULL};

int view_state(const char *phase)
{
    int i = 0;
    while (view_states[i] && strcmp(view_states[i], phase) != 0)
        i++;
    return i;
}

static enum table_colour phase_colour(const char *phase)
{
    static const struct {
        const char *phase;
        enum table_colour colour;
    } colours[] = {
        {"running", TABLE_BLUE}, {"queued", TABLE_BLUE}, {"retrying", TABLE_YELLOW}, {"paused", TABLE_YELLOW}, {"cancelled", TABLE_YELLOW}, {"failed", TABLE_RED}, {"done", TABLE_GREEN},
    };
    for (size_t i = 0; i < sizeof colours / sizeof *colours; i++)
        if (strcmp(colours[i].phase, phase) == 0)
            return colours[i].colour;
    return TABLE_PLAIN;
}

instant view_next(const struct job_state *s)
{
    return s->phase == PHASE_RETRYING ? s->ready : s->due;
}

static void jobs_add_clock(struct table *t, const struct view *v, const struct job *j, const struct job_state *s)
{
    struct buf b = {0};
    const char *words = view_next(s) == INSTANT_NEVER ? view_without_due(j) : NULL;
    if (words)
        buf_text(&b, job_over(s) ? "-" : words);
    else if (view_brief(v))
        view_clock(&b, v, view_next(s));
    else
        view_time(&b, v, view_next(s));
    table_cell(t, TABLE_PLAIN, buf_string(&b));
    buf_clear(&b);
}

static void jobs_add_distance(struct table *t, const struct view *v, const struct job_state *s)
{
    struct buf b = {0};
    if (view_next(s) != INSTANT_NEVER)
        view_distance(&b, v, view_next(s));
    if (s->phase == PHASE_RUNNING && !view_brief(v) && view_after(s) != INSTANT_NEVER && (s->replaced || s->next > v->now)) {
        buf_text(&b, ", then ");
        view_distance(&b, v, s->next);
    }
    table_cell(t, TABLE_DIM, buf_string(&b));
    buf_clear(&b);
}

static void jobs_add_last(struct table *t, const struct view *v, const struct job_state *s)
{
    if (s->last_outcome == OUTCOME_NONE)
        table_cell(t, TABLE_PLAIN, "");
    else if (s->last_outcome == OUTCOME_FAILED)
        table_cellf(t, TABLE_RED, view_brief(v) ? "exit %d" : "failed, exit %d", s->last_code);
    else
        table_cell(t, view_outcome_colour(s->last_outcome), outcome_name(s->last_outcome));
}

void view_jobs_add(struct table *t, const struct view *v, const struct job *j, const struct job_state *s)
{
    const char *phase = phase_name(s, v->now);
    table_cellf(t, TABLE_PLAIN, "%llu", (unsigned long long)j->number);
    table_cell(t, TABLE_BOLD, j->name ? j->name : "");
    table_cell(t, phase_colour(phase), phase);
    jobs_add_clock(t, v, j, s);
    jobs_add_distance(t, v, s);
    struct buf b = {0};
    view_schedule(&b, j, false);
    table_cell(t, TABLE_PLAIN, buf_string(&b));
    jobs_add_last(t, v, s);
    buf_reset(&b);
    view_words(&b, j);
    table_cell(t, TABLE_PLAIN, buf_string(&b));
    buf_clear(&b);
}

instant view_after(const struct job_state *s)
{
    bool pending = s->phase == PHASE_WAITING || s->phase == PHASE_RETRYING || s->phase == PHASE_RUNNING;
    return pending && s->next != INSTANT_NONE ? s->next : INSTANT_NEVER;
}

uint32_t view_attempts(const struct job_state *s)
{
    return s->attempt + (s->phase == PHASE_RUNNING);
}

static struct value text_or_null(const char *text)
{
    return text ? value_text(text) : (struct value){0};
}

/* Of a run that ax has ended, or that nobody saw end, the code says nothing of the command: history has what there was. */
static void put_last_code(struct value *map, const struct job_state *s)
{
    bool exited = s->last_outcome == OUTCOME_OK || s->last_outcome == OUTCOME_FAILED, killed = s->last_outcome == OUTCOME_KILLED;
    value_put(map, "last_exit_code", exited ? value_int(s->last_code) : (struct value){0});
    value_put(map, "last_signal", killed ? value_int(s->last_code) : (struct value){0});
}

static struct value schedule_or_null(const struct job *j)
{
    struct buf b = {0};
    if (job_repeats(j))
        view_schedule(&b, j, true);
    struct value v = b.length ? value_text(buf_string(&b)) : (struct value){0};
    buf_clear(&b);
    return v;
}

struct value view_job(const struct job *j, const struct job_state *s, instant now)
{
    struct value m = value_map();
    bool ended = s->last_outcome != OUTCOME_NONE;
    value_put(&m, "job", value_int((int64_t)j->number));
    value_put(&m, "name", text_or_null(j->name));
    value_put(&m, "state", value_text(phase_name(s, now)));
    value_put(&m, "source", text_or_null(j->source));
    view_put_time(&m, "due", s->due);
    view_put_time(&m, "ready", s->ready);
    view_put_time(&m, "next", view_after(s));
    value_put(&m, "replaced", value_bool(s->replaced));
    value_put(&m, "kind", value_text(view_schedule_kind(j)));
    value_put(&m, "schedule", schedule_or_null(j));
    value_put(&m, "every", field_get(j, field_find("every"), FIELD_PRINT));
    value_put(&m, "command", field_get(j, field_find("command"), FIELD_PRINT));
    value_put(&m, "tags", field_get(j, field_find("tags"), FIELD_PRINT));
    value_put(&m, "queue", value_text(j->queue ? j->queue : "default"));
    value_put(&m, "priority", value_int(j->priority));
    value_put(&m, "weight", value_int(j->weight));
    value_put(&m, "attempts", value_int(view_attempts(s)));
    value_put(&m, "retries", value_int(j->retries));
    value_put(&m, "runs", value_int(s->runs));
    value_put(&m, "last_outcome", ended ? value_text(outcome_name(s->last_outcome)) : (struct value){0});
    put_last_code(&m, s);
    view_put_time(&m, "last_ended", s->last_ended);
    view_put_time(&m, "added", j->added);
    return m;
}
