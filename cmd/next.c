#include "cmd/next.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "cmd/client.h"
#include "cmd/commands.h"
#include "lib/base/mem.h"
#include "lib/sys/clock.h"
#include "lib/text/utf8.h"
#include "lib/time/at.h"
#include "lib/time/when.h"
#include "lib/time/when_notation.h"
#include "spool/fields.h"
#include "spool/job_schedule.h"

/* ---- options ---- */

/* Which zone and which now they are read by, only all options together tell. */
static int next_keep(void *target, const struct option_row *row, const char *argument, struct error *e)
{
    (void)e;
    struct next *n = target;
    strvec_add(&n->names, row->data);
    strvec_add(&n->texts, argument);
    return 0;
}

#define NEXT_FIELD(word_, field_, placeholder_, help_) {.word = word_, .kind = OPTION_CALL, .call = next_keep, .data = field_, .placeholder = placeholder_, .help = help_}
static const struct option_row next_options[] = {
    NEXT_FIELD("cron", "cron", "EXPRESSION", "five fields, six that begin with seconds, or a nickname such as @daily (repeatable: all their times)"),
    NEXT_FIELD("calendar", "calendar", "EXPRESSION", "as systemd's OnCalendar: `Mon..Fri 09:00`, weekly (repeatable)"),
    NEXT_FIELD("at", "at", "TIME", "once, at a time such as 17:30, `noon tomorrow` or 2027-01-31T18:00"),
    NEXT_FIELD("in", "in", "DURATION", "once, after a delay"),
    NEXT_FIELD("every", "every", "DURATION", "again and again, first after one interval"),
    NEXT_FIELD("every-from", "every_from", "WHAT", "intervals count from start, end (of the run before) or clock (midnight)"),
    NEXT_FIELD("except", "except", "DAYS", "days without a time: 2026-12-24, 2026-12-24..2027-01-06, or a calendar expression (repeatable)"),
    NEXT_FIELD("not-before", "not_before", "TIME", "no time before this date or time"),
    NEXT_FIELD("not-after", "not_after", "TIME", "no time after this date (that day included) or time"),
    NEXT_FIELD("spread", "spread", "DURATION", "all times moved by the same part of this"),
    NEXT_FIELD("name", "name", "NAME", "the name that spread and `a~b` choose by"),
    NEXT_FIELD("timezone", "timezone", "ZONE", "where local times are local, such as Europe/Berlin (default: $TZ, else that of the machine)"),
    NEXT_FIELD("tz", "timezone", "ZONE", NULL),
    {.word = "from", .kind = OPTION_TEXT, .offset = offsetof(struct next, from_text), .placeholder = "TIME", .help = "the times later than this; and the now of --at, --in and --every (default: now)"},
    {.word = "until", .kind = OPTION_TEXT, .offset = offsetof(struct next, until_text), .placeholder = "TIME", .help = "the times up to this, that day included"},
    {.letter = 'n', .word = "lines", .kind = OPTION_INT, .offset = offsetof(struct next, lines), .placeholder = "N", .minimum = 1, .maximum = NEXT_LINES_MAX, .help = "at most so many times (default: 10; with --until all)"},
    {.word = "explain", .kind = OPTION_FLAG, .offset = offsetof(struct next, explain), .help = "say the schedule in plain English, and what is easily overlooked in it"},
    {.word = "json", .kind = OPTION_FLAG, .offset = offsetof(struct next, json), .help = "one JSON object a line"},
    COMMAND_OPTIONS,
    {0},
};

int next_lines(const struct next *n)
{
    if (n->lines)
        return n->lines;
    return n->until == INSTANT_NEVER ? NEXT_LINES : INT32_MAX;
}

/* The field is known here as the option it was written as. */
static int next_option_error(const char *field, struct error *e)
{
    char *option = field_option(field);
    snprintf(e->field, sizeof e->field, "--%.60s", option);
    free(option);
    return -(int)e->code;
}

/* `now` of at: the seconds are cut off. */
static int next_at_now(struct next *n, const char *text, struct error *e)
{
    struct at at;
    int code = at_parse(text, n->zone, n->from, &at, e);
    if (code == 0)
        n->job.at = at.at;
    return code;
}

static int next_set(struct next *n, const char *name, const char *text, struct error *e)
{
    const struct field_context context = {.zone = n->zone, .now = n->from};
    const struct field *f = field_find(name);
    struct when when;
    int code = field_set_text(&n->job, f, text, &context, e);
    if (code == 0 && f->kind == FIELD_AT && strcasecmp(text, "now") == 0)
        code = next_at_now(n, text, e);
    else if (code == 0 && f->kind == FIELD_AT && when_at(text, n->zone, n->from, &when, NULL) == 0)
        n->skipped = when.skipped;
    return code < 0 ? next_option_error(name, e) : 0;
}

static bool next_has(const struct next *n, const char *name)
{
    for (size_t i = 0; i < n->names.count; i++)
        if (strcmp(n->names.items[i], name) == 0)
            return true;
    return false;
}

/* The zone, which all others are read by. */
static int next_zone(struct next *n, struct error *e)
{
    for (size_t i = 0; i < n->names.count; i++)
        if (strcmp(n->names.items[i], "timezone") == 0 && next_set(n, "timezone", n->texts.items[i], e) < 0)
            return -(int)e->code;
    return zones_get(&n->zones, n->job.timezone, &n->zone, e) < 0 ? next_option_error("timezone", e) : 0;
}

static int next_fields(struct next *n, struct error *e)
{
    for (size_t i = 0; i < n->names.count; i++)
        if (strcmp(n->names.items[i], "timezone") != 0 && next_set(n, n->names.items[i], n->texts.items[i], e) < 0)
            return -(int)e->code;
    return 0;
}

/* ISO 8601, seconds since 1970, or what --at takes. */
static int next_time(const struct next *n, const char *text, instant now, instant *out, struct error *e)
{
    struct when when;
    if (*text == '@')
        return instant_parse_epoch(text, out, e);
    int code = instant_parse_iso(text, n->zone, out, e);
    if (code == 0 || strspn(text, "0123456789") >= 4)
        return code;
    *e = (struct error){0};
    code = when_at(text, n->zone, now, &when, e);
    if (code == 0)
        *out = when.at;
    return code;
}

int next_far_refuse(const struct next *n, struct error *e)
{
    instant t;
    return next_time(n, n->from_text, n->now, &t, e) < 0 ? next_option_error("from", e) : 0;
}

/* A date alone takes in its day, as not_after has it. */
static int next_until(struct next *n, struct error *e)
{
    struct job scratch;
    const struct field_context context = {.zone = n->zone, .now = n->from};
    job_init(&scratch);
    int code = field_set_text(&scratch, field_find("not_after"), n->until_text, &context, NULL);
    if (code == 0)
        n->until = scratch.not_after;
    else
        code = next_time(n, n->until_text, n->from, &n->until, e);
    job_clear(&scratch);
    return code;
}

static int next_span(struct next *n, struct error *e)
{
    n->from = n->now;
    n->until = INSTANT_NEVER;
    if (n->from_text && next_far_from(n->from_text, &n->far))
        n->from = INSTANT_NEVER - 1;
    else if (n->from_text && next_time(n, n->from_text, n->now, &n->from, e) < 0)
        return next_option_error("from", e);
    if (n->until_text && next_until(n, e) < 0)
        return next_option_error("until", e);
    return 0;
}

/* ---- what is asked for ---- */

static const char *const schedules[] = {"at", "in", "every", "cron", "calendar"};

static bool next_has_schedule(const struct next *n)
{
    for (size_t i = 0; i < sizeof schedules / sizeof *schedules; i++)
        if (next_has(n, schedules[i]))
            return true;
    return false;
}

/* A job has its own rules; only where its times are shown can be said. */
static int next_check_bare(const struct next *n, const char *what, struct error *e)
{
    for (size_t i = 0; i < n->names.count; i++)
        if (strcmp(n->names.items[i], "timezone") != 0) {
            error_set(e, ERROR_USAGE, "goes with a schedule, and %s", what);
            return next_option_error(n->names.items[i], e);
        }
    return 0;
}

static int next_when(struct next *n, const char *text, struct error *e)
{
    struct when when;
    const struct field_context context = {.zone = n->zone, .now = n->from};
    if (when_parse(text, n->zone, n->from, &when, e) < 0)
        return error_field(e, "WHEN");
    switch (when.kind) {
    case WHEN_AT:
    case WHEN_IN:
        n->job.at = when.at;
        n->skipped = when.skipped;
        return when.now && when.kind == WHEN_AT ? next_at_now(n, "now", e) : 0;
    case WHEN_EVERY:
        n->job.every = when.every;
        return 0;
    case WHEN_CRON:
    case WHEN_BOOT:
        break;
    }
    return field_set_text(&n->job, field_find("cron"), when.text, &context, e);
}

/* Where the job's times are local: the scheduler may live by another zone than we do. */
static int next_job_zones(struct next *n, struct store *store, const char *shown, struct error *e)
{
    struct zones zones;
    int code = store_zones_init(store, &zones, e);
    if (code < 0)
        return code;
    zones_clear(&n->zones);
    n->zones = zones;
    return zones_get(&n->zones, shown, &n->zone, e);
}

static int next_load(struct next *n, const char *reference, struct error *e)
{
    struct store *store;
    uint64_t number = 0;
    struct job job;
    int code = client_open_job(&n->common, STORE_READ, reference, &store, e);
    if (code < 0)
        return code;
    code = store_begin(store, false, e);
    if (code == 0)
        code = store_find(store, reference, &number, e);
    if (code == 0)
        code = store_state(store, number, &n->state, e);
    if (code == 0)
        code = store_job(store, number, &job, e);
    if (code == 0) {
        char *shown = next_has(n, "timezone") ? mem_string(n->job.timezone) : NULL;
        job_clear(&n->job);
        n->job = job;
        code = next_job_zones(n, store, shown, e);
        free(shown);
    }
    store_close(store);
    return code;
}

/* What could be the name of a job and looks like no time. */
static bool next_is_name(const char *word)
{
    enum when_notation notation = when_notation(word);
    return notation == NOTATION_DIGITS || (notation == NOTATION_NONE && !strchr(word, ' ') && job_name_check(word, NULL) == 0);
}

/* A name wins over a WHEN: whoever has a job called `friday` means it. */
static int next_word(const struct command *self, struct next *n, const char *word, struct error *e)
{
    struct error unknown = {0};
    struct when when;
    bool name = next_is_name(word);
    enum when_notation notation = when_notation(word);
    if (!name && job_name_check(word, NULL) < 0)
        return next_when(n, word, e);
    if (next_load(n, word, &unknown) == 0) {
        if (!name && when_parse(word, n->zone, n->from, &when, NULL) == 0)
            command_warn(self, "job %llu has the name `%.*s` and is meant; the time of that name has --at, --in or --cron in front", (unsigned long long)n->job.number, UTF8_WORD(word));
        return next_check_bare(n, "a job has its own", e);
    }
    if (!name)
        return next_when(n, word, e);
    *e = unknown;
    snprintf(e->text + strlen(e->text), sizeof e->text - strlen(e->text), "%s", notation == NOTATION_NONE ? "; nor is it a time or a schedule" : "");
    return -(int)e->code;
}

static bool next_is_pair(const char *word)
{
    return strcmp(word, "in") == 0 || strcmp(word, "every") == 0 || strcmp(word, "at") == 0;
}

static int next_subject(const struct command *self, struct next *n, int argc, char **argv, struct error *e)
{
    if (argc && next_has_schedule(n))
        return error_set(e, ERROR_USAGE, "the schedule is given already, so `%.*s` is one too many", UTF8_WORD(argv[0]));
    if (argc == 1) {
        int code = next_word(self, n, argv[0], e);
        return code < 0 || n->job.number ? code : next_fields(n, e);
    }
    if (argc == 2 && next_is_pair(argv[0])) {
        char *text = mem_format("%s %s", argv[0], argv[1]);
        int code = next_when(n, text, e);
        free(text);
        return code < 0 ? code : next_fields(n, e);
    }
    if (argc)
        return error_set(e, ERROR_USAGE, "takes one WHEN or one JOB: a WHEN of several words stands in quotes");
    return next_fields(n, e);
}

/* ---- the command ---- */

/* The times of one schedule are shown where they are local: in the zone of the job, or of the expression. */
static int next_shown_zone(struct next *n, struct error *e)
{
    if (next_has(n, "timezone"))
        return 0;
    int code = zones_get(&n->zones, n->job.timezone, &n->zone, e);
    if (code < 0 || n->job.calendar.count != 1)
        return code;
    struct calendar *c;
    code = calendar_parse(n->job.calendar.items[0], &c, e);
    if (code < 0)
        return code;
    if (calendar_zone(c))
        code = zones_get(&n->zones, calendar_zone(c), &n->zone, e);
    calendar_free(c);
    return code;
}

static int next_check(const struct job *j, struct error *e)
{
    char field[sizeof e->field];
    int code = job_schedule_check(j, e);
    snprintf(field, sizeof field, "%s", e->field);
    return code < 0 ? next_option_error(field, e) : 0;
}

static int next_do(const struct command *self, struct next *n, int argc, char **argv, struct error *e)
{
    if (next_zone(n, e) < 0 || next_span(n, e) < 0)
        return -(int)e->code;
    if (!argc && !next_has_schedule(n) && n->far)
        return next_far_refuse(n, e);
    if (!argc && !next_has_schedule(n))
        return next_check_bare(n, "none is given", e) < 0 ? -(int)e->code : next_agenda(self, n, e);
    int code = next_subject(self, n, argc, argv, e);
    if (code == 0 && !n->job.number)
        code = next_check(&n->job, e);
    if (code == 0)
        code = next_shown_zone(n, e);
    return code < 0 ? code : next_times(self, n, e);
}

static int next_run(const struct command *self, int argc, char **argv)
{
    struct next n = {.now = clock_wall()};
    struct error e = {0};
    int exit_code = 0;
    job_init(&n.job);
    int first = command_options(self, OPTIONS_ANYWHERE, argc, argv, &n, &exit_code);
    if (first >= 0 && (zones_init(&n.zones, getenv("TZ"), &e) < 0 || next_do(self, &n, argc - first, argv + first, &e) < 0))
        exit_code = command_fail(self, &e);
    job_clear(&n.job);
    strvec_clear(&n.names);
    strvec_clear(&n.texts);
    zones_clear(&n.zones);
    return exit_code;
}

const struct command command_next = {
    .name = "next",
    .summary = "tell the times to come: of a schedule, of a job, of all jobs",
    .usage = "[options] [WHEN | JOB]\n[options] --cron E | --calendar E | --at T | --in D | --every D",
    .about = "Each line has a time as it is there, in UTC, and how far it is from now (or from\n"
             "--from). Without a schedule or a job: what will be started, of all jobs. Exits\n"
             "with 1 if the answer is `never`. Where WHEN is the name of a job too, the job is\n"
             "meant.",
    .options = next_options,
    .run = next_run,
};
