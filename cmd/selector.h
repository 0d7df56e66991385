/* Jobs chosen by what they have in common, where a command takes several: options, search and the question before many are changed. */
#ifndef AX_SELECTOR_H
#define AX_SELECTOR_H

#include "cmd/command.h"
#include "cmd/view.h"
#include "spool/store.h"

struct selector {
    bool all;
    unsigned states; /* bits, by view_states; 0: none was named */
    struct strvec tags, queues, names;
};
/* clang-format off */
#define SELECTOR_OPTIONS(type, member) \
    {.letter = 't', .word = "tag", .kind = OPTION_TEXTS, .offset = offsetof(struct type, member.tags), .placeholder = "TAG", .help = "all jobs with this tag (repeatable: one of them)"}, \
    {.word = "queue", .kind = OPTION_TEXTS, .offset = offsetof(struct type, member.queues), .placeholder = "QUEUE", .help = "all jobs of this queue (repeatable)"}, \
    {.letter = 's', .word = "state", .kind = OPTION_CHOICES, .offset = offsetof(struct type, member.states), .placeholder = "STATE,...", .choices = view_states, .help = "all jobs in one of these states"}, \
    {.word = "name", .kind = OPTION_TEXTS, .offset = offsetof(struct type, member.names), .placeholder = "GLOB", .help = "all jobs whose name matches (repeatable)"}, \
    {.letter = 'a', .word = "all", .kind = OPTION_FLAG, .offset = offsetof(struct type, member.all), .help = "all that are chosen so, without a question; alone: all jobs that have not ended"}
/* clang-format on */

bool selector_given(const struct selector *x);
void selector_clear(struct selector *x);

/* Inside a transaction: adds the numbers of the jobs that each of its options agrees with, and the names of the first few. Those that have ended are only there if
 * their state is named. */
int selector_find(struct store *s, const struct selector *x, instant now, struct store_numbers *out, struct buf *names, struct error *e);

/* Outside of one: may so many be changed? One always, more with --all, or if somebody at the terminal says so. `what`: `change`; `names`: of the first few. ERROR_USAGE. */
int selector_confirm(const struct selector *x, size_t count, const char *what, const char *names, struct error *e);

#endif
