#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cmd/client.h"
#include "cmd/commands.h"
#include "cmd/plainfile.h"
#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "spool/store_dump.h"

struct load_options {
    struct common common;
};
static const struct option_row load_options[] = {
    COMMAND_OPTIONS,
    {0},
};

/* A plain file as it is; of all else a copy, which is read twice. */
static int load_open(const char *from, struct error *e)
{
    struct stat st;
    bool input = strcmp(from, "-") == 0;
    int fd = input ? fcntl(STDIN_FILENO, F_DUPFD_CLOEXEC, 3) : open(from, O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &st) < 0) {
        int code = error_errno(e, ERROR_FAILED, errno, "cannot read %.*s", UTF8_WORD(input ? "standard input" : from));
        if (fd >= 0)
            close(fd);
        return code;
    }
    if (S_ISREG(st.st_mode))
        return fd;
    int copy = plainfile_temporary(NULL, e), code = copy < 0 ? copy : plainfile_copy(fd, copy, e);
    close(fd);
    if (code == 0)
        return copy;
    if (copy >= 0)
        close(copy);
    return code;
}

static int load_spool(const struct common *c, int fd, struct error *e)
{
    struct store *store;
    int code = store_load_check(fd, e);
    if (code == 0)
        code = client_open(c, STORE_WRITE, &store, e);
    if (code < 0)
        return code;
    code = store_load(store, fd, e);
    store_close(store);
    return code;
}

static int load_run(const struct command *self, int argc, char **argv)
{
    struct load_options o = {0};
    struct error e = {0};
    int exit_code, first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (argc - first != 1)
        return command_usage_error(self, "name the FILE of the dump, or - for standard input");
    if (strcmp(argv[first], "-") == 0 && isatty(STDIN_FILENO))
        return command_usage_error(self, "a dump is not typed: name its FILE");
    int fd = load_open(argv[first], &e), code = fd < 0 ? fd : load_spool(&o.common, fd, &e);
    if (fd >= 0)
        close(fd);
    if (code == 0)
        return 0;
    if (e.line) {
        struct error placed = e;
        placed.line = 0;
        snprintf(placed.text, sizeof placed.text, "%.*s: line %d: %.*s", (int)utf8_cut(argv[first], 100), argv[first],
            e.line, 380, e.text);
        placed.source[0] = '\0';
        placed.column = 0;
        return command_fail(self, &placed);
    }
    return command_fail(self, &e);
}

const struct command command_load = {
    .name = "load",
    .summary = "make a spool of what `ax dump` has written",
    .usage = "[options] FILE|-",
    .about = "The spool must be new or empty, and not served. The dump goes in whole or not at\n"
             "all; a line that is wrong is named. Runs that were open in it are then as after\n"
             "a death of the machine: `if_lost` of their jobs decides.",
    .options = load_options,
    .run = load_run,
};
