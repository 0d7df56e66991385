#include "cmd/changes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/reckon.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"
#include "spool/fields.h"

/* One row for each enum change_kind. */
static const struct {
    char sign;
    const char *colour;
    const char *json;
    const char *would, *did; /* in the sum; NULL: not counted among what is done */
} kinds[] = {
    [CHANGE_CREATE] = {'+', "\033[32m", "create", "to add", "added"},
    [CHANGE_UPDATE] = {'~', "\033[33m", "update", "to change", "changed"},
    [CHANGE_REVIVE] = {'+', "\033[32m", "revive", "to come back", "came back"},
    [CHANGE_REMOVE] = {'-', "\033[31m", "remove", "to remove", "removed"},
    [CHANGE_UNNAMED] = {'?', "\033[2m", "unnamed", NULL, NULL},
    [CHANGE_SAME] = {' ', "", "unchanged", NULL, NULL},
    [CHANGE_CONFLICT] = {'!', "\033[31m", "conflict", NULL, NULL},
    [CHANGE_QUEUE] = {'~', "\033[33m", "queue", NULL, NULL},
};
enum { KINDS = sizeof kinds / sizeof *kinds };

void changes_view_init(struct changes_view *c, const struct view *v, const struct changes *changes)
{
    *c = (struct changes_view){.view = v, .changes = changes, .dues = mem_zero(changes->count + 1, sizeof(instant))};
    for (size_t i = 0; i < changes->count; i++)
        c->dues[i] = INSTANT_NONE;
}

void changes_view_clear(struct changes_view *c)
{
    free(c->dues);
    *c = (struct changes_view){0};
}

bool changes_moves(const struct change *c)
{
    return c->kind == CHANGE_CREATE || c->kind == CHANGE_REVIVE || (c->kind == CHANGE_UPDATE && c->reschedules);
}

size_t changes_count(const struct changes *c)
{
    return c->of[CHANGE_CREATE] + c->of[CHANGE_UPDATE] + c->of[CHANGE_REVIVE] + c->of[CHANGE_REMOVE] + c->of[CHANGE_QUEUE];
}

/* What cannot be reckoned (a zone that is gone) is told by who applies it. */
void changes_reckon(struct changes_view *c, instant now)
{
    struct zones zones;
    if (zones_init(&zones, getenv("TZ"), NULL) < 0)
        return;
    for (size_t i = 0; i < c->changes->count; i++)
        if (changes_moves(&c->changes->items[i]))
            reckon_due(&c->changes->items[i].new->job, &zones, now, &c->dues[i], NULL);
    zones_clear(&zones);
}

int changes_due(struct changes_view *c, struct store *s, struct error *e)
{
    for (size_t i = 0; i < c->changes->count; i++) {
        struct job_state state;
        if (!changes_moves(&c->changes->items[i]))
            continue;
        int code = store_state(s, c->changes->items[i].number, &state, e);
        if (code < 0)
            return code;
        c->dues[i] = state.phase == PHASE_RUNNING ? state.next : state.due;
    }
    return 0;
}

/* ---- for people ---- */

static const struct job *definition(const struct change *c)
{
    return c->new ? &c->new->job : &c->old;
}

static void add_due(struct buf *b, const struct changes_view *c, size_t i)
{
    const struct job *j = definition(&c->changes->items[i]);
    instant due = c->dues[i];
    if (due != INSTANT_NONE && (due != INSTANT_NEVER || !view_without_due(j))) {
        buf_text(b, ", due ");
        view_moment(b, c->view, due);
    }
    buf_text(b, ", ");
    view_kind(b, j, due == INSTANT_NEVER || due == INSTANT_NONE);
}

static void add_owner(struct buf *b, const struct change *c)
{
    if (c->old.source)
        buf_format(b, "belongs to source %s", c->old.source);
    else
        buf_text(b, "was added by hand, and belongs to no file");
}

static void add_words(struct buf *b, const struct changes_view *c, size_t i)
{
    const struct change *change = &c->changes->items[i];
    switch (change->kind) {
    case CHANGE_CREATE:
        buf_text(b, "new");
        break;
    case CHANGE_UPDATE:
        buf_text(b, "changed");
        break;
    case CHANGE_REVIVE:
        buf_text(b, c->done ? "had been cancelled, came back" : "was cancelled, comes back");
        break;
    case CHANGE_REMOVE:
        buf_format(b, "removed: source %s names it no more", change->old.source);
        break;
    case CHANGE_UNNAMED:
        buf_format(b, "source %s names it no more; --prune removes it", change->old.source);
        break;
    case CHANGE_CONFLICT:
        add_owner(b, change);
        break;
    case CHANGE_SAME:
    case CHANGE_QUEUE:
        break;
    }
    if (changes_moves(change))
        add_due(b, c, i);
}

static void add_limit(struct buf *b, uint32_t limit)
{
    buf_format(b, limit ? "%" PRIu32 : "none", limit);
}

/* A change of the job itself. */
static void add_head(struct buf *b, const struct changes_view *c, size_t i)
{
    const struct change *change = &c->changes->items[i];
    struct buf line = {0};
    if (change->kind == CHANGE_QUEUE) {
        buf_format(&line, "queue %s: limit ", change->queue);
        add_limit(&line, change->limit_before);
        buf_text(&line, " -> ");
        add_limit(&line, change->limit);
    } else {
        const char *name = definition(change)->name;
        buf_text(&line, name ? name : "");
        if (change->number)
            buf_format(&line, name ? " (job %" PRIu64 ")" : "job %" PRIu64, change->number);
        buf_text(&line, ": ");
        add_words(&line, c, i);
    }
    buf_text(b, c->view->colour ? kinds[change->kind].colour : "");
    buf_format(b, "%c ", kinds[change->kind].sign);
    visible_add(b, line.data, line.length, false);
    buf_text(b, c->view->colour ? "\033[0m\n" : "\n");
    buf_clear(&line);
}

void changes_text(struct buf *b, const struct changes_view *c)
{
    for (size_t i = 0; i < c->changes->count; i++) {
        const struct change *change = &c->changes->items[i];
        if (change->kind == CHANGE_SAME)
            continue;
        add_head(b, c, i);
        if (change->kind == CHANGE_UPDATE || change->kind == CHANGE_REVIVE)
            changes_fields(b, &change->old, &change->new->job, &change->fields, c->view->colour);
    }
}

static void add_part(struct buf *b, size_t *parts, size_t count, const char *words)
{
    if (count)
        buf_format(b, "%s%zu %s", (*parts)++ ? ", " : "", count, words);
}

void changes_sum(struct buf *b, const struct changes_view *c)
{
    const size_t *of = c->changes->of;
    size_t parts = 0;
    if (!changes_count(c->changes) && !of[CHANGE_CONFLICT])
        buf_text(b, c->done ? "nothing changed: " : "no change: ");
    for (size_t k = 0; k < KINDS; k++)
        add_part(b, &parts, kinds[k].would ? of[k] : 0, c->done ? kinds[k].did : kinds[k].would);
    add_part(b, &parts, of[CHANGE_QUEUE], of[CHANGE_QUEUE] == 1 ? "limit of a queue" : "limits of queues");
    add_part(b, &parts, of[CHANGE_CONFLICT], of[CHANGE_CONFLICT] == 1 ? "conflict" : "conflicts");
    add_part(b, &parts, of[CHANGE_UNNAMED], "named no more");
    add_part(b, &parts, of[CHANGE_SAME], "unchanged");
    if (!parts)
        buf_text(b, "there are no jobs in it");
    buf_char(b, '\n');
}

/* ---- for machines ---- */

static struct value json_fields(const struct change *c)
{
    struct value all = value_map();
    for (size_t i = 0; i < c->fields.count; i++) {
        const struct field *f = field_find(c->fields.items[i]);
        struct value pair = value_map();
        value_put(&pair, "old", field_get(&c->old, f, FIELD_PRINT));
        value_put(&pair, "new", field_get(&c->new->job, f, FIELD_PRINT));
        value_put(&all, f->name, pair);
    }
    return all;
}

static struct value number_or_null(uint64_t n)
{
    return n ? value_int((int64_t)n) : (struct value){0};
}

static void json_queue(struct value *m, const struct change *c)
{
    value_put(m, "queue", value_text(c->queue));
    value_put(m, "limit_before", number_or_null(c->limit_before));
    value_put(m, "limit", number_or_null(c->limit));
}

static void json_job(struct value *m, const struct change *c, instant due)
{
    const struct job *j = definition(c);
    value_put(m, "job", number_or_null(c->number));
    value_put(m, "name", value_text(j->name));
    value_put(m, "source", value_text(c->file ? c->file->source : j->source));
    value_put(m, "file", value_text(c->file ? c->file->file : j->file));
    value_put(m, "line", c->new && c->new->line ? value_int(c->new->line) : (struct value){0});
    value_put(m, "fields", json_fields(c));
    value_put(m, "rescheduled", value_bool(changes_moves(c)));
    view_put_time(m, "due", due);
    value_put(m, "owner", value_text(c->kind == CHANGE_CONFLICT ? c->old.source : NULL));
}

void changes_json(struct buf *b, const struct changes_view *c)
{
    for (size_t i = 0; i < c->changes->count; i++) {
        const struct change *change = &c->changes->items[i];
        struct value m = value_map();
        value_put(&m, "change", value_text(kinds[change->kind].json));
        if (change->kind == CHANGE_QUEUE)
            json_queue(&m, change);
        else
            json_job(&m, change, c->dues[i]);
        value_put(&m, "applied", value_bool(c->done));
        view_line(b, &m);
    }
}
