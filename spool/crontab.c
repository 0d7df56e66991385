/* The text of a crontab, line by line. */
#include "spool/crontab.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/crontab_parts.h"

#define CRON_LINES 10000 /* lines that Debian's cron takes */

void crontab_note(struct crontab *c, int line, const char *format, ...)
{
    struct buf text = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&text, format, arguments);
    va_end(arguments);
    MEM_GROW(c->notes, c->notes_capacity, c->notes_count + 1);
    c->notes[c->notes_count++] = (struct crontab_note){line, buf_take(&text)};
}

/* ---- lines ---- */

static struct crontab_line *add_line(struct crontab *c, int line)
{
    MEM_GROW(c->lines, c->capacity, c->count + 1);
    c->lines[c->count] = (struct crontab_line){.line = line};
    return &c->lines[c->count++];
}

static void refuse_line(struct crontab_reader *r, const char *why)
{
    crontab_line_refuse(add_line(r->out, r->line), "%s", why);
    r->out->refused++;
}

static void take_setting(struct crontab_reader *r, struct crontab_setting *s)
{
    bool cronie = r->rules->dialect == CRONTAB_CRONIE;
    bool fixed = !strncmp(s->text, "LOGNAME=", 8) || (cronie && !strncmp(s->text, "USER=", 5));
    if (!r->ended)
        crontab_note(r->out, r->line, "the last line has no newline: cron refuses the file");
    if (fixed)
        crontab_note(r->out, r->line, "%.*s cannot be set: cron sets it to the user's name", (int)s->name, s->text);
    if (!s->name)
        crontab_note(r->out, r->line, "a setting without a name is left out");
    if (fixed || !s->name) {
        free(s->text);
        return;
    }
    s->line = r->line;
    const char *why = crontab_setting_take(r->out, r->force, s);
    if (why)
        refuse_line(r, why);
}

static void take_job(struct crontab_reader *r, const char *text, struct crontab_comment *comment)
{
    struct crontab_line *l = add_line(r->out, r->line);
    l->comment = crontab_comment_take(comment);
    crontab_line_read(r, text, l);
    r->out->jobs += l->status == CRONTAB_JOB;
    r->out->reported += l->status == CRONTAB_REPORTED;
    r->out->refused += l->status == CRONTAB_REFUSED;
}

static void read_line(struct crontab_reader *r, const char *text, size_t length, struct crontab_comment *comment)
{
    struct crontab_setting s;
    bool nul = memchr(text, '\0', length) != NULL;
    text = crontab_skip(text);
    if (*text == '#') {
        crontab_comment_add(comment, text);
        return;
    }
    if (nul)
        refuse_line(r, "there is a NUL byte in the line: is this a text?");
    else if (*text && crontab_setting_read(text, r->rules->dialect, &s))
        take_setting(r, &s);
    else if (*text)
        take_job(r, text, comment);
    buf_reset(&comment->text);
}

/* ---- the text ---- */

static const char *skip_mark(const char *text, size_t *length, struct crontab *out)
{
    if (*length < 3 || memcmp(text, "\xef\xbb\xbf", 3) != 0)
        return text;
    crontab_note(
        out, 1, "a byte order mark stands in front of the text: ax skips it, cron would refuse the first line");
    *length -= 3;
    return text + 3;
}

/* The bytes of one line without its end: `line` is a copy, so that it ends in a NUL. */
static void cut_line(struct crontab_reader *r, const char *text, size_t length, struct buf *line)
{
    r->returned = length && text[length - 1] == '\r';
    while (length && text[length - 1] == '\r')
        length--;
    buf_reset(line);
    buf_add(line, text, length);
    buf_char(line, '\0');
    if (r->returned && !r->noted)
        crontab_note(r->out, r->line, "lines end in CR LF: the carriage returns are left out");
    r->noted |= r->returned;
}

static void read_text(struct crontab_reader *r, const char *text, size_t length)
{
    struct crontab_comment comment = {0};
    struct buf line = {0};
    const char *end = text + length;
    while (text < end) {
        const char *newline = memchr(text, '\n', (size_t)(end - text));
        r->ended = newline != NULL;
        r->line++;
        if (r->line > CRONTAB_LINES) {
            refuse_line(r, "crontab is too long; maximum number of lines is 100000");
            break;
        }
        cut_line(r, text, (size_t)((newline ? newline : end) - text), &line);
        read_line(r, line.data, line.length - 1, &comment);
        text = newline ? newline + 1 : end;
    }
    buf_clear(&line);
    buf_clear(&comment.text);
}

void crontab_read(const char *text, size_t length, const struct crontab_rules *rules, struct crontab *out)
{
    struct crontab_force force = {0};
    struct crontab_users users = {0};
    struct crontab_reader r = {.rules = rules, .out = out, .force = &force, .users = &users};
    *out =
        (struct crontab){.user = mem_string(rules->user), .home = mem_string(rules->home), .dialect = rules->dialect};
    text = skip_mark(text, &length, out);
    read_text(&r, text, length);
    if (r.line > CRON_LINES && rules->dialect == CRONTAB_DEBIAN)
        crontab_note(out, CRON_LINES + 1, "the crontab is too long for cron, which takes %d lines", CRON_LINES);
    free(force.latest);
    crontab_users_clear(&users);
}

void crontab_clear(struct crontab *c)
{
    for (size_t i = 0; i < c->count; i++)
        crontab_line_clear(&c->lines[i]);
    for (size_t i = 0; i < c->settings_count; i++)
        free(c->settings[i].text);
    for (size_t i = 0; i < c->notes_count; i++)
        free(c->notes[i].text);
    free(c->lines);
    free(c->settings);
    free(c->notes);
    free(c->user);
    free(c->home);
    *c = (struct crontab){0};
}
