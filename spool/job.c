#include "spool/job.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "lib/base/mem.h"
#include "lib/text/utf8.h"
#include "spool/job_schedule.h"
#include "spool/notify.h"

#define JOB_NAME_MAX 100

/* What the kernel takes: one string up to MAX_ARG_STRLEN (32 pages, its NUL included), all of argv and environment up to a quarter of the
 * stack limit and never more than 6 MiB (execve(2)). The slack is for AX_JOB and its like, and for the program's name. */
#define ARG_STRING_MAX (128 * 1024 - 1)
#define ARG_TOTAL_LEAST (128 * 1024) /* the kernel takes so much whatever the limits are: most jobs need no look at them */
#define ARG_TOTAL_MAX (2 * 1024 * 1024) /* under the usual stack limit of 8 MiB, which the scheduler may have though the client has none */
#define ARG_SLACK (16 * 1024)
#define JOB_INPUT_MAX (240 << 20)    /* with all the rest it must fit into one message to a worker */

bool exits_has(const struct exits *set, int code)
{
    return code >= 0 && code <= 255 && (set->bits[code / 8] >> (code % 8) & 1);
}

void job_init(struct job *j)
{
    *j = (struct job){
        .added = INSTANT_NONE, .at = INSTANT_NONE, .every = DURATION_NONE,
        .not_before = INSTANT_NONE, .not_after = INSTANT_NONE, .catchup_within = DURATION_NONE, .catchup_max = 100,
        .start_within = DURATION_NONE, .timeout = DURATION_NONE, .kill_after = 10 * SECOND,
        .weight = 1, .retry_backoff = BACKOFF_EXPONENTIAL, .retry_max_delay = 600 * SECOND, .retry_jitter = 10,
        .if_lost = IF_LOST_RERUN, .lost_max = 3, .umask_bits = -1, .output_max = 10 << 20, .keep_runs = JOB_KEEP_RUNS, .keep_for = JOB_KEEP_FOR,
    };
    strvec_add(&j->shell, "/bin/sh");
    strvec_add(&j->shell, "-c");
    j->retry_delay.items = mem_alloc(sizeof *j->retry_delay.items);
    j->retry_delay.items[0] = 30 * SECOND;
    j->retry_delay.count = 1;
    j->success_exit.bits[0] = 1;
}

void job_clear(struct job *j)
{
    char *texts[] = {j->name, j->description, j->input, j->queue, j->cwd, j->env_file, j->user, j->group, j->timezone, j->source, j->file, j->mailto};
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        free(texts[i]);
    strvec_clear(&j->tags);
    strvec_clear(&j->cron);
    strvec_clear(&j->calendar);
    strvec_clear(&j->except);
    strvec_clear(&j->command);
    strvec_clear(&j->shell);
    strvec_clear(&j->env);
    strvec_clear(&j->kept_env);
    strvec_clear(&j->rlimits);
    strvec_clear(&j->notify);
    free(j->retry_delay.items);
    *j = (struct job){0};
}

static int job_name_characters(const char *name, size_t length, struct error *e)
{
    for (size_t i = 0; i < length;) {
        uint32_t character;
        size_t bytes = utf8_decode(name + i, length - i, &character);
        if (!bytes)
            return error_set(e, ERROR_USAGE, "is not valid UTF-8");
        if (utf8_hidden(character))
            return error_set(e, ERROR_USAGE, "holds a control character or another that cannot be seen");
        i += bytes;
    }
    return 0;
}

int job_name_check(const char *name, struct error *e)
{
    size_t length = strlen(name);
    struct run_id id;
    if (!length)
        return error_set(e, ERROR_USAGE, "is empty");
    if (length > JOB_NAME_MAX)
        return error_set(e, ERROR_USAGE, "is longer than %d bytes", JOB_NAME_MAX);
    int failed = job_name_characters(name, length, e);
    if (failed)
        return failed;
    if (name[0] == ' ' || name[length - 1] == ' ')
        return error_set(e, ERROR_USAGE, "begins or ends with a blank");
    if (name[0] == '-')
        return error_set(e, ERROR_USAGE, "'%s' begins with '-' and would be taken for an option", name);
    if (strspn(name, "0123456789") == length)
        return error_set(e, ERROR_USAGE, "'%s' would be taken for a job's number: a name has a letter in it", name);
    size_t digits = strspn(name, "0123456789");
    if (run_id_parse(name, &id) || (digits && name[digits] == '.' && strspn(name + digits + 1, "0123456789") == length - digits - 1))
        return error_set(e, ERROR_USAGE, "'%s' would be taken for a run", name);
    return 0;
}

static int job_command_check(const struct job *j, struct error *e)
{
    if (!j->command.count)
        return error_set(e, ERROR_USAGE, "there is no command");
    if (!j->shell_line)
        return j->command.items[0][0] ? 0 : error_set(e, ERROR_USAGE, "the first word is empty: it names the program");
    if (j->command.count != 1)
        return error_set(e, ERROR_USAGE, "a shell line is one text");
    const char *line = j->command.items[0];
    return line[strspn(line, " \t\r\n")] ? 0 : error_set(e, ERROR_USAGE, "the command is empty");
}

/* Adds what the kernel counts for a list: each string with its NUL and its pointer. */
static int job_size_add(const struct strvec *list, const char *what, size_t *total, struct error *e)
{
    for (size_t i = 0; i < list->count; i++) {
        size_t length = strlen(list->items[i]);
        if (length > ARG_STRING_MAX)
            return error_set(e, ERROR_USAGE, "%s of %zu bytes is longer than the kernel takes (%d): put it into a file or into stdin",
                             what, length, ARG_STRING_MAX);
        *total += length + 1 + sizeof(char *);
    }
    return 0;
}

static int job_size_check(const struct job *j, struct error *e)
{
    const struct { const struct strvec *list; const char *what, *field; } parts[] = {
        {&j->command, "a command", "command"}, {&j->shell, "a word", "shell"}, {&j->kept_env, "a variable", "env"}, {&j->env, "a variable", "env"},
    };
    size_t total = 0;
    for (size_t i = 0; i < sizeof parts / sizeof *parts; i++)
        if (job_size_add(parts[i].list, parts[i].what, &total, e) < 0)
            return error_field(e, parts[i].field);
    if (total + ARG_SLACK <= ARG_TOTAL_LEAST)
        return 0;
    long limit = sysconf(_SC_ARG_MAX);
    if (limit < 0 || limit > ARG_TOTAL_MAX)
        limit = ARG_TOTAL_MAX;
    if (total + ARG_SLACK > (size_t)limit) {
        error_set(e, ERROR_USAGE, "command and environment are %zu bytes together, more than the kernel takes (%ld less %d for ax)",
                  total, limit, ARG_SLACK);
        return error_field(e, "command");
    }
    return 0;
}

int job_check(const struct job *j, struct error *e)
{
    if (job_command_check(j, e) < 0)
        return error_field(e, "command");
    if (j->shell_line && (!j->shell.count || !j->shell.items[0][0])) {
        error_set(e, ERROR_USAGE, "the shell is empty");
        return error_field(e, "shell");
    }
    if (j->name && job_name_check(j->name, e) < 0)
        return error_field(e, "name");
    if (j->queue && job_name_check(j->queue, e) < 0)
        return error_field(e, "queue");
    if (j->input_length > JOB_INPUT_MAX) {
        error_set(e, ERROR_USAGE, "is %zu bytes long, more than can be given to a command (%d MiB): put it into a file", j->input_length,
                  JOB_INPUT_MAX >> 20);
        return error_field(e, "stdin");
    }
    if (notify_check_all(j, e) < 0)
        return error_field(e, "notify");
    if (job_schedule_check(j, e) < 0)
        return -(int)ERROR_USAGE;
    return job_size_check(j, e);
}

bool job_over(const struct job_state *s)
{
    return s->phase == PHASE_DONE || s->phase == PHASE_FAILED || s->phase == PHASE_CANCELLED;
}

bool job_active(const struct job_state *s)
{
    return s->phase == PHASE_RUNNING || s->phase == PHASE_RETRYING || s->busy;
}

const char *phase_name(const struct job_state *s, instant now)
{
    static const char *const names[] = {
        [PHASE_WAITING] = "waiting", [PHASE_RETRYING] = "retrying", [PHASE_RUNNING] = "running",
        [PHASE_DONE] = "done",       [PHASE_FAILED] = "failed",     [PHASE_CANCELLED] = "cancelled",
    };
    if ((s->phase == PHASE_WAITING || s->phase == PHASE_RETRYING) && s->paused && !s->busy)
        return "paused";
    if ((s->phase == PHASE_WAITING || s->phase == PHASE_RETRYING) && (s->ready <= now || s->shortage))
        return s->busy ? "running" : "queued";
    if (s->busy && s->phase != PHASE_RETRYING) /* an occurrence beside its own */
        return "running";
    return names[s->phase];
}
