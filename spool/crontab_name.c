/* Names of imported jobs. */
#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "spool/crontab_job.h"

enum { PREFIX_MAX = 40, COMMAND_MAX = 50 }; /* bytes: a name has 100, some are for the number behind it */

struct crontab_name {
    char *name;
    unsigned last; /* the number that was given last to one of the same words */
    UT_hash_handle hh;
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.';
}

/* Letters and digits, all else is one `-`. At most `room` bytes are added. */
static void add_letters(struct buf *b, const char *text, size_t length, size_t room)
{
    size_t end = b->length + room;
    for (size_t i = 0; i < length && b->length < end; i++) {
        if (is_letter(text[i]))
            buf_char(b, text[i]);
        else if (b->length && b->data[b->length - 1] != '-')
            buf_char(b, '-');
    }
    while (b->length && b->data[b->length - 1] == '-')
        buf_cut(b, b->length - 1);
}

/* The words of the command, of paths only the last part, from behind a `cd` up to where its output goes. */
static void add_command(struct buf *b, const char *command)
{
    size_t limit = b->length + COMMAND_MAX;
    const char *and = strstr(command, " && ");
    if (strncmp(command, "cd ", 3) == 0 && and)
        command = and + 4;
    for (const char *at = command; *at && *at != '>' && b->length < limit;) {
        size_t length = strcspn(at, " \t>");
        const char *word = at;
        for (size_t i = 0; i + 1 < length; i++)
            if (at[i] == '/' && is_letter(at[i + 1]))
                word = at + i + 1;
        size_t left = length - (size_t)(word - at);
        bool descriptor = at[length] == '>' && length == 1 && *at >= '0' && *at <= '9';
        if (!descriptor && left) {
            buf_char(b, '-');
            add_letters(b, word, left, limit - b->length);
        }
        at += length;
        at += strspn(at, " \t");
    }
}

static struct crontab_name *find(const struct crontab_names *names, const char *name)
{
    struct crontab_name *n;
    HASH_FIND_STR(names->all, name, n);
    return n;
}

static void add(struct crontab_names *names, const char *name)
{
    struct crontab_name *n = mem_zero(1, sizeof *n);
    n->name = mem_string(name);
    n->last = 1;
    HASH_ADD_KEYPTR(hh, names->all, n->name, strlen(n->name), n);
}

char *crontab_names_take(struct crontab_names *names, const char *prefix, const char *command)
{
    struct buf b = {0};
    add_letters(&b, prefix, strlen(prefix), PREFIX_MAX);
    if (!b.length)
        buf_text(&b, "crontab");
    size_t before = b.length;
    add_command(&b, command);
    if (b.length == before)
        buf_text(&b, "-job");
    char *name = buf_take(&b);
    struct crontab_name *twin = find(names, name);
    while (twin) {
        char *numbered = mem_format("%s-%u", twin->name, ++twin->last);
        if (!find(names, numbered)) {
            free(name);
            name = numbered;
            break;
        }
        free(numbered);
    }
    add(names, name);
    return name;
}

void crontab_names_clear(struct crontab_names *names)
{
    struct crontab_name *n, *next;
    HASH_ITER(hh, names->all, n, next) {
        HASH_DEL(names->all, n);
        free(n->name);
        free(n);
    }
}

char *crontab_prefix(const char *path)
{
    static const char *const endings[] = {".cron", ".crontab", ".txt"};
    const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
    size_t length = strlen(base);
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t ending = strlen(endings[i]);
        if (length > ending && strcmp(base + length - ending, endings[i]) == 0)
            length -= ending;
    }
    return mem_format("%.*s", (int)length, base);
}
