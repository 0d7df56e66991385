/* YAML 1.1/1.2 as job files use it: the door to libyaml. Read into values with their places; written so that it is read back the same.
 *
 * Scalars are texts, and stay as they are written: `no`, `22:30`, `010` and `1.0` are never turned into something else. A scalar without quotes has `plain` set in
 * its value: where a number or a boolean is meant, the reader of the field takes it for one. Plain `null`, `~` and nothing at all are null. */
#ifndef AX_YAML_H
#define AX_YAML_H

#include "lib/base/buf.h"
#include "lib/text/errors.h"
#include "lib/text/value.h"

#define YAML_SIZE_MAX (64 << 20)  /* bytes of a file */
#define YAML_NODES_MAX 2000000    /* values, aliases expanded */
#define YAML_DEPTH_MAX 100

/* All documents of a text, as a list; a BOM in front is skipped. Anchors, aliases and merge keys (`<<`, as YAML 1.1 has it) are expanded: an alias is a copy with
 * the places of what it names. Items of maps have the places of their keys, too. Errors go to `errors` under the name `file`, as many as can be found in one go
 * (200 at most), with hints for what people stumble over (an unquoted `*`, `@`, `%`, a tab, a quoted word with something behind it, `key: a: b`). Keys that stand
 * twice in one map are errors that name both lines; tags other than the standard ones are refused. That the text behind a key `command` is cut off by ` #` is a
 * warning. Returns 0, or negative if there was an error; *out is untouched then. */
int yaml_read(const char *file, const char *text, size_t length, struct value *out, struct errors *errors);

/* The same, but after an error *out holds the documents that could be read to their end all the same, so that whoever reads them finds further errors. Something stands
 * in the place of what was wrong: what is found in those lines comes of that, and so may what seems to be missing. */
int yaml_read_most(const char *file, const char *text, size_t length, struct value *out, struct errors *errors);

/* Block style, two blanks a level, lists of short words in flow style; texts are quoted where they must be (and where YAML 1.1 would read them as something else,
 * unless they are marked plain), texts of several lines as block scalars. The text ends with a line end. False where there were bytes that are not UTF-8: YAML
 * cannot hold them, and U+FFFD was written for each. */
bool yaml_write(struct buf *b, const struct value *v);

/* Comments: the lines are written with `# ` in front; what cannot be seen in them is made visible. */
void yaml_write_comment(struct buf *b, int indent, const char *text);

#endif
