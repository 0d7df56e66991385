/* What the files crontab*.c share, and nobody else. */
#ifndef AX_CRONTAB_PARTS_H
#define AX_CRONTAB_PARTS_H

#include "lib/base/buf.h"
#include "spool/crontab.h"

#define CRONTAB_NAMES 1000          /* different settings that one crontab can have */
#define CRONTAB_ENVIRONMENT 1048576 /* bytes of them in force at a time: execve takes little more */

/* As isspace() in the C locale, which decides in settings; between fields only blank and tab do. */
static inline bool crontab_space(char c)
{
    return c == ' ' || (c >= '\t' && c <= '\r');
}

static inline bool crontab_blank(char c)
{
    return c == ' ' || c == '\t';
}

static inline const char *crontab_skip(const char *at)
{
    while (crontab_blank(*at))
        at++;
    return at;
}

struct crontab_force;
struct crontab_comment;

/* A reader on its way through the text. */
struct crontab_reader {
    const struct crontab_rules *rules;
    struct crontab *out;
    struct crontab_force *force;
    struct crontab_users *users;
    int line;
    bool ended;     /* the line has a newline */
    bool returned;  /* and had a carriage return in front of it */
    bool noted;     /* that was said once */
};

void crontab_note(struct crontab *c, int line, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* ---- crontab_users.c ---- */

/* Users that were asked for. */
struct crontab_users {
    struct crontab_user {
        char *name, *home; /* home is NULL: no such user */
    } *items;
    size_t count;
};

/* NULL: there is no such user. */
const char *crontab_users_home(struct crontab_users *u, const struct crontab_rules *rules, const char *name);
void crontab_users_clear(struct crontab_users *u);

/* ---- crontab_line.c ---- */

/* Reads a line that is no setting, from its first character that is not blank; the line and comment of l are set. */
void crontab_line_read(struct crontab_reader *r, const char *text, struct crontab_line *l);
void crontab_line_refuse(struct crontab_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void crontab_line_report(struct crontab_line *l, const char *format, ...) __attribute__((format(printf, 2, 3)));
void crontab_line_clear(struct crontab_line *l);

/* ---- crontab_schedule.c ---- */

struct crontab_schedule {
    const char *rest;     /* behind it and its blanks */
    const char *refused;  /* cron's words; NULL: taken */
    struct buf text, cron;
    struct buf doubts;    /* what cron takes without looking; empty: nothing */
    bool chance;          /* has cronie's ~ */
};

/* Reads nickname or fields at the beginning of a line. */
void crontab_schedule_read(const char *text, enum crontab_dialect dialect, struct crontab_schedule *out);
void crontab_schedule_clear(struct crontab_schedule *s);

/* ---- crontab_setting.c ---- */

/* Is it NAME=value? Then the setting (its text is malloc'd, line and links are not set). */
bool crontab_setting_read(const char *text, enum crontab_dialect dialect, struct crontab_setting *out);

/* What is in force while the lines are read. */
struct crontab_force {
    size_t *latest; /* of each name, the index of its latest setting */
    size_t count, capacity;
    size_t bytes;   /* of all that is in force */
};

/* Puts the setting in force; takes over its text. Returns why it cannot be, or NULL; then the text is freed. */
const char *crontab_setting_take(struct crontab *c, struct crontab_force *f, struct crontab_setting *s);
/* NULL: not set. */
const char *crontab_setting_value(const struct crontab *c, const struct crontab_force *f, const char *name);

/* ---- crontab_command.c ---- */

/* Fills command, has_input, input from what follows the schedule (and user), and notes a % that is likely a slip. */
void crontab_command_read(const char *text, enum crontab_dialect dialect, struct crontab_line *l);

/* ---- crontab_comment.c ---- */

/* The lines of comment above a job. */
struct crontab_comment {
    struct buf text;
};

void crontab_comment_add(struct crontab_comment *c, const char *line); /* from the # on */
char *crontab_comment_take(struct crontab_comment *c);                  /* NULL: none; begins anew */

#endif
