#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/child.h"

/* All digits, and in the range of ids: (id_t)-1 means "no change" to the kernel. */
static bool child_user_number(const char *text, id_t *out)
{
    char *end;
    if (!*text || strspn(text, "0123456789") != strlen(text))
        return false;
    errno = 0;
    unsigned long long n = strtoull(text, &end, 10);
    if (errno || n >= (id_t)-1)
        return false;
    *out = (id_t)n;
    return true;
}

static bool child_user_absent(int number)
{
    return number == 0 || number == ENOENT || number == ESRCH;
}

#define LOOKUP_MAX ((size_t)64 << 20) /* bytes of a group with very many members */

static int child_user_passwd(const char *user, struct passwd *entry, char **memory, struct error *e)
{
    struct passwd *found = NULL;
    id_t id;
    int number = ERANGE;
    *memory = NULL;
    for (size_t size = 1024; number == ERANGE && size <= LOOKUP_MAX; size *= 4) {
        *memory = mem_resize(*memory, size, 1);
        number = getpwnam_r(user, entry, *memory, size, &found);
        if (!found && child_user_absent(number) && child_user_number(user, &id))
            number = getpwuid_r((uid_t)id, entry, *memory, size, &found);
    }
    if (found)
        return 0;
    free(*memory);
    *memory = NULL;
    if (child_user_absent(number))
        return error_set(e, ERROR_NOT_FOUND, "there is no user %s", user);
    return error_errno(e, ERROR_FAILED, number, "cannot look up the user %s", user);
}

static int child_user_group(const char *group, gid_t *out, struct error *e)
{
    struct group entry, *found = NULL;
    id_t id;
    int number = ERANGE;
    char *memory = NULL;
    for (size_t size = 1024; number == ERANGE && size <= LOOKUP_MAX; size *= 4) {
        memory = mem_resize(memory, size, 1);
        number = getgrnam_r(group, &entry, memory, size, &found);
        if (!found && child_user_absent(number) && child_user_number(group, &id))
            number = getgrgid_r((gid_t)id, &entry, memory, size, &found);
    }
    if (found)
        *out = entry.gr_gid;
    free(memory);
    if (found)
        return 0;
    if (child_user_absent(number))
        return error_set(e, ERROR_NOT_FOUND, "there is no group %s", group);
    return error_errno(e, ERROR_FAILED, number, "cannot look up the group %s", group);
}

static void child_user_groups(struct child_user *u)
{
    int room = 32, count = room;
    u->groups = mem_resize(NULL, (size_t)room, sizeof *u->groups);
    while (getgrouplist(u->name, u->gid, u->groups, &count) < 0 && room < 1 << 17) {
        room = count > room ? count : room * 2;
        count = room;
        u->groups = mem_resize(u->groups, (size_t)room, sizeof *u->groups);
    }
    u->group_count = count;
}

int child_user_find(const char *user, const char *group, struct child_user *out, struct error *e)
{
    struct passwd entry;
    char *memory, own[24];
    gid_t gid;
    snprintf(own, sizeof own, "%lu", (unsigned long)geteuid());
    int code = child_user_passwd(user ? user : own, &entry, &memory, e);
    if (code < 0)
        return code;
    gid = entry.pw_gid;
    code = group ? child_user_group(group, &gid, e) : 0;
    if (code == 0) {
        *out = (struct child_user){.uid = entry.pw_uid, .gid = gid};
        out->name = mem_string(entry.pw_name);
        out->home = mem_string(entry.pw_dir && *entry.pw_dir ? entry.pw_dir : "/");
        out->shell = mem_string(entry.pw_shell && *entry.pw_shell ? entry.pw_shell : "/bin/sh");
        child_user_groups(out);
    }
    free(memory);
    return code;
}

void child_user_clear(struct child_user *u)
{
    free(u->groups);
    free(u->name);
    free(u->home);
    free(u->shell);
    *u = (struct child_user){0};
}
