#include "spool/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "spool/fields.h"

#define ENV_FILE_MAX (1 << 20) /* bytes; an environment of more could not be given to a command */
#define LAUNCH_PATH "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

void launch_init(struct launch *l, const char *spool)
{
    const struct passwd *entry = getpwuid(getuid());
    *l = (struct launch){.spool = mem_string(spool)};
    if (entry) {
        l->name = mem_string(entry->pw_name);
        l->home = mem_string(entry->pw_dir);
        l->shell = mem_string(entry->pw_shell);
    }
}

void launch_clear(struct launch *l)
{
    free(l->spool);
    free(l->name);
    free(l->home);
    free(l->shell);
    *l = (struct launch){0};
}

/* The account that the command runs under, as far as the environment needs it. */
struct account {
    const char *name, *home, *shell;
    struct child_user other; /* what they point into, if it is not our own */
};

static int account_find(const struct launch *l, const struct job *j, struct account *out, struct error *e)
{
    *out = (struct account){l->name, l->home, l->shell, {0}};
    if (!j->user)
        return 0;
    int failed = child_user_find(j->user, j->group, &out->other, e);
    if (failed)
        return failed;
    out->name = out->other.name;
    out->home = out->other.home;
    out->shell = out->other.shell;
    return 0;
}

static void environment_of_account(struct strvec *env, const struct account *a)
{
    if (a->name) {
        strvec_env_set(env, "USER", a->name);
        strvec_env_set(env, "LOGNAME", a->name);
    }
    if (a->home)
        strvec_env_set(env, "HOME", a->home);
    strvec_env_set(env, "SHELL", a->shell && a->shell[0] ? a->shell : "/bin/sh");
}

static void environment_add(struct strvec *env, const struct strvec *more)
{
    for (size_t i = 0; i < more->count; i++) {
        char *name = mem_string(more->items[i]);
        char *equals = strchr(name, '=');
        if (equals) {
            *equals = '\0';
            strvec_env_set(env, name, equals + 1);
        }
        free(name);
    }
}

/* env_file: lines of NAME=VALUE; blank lines and those that begin with # are passed over; one pair of quotes around a value is taken off. */
static int environment_line(struct strvec *env, const char *file, int number, char *line, struct error *e)
{
    line += strspn(line, " \t");
    line[strcspn(line, "\r\n")] = '\0';
    if (!line[0] || line[0] == '#')
        return 0;
    char *equals = strchr(line, '=');
    if (!equals || equals == line) {
        error_set(e, ERROR_USAGE, "%s: line %d: not NAME=VALUE", file, number);
        return error_field(e, "env_file");
    }
    *equals = '\0';
    char *value = equals + 1;
    size_t length = strlen(value);
    if (length >= 2 && (value[0] == '"' || value[0] == '\'') && value[length - 1] == value[0]) {
        value[length - 1] = '\0';
        value++;
    }
    strvec_env_set(env, line, value);
    return 0;
}

/* The scheduler reads it, and must not wait: neither for the other end of a pipe nor for an end that never comes. */
static FILE *environment_open(const char *path)
{
    struct stat s;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
    if (fd < 0)
        return NULL;
    int number = fstat(fd, &s) != 0 ? errno : S_ISDIR(s.st_mode) ? EISDIR : !S_ISREG(s.st_mode) ? EINVAL : s.st_size > ENV_FILE_MAX ? EFBIG : 0;
    FILE *file = number ? NULL : fdopen(fd, "r");
    if (!file) {
        number = number ? number : errno;
        close(fd);
        errno = number;
    }
    return file;
}

static int environment_file(struct strvec *env, const struct job *j, struct error *e)
{
    char *path = j->env_file[0] == '/' || !j->cwd ? mem_string(j->env_file) : mem_format("%s/%s", j->cwd, j->env_file);
    FILE *file = environment_open(path);
    int failed = 0;
    if (!file) {
        error_errno(e, ERROR_FAILED, errno, "reading %s", path);
        failed = error_field(e, "env_file");
    } else {
        char *line = NULL;
        size_t size = 0;
        for (int number = 1; !failed && getline(&line, &size, file) >= 0; number++)
            failed = environment_line(env, path, number, line, e);
        free(line);
        fclose(file);
    }
    free(path);
    return failed;
}

static void environment_of_run(struct strvec *env, const struct job *j, const struct run *r, const char *spool)
{
    char text[64];
    struct buf due = {0};
    snprintf(text, sizeof text, "%llu", (unsigned long long)j->number);
    strvec_env_set(env, "AX_JOB", text);
    strvec_env_set(env, "AX_NAME", j->name ? j->name : ""); /* always there, so that `set -u` is no trap */
    run_id_format(r->id, text);
    strvec_env_set(env, "AX_RUN", text);
    snprintf(text, sizeof text, "%u", r->attempt);
    strvec_env_set(env, "AX_ATTEMPT", text);
    instant_format_utc(&due, r->due);
    strvec_env_set(env, "AX_DUE", buf_string(&due));
    if (r->key)
        strvec_env_set(env, "AX_KEY", r->key);
    strvec_env_set(env, "AX_SPOOL", spool);
    buf_clear(&due);
}

static const char *account_directory(const struct account *a, const struct job *j)
{
    return j->cwd ? j->cwd : a->home ? a->home : "/";
}

static int environment_build(const struct account *a, const struct job *j, struct strvec *env, struct error *e)
{
    if (j->has_kept_env)
        strvec_copy(env, &j->kept_env);
    else
        strvec_env_set(env, "PATH", LAUNCH_PATH);
    if (!j->has_kept_env || j->user)
        environment_of_account(env, a);
    strvec_env_set(env, "PWD", account_directory(a, j)); /* programs believe it */
    int failed = j->env_file ? environment_file(env, j, e) : 0;
    if (!failed)
        environment_add(env, &j->env);
    return failed;
}

int launch_environment(const struct launch *l, const struct job *j, const struct run *r, struct strvec *out, struct error *e)
{
    struct account account;
    int failed = account_find(l, j, &account, e);
    if (failed)
        return failed;
    struct strvec env = {0};
    failed = environment_build(&account, j, &env, e);
    child_user_clear(&account.other);
    if (failed) {
        strvec_clear(&env);
        return failed;
    }
    environment_of_run(&env, j, r, l->spool);
    *out = env;
    return 0;
}

static void launch_words(const struct job *j, struct strvec *argv)
{
    if (j->shell_line)
        strvec_copy(argv, &j->shell);
    for (size_t i = 0; i < j->command.count; i++)
        strvec_add(argv, j->command.items[i]);
}

static char *launch_directory(const struct launch *l, const struct job *j)
{
    struct account account;
    if (j->cwd || account_find(l, j, &account, NULL) != 0)
        account = (struct account){l->name, l->home, l->shell, {0}};
    char *directory = mem_string(account_directory(&account, j));
    child_user_clear(&account.other);
    return directory;
}

int launch_order(const struct launch *l, const struct job *j, const struct run *r, struct order *out, struct error *e)
{
    struct order o = {.id = r->id, .not_before = r->claimed};
    int failed = launch_environment(l, j, r, &o.env, e);
    if (!failed)
        failed = fields_limits(j, &o.limits, &o.limit_count, e);
    if (failed) {
        order_clear(&o);
        return failed;
    }
    launch_words(j, &o.argv);
    o.cwd = launch_directory(l, j);
    o.umask_bits = j->umask_bits >= 0 ? j->umask_bits : 022;
    if (j->input) {
        o.input = mem_copy(j->input, j->input_length);
        o.input_length = j->input_length;
    }
    o.user = mem_string(j->user);
    o.group = mem_string(j->group);
    o.nice = j->nice;
    o.timeout = j->timeout;
    o.kill_after = j->kill_after;
    o.output_max = j->output_max;
    *out = o;
    return 0;
}
