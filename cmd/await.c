#include "cmd/await.h"

#include "cmd/client.h"

/* The row is the caller's for this call only. */
static bool await_row(void *context, const struct run *r)
{
    run_copy(context, r);
    return false;
}

static int await_read(struct store *store, uint64_t number, bool *over, struct await *out, struct error *e)
{
    struct job_state state;
    int code = store_state(store, number, &state, e);
    if (code < 0)
        return code;
    *over = job_over(&state);
    if (!*over)
        return 0;
    struct await end = {.outcome = state.last_outcome, .code = state.last_code};
    run_init(&end.last);
    end.last.id = (struct run_id){.job = number, .note = 1};
    end.last.outcome = state.last_outcome;
    end.last.ended = state.last_ended;
    code = store_each_run(store, number, NULL, await_row, &end.last, e);
    if (code == 0)
        *out = end;
    else
        run_clear(&end.last);
    return code;
}

static int await_look(const struct common *c, uint64_t number, bool *over, struct await *out, struct error *e)
{
    struct store *store;
    int code = client_open(c, STORE_READ, &store, e);
    if (code < 0)
        return code;
    code = store_begin(store, false, e);
    if (code == 0) {
        code = await_read(store, number, over, out, e);
        store_abort(store);
    }
    store_close(store);
    return code;
}

int await_job(const struct common *c, uint64_t number, struct await *out, struct error *e)
{
    struct client_watch *watch;
    int code = client_watch_new(c, &watch, e);
    if (code < 0)
        return code;
    bool over = false;
    while ((code = await_look(c, number, &over, out, e)) == 0 && !over)
        client_watch_wait(watch);
    client_watch_free(watch);
    return code;
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
