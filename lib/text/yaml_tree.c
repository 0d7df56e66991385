#include <stdlib.h>
#include <string.h>
#include <uthash.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "lib/text/yaml_parts.h"

/* The value of an anchor is borrowed from the tree, where nothing is freed or changed before the document ends. */
struct yaml_anchor {
    char *name;
    struct value value;
    bool owned; /* but that of a key is its own */
    bool open;  /* what it names is still being read */
    size_t nodes, bytes, height; /* of the value */
    UT_hash_handle hh;
};

/* A list or map that is being read. */
struct yaml_frame {
    struct value value;
    struct yaml_anchor *anchor;
    size_t nodes, bytes; /* of the tree, before it */
    size_t height;       /* of what is in it */
    bool flow;
    char *key;           /* of a map: read, and its value is still to come */
    struct yaml_place key_place;
    bool merge;          /* that key is `<<` */
    struct value merged; /* the map or the maps named by `<<` */
    size_t anchored;     /* anchors met before them */
};

/* A key of a map, or of one that is merged into it. */
struct yaml_entry {
    struct value *map;
    size_t at;    /* in the map */
    size_t order; /* own keys first, then those of the merged maps, as they come */
};

struct yaml_tree {
    struct yaml_text *text;
    struct yaml_frame frames[YAML_DEPTH_MAX];
    size_t depth;
    struct yaml_anchor *anchors;
    struct value documents;
    struct value dropped; /* of this document: overridden by merges, but perhaps named by an anchor */
    size_t nodes, bytes;  /* so far, aliases expanded */
    size_t anchored;      /* so many anchors were met */
};

struct yaml_tree *yaml_tree_new(struct yaml_text *t)
{
    struct yaml_tree *tree = mem_zero(1, sizeof *tree);
    tree->text = t;
    tree->documents = value_list();
    tree->dropped = value_list();
    return tree;
}

void yaml_tree_end_document(struct yaml_tree *tree)
{
    struct yaml_anchor *a, *next;
    HASH_ITER(hh, tree->anchors, a, next) {
        HASH_DEL(tree->anchors, a);
        if (a->owned)
            value_clear(&a->value);
        free(a->name);
        free(a);
    }
    value_clear(&tree->dropped);
    tree->dropped = value_list();
}

void yaml_tree_free(struct yaml_tree *tree)
{
    while (tree->depth) {
        struct yaml_frame *f = &tree->frames[--tree->depth];
        value_clear(&f->value);
        value_clear(&f->merged);
        free(f->key);
    }
    yaml_tree_end_document(tree);
    value_clear(&tree->dropped);
    value_clear(&tree->documents);
    free(tree);
}

struct value yaml_tree_take(struct yaml_tree *tree)
{
    struct value documents = tree->documents;
    tree->documents = value_list();
    return documents;
}

static struct yaml_frame *yaml_tree_top(struct yaml_tree *tree)
{
    return tree->depth ? &tree->frames[tree->depth - 1] : NULL;
}

bool yaml_tree_in_flow(const struct yaml_tree *tree)
{
    return tree->depth && tree->frames[tree->depth - 1].flow;
}

/* ---- limits ---- */

static bool yaml_tree_count(struct yaml_tree *tree, struct yaml_place place, size_t nodes, size_t bytes)
{
    if (nodes > YAML_NODES_MAX - tree->nodes) {
        yaml_text_error(tree->text, place, 1, NULL, "more than %d values (each alias counts as what it stands for)", YAML_NODES_MAX);
        return false;
    }
    if (bytes > YAML_SIZE_MAX - tree->bytes) {
        yaml_text_error(tree->text, place, 1, NULL, "more than %d MiB of text (each alias counts as what it stands for)", YAML_SIZE_MAX >> 20);
        return false;
    }
    tree->nodes += nodes;
    tree->bytes += bytes;
    return true;
}

static bool yaml_tree_deepen(struct yaml_tree *tree, struct yaml_place place, size_t levels)
{
    if (tree->depth + levels <= YAML_DEPTH_MAX)
        return true;
    yaml_text_error(tree->text, place, 1, NULL, "nested too deep: more than %d levels", YAML_DEPTH_MAX);
    return false;
}

/* ---- anchors ---- */

static struct yaml_anchor *yaml_anchor_find(struct yaml_tree *tree, const char *name)
{
    struct yaml_anchor *a;
    HASH_FIND_STR(tree->anchors, name, a);
    return a;
}

static struct yaml_anchor *yaml_anchor_open(struct yaml_tree *tree, const char *name)
{
    if (!name)
        return NULL;
    struct yaml_anchor *a = yaml_anchor_find(tree, name);
    if (!a) {
        a = mem_zero(1, sizeof *a);
        a->name = mem_string(name);
        HASH_ADD_KEYPTR(hh, tree->anchors, a->name, strlen(a->name), a);
    }
    if (a->owned)
        value_clear(&a->value);
    a->owned = false;
    a->open = true;
    tree->anchored++;
    return a;
}

static void yaml_anchor_close(struct yaml_anchor *a, const struct value *v, size_t nodes, size_t bytes, size_t height)
{
    if (!a)
        return;
    a->value = *v;
    a->open = false;
    a->nodes = nodes;
    a->bytes = bytes;
    a->height = height;
}

static struct value yaml_tree_copy(const struct value *v)
{
    struct value copy = *v;
    if (v->kind == VALUE_TEXT)
        copy.text.data = mem_copy(v->text.data, v->text.length + 1);
    if (v->kind != VALUE_LIST && v->kind != VALUE_MAP)
        return copy;
    copy.list.items = NULL;
    copy.list.keys = NULL;
    copy.list.count = copy.list.capacity = 0;
    value_reserve(&copy, v->list.count);
    for (size_t i = 0; i < v->list.count; i++) {
        struct value item = yaml_tree_copy(&v->list.items[i]);
        if (v->kind == VALUE_MAP)
            value_put(&copy, v->list.keys[i], item);
        else
            value_push(&copy, item);
    }
    return copy;
}

/* ---- where values go ---- */

static bool yaml_tree_wants_key(struct yaml_tree *tree)
{
    struct yaml_frame *f = yaml_tree_top(tree);
    return f && f->value.kind == VALUE_MAP && !f->key;
}

static bool yaml_tree_key(struct yaml_tree *tree, const struct yaml_node *n, const char *text, size_t length)
{
    struct yaml_frame *f = yaml_tree_top(tree);
    bool going = true;
    if (strlen(text) != length)
        going = yaml_text_error(tree->text, n->place, 1, NULL, "a key must not hold a NUL");
    else if (n->plain && length == 0)
        going = yaml_text_error(tree->text, n->place, 1, NULL, "a key is missing in front of the `:`");
    f->key = mem_string(text);
    f->key_place = n->place;
    f->merge = n->plain && strcmp(text, "<<") == 0;
    if (f->merge && f->merged.kind == VALUE_NULL)
        f->anchored = tree->anchored;
    return going;
}

static bool yaml_tree_is_maps(const struct value *v)
{
    if (v->kind != VALUE_LIST)
        return v->kind == VALUE_MAP;
    for (size_t i = 0; i < v->list.count; i++)
        if (v->list.items[i].kind != VALUE_MAP)
            return false;
    return true;
}

/* Kept to the end of the document if an anchor may name something in it. */
static void yaml_tree_drop(struct yaml_tree *tree, const struct yaml_frame *f, struct value v)
{
    if (tree->anchored == f->anchored)
        value_clear(&v);
    else
        value_push(&tree->dropped, v);
}

static bool yaml_tree_merge(struct yaml_tree *tree, struct yaml_frame *f, struct value v)
{
    if (!yaml_tree_is_maps(&v)) {
        yaml_tree_drop(tree, f, v);
        return yaml_text_error(tree->text, f->key_place, 2, "quote it if it is meant as a plain key: \"<<\"",
            "`<<` takes a map, or a list of maps");
    }
    if (f->merged.kind == VALUE_NULL) {
        f->merged = v;
        return true;
    }
    yaml_tree_drop(tree, f, v);
    return yaml_text_error(tree->text, f->key_place, 2, "`<<: [*a, *b]` takes several", "`<<` stands twice in one map");
}

static bool yaml_tree_put(struct yaml_tree *tree, struct value v, size_t height)
{
    struct yaml_frame *f = yaml_tree_top(tree);
    if (!f) {
        value_push(&tree->documents, v);
        return true;
    }
    if (f->height < height)
        f->height = height;
    if (f->value.kind == VALUE_LIST) {
        value_push(&f->value, v);
        return true;
    }
    char *key = f->key;
    f->key = NULL;
    if (f->merge) {
        free(key);
        return yaml_tree_merge(tree, f, v);
    }
    v.key_line = f->key_place.line;
    v.key_column = f->key_place.column;
    value_put_key(&f->value, key, v);
    return true;
}

/* ---- events ---- */

static struct value yaml_tree_text(const struct yaml_node *n, const struct yaml_tag *tag)
{
    bool bare = n->plain && !n->tag; /* `! 5` is a text, too */
    struct value v = {0};
    if (tag ? tag->kind != VALUE_NULL : !(bare && yaml_tag_null(n->text))) {
        v = value_bytes(n->text, n->length);
        v.plain = tag ? tag->plain : bare;
    }
    v.line = n->place.line;
    v.column = n->place.column;
    return v;
}

static bool yaml_frame_is_command(const struct yaml_frame *f)
{
    return f && f->key && strcmp(f->key, "command") == 0;
}

/* Behind the words of a list comments are usual: one that is meant has a blank behind `#`, and stands behind a word without blanks. In brackets
 * it takes the rest of the line, the bracket with it. */
static bool yaml_tree_is_cut(const struct yaml_tree *tree, const struct yaml_frame *list, const struct yaml_node *n)
{
    size_t behind = n->comment_place.offset + 1;
    return list->flow || strpbrk(n->text, " \t") || (behind < tree->text->length && !strchr(" \t\r\n#", tree->text->data[behind]));
}

static void yaml_tree_warn_comment(struct yaml_tree *tree, const struct yaml_node *n)
{
    const struct yaml_frame *f = yaml_tree_top(tree);
    if (!n->comment || !f)
        return;
    if (yaml_frame_is_command(f))
        yaml_text_warning(tree->text, n->comment_place, 1, "quote the command if `#` belongs to it, else give the comment a line of its own",
            "the command ends here: ` #` begins a comment");
    else if (f->value.kind == VALUE_LIST && tree->depth > 1 && yaml_frame_is_command(f - 1) && yaml_tree_is_cut(tree, f, n))
        yaml_text_warning(tree->text, n->comment_place, 1, "quote the word if `#` belongs to it, else give the comment a line of its own",
            "a word of the command ends here: ` #` begins a comment");
}

bool yaml_tree_scalar(struct yaml_tree *tree, const struct yaml_node *n)
{
    const struct yaml_tag *tag;
    if (!yaml_tree_count(tree, n->place, 1, n->length))
        return false;
    if (!yaml_tag_check(tree->text, n, VALUE_TEXT, &tag))
        return false;
    struct yaml_anchor *a = yaml_anchor_open(tree, n->anchor);
    if (yaml_tree_wants_key(tree)) {
        struct value key = value_bytes(n->text, n->length);
        yaml_anchor_close(a, &key, 1, n->length, 0);
        if (a)
            a->owned = true;
        else
            value_clear(&key);
        return yaml_tree_key(tree, n, n->text, n->length);
    }
    yaml_tree_warn_comment(tree, n);
    struct value v = yaml_tree_text(n, tag);
    yaml_anchor_close(a, &v, 1, n->length, 0);
    return yaml_tree_put(tree, v, 0);
}

bool yaml_tree_alias(struct yaml_tree *tree, const struct yaml_node *n)
{
    struct yaml_anchor *a = yaml_anchor_find(tree, n->anchor);
    int width = (int)strlen(n->anchor) + 1;
    struct value v = {.line = n->place.line, .column = n->place.column};
    size_t height = 0;
    bool going = true;
    if (!a) {
        going = yaml_text_error(tree->text, n->place, width, "a text that begins with `*` must be quoted",
            "there is no anchor `&%.*s` for this alias", UTF8_WORD(n->anchor));
    } else if (a->open) {
        going = yaml_text_error(tree->text, n->place, width, NULL, "this alias stands within what it names");
    } else if (!yaml_tree_deepen(tree, n->place, a->height) || !yaml_tree_count(tree, n->place, a->nodes, a->bytes)) {
        return false;
    } else if (yaml_tree_wants_key(tree)) {
        if (a->value.kind == VALUE_TEXT)
            return yaml_tree_key(tree, n, a->value.text.data, a->value.text.length);
        going = yaml_text_error(tree->text, n->place, width, NULL, "a key must be a text, not %s", value_kind_name(a->value.kind));
    } else {
        v = yaml_tree_copy(&a->value);
        height = a->height;
    }
    if (yaml_tree_wants_key(tree))
        return yaml_tree_key(tree, n, n->anchor, strlen(n->anchor)) && going;
    return yaml_tree_put(tree, v, height) && going;
}

bool yaml_tree_open(struct yaml_tree *tree, enum value_kind kind, const struct yaml_node *n)
{
    const struct yaml_tag *tag;
    if (!yaml_tree_deepen(tree, n->place, 1) || !yaml_tree_count(tree, n->place, 1, 0))
        return false;
    if (!yaml_tag_check(tree->text, n, kind, &tag))
        return false;
    if (yaml_tree_wants_key(tree)) {
        yaml_text_error(tree->text, n->place, 1, n->flow ? "a text that begins with `{` or `[` must be quoted" : NULL,
            "a key must be a text, not %s", value_kind_name(kind));
        return false;
    }
    struct yaml_frame *f = &tree->frames[tree->depth++];
    *f = (struct yaml_frame){.value = {.kind = kind, .line = n->place.line, .column = n->place.column},
        .anchor = yaml_anchor_open(tree, n->anchor), .nodes = tree->nodes - 1, .bytes = tree->bytes, .flow = n->flow};
    return true;
}

/* ---- the end of a map: keys that stand twice, and merges ---- */

static const char *yaml_entry_key(const struct yaml_entry *e)
{
    return e->map->list.keys[e->at];
}

static int yaml_entry_by_order(const void *left, const void *right)
{
    const struct yaml_entry *a = left, *b = right;
    return a->order < b->order ? -1 : a->order > b->order;
}

static int yaml_entry_by_key(const void *left, const void *right)
{
    int order = strcmp(yaml_entry_key(left), yaml_entry_key(right));
    return order ? order : yaml_entry_by_order(left, right);
}

/* The maps that are merged: one, or the items of a list. */
static struct value *yaml_merged(struct yaml_frame *f, size_t *count)
{
    *count = f->merged.kind == VALUE_MAP ? 1 : f->merged.kind == VALUE_LIST ? f->merged.list.count : 0;
    return f->merged.kind == VALUE_LIST ? f->merged.list.items : &f->merged;
}

static struct yaml_entry *yaml_entries(struct yaml_frame *f, size_t *count)
{
    size_t maps, n = f->value.list.count;
    struct value *merged = yaml_merged(f, &maps);
    for (size_t m = 0; m < maps; m++)
        n += merged[m].list.count;
    struct yaml_entry *entries = mem_zero(n, sizeof *entries);
    *count = 0;
    for (size_t i = 0; i < f->value.list.count; i++, ++*count)
        entries[*count] = (struct yaml_entry){&f->value, i, *count};
    for (size_t m = 0; m < maps; m++)
        for (size_t i = 0; i < merged[m].list.count; i++, ++*count)
            entries[*count] = (struct yaml_entry){&merged[m], i, *count};
    qsort(entries, n, sizeof *entries, yaml_entry_by_key);
    return entries;
}

static bool yaml_tree_twice(struct yaml_tree *tree, const struct yaml_entry *first, const struct yaml_entry *again)
{
    const struct value *one = &first->map->list.items[first->at], *two = &again->map->list.items[again->at];
    const char *key = yaml_entry_key(again);
    return yaml_text_error(tree->text, yaml_text_find(tree->text, two->key_line, two->key_column), (int)strlen(key), NULL,
        "the key `%.*s` stands twice in one map: in line %d, and here in line %d", UTF8_WORD(key), one->key_line, two->key_line);
}

/* Of each key the first is kept: own ones win, then those of the first map that is merged. In `entries` are left those to take over. */
static bool yaml_tree_choose(struct yaml_tree *tree, const struct value *own, struct yaml_entry *entries, size_t *count)
{
    size_t kept = 0;
    bool going = true;
    struct yaml_entry first = {0};
    for (size_t i = 0; i < *count && going; i++) {
        struct yaml_entry e = entries[i];
        bool again = first.map && strcmp(yaml_entry_key(&first), yaml_entry_key(&e)) == 0;
        if (again && e.map == own)
            going = yaml_tree_twice(tree, &first, &e);
        if (again)
            continue;
        first = e;
        if (e.map != own)
            entries[kept++] = e;
    }
    *count = kept;
    return going;
}

static bool yaml_tree_finish_map(struct yaml_tree *tree, struct yaml_frame *f)
{
    size_t count;
    if (f->value.list.count < 2 && f->merged.kind == VALUE_NULL)
        return true;
    struct yaml_entry *entries = yaml_entries(f, &count);
    bool going = yaml_tree_choose(tree, &f->value, entries, &count);
    qsort(entries, count, sizeof *entries, yaml_entry_by_order);
    for (size_t i = 0; i < count; i++)
        value_put(&f->value, yaml_entry_key(&entries[i]), yaml_tree_copy(&entries[i].map->list.items[entries[i].at]));
    free(entries);
    if (f->merged.kind != VALUE_NULL)
        yaml_tree_drop(tree, f, f->merged);
    f->merged = (struct value){0};
    return going;
}

bool yaml_tree_close(struct yaml_tree *tree)
{
    struct yaml_frame *f = yaml_tree_top(tree);
    bool going = f->value.kind == VALUE_LIST || yaml_tree_finish_map(tree, f);
    struct value v = f->value;
    size_t height = f->height + 1;
    yaml_anchor_close(f->anchor, &v, tree->nodes - f->nodes, tree->bytes - f->bytes, height);
    tree->depth--;
    return yaml_tree_put(tree, v, height) && going;
}
