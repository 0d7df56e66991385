#include "spool/pages.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "lib/base/buf.h"
#include "lib/base/mem.h"
#include "lib/base/strvec.h"
#include "lib/text/visible.h"
#include "lib/time/instant.h"
#include "spool/writelock.h"

/* ---- the format; numbers as the machine has them ---- */

struct page_tree { /* MDB_db */
    uint32_t pad;  /* of the free list: the size of a page */
    uint16_t flags, depth;
    size_t branches, leaves, overflows, entries, root;
};
struct page_meta { /* MDB_meta */
    uint32_t magic, version;
    size_t address, map_size; /* the first is a pointer */
    struct page_tree free, main;
    size_t last, txn;
};
struct page_head { /* the beginning of MDB_page */
    size_t number;
    uint16_t pad, flags, lower, upper; /* of an overflow page the last two are the number of its pages */
};
struct page_node { /* MDB_node */
    uint16_t words[2];
    uint16_t flags, key_length;
};

#define HEAD_SIZE (sizeof(size_t) + 8)
#define NODE_SIZE 8
#define MAGIC 0xBEEFC0DE
#define VERSION 1
#define NONE ((size_t)-1) /* the root of an empty tree */
#define KEY_MOST 511
#define DEPTH_MOST 32
#define FAULTS_KEPT 1000
enum { PAGE_BRANCH = 1, PAGE_LEAF = 2, PAGE_OVERFLOW = 4, PAGE_META = 8 };
enum { NODE_BIG = 1, NODE_TREE = 2 };

struct pages {
    int fd;
    char *path;
    size_t page_size;
    struct page_meta meta;
    bool other_damaged;  /* the other meta page */
    unsigned char *used; /* bits */
};

static uint32_t node_number(const struct page_node *n)
{
    const int low = __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__ ? 0 : 1;
    return n->words[low] | (uint32_t)n->words[!low] << 16;
}

static size_t node_child(const struct page_node *n)
{
    return node_number(n) | (sizeof(size_t) > 4 ? (size_t)((uint64_t)n->flags << 32) : 0);
}

/* ---- opening ---- */

static bool pages_read(const struct pages *p, void *to, size_t length, uint64_t at)
{
    for (size_t done = 0; done < length;) {
        ssize_t n = pread(p->fd, (char *)to + done, length - done, (off_t)(at + done));
        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return false;
        done += (size_t)n;
    }
    return true;
}

static bool size_fits(size_t size)
{
    return size >= 512 && size <= 65536 && (size & (size - 1)) == 0;
}

static bool meta_read(const struct pages *p, uint64_t at, struct page_meta *out)
{
    unsigned char bytes[HEAD_SIZE + sizeof(struct page_meta)];
    struct page_head head;
    if (!pages_read(p, bytes, sizeof bytes, at))
        return false;
    memcpy(&head, bytes, HEAD_SIZE);
    memcpy(out, bytes + HEAD_SIZE, sizeof *out);
    return head.flags & PAGE_META && out->magic == MAGIC && out->version == VERSION && size_fits(out->free.pad) &&
           out->last >= 1 && out->last < (size_t)1 << (sizeof(size_t) > 4 ? 48 : 24);
}

/* Where the second one lies, only the first one knows: if that is damaged, all sizes are tried. */
static bool metas_read(struct pages *p)
{
    struct page_meta first, second;
    bool has_first = meta_read(p, 0, &first), has_second = false;
    for (size_t size = 512; !has_first && !has_second && size <= 65536; size *= 2)
        has_second = meta_read(p, size, &second) && second.free.pad == size;
    if (has_first)
        has_second = meta_read(p, first.free.pad, &second) && second.free.pad == first.free.pad;
    if (has_first || has_second)
        p->meta = has_first && (!has_second || first.txn >= second.txn) ? first : second;
    p->other_damaged = has_first != has_second;
    p->page_size = has_first || has_second ? p->meta.free.pad : 0;
    return has_first || has_second;
}

int pages_open(const struct folder *f, struct pages **out, struct error *e)
{
    struct stat st;
    int fd = openat(f->fd, "data.mdb", O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd < 0)
        return error_errno(e, ERROR_SPOOL, errno, "cannot read %s/data.mdb", f->path);
    struct pages *p = mem_zero(1, sizeof *p);
    *p = (struct pages){.fd = fd, .path = mem_format("%s/data.mdb", f->path)};
    if (fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size == 0) {
        pages_close(p);
        error_set(e, ERROR_SPOOL, "there is no spool at %s yet: `ax add` or `ax run` makes it", f->path);
        if (e)
            e->sys = ENOENT;
        return -ERROR_SPOOL;
    }
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode) || !metas_read(p)) {
        pages_close(p);
        return error_set(e, ERROR_SPOOL,
            "%s/data.mdb is damaged (it does not begin as a database does): nothing of it can be read", f->path);
    }
    /* No more than the file can have: what lies behind its end is found missing. */
    size_t most = (size_t)st.st_size / p->page_size + 1;
    p->used = mem_zero((p->meta.last < most ? p->meta.last : most) / 8 + 1, 1);
    if (p->meta.last > most)
        p->meta.last = most;
    *out = p;
    return 0;
}

void pages_close(struct pages *p)
{
    if (!p)
        return;
    close(p->fd);
    free(p->path);
    free(p->used);
    free(p);
}

uint64_t pages_txn(const struct pages *p)
{
    return p->meta.txn;
}

/* ---- a walk over one tree ---- */

struct walk {
    struct pages *p;
    const char *name;
    const struct page_tree *tree;
    pages_damage_call *damage;
    void *damage_context;
    /* What to do with an entry; not 0 ends the walk. `flags` of its node. */
    int (*entry)(struct walk *w, struct pages_bytes key, struct pages_bytes value, unsigned flags);
    pages_entry_call *call;
    void *context;
    const char *wanted; /* pages_each: the table */
    struct page_tree found;
    bool has_found, ordered;
    struct buf last; /* key */
    size_t entries, faults;
    int result;
};

static void walk_fault(struct walk *w, size_t page, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void walk_fault(struct walk *w, size_t page, const char *format, ...)
{
    struct buf why = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&why, format, arguments);
    va_end(arguments);
    char *where = page == NONE ? mem_format("table %s", w->name) : mem_format("page %zu of table %s", page, w->name);
    w->damage(w->damage_context, where, buf_string(&why));
    w->faults++;
    free(where);
    buf_clear(&why);
}

/* False: out of the file, or used already. */
static bool page_use(struct walk *w, size_t from, size_t page)
{
    if (page < 2 || page > w->p->meta.last) {
        walk_fault(w, from, "it refers to page %zu, which there is not", page);
        return false;
    }
    unsigned char *byte = &w->p->used[page / 8], bit = (unsigned char)(1 << page % 8);
    if (*byte & bit) {
        walk_fault(w, page, "it is used twice");
        return false;
    }
    *byte |= bit;
    return true;
}

static bool page_load(struct walk *w, size_t page, char *to, struct page_head *head)
{
    if (!pages_read(w->p, to, w->p->page_size, (uint64_t)page * w->p->page_size)) {
        walk_fault(w, page, "it cannot be read: the file is too short, or the disk fails");
        return false;
    }
    memcpy(head, to, HEAD_SIZE);
    if (head->number == page)
        return true;
    walk_fault(w, page, "it has the number of another page");
    return false;
}

/* Data too large for a page. *out is malloc'd. */
static bool big_read(struct walk *w, size_t from, size_t page, size_t length, char **out)
{
    size_t size = w->p->page_size, need = (HEAD_SIZE - 1 + length) / size + 1;
    struct page_head head;
    uint32_t pages;
    char *bytes = mem_alloc(size);
    bool good = page_use(w, from, page) && page_load(w, page, bytes, &head);
    if (good) {
        memcpy(&pages, &head.lower, sizeof pages);
        good = head.flags == PAGE_OVERFLOW && pages >= need && pages <= w->p->meta.last - page + 1;
        if (!good)
            walk_fault(w, page, "it does not hold the data that it should");
        for (size_t i = 1; good && i < pages; i++)
            good = page_use(w, from, page + i);
    }
    free(bytes);
    if (!good)
        return false;
    *out = mem_alloc(length + 1);
    if (pages_read(w->p, *out, length, (uint64_t)page * size + HEAD_SIZE))
        return true;
    free(*out);
    walk_fault(w, page, "its data cannot be read: the file is too short, or the disk fails");
    return false;
}

static void walk_order(struct walk *w, size_t page, struct pages_bytes key)
{
    size_t least = key.length < w->last.length ? key.length : w->last.length;
    int order = w->entries && least ? memcmp(w->last.data, key.data, least) : -1;
    if (w->ordered && (order > 0 || (order == 0 && w->last.length >= key.length)))
        walk_fault(w, page, "its keys are out of order");
    buf_reset(&w->last);
    buf_add(&w->last, key.data, key.length);
}

static void walk_entry(struct walk *w, size_t page, const char *node, const struct page_node *n)
{
    struct pages_bytes key = {node + NODE_SIZE, n->key_length},
                       value = {node + NODE_SIZE + n->key_length, node_number(n)};
    char *big = NULL;
    walk_order(w, page, key);
    w->entries++;
    if (n->flags & NODE_BIG) {
        size_t first;
        memcpy(&first, value.data, sizeof first);
        if (!big_read(w, page, first, value.length, &big))
            return;
        value.data = big;
    }
    if (!w->result)
        w->result = w->entry(w, key, value, n->flags);
    free(big);
}

/* All nodes lie one beside the other at the end of the page. */
static bool page_check(struct walk *w, size_t page, const char *bytes, const struct page_head *head, bool leaf)
{
    size_t size = w->p->page_size, total = 0;
    if (head->flags != (leaf ? PAGE_LEAF : PAGE_BRANCH) || head->lower < HEAD_SIZE + 2 || head->lower % 2 ||
        head->lower > head->upper || head->upper > size) {
        walk_fault(w, page, "its head is damaged");
        return false;
    }
    for (size_t at = HEAD_SIZE; at < head->lower; at += 2) {
        uint16_t offset;
        struct page_node n;
        memcpy(&offset, bytes + at, 2);
        if (offset < head->upper || offset % 2 || (size_t)offset + NODE_SIZE > size) {
            walk_fault(w, page, "its index is damaged");
            return false;
        }
        memcpy(&n, bytes + offset, NODE_SIZE);
        size_t length = n.key_length + (!leaf                   ? (size_t)0
                                           : n.flags & NODE_BIG ? sizeof(size_t)
                                                                : (size_t)node_number(&n));
        bool good = n.key_length <= KEY_MOST && length <= size - offset - NODE_SIZE &&
                    (!leaf || (n.flags & ~(NODE_BIG | NODE_TREE)) == 0);
        if (!good || (n.key_length == 0 && (leaf || at > HEAD_SIZE))) {
            walk_fault(w, page, "an entry of it is damaged");
            return false;
        }
        total += (NODE_SIZE + length + 1) & ~(size_t)1;
    }
    if (total == size - head->upper)
        return true;
    walk_fault(w, page, "its entries lie over each other");
    return false;
}

static void walk_page(struct walk *w, size_t from, size_t page, int depth)
{
    struct page_head head;
    bool leaf = depth == w->tree->depth;
    if (!page_use(w, from, page))
        return;
    char *bytes = mem_alloc(w->p->page_size);
    bool good = page_load(w, page, bytes, &head) && page_check(w, page, bytes, &head, leaf);
    for (size_t at = HEAD_SIZE; good && at < head.lower && !w->result; at += 2) {
        uint16_t offset;
        struct page_node n;
        memcpy(&offset, bytes + at, 2);
        memcpy(&n, bytes + offset, NODE_SIZE);
        if (leaf)
            walk_entry(w, page, bytes + offset, &n);
        else
            walk_page(w, page, node_child(&n), depth + 1);
    }
    free(bytes);
}

static void walk_tree(struct walk *w)
{
    const struct page_tree *t = w->tree;
    bool empty = t->root == NONE;
    if (t->depth > DEPTH_MOST || empty != (t->depth == 0)) {
        walk_fault(w, NONE, "its root is damaged");
        return;
    }
    if (!empty)
        walk_page(w, NONE, t->root, 1);
    if (!w->faults && !w->result && w->entries != t->entries)
        walk_fault(w, NONE, "%zu entries are there, and it should have %zu", w->entries, t->entries);
    buf_clear(&w->last);
}

/* ---- the whole ---- */

static int entry_ignore(struct walk *w, struct pages_bytes key, struct pages_bytes value, unsigned flags)
{
    (void)key, (void)value;
    if (flags & NODE_TREE)
        walk_fault(w, NONE, "an entry of it is marked as a table");
    return 0;
}

/* Free pages: by the transaction that freed them, a list of numbers, the highest first. */
static int entry_free(struct walk *w, struct pages_bytes key, struct pages_bytes value, unsigned flags)
{
    const char *p = value.data;
    size_t count = 0, before = NONE, page;
    if (value.length >= sizeof count)
        memcpy(&count, p, sizeof count);
    bool good = key.length == sizeof(size_t) && !(flags & NODE_TREE) && value.length >= sizeof count &&
                count == value.length / sizeof count - 1;
    for (size_t i = 1; good && i <= count; i++) {
        memcpy(&page, p + i * sizeof page, sizeof page);
        good = page < before;
        before = page;
        if (good && !page_use(w, NONE, page))
            return 0;
    }
    if (!good)
        walk_fault(w, NONE, "a list of it is damaged");
    return 0;
}

static int entry_table(struct walk *w, struct pages_bytes key, struct pages_bytes value, unsigned flags)
{
    struct page_tree tree;
    if (!(flags & NODE_TREE) || value.length != sizeof tree || flags & NODE_BIG) {
        walk_fault(w, NONE, "an entry of it is no table");
        return 0;
    }
    memcpy(&tree, value.data, sizeof tree);
    struct buf name = {0};
    visible_add(&name, key.data, key.length, false);
    if (w->wanted) {
        w->has_found =
            w->has_found || (strlen(w->wanted) == key.length && memcmp(w->wanted, key.data, key.length) == 0);
        if (w->has_found)
            w->found = tree;
        buf_clear(&name);
        return w->has_found;
    }
    struct walk below = {.p = w->p,
        .name = buf_string(&name),
        .tree = &tree,
        .damage = w->damage,
        .damage_context = w->damage_context,
        .entry = entry_ignore,
        .ordered = true};
    if (tree.flags)
        walk_fault(&below, NONE, "its kind is damaged");
    else
        walk_tree(&below);
    w->faults += below.faults;
    buf_clear(&name);
    return 0;
}

size_t pages_check(struct pages *p, pages_damage_call *call, void *context)
{
    struct walk lists = {.p = p,
        .name = "of free pages",
        .tree = &p->meta.free,
        .damage = call,
        .damage_context = context,
        .entry = entry_free};
    struct walk main = {.p = p,
        .name = "of tables",
        .tree = &p->meta.main,
        .damage = call,
        .damage_context = context,
        .entry = entry_table,
        .ordered = true};
    if (p->other_damaged)
        call(context, "page 0 or 1", "it does not begin as a database does");
    memset(p->used, 0, p->meta.last / 8 + 1);
    walk_tree(&main);
    walk_tree(&lists);
    return main.faults + lists.faults + p->other_damaged;
}

static int entry_call(struct walk *w, struct pages_bytes key, struct pages_bytes value, unsigned flags)
{
    return flags & NODE_TREE ? 0 : w->call(w->context, key, value);
}

int pages_each(struct pages *p, const char *table, pages_entry_call *call, void *context, pages_damage_call *damage,
    void *damage_context)
{
    struct walk main = {.p = p,
        .name = "of tables",
        .tree = &p->meta.main,
        .damage = damage,
        .damage_context = damage_context,
        .entry = entry_table,
        .wanted = table,
        .ordered = true};
    memset(p->used, 0, p->meta.last / 8 + 1);
    walk_tree(&main);
    if (!main.has_found) {
        if (!main.faults)
            walk_fault(&main, NONE, "the table %s is not there", table);
        return 0;
    }
    memset(p->used, 0, p->meta.last / 8 + 1);
    struct walk w = {.p = p,
        .name = table,
        .tree = &main.found,
        .damage = damage,
        .damage_context = damage_context,
        .entry = entry_call,
        .call = call,
        .context = context,
        .ordered = true};
    walk_tree(&w);
    return w.result;
}

/* ---- while others write ---- */

struct faults {
    struct strvec texts; /* where and why, in turns */
    size_t count;
};

static void fault_keep(void *context, const char *where, const char *why)
{
    struct faults *f = context;
    if (f->count++ >= FAULTS_KEPT)
        return;
    strvec_add(&f->texts, where);
    strvec_add(&f->texts, why);
}

static int pages_look(const struct folder *f, struct faults *out, uint64_t *txn, struct error *e)
{
    struct pages *p;
    int failed = pages_open(f, &p, e);
    if (failed)
        return failed;
    strvec_clear(&out->texts);
    out->count = 0;
    pages_check(p, fault_keep, out);
    *txn = pages_txn(p);
    pages_close(p);
    return 0;
}

int pages_sound(const struct folder *f, size_t *count, pages_damage_call *call, void *context, struct error *e)
{
    struct writelock lock = WRITELOCK_INIT;
    struct faults faults = {0};
    struct pages *again;
    uint64_t txn = 0;
    int failed = pages_look(f, &faults, &txn, e);
    if (!failed && faults.count && pages_open(f, &again, NULL) == 0) {
        bool moved = pages_txn(again) != txn;
        pages_close(again);
        if (moved)
            failed = writelock_take(&lock, f, 10 * SECOND, e);
        if (moved && !failed) {
            failed = pages_look(f, &faults, &txn, e);
            writelock_release(&lock);
        }
        writelock_clear(&lock);
    }
    for (size_t i = 0; !failed && i + 1 < faults.texts.count; i += 2)
        call(context, faults.texts.items[i], faults.texts.items[i + 1]);
    if (!failed)
        *count = faults.count;
    strvec_clear(&faults.texts);
    return failed;
}
