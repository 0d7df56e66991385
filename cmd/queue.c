#include "cmd/commands.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/suggest.h"

struct queue_options {
    struct common common;
    int limit; /* -1: not given */
    bool json;
};
static const struct option_row queue_options[] = {
    {.letter = 'l', .word = "limit", .kind = OPTION_INT, .offset = offsetof(struct queue_options, limit), .placeholder = "N", .help = "so much weight may run at once; 0: no limit of its own", .minimum = 0, .maximum = 1000000},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct queue_options, json), .help = "one JSON object a line (ls)"},
    COMMAND_OPTIONS,
    {0},
};

/* ---- ls ---- */

struct queue_list {
    struct queue *items;
    size_t count, capacity;
    uint64_t *used; /* weight of the open runs, one for each item */
};

static bool queue_list_add(void *context, const struct queue *q)
{
    struct queue_list *l = context;
    MEM_GROW(l->items, l->capacity, l->count + 1);
    l->items[l->count++] = *q;
    return true;
}

static bool queue_list_count(void *context, const struct run *r)
{
    struct queue_list *l = context;
    for (size_t i = 0; i < l->count; i++)
        if (l->items[i].id == r->queue && !run_is_foreground(r))
            l->used[i] += r->weight;
    return true;
}

struct lanes {
    struct queue_list *list;
    bool *waits; /* one for each item */
};

static bool lane_add(void *context, struct lane_id lane)
{
    struct lanes *w = context;
    for (size_t i = 0; i < w->list->count; i++)
        w->waits[i] = w->waits[i] || w->list->items[i].id == lane.queue;
    return true;
}

/* A queue without a limit is there as long as something of it runs or waits; the default one always. */
static int queue_list_tidy(struct store *s, struct queue_list *l, struct error *e)
{
    struct lanes w = {l, mem_zero(l->count, sizeof *w.waits)};
    size_t kept = 0;
    int code = store_each_lane(s, lane_add, &w, e);
    for (size_t i = 0; i < l->count; i++) {
        if (l->items[i].id != 1 && !l->items[i].limit && !l->used[i] && !w.waits[i])
            continue;
        l->items[kept] = l->items[i];
        l->used[kept++] = l->used[i];
    }
    l->count = kept;
    free(w.waits);
    return code;
}

static int queue_list_read(struct store *s, struct queue_list *l, struct error *e)
{
    int code = store_begin(s, false, e);
    if (code < 0)
        return code;
    code = store_each_queue(s, queue_list_add, l, e);
    l->used = mem_zero(l->count, sizeof *l->used);
    if (code == 0)
        code = store_each_open(s, queue_list_count, l, e);
    if (code == 0)
        code = queue_list_tidy(s, l, e);
    store_abort(s);
    return code;
}

static void queue_list_json(struct buf *b, const struct queue_list *l)
{
    for (size_t i = 0; i < l->count; i++) {
        struct value m = value_map();
        value_put(&m, "name", value_text(l->items[i].name));
        value_put(&m, "limit", l->items[i].limit ? value_int(l->items[i].limit) : (struct value){0});
        value_put(&m, "running", value_int((int64_t)l->used[i]));
        view_line(b, &m);
    }
}

static void queue_list_people(struct buf *b, const struct queue_list *l, const struct view *v)
{
    static const struct table_column columns[] = {{.title = "QUEUE"}, {.title = "LIMIT", .right = true}, {.title = "RUNNING", .right = true}};
    struct table *t = table_new(columns, 3);
    for (size_t i = 0; i < l->count; i++) {
        table_cell(t, TABLE_BOLD, l->items[i].name);
        if (l->items[i].limit)
            table_cellf(t, TABLE_PLAIN, "%u", l->items[i].limit);
        else
            table_cell(t, TABLE_DIM, "none");
        table_cellf(t, TABLE_PLAIN, "%llu", (unsigned long long)l->used[i]);
    }
    table_write(b, t, v->width, v->colour);
    table_free(t);
}

static int queue_ls(const struct command *self, const struct queue_options *o, const char *name, struct error *e)
{
    (void)name;
    struct store *store;
    struct view v = {0};
    struct queue_list list = {0};
    struct buf b = {0};
    int code = view_init(&v, e);
    if (code == 0)
        code = client_open(&o->common, STORE_READ, &store, e);
    if (code == 0) {
        code = queue_list_read(store, &list, e);
        store_close(store);
    } else if (client_absent(e)) {
        code = 0;
    }
    if (code == 0 && o->json)
        queue_list_json(&b, &list);
    else if (code == 0 && list.count)
        queue_list_people(&b, &list, &v);
    command_print(self, &b);
    buf_clear(&b);
    free(list.items);
    free(list.used);
    view_clear(&v);
    return code;
}

/* ---- set, rm ---- */

static int queue_change(const struct queue_options *o, const char *name, bool remove, struct error *e)
{
    struct store *store;
    char *what = mem_format("queue `%s`", name);
    int code = remove ? client_open_for(&o->common, STORE_WRITE, what, &store, e) : client_open(&o->common, STORE_WRITE, &store, e);
    free(what);
    if (code < 0)
        return code;
    code = store_begin(store, true, e);
    if (code == 0) {
        code = remove ? store_queue_remove(store, name, e) : store_queue_set(store, name, (uint32_t)o->limit, e);
        if (code == 0)
            code = store_commit(store, e);
        else
            store_abort(store);
    }
    store_close(store);
    return code;
}

static int queue_set(const struct command *self, const struct queue_options *o, const char *name, struct error *e)
{
    (void)self;
    if (o->limit < 0)
        return error_set(e, ERROR_USAGE, "the limit is missing: `ax queue set %s --limit N`", name);
    int code = job_name_check(name, e);
    return code < 0 ? error_field(e, "queue") : queue_change(o, name, false, e);
}

static int queue_rm(const struct command *self, const struct queue_options *o, const char *name, struct error *e)
{
    (void)self;
    return queue_change(o, name, true, e);
}

/* ---- the words ---- */

static const struct queue_word {
    const char *word, *alias;
    bool named; /* takes the name of a queue */
    int (*run)(const struct command *self, const struct queue_options *o, const char *name, struct error *e);
} queue_words[] = {
    {"set", "set", true, queue_set},
    {"ls", "list", false, queue_ls},
    {"rm", "remove", true, queue_rm},
};

static const struct queue_word *queue_word_find(const char *word)
{
    for (size_t i = 0; i < sizeof queue_words / sizeof *queue_words; i++)
        if (strcmp(queue_words[i].word, word) == 0 || strcmp(queue_words[i].alias, word) == 0)
            return &queue_words[i];
    return NULL;
}

static int queue_unknown(const struct command *self, const char *word)
{
    struct suggest near = {.word = word};
    for (size_t i = 0; i < sizeof queue_words / sizeof *queue_words; i++)
        suggest_offer(&near, queue_words[i].word);
    if (near.best)
        return command_usage_error(self, "there is no `ax queue %s`; did you mean `ax queue %s`?", word, near.best);
    return command_usage_error(self, "there is no `ax queue %s`; there are set, ls and rm", word);
}

static int queue_run(const struct command *self, int argc, char **argv)
{
    struct queue_options o = {.limit = -1};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    const char *word = first < argc ? argv[first] : "ls";
    const struct queue_word *w = queue_word_find(word);
    if (!w)
        return queue_unknown(self, word);
    int names = argc - first - 1;
    if (names > (w->named ? 1 : 0))
        return command_usage_error(self, "`%s` is one word too many%s", argv[argc - 1], strcmp(word, "set") == 0 ? ": `ax queue set NAME --limit N`" : "");
    if (w->named && names < 1)
        return command_usage_error(self, "the name of a queue is missing: `ax queue %s NAME`", w->word);
    if (w->run(self, &o, w->named ? argv[first + 1] : NULL, &e) < 0)
        exit_code = command_fail(self, &e);
    return exit_code;
}

const struct command command_queue = {
    .name = "queue",
    .summary = "list queues, and set their limits",
    .usage = "ls [--json]\nset NAME --limit N\nrm NAME",
    .about = "A queue is a group of jobs with a limit of its own: of those with --queue NAME\n"
             "only so many run at once. A job counts with its weight. `rm` gives the limit up;\n"
             "jobs in the queue go on without one.",
    .options = queue_options,
    .run = queue_run,
};
