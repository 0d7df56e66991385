/* Crontabs: a text in, its lines out, each with what cron makes of it. Pure: no file, no clock, no table of users.
 *
 * The rules are those of Debian's cron 3.0pl1 (crontab(5)), observed on the daemon where the manual is silent:
 *
 *   NAME = value     a setting, in force from its line on; one pair of quotes comes off, nothing is expanded, a #
 *                    belongs to it. What does not read as a setting is read as a job: so `NAME=` with nothing behind
 *                    it is `bad minute`
 *   m h dom mon dow  then the user (system crontabs only), then the command, up to the end of the line, trailing
 *                    blanks and # too
 *   %                the first one without \ ends the command; the rest is its standard input, each further one a new
 *                    line. \% is a percent sign; in the command \\ is one backslash
 *   \ at the end     does not continue the line
 *
 * cronie differs: `NAME=` sets it empty, a ~ in a field chooses by chance, all of a field must make sense, \\ stays as
 * it is, USER is set, RANDOM_DELAY is read, a - in front of the minute and -n in front of the command are options.
 *
 * What Debian refuses is refused, also where ax itself has a meaning for it (5L, ?): a crontab means what cron says.
 * What cron takes without looking (5#2, 6-0) is reported, and `cron` has the times that cron really keeps. */
#ifndef AX_CRONTAB_H
#define AX_CRONTAB_H

#include <stdbool.h>
#include <stddef.h>

#include "lib/base/strvec.h"

#define CRONTAB_LIMIT 999       /* bytes of a command that cron takes */
#define CRONTAB_ARGUMENT 131071 /* bytes of one argument that execve takes */
#define CRONTAB_LINES 100000    /* lines that are read (cron: 10000); the next is refused, the rest passed over */

enum crontab_kind { CRONTAB_USER, CRONTAB_SYSTEM }; /* system: a user between schedule and command */
enum crontab_dialect { CRONTAB_DEBIAN, CRONTAB_CRONIE };

struct crontab_rules {
    enum crontab_kind kind;
    enum crontab_dialect dialect;
    bool cron_tz;    /* CRON_TZ is the zone of the schedules below it, as in cronie; else a variable, as in Debian */
    bool unfinished; /* a last line without a newline is taken, with a note; else refused, as cron does */
    const char *user, *home; /* of a user crontab: whose it is, for LOGNAME and HOME */

    /* The home of a user; NULL: there is none of that name. Asked for the user column, and in a user crontab for words
     * that may be a user by mistake; few names are asked for twice. No function: names are not checked, and HOME is
     * left out where it is not set. */
    const char *(*home_of)(void *context, const char *user);
    void *context;
};

enum crontab_status {
    CRONTAB_JOB,
    CRONTAB_REPORTED, /* taken; the reason says why it should be looked at */
    CRONTAB_REFUSED,  /* the reason is in cron's own words, first; nothing else is filled in */
};

/* One line that is neither blank nor comment nor a setting that was taken. */
struct crontab_line {
    int line; /* counted from 1 */
    enum crontab_status status;
    char *reason; /* NULL: none */

    char *schedule; /* the time fields as written, blanks made single, or the @nickname */
    char *cron;     /* the same times for cron_parse: differs where cron reads only a part. @reboot has no times */
    char *zone;     /* CRON_TZ, where the rules say that it counts: not checked; NULL: that of the machine */
    char *user;     /* the user column; NULL in a user crontab */
    char *home;     /* of that user; NULL: not known */
    char *command;  /* for $SHELL -c. May be blank: cron starts the shell for nothing, where ax needs a `:` */
    bool has_input; /* there was a % */
    char *input;    /* what the command reads; NULL without has_input */
    char *comment;  /* the comment directly above, without #, for a description; may have newlines; NULL: none */
    int random_delay;     /* minutes, cronie's RANDOM_DELAY; 0: none */
    bool mail_on_failure; /* cronie's -n */
    struct strvec notes;  /* what will differ from cron, or is likely a slip: a sentence each */
    size_t settings;      /* so many settings of the crontab are in force: see crontab_env */
};

struct crontab_setting {
    int line;
    char *text;       /* NAME=value */
    size_t name;      /* bytes of the name */
    size_t next;      /* the next setting of the same name, by index; SIZE_MAX: none */
    bool again;       /* one of the same name stands above */
    bool padded, cut; /* ends in quoted blanks, which Debian's daemon drops; longer than cron reads */
};

struct crontab_note { /* of the text, not of one job */
    int line;
    char *text;
};

struct crontab {
    struct crontab_line *lines;
    size_t count, capacity;
    struct crontab_setting *settings;
    size_t settings_count, settings_capacity;
    struct crontab_note *notes;
    size_t notes_count, notes_capacity;
    size_t jobs, reported, refused; /* lines of each status */
    char *user, *home;              /* copies from the rules */
    enum crontab_dialect dialect;
};

/* Cannot fail: what is wrong is a refused line. `out` need not be zeroed. */
void crontab_read(const char *text, size_t length, const struct crontab_rules *rules, struct crontab *out);
void crontab_clear(struct crontab *c);

/* The environment of a line, as cron would give it: SHELL HOME PATH, the settings in force in their order, LOGNAME.
 * Replaces what env held. */
void crontab_env(const struct crontab *c, const struct crontab_line *l, struct strvec *env);

#endif
