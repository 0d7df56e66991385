#include "cmd/add_command.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/buf.h"

enum { SCRIPT_MAX = 1 << 20 }; /* far above what the kernel takes as one word, which job_check knows */

static void command_line_is(struct job *j, const char *line)
{
    strvec_clear(&j->command);
    strvec_add(&j->command, line);
    j->shell_line = true;
}

static void command_vector_is(struct job *j, char **words, int count)
{
    strvec_clear(&j->command);
    for (int i = 0; i < count; i++)
        strvec_add(&j->command, words[i]);
    j->shell_line = false;
}

static int script_check(struct buf *b, struct error *e)
{
    if (b->length && memchr(b->data, '\0', b->length))
        return error_set(e, ERROR_USAGE, "the script on standard input holds a NUL byte: it is no text");
    while (b->length && b->data[b->length - 1] == '\n')
        buf_cut(b, b->length - 1);
    if (!b->length)
        return error_set(e, ERROR_USAGE, "the script on standard input is empty");
    return 0;
}

static int script_read(struct buf *b, struct error *e)
{
    char part[4096];
    ssize_t n;
    while ((n = read(STDIN_FILENO, part, sizeof part)) != 0) {
        if (n < 0 && errno == EINTR)
            continue;
        if (n < 0)
            return error_errno(e, ERROR_FAILED, errno, "reading the script from standard input");
        if (b->length + (size_t)n > SCRIPT_MAX)
            return error_set(e, ERROR_USAGE, "the script on standard input is longer than 1 MiB; put it into a file and add that");
        buf_add(b, part, (size_t)n);
    }
    return script_check(b, e);
}

/* Asks line by line, as at does. */
static int script_ask(const struct job *j, struct buf *b, struct error *e)
{
    char *line = NULL;
    size_t size = 0;
    ssize_t n;
    fprintf(stderr, "the job's script, for %s; Ctrl-D ends it\nax> ", j->shell.count ? j->shell.items[0] : "/bin/sh");
    while ((n = getline(&line, &size, stdin)) >= 0 && b->length + (size_t)n <= SCRIPT_MAX) {
        buf_add(b, line, (size_t)n);
        fputs("ax> ", stderr);
    }
    fputs("\n", stderr);
    free(line);
    return script_check(b, e);
}

static int command_script(struct job *j, bool ask, struct error *e)
{
    struct buf b = {0};
    int code = ask ? script_ask(j, &b, e) : script_read(&b, e);
    if (code == 0)
        command_line_is(j, buf_string(&b));
    buf_clear(&b);
    return code;
}

int add_command(struct job *j, const struct add_words *w, const char *line, struct error *e)
{
    int count = w->argc - w->command;
    char **words = w->argv + w->command;
    if (line && count)
        return error_set(e, ERROR_USAGE, "-c LINE is the whole command, so `%s` has no place behind it", words[0]);
    if (line)
        command_line_is(j, line);
    else if (count == 1 && !w->vector && strcmp(words[0], "-") == 0)
        return command_script(j, false, e);
    else if (count == 1 && !w->vector)
        command_line_is(j, words[0]);
    else if (count)
        command_vector_is(j, words, count);
    else if (!w->vector && isatty(STDIN_FILENO))
        return command_script(j, true, e);
    else
        return error_set(e, ERROR_USAGE, "no command is given (`-` reads a script from standard input)");
    return 0;
}
