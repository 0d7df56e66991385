/* What jobs name and is not there. */
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/doctor.h"
#include "lib/base/mem.h"
#include "lib/sys/child.h"
#include "spool/job_schedule.h"

#define JOB "job"

static bool gone(const char *path)
{
    struct stat st;
    return stat(path, &st) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

static void job_user(struct doctor *d, const struct job *j, const char *where)
{
    struct child_user user;
    struct error e = {0};
    char own[16];
    if (!j->user && !j->group)
        return;
    snprintf(own, sizeof own, "%u", (unsigned)getuid());
    if (child_user_find(j->user ? j->user : own, j->group, &user, &e) == 0)
        child_user_clear(&user);
    else if (e.code == ERROR_NOT_FOUND)
        doctor_say(d, JOB, where, "its runs cannot be started: make the account, or `ax set JOB user=NAME group=NAME`",
            "%s", e.text);
}

static void job_files(struct doctor *d, const struct job *j, const char *where)
{
    struct stat st;
    if (j->cwd && gone(j->cwd))
        doctor_say(d, JOB, where, "its runs cannot be started: make the folder, or `ax set JOB cwd=DIR`",
            "its folder %s is not there", j->cwd);
    else if (j->cwd && stat(j->cwd, &st) == 0 && !S_ISDIR(st.st_mode))
        doctor_say(d, JOB, where, "its runs cannot be started: `ax set JOB cwd=DIR`", "its folder %s is none", j->cwd);
    char *file = !j->env_file || *j->env_file == '/' || !j->cwd ? mem_string(j->env_file)
                                                                : mem_format("%s/%s", j->cwd, j->env_file);
    if (file && *file == '/' && gone(file))
        doctor_say(d, JOB, where, "its runs cannot be started: make the file, or `ax set JOB env_file=FILE`",
            "its env_file %s is not there", file);
    free(file);
    const char *shell = j->shell_line && j->shell.count ? j->shell.items[0] : NULL;
    if (shell && *shell == '/' && access(shell, X_OK) != 0)
        doctor_say(d, JOB, where, "its runs cannot be started: `ax set JOB shell=PATH`",
            "its shell %s cannot be run: %s", shell, strerror(errno));
    const char *program = !j->shell_line && j->command.count ? j->command.items[0] : NULL;
    if (program && *program == '/' && gone(program))
        doctor_say(d, JOB, where, "its runs cannot be started: install it, or `ax set JOB command=...`",
            "its command %s is not there", program);
}

/* The zones of calendar expressions too. */
static void job_zone(struct doctor *d, const struct job *j, const char *where)
{
    struct schedule schedule;
    struct error e = {0};
    if (!d->has_zones && zones_init(&d->zones, "UTC", NULL) < 0)
        return;
    d->has_zones = true;
    if (job_schedule(j, &d->zones, &schedule, &e) == 0)
        schedule_clear(&schedule);
    else
        doctor_say(d, "zone", where, "install tzdata, or `ax set JOB timezone=NAME`: until then it has no due times",
            "its schedule cannot be reckoned: %s", e.text);
}

void doctor_job(struct doctor *d, const struct job *j)
{
    char *where = mem_format("job %" PRIu64 "%s%s", j->number, j->name ? " " : "", j->name ? j->name : "");
    job_user(d, j, where);
    job_files(d, j, where);
    if (job_needs_zone(j) || j->timezone)
        job_zone(d, j, where);
    free(where);
}
