/* What the files of the YAML reader share; nobody else includes this. The text with its places, the tree that is built of it, and the words for what libyaml
 * does not understand. libyaml itself is known to yaml.c only. */
#ifndef AX_YAML_PARTS_H
#define AX_YAML_PARTS_H

#include "lib/text/yaml.h"

/* ---- the text (yaml_text.c) ---- */

struct yaml_place {
    size_t offset;    /* bytes from the begin of the text */
    int line, column; /* from 1; the column in bytes */
};

struct yaml_text {
    const char *file;
    const char *data; /* what is parsed; without a BOM */
    const char *source; /* what the user wrote: as long as data, and the same but for what was mended */
    size_t length;
    size_t index, offset, line_start; /* a cursor: libyaml counts characters, we count bytes */
    int line;
    struct errors *errors;
    size_t failed, warned;
};

void yaml_text_init(struct yaml_text *t, const char *file, const char *text, size_t length);

/* Back to the begin, with other data of the same length; so many errors have been reported. */
void yaml_text_rewind(struct yaml_text *t, const char *data, size_t failed);

/* The place of the character of this number. Fast where the numbers grow. */
struct yaml_place yaml_text_place(struct yaml_text *t, size_t index);

/* The place of a line and column. */
struct yaml_place yaml_text_find(const struct yaml_text *t, int line, int column);

/* The line of the source that holds the place, without its end. */
const char *yaml_text_line(const struct yaml_text *t, struct yaml_place place, size_t *length);

/* Reports every line with bytes that are not UTF-8, or with characters that YAML does not take. If there are some, *copy becomes the text
 * without them, as long as it was. False where the rest need not be read. */
bool yaml_text_check(struct yaml_text *t, char **copy);

/* Adds an error or a warning. False where there are so many errors that reading on is of no use. */
bool yaml_text_error(struct yaml_text *t, struct yaml_place place, int width, const char *hint, const char *format, ...)
    __attribute__((format(printf, 5, 6)));
void yaml_text_warning(struct yaml_text *t, struct yaml_place place, int width, const char *hint, const char *text);

/* ---- the tree (yaml_tag.c, yaml_tree.c) ---- */

struct yaml_node {
    struct yaml_place place;
    const char *anchor, *tag; /* NULL: none */
    const char *text;         /* of a scalar */
    size_t length;
    bool plain;               /* a scalar without quotes */
    bool flow;                /* a list or map in brackets */
    bool comment;             /* a comment stands right behind the scalar, at: */
    struct yaml_place comment_place;
};

/* What a standard tag says of the value behind it. */
struct yaml_tag {
    const char *name;
    enum value_kind kind;
    bool (*fits)(const char *text); /* of a scalar */
    bool plain;                     /* the text may be taken for a number or a boolean */
};

bool yaml_tag_null(const char *text); /* a scalar that stands for nothing */

/* *found is the tag that counts; NULL: none. False where nothing more can be read. */
bool yaml_tag_check(struct yaml_text *t, const struct yaml_node *n, enum value_kind kind, const struct yaml_tag **found);

struct yaml_tree;

struct yaml_tree *yaml_tree_new(struct yaml_text *t);
void yaml_tree_free(struct yaml_tree *tree);

/* Each returns false where nothing more can be read; the error has been reported then. */
bool yaml_tree_scalar(struct yaml_tree *tree, const struct yaml_node *n);
bool yaml_tree_open(struct yaml_tree *tree, enum value_kind kind, const struct yaml_node *n);
bool yaml_tree_close(struct yaml_tree *tree);
bool yaml_tree_alias(struct yaml_tree *tree, const struct yaml_node *n); /* its name is n->anchor */
void yaml_tree_end_document(struct yaml_tree *tree);

bool yaml_tree_in_flow(const struct yaml_tree *tree); /* within brackets */
struct value yaml_tree_take(struct yaml_tree *tree);  /* the documents */

/* ---- what libyaml does not understand (yaml_problem.c) ---- */

struct yaml_problem {
    const char *what, *context;  /* libyaml's words; context may be NULL */
    struct yaml_place at, since; /* where it stopped, and where the thing began that it was reading */
    struct yaml_place quote;     /* begin of a quoted text of several lines that ends in the line of `at`; line 0: there is none */
    bool in_flow;
};

/* A piece of the text that may be taken for a plain word, so that what stands behind it can be read; empty where that would be no help. */
struct yaml_mend {
    size_t begin, end;
};

/* Reports it in words that help. */
struct yaml_mend yaml_problem_report(struct yaml_text *t, const struct yaml_problem *p);

/* ---- quotes (yaml_write.c) ---- */

/* The text within quotes, on one line: in double ones, or in single ones where that saves backslashes. */
bool yaml_write_quoted(struct buf *b, const char *data, size_t length);

#endif
