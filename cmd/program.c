#include "cmd/program.h"

#include <errno.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/sys/child.h"

static int program_wait(pid_t pid, int *status)
{
    struct sigaction ignore = {.sa_handler = SIG_IGN}, interrupt, quit;
    sigaction(SIGINT, &ignore, &interrupt);
    sigaction(SIGQUIT, &ignore, &quit);
    pid_t ended;
    do
        ended = waitpid(pid, status, 0);
    while (ended < 0 && errno == EINTR);
    int number = ended < 0 ? errno : 0;
    sigaction(SIGINT, &interrupt, NULL);
    sigaction(SIGQUIT, &quit, NULL);
    return number;
}

int program_run(const char *const *argv, struct error *e)
{
    struct child child = {.argv = (char *const *)argv,
        .envp = environ,
        .in = STDIN_FILENO,
        .out = STDOUT_FILENO,
        .err = STDERR_FILENO,
        .keep = -1,
        .umask_bits = -1};
    struct child_failure failure;
    int status = 0;
    pid_t pid = child_spawn(&child, NULL, &failure);
    if (pid < 0)
        return error_errno(
            e, ERROR_FAILED, failure.number, "%s cannot be started: %s", argv[0], child_step_name(failure.step));
    int number = program_wait(pid, &status);
    if (number)
        return error_errno(e, ERROR_FAILED, number, "waiting for %s", argv[0]);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
