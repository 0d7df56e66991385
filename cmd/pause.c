/* ax pause and ax resume: two rows, one way. */
#include "cmd/commands.h"

#include <stdlib.h>

#include "cmd/chosen.h"
#include "cmd/view.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"

struct pause {
    struct common common;
    struct selector selector;
    struct view view;
    bool quiet, json, resumes;
    struct paused *list;
    size_t count, capacity;
};

static const struct option_row pause_options[] = {
    SELECTOR_OPTIONS(pause, selector),
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

static int pause_one(void *context, struct store *store, const struct chosen *c, struct error *e)
{
    struct pause *p = context;
    struct paused x = {.number = c->job};
    struct job job;
    int code = store_job(store, c->job, &job, e);
    if (code < 0)
        return code;
    x.name = mem_string(job.name);
    job_clear(&job);
    MEM_GROW(p->list, p->capacity, p->count + 1);
    p->list[p->count++] = x;
    struct paused *kept = &p->list[p->count - 1];
    code = store_pause(store, c->job, !p->resumes, p->view.now, &kept->changed, e);
    if (code == 0 && kept->changed)
        code = store_audit(store, c->job, p->view.now, p->resumes ? "resumed" : "paused", e);
    if (code == 0)
        code = store_state(store, c->job, &kept->state, e);
    kept->over = job_over(&kept->state);
    return code;
}

static void pause_text(struct buf *b, const struct pause *p, const struct paused *x)
{
    struct buf line = {0};
    buf_format(&line, "job %llu%s%s: ", (unsigned long long)x->number, x->name ? " " : "", x->name ? x->name : "");
    if (x->over && !p->resumes) {
        buf_text(&line, "has ended; there is nothing to pause");
    } else if (!p->resumes) {
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

static void pause_tell(const struct command *self, const struct pause *p)
{
    struct buf b = {0};
    for (size_t i = 0; i < p->count; i++)
        if (p->json)
            pause_json(&b, p, &p->list[i]);
        else if (!p->quiet)
            pause_text(&b, p, &p->list[i]);
    command_print(self, &b);
    buf_clear(&b);
}

static int pause_do(const struct command *self, struct pause *p, char **words, int count, struct error *e)
{
    const struct choice choice = {.command = self,
        .common = &p->common,
        .selector = &p->selector,
        .words = words,
        .count = count,
        .now = p->view.now};
    int code = chosen_do(&choice, pause_one, p, e);
    if (code == 0)
        pause_tell(self, p);
    for (size_t i = 0; i < p->count; i++) {
        if (code == 0 && p->list[i].over && !p->resumes)
            code = ERROR_FAILED;
        free(p->list[i].name);
    }
    free(p->list);
    return code;
}

static int pause_main(const struct command *self, int argc, char **argv, bool resumes)
{
    struct pause p = {.resumes = resumes};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &p, &exit_code);
    if (first >= 0) {
        exit_code = view_init(&p.view, &e);
        if (exit_code == 0)
            exit_code = pause_do(self, &p, argv + first, argc - first, &e);
        view_clear(&p.view);
    }
    selector_clear(&p.selector);
    return exit_code < 0 ? command_fail(self, &e) : exit_code;
}

static int pause_run(const struct command *self, int argc, char **argv)
{
    return pause_main(self, argc, argv, false);
}

static int resume_run(const struct command *self, int argc, char **argv)
{
    return pause_main(self, argc, argv, true);
}

const struct command command_pause = {
    .name = "pause",
    .aliases = {"disable"},
    .summary = "hold jobs back until they are resumed",
    .usage = "JOB...\n[--tag TAG] [--queue QUEUE] [--state STATE] [--all]",
    .about = "A run that is open goes on. What comes due meanwhile is not started; when the\n"
             "job is resumed, its catchup says what becomes of it. `ax start` runs a paused\n"
             "job all the same.",
    .options = pause_options,
    .run = pause_run,
};

const struct command command_resume = {
    .name = "resume",
    .aliases = {"enable", "unpause"},
    .summary = "let paused jobs run again",
    .usage = "JOB...\n[--tag TAG] [--queue QUEUE] [--state STATE] [--all]",
    .about = "Due times that passed meanwhile follow the job's catchup: the latest one runs,\n"
             "none, or all.",
    .options = pause_options,
    .run = resume_run,
};
