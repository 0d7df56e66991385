/* The rows of the table in command.c, each in the file of its command. */
#ifndef AX_COMMANDS_H
#define AX_COMMANDS_H

#include "cmd/command.h"

/* clang-format off */
extern const struct command
    command_add, command_apply, command_cancel, command_check, command_diff, command_edit, command_exec, command_export, command_help_row, command_history, command_import,
    command_log, command_ls, command_next, command_pause, command_queue, command_resume, command_retry, command_schema, command_set, command_show, command_signal, command_skip, command_start, command_stop, command_version, command_wait;
extern const struct command command_doctor, command_dump, command_load;
extern const struct command command_complete, command_completion, command_prune, command_service, command_status, command_why;
/* clang-format on */

#endif
