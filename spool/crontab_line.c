/* One job line: schedule, user, command, and what should be said about them. */
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/time/cron.h"
#include "spool/crontab_parts.h"

#define USER_MAX 32 /* bytes of a user's name */

void crontab_line_clear(struct crontab_line *l)
{
    free(l->reason);
    free(l->schedule);
    free(l->cron);
    free(l->zone);
    free(l->user);
    free(l->home);
    free(l->command);
    free(l->input);
    free(l->comment);
    strvec_clear(&l->notes);
    *l = (struct crontab_line){0};
}

void crontab_line_refuse(struct crontab_line *l, const char *format, ...)
{
    struct buf reason = {0};
    int line = l->line;
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&reason, format, arguments);
    va_end(arguments);
    crontab_line_clear(l);
    *l = (struct crontab_line){.line = line, .status = CRONTAB_REFUSED, .reason = buf_take(&reason)};
}

void crontab_line_report(struct crontab_line *l, const char *format, ...)
{
    struct buf reason = {0};
    va_list arguments;
    if (l->reason)
        buf_format(&reason, "%s; ", l->reason);
    va_start(arguments, format);
    buf_vformat(&reason, format, arguments);
    va_end(arguments);
    free(l->reason);
    l->reason = buf_take(&reason);
    l->status = CRONTAB_REPORTED;
}

/* ---- schedule ---- */

static const char *read_schedule(struct crontab_reader *r, const char *text, struct crontab_line *l)
{
    struct crontab_schedule s;
    struct cron parsed;
    struct strvec slips = {0};
    struct error e = {0};
    crontab_schedule_read(text, r->rules->dialect, &s);
    const char *rest = s.rest;
    if (s.refused) {
        crontab_line_refuse(l, "%s", s.refused);
    } else if (cron_parse(buf_string(&s.cron), 0, &parsed, &slips, &e) < 0) {
        crontab_line_refuse(l, "%s", e.text);
        rest = NULL;
    } else {
        if (s.doubts.length)
            crontab_line_report(l, "%s", s.doubts.data);
        for (size_t i = 0; i < slips.count; i++)
            strvec_add(&l->notes, slips.items[i]);
        if (s.chance)
            strvec_add(&l->notes, "~: cronie chooses anew whenever its daemon starts, ax once for the job");
        if (parsed.reboot)
            strvec_add(
                &l->notes, "@reboot: cron starts it with its daemon, ax once after each boot, from the next boot on");
        l->schedule = buf_take(&s.text);
        l->cron = buf_take(&s.cron);
    }
    strvec_clear(&slips);
    crontab_schedule_clear(&s);
    return rest;
}

/* cronie: a - in front of the minute keeps the start out of the log; only root may ask for it. */
static const char *read_silence(const struct crontab_reader *r, const char *text, struct crontab_line *l)
{
    bool allowed = r->rules->kind == CRONTAB_SYSTEM || (r->rules->user && !strcmp(r->rules->user, "root"));
    if (*text != '-' || r->rules->dialect != CRONTAB_CRONIE)
        return text;
    if (!allowed) {
        crontab_line_refuse(l, "bad option");
        return NULL;
    }
    strvec_add(&l->notes, "the - in front keeps the start out of cronie's log; ax records every run");
    return text + 1;
}

/* ---- user ---- */

static const char *read_user(struct crontab_reader *r, const char *text, struct crontab_line *l)
{
    size_t length = strcspn(text, " \t");
    if (!text[length] || (*text == '*' && r->rules->dialect == CRONTAB_CRONIE)) {
        crontab_line_refuse(l, "bad command");
        return NULL;
    }
    char *name = mem_copy(text, length + 1);
    name[length] = '\0';
    const char *home = r->rules->home_of ? crontab_users_home(r->users, r->rules, name) : NULL;
    if (r->rules->home_of && !home) {
        crontab_line_refuse(l, "bad username");
        free(name);
        return NULL;
    }
    l->user = name;
    l->home = mem_string(home);
    return crontab_skip(text + length);
}

/* Programs that some system has a user for: `mail -s x` means the program. */
static bool is_program(const char *name)
{
    static const char *const names[] = {"git", "lp", "mail", "man", "mysql", "nginx", "sync", "uucp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++)
        if (!strcmp(name, names[i]))
            return true;
    return false;
}

/* A line of a system crontab in a personal one: `* * * * * root /bin/x` runs a program called root. */
static void doubt_user(struct crontab_reader *r, const char *text, struct crontab_line *l)
{
    char name[USER_MAX + 1];
    size_t length = strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-");
    const char *next = crontab_skip(text + length);
    if (!length || length > USER_MAX || !r->rules->home_of || next == text + length || !*next ||
        strchr("-|<>&;", *next))
        return;
    memcpy(name, text, length);
    name[length] = '\0';
    if (!is_program(name) && crontab_users_home(r->users, r->rules, name))
        crontab_line_report(l,
            "the sixth word is the user %s: here cron runs a program of that name; only system crontabs have a user "
            "column",
            name);
}

/* ---- command ---- */

static const char *read_mail_option(const struct crontab_reader *r, const char *text, struct crontab_line *l)
{
    if (r->rules->dialect != CRONTAB_CRONIE || *text != '-')
        return text;
    const char *rest = crontab_skip(text + 2);
    bool known = text[1] == 'n' && crontab_blank(text[2]) && *rest != '-';
    if (!known || !*rest) {
        crontab_line_refuse(l, known ? "bad command" : "bad option");
        return NULL;
    }
    l->mail_on_failure = true;
    return rest;
}

static void read_command(struct crontab_reader *r, const char *text, struct crontab_line *l)
{
    bool cronie = r->rules->dialect == CRONTAB_CRONIE;
    if ((*text == '*' && r->rules->kind == CRONTAB_USER) || (!*text && cronie)) {
        crontab_line_refuse(l, "bad command");
        return;
    }
    text = read_mail_option(r, text, l);
    if (!text)
        return;
    crontab_command_read(text, r->rules->dialect, l);
    size_t raw = strlen(text), length = strlen(l->command);
    if (length > CRONTAB_ARGUMENT) {
        crontab_line_refuse(
            l, "command too long: it has %zu bytes, and Linux hands a shell at most %d", length, CRONTAB_ARGUMENT);
        return;
    }
    if (raw > CRONTAB_LIMIT && !cronie)
        crontab_line_report(
            l, "command too long for cron: it has %zu bytes, cron takes %d; ax takes it whole", raw, CRONTAB_LIMIT);
    if (!l->command[strspn(l->command, " \t")])
        crontab_line_report(l, "there is no command: cron starts the shell for nothing");
    if (strchr(l->command, '\r'))
        crontab_line_report(l, "there is a carriage return inside the command");
}

/* ---- settings in force ---- */

enum { SETTINGS_SAID = 5 }; /* of so many something is said on each line */

static void doubt_settings(const struct crontab_reader *r, struct crontab_line *l)
{
    int said = 0;
    for (size_t i = 0; i < r->force->count && said < SETTINGS_SAID; i++) {
        const struct crontab_setting *s = &r->out->settings[r->force->latest[i]];
        int shown = s->name < 40 ? (int)s->name : 40;
        said += s->padded || s->cut;
        if (s->padded)
            strvec_take(&l->notes,
                mem_format("%.*s ends in quoted blanks: the manual and ax keep them, Debian's daemon drops them", shown,
                    s->text));
        if (s->cut)
            crontab_line_report(l, "%.*s is longer than the %d bytes that cron reads; ax takes it whole", shown,
                s->text, CRONTAB_LIMIT);
    }
}

static void take_zone(const struct crontab_reader *r, struct crontab_line *l)
{
    const char *zone = crontab_setting_value(r->out, r->force, "CRON_TZ");
    bool debian = r->rules->dialect == CRONTAB_DEBIAN;
    if (!zone || !*zone || strcmp(l->schedule, "@reboot") == 0)
        return;
    if (!r->rules->cron_tz) {
        strvec_add(&l->notes, "CRON_TZ is a plain variable to Debian's cron: it does not move the schedule");
        return;
    }
    l->zone = mem_string(zone);
    if (debian)
        crontab_line_report(l,
            "CRON_TZ: the times are read in the zone %.100s, as cronie does; Debian's cron would not look at it", zone);
}

static void take_delay(const struct crontab_reader *r, struct crontab_line *l)
{
    const char *value = crontab_setting_value(r->out, r->force, "RANDOM_DELAY");
    if (!value || r->rules->dialect != CRONTAB_CRONIE)
        return;
    long minutes = strtol(value, NULL, 10);
    if (minutes <= 0 || minutes > 24 * 60)
        return;
    l->random_delay = (int)minutes;
    strvec_take(&l->notes, mem_format("RANDOM_DELAY: cronie draws one delay of up to %ld minutes when its daemon "
                                      "starts, ax a new one for each run",
                               minutes));
}

void crontab_line_read(struct crontab_reader *r, const char *text, struct crontab_line *l)
{
    if (!r->ended && !r->rules->unfinished) {
        crontab_line_refuse(l, "no newline at the end of the file");
        return;
    }
    text = read_silence(r, text, l);
    if (text)
        text = read_schedule(r, text, l);
    if (text && r->rules->kind == CRONTAB_SYSTEM)
        text = read_user(r, text, l);
    else if (text)
        doubt_user(r, text, l);
    if (text)
        read_command(r, text, l);
    if (l->status == CRONTAB_REFUSED)
        return;
    l->settings = r->out->settings_count;
    if (r->returned)
        crontab_line_report(l, "the line ends in a carriage return, which cron leaves in the command, where it spoils "
                               "the last word; ax takes it off");
    if (!r->ended)
        strvec_add(&l->notes, "the line has no newline at its end: cron refuses the file");
    doubt_settings(r, l);
    take_zone(r, l);
    take_delay(r, l);
}
