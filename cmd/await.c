#include "cmd/await.h"

#include <stdlib.h>

#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"

/* ---- what is waited for ---- */

struct opening {
    struct awaited *awaited;
    uint64_t job;
};

static bool opening_add(void *context, const struct run *r)
{
    struct opening *o = context;
    struct awaited *a = o->awaited;
    if (r->id.job != o->job)
        return true;
    MEM_GROW(a->open, a->open_capacity, a->open_count + 1);
    a->open[a->open_count++] = r->id.n;
    return true;
}

static int awaited_job(struct store *s, uint64_t number, struct awaited *out, struct error *e)
{
    struct job job;
    struct job_state state;
    struct awaited found = {.id.job = number};
    struct opening opening = {&found, number};
    int code = store_job(s, number, &job, e);
    if (code < 0)
        return code;
    found.once = job_schedule_kind(&job) == SCHEDULE_AT;
    job_clear(&job);
    code = store_state(s, number, &state, e);
    if (code == 0 && !found.once)
        code = store_each_open(s, opening_add, &opening, e);
    found.after = code == 0 ? state.runs : 0;
    if (code == 0)
        *out = found;
    else
        awaited_clear(&found);
    return code;
}

int awaited_find(struct store *s, struct run_id id, struct awaited *out, struct error *e)
{
    if (!id.n)
        return awaited_job(s, id.job, out, e);
    *out = (struct awaited){.id = id};
    return 0;
}

void awaited_clear(struct awaited *a)
{
    free(a->open);
    *a = (struct awaited){0};
}

/* ---- looking ---- */

static void await_ended(const struct run *r, struct await *out)
{
    *out = (struct await){.outcome = r->outcome, .code = r->outcome == OUTCOME_KILLED ? r->signal : r->exit_code, .last = *r};
}

static int await_run(struct store *s, const struct awaited *a, bool *over, struct await *out, struct error *e)
{
    struct run run;
    int code = store_run(s, a->id, &run, e);
    if (code == -ERROR_NOT_FOUND) {
        char text[RUN_ID_SIZE];
        run_id_format(a->id, text);
        return error_set(e, ERROR_FAILED, "run %s has not started, and is gone: its job waits again", text);
    }
    if (code < 0)
        return code;
    *over = run.outcome != OUTCOME_NONE;
    if (*over)
        await_ended(&run, out);
    else
        run_clear(&run);
    return 0;
}

/* The row is the caller's for this call only. */
static bool await_row(void *context, const struct run *r)
{
    run_copy(context, r);
    return false;
}

/* The job has ended for good. */
static int await_last(struct store *store, uint64_t number, const struct job_state *state, struct await *out, struct error *e)
{
    struct await end = {.outcome = state->last_outcome, .code = state->last_code};
    run_init(&end.last);
    end.last.id = (struct run_id){.job = number, .note = 1};
    end.last.outcome = state->last_outcome;
    end.last.ended = state->last_ended;
    int code = store_each_run(store, number, NULL, await_row, &end.last, e);
    if (code == 0)
        *out = end;
    else
        run_clear(&end.last);
    return code;
}

/* The run has ended, and so has its occurrence: it is not tried again. */
static bool await_is_final(struct store *s, const struct run *r)
{
    struct job_state state;
    if (r->outcome == OUTCOME_NONE)
        return false;
    if (store_run_state(s, r, &state, NULL) != 0) /* extra occurrences go with their end */
        return true;
    return job_over(&state) || (!r->extra && state.due != r->due);
}

struct attempts {
    const struct run *first;
    struct run_id last;
};

static bool attempts_add(void *context, const struct run *r)
{
    struct attempts *a = context;
    if (r->id.job != a->first->id.job)
        return false;
    if (!r->id.note && r->extra == a->first->extra && r->due == a->first->due && r->cause == a->first->cause)
        a->last = r->id;
    return true;
}

/* The occurrence that the run belongs to: *over, and its last attempt in *out. */
static int await_occurrence(struct store *s, struct run_id id, bool *over, struct await *out, struct error *e)
{
    struct run run;
    struct attempts attempts = {.first = &run, .last = id};
    if (store_run(s, id, &run, NULL) != 0) /* a claim that was taken back */
        return 0;
    *over = await_is_final(s, &run);
    int code = *over ? store_each_row(s, id, attempts_add, &attempts, e) : 0;
    run_clear(&run);
    if (code == 0 && *over)
        code = store_run(s, attempts.last, &run, e);
    if (code == 0 && *over)
        await_ended(&run, out);
    return code;
}

struct of_extra {
    uint64_t extra;
    struct run *last;
};

static bool of_extra_add(void *context, const struct run *r)
{
    struct of_extra *x = context;
    if (r->extra != x->extra)
        return true;
    run_copy(x->last, r);
    return false;
}

/* An extra occurrence goes with its end; its last row stays. */
static int await_extra(struct store *s, const struct awaited *a, bool *over, struct await *out, struct error *e)
{
    struct job_state state;
    struct run last;
    struct of_extra x = {a->extra, &last};
    if (store_state(s, a->extra, &state, NULL) == 0)
        return 0;
    run_init(&last);
    last.id = (struct run_id){.job = a->id.job, .note = 1};
    last.outcome = OUTCOME_CANCELLED; /* where it was cancelled before it had a run */
    int code = store_each_run(s, a->id.job, NULL, of_extra_add, &x, e);
    *over = code == 0;
    if (*over)
        await_ended(&last, out);
    else
        run_clear(&last);
    return code;
}

static int await_read(struct store *s, const struct awaited *a, bool *over, struct await *out, struct error *e)
{
    struct job_state state;
    if (a->id.n || a->id.note)
        return await_run(s, a, over, out, e);
    if (a->extra)
        return await_extra(s, a, over, out, e);
    int code = store_state(s, a->id.job, &state, e);
    if (code < 0)
        return code;
    for (size_t i = 0; i < a->open_count && !*over && code == 0; i++)
        code = await_occurrence(s, (struct run_id){.job = a->id.job, .n = a->open[i]}, over, out, e);
    for (uint32_t n = a->after + 1; n <= state.runs && !*over && !a->once && code == 0; n++)
        code = await_occurrence(s, (struct run_id){.job = a->id.job, .n = n}, over, out, e);
    if (*over || code < 0 || !job_over(&state))
        return code;
    *over = true;
    return await_last(s, a->id.job, &state, out, e);
}

int await_look(const struct common *c, const struct awaited *a, bool *over, struct await *out, struct error *e)
{
    struct store *store;
    int code = client_open(c, STORE_READ, &store, e);
    if (code < 0)
        return code;
    *over = false;
    code = store_begin(store, false, e);
    if (code == 0) {
        code = await_read(store, a, over, out, e);
        store_abort(store);
    }
    store_close(store);
    return code;
}

int await_until(const struct common *c, const struct awaited *a, const struct monotime *end, bool *over, struct await *out, struct error *e)
{
    struct client_watch *watch;
    int code = client_watch_new(c, &watch, e);
    if (code < 0)
        return code;
    while ((code = await_look(c, a, over, out, e)) == 0 && !*over && !(end && clock_mono().ns >= end->ns))
        client_watch_wait_until(watch, end);
    client_watch_free(watch);
    return code;
}

int await_job(const struct common *c, uint64_t number, struct await *out, struct error *e)
{
    const struct awaited once = {.id.job = number, .once = true};
    bool over;
    return await_until(c, &once, NULL, &over, out, e);
}

void await_tell(const struct command *self, const struct await *a, bool json)
{
    struct buf b = {0}, line = {0};
    if (json) {
        struct value v = view_run(&a->last);
        view_line(&b, &v);
    } else {
        char id[RUN_ID_SIZE];
        run_id_format(a->last.id, id);
        if (a->last.id.note)
            buf_format(&line, "job %llu: ", (unsigned long long)a->last.id.job);
        else
            buf_format(&line, "run %s: ", id);
        view_result(&line, &a->last);
        if (a->last.reason)
            buf_format(&line, ": %s", a->last.reason);
        visible_add(&b, line.data, line.length, false);
        buf_char(&b, '\n');
    }
    command_print(self, &b);
    buf_clear(&b);
    buf_clear(&line);
}

int await_code(const struct await *a)
{
    switch (a->outcome) {
    case OUTCOME_OK:
        return a->code;
    case OUTCOME_FAILED: /* success_exit may leave 0 out: then 0 has failed */
        return a->code > 0 ? a->code : ERROR_FAILED;
    case OUTCOME_KILLED:
        return AWAIT_SIGNAL + a->code;
    case OUTCOME_TIMEOUT:
        return AWAIT_TIMEOUT;
    default:
        return AWAIT_ERROR;
    }
}
