/* The command of a line: what the shell gets, and what it reads. */
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/crontab_parts.h"

/* The command up to the first % that no backslash protects. Returns what follows that %, or NULL. Debian takes the
 * backslash off another backslash too. */
static const char *read_command(const char *at, enum crontab_dialect dialect, struct buf *out)
{
    for (bool escaped = false; *at; at++) {
        bool shortens = escaped && (*at == '%' || (*at == '\\' && dialect == CRONTAB_DEBIAN));
        if (*at == '%' && !escaped)
            return at + 1;
        if (shortens)
            buf_cut(out, out->length - 1);
        escaped = !escaped && *at == '\\';
        buf_char(out, *at);
    }
    return NULL;
}

/* A backslash is held back until it is known what follows: only a % takes it off, and one that follows another is held
 * back in its turn. A newline is put at the end unless what was written last is one. */
static void read_input(const char *at, struct buf *out)
{
    bool held = false, open = false;
    for (; *at; at++) {
        char c = *at == '%' && !held ? '\n' : *at;
        if (held && *at != '%')
            buf_char(out, '\\');
        held = c == '\\';
        if (held)
            continue;
        buf_char(out, c);
        open = c != '\n';
    }
    if (held)
        buf_char(out, '\\');
    if (open)
        buf_char(out, '\n');
}

/* Is a quote open where the command ends, or a format that `date` was to get? */
static bool looks_cut(const char *command)
{
    char open = '\0';
    size_t length = strlen(command);
    for (const char *at = command; *at; at++) {
        if (*at == '\\' && open != '\'' && at[1])
            at++;
        else if (open ? *at == open : strchr("'\"`", *at) != NULL)
            open = open ? '\0' : *at;
    }
    return open || (length && command[length - 1] == '+');
}

void crontab_command_read(const char *text, enum crontab_dialect dialect, struct crontab_line *l)
{
    struct buf command = {0}, input = {0};
    const char *rest = read_command(text, dialect, &command);
    l->command = buf_take(&command);
    l->has_input = rest != NULL;
    if (!rest)
        return;
    read_input(rest, &input);
    l->input = buf_take(&input);
    if (looks_cut(l->command))
        strvec_add(&l->notes, "the first % ends the command, as in cron, and what follows is its standard input: a "
                              "percent sign is written \\%");
}
