#include "lib/sys/tree.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/sys/process.h"

#define DENIED_MAX 400 /* bytes of names; a command that starts very many setuid children must not fill our memory */
#define LOOKS_MAX 10   /* on a busy machine some process always ends while we look */

enum tree_kind { TREE_STRANGER, TREE_MEMBER, TREE_LINK, TREE_SPARED }; /* LINK: no member itself, but what descends from it is */

struct tree_process {
    struct process_facts facts;
    enum tree_kind kind;
};

struct tree_scan {
    struct tree_process *items; /* in order of pid */
    size_t count, capacity;
    bool doubtful; /* one ended while we looked, and may have made another just before, behind our back */
};

/* ---- the numbers of all processes ---- */

/* Few at a time: a process that runs away from its number is gone when it is looked at long after its name was read. */
struct tree_numbers {
    int folder;
    long length, at;
    char bytes[sizeof(struct dirent64)]; /* getdents64(2): whole entries, at least one */
};

static pid_t tree_next_number(struct tree_numbers *n)
{
    for (;;) {
        if (n->at >= n->length) {
            n->at = 0;
            n->length = syscall(SYS_getdents64, n->folder, n->bytes, sizeof n->bytes);
            if (n->length <= 0)
                return 0;
        }
        const char *name = n->bytes + n->at + offsetof(struct dirent64, d_name);
        unsigned short size;
        memcpy(&size, n->bytes + n->at + offsetof(struct dirent64, d_reclen), sizeof size);
        n->at += size;
        if (isdigit((unsigned char)*name))
            return atoi(name);
    }
}

/* ---- reading /proc ---- */

static int tree_order(const void *a, const void *b)
{
    const struct tree_process *x = a, *y = b;
    return (x->facts.id.pid > y->facts.id.pid) - (x->facts.id.pid < y->facts.id.pid);
}

static struct tree_process *tree_find(const struct tree_scan *s, pid_t pid)
{
    struct tree_process key = {.facts = {.id = {.pid = pid}}};
    return s->count ? bsearch(&key, s->items, s->count, sizeof *s->items, tree_order) : NULL;
}

/* Is there an entry of the NUL-separated list that is the mark, the whole of it? */
static bool tree_list_has(const char *list, size_t length, const char *mark)
{
    size_t size = strlen(mark);
    for (size_t at = 0; at < length;) {
        size_t entry = strnlen(list + at, length - at);
        if (entry == size && memcmp(list + at, mark, size) == 0)
            return true;
        at += entry + 1;
    }
    return false;
}

static bool tree_marked(pid_t pid, const struct tree *t, struct buf *memory)
{
    char path[64];
    ssize_t got;
    snprintf(path, sizeof path, "/proc/%d/environ", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    buf_reset(memory);
    do {
        buf_reserve(memory, 16384);
        got = read(fd, memory->data + memory->length, 16384);
        if (got > 0)
            memory->length += (size_t)got;
    } while (got > 0 || (got < 0 && errno == EINTR));
    close(fd);
    return tree_list_has(buf_string(memory), memory->length, t->mark) &&
           (!t->mark_too || tree_list_has(buf_string(memory), memory->length, t->mark_too));
}

/* ---- who belongs to it ---- */

static bool tree_spared(const struct tree *t, pid_t pid)
{
    for (size_t i = 0; i < sizeof t->spare / sizeof *t->spare; i++)
        if (t->spare[i] && t->spare[i] == pid)
            return true;
    return false;
}

/* What a process is by itself, whoever its parent is. */
static enum tree_kind tree_first_kind(const struct tree *t, const struct process_facts *f, struct buf *memory)
{
    pid_t pid = f->id.pid;
    if (pid == getpid())
        return pid == t->root ? TREE_LINK : TREE_SPARED;
    if (tree_spared(t, pid))
        return TREE_SPARED;
    if ((t->root && pid == t->root) || (t->session && f->session == t->session))
        return TREE_MEMBER;
    return t->mark && !process_over(f) && tree_marked(pid, t, memory) ? TREE_MEMBER : TREE_STRANGER;
}

/* A pidfd of the very process that was looked at, or -1: the pid may belong to another one by now. */
static int tree_hold(const struct process_id *id)
{
    struct process_id now;
    int handle = process_open(id->pid);
    if (handle >= 0 && (!process_identify(id->pid, &now) || now.start != id->start)) {
        close(handle);
        errno = ESRCH;
        return -1;
    }
    return handle;
}

/* 0, or an errno. A stopped process does not see SIGTERM before it is continued. */
static int tree_send(const struct process_facts *f, int signal_number)
{
    int number = 0, handle = tree_hold(&f->id);
    if (handle < 0)
        return errno;
    if (process_signal(handle, signal_number) < 0)
        number = errno;
    else if (signal_number == SIGTERM && f->state == 'T')
        process_signal(handle, SIGCONT);
    close(handle);
    return number;
}

/* What is to be killed is frozen as soon as it is seen: it can neither run away from its number before all have been read, nor can its death
 * hide whose children its children are. */
static void tree_read(const struct tree *t, struct tree_scan *s, bool freeze)
{
    struct tree_numbers numbers = {.folder = open("/proc", O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    struct buf memory = {0};
    pid_t pid;
    s->doubtful = numbers.folder < 0;
    while (numbers.folder >= 0 && (pid = tree_next_number(&numbers))) {
        struct tree_process p;
        if (!process_read(pid, &p.facts)) {
            s->doubtful = true;
            continue;
        }
        p.kind = tree_first_kind(t, &p.facts, &memory);
        if (freeze && !process_over(&p.facts) && (p.kind == TREE_MEMBER || (p.kind == TREE_STRANGER && t->root && p.facts.parent == t->root)))
            tree_send(&p.facts, SIGSTOP);
        MEM_GROW(s->items, s->capacity, s->count + 1);
        s->items[s->count++] = p;
    }
    if (numbers.folder >= 0)
        close(numbers.folder);
    buf_clear(&memory);
    if (s->count)
        qsort(s->items, s->count, sizeof *s->items, tree_order);
}

/* Children of members are members. Pids wrap around, so a child may have the smaller one: go over all until nothing changes. */
static void tree_spread(struct tree_scan *s)
{
    bool changed = true;
    while (changed) {
        changed = false;
        for (size_t i = 0; i < s->count; i++) {
            struct tree_process *p = &s->items[i];
            const struct tree_process *parent = p->kind == TREE_STRANGER ? tree_find(s, p->facts.parent) : NULL;
            if (parent && (parent->kind == TREE_MEMBER || parent->kind == TREE_LINK)) {
                p->kind = TREE_MEMBER;
                changed = true;
            }
        }
    }
}

/* A subreaper without children has no descendants at all: known without looking at every process there is. */
static bool tree_is_bare(const struct tree *t)
{
    siginfo_t info;
    return t->root == getpid() && !t->session && !t->mark && waitid(P_ALL, 0, &info, WEXITED | WNOHANG | WNOWAIT | __WALL) < 0 && errno == ECHILD;
}

/* As long as a session has a process, its number is not given to a new one. */
static bool tree_session_is_over(const struct tree *t)
{
    struct process_id first;
    return t->session && t->session_start && process_identify(t->session, &first) && first.start != t->session_start;
}

/* Leaves only the members in the scan. */
static void tree_keep_members(struct tree_scan *s)
{
    size_t kept = 0;
    for (size_t i = 0; i < s->count; i++) {
        if (s->items[i].kind != TREE_MEMBER)
            continue;
        if (process_over(&s->items[i].facts))
            s->doubtful = true;
        else
            s->items[kept++] = s->items[i];
    }
    s->count = kept;
}

static void tree_scan_once(const struct tree *t, struct tree_scan *s, bool freeze)
{
    struct tree wanted = *t;
    s->count = 0;
    if (tree_session_is_over(t))
        wanted.session = 0;
    tree_read(&wanted, s, freeze);
    tree_spread(s);
    tree_keep_members(s);
}

/* "None left" is what callers stop at, so it is not said on a doubtful look. */
static void tree_scan(const struct tree *t, struct tree_scan *s, bool freeze)
{
    for (int i = 0; i < LOOKS_MAX && !tree_is_bare(t); i++) {
        tree_scan_once(t, s, freeze);
        if (s->count || !s->doubtful)
            return;
    }
}

/* ---- sending ---- */

static void tree_name_denied(struct buf *denied, const struct process_facts *f)
{
    if (!denied || denied->length > DENIED_MAX)
        return;
    buf_format(denied, "%spid %d (", denied->length ? ", " : "", (int)f->id.pid);
    for (const char *c = f->command; *c; c++) /* its owner has chosen it */
        buf_char(denied, isprint((unsigned char)*c) ? *c : '?');
    buf_char(denied, ')');
}

size_t tree_signal(const struct tree *t, int signal_number, struct buf *denied)
{
    struct tree_scan s = {0};
    tree_scan(t, &s, signal_number == SIGKILL);
    for (size_t i = 0; i < s.count; i++)
        if (tree_send(&s.items[i].facts, signal_number) == EPERM)
            tree_name_denied(denied, &s.items[i].facts);
    free(s.items);
    return s.count; /* those that have ended meanwhile too: they may have made others */
}

size_t tree_count(const struct tree *t)
{
    struct tree_scan s = {0};
    tree_scan(t, &s, false);
    free(s.items);
    return s.count;
}
