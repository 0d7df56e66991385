#include "cmd/show_shell.h"

#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/sys/child.h"
#include "lib/text/json.h"
#include "lib/text/visible.h"
#include "spool/fields.h"

/* $'...' is safe to look at, but not every shell knows it; single quotes hold everything but themselves in all of them. */
static void shell_word(struct buf *b, const char *word, bool terminal)
{
    size_t at = b->length;
    visible_shell_word(b, word);
    if (terminal || b->data[at] != '$')
        return;
    buf_cut(b, at);
    visible_shell_quote(b, word);
}

static void shell_option(struct buf *b, const struct field *f, const char *text, bool terminal)
{
    buf_text(b, " --");
    for (const char *p = f->name; *p; p++)
        buf_char(b, *p == '_' ? '-' : *p);
    buf_char(b, ' ');
    shell_word(b, text, terminal);
}

static void shell_value(struct buf *b, const struct field *f, const char *key, const struct value *v, bool terminal)
{
    struct buf text = {0};
    if (key)
        buf_format(&text, "%s=", key);
    if (v->kind == VALUE_TEXT)
        buf_add(&text, v->text.data, v->text.length);
    else
        json_write(&text, v, NULL);
    shell_option(b, f, buf_string(&text), terminal);
    buf_clear(&text);
}

/* Lists are added to by each option of theirs; those of durations and exit codes are one text with commas. */
static void shell_list(struct buf *b, const struct field *f, const struct value *v, bool terminal)
{
    bool joined = f->kind == FIELD_DURATIONS || f->kind == FIELD_EXITS;
    struct buf text = {0};
    for (size_t i = 0; i < v->list.count; i++) {
        const struct value *item = &v->list.items[i];
        if (!joined) {
            shell_value(b, f, v->kind == VALUE_MAP ? v->list.keys[i] : NULL, item, terminal);
            continue;
        }
        buf_text(&text, i ? "," : "");
        if (item->kind == VALUE_TEXT)
            buf_add(&text, item->text.data, item->text.length);
        else
            json_write(&text, item, NULL);
    }
    if (joined)
        shell_option(b, f, buf_string(&text), terminal);
    buf_clear(&text);
}

static void shell_field(struct buf *b, const struct job *j, const struct field *f, bool terminal)
{
    struct value v = field_get(j, f, FIELD_PRINT);
    if (v.kind == VALUE_LIST || v.kind == VALUE_MAP)
        shell_list(b, f, &v, terminal);
    else
        shell_value(b, f, NULL, &v, terminal);
    value_clear(&v);
}

/* A time that has passed cannot be given again: what was due then is due now. What repeats is said by its fields. */
static void shell_when(struct buf *b, const struct job *j, const struct view *v)
{
    enum schedule_kind kind = job_schedule_kind(j);
    if (kind == SCHEDULE_NONE) {
        buf_text(b, " --boot none");
    } else if (kind == SCHEDULE_AT && j->at <= v->now) {
        buf_text(b, " --now");
    } else if (kind == SCHEDULE_AT) {
        buf_text(b, " --at ");
        instant_format_utc(b, j->at);
    }
}

/* What ax add would keep of the place where the line is typed. */
static void shell_place(struct buf *b, const struct job *j, bool terminal)
{
    struct child_user user;
    if (!j->cwd && child_user_find(j->user, NULL, &user, NULL) == 0) {
        buf_text(b, " --cwd ");
        shell_word(b, user.home, terminal);
        child_user_clear(&user);
    }
    if (j->umask_bits < 0)
        buf_text(b, " --umask 022");
}

/* What --shell can say: one word, which -c follows, or several without blanks in them. Other words can only be said as a vector, which runs the same.
 * malloc'd, or NULL. */
static char *shell_says(const struct job *j)
{
    struct buf b = {0};
    for (size_t i = 0; i < j->shell.count; i++) {
        const char *word = j->shell.items[i];
        if (!*word || strpbrk(word, " \t\n")) {
            buf_clear(&b);
            return NULL;
        }
        buf_format(&b, "%s%s", i ? " " : "", word);
    }
    bool plain = j->shell.count == 2 && strcmp(j->shell.items[1], "-c") == 0;
    if (plain)
        buf_cut(&b, strlen(j->shell.items[0]));
    if (j->shell.count < 2)
        buf_clear(&b);
    return b.length ? buf_take(&b) : NULL;
}

static void shell_command(struct buf *b, const struct job *j, bool said, bool terminal)
{
    buf_text(b, j->shell_line && said ? " -c" : " --");
    for (size_t i = 0; j->shell_line && !said && i < j->shell.count; i++) {
        buf_char(b, ' ');
        shell_word(b, j->shell.items[i], terminal);
    }
    for (size_t i = 0; i < j->command.count; i++) {
        buf_char(b, ' ');
        shell_word(b, j->command.items[i], terminal);
    }
    buf_char(b, '\n');
}

void show_shell(struct buf *b, const struct view *v, const struct job *j, bool values)
{
    if (values && j->has_kept_env) {
        buf_text(b, "env -i");
        for (size_t i = 0; i < j->kept_env.count; i++) {
            buf_char(b, ' ');
            shell_word(b, j->kept_env.items[i], v->terminal);
        }
        buf_char(b, ' ');
    }
    char *shell = shell_says(j);
    buf_text(b, "ax add --no-check");
    if (!j->has_kept_env)
        buf_text(b, " --clean-env");
    shell_when(b, j, v);
    shell_place(b, j, v->terminal);
    for (const struct field *f = fields; f->name; f++) {
        if (f->kind == FIELD_COMMAND || f->kind == FIELD_AT || f->kind == FIELD_IN || field_is_default(j, f))
            continue;
        if (f->kind == FIELD_SHELL && shell)
            shell_option(b, f, shell, v->terminal);
        else if (f->kind != FIELD_SHELL)
            shell_field(b, j, f, v->terminal);
    }
    shell_command(b, j, shell != NULL, v->terminal);
    free(shell);
}
