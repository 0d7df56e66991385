/* The table of subcommands: one constant row each, in a file of its own. Dispatch, help and hints for unknown words are walks over the rows. */
#ifndef AX_COMMAND_H
#define AX_COMMAND_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/buf.h"
#include "lib/base/error.h"
#include "lib/base/strvec.h"
#include "lib/text/options.h"

struct command {
    const char *name;
    const char *aliases[4];  /* ended by NULL */
    const char *summary;     /* one line, lower case, no full stop; NULL: hidden */
    const char *usage;       /* what stands behind the name; several forms: one a line */
    const char *about;       /* further paragraphs of the help, or NULL */
    const struct option_row *options; /* ends with COMMAND_OPTIONS; NULL: the command reads its arguments itself */
    /* Not NULL: every field of spool/fields.h that has no row in `options` is an option too, `data` of its row is the field, and this sets it. */
    int (*field)(void *target, const struct option_row *row, const char *argument, struct error *e);
    int (*run)(const struct command *self, int argc, char **argv); /* argv without program and command; returns the exit code */
};

extern const struct command *const commands[]; /* ended by NULL */

const struct command *command_find(const char *word); /* name or alias; NULL if there is none */

/* The whole program: finds the row, runs it, and looks whether everything could be written. */
int command_main(int argc, char **argv);

/* ---- for the commands ---- */

/* Every struct that options are parsed into begins with this. */
struct common {
    const char *spool; /* --spool DIR */
    bool help;
    const char *const *words; /* the command line behind the command, as command_options has put it in order */
    int word_count;
};
/* clang-format off */
#define COMMAND_OPTIONS \
    {.word = "spool", .kind = OPTION_TEXT, .offset = offsetof(struct common, spool), .placeholder = "DIR", .help = "the spool folder (default: $AX_SPOOL, else root's or the user's own)"}, \
    {.letter = 'h', .word = "help", .kind = OPTION_FLAG, .offset = offsetof(struct common, help), .help = "show this help"}
/* clang-format on */

/* Parses the options into target, which begins with a struct common. Returns the index of the first operand, or -1: the command has ended
 * with *exit_code (help was printed, or an error). */
int command_options(const struct command *self, enum option_style style, int argc, char **argv, void *target, int *exit_code);

/* The rows of the options, those made from fields included. */
struct command_rows {
    struct option_row *rows;
    struct strvec texts; /* that the rows point to */
};
void command_rows_init(struct command_rows *r, const struct command *c);
void command_rows_clear(struct command_rows *r);

/* Prints the error as `ax add: --timeout: ...`, with the source line and a caret where there is a place. Returns the exit code. */
int command_fail(const struct command *self, const struct error *e);
int command_usage_error(const struct command *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

/* There is no such command: says so, and names the near one. Returns the exit code. */
int command_unknown(const struct command *self, const char *word);

void command_help(struct buf *b, const struct command *c);
void command_overview(struct buf *b);

/* Writes the bytes to standard output and empties b. Ends the program when that fails: with the reason, or in silence when nobody reads any more
 * (a broken pipe). So never inside a write transaction. */
void command_print(const struct command *self, struct buf *b);
void command_warn(const struct command *self, const char *format, ...) __attribute__((format(printf, 2, 3)));

#endif
