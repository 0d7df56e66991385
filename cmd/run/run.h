/* ax run: the scheduler as a command. */
#ifndef AX_RUN_COMMAND_H
#define AX_RUN_COMMAND_H

#include "cmd/command.h"

extern const struct command command_run;

#endif
