#include "spool/launch.h"

#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "spool/envfile.h"
#include "spool/fields.h"

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

void launch_account(struct strvec *env, const char *name, const char *home, const char *shell)
{
    if (name) {
        strvec_env_set(env, "USER", name);
        strvec_env_set(env, "LOGNAME", name);
    }
    if (home)
        strvec_env_set(env, "HOME", home);
    strvec_env_set(env, "SHELL", shell && shell[0] ? shell : "/bin/sh");
}

void launch_add(struct strvec *env, const struct strvec *more)
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
    if (j->file && j->file[0] == '/') /* not `-` */
        strvec_env_set(env, "AX_FILE", j->file);
    buf_clear(&due);
}

/* NULL: the home of the job's user. */
static const char *launch_directory(const struct launch *l, const struct job *j)
{
    if (j->cwd)
        return j->cwd;
    return j->user ? NULL : l->home ? l->home : "/";
}

/* The beginning; what the account of another user says, and env_file, come behind it. */
static void environment_first(struct strvec *env, const struct launch *l, const struct job *j)
{
    if (j->has_kept_env)
        strvec_copy(env, &j->kept_env);
    else
        strvec_env_set(env, "PATH", LAUNCH_PATH);
    if (!j->has_kept_env && !j->user)
        launch_account(env, l->name, l->home, l->shell);
    if (launch_directory(l, j))
        strvec_env_set(env, "PWD", launch_directory(l, j)); /* programs believe it */
}

static char *launch_env_file(const struct job *j)
{
    return !j->env_file || j->env_file[0] == '/' || !j->cwd ? mem_string(j->env_file) : mem_format("%s/%s", j->cwd, j->env_file);
}

static int environment_of_user(struct strvec *env, const struct job *j, struct error *e)
{
    struct child_user user;
    int failed = j->user ? child_user_find(j->user, j->group, &user, e) : 0;
    if (failed || !j->user)
        return failed;
    launch_account(env, user.name, user.home, user.shell);
    if (!j->cwd)
        strvec_env_set(env, "PWD", user.home);
    child_user_clear(&user);
    return 0;
}

int launch_environment(const struct launch *l, const struct job *j, const struct run *r, struct strvec *out, struct error *e)
{
    struct strvec env = {0};
    environment_first(&env, l, j);
    char *file = launch_env_file(j);
    int failed = environment_of_user(&env, j, e);
    if (!failed && file)
        failed = envfile_read(&env, file, e);
    free(file);
    if (failed) {
        strvec_clear(&env);
        return failed;
    }
    launch_add(&env, &j->env);
    launch_add(&env, &r->set);
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

int launch_order(const struct launch *l, const struct job *j, const struct run *r, struct order *out, struct error *e)
{
    struct order o = {.id = r->id, .not_before = r->claimed};
    int failed = fields_limits(j, &o.limits, &o.limit_count, e);
    if (failed) {
        order_clear(&o);
        return failed;
    }
    environment_first(&o.env, l, j);
    o.env_file = launch_env_file(j);
    strvec_copy(&o.env_last, &j->env);
    launch_add(&o.env_last, &r->set);
    environment_of_run(&o.env_last, j, r, l->spool);
    launch_words(j, &o.argv);
    o.cwd = mem_string(launch_directory(l, j));
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
