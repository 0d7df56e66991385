#include "cmd/commands.h"

struct version_options {
    struct common common;
    bool json;
};
static const struct option_row version_options[] = {
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct version_options, json), .help = "print one JSON object"},
    COMMAND_OPTIONS,
    {0},
};

static int version_run(const struct command *self, int argc, char **argv)
{
    struct version_options o = {0};
    int exit_code = 0;
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (first < argc)
        return command_usage_error(self, "takes no arguments, but was given `%s`", argv[first]);
    struct buf b = {0};
    buf_text(&b, o.json ? "{\"version\":\"" AX_VERSION "\"}\n" : "ax " AX_VERSION "\n");
    command_print(self, &b);
    buf_clear(&b);
    return ERROR_NONE;
}

const struct command command_version = {
    .name = "version",
    .summary = "print the version",
    .usage = "[--json]",
    .options = version_options,
    .run = version_run,
};
