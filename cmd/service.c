/* ax service: the scheduler as a service of systemd, for the system or for one user; elsewhere what to do by hand. */
#include "cmd/commands.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/program.h"
#include "lib/base/mem.h"
#include "lib/sys/write.h"
#include "lib/text/visible.h"
#include "spool/folder.h"

struct service {
    struct common common;
    bool user, system, dry_run;
    const char *jobs;
};

static const struct option_row service_options[] = {
    {.word = "system",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct service, system),
        .help = "a service of the machine (for root: the default)"},
    {.word = "user",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct service, user),
        .help = "a service of this user (for others: the default)"},
    {.word = "jobs",
        .kind = OPTION_TEXT,
        .offset = offsetof(struct service, jobs),
        .placeholder = "DIR",
        .help = "with a folder of job files that is followed"},
    {.word = "dry-run",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct service, dry_run),
        .help = "print what would be written and done"},
    COMMAND_OPTIONS,
    {0},
};

/* ---- the unit ---- */

/* A word of ExecStart (systemd.service(5), "Command lines"): `$` and `%` are doubled, the rest is quoted where need be.
 */
static void unit_word(struct buf *b, const char *word)
{
    bool plain =
        *word && !word[strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_./+,@:=-$%")];
    buf_text(b, plain ? " " : " \"");
    for (const char *p = word; *p; p++) {
        if (*p == '$' || *p == '%')
            buf_char(b, *p);
        if (*p == '"' || *p == '\\')
            buf_char(b, '\\');
        buf_char(b, *p);
    }
    buf_text(b, plain ? "" : "\"");
}

static void unit_text(struct buf *b, const struct service *o, const char *program)
{
    buf_text(b, "# Written by `ax service install`.\n"
                "[Unit]\n"
                "Description=ax: commands that run later, or again and again\n"
                "Documentation=man:ax(1)\n");
    if (!o->user) /* the manager of a user knows no such target */
        buf_text(b, "# Due times need the right time.\n"
                    "After=time-sync.target\n"
                    "Wants=time-sync.target\n");
    buf_text(b, "\n"
                "[Service]\n"
                "Type=notify\n"
                "ExecStart=");
    struct buf line = {0};
    unit_word(&line, program);
    buf_text(b, buf_string(&line) + 1);
    buf_text(b, " run --on-stop leave");
    buf_reset(&line);
    if (o->common.spool) {
        char *spool = folder_absolute(o->common.spool);
        buf_text(&line, " --spool");
        unit_word(&line, spool);
        free(spool);
    }
    if (o->jobs) {
        char *jobs = folder_absolute(o->jobs);
        buf_text(&line, " --jobs");
        unit_word(&line, jobs);
        free(jobs);
    }
    buf_add(b, line.data, line.length);
    buf_clear(&line);
    buf_text(b,
        "\n"
        "# Runs go on while the scheduler is stopped, restarted or upgraded; the next one takes them over.\n"
        "KillMode=process\n"
        "SuccessExitStatus=6\n"
        "# One command that is killed for its memory is no reason to end the others.\n"
        "OOMPolicy=continue\n"
        "Restart=on-failure\n"
        "# Wrong use, a scheduler that serves already, a spool that cannot be used: trying again does not help.\n"
        "RestartPreventExitStatus=2 4 5\n"
        "# Jobs live in here too: what is limited or taken away here is so for all of them.\n"
        "TasksMax=infinity\n"
        "\n"
        "[Install]\n");
    buf_format(b, "WantedBy=%s.target\n", o->user ? "default" : "multi-user");
}

static char *unit_path(const struct service *o)
{
    const char *config = getenv("XDG_CONFIG_HOME"), *home = getenv("HOME");
    if (!o->user)
        return mem_string("/etc/systemd/system/ax.service");
    if (config && config[0] == '/')
        return mem_format("%s/systemd/user/ax.service", config);
    return mem_format("%s/.config/systemd/user/ax.service", home ? home : "");
}

/* Where this program lies. */
static char *service_program(void)
{
    char path[4096];
    ssize_t n = readlink("/proc/self/exe", path, sizeof path - 1);
    if (n <= 0)
        return mem_string("/usr/bin/ax");
    path[n] = '\0';
    return mem_string(path);
}

/* The unit that was installed beside this program, such as /usr/lib/systemd/system/ax.service beside /usr/bin/ax. NULL:
 * none that starts it. share/systemd has its text. */
static char *unit_beside(const struct service *o, const char *program)
{
    const char *slash = strrchr(program, '/');
    static const char *const folders[] = {
        "%.*s/../lib/systemd/%s/ax.service", "%.*s/../../lib/systemd/%s/ax.service", NULL};
    char *start = mem_format("ExecStart=%s run ", program), *found = NULL;
    for (int i = 0; folders[i] && !found; i++) {
        char *path = mem_format(folders[i], (int)(slash - program), program, o->user ? "user" : "system");
        char text[4096];
        int fd = open(path, O_RDONLY | O_CLOEXEC);
        ssize_t n = fd < 0 ? -1 : read(fd, text, sizeof text - 1);
        if (fd >= 0)
            close(fd);
        if (n > 0) {
            text[n] = '\0';
            found = strstr(text, start) ? realpath(path, NULL) : NULL;
        }
        free(path);
    }
    free(start);
    return found;
}

/* ---- writing it ---- */

static int service_folders(const char *path, struct error *e)
{
    char *folder = mem_string(path);
    for (char *p = strchr(folder + 1, '/'); p; p = strchr(p + 1, '/')) {
        *p = '\0';
        if (mkdir(folder, 0755) < 0 && errno != EEXIST) {
            int code = error_errno(e, ERROR_FAILED, errno, "making %s", folder);
            free(folder);
            return code;
        }
        *p = '/';
    }
    free(folder);
    return 0;
}

/* 0, or the errno. */
static int service_put(const char *path, const struct buf *text)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
    if (fd < 0)
        return errno;
    int number = write_synced(fd, text->data, text->length);
    close(fd);
    return number;
}

static int service_write(const char *path, const struct buf *text, struct error *e)
{
    char *temporary = mem_format("%s.new", path);
    int code = service_folders(path, e);
    int number = code == 0 ? service_put(temporary, text) : 0;
    if (code == 0 && !number && rename(temporary, path) < 0)
        number = errno;
    if (number) {
        code = error_errno(e, ERROR_FAILED, number, "writing %s", path);
        unlink(temporary);
    }
    free(temporary);
    return code;
}

/* ---- systemctl ---- */

static const char *const reload[] = {"daemon-reload", NULL}, *const enable[] = {"enable", "--now", "ax.service", NULL},
                         *const disable[] = {"disable", "--now", "ax.service", NULL},
                         *const state[] = {"--no-pager", "status", "ax.service", NULL};

static void systemctl_line(struct buf *b, const struct service *o, const char *const *words)
{
    buf_format(b, "systemctl%s", o->user ? " --user" : "");
    for (; *words; words++)
        buf_format(b, " %s", *words);
    buf_char(b, '\n');
}

/* Returns its exit code, or a negative code. */
static int systemctl(const struct service *o, const char *const *words, struct error *e)
{
    const char *argv[8] = {"systemctl"};
    int count = 1;
    if (o->user)
        argv[count++] = "--user";
    for (; *words; words++)
        argv[count++] = *words;
    return program_run(argv, e);
}

/* sd_booted(3); the manager of a user runs under it. */
static bool service_has_systemd(void)
{
    return access("/run/systemd/system", F_OK) == 0;
}

static int service_by_hand(const struct command *self, const char *program)
{
    struct buf b = {0};
    buf_format(&b,
        "There is no systemd here. What starts the scheduler otherwise:\n"
        "  cron        @reboot %s run --detach --on-stop leave\n"
        "  OpenRC      command=%s, command_args=\"run --on-stop leave\", command_background=yes in /etc/init.d/ax\n"
        "  runit       exec %s run --on-stop leave 2>&1   in /etc/sv/ax/run\n"
        "  a container %s run as its first process\n",
        program, program, program, program);
    command_print(self, &b);
    buf_clear(&b);
    return ERROR_FAILED;
}

/* ---- install, remove, status ---- */

/* What `install` and `remove` work with. */
struct service_unit {
    char *program;
    char *path;      /* of the unit that `install` writes */
    char *beside;    /* unit_beside */
    bool is_written; /* it is not enough to enable the one that is there */
};

static struct service_unit service_find(const struct service *o)
{
    struct service_unit u = {.program = service_program(), .path = unit_path(o)};
    u.beside = unit_beside(o, u.program);
    u.is_written = !u.beside || o->jobs || o->common.spool;
    return u;
}

static void service_forget(struct service_unit *u)
{
    free(u->program);
    free(u->path);
    free(u->beside);
}

static void service_print(const struct command *self, const struct service *o, const struct service_unit *u)
{
    struct buf b = {0};
    buf_format(&b, "# %s%s\n", u->is_written ? u->path : u->beside, u->is_written ? "" : ", which is there");
    if (u->is_written)
        unit_text(&b, o, u->program);
    buf_text(&b, "# then:\n");
    systemctl_line(&b, o, reload);
    systemctl_line(&b, o, enable);
    command_print(self, &b);
    buf_clear(&b);
}

static int service_write_unit(const struct service *o, const struct service_unit *u, struct error *e)
{
    struct buf unit = {0};
    unit_text(&unit, o, u->program);
    int code = service_write(u->path, &unit, e);
    buf_clear(&unit);
    return code;
}

static int service_enable(
    const struct command *self, const struct service *o, const struct service_unit *u, struct error *e)
{
    int code = u->is_written ? service_write_unit(o, u, e) : 0;
    if (code == 0)
        code = systemctl(o, reload, e);
    if (code == 0)
        code = systemctl(o, enable, e);
    if (code != 0)
        return code;
    struct buf b = {0};
    buf_format(&b, "%s is %s; `ax service status` and `ax status` tell how it does\n",
        u->is_written ? u->path : u->beside, u->is_written ? "written and enabled" : "enabled");
    command_print(self, &b);
    buf_clear(&b);
    if (o->user)
        command_warn(
            self, "services of a user end with the last session, unless `loginctl enable-linger` lets them go on");
    return 0;
}

static int service_install(const struct command *self, const struct service *o, struct error *e)
{
    if (o->jobs && access(o->jobs, F_OK) < 0)
        command_warn(self, "%s is not there yet: until it is, the scheduler will not start", o->jobs);
    struct service_unit u = service_find(o);
    int code = ERROR_NONE;
    if (o->dry_run)
        service_print(self, o, &u);
    else if (!service_has_systemd())
        code = service_by_hand(self, u.program);
    else
        code = service_enable(self, o, &u, e);
    service_forget(&u);
    return code;
}

static int service_disable(const struct service *o, const struct service_unit *u, bool written, struct error *e)
{
    int code = systemctl(o, disable, e);
    if (code == 0 && written && unlink(u->path) < 0)
        code = error_errno(e, ERROR_FAILED, errno, "removing %s", u->path);
    return code == 0 ? systemctl(o, reload, e) : code;
}

static int service_remove(const struct command *self, const struct service *o, struct error *e)
{
    struct service_unit u = service_find(o);
    bool written = access(u.path, F_OK) == 0;
    int code = 0;
    if (!written && !u.beside)
        code = error_set(e, ERROR_NOT_FOUND, "there is no %s", u.path);
    else if (!o->dry_run)
        code = service_disable(o, &u, written, e);
    if (code == 0) {
        struct buf b = {0};
        buf_format(&b, "%s the service%s%s; jobs that run go on\n", o->dry_run ? "would stop" : "stopped",
            !written     ? ", which is enabled no more"
            : o->dry_run ? " and remove "
                         : " and removed ",
            written ? u.path : "");
        command_print(self, &b);
        buf_clear(&b);
    }
    service_forget(&u);
    return code;
}

static int service_do(const struct command *self, const struct service *o, const char *word, struct error *e)
{
    if (strcmp(word, "install") == 0)
        return service_install(self, o, e);
    if (strcmp(word, "remove") == 0)
        return service_remove(self, o, e);
    if (strcmp(word, "status") == 0)
        return systemctl(o, state, e);
    return error_set(e, ERROR_USAGE, "takes install, remove or status, not `%s`", word);
}

static int service_run(const struct command *self, int argc, char **argv)
{
    struct service o = {0};
    struct error e = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (!o.common.spool && getenv("AX_SPOOL") && *getenv("AX_SPOOL"))
        o.common.spool = getenv("AX_SPOOL"); /* the service has another environment */
    if (argc - first != 1)
        return command_usage_error(self, "takes install, remove or status");
    if (o.user && o.system)
        return command_usage_error(self, "--user and --system exclude each other");
    o.user = o.user || (!o.system && geteuid() != 0);
    int code = service_do(self, &o, argv[first], &e);
    return code < 0 ? command_fail(self, &e) : code;
}

const struct command command_service = {
    .name = "service",
    .summary = "have the scheduler started by systemd",
    .usage = "install [--user|--system] [--jobs DIR] [--dry-run]\nremove\nstatus",
    .about = "The unit lets runs go on when the scheduler is stopped, restarted or upgraded.\n"
             "Where there is no systemd, `install` says what to do instead.",
    .options = service_options,
    .run = service_run,
};
