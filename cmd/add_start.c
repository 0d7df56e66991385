#include "cmd/add_start.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/child.h"
#include "lib/text/utf8.h"
#include "spool/launch.h"

/* ---- the program ---- */

static bool start_is_program(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISREG(status.st_mode) && status.st_mode & 0111;
}

/* Relative names and parts of PATH count from the job's directory. */
static char *start_path(const struct job *j, const char *folder, size_t length, const char *name)
{
    const char *base = length && folder[0] == '/' ? "" : j->cwd ? j->cwd : "";
    return mem_format("%s%s%.*s%s%s", base, *base ? "/" : "", (int)length, folder, length ? "/" : "", name);
}

static bool start_found(const struct job *j, const char *path, const char *name)
{
    while (path) {
        const char *end = strchrnul(path, ':');
        char *file = start_path(j, path, (size_t)(end - path), name);
        bool found = start_is_program(file);
        free(file);
        if (found)
            return true;
        path = *end ? end + 1 : NULL;
    }
    return false;
}

/* The PATH the job will have. Looking up the account for a clean environment costs more than all else here, so not without need. */
static char *start_search_path(const struct job *j)
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

static bool start_wants_shell(const char *word)
{
    static const char *const words[] = {"cd", "if", "for", "while", "case", "export", "set", "source", ".", "eval", "exec", "alias", "umask", "ulimit", "{", "(", "!", "until", "trap", "wait", "unset", NULL};
    for (const char *const *p = words; *p; p++)
        if (strcmp(*p, word) == 0)
            return true;
    const char *sign = strchr(word, '=');
    return sign && sign != word && !memchr(word, '/', (size_t)(sign - word));
}

/* What is wrong with the program, or NULL. */
static const char *start_program_fault(const struct job *j, const char *name)
{
    if (!strchr(name, '/')) {
        char *search = start_search_path(j);
        bool found = start_found(j, search, name);
        free(search);
        return found ? NULL : "no such program in its PATH";
    }
    char *file = name[0] == '/' ? mem_string(name) : start_path(j, "", 0, name);
    struct stat status;
    const char *fault = start_is_program(file) ? NULL : stat(file, &status) == 0 ? "not an executable file" : "no such program";
    free(file);
    return fault;
}

static int start_refuse(const struct add_words *w, const char *what, const char *fault, struct error *e)
{
    char *reason = mem_format("%.*s: %s; to add the job all the same", UTF8_WORD(what), fault);
    int code = add_slip_insist(w, reason, e);
    free(reason);
    return code;
}

/* What /bin/sh runs without a program of that name (POSIX XCU 2.4, 2.14, and what dash and bash add). */
static bool start_is_shells_own(const char *word)
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
static char *start_line_word(const char *line)
{
    line += strspn(line, " \t\n");
    size_t length = strspn(line, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,@%:-");
    if (!length || (line[length] && !strchr(" \t\n;&|<>", line[length])))
        return NULL;
    const char *next = line + length + strspn(line + length, " \t");
    return *next == '(' ? NULL : mem_format("%.*s", (int)length, line);
}

static int start_line_program(const struct add_words *w, const struct job *j, struct error *e)
{
    const char *shell = j->shell.items[0], *missing = start_program_fault(j, shell);
    if (missing)
        return start_refuse(w, shell, missing, e);
    if (j->shell.count != 2 || strcmp(shell, "/bin/sh") != 0)
        return 0;
    char *name = start_line_word(j->command.items[0]);
    const char *fault = name && !start_is_shells_own(name) ? start_program_fault(j, name) : NULL;
    int code = fault ? start_refuse(w, name, fault, e) : 0;
    free(name);
    return code;
}

/* A word that only a shell reads, among several; who means it as it is writes -- in front. `;` is also find's. */
static const char *start_shell_sign(const struct strvec *words)
{
    static const char *const signs[] = {"|", "|&", "||", "&&", "&", ">", ">>", "<", "<<", "2>", "2>>", "2>&1", "&>", NULL};
    for (size_t i = 1; i < words->count; i++)
        for (const char *const *s = signs; *s; s++)
            if (strcmp(words->items[i], *s) == 0)
                return *s;
    return NULL;
}

static int start_program(const struct add_words *w, const struct job *j, struct error *e)
{
    if (!j->command.count || !j->command.items[0][0])
        return 0;
    if (j->shell_line)
        return start_line_program(w, j, e);
    const char *name = j->command.items[0], *sign = w->vector ? NULL : start_shell_sign(&j->command);
    if (sign)
        return add_slip_shell(w, sign, e);
    const char *fault = start_program_fault(j, name);
    if (!fault)
        return 0;
    if (!strchr(name, '/') && start_wants_shell(name))
        return add_slip_shell(w, name, e);
    return start_refuse(w, name, fault, e);
}

/* ---- who, and where ---- */

/* Another user, and another group, are for root; a plain user may name himself. */
static int start_account(const struct add_words *w, const struct job *j, struct error *e)
{
    struct child_user account;
    struct error why;
    if (!j->user && !j->group)
        return 0;
    int code = child_user_find(j->user, j->group, &account, &why);
    if (code == 0) {
        bool own = geteuid() == 0 || (account.uid == geteuid() && account.gid == getegid());
        child_user_clear(&account);
        return own ? 0 : error_set(e, ERROR_USAGE, "%.*s: only root may run a job as someone else", UTF8_WORD(j->user ? j->user : j->group));
    }
    if (code != -ERROR_NOT_FOUND)
        return 0; /* the accounts cannot be read now: no slip */
    char *reason = mem_format("%.*s; to add the job all the same", (int)utf8_cut(why.text, 120), why.text);
    code = add_slip_insist(w, reason, e);
    free(reason);
    return code;
}

/* Only what is surely not there: another user may see more of it. */
static int start_place(const struct add_words *w, const char *path, bool folder, struct error *e)
{
    struct stat status;
    if (stat(path, &status) == 0)
        return !folder || S_ISDIR(status.st_mode) ? 0 : start_refuse(w, path, "not a directory", e);
    if (errno != ENOENT && errno != ENOTDIR && errno != ENAMETOOLONG)
        return 0;
    return start_refuse(w, path, folder ? "there is no such directory" : "there is no such file", e);
}

int add_start(const struct add_words *w, const struct job *j, struct error *e)
{
    int code = start_account(w, j, e);
    if (code == 0 && j->cwd)
        code = start_place(w, j->cwd, true, e);
    if (code == 0 && j->env_file)
        code = start_place(w, j->env_file, false, e);
    return code == 0 ? start_program(w, j, e) : code;
}
