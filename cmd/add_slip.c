#include "cmd/add_slip.h"

#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/text/visible.h"
#include "lib/time/when.h"
#include "spool/launch.h"

/* ---- the line that was meant ---- */

static void slip_words(struct buf *b, char **argv, int from, int to)
{
    for (int i = from; i < to; i++) {
        buf_char(b, ' ');
        visible_shell_word(b, argv[i]);
    }
}

/* `ax add`, what stood before WHEN, `when`, and the words from `rest` on. */
static char *slip_line(const struct add_words *w, const char *when, int rest)
{
    struct buf b = {0};
    buf_text(&b, "ax add");
    slip_words(&b, w->argv, 0, w->when);
    buf_char(&b, ' ');
    visible_shell_word(&b, when);
    slip_words(&b, w->argv, rest, w->argc);
    return buf_take(&b);
}

/* The line as typed, with an option put in front. */
static char *slip_line_with(const struct add_words *w, const char *option)
{
    struct buf b = {0};
    buf_format(&b, "ax add %s", option);
    slip_words(&b, w->argv, 0, w->argc);
    return buf_take(&b);
}

static int slip_refuse(struct error *e, char *line, const char *reason)
{
    size_t room = sizeof e->text - strlen(reason) - sizeof ":  ...";
    const char *rest = "";
    if (strlen(line) > room) {
        while (room && ((unsigned char)line[room] & 0xC0) == 0x80)
            room--;
        line[room] = '\0';
        rest = " ...";
    }
    int code = error_set(e, ERROR_USAGE, "%s: %s%s", reason, line, rest);
    free(line);
    return code;
}

/* ---- cron fields in separate words ---- */

static bool slip_is_cron_field(const char *word)
{
    return *word && word[strspn(word, "0123456789*/,-")] == '\0';
}

/* One star is all names in the current directory, in order. Returns how many words from `at` on are such a star, 0 if they are not. */
static int slip_expanded(const struct add_words *w, int at, const glob_t *names)
{
    size_t count = names->gl_pathc;
    if (!count || (size_t)(w->argc - at) < count)
        return 0;
    for (size_t i = 0; i < count; i++)
        if (strcmp(w->argv[at + (int)i], names->gl_pathv[i]) != 0)
            return 0;
    return (int)count;
}

/* Five cron fields from WHEN on, stars perhaps expanded. Returns where the command begins, or 0; the expression is in b. */
static int slip_cron(const struct add_words *w, const glob_t *names, struct buf *b)
{
    int at = w->when;
    bool stars = false;
    for (int field = 0; field < 5; field++) {
        if (at >= w->argc)
            return 0;
        if (field)
            buf_char(b, ' ');
        int expanded = slip_expanded(w, at, names);
        if (!expanded && !slip_is_cron_field(w->argv[at]))
            return 0;
        stars |= expanded || strchr(w->argv[at], '*');
        buf_text(b, expanded ? "*" : w->argv[at]);
        at += expanded ? expanded : 1;
    }
    return stars ? at : 0;
}

static int slip_cron_refuse(const struct add_words *w, struct error *e)
{
    glob_t names = {0};
    struct buf expression = {0};
    int code = 0;
    if (glob("*", 0, NULL, &names) != 0)
        names.gl_pathc = 0;
    int rest = slip_cron(w, &names, &expression);
    if (rest)
        code = slip_refuse(e, slip_line(w, buf_string(&expression), rest), "the shell splits a cron expression and expands its stars, so it must stand in quotes");
    globfree(&names);
    buf_clear(&expression);
    return code;
}

/* ---- a time in several words ---- */

static char slip_unit(const char *word)
{
    static const struct {
        const char *word;
        char unit;
    } units[] = {
        {"second", 's'}, {"seconds", 's'}, {"sec", 's'}, {"secs", 's'}, {"s", 's'}, {"minute", 'm'}, {"minutes", 'm'}, {"min", 'm'}, {"mins", 'm'}, {"m", 'm'},
        {"hour", 'h'}, {"hours", 'h'}, {"h", 'h'}, {"day", 'd'}, {"days", 'd'}, {"d", 'd'}, {"week", 'w'}, {"weeks", 'w'}, {"w", 'w'},
    };
    for (size_t i = 0; i < sizeof units / sizeof *units; i++)
        if (strcmp(units[i].word, word) == 0)
            return units[i].unit;
    return 0;
}

static bool slip_is_digits(const char *word)
{
    return *word && word[strspn(word, "0123456789")] == '\0';
}

/* `now + 3 days`, `+ 3 days`, `3 days`, `in 3 days`: a delay in words. Returns where the command begins, or 0; the delay (3d) is in b. */
static int slip_delay(const struct add_words *w, struct buf *b)
{
    int at = w->when;
    if (at < w->argc && (strcmp(w->argv[at], "now") == 0 || strcmp(w->argv[at], "in") == 0))
        at++;
    const char *number = at < w->argc ? w->argv[at] : "";
    if (strcmp(number, "+") == 0 && at + 1 < w->argc)
        number = w->argv[++at];
    else if (number[0] == '+')
        number++;
    char unit = at + 1 < w->argc ? slip_unit(w->argv[at + 1]) : 0;
    if (!slip_is_digits(number) || !unit)
        return 0;
    buf_format(b, "%s%c", number, unit);
    return at + 2;
}

static bool slip_continues(const char *word)
{
    return when_looks_like_time(word) || slip_is_digits(word) || slip_unit(word);
}

/* The longest run of words from WHEN on that is a time when it stands in one word. */
static int slip_joined(const struct add_words *w, const struct zone *zone, instant now, struct buf *b)
{
    int best = 0;
    struct buf text = {0};
    struct when when;
    for (int at = w->when; at < w->argc && (at < w->when_end || slip_continues(w->argv[at])); at++) {
        if (text.length)
            buf_char(&text, ' ');
        buf_text(&text, w->argv[at]);
        if (at < w->when_end || when_parse(buf_string(&text), zone, now, &when, NULL) < 0)
            continue;
        best = at + 1;
        buf_reset(b);
        buf_text(b, buf_string(&text));
    }
    buf_clear(&text);
    return best;
}

static int slip_time_refuse(const struct add_words *w, const struct zone *zone, instant now, struct error *e)
{
    struct buf meant = {0};
    int rest = slip_delay(w, &meant);
    if (!rest)
        rest = slip_joined(w, zone, now, &meant);
    int code = rest ? slip_refuse(e, slip_line(w, buf_string(&meant), rest), "the time is one word, quoted if need be") : 0;
    buf_clear(&meant);
    return code;
}

int add_slip_when(const struct add_words *w, const struct zone *zone, instant now, struct error *e)
{
    int code = slip_cron_refuse(w, e);
    return code ? code : slip_time_refuse(w, zone, now, e);
}

/* The words that begin a WHEN of two words. */
static bool slip_begins_when(const char *word)
{
    return !strcmp(word, "now") || !strcmp(word, "in") || !strcmp(word, "at") || !strcmp(word, "every");
}

int add_slip_command(const struct add_words *w, const struct zone *zone, instant now, struct error *e)
{
    if (w->vector || w->command >= w->argc ||
        (!when_looks_like_time(w->argv[w->command]) && !slip_begins_when(w->argv[w->command])))
        return 0;
    int code = w->when < w->when_end ? slip_time_refuse(w, zone, now, e) : 0;
    if (code)
        return code;
    char *reason = mem_format("the command begins with `%s`, which looks like a part of the time; if it is a program", w->argv[w->command]);
    code = slip_refuse(e, slip_line_with(w, "--no-check"), reason);
    free(reason);
    return code;
}

/* ---- no such program ---- */

static bool slip_is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_mode & 0111;
}

/* Relative names and parts of PATH count from the job's directory. */
static char *slip_path(const struct job *j, const char *folder, size_t length, const char *name)
{
    const char *base = length && folder[0] == '/' ? "" : j->cwd ? j->cwd : "";
    return mem_format("%s%s%.*s%s%s", base, *base ? "/" : "", (int)length, folder, length ? "/" : "", name);
}

static bool slip_found(const struct job *j, const char *path, const char *name)
{
    while (path) {
        const char *end = strchrnul(path, ':');
        char *file = slip_path(j, path, (size_t)(end - path), name);
        bool found = slip_is_program(file);
        free(file);
        if (found)
            return true;
        path = *end ? end + 1 : NULL;
    }
    return false;
}

/* The PATH the job will have. Looking up the account for a clean environment costs more than all else here, so not without need. */
static char *slip_search_path(const struct job *j)
{
    const char *path = strvec_env_get(&j->env, "PATH");
    if (!path && !j->env_file && !j->user)
        path = strvec_env_get(&j->kept_env, "PATH");
    if (path)
        return mem_string(path);
    struct launch launch;
    struct run run;
    struct strvec env = {0};
    launch_init(&launch, "");
    run_init(&run);
    char *found = launch_environment(&launch, j, &run, &env, NULL) < 0 ? NULL : mem_string(strvec_env_get(&env, "PATH"));
    strvec_clear(&env);
    launch_clear(&launch);
    return found;
}

static bool slip_wants_shell(const char *word)
{
    static const char *const words[] = {"cd", "if", "for", "while", "case", "export", "set", "source", ".", "eval", "exec", "alias", "umask", "ulimit", "{", "(", "!", "until", "trap", "wait", "unset", NULL};
    for (const char *const *p = words; *p; p++)
        if (strcmp(*p, word) == 0)
            return true;
    const char *sign = strchr(word, '=');
    return sign && sign != word && !memchr(word, '/', (size_t)(sign - word));
}

static int slip_shell_refuse(const struct add_words *w, const char *word, struct error *e)
{
    struct buf line = {0}, command = {0};
    for (int i = w->command; i < w->argc; i++)
        buf_format(&command, "%s%s", i > w->command ? " " : "", w->argv[i]);
    buf_text(&line, "ax add");
    slip_words(&line, w->argv, 0, w->command - w->vector);
    buf_text(&line, " -c ");
    visible_shell_word(&line, buf_string(&command));
    char *reason = mem_format("`%s` is no program but a matter of the shell", word);
    int code = slip_refuse(e, buf_take(&line), reason);
    free(reason);
    buf_clear(&command);
    return code;
}

/* What is wrong with the program, or NULL. */
static const char *slip_program_fault(const struct job *j, const char *name)
{
    if (!strchr(name, '/')) {
        char *search = slip_search_path(j);
        bool found = slip_found(j, search, name);
        free(search);
        return found ? NULL : "no such program in its PATH";
    }
    char *file = name[0] == '/' ? mem_string(name) : slip_path(j, "", 0, name);
    struct stat status;
    const char *fault = slip_is_program(file) ? NULL : stat(file, &status) == 0 ? "not an executable file" : "no such program";
    free(file);
    return fault;
}

static int slip_program_refuse(const struct add_words *w, const char *name, const char *fault, struct error *e)
{
    char *reason = mem_format("%s: %s; to add the job all the same", name, fault);
    int code = slip_refuse(e, slip_line_with(w, "--no-check"), reason);
    free(reason);
    return code;
}

/* What /bin/sh runs without a program of that name (POSIX XCU 2.4, 2.14, and what dash and bash add). */
static bool slip_is_shells_own(const char *word)
{
    static const char *const words[] = {".", ":", "alias", "bg", "break", "builtin", "case", "cd", "command", "continue", "declare", "dirs", "disown",
        "do", "done", "echo", "elif", "else", "enable", "esac", "eval", "exec", "exit", "export", "false", "fc", "fg", "fi", "for", "function", "getopts",
        "hash", "if", "jobs", "kill", "let", "local", "mapfile", "popd", "printf", "pushd", "pwd", "read", "readonly", "return", "set", "shift", "source",
        "test", "then", "time", "times", "trap", "true", "type", "typeset", "ulimit", "umask", "unalias", "unset", "until", "wait", "while", NULL};
    for (const char *const *p = words; *p; p++)
        if (strcmp(*p, word) == 0)
            return true;
    return false;
}

/* The first word of a shell line, if it is a plain one: no quotes, no expansion, no assignment, not one of a function's definition. malloc'd, or NULL. */
static char *slip_line_word(const char *line)
{
    line += strspn(line, " \t\n");
    size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,@%:-");
    if (!length || (line[length] && !strchr(" \t\n;&|<>", line[length])))
        return NULL;
    const char *next = line + length + strspn(line + length, " \t");
    return *next == '(' ? NULL : mem_format("%.*s", (int)length, line);
}

static int slip_line_program(const struct add_words *w, const struct job *j, struct error *e)
{
    if (j->shell.count != 2 || strcmp(j->shell.items[0], "/bin/sh") != 0)
        return 0;
    char *name = slip_line_word(j->command.items[0]);
    const char *fault = name && !slip_is_shells_own(name) ? slip_program_fault(j, name) : NULL;
    int code = fault ? slip_program_refuse(w, name, fault, e) : 0;
    free(name);
    return code;
}

int add_slip_program(const struct add_words *w, const struct job *j, struct error *e)
{
    if (!j->command.count || !j->command.items[0][0])
        return 0;
    if (j->shell_line)
        return slip_line_program(w, j, e);
    const char *name = j->command.items[0];
    const char *fault = slip_program_fault(j, name);
    if (!fault)
        return 0;
    if (!strchr(name, '/') && slip_wants_shell(name))
        return slip_shell_refuse(w, name, e);
    return slip_program_refuse(w, name, fault, e);
}
