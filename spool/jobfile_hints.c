/* Words of cron's other heirs, and slips that are common: each is told what ax says for it. */
#include <ctype.h>
#include <string.h>
#include <strings.h>

#include "lib/text/suggest.h"
#include "spool/jobfile_parts.h"

/* ---- keys that there are not ---- */

struct word {
    const char *words; /* small letters and digits only, blanks between; one behind the last */
    const char *says;
    const char *field; /* what it means, if that is one field */
};

static const struct word words_document[] = {
    {"crons cronjobs crontab entries tasks task services job timers schedules scheduled ", "did you mean `jobs`?", NULL},
    {"environment variables vars ", "variables of all jobs belong under `defaults:`, as `env`", NULL},
    {"default global globals common settings ", "did you mean `defaults`?", NULL},
    {"parameters args arguments inputs ", "did you mean `params`?", NULL},
    {"pools concurrency limits groups ", "did you mean `queues`?", NULL},
    {"name label owner project app application ", "did you mean `source`, who owns the jobs of the file?", NULL},
    {"apiversion ", "did you mean `version: 1`?", NULL},
    {"include includes import imports extends ", "files do not include others: give ax several files, or a folder", NULL},
    {NULL, NULL, NULL},
};
static const struct word words_job[] = {
    {"schedule schedules when trigger triggers on start runat time times ", "did you mean `cron`, `every`, `at` or `calendar`?", NULL},
    {"cronexpression cronexpr cronspec cronschedule crontab spec expression ", "did you mean `cron`?", NULL},
    {"minute hour day month weekday dayofweek dayofmonth dow dom ", "did you mean `cron`, such as \"0 2 * * *\"?", NULL},
    {"interval period frequency repeat repeatevery each ", "did you mean `every`?", NULL},
    {"once date datetime onetime ", "did you mean `at`?", NULL},
    {"oncalendar ", "did you mean `calendar`?", NULL},
    {"reboot onboot onbootsec startup ", "did you mean `boot: machine`?", NULL},
    {"run runs cmd exec execstart script program task action do line ", "did you mean `command`?", "command"},
    {"args arguments argv ", "`command` as a list holds the program and its arguments", NULL},
    {"environment envs vars variables envvars ", "did you mean `env`?", NULL},
    {"environmentfile envfiles dotenv ", "did you mean `env_file`?", NULL},
    {"dir directory workdir workingdir workingdirectory chdir path ", "did you mean `cwd`?", NULL},
    {"runas runasuser username owner uid ", "did you mean `user`?", NULL},
    {"tz timezones zone location ", "did you mean `timezone`?", NULL},
    {"concurrency concurrencypolicy concurrent parallel allowparallel allowoverlap nooverlap overlapping singleton maxinstances ",
     "did you mean `overlap`: skip, queue, replace or allow?", NULL},
    {"retry maxretries retrycount backofflimit attempts maxattempts ", "did you mean `retries`?", NULL},
    {"retryinterval retrydelays restartsec retrywait ", "did you mean `retry_delay`?", NULL},
    {"timelimit maxruntime maxduration timeoutsec timeoutseconds runtimemaxsec activedeadlineseconds ", "did you mean `timeout`?", NULL},
    {"deadline startingdeadlineseconds ", "did you mean `start_within` (else it is missed) or `timeout`?", NULL},
    {"misfire misfirepolicy misfiregracetime persistent catchups catchupmissed runonmissed ", "did you mean `catchup`?", NULL},
    {"randomdelay randomizeddelaysec randomdelaysec splay delay ", "did you mean `jitter` (new each time) or `spread` (always the same)?", NULL},
    {"comment desc title summary doc ", "did you mean `description`?", NULL},
    {"label labels category ", "did you mean `tags`?", NULL},
    {"pool ", "did you mean `queue`?", NULL},
    {"niceness ", "did you mean `nice`?", NULL},
    {"ulimit ulimits limits limit resources ", "did you mean `rlimits`?", NULL},
    {"enabled disabled enable disable suspend suspended ", "a job of a file is there or not; `ax pause JOB` pauses it", NULL},
    {"log logs logfile stdout stderr output logging ", "ax keeps the output itself: `ax log JOB`", NULL},
    {"image container docker ", "ax runs commands on this machine: say it in `command`, such as docker run", NULL},
    {"id number ", "ax gives the number itself", NULL},
    {NULL, NULL, NULL},
};
static const struct word words_queue[] = {
    {"max size slots concurrency parallel weight workers ", "did you mean `limit`?", NULL},
    {NULL, NULL, NULL},
};

static const char *const keys_document[] = {"version", "source", "defaults", "params", "queues", "jobs", NULL};

/* Small letters and digits: maxRetries, max-retries and max_retries are one word. */
static bool plain_word(const char *key, char out[64])
{
    size_t length = 0;
    for (; *key; key++) {
        if (*key == '_' || *key == '-' || *key == ' ')
            continue;
        if (!isalnum((unsigned char)*key) || length >= 63)
            return false;
        out[length++] = (char)tolower((unsigned char)*key);
    }
    out[length] = '\0';
    return length > 0;
}

static const struct word *find_word(const struct word *table, const char *key)
{
    char word[64];
    if (!plain_word(key, word))
        return NULL;
    size_t length = strlen(word);
    for (; table->words; table++)
        for (const char *p = table->words; *p; p = strchr(p, ' ') + 1)
            if (strncmp(p, word, length) == 0 && p[length] == ' ')
                return table;
    return NULL;
}

static bool same_word(const char *a, const char *b)
{
    char one[64], two[64];
    return plain_word(a, one) && plain_word(b, two) && strcmp(one, two) == 0;
}

/* `retryDelay`, `Retry-Delay`, `timout`. */
static const char *nearest(const char *key, enum jobfile_part part)
{
    struct suggest s = {.word = key};
    for (const struct field *f = fields; part == PART_JOB && f->name; f++) {
        if (same_word(key, f->name))
            return f->name;
        if (f->kind != FIELD_IN && strcmp(f->name, "name") != 0)
            suggest_offer(&s, f->name);
    }
    for (const char *const *k = keys_document; part == PART_DOCUMENT && *k; k++) {
        if (same_word(key, *k))
            return *k;
        suggest_offer(&s, *k);
    }
    if (part == PART_QUEUE)
        suggest_offer(&s, "limit");
    return s.best;
}

void jobfile_hint_key(struct buf *b, const char *key, enum jobfile_part part)
{
    const struct word *word = find_word(part == PART_JOB ? words_job : part == PART_QUEUE ? words_queue : words_document, key);
    const char *near = word ? NULL : nearest(key, part);
    if (part == PART_DOCUMENT && !word && field_find(key))
        buf_format(b, ": `%s` belongs to a job, or for all jobs under `defaults:`", key);
    else if (word)
        buf_format(b, ": %s", word->says);
    else if (near)
        buf_format(b, ": did you mean `%s`?", near);
}

void jobfile_hint_field(struct buf *b, const char *key)
{
    jobfile_hint_key(b, key, PART_JOB);
}

bool jobfile_means(const char *key, const char *field)
{
    const struct word *word = find_word(words_job, key);
    const char *near = word ? word->field : nearest(key, PART_JOB);
    return near && strcmp(near, field) == 0;
}

/* ---- values ---- */

static bool any_null(const struct value *v)
{
    for (size_t i = 0; v->kind == VALUE_MAP && i < v->list.count; i++)
        if (v->list.items[i].kind == VALUE_NULL)
            return true;
    return false;
}

static bool is_bool_word(const struct value *v)
{
    static const char *const words[] = {"true", "false", "yes", "no", "on", "off"};
    for (size_t i = 0; v->kind == VALUE_TEXT && v->plain && i < sizeof words / sizeof *words; i++)
        if (strcasecmp(v->text.data, words[i]) == 0)
            return true;
    return false;
}

static bool is_quoted_number(const struct value *v)
{
    return v->kind == VALUE_TEXT && !v->plain && v->text.length && v->text.data[strspn(v->text.data, "-0123456789")] == '\0';
}

static const char *hint_schedule(const char *field, const char *text)
{
    bool interval = strncmp(text, "every ", 6) == 0 || strncmp(text, "@every ", 7) == 0;
    bool date = strchr(text, '-') && strchr(text, ':');
    bool cron = strchr(text, '*') && !strchr(text, ':') && !strstr(text, "*-");
    if (interval && strcmp(field, "every") != 0)
        return "an interval has a field of its own: `every: 5m`";
    if (date && strcmp(field, "cron") == 0)
        return "what systemd calls OnCalendar has a field of its own: `calendar:`";
    if (cron && (strcmp(field, "calendar") == 0 || strcmp(field, "every") == 0))
        return "a cron expression has a field of its own: `cron:`";
    return NULL;
}

const char *jobfile_hint_value(const struct field *f, const struct value *v)
{
    if (f->kind == FIELD_INT && is_quoted_number(v))
        return "a number is written without quotes";
    if (f->kind == FIELD_MAP && v->kind == VALUE_LIST)
        return "write `NAME: value` lines, without `-` and without `=`";
    if (f->kind == FIELD_MAP && any_null(v))
        return "an empty text is written as \"\", and the words null and ~ in quotes too";
    if (strcmp(f->name, "boot") == 0 && is_bool_word(v))
        return "did you mean `boot: machine`?";
    if (f->kind == FIELD_COMMAND && v->kind == VALUE_MAP)
        return "a command with `: ` in it needs quotes around it, or stands behind `|` on lines of its own";
    if (f->group == GROUP_WHEN && v->kind == VALUE_TEXT)
        return hint_schedule(f->name, v->text.data);
    return NULL;
}
