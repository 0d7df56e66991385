#include "cmd/changes.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/client.h"
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
    [CHANGE_ADOPT] = {'~', "\033[33m", "adopt", "to adopt", "adopted"},
    [CHANGE_MOVE] = {'~', "\033[33m", "move", NULL, NULL},
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
    return c->kind == CHANGE_CREATE || c->kind == CHANGE_REVIVE || ((c->kind == CHANGE_UPDATE || c->kind == CHANGE_ADOPT) && c->reschedules);
}

size_t changes_count(const struct changes *c)
{
    size_t count = c->of[CHANGE_QUEUE]; /* not CHANGE_MOVE: an export is no change */
    for (size_t k = 0; k < KINDS; k++)
        count += kinds[k].did ? c->of[k] : 0;
    return count;
}

/* What cannot be reckoned (a zone that is gone) is told by who applies it. */
void changes_reckon(struct changes_view *c, const struct common *common, instant now)
{
    struct zones zones;
    if (client_zones(common, &zones, NULL) < 0)
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
        buf_text(b, "was added by hand, and belongs to no file; --adopt hands it to this one");
}

static void add_left(struct buf *b, const struct change *c)
{
    if (c->gone)
        buf_format(b, "its file %s is gone", c->old.file);
    else
        buf_format(b, "source %s names it no more", c->old.source);
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
    case CHANGE_ADOPT:
        buf_format(b, "added by hand, %s the file now", c->done ? "belongs to" : "would belong to");
        break;
    case CHANGE_REMOVE:
        buf_text(b, "removed: ");
        add_left(b, change);
        break;
    case CHANGE_UNNAMED:
        add_left(b, change);
        buf_text(b, "; --prune removes it");
        break;
    case CHANGE_CONFLICT:
        add_owner(b, change);
        break;
    case CHANGE_SAME:
    case CHANGE_QUEUE:
    case CHANGE_MOVE:
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

static bool same_place(const struct job *a, const struct job *b)
{
    return a->file && b->file && strcmp(a->file, b->file) == 0;
}

/* The jobs of one file, together: how many there are from i on. */
static size_t add_moved(struct buf *b, const struct changes_view *c, size_t i)
{
    const struct change *first = &c->changes->items[i];
    size_t count = 1;
    while (i + count < c->changes->count && c->changes->items[i + count].kind == CHANGE_MOVE &&
           c->changes->items[i + count].file == first->file && same_place(&c->changes->items[i + count].old, &first->old))
        count++;
    struct buf line = {0};
    buf_format(&line, "source %s, %zu job%s: the file lies elsewhere now\n", first->old.source, count, count == 1 ? "" : "s");
    buf_format(b, "%s%c ", c->view->colour ? kinds[CHANGE_MOVE].colour : "", kinds[CHANGE_MOVE].sign);
    visible_add(b, line.data, line.length - 1, false);
    buf_text(b, c->view->colour ? "\033[0m\n" : "\n");
    buf_clear(&line);
    changes_fields(b, &first->old, &first->new->job, &first->fields, c->view->colour);
    return count;
}

void changes_text(struct buf *b, const struct changes_view *c)
{
    for (size_t i = 0; i < c->changes->count; i++) {
        const struct change *change = &c->changes->items[i];
        if (change->kind == CHANGE_SAME)
            continue;
        if (change->kind == CHANGE_MOVE) {
            i += add_moved(b, c, i) - 1;
            continue;
        }
        add_head(b, c, i);
        if (change->kind == CHANGE_ADOPT && change->old.has_kept_env)
            buf_text(b, "    environment: what `ax add` had kept -> a small one\n");
        if (change->kind == CHANGE_UPDATE || change->kind == CHANGE_REVIVE || change->kind == CHANGE_ADOPT)
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
    if (!changes_count(c->changes) && !of[CHANGE_CONFLICT] && !(c->done && of[CHANGE_MOVE]))
        buf_text(b, c->done ? "nothing changed: " : "no change: ");
    for (size_t k = 0; k < KINDS; k++)
        add_part(b, &parts, kinds[k].would ? of[k] : 0, c->done ? kinds[k].did : kinds[k].would);
    add_part(b, &parts, of[CHANGE_QUEUE], of[CHANGE_QUEUE] == 1 ? "limit of a queue" : "limits of queues");
    add_part(b, &parts, of[CHANGE_MOVE], c->done ? "told the new place of their file" : "to be told the new place of their file");
    add_part(b, &parts, of[CHANGE_CONFLICT], of[CHANGE_CONFLICT] == 1 ? "conflict" : "conflicts");
    add_part(b, &parts, of[CHANGE_UNNAMED], "named no more");
    add_part(b, &parts, of[CHANGE_SAME], "unchanged");
    if (!parts)
        buf_text(b, "there are no jobs in it");
    buf_char(b, '\n');
}

/* ---- for machines ---- */

static struct value json_side(const struct job *j, const char *name)
{
    const struct field *f = field_find(name);
    return !j ? (struct value){0} : f ? field_get(j, f, FIELD_PRINT) : value_text(j->file);
}

/* NULL: there was no job, or there will be none. */
static void json_pair(struct value *all, const char *name, const struct job *old, const struct job *new)
{
    struct value pair = value_map();
    value_put(&pair, "old", json_side(old, name));
    value_put(&pair, "new", json_side(new, name));
    value_put(all, name, pair);
}

static void json_whole(struct value *all, const struct job *old, const struct job *new)
{
    for (const struct field *f = fields; f->name; f++)
        if (f->kind != FIELD_IN && !field_is_default(old ? old : new, f))
            json_pair(all, f->name, old, new);
}

/* What changes; of a new job and of one that goes all that is no default. */
static struct value json_fields(const struct change *c)
{
    struct value all = value_map();
    if (c->kind == CHANGE_CREATE)
        json_whole(&all, NULL, &c->new->job);
    else if (c->kind == CHANGE_REMOVE)
        json_whole(&all, &c->old, NULL);
    for (size_t i = 0; i < c->fields.count; i++)
        json_pair(&all, c->fields.items[i], &c->old, &c->new->job);
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
    value_put(m, "gone", value_bool(c->gone));
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
