/* What is told about an import: for people, and for machines. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cmd/crontab_files.h"
#include "lib/text/visible.h"

static const char *const kind_words[] = {
    [CHANGE_CREATE] = "new",   [CHANGE_UPDATE] = "changed", [CHANGE_REVIVE] = "back again", [CHANGE_REMOVE] = "removed",
    [CHANGE_UNNAMED] = "kept", [CHANGE_SAME] = "unchanged", [CHANGE_CONFLICT] = "conflict", [CHANGE_QUEUE] = "queue",
    [CHANGE_ADOPT] = "adopted", [CHANGE_MOVE] = "unchanged",
};

static const struct jobfile_job *job_of(const struct crontab_import *im, const struct crontab_file *f, const struct crontab_entry *entry)
{
    return entry->job == SIZE_MAX ? NULL : &im->jobs.items[f->jobs].jobs[entry->job];
}

/* Changes stand in the order of the jobs, one for each. */
struct cursor {
    size_t at;
};

static const struct change *change_of(const struct crontab_import *im, struct cursor *c, const struct jobfile_job *new)
{
    if (!im->planned || !new || c->at >= im->changes.count)
        return NULL;
    const struct change *change = &im->changes.items[c->at];
    if (change->new != new)
        return NULL;
    c->at++;
    return change;
}

static void add_text(struct buf *b, const char *text)
{
    visible_add(b, text, strlen(text), false);
}

static void add_notes(struct buf *b, const struct crontab_entry *entry)
{
    if (entry->reason) {
        buf_text(b, "      look: ");
        add_text(b, entry->reason);
        buf_char(b, '\n');
    }
    for (size_t i = 0; i < entry->notes.count; i++) {
        buf_text(b, "      note: ");
        add_text(b, entry->notes.items[i]);
        buf_char(b, '\n');
    }
}

static void add_change(struct buf *b, const struct crontab_import *im, const struct change *change)
{
    if (!change)
        return;
    buf_format(b, "; %s", kind_words[change->kind]);
    if (change->number && (im->done || change->kind != CHANGE_CREATE))
        buf_format(b, " (job %" PRIu64 ")", change->number);
}

static void add_entry(struct buf *b, const struct crontab_import *im, const struct crontab_entry *entry, const struct jobfile_job *j,
                      const struct change *change)
{
    buf_format(b, "  line %d: %s: ", entry->line, j->job.name);
    add_text(b, entry->l->schedule);
    if (entry->l->cron && strcmp(entry->l->cron, entry->l->schedule) != 0)
        buf_format(b, " (%s)", entry->l->cron);
    if (j->job.user)
        buf_format(b, ", as %s", j->job.user);
    if (j->job.boot) {
        buf_text(b, ", next at the next boot");
    } else {
        buf_text(b, ", next ");
        view_moment(b, &im->view, entry->next);
    }
    add_change(b, im, change);
    buf_char(b, '\n');
    add_notes(b, entry);
}

static void add_file(struct buf *b, const struct crontab_import *im, const struct crontab_file *f, struct cursor *c)
{
    const struct crontab *tab = crontab_file_tab(f);
    add_text(b, f->name);
    if (f->skipped) {
        buf_text(b, " is skipped: ");
        add_text(b, f->skipped);
        buf_char(b, '\n');
        return;
    }
    buf_text(b, ":\n");
    for (size_t i = 0; i < tab->notes_count; i++) {
        buf_format(b, "  line %d: ", tab->notes[i].line);
        add_text(b, tab->notes[i].text);
        buf_char(b, '\n');
    }
    for (size_t i = 0; i < f->remarks.count; i++) {
        buf_text(b, "  ");
        add_text(b, f->remarks.items[i]);
        buf_char(b, '\n');
    }
    for (size_t i = 0; i < f->count; i++) {
        const struct jobfile_job *j = job_of(im, f, &f->entries[i]);
        if (j) {
            add_entry(b, im, &f->entries[i], j, change_of(im, c, j));
            continue;
        }
        buf_format(b, "  line %d: refused: ", f->entries[i].line);
        add_text(b, f->entries[i].reason);
        buf_char(b, '\n');
    }
    if (!f->count)
        buf_text(b, "  there is no job in it\n");
}

static void add_removed(struct buf *b, const struct crontab_import *im)
{
    for (size_t i = 0; im->planned && i < im->changes.count; i++) {
        const struct change *c = &im->changes.items[i];
        if (c->kind != CHANGE_REMOVE)
            continue;
        buf_format(b, "job %" PRIu64 " (", c->number);
        add_text(b, c->old.name ? c->old.name : "-");
        buf_format(b, ") %s: its line is gone from the crontab\n", im->done ? "removed" : "would be removed");
    }
}

/* Lines that cron runs too. */
static bool has_open_lines(const struct crontab_import *im)
{
    for (size_t i = 0; i < im->count; i++)
        if (!im->files[i].skipped && im->jobs.items[im->files[i].jobs].job_count > im->files[i].marks)
            return true;
    return false;
}

static void add_sum(struct buf *b, const struct crontab_import *im)
{
    const size_t *of = im->changes.of;
    if (!im->done)
        buf_text(b, "nothing is changed yet; it would be: ");
    buf_format(b, "%zu created", im->planned ? of[CHANGE_CREATE] + of[CHANGE_REVIVE] : im->taken);
    if (im->planned)
        buf_format(b, ", %zu updated, %zu unchanged, %zu removed", of[CHANGE_UPDATE], of[CHANGE_SAME] + of[CHANGE_MOVE], of[CHANGE_REMOVE]);
    if (im->refused)
        buf_format(b, "; %zu refused", im->refused);
    buf_char(b, '\n');
    if (im->done && !im->options->take_over && has_open_lines(im))
        buf_text(b, "if cron reads this crontab, it still has the lines: --take-over makes them comments there, so that nothing runs twice, and --undo takes that back\n");
}

/* PAM gives the variables of these files to what Debian's cron starts. */
static bool sets_variables(const char *path)
{
    FILE *f = fopen(path, "re");
    char *line = NULL;
    size_t room = 0;
    bool found = false;
    while (f && !found && getline(&line, &room, f) > 0)
        found = line[strspn(line, " \t")] != '#' && strchr(line, '=');
    free(line);
    if (f)
        fclose(f);
    return found;
}

static void add_meanings(struct buf *b)
{
    static const char *const of_pam[] = {"/etc/environment", "/etc/default/locale"};
    buf_text(b, "What is as with cron: every due time starts a run, also while the one before goes on; what was missed stays missed.\n"
                "What differs: output is kept (`ax log`) and the runs are recorded (`ax history`), and cron's own log has no lines of them. USER, PWD and\n"
                "AX_... are set too. The limits that PAM sets for cron are not.\n");
    for (size_t i = 0; i < sizeof of_pam / sizeof *of_pam; i++)
        if (sets_variables(of_pam[i]))
            buf_format(b, "PAM gives cron's commands the variables of %s, and ax does not: set in the crontab what they need.\n", of_pam[i]);
}

void crontab_report_text(struct buf *b, const struct crontab_import *im)
{
    struct cursor c = {0};
    for (size_t i = 0; i < im->count; i++)
        add_file(b, im, &im->files[i], &c);
    add_removed(b, im);
    if (im->taken)
        add_meanings(b);
    add_sum(b, im);
}

/* ---- refused lines ---- */

static const char *line_of(const struct crontab_file *f, int line, size_t *length)
{
    const char *at = buf_string(&f->raw), *end = at + f->raw.length;
    for (int n = 1; n < line && at < end; n++) {
        const char *newline = memchr(at, '\n', (size_t)(end - at));
        at = newline ? newline + 1 : end;
    }
    const char *newline = memchr(at, '\n', (size_t)(end - at));
    *length = (size_t)((newline ? newline : end) - at);
    return at;
}

void crontab_report_refused(const struct crontab_import *im)
{
    enum { SHOWN = 200 };
    struct buf b = {0};
    size_t shown = 0;
    for (size_t i = 0; i < im->count; i++) {
        const struct crontab_file *f = &im->files[i];
        for (size_t n = 0; n < f->count && shown < SHOWN; n++) {
            const struct crontab_entry *entry = &f->entries[n];
            size_t length;
            if (entry->status != CRONTAB_REFUSED)
                continue;
            shown++;
            add_text(&b, f->name);
            buf_format(&b, ":%d: ", entry->line);
            add_text(&b, entry->reason);
            buf_text(&b, "\n    ");
            const char *line = line_of(f, entry->line, &length);
            visible_add(&b, line, visible_fit(line, length, 100), false);
            buf_char(&b, '\n');
        }
    }
    if (im->refused > shown)
        buf_format(&b, "... and %zu more\n", im->refused - shown);
    fwrite(buf_string(&b), 1, b.length, stderr);
    buf_clear(&b);
}

/* ---- JSON ---- */

static struct value text_or_null(const char *text)
{
    return text ? value_text(text) : (struct value){0};
}

static struct value environment(const struct crontab_file *f, const struct crontab_line *l)
{
    struct strvec env = {0};
    struct value map = value_map();
    crontab_env(crontab_file_tab(f), l, &env);
    for (size_t i = 0; i < env.count; i++) {
        size_t name = strcspn(env.items[i], "=");
        char *key = strndup(env.items[i], name);
        value_put_key(&map, key, value_text(env.items[i] + name + 1));
    }
    strvec_clear(&env);
    return map;
}

static void put_line(struct value *m, const struct crontab_file *f, const struct crontab_entry *entry)
{
    const struct crontab_line *l = entry->l;
    struct value notes = value_list();
    for (size_t i = 0; i < entry->notes.count; i++)
        value_push(&notes, value_text(entry->notes.items[i]));
    value_put(m, "cron", text_or_null(l ? l->schedule : NULL));
    value_put(m, "times", text_or_null(l ? l->cron : NULL));
    value_put(m, "user", text_or_null(!l ? NULL : l->user ? l->user : crontab_file_tab(f)->user));
    value_put(m, "env", l ? environment(f, l) : (struct value){0});
    value_put(m, "command", text_or_null(l ? l->command : NULL));
    value_put(m, "stdin", l && l->has_input ? value_text(l->input) : (struct value){0});
    value_put(m, "notes", notes);
}

static void add_json(struct buf *b, const struct crontab_import *im, const struct crontab_file *f, const struct crontab_entry *entry,
                     struct cursor *c)
{
    static const char *const words[] = {[CRONTAB_JOB] = "job", [CRONTAB_REPORTED] = "reported", [CRONTAB_REFUSED] = "refused"};
    const struct jobfile_job *j = job_of(im, f, entry);
    const struct change *change = change_of(im, c, j);
    struct value m = value_map();
    value_put(&m, "file", value_text(f->name));
    value_put(&m, "line", value_int(entry->line));
    value_put(&m, "status", value_text(words[entry->status]));
    put_line(&m, f, entry);
    value_put(&m, "reason", text_or_null(entry->reason));
    value_put(&m, "name", text_or_null(j ? j->job.name : NULL));
    value_put(&m, "timezone", text_or_null(j ? j->job.timezone : NULL));
    view_put_time(&m, "next", j ? entry->next : INSTANT_NONE);
    value_put(&m, "change", text_or_null(change ? kind_words[change->kind] : NULL));
    value_put(&m, "number", change && change->number ? value_int((int64_t)change->number) : (struct value){0});
    view_line(b, &m);
}

static void add_json_skipped(struct buf *b, const struct crontab_file *f)
{
    struct value m = value_map();
    value_put(&m, "file", value_text(f->name));
    value_put(&m, "line", (struct value){0});
    value_put(&m, "status", value_text("skipped"));
    value_put(&m, "reason", value_text(f->skipped));
    view_line(b, &m);
}

static void add_json_removed(struct buf *b, const struct change *c)
{
    struct value m = value_map();
    value_put(&m, "file", text_or_null(c->old.file));
    value_put(&m, "line", (struct value){0});
    value_put(&m, "status", value_text("removed"));
    value_put(&m, "name", text_or_null(c->old.name));
    value_put(&m, "number", value_int((int64_t)c->number));
    view_line(b, &m);
}

void crontab_report_json(struct buf *b, const struct crontab_import *im)
{
    struct cursor c = {0};
    for (size_t i = 0; i < im->count; i++) {
        if (im->files[i].skipped)
            add_json_skipped(b, &im->files[i]);
        for (size_t n = 0; n < im->files[i].count; n++)
            add_json(b, im, &im->files[i], &im->files[i].entries[n], &c);
    }
    for (size_t i = 0; im->planned && i < im->changes.count; i++)
        if (im->changes.items[i].kind == CHANGE_REMOVE)
            add_json_removed(b, &im->changes.items[i]);
}
