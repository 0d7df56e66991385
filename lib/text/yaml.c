#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "lib/base/mem.h"
#include "lib/text/yaml_parts.h"

#define YAML_MEND_BYTES (16 << 20) /* so much is read again at most, to find further errors */

/* One reading of the text, from its begin. */
struct yaml_pass {
    struct yaml_text *text;
    struct yaml_tree *tree;
    yaml_parser_t parser;
    struct yaml_place quote; /* where the last scalar began, if it is a quoted one; and */
    int quote_end;           /* the line where it ended */
};

static struct yaml_place yaml_mark(struct yaml_pass *p, const yaml_mark_t *mark)
{
    return yaml_text_place(p->text, mark->index);
}

static const char *yaml_name(const yaml_char_t *text)
{
    return (const char *)text;
}

/* Blanks and a `#` right behind a scalar. */
static void yaml_pass_comment(struct yaml_pass *p, const yaml_event_t *event, struct yaml_node *n)
{
    struct yaml_text *t = p->text;
    struct yaml_place end = yaml_mark(p, &event->end_mark);
    size_t at = end.offset;
    while (at < t->length && (t->data[at] == ' ' || t->data[at] == '\t'))
        at++;
    if (at == end.offset || at >= t->length || t->data[at] != '#')
        return;
    n->comment = true;
    n->comment_place = (struct yaml_place){at, end.line, end.column + (int)(at - end.offset)};
}

static bool yaml_pass_scalar(struct yaml_pass *p, const yaml_event_t *event)
{
    struct yaml_node n = {.place = yaml_mark(p, &event->start_mark),
        .anchor = yaml_name(event->data.scalar.anchor),
        .tag = yaml_name(event->data.scalar.tag),
        .text = yaml_name(event->data.scalar.value),
        .length = event->data.scalar.length,
        .plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE};
    bool quoted = event->data.scalar.style == YAML_SINGLE_QUOTED_SCALAR_STYLE || event->data.scalar.style == YAML_DOUBLE_QUOTED_SCALAR_STYLE;
    p->quote = quoted ? n.place : (struct yaml_place){0};
    p->quote_end = quoted ? yaml_mark(p, &event->end_mark).line : 0;
    if (n.plain && n.length)
        yaml_pass_comment(p, event, &n);
    return yaml_tree_scalar(p->tree, &n);
}

static bool yaml_pass_event(struct yaml_pass *p, const yaml_event_t *event)
{
    struct yaml_node n = {.place = yaml_mark(p, &event->start_mark)};
    switch (event->type) {
    case YAML_SCALAR_EVENT:
        return yaml_pass_scalar(p, event);
    case YAML_ALIAS_EVENT:
        n.anchor = yaml_name(event->data.alias.anchor);
        return yaml_tree_alias(p->tree, &n);
    case YAML_SEQUENCE_START_EVENT:
        n.anchor = yaml_name(event->data.sequence_start.anchor);
        n.tag = yaml_name(event->data.sequence_start.tag);
        n.flow = event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE;
        return yaml_tree_open(p->tree, VALUE_LIST, &n);
    case YAML_MAPPING_START_EVENT:
        n.anchor = yaml_name(event->data.mapping_start.anchor);
        n.tag = yaml_name(event->data.mapping_start.tag);
        n.flow = event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
        return yaml_tree_open(p->tree, VALUE_MAP, &n);
    case YAML_SEQUENCE_END_EVENT:
    case YAML_MAPPING_END_EVENT:
        return yaml_tree_close(p->tree);
    case YAML_DOCUMENT_END_EVENT:
        yaml_tree_end_document(p->tree);
        return true;
    default:
        return true;
    }
}

/* Reads as far as it goes. True where libyaml stopped at something. */
static bool yaml_pass_run(struct yaml_pass *p)
{
    for (bool going = true; going;) {
        yaml_event_t event;
        if (!yaml_parser_parse(&p->parser, &event))
            return true;
        going = yaml_pass_event(p, &event) && event.type != YAML_STREAM_END_EVENT;
        yaml_event_delete(&event);
    }
    return false;
}

static struct yaml_mend yaml_pass_problem(struct yaml_pass *p, size_t mended)
{
    struct yaml_problem why = {.what = p->parser.problem ? p->parser.problem : "out of memory",
        .context = p->parser.context,
        .since = yaml_mark(p, &p->parser.context_mark),
        .in_flow = yaml_tree_in_flow(p->tree)};
    why.at = yaml_mark(p, p->parser.error == YAML_READER_ERROR ? &p->parser.mark : &p->parser.problem_mark);
    if (p->quote.line < p->quote_end && p->quote_end == why.at.line)
        why.quote = p->quote;
    if (why.at.offset < mended)
        return (struct yaml_mend){0}; /* it comes of what was mended */
    return yaml_problem_report(p->text, &why);
}

static void yaml_pass_init(struct yaml_pass *p, struct yaml_text *t)
{
    *p = (struct yaml_pass){.text = t, .tree = yaml_tree_new(t)};
    yaml_parser_initialize(&p->parser); /* without memory it fails, and so does the first event */
    yaml_parser_set_encoding(&p->parser, YAML_UTF8_ENCODING);
    yaml_parser_set_input_string(&p->parser, (const yaml_char_t *)t->data, t->length);
}

static void yaml_pass_clear(struct yaml_pass *p)
{
    yaml_parser_delete(&p->parser);
    yaml_tree_free(p->tree);
}

static void yaml_move_errors(struct errors *to, struct errors *from)
{
    for (size_t i = 0; i < from->count; i++) {
        const struct errors_item *item = &from->items[i];
        errors_add(to, item->file, item->warning, &item->error, item->hint);
    }
    errors_clear(from);
}

/* Reads the text once; what is wrong with the values goes to `found`. What libyaml did not understand is reported, and how it may be mended returned. */
static struct yaml_mend yaml_read_once(struct yaml_text *t, size_t mended, struct errors *found, struct value *documents)
{
    struct errors *all = t->errors;
    struct yaml_pass p;
    yaml_pass_init(&p, t);
    t->errors = found;
    bool stopped = yaml_pass_run(&p);
    t->errors = all;
    struct yaml_mend mend = {0};
    if (stopped)
        mend = yaml_pass_problem(&p, mended);
    *documents = yaml_tree_take(p.tree);
    yaml_pass_clear(&p);
    return mend;
}

/* Reads it again and again, with what libyaml did not understand mended in a copy, so that all such places are found. What else is wrong is told by the last
 * reading, which comes farthest. */
static void yaml_read_all(struct yaml_text *t, struct value *documents)
{
    struct errors found = {0};
    struct yaml_mend mend = {0};
    char *copy = NULL;
    bool going = yaml_text_check(t, &copy);
    if (copy)
        yaml_text_rewind(t, copy, t->failed);
    for (size_t bytes = 0; going;) {
        size_t failed = t->failed, mended = mend.end;
        mend = yaml_read_once(t, mended, &found, documents);
        bytes += t->offset;
        if (mend.end <= mended || bytes > YAML_MEND_BYTES)
            break;
        value_clear(documents);
        errors_clear(&found);
        copy = copy ? copy : mem_copy(t->data, t->length);
        memset(copy + mend.begin, 'x', mend.end - mend.begin);
        yaml_text_rewind(t, copy, failed + 1);
    }
    yaml_move_errors(t->errors, &found);
    free(copy);
}

static int yaml_refuse_size(const char *file, struct errors *errors)
{
    struct error e = {0};
    int code = error_set(&e, ERROR_USAGE, "larger than %d MiB", YAML_SIZE_MAX >> 20);
    errors_add(errors, file, false, &e, NULL);
    return code;
}

int yaml_read_most(const char *file, const char *text, size_t length, struct value *out, struct errors *errors)
{
    struct yaml_text t;
    *out = value_list();
    if (length > YAML_SIZE_MAX)
        return yaml_refuse_size(file, errors);
    yaml_text_init(&t, file, text, length);
    t.errors = errors;
    yaml_read_all(&t, out);
    return t.failed ? -ERROR_USAGE : 0;
}

int yaml_read(const char *file, const char *text, size_t length, struct value *out, struct errors *errors)
{
    struct value documents;
    int code = yaml_read_most(file, text, length, &documents, errors);
    if (code < 0)
        value_clear(&documents);
    else
        *out = documents;
    return code;
}
