#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
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
#include "spool/pages.h"
#include "spool/store_dump.h"

struct dump_options {
    struct common common;
    bool force;
};
static const struct option_row dump_options[] = {
    {.letter = 'f',
        .word = "force",
        .kind = OPTION_FLAG,
        .offset = offsetof(struct dump_options, force),
        .help = "write to a terminal too"},
    COMMAND_OPTIONS,
    {0},
};

struct dumping {
    const struct command *self;
    size_t damaged;
};

static void dump_ignore(void *context, const char *where, const char *why)
{
    (void)context, (void)where, (void)why;
}

static void dump_damage(void *context, const char *where, const char *why)
{
    struct dumping *d = context;
    d->damaged++;
    command_warn(d->self, "left out: %s: %s", where, why);
}

/* Without LMDB where its file is not sound. */
static int dump_spool(struct dumping *d, const struct folder *folder, int fd, struct error *e)
{
    struct store *store;
    size_t faults = 0;
    int code = pages_sound(folder, &faults, dump_ignore, NULL, e);
    if (code < 0)
        return code;
    if (faults)
        return store_dump_damaged(folder, fd, dump_damage, d, e);
    code = store_open(folder->path, STORE_READ, &store, e);
    if (code < 0)
        return code;
    code = store_dump(store, fd, dump_damage, d, e);
    store_close(store);
    return code;
}

/* ---- where to ---- */

static int dump_to_output(struct dumping *d, const struct folder *folder, struct error *e)
{
    int fd = plainfile_temporary(folder->path, e), code = fd < 0 ? fd : dump_spool(d, folder, fd, e);
    struct buf b = {0};
    if (code == 0 && lseek(fd, 0, SEEK_SET) != 0)
        code = error_errno(e, ERROR_FAILED, errno, "cannot read the temporary file");
    while (code == 0) {
        buf_reserve(&b, 65536);
        ssize_t n = read(fd, b.data, 65536);
        if (n < 0)
            code = error_errno(e, ERROR_FAILED, errno, "cannot read the temporary file");
        if (n <= 0)
            break;
        b.length = (size_t)n;
        command_print(d->self, &b);
    }
    buf_clear(&b);
    if (fd >= 0)
        close(fd);
    return code;
}

/* Beside it first, so that what was there stays whole until the new one is. */
static int dump_to_file(struct dumping *d, const struct folder *folder, const char *path, struct error *e)
{
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISREG(st.st_mode))
        return error_set(
            e, ERROR_USAGE, "%.*s is no plain file: `ax dump -` writes to standard output", UTF8_WORD(path));
    char *beside = mem_format("%s.XXXXXX", path);
    int fd = mkostemp(beside, O_CLOEXEC), code = 0;
    if (fd < 0)
        code = error_errno(e, ERROR_FAILED, errno, "cannot make a file beside %.*s", UTF8_WORD(path));
    else
        code = dump_spool(d, folder, fd, e);
    if (code == 0 && (fsync(fd) != 0 || rename(beside, path) != 0))
        code = error_errno(e, ERROR_FAILED, errno, "cannot write %.*s", UTF8_WORD(path));
    if (fd >= 0) {
        close(fd);
        if (code < 0)
            unlink(beside);
    }
    free(beside);
    return code;
}

static int dump_run(const struct command *self, int argc, char **argv)
{
    struct dump_options o = {0};
    struct dumping d = {.self = self};
    struct folder folder;
    struct error e = {0};
    int exit_code, first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &o, &exit_code);
    if (first < 0)
        return exit_code;
    if (argc - first > 1)
        return command_usage_error(self, "one file is enough");
    const char *to = first < argc ? argv[first] : "-";
    bool output = strcmp(to, "-") == 0;
    if (output && !o.force && isatty(STDOUT_FILENO))
        return command_usage_error(
            self, "a dump holds all that jobs know, secrets too: name a FILE for it, or say --force");
    char *path = folder_path(o.common.spool);
    int code = folder_open(path, false, &folder, &e);
    free(path);
    if (code == 0) {
        code = output ? dump_to_output(&d, &folder, &e) : dump_to_file(&d, &folder, to, &e);
        folder_clear(&folder);
    }
    if (code < 0)
        return command_fail(self, &e);
    if (d.damaged)
        command_warn(self, "%zu damaged part%s left out, all else is in the dump", d.damaged,
            d.damaged == 1 ? " was" : "s were");
    return d.damaged ? ERROR_FAILED : 0;
}

const struct command command_dump = {
    .name = "dump",
    .summary = "write a whole spool as text",
    .usage = "[options] [FILE|-]",
    .about = "Jobs, their states, runs with outputs, history, environments, mail that\n"
             "waits: as lines of JSON, as they are at one moment, also while a scheduler\n"
             "serves. `ax load` makes a spool of it. FILE gets mode 0600, since a dump holds\n"
             "all that jobs know. Of a damaged spool what can be read is written, the rest is\n"
             "named, and the exit code is 1.",
    .options = dump_options,
    .run = dump_run,
};
