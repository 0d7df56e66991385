#include "cmd/command.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cmd/commands.h"
#include "cmd/run/run.h"
#include "cmd/run/jobsdir.h"
#include "cmd/run/mailer.h"
#include "cmd/run/worker.h"
#include "cmd/welcome.h"
#include "lib/base/mem.h"
#include "lib/text/errors.h"
#include "lib/text/suggest.h"
#include "lib/text/visible.h"
#include "spool/fields.h"

static int command_worker_run(const struct command *self, int argc, char **argv)
{
    (void)self;
    return worker_main(argc, argv);
}

/* Started by the scheduler, never by hand: no summary, so neither help nor hints know it. */
static int command_jobs_run(const struct command *self, int argc, char **argv)
{
    (void)self;
    return jobsdir_errand(argc, argv);
}

static int command_mail_run(const struct command *self, int argc, char **argv)
{
    (void)self;
    return mailer_errand(argc, argv);
}

static int command_notify_run(const struct command *self, int argc, char **argv)
{
    (void)self;
    return notifier_errand(argc, argv);
}

static const struct command command_notify = {.name = "__notify", .usage = "", .run = command_notify_run};
static const struct command command_mail = {.name = "__mail", .usage = "", .run = command_mail_run};
static const struct command command_jobs = {.name = "__jobs", .usage = "", .run = command_jobs_run};
static const struct command command_worker = {.name = "__worker", .usage = "", .run = command_worker_run};

const struct command *const commands[] = {
    &command_add,
    &command_ls,
    &command_show,
    &command_next,
    &command_why,
    &command_log,
    &command_history,
    &command_status,
    &command_start,
    &command_stop,
    &command_cancel,
    &command_retry,
    &command_skip,
    &command_pause,
    &command_resume,
    &command_signal,
    &command_set,
    &command_edit,
    &command_wait,
    &command_exec,
    &command_check,
    &command_diff,
    &command_apply,
    &command_import,
    &command_export,
    &command_schema,
    &command_run,
    &command_service,
    &command_queue,
    &command_doctor,
    &command_prune,
    &command_dump,
    &command_load,
    &command_completion,
    &command_help_row,
    &command_version,
    &command_complete,
    &command_worker,
    &command_jobs,
    &command_mail,
    &command_notify,
    NULL,
};

/* What stands above a command in the overview. */
static const struct heading {
    const char *first, *text;
} headings[] = {
    {"add", "Add and see"},
    {"start", "Steer"},
    {"check", "Files and crontabs"},
    {"run", "The scheduler"},
    {"doctor", "The spool"},
    {"completion", "ax itself"},
};

static bool command_is(const struct command *c, const char *word)
{
    if (strcmp(c->name, word) == 0)
        return true;
    for (size_t i = 0; i < sizeof c->aliases / sizeof *c->aliases && c->aliases[i]; i++)
        if (strcmp(c->aliases[i], word) == 0)
            return true;
    return false;
}

const struct command *command_find(const char *word)
{
    for (const struct command *const *c = commands; *c; c++)
        if (command_is(*c, word))
            return *c;
    return NULL;
}

/* ---- what is printed ---- */

static void overview_heading(struct buf *b, const char *name)
{
    for (size_t i = 0; i < sizeof headings / sizeof *headings; i++)
        if (strcmp(headings[i].first, name) == 0)
            buf_format(b, "%s%s\n", i ? "\n" : "", headings[i].text);
}

void command_overview(struct buf *b)
{
    buf_text(b, "ax runs commands later, or again and again, and keeps how they went.\n\nUsage: ax COMMAND [ARGUMENT...]\n\n");
    for (const struct command *const *c = commands; *c; c++)
        if ((*c)->summary) {
            overview_heading(b, (*c)->name);
            buf_format(b, "  %-10s %s\n", (*c)->name, (*c)->summary);
        }
    buf_text(b, "\n  ax add 20m make deploy         in twenty minutes\n"
                "  ax add 'every 10m' ./poll.sh   again and again\n"
                "  ax add '0 2 * * *' ./backup    every night, as in a crontab\n"
                "  ax help add                    all about one command\n"
                "  ax help schedule               a topic: jobs, schedule, spool, migrate\n");
}

void command_help(struct buf *b, const struct command *c)
{
    const char *lead = "Usage:";
    for (const char *form = c->usage; form;) {
        const char *end = strchrnul(form, '\n');
        buf_format(b, "%s ax %s%s%.*s\n", lead, c->name, end > form ? " " : "", (int)(end - form), form);
        form = *end ? end + 1 : NULL;
        lead = "      ";
    }
    if (c->summary)
        buf_format(b, "\n%c%s.\n", c->summary[0] - 'a' + 'A', c->summary + 1);
    if (c->about)
        buf_format(b, "\n%s\n", c->about);
    if (c->options) {
        struct command_rows r;
        command_rows_init(&r, c);
        buf_text(b, "\nOptions:\n");
        options_usage(b, r.rows);
        command_rows_clear(&r);
    }
    for (size_t i = 0; i < sizeof c->aliases / sizeof *c->aliases && c->aliases[i]; i++)
        buf_format(b, i ? ", %s" : "\nAlso: ax %s", c->aliases[i]);
    if (c->aliases[0])
        buf_char(b, '\n');
}

static void command_write_error(const struct command *self)
{
    int number = errno;
    if (number != EPIPE)
        command_warn(self, "standard output: %s", strerror(number));
    exit(ERROR_FAILED);
}

void command_print(const struct command *self, struct buf *b)
{
    for (size_t done = 0; done < b->length;) {
        ssize_t n = write(STDOUT_FILENO, b->data + done, b->length - done);
        if (n < 0 && errno != EINTR)
            command_write_error(self);
        done += n > 0 ? (size_t)n : 0;
    }
    buf_reset(b);
}

static void command_tell(const struct buf *b)
{
    fwrite(b->data, 1, b->length, stderr);
    fflush(stderr);
}

/* The program's name and the text, line by line; names and words in the text are the user's, so nothing of it goes to a terminal as it is. */
static void command_line(struct buf *b, const struct command *self, const char *text)
{
    buf_text(b, self ? "ax " : "ax");
    buf_format(b, "%s: ", self ? self->name : "");
    visible_add(b, text, strlen(text), true);
    buf_char(b, '\n');
}

/* Begins with it, or has it as a word in quotes; an option cannot be taken for anything else. */
static bool command_names(const char *text, const char *field)
{
    size_t length = strlen(field);
    if (field[0] == '-')
        return strstr(text, field);
    const char *quoted = strstr(text, field);
    while (quoted && (quoted == text || quoted[-1] != '`' || quoted[length] != '`'))
        quoted = strstr(quoted + 1, field);
    return quoted || (strncmp(text, field, length) == 0 && strchr(": ", text[length]));
}

int command_fail(const struct command *self, const struct error *e)
{
    struct buf text = {0}, b = {0};
    if (e->field[0] && !command_names(e->text, e->field)) /* not twice */
        buf_format(&text, "%s: ", e->field);
    buf_text(&text, e->text[0] ? e->text : "failed, and nobody said why");
    command_line(&b, self, buf_string(&text));
    errors_format_place(e, &b);
    command_tell(&b);
    buf_clear(&text);
    buf_clear(&b);
    return e->code ? (int)e->code : ERROR_FAILED;
}

static void command_vwarn(const struct command *self, const char *format, va_list arguments)
{
    struct buf text = {0}, b = {0};
    buf_vformat(&text, format, arguments);
    command_line(&b, self, buf_string(&text));
    command_tell(&b);
    buf_clear(&text);
    buf_clear(&b);
}

void command_warn(const struct command *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    command_vwarn(self, format, arguments);
    va_end(arguments);
}

int command_usage_error(const struct command *self, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    command_vwarn(self, format, arguments);
    va_end(arguments);
    return ERROR_USAGE;
}

/* ---- options ---- */

static bool command_has_row(const struct option_row *rows, const char *word)
{
    for (; rows->word; rows++)
        if (strcmp(rows->word, word) == 0)
            return true;
    return false;
}

static char *command_text(struct command_rows *r, char *text)
{
    strvec_take(&r->texts, text);
    return text;
}

static void command_add_field(struct command_rows *r, size_t *count, const struct command *c, const struct field *f)
{
    char *word = command_text(r, field_option(f->name));
    if (command_has_row(c->options, word))
        return;
    const char *help = f->fallback ? command_text(r, mem_format("%s (default: %s)", f->help, f->fallback)) : f->help;
    const char *wanted = f->kind == FIELD_SAID ? NULL : f->placeholder ? f->placeholder : "TEXT";
    r->rows[(*count)++] = (struct option_row){.word = word, .kind = OPTION_CALL, .placeholder = wanted,
        .help = help, .call = c->field, .data = f};
}

/* Fields come behind the command's own options, and before those that all commands have. */
void command_rows_init(struct command_rows *r, const struct command *c)
{
    static const struct option_row common[] = {COMMAND_OPTIONS};
    size_t own = 0, made = 0, last = sizeof common / sizeof *common;
    while (c->options[own].word)
        own++;
    for (const struct field *f = fields; c->field && f->name; f++)
        made++;
    *r = (struct command_rows){.rows = mem_zero(own + made + 1, sizeof *r->rows)};
    size_t count = own - last;
    memcpy(r->rows, c->options, count * sizeof *r->rows);
    for (const struct field *f = fields; c->field && f->name; f++)
        command_add_field(r, &count, c, f);
    memcpy(r->rows + count, c->options + own - last, last * sizeof *r->rows);
}

void command_rows_clear(struct command_rows *r)
{
    free(r->rows);
    strvec_clear(&r->texts);
    *r = (struct command_rows){0};
}

/* ---- dispatch ---- */

int command_options(const struct command *self, enum option_style style, int argc, char **argv, void *target, int *exit_code)
{
    struct error e = {0};
    int first = options_parse(self->options, style, argc, argv, target, &e);
    if (first < 0) {
        if (strncmp(e.text, "unknown option", 14) == 0 && !strchr(e.text, ';'))
            snprintf(e.text + strlen(e.text), sizeof e.text - strlen(e.text), "; `ax help %s` lists them", self->name);
        *exit_code = command_fail(self, &e);
        return -1;
    }
    struct common *common = target;
    common->words = (const char *const *)argv;
    common->word_count = argc;
    if (!common->help)
        return first;
    struct buf b = {0};
    command_help(&b, self);
    command_print(self, &b);
    buf_clear(&b);
    *exit_code = ERROR_NONE;
    return -1;
}

/* What people call it elsewhere. */
static const char *command_elsewhere(const char *word)
{
    static const char *const rows[][2] = {
        {" remove delete del unschedule atrm purge ", "cancel"}, {" kill terminate end abort ", "stop"},
        {" rerun redo again ", "retry"}, {" info describe inspect details cat ", "show"}, {" jobs atq queued ", "ls"},
        {" restore ", "load"}, {" backup ", "dump"}, {" clean cleanup gc expire vacuum ", "prune"},
        {" output tail follow ", "log"}, {" runs report results ", "history"}, {" at schedule new create enqueue submit ", "add"},
        {" trigger fire launch ", "start"}, {" daemon serve server ", "run"}, {" hold suspend freeze ", "pause"},
        {" continue release ", "resume"}, {" validate lint verify test ", "check"}, {" plan preview ", "diff"},
        {" sync deploy reload ", "apply"}, {" update change modify ", "set"}, {" upcoming agenda timers list-timers ", "next"},
        {" explain reason ", "why"}, {" health ping ", "status"}, {" env shell try ", "exec"}, {" fsck repair ", "doctor"},
        {" install uninstall systemd ", "service"}, {" crontab ", "import crontab"}, {" shutdown quit ", "run --stop"},
    };
    char *spaced = mem_format(" %s ", word);
    const char *found = NULL;
    for (size_t i = 0; i < sizeof rows / sizeof *rows && !found; i++)
        found = strstr(rows[i][0], spaced) ? rows[i][1] : NULL;
    free(spaced);
    return found;
}

int command_unknown(const struct command *self, const char *word)
{
    struct suggest near = {.word = word};
    const char *elsewhere = strchr(word, ' ') ? NULL : command_elsewhere(word);
    if (elsewhere)
        return command_usage_error(self, "there is no command `%s`; did you mean `ax %s`?", word, elsewhere);
    for (const struct command *const *c = commands; *c; c++) {
        if (!(*c)->summary)
            continue;
        suggest_offer(&near, (*c)->name);
        for (size_t i = 0; i < sizeof (*c)->aliases / sizeof *(*c)->aliases && (*c)->aliases[i]; i++)
            suggest_offer(&near, (*c)->aliases[i]);
    }
    if (near.best)
        return command_usage_error(self, "there is no command `%s`; did you mean `ax %s`?", word, near.best);
    return command_usage_error(self, "there is no command `%s`; `ax help` lists them", word);
}

static int command_call(const struct command *c, int argc, char **argv)
{
    int code = c->run(c, argc, argv);
    if (fflush(stdout) != 0 || ferror(stdout))
        command_write_error(c);
    return code;
}

/* Options before the command: those of ax itself. */
struct global {
    struct common common;
    bool version;
};
static const struct option_row global_options[] = {
    COMMAND_OPTIONS,
    {.letter = 'V', .word = "version", .kind = OPTION_FLAG, .offset = offsetof(struct global, version), .help = "print the version"},
    {0},
};
static const struct command command_ax = {.name = "", .options = global_options};

static int command_print_all(void (*text)(struct buf *b))
{
    struct buf b = {0};
    text(&b);
    command_print(NULL, &b);
    buf_clear(&b);
    return ERROR_NONE;
}

int command_main(int argc, char **argv)
{
    struct global global = {0};
    struct error e = {0};
    int first = options_parse(command_ax.options, OPTIONS_FIRST, argc - 1, argv + 1, &global, &e);
    if (first < 0)
        return command_fail(NULL, &e);
    argc -= 1 + first;
    argv += 1 + first;
    if (global.version)
        return command_call(&command_version, 0, argv);
    if (global.common.help)
        return command_print_all(command_overview);
    /* In front of the command --spool says it for everything that is started from here. */
    if (global.common.spool && setenv("AX_SPOOL", global.common.spool, 1) != 0)
        return ERROR_FAILED;
    if (argc < 1)
        return command_print_all(welcome_print);
    const struct command *c = command_find(argv[0]);
    return c ? command_call(c, argc - 1, argv + 1) : command_unknown(NULL, argv[0]);
}
