#include "cmd/caller.h"

#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/time/zone.h"

/* Variables that tell of the terminal, the window or the login the job is added from. When the job runs these are gone or belong to
 * someone else, and a program that believed them would wait for an answer nobody gives, or draw on a stranger's screen. */
static const char *const caller_session[] = {
    "TERM", "TERMCAP", "COLORTERM", "TERM_*", "COLUMNS", "LINES", "VTE_VERSION", "GPG_TTY",         /* the terminal */
    "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "WINDOWID",                                         /* the screen: at drops DISPLAY too */
    "SSH_*", "XDG_SESSION_*", "XDG_SEAT", "XDG_VTNR",                                               /* the login: its sockets end with it */
    "TMUX", "TMUX_*", "STY", "WINDOW",                                                              /* the multiplexer */
    "_", "SHLVL", "PWD", "OLDPWD", "SHELLOPTS", "BASHOPTS", "BASH_VERSINFO", "EUID", "GROUPS", "PPID", "UID", /* the calling shell itself */
    "AX_JOB", "AX_NAME", "AX_RUN", "AX_ATTEMPT", "AX_DUE", "AX_KEY",                                /* the run that adds this job */
    NULL,
};

static bool caller_drops(const char *name, const struct strvec *more)
{
    for (const char *const *p = caller_session; *p; p++)
        if (fnmatch(*p, name, 0) == 0)
            return true;
    for (size_t i = 0; i < more->count; i++)
        if (fnmatch(more->items[i], name, 0) == 0)
            return true;
    return false;
}

static void caller_keep_environment(struct job *j, const struct strvec *drop)
{
    j->has_kept_env = true;
    for (char **entry = environ; *entry; entry++) {
        const char *sign = strchr(*entry, '=');
        if (!sign || sign == *entry)
            continue;
        char *name = mem_format("%.*s", (int)(sign - *entry), *entry);
        if (!caller_drops(name, drop))
            strvec_add(&j->kept_env, *entry);
        free(name);
    }
    strvec_sort(&j->kept_env); /* equal environments are stored once */
}

int caller_keep(struct job *j, const struct caller_rules *rules, struct error *e)
{
    if (!j->cwd && !rules->directory)
        return error_set(e, ERROR_USAGE, "the current directory is gone or cannot be read; --cwd DIR gives the job another");
    if (!j->cwd)
        j->cwd = mem_string(rules->directory);
    if (j->umask_bits < 0) {
        mode_t bits = umask(0);
        umask(bits);
        j->umask_bits = (int)bits;
    }
    if (!rules->clean)
        caller_keep_environment(j, rules->drop);
    return 0;
}

/* The name in a value of TZ: `Europe/Berlin`, `:Europe/Berlin`, or the path of its file. */
static const char *caller_zone_name(const char *tz)
{
    const char *name = tz + (*tz == ':'), *folder = getenv("TZDIR");
    folder = folder && *folder ? folder : "/usr/share/zoneinfo";
    size_t length = strlen(folder);
    if (strncmp(name, folder, length) == 0 && name[length] == '/')
        name += length + 1;
    return *name ? name : "UTC";
}

int caller_timezone(struct job *j, struct error *e)
{
    const char *tz = getenv("TZ");
    struct zone *zone;
    if (!tz || j->timezone || !job_needs_zone(j))
        return 0;
    const char *name = caller_zone_name(tz);
    if (strcmp(name, "/etc/localtime") == 0)
        return 0;
    if (zone_load(name, &zone, NULL) < 0)
        return error_set(e, ERROR_USAGE, "TZ is '%.*s', which names no zone that a job can keep: say where its times are local by --timezone ZONE (timezone), such as Europe/Berlin",
                         UTF8_WORD(tz));
    zone_free(zone);
    j->timezone = mem_string(name);
    return 0;
}
