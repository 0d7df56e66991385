#include "spool/fields.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/suggest.h"
#include "lib/text/utf8.h"
#include "spool/kind.h"
#include "spool/mail.h"
#include "spool/notify.h"
#include "spool/rlimits.h"

/* ---- checks of texts ---- */

static int check_name(const char *name, const char *value, struct error *e)
{
    (void)name;
    return job_name_check(value, e);
}

static int check_tag(const char *name, const char *value, struct error *e)
{
    (void)name;
    if (!*value)
        return error_set(e, ERROR_USAGE, "a tag is empty");
    for (const char *p = value; *p; p++)
        if ((unsigned char)*p <= ' ' || *p == 0x7f || *p == ',')
            return error_set(e, ERROR_USAGE, "a tag has no blanks, commas or control characters in it");
    return strlen(value) <= 100 ? 0 : error_set(e, ERROR_USAGE, "a tag is at most 100 bytes long");
}

static int check_filled(const char *name, const char *value, struct error *e)
{
    (void)name;
    return *value ? 0 : error_set(e, ERROR_USAGE, "is empty");
}

static int check_variable(const char *name, const char *value, struct error *e)
{
    (void)value;
    if (!*name)
        return error_set(e, ERROR_USAGE, "the name of a variable is empty");
    if (strchr(name, '='))
        return error_set(e, ERROR_USAGE, "'%.*s': the name of a variable holds no '='", UTF8_WORD(name));
    return 0;
}

static int check_mailto(const char *name, const char *value, struct error *e)
{
    (void)name;
    return mail_addresses(value, NULL, e);
}

static int check_rlimit(const char *name, const char *value, struct error *e)
{
    struct child_limit limit;
    return rlimits_parse(name, value, &limit, e);
}

/* ---- the table ---- */

static const char *const backoff_words[] = {"exponential", "linear", "fixed", NULL}; /* enum backoff_kind */
static const char *const boot_words[] = {"none", "machine", "scheduler", NULL};      /* enum boot_kind */
static const char *const from_words[] = {"start", "end", "clock", NULL};             /* enum every_from */
static const char *const catchup_words[] = {"latest", "skip", "all", NULL};          /* enum catchup */
static const char *const overlap_words[] = {"skip", "queue", "replace", "allow", NULL}; /* enum overlap */
static const char *const mail_words[] = {"output", "never", "failure", "always", NULL}; /* enum mail_rule */
static const char *const notify_words[] = {"failure", "gave_up", "recovery", "late ", "long ", NULL}; /* enum notify_event */
static const char *const lost_words[] = {"rerun", "fail", NULL};                     /* enum if_lost */

#define AT(member) offsetof(struct job, member)
#define MILLISECOND (SECOND / 1000)

const struct field fields[] = {
    {.name = "command", .group = GROUP_WHAT, .kind = FIELD_COMMAND, .offset = AT(command), .placeholder = "LINE",
     .help = "what to run: a text goes to the shell, a list is run as it is"},
    {.name = "shell", .group = GROUP_WHAT, .kind = FIELD_SHELL, .offset = AT(shell), .fallback = "/bin/sh", .placeholder = "SHELL",
     .help = "runs the line with -c; several words are all that stands before it, such as `bash -euo pipefail -c`"},
    {.name = "stdin", .group = GROUP_WHAT, .kind = FIELD_BYTES, .offset = AT(input), .placeholder = "TEXT",
     .help = "text for standard input, which is empty otherwise"},
    {.name = "name", .group = GROUP_WHAT, .kind = FIELD_TEXT, .offset = AT(name), .placeholder = "NAME", .check = check_name,
     .help = "a unique name to call the job by"},
    {.name = "description", .group = GROUP_WHAT, .kind = FIELD_TEXT, .offset = AT(description), .placeholder = "TEXT",
     .help = "what the job is for"},
    {.name = "tags", .group = GROUP_WHAT, .kind = FIELD_TEXTS, .offset = AT(tags), .placeholder = "TAG,...", .check = check_tag,
     .help = "words to select jobs by"},

    {.name = "at", .group = GROUP_WHEN, .kind = FIELD_AT, .offset = AT(at), .placeholder = "TIME",
     .help = "once, at a time such as 17:30, `tomorrow 9:00` or 2027-01-31T18:00"},
    {.name = "in", .group = GROUP_WHEN, .kind = FIELD_IN, .offset = AT(at), .placeholder = "DURATION",
     .help = "once, after a delay such as 20m"},
    {.name = "every", .group = GROUP_WHEN, .kind = FIELD_EVERY, .offset = AT(every), .standard = DURATION_NONE, .minimum = SECOND,
     .placeholder = "DURATION", .help = "again and again, first after one interval"},
    {.name = "cron", .group = GROUP_WHEN, .kind = FIELD_CRON, .offset = AT(cron), .placeholder = "EXPRESSION",
     .help = "again and again: `0 2 * * *`, @daily; six fields begin with seconds; several: all their times"},
    {.name = "calendar", .group = GROUP_WHEN, .kind = FIELD_CALENDAR, .offset = AT(calendar), .placeholder = "EXPRESSION",
     .help = "again and again, as systemd's OnCalendar: `Mon..Fri 09:00`, weekly"},
    {.name = "boot", .group = GROUP_WHEN, .kind = FIELD_CHOICE, .offset = AT(boot), .standard = BOOT_NONE, .words = boot_words, .fallback = "none",
     .placeholder = "OF", .help = "after each boot of the machine, or each start of the scheduler; none: only by hand"},
    {.name = "timezone", .group = GROUP_WHEN, .kind = FIELD_ZONE, .offset = AT(timezone), .placeholder = "ZONE",
     .help = "where local times are local, such as Europe/Berlin"},
    {.name = "every_from", .group = GROUP_WHEN, .kind = FIELD_CHOICE, .offset = AT(every_from), .standard = EVERY_FROM_START, .words = from_words,
     .fallback = "start", .placeholder = "WHAT", .help = "intervals count from the start, the end of the run before, or the clock (midnight)"},
    {.name = "except", .group = GROUP_WHEN, .kind = FIELD_EXCEPT, .offset = AT(except), .placeholder = "DAYS",
     .help = "days on which it does not run: 2026-12-24, 2026-12-24..2027-01-06, or a calendar expression"},
    {.name = "not_before", .group = GROUP_WHEN, .kind = FIELD_BOUND, .offset = AT(not_before), .placeholder = "TIME",
     .help = "no due time before this date or time"},
    {.name = "not_after", .group = GROUP_WHEN, .kind = FIELD_BOUND, .offset = AT(not_after), .placeholder = "TIME",
     .help = "no due time after this date (that day included) or time"},
    {.name = "jitter", .group = GROUP_WHEN, .kind = FIELD_DURATION, .offset = AT(jitter), .fallback = "0s", .placeholder = "DURATION",
     .help = "starts up to so much after the due time, new each time"},
    {.name = "spread", .group = GROUP_WHEN, .kind = FIELD_DURATION, .offset = AT(spread), .fallback = "0s", .placeholder = "DURATION",
     .help = "moves all due times by the same part of this, another for each job and host"},

    {.name = "catchup", .group = GROUP_MISSED, .kind = FIELD_CHOICE, .offset = AT(catchup), .standard = CATCHUP_LATEST, .words = catchup_words,
     .fallback = "latest", .placeholder = "HOW", .help = "times missed while no scheduler ran: the latest one runs, skip, or all"},
    {.name = "catchup_within", .group = GROUP_MISSED, .kind = FIELD_DURATION, .offset = AT(catchup_within), .standard = DURATION_NONE,
     .minimum = MILLISECOND, .placeholder = "DURATION", .help = "what was missed longer ago is not caught up on"},
    {.name = "catchup_max", .group = GROUP_MISSED, .kind = FIELD_INT, .offset = AT(catchup_max), .standard = 100, .minimum = 1, .maximum = 10000,
     .fallback = "100", .placeholder = "N", .help = "at most so many are caught up on, the latest"},
    {.name = "overlap", .group = GROUP_MISSED, .kind = FIELD_CHOICE, .offset = AT(overlap), .standard = OVERLAP_SKIP, .words = overlap_words,
     .fallback = "skip", .placeholder = "HOW", .help = "due while the run before goes on: skip, queue, replace (ends that one) or allow"},

    {.name = "start_within", .group = GROUP_LIMITS, .kind = FIELD_DURATION, .offset = AT(start_within), .standard = DURATION_NONE,
     .minimum = MILLISECOND, .placeholder = "DURATION", .help = "later than this it is not started but missed"},
    {.name = "timeout", .group = GROUP_LIMITS, .kind = FIELD_DURATION, .offset = AT(timeout), .standard = DURATION_NONE,
     .minimum = MILLISECOND, .placeholder = "DURATION", .help = "a run that takes longer is ended, with all its processes"},
    {.name = "kill_after", .group = GROUP_LIMITS, .kind = FIELD_DURATION, .offset = AT(kill_after), .standard = 10 * SECOND,
     .fallback = "10s", .placeholder = "DURATION", .help = "the time from TERM to KILL"},
    {.name = "queue", .group = GROUP_LIMITS, .kind = FIELD_TEXT, .offset = AT(queue), .fallback = "default", .placeholder = "NAME",
     .check = check_name, .help = "the queue whose limit it counts against"},
    {.name = "weight", .group = GROUP_LIMITS, .kind = FIELD_INT, .offset = AT(weight), .standard = 1, .maximum = 10000, .fallback = "1",
     .placeholder = "N", .help = "how many slots a run takes"},
    {.name = "priority", .group = GROUP_LIMITS, .kind = FIELD_INT, .offset = AT(priority), .minimum = -1000, .maximum = 1000,
     .fallback = "0", .placeholder = "N", .help = "the higher one gets a free slot first"},

    {.name = "retries", .group = GROUP_RETRY, .kind = FIELD_INT, .offset = AT(retries), .maximum = 1000000, .fallback = "0",
     .placeholder = "N", .help = "how often a run that failed is tried again"},
    {.name = "retry_delay", .group = GROUP_RETRY, .kind = FIELD_DURATIONS, .offset = AT(retry_delay), .standard = 30 * SECOND,
     .fallback = "30s", .placeholder = "DURATION,...", .help = "the wait before trying again; several: each retry its own"},
    {.name = "retry_backoff", .group = GROUP_RETRY, .kind = FIELD_CHOICE, .offset = AT(retry_backoff), .standard = BACKOFF_EXPONENTIAL,
     .words = backoff_words, .fallback = "exponential", .placeholder = "HOW", .help = "how the wait grows: exponential, linear or fixed"},
    {.name = "retry_max_delay", .group = GROUP_RETRY, .kind = FIELD_DURATION, .offset = AT(retry_max_delay), .standard = 600 * SECOND,
     .fallback = "10m", .placeholder = "DURATION", .help = "how far the wait grows; not below retry_delay, and not for a list"},
    {.name = "retry_jitter", .group = GROUP_RETRY, .kind = FIELD_PERCENT, .offset = AT(retry_jitter), .standard = 10, .maximum = 100,
     .fallback = "10%", .placeholder = "PERCENT", .help = "spreads the wait by this much at random"},
    {.name = "no_retry_exit", .group = GROUP_RETRY, .kind = FIELD_EXITS, .offset = AT(no_retry_exit), .placeholder = "CODE,...",
     .help = "exit codes after which it is not tried again"},
    {.name = "success_exit", .group = GROUP_RETRY, .kind = FIELD_EXITS, .offset = AT(success_exit), .standard = 1, .minimum = 1,
     .fallback = "0", .placeholder = "CODE,...", .help = "exit codes that are success"},

    {.name = "if_lost", .group = GROUP_LOST, .kind = FIELD_CHOICE, .offset = AT(if_lost), .standard = IF_LOST_RERUN, .words = lost_words,
     .fallback = "rerun", .placeholder = "HOW", .help = "when nobody can know how a run ended: rerun or fail"},
    {.name = "lost_max", .group = GROUP_LOST, .kind = FIELD_INT, .offset = AT(lost_max), .standard = 3, .maximum = 1000000,
     .fallback = "3", .placeholder = "N", .help = "how often a lost run is run again before it has failed"},

    {.name = "cwd", .group = GROUP_WHERE, .kind = FIELD_PATH, .offset = AT(cwd), .placeholder = "DIR", .help = "the directory it runs in"},
    {.name = "umask", .group = GROUP_WHERE, .kind = FIELD_MODE, .offset = AT(umask_bits), .standard = -1, .maximum = 0777,
     .placeholder = "OCTAL", .help = "the umask it runs with"},
    {.name = "env", .group = GROUP_WHERE, .kind = FIELD_MAP, .offset = AT(env), .placeholder = "NAME=VALUE", .check = check_variable,
     .help = "a variable of its environment, shown with the job: secrets belong into env_file"},
    {.name = "env_file", .group = GROUP_WHERE, .kind = FIELD_PATH, .offset = AT(env_file), .placeholder = "FILE",
     .help = "a file of NAME=VALUE lines, read at each start"},
    {.name = "user", .group = GROUP_WHERE, .kind = FIELD_TEXT, .offset = AT(user), .placeholder = "USER", .check = check_filled,
     .help = "the user it runs as (for root)"},
    {.name = "group", .group = GROUP_WHERE, .kind = FIELD_TEXT, .offset = AT(group), .placeholder = "GROUP", .check = check_filled,
     .help = "the group it runs as (for root)"},
    {.name = "nice", .group = GROUP_WHERE, .kind = FIELD_INT, .offset = AT(nice), .minimum = -20, .maximum = 19, .fallback = "0",
     .placeholder = "N", .help = "added to its niceness"},
    {.name = "rlimits", .group = GROUP_WHERE, .kind = FIELD_MAP, .offset = AT(rlimits), .placeholder = "NAME=SOFT[:HARD]",
     .check = check_rlimit, .help = "a resource limit, such as nofile=1024 or as=2G"},

    {.name = "keep_runs", .group = GROUP_KEPT, .kind = FIELD_INT, .offset = AT(keep_runs), .standard = JOB_KEEP_RUNS, .minimum = 1,
     .maximum = 1000000000, .fallback = "1000", .placeholder = "N", .help = "so many of its latest runs are kept, with their output"},
    {.name = "keep_for", .group = GROUP_KEPT, .kind = FIELD_DURATION, .offset = AT(keep_for), .standard = JOB_KEEP_FOR, .minimum = 60 * SECOND,
     .fallback = "90d", .placeholder = "DURATION", .help = "runs are kept so long, and so is the job once it is done or cancelled"},
    {.name = "output_max", .group = GROUP_KEPT, .kind = FIELD_SIZE, .offset = AT(output_max), .standard = 10 << 20, .maximum = INT64_C(1) << 40,
     .fallback = "10M", .placeholder = "BYTES", .help = "of a longer output the head and the tail are kept"},

    {.name = "mailto", .group = GROUP_TOLD, .kind = FIELD_TEXT, .offset = AT(mailto), .placeholder = "ADDRESS,...", .check = check_mailto,
     .help = "who gets mail about its runs"},
    {.name = "mail", .group = GROUP_TOLD, .kind = FIELD_CHOICE, .offset = AT(mail), .standard = MAIL_OUTPUT, .words = mail_words, .fallback = "output",
     .placeholder = "WHEN", .help = "with mailto: when there is output, on failure, always or never"},
    {.name = "notify", .group = GROUP_TOLD, .kind = FIELD_MAP, .offset = AT(notify), .words = notify_words, .placeholder = "EVENT=LINE", .check = notify_check,
     .help = "a shell line for an event: failure, gave_up, recovery, `late 10m`, `long 1h`"},

    {.name = "paused", .group = GROUP_STATE, .kind = FIELD_SAID, .offset = AT(paused),
     .help = "nothing of it starts until it is resumed"},
    {0},
};

const struct field *field_find(const char *name)
{
    for (const struct field *f = fields; f->name; f++)
        if (f->name[0] == name[0] && strcmp(f->name, name) == 0)
            return f;
    return NULL;
}

static char *respelt(char *text, char from, char to)
{
    for (char *p = text; (p = strchr(p, from));)
        *p = to;
    return text;
}

char *field_option(const char *name)
{
    return respelt(mem_string(name), '_', '-');
}

char *field_key(const char *word, size_t length)
{
    return respelt(mem_format("%.*s", (int)length, word), '-', '_');
}

const char *field_nearest(const char *name)
{
    struct suggest s = {.word = name};
    for (const struct field *f = fields; f->name; f++)
        suggest_offer(&s, f->name);
    return s.best;
}

/* ---- one field ---- */

int field_set(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e)
{
    if (v->kind == VALUE_NULL) {
        kind_of(f)->reset(j, f);
        return 0;
    }
    if (kind_of(f)->set(j, f, v, c, e) == 0)
        return 0;
    if (v->line)
        error_place(e, NULL, v->line, v->column, 1);
    return error_field(e, f->name);
}

int field_set_text(struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e)
{
    if (kind_of(f)->set_text)
        return kind_of(f)->set_text(j, f, text, c, e) < 0 ? error_field(e, f->name) : 0;
    struct value v = value_text(text);
    int failed = field_set(j, f, &v, c, e);
    value_clear(&v);
    return failed;
}

bool field_is_default(const struct job *j, const struct field *f)
{
    return kind_of(f)->is_default(j, f);
}

struct value field_get(const struct job *j, const struct field *f, enum field_form form)
{
    return kind_of(f)->get(j, f, form);
}

int fields_limits(const struct job *j, struct child_limit **out, int *count, struct error *e)
{
    return rlimits_all(&j->rlimits, out, count, e) < 0 ? error_field(e, "rlimits") : 0;
}

/* ---- all of them ---- */

static int field_unknown(const char *name, struct error *e)
{
    const char *nearest = field_nearest(name);
    if (nearest)
        error_set(e, ERROR_USAGE, "there is no such field: did you mean '%s'?", nearest);
    else
        error_set(e, ERROR_USAGE, "there is no such field");
    return error_field(e, name);
}

static int fields_set(struct job *j, const struct value *map, const struct field_context *c, struct error *e)
{
    for (size_t i = 0; i < map->list.count; i++) {
        const struct value *v = &map->list.items[i];
        const struct field *f = field_find(map->list.keys[i]);
        if (!f) {
            field_unknown(map->list.keys[i], e);
            return v->line ? error_place(e, NULL, v->line, v->column, 1) : -(int)ERROR_USAGE;
        }
        if (v->kind != VALUE_NULL && field_set(j, f, v, c, e) < 0)
            return -(int)ERROR_USAGE;
    }
    return job_check(j, e);
}

/* A zone that is none is refused when its field is set. */
static void fields_zone(const struct value *map, struct field_context *c)
{
    const struct value *name = value_get(map, "timezone");
    if (name && name->kind == VALUE_TEXT && name->text.length && strcmp(name->text.data, "local") != 0)
        zones_get(c->zones, name->text.data, &c->zone, NULL);
}

int fields_read(struct job *j, const struct value *map, const struct field_context *c, struct error *e)
{
    if (map->kind != VALUE_MAP)
        return error_set(e, ERROR_USAGE, "a job is a map of fields, not %s", value_kind_name(map->kind));
    if (!c)
        return fields_set(j, map, NULL, e);
    struct zones own = {0};
    struct field_context context = *c;
    if (!context.zones)
        context.zones = &own;
    fields_zone(map, &context);
    int failed = fields_set(j, map, &context, e);
    zones_clear(&own);
    return failed;
}

void fields_put(struct value *map, const struct job *j, enum field_form form)
{
    for (const struct field *f = fields; f->name; f++)
        if (!field_is_default(j, f) && !(f->group == GROUP_STATE && form == FIELD_RECORD))
            value_put(map, f->name, field_get(j, f, form));
}

struct value fields_write(const struct job *j, enum field_form form)
{
    struct value map = value_map();
    fields_put(&map, j, form);
    return map;
}
