#include "cmd/run/run.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/run/scheduler.h"
#include "lib/sys/manager.h"
#include "lib/base/mem.h"
#include "lib/base/strvec.h"
#include "lib/sys/child.h"
#include "lib/sys/process.h"

#define LOG_NAME "scheduler.log"
#define LOG_KEPT "scheduler.log.1"
#define LOG_ROTATE (10 * 1024 * 1024) /* bytes; a larger log is set aside when a scheduler starts */
#define WORKERS 5
#define WORKERS_MOST 10000

struct run_arguments {
    struct common common;
    int workers;
    bool detach, detached, stop;
    int on_stop;
    duration stop_timeout;
    bool until_idle;
    char *jobs;
    int log_format, log_level;
};

static const char *const on_stop_words[] = {"wait", "leave", "kill", NULL};
static const char *const log_format_words[] = {"text", "json", NULL};

/* clang-format off */
static const struct option_row run_options[] = {
    {'j', "workers", OPTION_INT, offsetof(struct run_arguments, workers), "N", "how many runs at once (5)", 1, WORKERS_MOST, NULL, NULL, NULL},
    {0, "detach", OPTION_FLAG, offsetof(struct run_arguments, detach), NULL, "go to the background; the log is scheduler.log in the spool", 0, 0, NULL, NULL, NULL},
    {0, "stop", OPTION_FLAG, offsetof(struct run_arguments, stop), NULL, "tell the scheduler that serves the spool to stop, and wait until it has", 0, 0, NULL, NULL, NULL},
    {0, "detached", OPTION_FLAG, offsetof(struct run_arguments, detached), NULL, NULL, 0, 0, NULL, NULL, NULL},
    {0, "on-stop", OPTION_CHOICE, offsetof(struct run_arguments, on_stop), "wait|leave|kill", "when told to stop: wait for the runs (default), leave them to the next scheduler, or end them", 0, 0, on_stop_words, NULL, NULL},
    {0, "stop-timeout", OPTION_DURATION, offsetof(struct run_arguments, stop_timeout), "D", "how long --on-stop wait waits (30s)", 0, 0, NULL, NULL, NULL},
    {0, "jobs", OPTION_TEXT, offsetof(struct run_arguments, jobs), "DIR", "keep the spool to the job files of this folder", 0, 0, NULL, NULL, NULL},
    {0, "until-idle", OPTION_FLAG, offsetof(struct run_arguments, until_idle), NULL, "end when nothing runs or waits and no one-off job is pending", 0, 0, NULL, NULL, NULL},
    {0, "log-format", OPTION_CHOICE, offsetof(struct run_arguments, log_format), "text|json", "form of the log lines", 0, 0, log_format_words, NULL, NULL},
    {0, "log-level", OPTION_CHOICE, offsetof(struct run_arguments, log_level), "error|warning|info|debug", "how much is logged (default: $AX_LOG, else info)", 0, 0, log_level_names, NULL, NULL},
    COMMAND_OPTIONS,
    {0},
};
/* clang-format on */

static int level_from_environment(int *level, struct error *e)
{
    const char *wanted = getenv("AX_LOG");
    *level = LOG_LEVEL_INFO;
    if (!wanted || !*wanted)
        return 0;
    for (int i = 0; log_level_names[i]; i++) {
        if (strcmp(log_level_names[i], wanted) == 0) {
            *level = i;
            return 0;
        }
    }
    return error_set(e, ERROR_USAGE, "AX_LOG: '%s' is none of error, warning, info, debug", wanted);
}

/* ---- --detach ---- */

static int log_open(const struct folder *f, struct error *e)
{
    struct stat status;
    if (fstatat(f->fd, LOG_NAME, &status, AT_SYMLINK_NOFOLLOW) == 0 && status.st_size > LOG_ROTATE)
        renameat(f->fd, LOG_NAME, f->fd, LOG_KEPT);
    int fd = openat(f->fd, LOG_NAME, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600);
    if (fd < 0)
        error_errno(e, ERROR_SPOOL, errno, "opening the log %s/" LOG_NAME, f->path);
    return fd;
}

/* The command line again, but for --detach. */
static void detached_words(const char *spool, const char *jobs, int argc, char **argv, struct strvec *words)
{
    strvec_add(words, "ax");
    strvec_add(words, "run");
    strvec_add(words, "--detached");
    for (int i = 0; i < argc; i++)
        if (strcmp(argv[i], "--detach") != 0)
            strvec_add(words, argv[i]);
    strvec_add(words, "--spool"); /* the last one wins; a relative one would be looked for in / */
    strvec_add(words, spool);
    if (jobs) {
        strvec_add(words, "--jobs");
        strvec_add(words, jobs);
    }
}

/* The new scheduler writes a byte when it serves; without one its log, or its exit, says why not. */
static int detach_wait(int ready, pid_t pid, const struct folder *f, off_t log_before, struct error *e)
{
    char byte;
    ssize_t got;
    do
        got = read(ready, &byte, 1);
    while (got < 0 && errno == EINTR);
    if (got == 1) {
        printf("serving %s, pid %d; log: %s/" LOG_NAME "\n", f->path, (int)pid, f->path);
        return 0;
    }
    pid_t holder = folder_scheduler(f);
    if (holder)
        return error_set(e, ERROR_EXISTS, "%s is served already, by the scheduler with pid %d", f->path, (int)holder);
    char last[256] = "";
    int fd = openat(f->fd, LOG_NAME, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    ssize_t n = fd < 0 ? 0 : pread(fd, last, sizeof last - 1, log_before);
    if (fd >= 0)
        close(fd);
    last[n > 0 ? n : 0] = '\0';
    last[strcspn(last, "\n")] = '\0';
    return error_set(e, ERROR_FAILED, "the scheduler did not start; its log says: %s", last);
}

static int detach_spawn(const struct folder *f, const char *jobs, int argc, char **argv, struct error *e)
{
    int ready[2];
    struct stat status = {0};
    int log = log_open(f, e);
    if (log < 0)
        return -(int)ERROR_SPOOL;
    fstat(log, &status);
    if (pipe2(ready, O_CLOEXEC) != 0) {
        close(log);
        return error_errno(e, ERROR_FAILED, errno, "making a pipe");
    }
    struct strvec words = {0};
    detached_words(f->path, jobs, argc, argv, &words);
    struct child child = {.file = "/proc/self/exe", .argv = words.items, .envp = environ, .directory = "/", .in = -1, .out = log, .err = log,
        .keep = ready[1], .umask_bits = -1, .new_session = true};
    struct child_failure failure;
    pid_t pid = child_spawn(&child, NULL, &failure);
    close(ready[1]);
    close(log);
    strvec_clear(&words);
    int failed = pid < 0 ? error_errno(e, ERROR_FAILED, failure.number, "starting the scheduler: %s", child_step_name(failure.step))
                         : detach_wait(ready[0], pid, f, status.st_size, e);
    close(ready[0]);
    return failed;
}

static int detach(const char *spool, const char *jobs, int argc, char **argv, struct error *e)
{
    struct folder folder;
    int failed = folder_open(spool, true, &folder, e);
    if (failed)
        return failed;
    pid_t holder = folder_scheduler(&folder);
    failed = holder ? error_set(e, ERROR_EXISTS, "%s is served already, by the scheduler with pid %d", folder.path, (int)holder)
                    : detach_spawn(&folder, jobs, argc, argv, e);
    folder_clear(&folder);
    return failed;
}

/* ---- ax run --stop ---- */

static int stop_wait(int handle, const char *spool, pid_t pid, struct error *e)
{
    struct pollfd ended = {.fd = handle, .events = POLLIN};
    if (process_signal(handle, SIGTERM) != 0)
        return error_errno(e, ERROR_FAILED, errno, "stopping the scheduler with pid %d", (int)pid);
    while (poll(&ended, 1, -1) < 0)
        if (errno != EINTR)
            return error_errno(e, ERROR_FAILED, errno, "waiting for the scheduler with pid %d", (int)pid);
    printf("the scheduler of %s has stopped, pid %d\n", spool, (int)pid);
    return 0;
}

static int stop_serving(const char *spool, struct error *e)
{
    struct folder folder;
    int failed = folder_open(spool, false, &folder, e);
    if (failed)
        return failed;
    pid_t pid = folder_scheduler(&folder);
    int handle = pid > 0 ? process_open(pid) : -1;
    if (!pid || (pid > 0 && folder_scheduler(&folder) != pid)) /* it has just gone, and its pid may be another's */
        printf("nobody serves %s\n", folder.path);
    else if (handle < 0)
        failed = error_set(e, ERROR_FAILED, "the scheduler of %s cannot be seen from here: stop it where it runs, such as in its container", folder.path);
    else
        failed = stop_wait(handle, folder.path, pid, e);
    if (handle >= 0)
        close(handle);
    folder_clear(&folder);
    return failed;
}

/* ---- the command ---- */

static int serve(const char *spool, const struct run_arguments *a, const char *manager, struct error *e)
{
    struct log log = {.fd = STDERR_FILENO, .level = (enum log_level)a->log_level, .format = (enum log_format)a->log_format};
    struct scheduler_options options = {.workers = (uint32_t)a->workers, .on_stop = a->on_stop, .stop_timeout = a->stop_timeout,
        .until_idle = a->until_idle, .jobs = a->jobs, .manager = manager, .ready_fd = a->detached ? 3 : -1};
    if (a->detached)
        fcntl(3, F_SETFD, FD_CLOEXEC);
    int code = scheduler_run(spool, &options, &log, e);
    log_clear(&log);
    return code;
}

static int run_run(const struct command *self, int argc, char **argv)
{
    struct run_arguments a = {.workers = WORKERS, .stop_timeout = 30 * SECOND, .log_level = LOG_LEVEL_INFO};
    struct error e = {0};
    int code = 0;
    char *manager = manager_socket();
    if (level_from_environment(&a.log_level, &e) < 0) {
        free(manager);
        return command_fail(self, &e);
    }
    /* options_parse reorders; the words of --detach are wanted as they were */
    char **words = mem_copy(argv, ((size_t)argc + 1) * sizeof *argv);
    int operand = command_options(self, OPTIONS_ANYWHERE, argc, argv, &a, &code);
    if (operand >= 0 && operand < argc) {
        code = command_usage_error(self,
            "ax run serves the spool and takes no job; to run a job now: `ax start %s` (through the queues) or `ax exec %s` (here, in the foreground)",
            argv[operand], argv[operand]);
    } else if (operand >= 0) {
        char *spool = folder_path(a.common.spool);
        char *jobs = a.jobs ? folder_absolute(a.jobs) : NULL;
        a.jobs = jobs;
        if (a.stop)
            code = stop_serving(spool, &e);
        else
            code = a.detach ? detach(spool, jobs, argc, words, &e) : serve(spool, &a, manager, &e);
        free(jobs);
        free(spool);
        if (code < 0)
            code = command_fail(self, &e);
    }
    free(manager);
    free(words);
    return code;
}

const struct command command_run = {
    .name = "run",
    .summary = "serve the spool: run jobs when they are due",
    .usage = "[options]",
    .about = "The scheduler. It serves one spool until it is told to stop (TERM, INT or HUP).\n"
             "Runs that are going then are waited for, left to the next scheduler, or ended,\n"
             "as --on-stop says; exit status 6 says that some were left going.",
    .options = run_options,
    .run = run_run,
};
