/* What a line of a crontab is as a job. */
#include "spool/crontab_job.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "spool/mail.h"

static void replace(char **text, const char *with)
{
    free(*text);
    *text = mem_string(with);
}

/* The name of the user that cron would run it as; NULL: nobody knows. */
static const char *user_of(const struct crontab *c, const struct crontab_line *l)
{
    return l->user ? l->user : c->user;
}

static int take_user(const struct crontab *c, const struct crontab_line *l, const struct crontab_place *place, struct job *j, struct error *e)
{
    const char *user = user_of(c, l);
    bool own = !user || (place->runner && strcmp(user, place->runner) == 0);
    if (!own && !place->root) {
        error_set(e, ERROR_USAGE, "it runs as %.*s, and only root can do that: import it as root", UTF8_WORD(user));
        return error_field(e, "user");
    }
    if (place->root && user && (l->user || !own)) /* root's own crontab says nothing of a user */
        replace(&j->user, user);
    return 0;
}

/* LOGNAME and USER are those of the account in any case, and HOME is unless it is set. */
static void take_environment(const struct crontab *c, const struct crontab_line *l, struct job *j, struct strvec *notes)
{
    struct strvec env = {0};
    const char *own = l->user ? l->home : c->home;
    crontab_env(c, l, &env);
    const char *home = strvec_env_get(&env, "HOME");
    bool moved = home && (!own || strcmp(home, own) != 0);
    for (size_t i = 0; i < env.count; i++) {
        const char *pair = env.items[i];
        bool account = !strncmp(pair, "LOGNAME=", 8) || (!strncmp(pair, "USER=", 5) && c->dialect == CRONTAB_CRONIE);
        if (!account && (moved || strncmp(pair, "HOME=", 5) != 0))
            strvec_add(&j->env, pair);
    }
    if (home && home[0] != '/')
        strvec_add(notes, "HOME is no absolute path: cron would not find it, ax runs the command in the home of the user");
    replace(&j->cwd, home && home[0] == '/' ? home : own);
    strvec_clear(&j->shell);
    strvec_add(&j->shell, strvec_env_get(&env, "SHELL"));
    strvec_add(&j->shell, "-c");
    strvec_clear(&env);
}

/* The owner of the crontab gets the output, unless MAILTO says who else or, being empty, nobody. */
static void take_mail(const struct crontab *c, const struct crontab_line *l, struct job *j, struct strvec *notes)
{
    struct error why;
    const char *mailto = strvec_env_get(&j->env, "MAILTO");
    const char *to = mailto ? mailto + strspn(mailto, " \t") : user_of(c, l);
    j->mail = !to || !*to ? MAIL_NEVER : l->mail_on_failure ? MAIL_FAILURE : MAIL_OUTPUT;
    if (j->mail != MAIL_NEVER && mail_addresses(to, NULL, &why) < 0) {
        strvec_take(notes, mem_format("MAILTO: %s; nobody gets mail of it", why.text));
        j->mail = MAIL_NEVER;
    }
    if (j->mail != MAIL_NEVER)
        replace(&j->mailto, to);
}

static void take_schedule(const struct crontab_line *l, struct job *j)
{
    if (l->cron && strcmp(l->cron, "@reboot") == 0)
        j->boot = BOOT_MACHINE;
    else if (l->cron)
        strvec_add(&j->cron, l->cron);
    replace(&j->timezone, l->zone);
    j->jitter = l->random_delay * 60 * SECOND;
}

static void take_command(const struct crontab_line *l, struct job *j)
{
    bool blank = !l->command[strspn(l->command, " \t")];
    j->shell_line = true;
    strvec_add(&j->command, blank ? ":" : l->command);
    replace(&j->description, l->comment);
    if (!l->has_input)
        return;
    replace(&j->input, l->input);
    j->input_length = strlen(l->input);
}

int crontab_job(const struct crontab *c, const struct crontab_line *l, const struct crontab_place *place, struct crontab_made *out, struct error *e)
{
    struct job j;
    struct strvec notes = {0};
    strvec_copy(&notes, &l->notes);
    job_init(&j);
    j.source = mem_string(place->source);
    j.file = mem_string(place->path);
    j.catchup = CATCHUP_SKIP;
    j.overlap = OVERLAP_ALLOW;
    j.weight = 0;
    take_command(l, &j);
    take_schedule(l, &j);
    take_environment(c, l, &j, &notes);
    take_mail(c, l, &j, &notes);
    int code = take_user(c, l, place, &j, e);
    if (code == 0)
        code = job_check(&j, e);
    if (code == 0) {
        *out = (struct crontab_made){j, notes};
        return 0;
    }
    job_clear(&j);
    strvec_clear(&notes);
    return code;
}

int crontab_job_anacron(const struct anacrontab *a, size_t index, const struct crontab_place *place, struct crontab_made *out, struct error *e)
{
    const struct crontab_line *l = &a->tab.lines[index];
    int code = crontab_job(&a->tab, l, place, out, e);
    if (code < 0)
        return code;
    struct job *j = &out->job;
    if (!l->cron && a->jobs[index].days)
        j->every = (duration)a->jobs[index].days * 24 * 3600 * SECOND;
    j->catchup = CATCHUP_LATEST;
    j->overlap = OVERLAP_SKIP;
    free(j->shell.items[0]);
    j->shell.items[0] = mem_string("/bin/sh");
    return 0;
}
