/* Jobs chosen by what they have in common, where a command takes several: options, search and the question before many are changed. */
#ifndef AX_SELECTOR_H
#define AX_SELECTOR_H

#include "cmd/command.h"
#include "cmd/view.h"
#include "spool/store.h"

struct selector {
    bool all, yes;
    unsigned states; /* bits, by view_states; 0: none was named */
    struct strvec tags, queues, names, sources;
};
/* clang-format off */
#define SELECTOR_OPTIONS(type, member) \
    {.letter = 't', .word = "tag", .kind = OPTION_TEXTS, .offset = offsetof(struct type, member.tags), .placeholder = "TAG", .help = "all jobs with this tag (repeatable: one of them)"}, \
    {.word = "queue", .kind = OPTION_TEXTS, .offset = offsetof(struct type, member.queues), .placeholder = "QUEUE", .help = "all jobs of this queue (repeatable)"}, \
    {.letter = 's', .word = "state", .kind = OPTION_CHOICES, .offset = offsetof(struct type, member.states), .placeholder = "STATE,...", .choices = view_states, .help = "all jobs in one of these states"}, \
    {.word = "name", .kind = OPTION_TEXTS, .offset = offsetof(struct type, member.names), .placeholder = "GLOB", .help = "all jobs whose name matches (repeatable)"}, \
    {.word = "source", .kind = OPTION_TEXTS, .offset = offsetof(struct type, member.sources), .placeholder = "LABEL", .help = "all jobs that come from this source of a job file (repeatable)"}, \
    {.letter = 'a', .word = "all", .kind = OPTION_FLAG, .offset = offsetof(struct type, member.all), .help = "all that are chosen so, without a question; alone: all jobs that have not ended"}, \
    {.letter = 'y', .word = "yes", .kind = OPTION_FLAG, .offset = offsetof(struct type, member.yes), .help = "no question, however many they are"}
/* clang-format on */

bool selector_given(const struct selector *x); /* --yes alone chooses nothing */
void selector_clear(struct selector *x);

/* Inside a transaction: adds the numbers of the jobs that each of its options agrees with, and the names of the first few. Those that have ended are only there if
 * their state is named. */
int selector_find(struct store *s, const struct selector *x, instant now, struct store_numbers *out, struct buf *names, struct error *e);

/* Outside of one: may so many be changed? One always, more with --all or --yes, or if somebody at the terminal says so. ERROR_USAGE, with the line to type. */
struct selector_question {
    const struct command *command;
    const struct common *common; /* has the command line */
    const char *verb;  /* `change` */
    const char *names; /* of the first few */
};
int selector_confirm(const struct selector *x, size_t count, const struct selector_question *q, struct error *e);

#endif
