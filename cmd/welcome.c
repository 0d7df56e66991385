#include "cmd/welcome.h"

#include <stdlib.h>
#include <string.h>

#include "cmd/client.h"
#include "lib/text/visible.h"
#include "spool/folder.h"

static void welcome_scheduler(struct buf *b)
{
    const struct common common = {0};
    if (client_served(&common)) {
        buf_text(b, "A scheduler serves your spool: `ax status` tells how it does.\n");
        return;
    }
    char *path = folder_path(NULL);
    buf_text(b, "Jobs run while a scheduler serves the spool, which is ");
    visible_add(b, path, strlen(path), false);
    buf_text(b, ".\nNone does: `ax run --detach` starts one.\n");
    free(path);
}

void welcome_print(struct buf *b)
{
    buf_text(b, "ax runs commands later, or again and again, and keeps how they went.\n\n"
                "  ax add 20m make deploy          in twenty minutes\n"
                "  ax add '0 2 * * *' ./backup     every night, as in a crontab\n"
                "  ax ls                           what is to come, what runs, what went wrong\n"
                "  ax log 1                        what job 1 has written\n\n");
    welcome_scheduler(b);
    buf_text(b, "`ax help` lists all commands, `ax help add` tells all about one.\n");
}
