#include "cmd/chosen.h"

#include <stdlib.h>

#include "cmd/client.h"
#include "lib/base/mem.h"
#include "lib/text/utf8.h"

static int chosen_check(const struct choice *c, struct error *e)
{
    bool selects = c->selector && selector_given(c->selector);
    if (c->count && selects)
        return error_set(e, ERROR_USAGE, "jobs are named one by one, or chosen by options, not both");
    if (c->count || selects)
        return 0;
    const char *what = c->runs ? "job or run" : "job", *place = c->runs ? "JOB|RUN..." : "JOB...";
    return error_set(e, ERROR_USAGE, "no %s is named: `ax %s %s`%s", what, c->command->name, place,
        c->selector ? ", or --tag, --queue, --name, --source, --state, --all" : "");
}

/* ---- by what they have in common ---- */

/* A person is asked between two transactions: nobody waits for an answer inside of one. */
static int chosen_select(const struct choice *c, struct store_numbers *out, struct error *e)
{
    struct store *store;
    struct buf names = {0};
    int code = client_open_for(c->common, STORE_READ, "such job", &store, e);
    if (code < 0)
        return code;
    code = store_begin(store, false, e);
    if (code == 0)
        code = selector_find(store, c->selector, c->now, out, &names, e);
    store_abort(store);
    store_close(store);
    if (code == 0 && !out->count)
        code = error_set(e, ERROR_NOT_FOUND, "there is no such job");
    if (code == 0)
        code = selector_confirm(c->selector, out->count,
            &(struct selector_question){c->command, c->common, c->command->name, buf_string(&names)}, e);
    buf_clear(&names);
    return code;
}

static int chosen_selected(
    struct store *s, const struct store_numbers *numbers, chosen_call *call, void *context, struct error *e)
{
    size_t done = 0;
    int code = 0;
    for (size_t i = 0; i < numbers->count; i++) {
        code = call(context, s, &(struct chosen){.job = numbers->items[i]}, e);
        done += code == 0;
        if (code < 0 && code != -ERROR_FAILED && code != -ERROR_NOT_FOUND)
            return code;
    }
    return done ? 0 : code;
}

/* ---- one by one ---- */

static int chosen_find(const struct choice *c, struct store *s, const char *word, struct chosen *out, struct error *e)
{
    struct run_id id;
    struct run run;
    *out = (struct chosen){0};
    if (!c->runs || !run_id_parse(word, &id) || id.note)
        return store_find(s, word, &out->job, e);
    int code = store_run(s, id, &run, e);
    if (code < 0)
        return code;
    run_clear(&run);
    *out = (struct chosen){id.job, id.n};
    return 0;
}

/* One that is not there is said before anything else is. */
static int chosen_named(const struct choice *c, struct store *s, chosen_call *call, void *context, struct error *e)
{
    struct chosen *all = mem_zero((size_t)c->count, sizeof *all);
    int code = 0;
    for (int i = 0; i < c->count && code == 0; i++)
        code = chosen_find(c, s, c->words[i], &all[i], e);
    for (int i = 0; i < c->count && code == 0; i++)
        code = call(context, s, &all[i], e);
    free(all);
    return code;
}

static int chosen_open(const struct choice *c, struct store **out, struct error *e)
{
    enum store_use use = c->reads ? STORE_READ : STORE_WRITE;
    if (!c->count)
        return client_open_for(c->common, use, "such job", out, e);
    char *what = mem_format("job %s`%.*s`", c->runs ? "or run " : "", UTF8_WORD(c->words[0]));
    int code = client_open_for(c->common, use, what, out, e);
    free(what);
    return code;
}

int chosen_do(const struct choice *c, chosen_call *call, void *context, struct error *e)
{
    struct store *store;
    struct store_numbers numbers = {0};
    int code = chosen_check(c, e);
    if (code == 0 && !c->count)
        code = chosen_select(c, &numbers, e);
    if (code == 0)
        code = chosen_open(c, &store, e);
    if (code == 0) {
        code = store_begin(store, !c->reads, e);
        if (code == 0)
            code = c->count ? chosen_named(c, store, call, context, e)
                            : chosen_selected(store, &numbers, call, context, e);
        if (code == 0 && !c->reads)
            code = store_commit(store, e);
        else
            store_abort(store);
        store_close(store); /* wakes the scheduler */
    }
    free(numbers.items);
    return code;
}
