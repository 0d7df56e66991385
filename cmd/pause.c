/* ax pause and ax resume: two rows, one way. */
#include "cmd/commands.h"

#include <stdlib.h>

#include "cmd/client.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"

struct pause {
    struct common common;
    struct view view;
    bool quiet, json;
};

static const struct option_row pause_options[] = {
    {.letter = 'q',
        .word = "quiet",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct pause, quiet),
        .help = "print nothing"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct pause, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

struct paused {
    uint64_t number;
    bool changed, over;
    char *name;
    struct job_state state;
};

static int pause_one(
    struct store *store, const char *reference, bool pause, instant now, struct paused *out, struct error *e)
{
    struct job job;
    int code = store_find(store, reference, &out->number, e);
    if (code == 0)
        code = store_job(store, out->number, &job, e);
    if (code < 0)
        return code;
    out->name = mem_string(job.name);
    job_clear(&job);
    code = store_pause(store, out->number, pause, now, &out->changed, e);
    if (code == 0 && out->changed)
        code = store_audit(store, out->number, now, pause ? "paused" : "resumed", e);
    if (code == 0)
        code = store_state(store, out->number, &out->state, e);
    out->over = job_over(&out->state);
    return code;
}

/* All of them in one transaction: if one is unknown, none is paused. */
static int pause_all(const struct pause *p, struct store *store, char **references, int count, bool pause,
    struct paused *list, struct error *e)
{
    int code = store_begin(store, true, e);
    if (code < 0)
        return code;
    for (int i = 0; i < count && code == 0; i++)
        code = pause_one(store, references[i], pause, p->view.now, &list[i], e);
    if (code == 0)
        return store_commit(store, e);
    store_abort(store);
    return code;
}

static void pause_text(struct buf *b, const struct pause *p, bool pause, const struct paused *x)
{
    struct buf line = {0};
    buf_format(&line, "job %llu%s%s: ", (unsigned long long)x->number, x->name ? " " : "", x->name ? x->name : "");
    if (x->over && pause) {
        buf_text(&line, "has ended; there is nothing to pause");
    } else if (pause) {
        buf_text(&line, x->changed ? "paused" : "was paused already");
        if (x->state.phase == PHASE_RUNNING)
            buf_text(&line, "; the run that is open goes on");
    } else {
        buf_text(&line, x->changed ? "resumed" : "was not paused");
        if (x->state.phase == PHASE_WAITING && x->state.due != INSTANT_NEVER && x->changed) {
            buf_text(&line, x->state.due > p->view.now ? ", next " : ", was due ");
            view_moment(&line, &p->view, x->state.due);
        }
    }
    visible_add(b, line.data, line.length, false);
    buf_char(b, '\n');
    buf_clear(&line);
}

static void pause_json(struct buf *b, const struct pause *p, const struct paused *x)
{
    struct value m = value_map();
    value_put(&m, "job", value_int((int64_t)x->number));
    value_put(&m, "name", value_text(x->name));
    value_put(&m, "state", value_text(phase_name(&x->state, p->view.now)));
    value_put(&m, "paused", value_bool(x->state.paused));
    value_put(&m, "changed", value_bool(x->changed));
    view_line(b, &m);
}

static void pause_tell(
    const struct command *self, const struct pause *p, bool pause, const struct paused *list, int count)
{
    struct buf b = {0};
    for (int i = 0; i < count; i++)
        if (p->json)
            pause_json(&b, p, &list[i]);
        else if (!p->quiet)
            pause_text(&b, p, pause, &list[i]);
    command_print(self, &b);
    buf_clear(&b);
}

static int pause_do(
    const struct command *self, struct pause *p, char **references, int count, bool pause, struct error *e)
{
    struct store *store;
    int result = ERROR_NONE;
    int code = client_open_job(&p->common, STORE_WRITE, references[0], &store, e);
    if (code < 0)
        return code;
    struct paused *list = mem_zero((size_t)count, sizeof *list);
    code = pause_all(p, store, references, count, pause, list, e);
    store_close(store); /* wakes the scheduler */
    if (code == 0)
        pause_tell(self, p, pause, list, count);
    for (int i = 0; i < count; i++) {
        if (list[i].over && pause)
            result = ERROR_FAILED;
        free(list[i].name);
    }
    free(list);
    return code < 0 ? code : result;
}

static int pause_main(const struct command *self, int argc, char **argv, bool pause)
{
    struct pause p = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &p, &exit_code);
    if (first < 0)
        return exit_code;
    if (first == argc)
        return command_usage_error(self, "no job is named: `ax %s JOB...`", self->name);
    int code = view_init(&p.view, &e);
    if (code == 0) {
        code = pause_do(self, &p, argv + first, argc - first, pause, &e);
        view_clear(&p.view);
    }
    return code < 0 ? command_fail(self, &e) : code;
}

static int pause_run(const struct command *self, int argc, char **argv)
{
    return pause_main(self, argc, argv, true);
}

static int resume_run(const struct command *self, int argc, char **argv)
{
    return pause_main(self, argc, argv, false);
}

const struct command command_pause = {
    .name = "pause",
    .aliases = {"disable"},
    .summary = "hold jobs back until they are resumed",
    .usage = "[--json] JOB...",
    .about = "A run that is open goes on. What comes due meanwhile is not started; when the\n"
             "job is resumed, its catchup says what becomes of it. `ax start` runs a paused\n"
             "job all the same.",
    .options = pause_options,
    .run = pause_run,
};

const struct command command_resume = {
    .name = "resume",
    .aliases = {"enable"},
    .summary = "let paused jobs run again",
    .usage = "[--json] JOB...",
    .about = "Due times that passed meanwhile follow the job's catchup: the latest one runs,\n"
             "none, or all.",
    .options = pause_options,
    .run = resume_run,
};
