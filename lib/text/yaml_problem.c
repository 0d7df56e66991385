#include <string.h>

#include "lib/text/yaml_parts.h"

/* The line where reading stopped: `  - key: value`. */
struct yaml_line {
    const char *text;
    size_t length;          /* without blanks at the end */
    size_t offset;          /* of its first byte, in the whole text */
    size_t first;           /* what is not blank begins here */
    size_t key, key_length; /* 0 long: there is no key */
    size_t value;           /* length: there is none */
};

/* What is found out about a problem. */
struct yaml_finding {
    const struct yaml_text *text;
    const struct yaml_problem *problem;
    struct yaml_line line; /* of problem->at */
    size_t at;             /* problem->at in the line */
    /* what is told */
    struct yaml_place place;
    int width;
    struct buf message, hint;
    struct yaml_mend mend;
};

/* ---- lines ---- */

static bool yaml_line_blank(const struct yaml_line *l, size_t at)
{
    return at >= l->length || l->text[at] == ' ' || l->text[at] == '\t';
}

static size_t yaml_line_skip(const struct yaml_line *l, size_t at)
{
    while (at < l->length && yaml_line_blank(l, at))
        at++;
    return at;
}

/* Behind the quoted word that begins at `at`; length where it does not end here. */
static size_t yaml_line_quoted(const struct yaml_line *l, size_t at)
{
    char quote = l->text[at++];
    for (; at < l->length; at++) {
        if (quote == '"' && l->text[at] == '\\')
            at++;
        else if (l->text[at] == quote && quote == '\'' && at + 1 < l->length && l->text[at + 1] == quote)
            at++;
        else if (l->text[at] == quote)
            return at + 1;
    }
    return l->length;
}

/* Behind the bracket that closes the one at `at`; length where it does not close here. */
static size_t yaml_line_brackets(const struct yaml_line *l, size_t at)
{
    size_t depth = 0;
    for (; at < l->length; at++) {
        depth += l->text[at] == '[' || l->text[at] == '{';
        depth -= l->text[at] == ']' || l->text[at] == '}';
        if (depth == 0)
            return at + 1;
    }
    return l->length;
}

/* The `:` of a key that begins at `at`; length where there is none. */
static size_t yaml_line_colon(const struct yaml_line *l, size_t at)
{
    if (at < l->length && (l->text[at] == '"' || l->text[at] == '\'')) {
        at = yaml_line_skip(l, yaml_line_quoted(l, at));
        return at < l->length && l->text[at] == ':' && yaml_line_blank(l, at + 1) ? at : l->length;
    }
    for (; at < l->length; at++) {
        if (l->text[at] == ':' && yaml_line_blank(l, at + 1))
            return at;
        if (l->text[at] == '#' && at && yaml_line_blank(l, at - 1))
            break;
    }
    return l->length;
}

static struct yaml_line yaml_line_of(const struct yaml_text *t, struct yaml_place place)
{
    struct yaml_line l = {.offset = place.offset - (size_t)(place.column - 1)};
    l.text = yaml_text_line(t, place, &l.length);
    while (l.length && yaml_line_blank(&l, l.length - 1))
        l.length--;
    l.first = l.key = yaml_line_skip(&l, 0);
    while (l.key < l.length && l.text[l.key] == '-' && yaml_line_blank(&l, l.key + 1))
        l.key = yaml_line_skip(&l, l.key + 1);
    size_t colon = yaml_line_colon(&l, l.key);
    l.key_length = colon < l.length ? colon - l.key : 0;
    l.value = l.key_length ? yaml_line_skip(&l, colon + 1) : l.key;
    return l;
}

/* ---- words ---- */

static void yaml_finding_at(struct yaml_finding *f, size_t at, size_t width)
{
    size_t room = at < f->line.length ? f->line.length - at : 1;
    f->place = (struct yaml_place){f->line.offset + at, f->problem->at.line, (int)at + 1};
    f->width = (int)(width < room ? width : room);
}

static const char *yaml_noun(const struct yaml_line *l)
{
    static const char *const schedules[] = {"cron", "calendar", "every", "at", "except"};
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        if (l->key_length == strlen(schedules[i]) && memcmp(l->text + l->key, schedules[i], l->key_length) == 0)
            return "schedule";
    if (l->key_length == 7 && memcmp(l->text + l->key, "command", 7) == 0)
        return "command";
    return "text";
}

/* What stands between the quotes of the hint. A schedule has no quotes of its own: where there are some, they end too early. */
static void yaml_line_value(const struct yaml_line *l, size_t end, struct buf *b)
{
    bool schedule = strcmp(yaml_noun(l), "schedule") == 0;
    for (size_t at = l->value; at < end; at++)
        if (!schedule || !strchr("\"'", l->text[at]))
            buf_char(b, l->text[at]);
}

/* Says how the value of the line would be quoted, and lets reading go on behind it. */
static void yaml_finding_quote(struct yaml_finding *f)
{
    const struct yaml_line *l = &f->line;
    size_t end = l->length;
    for (size_t at = l->value + 1; at < l->length; at++)
        if (l->text[at] == '#' && yaml_line_blank(l, at - 1) && strcmp(yaml_noun(l), "schedule") == 0) {
            end = at;
            break;
        }
    while (end > l->value && yaml_line_blank(l, end - 1))
        end--;
    if (end <= l->value)
        return;
    buf_format(&f->hint, "quote the %s", yaml_noun(l));
    if (end - l->value <= 120 && l->key_length <= 60) {
        buf_format(&f->hint, ": %.*s%s", (int)l->key_length, l->text + l->key, l->key_length ? ": " : "");
        struct buf value = {0};
        yaml_line_value(l, end, &value);
        yaml_write_quoted(&f->hint, buf_string(&value), value.length);
        buf_clear(&value);
    }
    if (!f->problem->in_flow)
        f->mend = (struct yaml_mend){l->offset + l->value, l->offset + l->length};
}

static bool yaml_says(const char *words, const char *part)
{
    return words && strstr(words, part);
}

/* ---- the kinds of problems: each says whether it is one of its kind ---- */

static bool yaml_finding_tab(struct yaml_finding *f)
{
    const struct yaml_line *l = &f->line;
    bool here = f->at < l->length && l->text[f->at] == '\t';
    if (!yaml_says(f->problem->what, "tab character") && !(here && yaml_says(f->problem->what, "cannot start any token")))
        return false;
    const char *tab = memchr(l->text, '\t', l->length);
    size_t at = tab ? (size_t)(tab - l->text) : f->at;
    yaml_finding_at(f, at, 1);
    if (at < l->first) {
        buf_text(&f->message, "a tab in the indentation: YAML takes blanks only");
        buf_text(&f->hint, "use two blanks for each level");
    } else {
        buf_text(&f->message, "a tab where YAML takes blanks only");
    }
    return true;
}

/* The quoted text in front of the problem began in a line above: a quote is missing there, and all quotes since are the wrong way round. */
static bool yaml_finding_long_quote(struct yaml_finding *f)
{
    const struct yaml_problem *p = f->problem;
    if (!p->quote.line)
        return false;
    f->place = p->quote;
    f->width = 1;
    buf_format(&f->message, "the quote that opens here is closed in line %d, and something follows it there", p->at.line);
    buf_text(&f->hint, "is a quote missing in between?");
    return true;
}

/* `"$HOME/x" -f`, `[ -x a ] && b`, `*a b`: the value ends, and the line does not. */
static bool yaml_finding_follows(struct yaml_finding *f)
{
    const struct yaml_line *l = &f->line;
    char first = l->value < l->length ? l->text[l->value] : '\0';
    size_t end = l->length;
    if (first == '"' || first == '\'')
        end = yaml_line_quoted(l, l->value);
    else if (first == '[' || first == '{')
        end = yaml_line_brackets(l, l->value);
    size_t next = yaml_line_skip(l, end);
    if (next >= l->length || f->at < end || (l->text[next] == '#' && next > end))
        return false;
    yaml_finding_at(f, next, l->length);
    buf_format(&f->message, "something follows the %s", first == '[' ? "list" : first == '{' ? "map" : "quoted text");
    bool all_quoted = (first == '"' || first == '\'') && l->text[l->length - 1] == first;
    if (!all_quoted || next > end) {
        yaml_finding_quote(f);
    } else {
        buf_text(&f->hint, first == '"' ? "within double quotes a double quote is written \\\"" : "within single quotes a single quote is written ''");
        if (!f->problem->in_flow)
            f->mend = (struct yaml_mend){l->offset + l->value, l->offset + l->length};
    }
    return true;
}

static const struct {
    char begin;
    const char *what;
} yaml_indicators[] = {
    {'*', "it begins an alias"},
    {'&', "it begins an anchor"},
    {'!', "it begins a tag"},
    {'@', "it is reserved"},
    {'`', "it is reserved"},
    {'%', "it begins a directive"},
    {'|', "it begins a text of several lines"},
    {'>', "it begins a text of several lines"},
    {'?', "it begins a key"},
    {',', "it separates the items of a list"},
    {']', "it ends a list"},
    {'}', "it ends a map"},
};

static const char *yaml_indicator(char c)
{
    for (size_t i = 0; i < sizeof yaml_indicators / sizeof *yaml_indicators; i++)
        if (yaml_indicators[i].begin == c)
            return yaml_indicators[i].what;
    return NULL;
}

/* The value, or what libyaml was reading, begins with a character that means something. */
static bool yaml_finding_indicator(struct yaml_finding *f)
{
    const struct yaml_line *l = &f->line;
    const struct yaml_problem *p = f->problem;
    size_t at = p->since.line == p->at.line && yaml_says(p->context, "scanning a") ? (size_t)p->since.column - 1 : f->at;
    if (l->value < l->length && yaml_indicator(l->text[l->value]) && f->at >= l->value)
        at = l->value;
    if (at >= l->length || !yaml_indicator(l->text[at]) || yaml_says(p->context, "directive") || yaml_says(p->what, "escape"))
        return false;
    if (at == l->first && strchr("}]%", l->text[at]))
        return false;
    yaml_finding_at(f, at, at == l->value ? l->length : 1);
    buf_format(&f->message, "a text must not begin with `%c` without quotes: %s", l->text[at], yaml_indicator(l->text[at]));
    if (at == l->value)
        yaml_finding_quote(f);
    else
        buf_text(&f->hint, "quote the text");
    return true;
}

/* `key:value` in the line above. */
static bool yaml_line_glued(const struct yaml_finding *f)
{
    if (!f->line.offset)
        return false;
    struct yaml_place end = {f->line.offset - 1, f->problem->at.line - 1, 1};
    const char *before = memrchr(f->text->source, '\n', end.offset);
    end.column += (int)(end.offset - (before ? (size_t)(before - f->text->source) + 1 : 0));
    struct yaml_line above = yaml_line_of(f->text, end);
    return !above.key_length && above.key < above.length && memchr(above.text + above.key, ':', above.length - above.key);
}

/* `curl -H "A: b"`, and a key that is deeper than the line above it, which has a value already. */
static bool yaml_finding_colon(struct yaml_finding *f)
{
    const struct yaml_line *l = &f->line;
    if (!yaml_says(f->problem->what, "mapping values are not allowed"))
        return false;
    if (l->key_length && f->at >= l->value && l->value > l->key) {
        yaml_finding_at(f, f->at, 1);
        buf_text(&f->message, "`: ` within a text without quotes");
        yaml_finding_quote(f);
        return true;
    }
    yaml_finding_at(f, l->key, l->key_length ? l->key_length : 1);
    buf_text(&f->message, "no key may stand here: the text of the line above goes on");
    if (yaml_line_glued(f))
        buf_text(&f->hint, "is a blank missing behind the `:` of that line?");
    else
        buf_text(&f->hint, "the keys of one map begin in one column; a key has either a text or a map");
    return true;
}

static bool yaml_finding_no_colon(struct yaml_finding *f)
{
    const struct yaml_problem *p = f->problem;
    if (!yaml_says(p->what, "could not find expected ':'"))
        return false;
    f->line = yaml_line_of(f->text, p->since);
    f->place = p->since;
    f->width = (int)(f->line.length - (size_t)(p->since.column - 1));
    if (f->line.text[p->since.column - 1] == '-') {
        f->width = 1;
        buf_text(&f->message, "a blank is missing behind the `-`");
        return true;
    }
    buf_text(&f->message, "a `:` with a blank behind it is missing here");
    buf_text(&f->hint, "`key: value`; a text of several lines needs `|` behind its key, and stands deeper than it");
    return true;
}

static bool yaml_finding_open_quote(struct yaml_finding *f)
{
    const struct yaml_problem *p = f->problem;
    if (!yaml_says(p->context, "quoted scalar") || !(yaml_says(p->what, "end of stream") || yaml_says(p->what, "document indicator")))
        return false;
    f->place = p->since;
    f->width = 1;
    buf_text(&f->message, "this quote is never closed");
    return true;
}

static bool yaml_finding_open_bracket(struct yaml_finding *f)
{
    const struct yaml_problem *p = f->problem;
    const struct yaml_line *l = &f->line;
    bool map = yaml_says(p->what, "expected ',' or '}'");
    if (!map && !yaml_says(p->what, "expected ',' or ']'"))
        return false;
    if (p->since.line != p->at.line || f->at >= l->length) {
        f->place = p->since;
        f->width = 1;
        buf_format(&f->message, "this `%c` is never closed", map ? '{' : '[');
        return true;
    }
    yaml_finding_at(f, f->at, 1);
    buf_format(&f->message, "`,` or `%c` is missing here", map ? '}' : ']');
    if ((size_t)p->since.column - 1 == l->value) {
        yaml_finding_quote(f);
        buf_text(&f->hint, map ? " (if it is no map)" : " (if it is no list)");
    }
    return true;
}

static bool yaml_finding_list(struct yaml_finding *f)
{
    if (!yaml_says(f->problem->what, "block sequence entries are not allowed"))
        return false;
    yaml_finding_at(f, f->at, 1);
    buf_text(&f->message, "no list may begin here");
    if (f->at != f->line.first && f->at == f->line.value) {
        yaml_finding_quote(f);
        buf_text(&f->hint, "; or begin the list in the next line");
    } else {
        buf_text(&f->hint, "a list begins in the line below its key");
    }
    return true;
}

static bool yaml_finding_escape(struct yaml_finding *f)
{
    const struct yaml_problem *p = f->problem;
    bool digits = yaml_says(p->what, "hexdecimal") || yaml_says(p->what, "character escape code");
    if (!yaml_says(p->what, "unknown escape") && !digits)
        return false;
    size_t at = digits && f->at >= 2 ? f->at - 2 : f->at;
    yaml_finding_at(f, at, 2);
    if (digits) {
        buf_text(&f->message, "\\x, \\u and \\U want 2, 4 and 8 hexadecimal digits of a character");
    } else {
        buf_format(&f->message, "`%.*s` means nothing within double quotes", f->width, f->line.text + at);
        buf_text(&f->hint, "write \\\\ for a backslash, or use single quotes, which leave backslashes alone");
    }
    f->mend = (struct yaml_mend){f->line.offset + at, f->line.offset + at + (size_t)f->width};
    return true;
}

static bool yaml_finding_directive(struct yaml_finding *f)
{
    if (f->line.first >= f->line.length || f->line.text[f->line.first] != '%')
        return false;
    yaml_finding_at(f, f->line.first, f->line.length);
    buf_text(&f->message, "a line that begins with `%` is a directive of YAML, and this one is not known");
    return true;
}

static bool yaml_finding_document(struct yaml_finding *f)
{
    if (!yaml_says(f->problem->what, "<document start>"))
        return false;
    yaml_finding_at(f, f->at, f->line.length);
    buf_text(&f->message, "the document ended above this");
    buf_text(&f->hint, "a further document begins with a line `---`");
    return true;
}

/* Something that belongs to no map or list: a line that is not in line, or what stands behind a value. */
static bool yaml_finding_stray(struct yaml_finding *f)
{
    const struct yaml_problem *p = f->problem;
    const struct yaml_line *l = &f->line;
    bool list = yaml_says(p->what, "expected '-' indicator");
    if (!list && !yaml_says(p->what, "did not find expected key"))
        return false;
    bool closing = f->at < l->length && strchr("]}", l->text[f->at]);
    yaml_finding_at(f, f->at, closing ? 1 : l->length);
    if (closing) {
        buf_format(&f->message, "a `%c` that closes nothing", l->text[f->at]);
    } else if (f->at != l->first) {
        buf_text(&f->message, "something follows the value");
        if (l->key_length && f->at > l->value)
            yaml_finding_quote(f);
    } else if (list) {
        buf_format(&f->message, "an item of the list that begins in line %d is expected here", p->since.line);
        buf_text(&f->hint, "items begin with `- ` in one column; keys of an item stand below its first key");
    } else if (f->at < l->key) {
        buf_format(&f->message, "an item of a list stands among the keys of the map that begins in line %d", p->since.line);
        buf_text(&f->hint, "the items of a list stand below a key that has no other value");
    } else {
        buf_format(&f->message, "this line is not in line with the keys of the map that begins in line %d, column %d", p->since.line,
            p->since.column);
        buf_text(&f->hint, "the keys of one map begin in one column");
    }
    return true;
}

static bool yaml_finding_no_key(struct yaml_finding *f)
{
    const struct yaml_line *l = &f->line;
    bool lonely = f->at == l->first || yaml_says(f->problem->what, "node content");
    if (!lonely || f->at >= l->length || l->text[f->at] != ':')
        return false;
    buf_text(&f->message, "a key is missing in front of the `:`");
    return true;
}

static bool yaml_finding_other(struct yaml_finding *f)
{
    buf_format(&f->message, "not valid YAML: %s", f->problem->what);
    if (f->problem->context)
        buf_format(&f->message, " %s", f->problem->context);
    return true;
}

/* The order counts: who comes first has looked at more than libyaml's words. */
static bool (*const yaml_findings[])(struct yaml_finding *f) = {
    yaml_finding_tab,
    yaml_finding_open_quote,
    yaml_finding_escape,
    yaml_finding_long_quote,
    yaml_finding_follows,
    yaml_finding_open_bracket,
    yaml_finding_no_colon,
    yaml_finding_indicator,
    yaml_finding_colon,
    yaml_finding_list,
    yaml_finding_directive,
    yaml_finding_document,
    yaml_finding_no_key,
    yaml_finding_stray,
    yaml_finding_other,
};

struct yaml_mend yaml_problem_report(struct yaml_text *t, const struct yaml_problem *p)
{
    struct yaml_finding f = {.text = t, .problem = p, .line = yaml_line_of(t, p->at), .at = (size_t)p->at.column - 1, .place = p->at, .width = 1};
    for (size_t i = 0; i < sizeof yaml_findings / sizeof *yaml_findings; i++)
        if (yaml_findings[i](&f))
            break;
    bool going = yaml_text_error(t, f.place, f.width, f.hint.length ? buf_string(&f.hint) : NULL, "%s", buf_string(&f.message));
    buf_clear(&f.message);
    buf_clear(&f.hint);
    return going ? f.mend : (struct yaml_mend){0};
}
