#include "cmd/show_runs.h"

static bool runs_take(void *context, const struct run *r)
{
    struct show_runs *runs = context;
    run_copy(&runs->items[runs->count++], r);
    return runs->count < SHOW_RUNS_MAX;
}

int show_runs(struct store *store, uint64_t number, struct show_runs *out, struct error *e)
{
    struct show_runs runs = {.count = 0};
    int code = store_each_run(store, number, NULL, runs_take, &runs, e);
    if (code < 0)
        show_runs_clear(&runs);
    else
        *out = runs;
    return code;
}

void show_runs_clear(struct show_runs *r)
{
    for (int i = 0; i < r->count; i++)
        run_clear(&r->items[i]);
    r->count = 0;
}

/* Of a due time that got no run that time counts, else when the run began. */
void show_runs_line(struct buf *b, const struct view *v, const struct run *r)
{
    char id[RUN_ID_SIZE];
    run_id_format(r->id, id);
    if (!r->id.note)
        buf_format(b, "%s, ", id);
    view_result(b, r);
    if (r->count > 1)
        buf_format(b, " x %u", r->count);
    buf_text(b, r->started == INSTANT_NONE ? ", due " : ", ");
    view_moment(b, v, r->started == INSTANT_NONE ? r->due : r->started);
    if (r->started != INSTANT_NONE && r->ended != INSTANT_NONE) {
        buf_text(b, ", took ");
        view_length(b, instant_add(r->ended, -r->started));
    }
    if (r->attempt > 1)
        buf_format(b, ", attempt %u", r->attempt);
    if (r->reason)
        buf_format(b, ": %s", r->reason);
}

struct value show_runs_value(const struct show_runs *r)
{
    struct value list = value_list();
    for (int i = 0; i < r->count; i++)
        value_push(&list, view_run(&r->items[i]));
    return list;
}
