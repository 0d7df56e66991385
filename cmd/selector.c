#include "cmd/selector.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/ls.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"

enum { NAMES_SHOWN = 3 };

bool selector_given(const struct selector *x)
{
    return x->all || x->states || x->tags.count || x->queues.count || x->names.count || x->sources.count;
}

void selector_clear(struct selector *x)
{
    strvec_clear(&x->tags);
    strvec_clear(&x->queues);
    strvec_clear(&x->names);
    strvec_clear(&x->sources);
}

struct search {
    struct ls_options wanted; /* borrows its lists */
    bool ended;
    instant now;
    struct store_numbers *out;
    struct buf *names;
};

static void search_name(struct search *s, const struct job *j)
{
    if (s->out->count == NAMES_SHOWN) {
        buf_text(s->names, ", ...");
    } else if (s->out->count < NAMES_SHOWN) {
        buf_text(s->names, s->out->count ? ", " : "");
        if (j->name)
            visible_add(s->names, j->name, strlen(j->name), false);
        else
            buf_format(s->names, "%" PRIu64, j->number);
    }
}

static bool search_job(void *context, const struct job *j, const struct job_state *st)
{
    struct search *s = context;
    if ((job_over(st) && !s->ended) || !ls_wants(&s->wanted, j, st, s->now))
        return true;
    search_name(s, j);
    MEM_GROW(s->out->items, s->out->capacity, s->out->count + 1);
    s->out->items[s->out->count++] = j->number;
    return true;
}

int selector_find(struct store *s, const struct selector *x, instant now, struct store_numbers *out, struct buf *names, struct error *e)
{
    struct search search = {.ended = x->states, .now = now, .out = out, .names = names};
    search.wanted = (struct ls_options){.states = x->states, .tags = x->tags, .queues = x->queues, .names = x->names, .sources = x->sources, .before = INSTANT_NONE};
    return store_each_job(s, 0, search_job, &search, e);
}

static char *selector_line(const struct selector_question *q)
{
    struct buf b = {0};
    buf_format(&b, "ax %s", q->command->name);
    for (int i = 0; i < q->common->word_count; i++) {
        buf_char(&b, ' ');
        visible_shell_word(&b, q->common->words[i]);
    }
    buf_text(&b, " --yes");
    return buf_take(&b);
}

int selector_confirm(const struct selector *x, size_t count, const struct selector_question *q, struct error *e)
{
    char answer[16] = "";
    if (count <= 1 || x->all || x->yes)
        return 0;
    if (!isatty(STDIN_FILENO) || !isatty(STDERR_FILENO)) {
        char *line = selector_line(q);
        error_set(e, ERROR_USAGE, "%zu jobs match (%s); to %s them all: `%s`", count, q->names, q->verb, line);
        free(line);
        return -(int)ERROR_USAGE;
    }
    fprintf(stderr, "%s %zu jobs (%s)? [y/N] ", q->verb, count, q->names);
    fflush(stderr);
    if (fgets(answer, sizeof answer, stdin) && (answer[0] == 'y' || answer[0] == 'Y'))
        return 0;
    return error_set(e, ERROR_FAILED, "nothing was done");
}
