#include "cmd/why.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/commands.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"
#include "lib/text/wrap.h"
#include "spool/reserve.h"
#include "spool/slots.h"

struct why_options {
    struct common common;
    bool json;
};
static const struct option_row why_options[] = {
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct why_options, json), .help = "one JSON object"},
    COMMAND_OPTIONS,
    {0},
};

void why_clear(struct why *w)
{
    job_clear(&w->job);
    served_clear(&w->served);
    for (size_t i = 0; i < w->place_count; i++)
        run_clear(&w->places[i].run);
    for (size_t i = 0; i < w->row_count; i++)
        run_clear(&w->rows[i]);
    *w = (struct why){0};
}

/* ---- reading ---- */

enum { LANES = 256 }; /* looked at, at most */

struct reading {
    struct why *w;
    struct store *store;
    const struct view *v;
    struct why_place *place; /* of which is counted what goes before it */
    struct lane_id lanes[LANES]; /* in order of queue and priority, higher ones first */
    size_t lane_count;
    struct queue_use {
        uint32_t id, limit, used;
        bool seen; /* its first is known */
    } queues[LANES];
    size_t queue_count;
    struct due head;
};

static void place_add(void *context, const struct due *d, bool there)
{
    struct why *w = ((struct reading *)context)->w;
    (void)there;
    if (d->number < EXTRA_FIRST)
        return;
    if (w->place_count == WHY_PLACES) {
        w->more++;
        return;
    }
    struct why_place *p = &w->places[w->place_count++];
    *p = (struct why_place){.number = d->number};
    run_init(&p->run);
}

static struct queue_use *queue_use(struct reading *g, uint32_t id)
{
    for (size_t i = 0; i < g->queue_count; i++)
        if (g->queues[i].id == id)
            return &g->queues[i];
    return NULL;
}

static bool open_take(void *context, const struct run *r)
{
    struct why *w = ((struct reading *)context)->w;
    if (run_is_foreground(r)) {
        w->foreground = r->id.job == w->job.number ? r->id.n : w->foreground;
        return true;
    }
    w->used += r->weight;
    w->queue_used += r->queue == w->queue.id ? r->weight : 0;
    struct queue_use *use = queue_use(context, r->queue);
    if (use)
        use->used += r->weight;
    for (size_t i = 0; i < w->place_count && r->id.job == w->job.number; i++)
        if (r->extra ? w->places[i].number == r->extra : i == 0)
            run_copy(&w->places[i].run, r);
    return true;
}

static bool queue_take(void *context, const struct queue *q)
{
    struct reading *g = context;
    if (q->id == g->w->places[0].state.queue)
        g->w->queue = *q;
    if (g->queue_count < LANES)
        g->queues[g->queue_count++] = (struct queue_use){.id = q->id, .limit = q->limit};
    return true;
}

static bool row_take(void *context, const struct run *r)
{
    struct why *w = ((struct reading *)context)->w;
    run_copy(&w->rows[w->row_count++], r);
    return w->row_count < WHY_ROWS;
}

static bool lane_take(void *context, struct lane_id lane)
{
    struct reading *g = context;
    g->lanes[g->lane_count++] = lane;
    return g->lane_count < LANES;
}

static bool ahead_count(void *context, const struct due *d)
{
    struct reading *g = context;
    const struct job_state *st = &g->place->state;
    if (d->ready > g->v->now)
        return false;
    if (d->lane.priority == st->priority && (d->ready > st->ready || (d->ready == st->ready && d->number >= g->place->number)))
        return false;
    return ++g->place->ahead < WHY_AHEAD;
}

static bool head_take(void *context, const struct due *d)
{
    ((struct reading *)context)->head = *d;
    return false;
}

static bool goes_before(const struct due *d, const struct why_place *p)
{
    if (d->lane.priority != p->state.priority)
        return d->lane.priority > p->state.priority;
    return d->ready != p->state.ready ? d->ready < p->state.ready : d->number < p->number;
}

/* The first of another queue. As the plan has it: what goes first and finds too few free slots keeps them. */
static int other_read(struct reading *g, struct lane_id lane, struct error *e)
{
    const struct why *w = g->w;
    struct queue_use *use = queue_use(g, lane.queue);
    g->head = (struct due){.ready = INSTANT_NEVER};
    if (!use || use->seen || !w->served.workers)
        return 0;
    int failed = store_each_due(g->store, lane, INSTANT_NONE, 0, head_take, g, e);
    if (failed || g->head.ready > g->v->now)
        return failed;
    use->seen = true;
    bool free = !use->limit || slots_fit(g->head.weight, use->used, use->limit);
    if (free && goes_before(&g->head, g->place) && !slots_fit(g->head.weight, (uint32_t)w->used, w->served.workers))
        g->place->kept = g->head;
    return 0;
}

/* What goes before the occurrence that could start now. */
static int place_read(struct reading *g, struct error *e)
{
    int failed = 0;
    for (size_t i = 0; i < g->queue_count; i++)
        g->queues[i].seen = false;
    for (size_t k = 0; !failed && k < g->lane_count; k++) {
        if (g->lanes[k].queue != g->w->queue.id)
            failed = other_read(g, g->lanes[k], e);
        else if (g->lanes[k].priority >= g->place->state.priority)
            failed = store_each_due(g->store, g->lanes[k], INSTANT_NONE, 0, ahead_count, g, e);
    }
    return failed;
}

static int places_read(struct reading *g, struct error *e)
{
    struct why *w = g->w;
    int failed = store_due_of(g->store, w->job.number, place_add, g, e);
    for (size_t i = 1; !failed && i < w->place_count; i++)
        failed = store_state(g->store, w->places[i].number, &w->places[i].state, e);
    if (!failed)
        failed = store_each_queue(g->store, queue_take, g, e);
    if (!failed)
        failed = store_each_open(g->store, open_take, g, e);
    if (!failed)
        failed = store_each_lane(g->store, lane_take, g, e);
    for (size_t i = 0; !failed && i < w->place_count; i++) {
        g->place = &w->places[i];
        bool waits = g->place->state.phase == PHASE_WAITING || g->place->state.phase == PHASE_RETRYING;
        if (waits && g->place->state.ready <= g->v->now)
            failed = place_read(g, e);
    }
    return failed;
}

static int why_read_job(struct reading *g, const char *reference, struct error *e)
{
    struct why *w = g->w;
    uint64_t number;
    struct run_id run;
    int failed = 0;
    if (run_id_parse(reference, &run)) /* of a run: its job's */
        number = run.job;
    else
        failed = store_find(g->store, reference, &number, e);
    if (!failed)
        failed = store_state(g->store, number, &w->places[0].state, e);
    if (!failed)
        failed = store_job(g->store, number, &w->job, e);
    if (failed)
        return failed;
    w->places[0].number = number;
    run_init(&w->places[0].run);
    w->place_count = 1;
    w->room = reserve_room(store_folder(g->store));
    failed = served_read(g->store, &w->served, e);
    if (!failed)
        failed = places_read(g, e);
    if (!failed)
        failed = store_each_run(g->store, number, NULL, row_take, g, e);
    return failed;
}

static int why_read(const struct why_options *o, const char *reference, const struct view *v, struct why *w, struct error *e)
{
    struct store *store;
    struct reading g = {.w = w, .v = v};
    int failed = client_open_job(&o->common, STORE_READ, reference, &store, e);
    if (failed)
        return failed;
    g.store = store;
    failed = store_begin(store, false, e);
    if (!failed) {
        failed = why_read_job(&g, reference, e);
        store_abort(store);
    }
    store_close(store);
    return failed;
}

/* ---- printing ---- */

static void print_line(struct buf *b, const struct view *v, const char *lead, struct buf *text)
{
    struct buf seen = {0};
    int indent = (int)strlen(lead);
    visible_add(&seen, text->data, text->length, false);
    buf_text(b, lead);
    wrap_add(b, (struct wrap){.column = indent, .indent = indent, .width = v->width}, buf_string(&seen), seen.length);
    buf_char(b, '\n');
    buf_clear(&seen);
    buf_reset(text);
}

/* What an extra occurrence is, in front of its reasons. */
static void place_text(struct buf *b, const struct why_place *p, const struct view *v)
{
    static const char *const causes[] = {[CAUSE_SCHEDULE] = "beside the next one (overlap: allow)", [CAUSE_MANUAL] = "started by hand", [CAUSE_REPLAY] = "replayed by hand"};
    buf_format(b, "the occurrence %s, due ", causes[p->state.cause]);
    view_time(b, v, p->state.due);
    buf_text(b, ": ");
}

static void row_text(struct buf *b, const struct why *w, const struct run *r, const struct view *v)
{
    char id[RUN_ID_SIZE];
    run_id_format(r->id, id);
    if (!r->id.note)
        buf_format(b, "%s, ", id);
    buf_text(b, "due ");
    view_moment(b, v, r->due);
    buf_text(b, ": ");
    view_result(b, r);
    if (r->count > 1)
        buf_format(b, " x %" PRIu32, r->count);
    buf_text(b, "; ");
    why_row(b, w, r);
    if (!r->id.note && r->reason)
        buf_format(b, "; %s", r->reason);
}

static void summary_text(struct buf *b, const struct why *w, const struct why_reasons *own, const struct view *v)
{
    const char *name = w->job.name;
    buf_format(b, "Job %" PRIu64 "%s%s is %s: %s.", w->job.number, name ? " " : "", name ? name : "", phase_name(&w->places[0].state, v->now), own->items[0].text);
    if (!w->row_count) {
        buf_text(b, w->places[0].state.runs ? "" : " It has had no run yet.");
        return;
    }
    buf_text(b, " Last: ");
    row_text(b, w, &w->rows[0], v);
    buf_char(b, '.');
}

/* What cost most nights: it works in the shell, and not here. */
static void print_hint(struct buf *b, const struct why *w, const struct view *v)
{
    const struct job_state *st = &w->places[0].state;
    struct buf text = {0};
    bool shell = st->last_outcome == OUTCOME_FAILED && (st->last_code == 126 || st->last_code == 127);
    if (!shell && st->last_outcome != OUTCOME_UNSTARTABLE)
        return;
    if (shell)
        buf_format(&text, "exit %d is what a shell says of a command that it %s; ", (int)st->last_code, st->last_code == 127 ? "does not find" : "may not run");
    buf_format(&text, "`ax exec --compare %" PRIu64 "` shows how its environment differs from yours, PATH first", w->job.number);
    print_line(b, v, "- ", &text);
    buf_clear(&text);
}

static void print_people(struct buf *b, const struct why *w, const struct why_reasons *all, const struct view *v)
{
    struct buf text = {0};
    summary_text(&text, w, &all[0], v);
    print_line(b, v, "", &text);
    for (size_t i = 0; i < w->place_count; i++)
        for (size_t k = 0; k < all[i].count; k++) {
            if (i)
                place_text(&text, &w->places[i], v);
            buf_text(&text, all[i].items[k].text);
            print_line(b, v, "- ", &text);
        }
    if (w->more)
        buf_format(b, "- and %" PRIu64 " more occurrences beside its own\n", w->more);
    print_hint(b, w, v);
    if (w->row_count)
        buf_text(b, "\nIts last occurrences, newest first:\n");
    for (size_t i = 0; i < w->row_count; i++) {
        row_text(&text, w, &w->rows[i], v);
        print_line(b, v, "- ", &text);
    }
    buf_clear(&text);
}

static struct value reasons_value(const struct why *w, const struct why_reasons *all)
{
    struct value list = value_list();
    for (size_t i = 0; i < w->place_count; i++)
        for (size_t k = 0; k < all[i].count; k++) {
            struct value m = value_map();
            value_put(&m, "reason", value_text(all[i].items[k].word));
            value_put(&m, "text", value_text(all[i].items[k].text));
            view_put_time(&m, "until", all[i].items[k].until);
            value_put(&m, "extra", value_bool(i > 0));
            view_put_time(&m, "due", w->places[i].state.due);
            value_push(&list, m);
        }
    return list;
}

static void print_json(struct buf *b, const struct why *w, const struct why_reasons *all, const struct view *v)
{
    struct value m = value_map(), rows = value_list();
    struct buf text = {0};
    summary_text(&text, w, &all[0], v);
    value_put(&m, "job", value_int((int64_t)w->job.number));
    value_put(&m, "name", value_text(w->job.name));
    value_put(&m, "state", value_text(phase_name(&w->places[0].state, v->now)));
    value_put(&m, "summary", value_text(buf_string(&text)));
    value_put(&m, "reasons", reasons_value(w, all));
    for (size_t i = 0; i < w->row_count; i++) {
        struct value row = view_run(&w->rows[i]);
        buf_reset(&text);
        why_row(&text, w, &w->rows[i]);
        value_put(&row, "why", value_text(buf_string(&text)));
        value_push(&rows, row);
    }
    value_put(&m, "last", rows);
    view_line(b, &m);
    buf_clear(&text);
}

static void why_print(const struct command *self, const struct why_options *o, const struct why *w, const struct view *v)
{
    struct why_reasons all[WHY_PLACES] = {{0}};
    struct buf b = {0};
    for (size_t i = 0; i < w->place_count; i++)
        why_reasons(w, &w->places[i], v, &all[i]);
    if (o->json)
        print_json(&b, w, all, v);
    else
        print_people(&b, w, all, v);
    for (size_t i = 0; i < w->place_count; i++)
        why_reasons_clear(&all[i]);
    command_print(self, &b);
    buf_clear(&b);
}

static int why_run(const struct command *self, int argc, char **argv)
{
    struct why_options o = {0};
    struct view v = {0};
    struct why w = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (argc - first != 1)
        return command_usage_error(self, "takes one job: its number or its name");
    if (view_init(&v, &e) < 0 || why_read(&o, argv[first], &v, &w, &e) < 0)
        exit_code = command_fail(self, &e);
    else
        why_print(self, &o, &w, &v);
    why_clear(&w);
    view_clear(&v);
    return exit_code;
}

const struct command command_why = {
    .name = "why",
    .summary = "tell why a job runs, waits, or does neither",
    .usage = "[--json] JOB",
    .about = "What it waits for (its time, a slot, its queue, an attempt, another occurrence,\n"
             "ax resume, a scheduler, room on the disk), and how the last ones came about.",
    .options = why_options,
    .run = why_run,
};
