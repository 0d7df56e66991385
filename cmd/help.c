#include "cmd/commands.h"


struct help_options {
    struct common common;
};
static const struct option_row help_options[] = {COMMAND_OPTIONS, {0}};

static int help_run(const struct command *self, int argc, char **argv)
{
    struct help_options o = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (argc - first > 1)
        return command_usage_error(self, "takes one command");
    struct buf b = {0};
    if (first == argc) {
        command_overview(&b);
    } else {
        const struct command *c = command_find(argv[first]);
        if (!c)
            return command_unknown(self, argv[first]);
        command_help(&b, c);
    }
    command_print(self, &b);
    buf_clear(&b);
    return ERROR_NONE;
}

const struct command command_help_row = {
    .name = "help",
    .summary = "list the commands, or tell all about one",
    .usage = "[COMMAND]",
    .options = help_options,
    .run = help_run,
};
