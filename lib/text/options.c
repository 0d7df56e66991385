#include "lib/text/options.h"

#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/base/strvec.h"
#include "lib/text/suggest.h"
#include "lib/text/utf8.h"
#include "lib/time/duration.h"

struct options_parser {
    const struct option_row *rows;
    void *target;
    char **argv;
    int argc, next; /* next: the word to be read */
    struct error *error;
};

/* ---- one option's argument ---- */

static int options_set_int(const struct option_row *row, int *place, const char *argument, struct error *e)
{
    const char *digits = argument[0] == '-' ? argument + 1 : argument;
    if (!digits[0] || digits[strspn(digits, "0123456789")])
        return error_set(e, ERROR_USAGE, "a whole number is expected, not '%.*s'", UTF8_WORD(argument));
    /* what strtol cuts to fit is out of any range */
    long n = strtol(argument, NULL, 10);
    if (n < row->minimum)
        return error_set(e, ERROR_USAGE, "%.*s is below %d", UTF8_WORD(argument), row->minimum);
    if (n > row->maximum)
        return error_set(e, ERROR_USAGE, "%.*s is above %d", UTF8_WORD(argument), row->maximum);
    *place = (int)n;
    return 0;
}

/* The index of the word argument[0..length), or negative. */
static int options_find_choice(const struct option_row *row, const char *argument, size_t length, struct error *e)
{
    char *word = mem_format("%.*s", (int)(length < INT_MAX ? length : INT_MAX), argument);
    struct suggest nearest = {.word = word};
    struct buf known = {0};
    int index = -1;
    for (int i = 0; row->choices[i] && index < 0; i++) {
        index = strcmp(row->choices[i], word) == 0 ? i : -1;
        buf_format(&known, "%s%s", i ? ", " : "", row->choices[i]);
        suggest_offer(&nearest, row->choices[i]);
    }
    if (index < 0 && nearest.best)
        index = error_set(e, ERROR_USAGE, "'%.*s' is none of %s; did you mean %s?", UTF8_WORD(word), buf_string(&known), nearest.best);
    else if (index < 0)
        index = error_set(e, ERROR_USAGE, "'%.*s' is none of %s", UTF8_WORD(word), buf_string(&known));
    buf_clear(&known);
    free(word);
    return index;
}

static int options_set_choice(const struct option_row *row, int *place, const char *argument, struct error *e)
{
    int index = options_find_choice(row, argument, strlen(argument), e);
    if (index >= 0)
        *place = index;
    return index < 0 ? index : 0;
}

static int options_set_choices(const struct option_row *row, unsigned *place, const char *argument, struct error *e)
{
    unsigned found = 0;
    for (const char *word = argument;; word++) {
        size_t length = strcspn(word, ",");
        int index = options_find_choice(row, word, length, e);
        if (index < 0)
            return index;
        found |= 1u << index;
        word += length;
        if (!*word)
            break;
    }
    *place |= found;
    return 0;
}

static int options_set(const struct option_row *row, void *target, const char *argument, struct error *e)
{
    void *place = (char *)target + row->offset;
    switch (row->kind) {
    case OPTION_FLAG:
        *(bool *)place = true;
        return 0;
    case OPTION_TEXT:
        *(const char **)place = argument;
        return 0;
    case OPTION_TEXTS:
        strvec_add(place, argument);
        return 0;
    case OPTION_INT:
        return options_set_int(row, place, argument, e);
    case OPTION_DURATION:
        return duration_parse(argument, place, e);
    case OPTION_CHOICE:
        return options_set_choice(row, place, argument, e);
    case OPTION_CHOICES:
        return options_set_choices(row, place, argument, e);
    case OPTION_CALL:
        return row->call(target, row, argument, e);
    }
    return 0;
}

static bool options_takes_argument(const struct option_row *row)
{
    return row->kind != OPTION_FLAG && (row->kind != OPTION_CALL || row->placeholder);
}

/* ---- words ---- */

/* `argument` is what was written in the same word, or NULL. */
static int options_take(
    struct options_parser *p, const struct option_row *row, const char *as_written, const char *argument)
{
    bool wanted = options_takes_argument(row);
    int code = 0;
    if (argument && !wanted)
        code = error_set(p->error, ERROR_USAGE, "takes no argument");
    else if (!argument && wanted && p->next == p->argc)
        code = error_set(
            p->error, ERROR_USAGE, "an argument is missing: %s", row->placeholder ? row->placeholder : "TEXT");
    else if (!argument && wanted)
        argument = p->argv[p->next++];
    if (!code)
        code = options_set(row, p->target, argument, p->error);
    if (code < 0)
        error_field(p->error, as_written);
    return code;
}

static int options_unknown_word(struct options_parser *p, const char *as_written)
{
    struct suggest nearest = {.word = as_written + 2};
    for (const struct option_row *row = p->rows; row->word; row++)
        if (row->help)
            suggest_offer(&nearest, row->word);
    int code;
    if (nearest.best)
        code = error_set(p->error, ERROR_USAGE, "unknown option %.*s; did you mean --%s?", UTF8_WORD(as_written), nearest.best);
    else
        code = error_set(p->error, ERROR_USAGE, "unknown option %.*s", UTF8_WORD(as_written));
    error_field(p->error, as_written);
    return code;
}

static int options_long(struct options_parser *p, const char *word)
{
    size_t length = strcspn(word, "=");
    char *as_written = mem_format("%.*s", (int)(length < INT_MAX ? length : INT_MAX), word);
    const struct option_row *row = p->rows;
    while (row->word && strcmp(row->word, as_written + 2) != 0)
        row++;
    int code;
    if (row->word)
        code = options_take(p, row, as_written, word[length] ? word + length + 1 : NULL);
    else
        code = options_unknown_word(p, as_written);
    free(as_written);
    return code;
}

static int options_unknown_letter(struct options_parser *p, const char *word, const char *as_written)
{
    /* -timeout is likely --timeout */
    struct suggest whole = {.word = word + 1};
    for (const struct option_row *row = p->rows; word[2] && row->word; row++)
        if (row->help && strcmp(row->word, word + 1) == 0)
            suggest_offer(&whole, row->word);
    int code;
    if (whole.best)
        code = error_set(p->error, ERROR_USAGE, "unknown option %s; did you mean --%s?", as_written, whole.best);
    else
        code = error_set(p->error, ERROR_USAGE, "unknown option %s", as_written);
    error_field(p->error, as_written);
    return code;
}

/* -qn5 is -q -n 5 */
static int options_short(struct options_parser *p, const char *word)
{
    for (const char *letter = word + 1; *letter; letter++) {
        char as_written[] = {'-', *letter, '\0'};
        const struct option_row *row = p->rows;
        while (row->word && row->letter != *letter)
            row++;
        if (!row->word)
            return options_unknown_letter(p, word, as_written);
        bool takes_rest = options_takes_argument(row) && letter[1];
        int code = options_take(p, row, as_written, takes_rest ? letter + 1 : NULL);
        if (code < 0 || takes_rest)
            return code;
    }
    return 0;
}

static bool options_is_option(const char *word)
{
    return word[0] == '-' && word[1];
}

/* Reads options and collects the places of operands in `operands` until there is no more, or until the first operand.
 * Returns how many. */
static int options_walk(struct options_parser *p, enum option_style style, char **operands)
{
    int count = 0;
    while (p->next < p->argc) {
        char *word = p->argv[p->next];
        if (!options_is_option(word)) {
            if (style == OPTIONS_FIRST)
                break;
            operands[count++] = word;
            p->next++;
            continue;
        }
        p->next++;
        if (strcmp(word, "--") == 0)
            break;
        int code = word[1] == '-' ? options_long(p, word) : options_short(p, word);
        if (code < 0)
            return code;
    }
    return count;
}

/* Puts the operands found among the options behind them. */
static int options_move(struct options_parser *p, char **operands, int count)
{
    int kept = 0;
    for (int i = 0, o = 0; i < p->next; i++) {
        if (o < count && p->argv[i] == operands[o])
            o++;
        else
            p->argv[kept++] = p->argv[i];
    }
    for (int o = 0; o < count; o++)
        p->argv[kept + o] = operands[o];
    return kept;
}

int options_parse(
    const struct option_row *rows, enum option_style style, int argc, char **argv, void *target, struct error *e)
{
    struct options_parser p = {.rows = rows, .target = target, .argv = argv, .argc = argc, .error = e};
    char **operands = mem_zero((size_t)argc, sizeof *operands);
    int count = options_walk(&p, style, operands);
    int first = count < 0 ? count : options_move(&p, operands, count);
    free(operands);
    return first;
}

/* ---- usage ---- */

#define OPTIONS_COLUMNS 80
#define OPTIONS_HEAD 30 /* help begins here at the latest; longer heads get a line of their own */

static void options_head(struct buf *b, const struct option_row *row)
{
    if (row->letter)
        buf_format(b, "  -%c, --%s", row->letter, row->word);
    else
        buf_format(b, "      --%s", row->word);
    if (row->placeholder)
        buf_format(b, " %s", row->placeholder);
}

static size_t options_help_column(const struct option_row *rows)
{
    size_t column = 0;
    struct buf head = {0};
    for (const struct option_row *row = rows; row->word; row++) {
        buf_reset(&head);
        options_head(&head, row);
        if (row->help && head.length + 2 > column && head.length + 2 <= OPTIONS_HEAD)
            column = head.length + 2;
    }
    buf_clear(&head);
    return column ? column : OPTIONS_HEAD;
}

/* Words of the help from column `indent` on; `at` is the column the line has reached. */
static void options_wrap(struct buf *b, const char *help, size_t at, size_t indent)
{
    if (at + 2 > indent) {
        buf_char(b, '\n');
        at = 0;
    }
    while (*help) {
        size_t length = strcspn(help, " ");
        bool begins = at < indent;
        if (!begins && at + 1 + length > OPTIONS_COLUMNS) {
            buf_char(b, '\n');
            at = 0;
            begins = true;
        }
        size_t blanks = begins ? indent - at : 1;
        buf_format(b, "%*s%.*s", (int)blanks, "", (int)length, help);
        at += blanks + length;
        help += length + strspn(help + length, " ");
    }
    buf_char(b, '\n');
}

void options_usage(struct buf *b, const struct option_row *rows)
{
    size_t column = options_help_column(rows);
    for (const struct option_row *row = rows; row->word; row++) {
        size_t begin = b->length;
        if (!row->help)
            continue;
        options_head(b, row);
        options_wrap(b, row->help, b->length - begin, column);
    }
}
