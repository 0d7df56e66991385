/* The lines of an anacrontab. */
#include "spool/anacrontab.h"

#include <limits.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "spool/crontab_parts.h"

struct reader {
    const struct crontab_rules *rules;
    struct anacrontab *out;
    struct crontab_force force;
    struct crontab_comment comment;
    int line;       /* where the line begins that is being read */
    bool backslash; /* one was dropped from it */
    bool returned;  /* it ends in a carriage return */
};

static void note(struct crontab_line *l, const char *text)
{
    strvec_add(&l->notes, text);
}

/* ---- lines ---- */

/* One line, with those that continue it, without backslashes. Returns what follows, and counts the newlines. */
static const char *cut_line(struct reader *r, const char *at, const char *end, struct buf *line, int *newlines)
{
    bool escaped = false;
    buf_reset(line);
    r->backslash = false;
    for (; at < end; at++) {
        *newlines += *at == '\n';
        if (*at == '\n' && !escaped) {
            at++;
            break;
        }
        r->backslash |= escaped && *at != '\n';
        escaped = *at == '\\';
        if (!escaped)
            buf_char(line, *at == '\n' ? ' ' : *at);
    }
    r->backslash |= escaped;
    r->returned = line->length && line->data[line->length - 1] == '\r';
    while (line->length && line->data[line->length - 1] == '\r')
        buf_cut(line, line->length - 1);
    buf_char(line, '\0');
    return at;
}

static struct crontab_line *add_line(struct reader *r, struct anacron_job **job)
{
    struct crontab *c = &r->out->tab;
    MEM_GROW(c->lines, c->capacity, c->count + 1);
    MEM_GROW(r->out->jobs, r->out->capacity, c->count + 1);
    *job = &r->out->jobs[c->count];
    **job = (struct anacron_job){0};
    c->lines[c->count] = (struct crontab_line){.line = r->line};
    return &c->lines[c->count++];
}

/* ---- periods ---- */

static const struct named {
    const char *name, *day; /* day: the last three fields of the expression */
    bool cronie;
} periods[] = {
    {"@monthly", "1 * *", false},
    {"@daily", "* * *", true},
    {"@weekly", "* * 0", true},
    {"@yearly", "1 1 *", true},
    {"@annually", "1 1 *", true},
};

static const char *period_day(const char *word, int days, enum crontab_dialect dialect)
{
    for (size_t i = 0; *word == '@' && i < sizeof periods / sizeof periods[0]; i++)
        if (!strcmp(periods[i].name, word) && (dialect == CRONTAB_CRONIE || !periods[i].cronie))
            return periods[i].day;
    return days == 1 ? "* * *" : days == 7 ? "* * 0" : NULL;
}

static bool read_number(const char *digits, size_t length, int *out)
{
    int64_t value = 0;
    for (size_t i = 0; i < length; i++)
        value = value > INT_MAX ? value : value * 10 + (digits[i] - '0');
    *out = value > INT_MAX ? 0 : (int)value;
    return value <= INT_MAX;
}

/* ---- jobs ---- */

struct words {
    const char *period, *delay, *id, *command;
    size_t period_length, delay_length, id_length;
};

static bool cut_words(const char *text, struct words *w)
{
    w->period = text;
    w->period_length = *text == '@' ? strcspn(text, " \t") : strspn(text, "0123456789");
    w->delay = crontab_skip(text + w->period_length);
    w->delay_length = strspn(w->delay, "0123456789");
    w->id = crontab_skip(w->delay + w->delay_length);
    w->id_length = strcspn(w->id, " \t");
    w->command = crontab_skip(w->id + w->id_length);
    bool apart = w->delay > w->period + w->period_length && w->id > w->delay + w->delay_length;
    return apart && w->period_length && w->delay_length && w->id_length && *w->command &&
           !memchr(w->id, '/', w->id_length);
}

static char *copy(const char *text, size_t length)
{
    char *word = mem_alloc(length + 1);
    memcpy(word, text, length);
    word[length] = '\0';
    return word;
}

enum { DAY = 24 * 60 };

static void set_times(const struct anacron_job *job, const char *day, struct crontab_line *l)
{
    int minutes = job->minutes < DAY ? job->minutes : DAY - 1;
    if (day)
        l->cron = mem_format("%d %d %s", minutes % 60, minutes / 60, day);
    note(l, "anacron starts it when the period has passed since its last run and the machine is up; ax has a fixed "
            "time for it, and makes up for a missed one");
    if (job->minutes >= DAY)
        note(l, "the delay is longer than a day");
    if (job->days == 0 && !day)
        crontab_line_report(l, "a period of 0 days: anacron starts it each time it looks");
}

static void doubt_line(const struct reader *r, struct crontab_line *l)
{
    const char *shell = crontab_setting_value(&r->out->tab, &r->force, "SHELL");
    if (r->backslash)
        crontab_line_report(l, "anacron drops the backslashes of a command: so does the line here");
    if (r->returned)
        crontab_line_report(
            l, "the line ends in a carriage return, which anacron leaves in the command; ax takes it off");
    if (shell && strcmp(shell, "/bin/sh") != 0)
        note(l, "SHELL is a plain variable to anacron: the command goes to /bin/sh");
    static const char *const names[] = {"START_HOURS_RANGE", "PREFERRED_HOUR", "RANDOM_DELAY"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (crontab_setting_value(&r->out->tab, &r->force, names[i]))
            strvec_take(&l->notes,
                mem_format(r->rules->dialect == CRONTAB_CRONIE
                        ? "%s is not taken over: set the time of day, or a jitter, by hand"
                        : "%s is a plain variable to Debian's anacron; what cronie's does with it is not taken over", names[i]));
}

static void read_job(struct reader *r, const char *text)
{
    struct words w;
    struct anacron_job *job;
    struct crontab_line *l = add_line(r, &job);
    if (!cut_words(text, &w)) {
        crontab_line_refuse(l, "Invalid syntax");
        return;
    }
    bool fits = read_number(w.delay, w.delay_length, &job->minutes);
    if (!fits || (*w.period != '@' && !read_number(w.period, w.period_length, &job->days))) {
        crontab_line_refuse(l, "number out of range");
        return;
    }
    l->schedule = copy(w.period, w.period_length);
    const char *day = period_day(l->schedule, job->days, r->rules->dialect);
    if (*l->schedule == '@' && !day) {
        crontab_line_refuse(l, "Unknown named period");
        return;
    }
    if (strlen(w.command) > CRONTAB_ARGUMENT) {
        crontab_line_refuse(l, "command too long: it has %zu bytes, and Linux hands a shell at most %d",
            strlen(w.command), CRONTAB_ARGUMENT);
        return;
    }
    job->id = copy(w.id, w.id_length);
    l->command = mem_string(w.command);
    l->comment = crontab_comment_take(&r->comment);
    l->settings = r->out->tab.settings_count;
    set_times(job, day, l);
    doubt_line(r, l);
}

/* ---- settings ---- */

static bool read_setting(const char *text, struct crontab_setting *s)
{
    size_t name = strcspn(text, " \t=");
    const char *equals = crontab_skip(text + name);
    if (!name || *equals != '=')
        return false;
    *s =
        (struct crontab_setting){.text = mem_format("%.*s%s", (int)name, text, equals), .name = name, .next = SIZE_MAX};
    return true;
}

static void refuse(struct reader *r, const char *why)
{
    struct anacron_job *job;
    crontab_line_refuse(add_line(r, &job), "%s", why);
}

static void read_line(struct reader *r, const char *text, size_t length)
{
    struct crontab_setting s;
    const char *at = crontab_skip(text), *why = NULL;
    if (*at == '#') {
        crontab_comment_add(&r->comment, at);
        return;
    }
    if (memchr(text, '\0', length)) {
        why = "there is a NUL byte in the line: is this a text?";
    } else if (length > 4 * CRONTAB_ARGUMENT) {
        why = "the line is too long";
    } else if (*at && read_setting(at, &s)) {
        s.line = r->line;
        why = crontab_setting_take(&r->out->tab, &r->force, &s);
    } else if (*at) {
        read_job(r, at);
    }
    if (why)
        refuse(r, why);
    buf_reset(&r->comment.text);
}

static void count_lines(struct crontab *c)
{
    for (size_t i = 0; i < c->count; i++) {
        c->jobs += c->lines[i].status == CRONTAB_JOB;
        c->reported += c->lines[i].status == CRONTAB_REPORTED;
        c->refused += c->lines[i].status == CRONTAB_REFUSED;
    }
}

void anacrontab_read(const char *text, size_t length, const struct crontab_rules *rules, struct anacrontab *out)
{
    struct reader r = {.rules = rules, .out = out};
    struct buf line = {0};
    int newlines = 0;
    *out = (struct anacrontab){
        .tab = {.user = mem_string(rules->user), .home = mem_string(rules->home), .dialect = rules->dialect}};
    for (const char *at = text, *end = text + length; at < end;) {
        r.line = newlines + 1;
        if (r.line > CRONTAB_LINES) {
            refuse(&r, "the anacrontab is too long; maximum number of lines is 100000");
            break;
        }
        at = cut_line(&r, at, end, &line, &newlines);
        read_line(&r, line.data, line.length - 1);
    }
    count_lines(&out->tab);
    buf_clear(&line);
    buf_clear(&r.comment.text);
    free(r.force.latest);
}

void anacrontab_clear(struct anacrontab *a)
{
    for (size_t i = 0; i < a->tab.count; i++)
        free(a->jobs[i].id);
    free(a->jobs);
    crontab_clear(&a->tab);
    *a = (struct anacrontab){0};
}
