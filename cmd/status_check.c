#include "cmd/status.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "lib/base/mem.h"
#include "lib/text/visible.h"

#define MIB (INT64_C(1) << 20)

const struct status_limits status_limits = {{
    [STATUS_OVERDUE] = {300 * SECOND, 3600 * SECOND},
    [STATUS_FAILED] = {1, -1},
    [STATUS_MISSED] = {1, -1},
    [STATUS_MAIL] = {20, -1},
    [STATUS_ROOM] = {200 * MIB, 20 * MIB},
}};

/* ---- limits ---- */

static int number_parse(const char *text, int64_t *out, struct error *e)
{
    char *end;
    long long n = strtoll(text, &end, 10);
    if (*text < '0' || *text > '9' || *end || n > INT32_MAX)
        return error_set(e, ERROR_USAGE, "'%s' is no number", text);
    *out = n;
    return 0;
}

static int bytes_parse(const char *text, int64_t *out, struct error *e)
{
    static const char units[] = "KMGT";
    char *end;
    long long n = strtoll(text, &end, 10);
    const char *unit = *end ? strchr(units, *end) : NULL;
    int shift = unit ? 10 * (int)(unit - units + 1) : 0;
    if (unit)
        end++;
    if (*text < '0' || *text > '9' || (strcmp(end, "") != 0 && !(unit && strcmp(end, "iB") == 0)) || n > INT64_MAX >> shift)
        return error_set(e, ERROR_USAGE, "'%s' is no size: bytes, or such as 200M or 2G", text);
    *out = (int64_t)n << shift;
    return 0;
}

static int limit_parse(const char *text, enum status_measure measure, int64_t *out, struct error *e)
{
    if (strcmp(text, "-") == 0) {
        *out = -1;
        return 0;
    }
    if (measure == STATUS_OVERDUE)
        return duration_parse(text, out, e);
    return measure == STATUS_ROOM ? bytes_parse(text, out, e) : number_parse(text, out, e);
}

int status_limit_parse(const char *text, enum status_measure measure, struct status_limits *limits, struct error *e)
{
    int64_t warning, critical = -1;
    const char *comma = strchrnul(text, ',');
    char *first = mem_format("%.*s", (int)(comma - text), text);
    int failed = limit_parse(first, measure, &warning, e);
    free(first);
    if (!failed && *comma)
        failed = limit_parse(comma + 1, measure, &critical, e);
    if (failed)
        return failed;
    if (warning >= 0 && critical >= 0 && (measure == STATUS_ROOM ? critical > warning : critical < warning))
        return error_set(e, ERROR_USAGE, "'%s': the first limit warns, the second, graver one is critical", text);
    if (measure != STATUS_ROOM && (warning == 0 || critical == 0))
        return error_set(e, ERROR_USAGE, "a limit of 0 is always reached: 1 is the first that says something, - is none");
    limits->of[measure].warning = warning;
    limits->of[measure].critical = critical;
    return 0;
}

/* ---- the line ---- */

struct check {
    const struct status *status;
    const struct status_limits *limits;
    enum status_level level;
    struct buf problems; /* `; ` between them; the gravest first */
};

static void check_problem(struct check *c, enum status_level level, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void check_problem(struct check *c, enum status_level level, const char *format, ...)
{
    struct buf text = {0}, all = {0};
    va_list arguments;
    va_start(arguments, format);
    buf_vformat(&text, format, arguments);
    va_end(arguments);
    bool graver = level > c->level;
    buf_format(&all, "%s", buf_string(graver ? &text : &c->problems));
    if (c->problems.length)
        buf_format(&all, "; %s", buf_string(graver ? &c->problems : &text));
    else if (!graver)
        buf_text(&all, buf_string(&text));
    buf_clear(&text);
    buf_clear(&c->problems);
    c->problems = all;
    c->level = graver ? level : c->level;
}

static enum status_level limit_level(const struct check *c, enum status_measure m, int64_t n)
{
    int64_t warning = c->limits->of[m].warning, critical = c->limits->of[m].critical;
    bool below = m == STATUS_ROOM;
    if (critical >= 0 && (below ? n <= critical : n >= critical))
        return STATUS_CRITICAL;
    return warning >= 0 && (below ? n <= warning : n >= warning) ? STATUS_WARNING : STATUS_OK;
}

static int64_t overdue_by(const struct status *s)
{
    return s->overdue_job ? instant_add(s->now, -s->overdue) : 0;
}

static void check_overdue(struct check *c)
{
    const struct status *s = c->status;
    enum status_level level = s->overdue_job ? limit_level(c, STATUS_OVERDUE, overdue_by(s)) : STATUS_OK;
    struct buf length = {0};
    view_length(&length, overdue_by(s));
    if (level)
        check_problem(c, level, "job %" PRIu64 "%s%s waits for %s already", s->overdue_job, s->overdue_name ? " " : "", s->overdue_name ? s->overdue_name : "", buf_string(&length));
    buf_clear(&length);
}

static void check_failed(struct check *c, const char *within)
{
    const struct status *s = c->status;
    enum status_level level = s->failed ? limit_level(c, STATUS_FAILED, (int64_t)s->failed) : STATUS_OK;
    char id[RUN_ID_SIZE];
    run_id_format(s->last_failed.id, id);
    if (level)
        check_problem(c, level, "%s%" PRIu64 " run%s went wrong within %s, the latest %s%s%s (%s)", s->more ? "at least " : "", s->failed, s->failed > 1 ? "s" : "", within, id,
            s->last_failed.name ? " " : "", s->last_failed.name ? s->last_failed.name : "", outcome_name(s->last_failed.outcome));
}

static void check_missed(struct check *c, const char *within)
{
    const struct status *s = c->status;
    enum status_level level = s->missed ? limit_level(c, STATUS_MISSED, (int64_t)s->missed) : STATUS_OK;
    if (level)
        check_problem(c, level, "%s%" PRIu64 " due time%s missed within %s", s->more ? "at least " : "", s->missed, s->missed > 1 ? "s were" : " was", within);
}

static void check_room(struct check *c)
{
    const struct status *s = c->status;
    enum status_level level = limit_level(c, STATUS_ROOM, s->room);
    struct buf bytes = {0};
    view_bytes(&bytes, s->room);
    if (level)
        check_problem(c, level, "only %s of room left for the spool", buf_string(&bytes));
    buf_clear(&bytes);
}

static void check_rest(struct check *c)
{
    const struct status *s = c->status;
    if (!s->served.pid)
        check_problem(c, STATUS_CRITICAL, "nobody serves the spool");
    if (s->job_errors)
        check_problem(c, STATUS_WARNING, "%" PRId64 " error%s in the job files of %s", s->job_errors, s->job_errors > 1 ? "s" : "", s->served.jobs);
    enum status_level level = s->mail ? limit_level(c, STATUS_MAIL, s->mail) : STATUS_OK;
    if (level)
        check_problem(c, level, "%" PRId64 " mail%s wait%s to be sent", s->mail, s->mail > 1 ? "s" : "", s->mail > 1 ? "" : "s");
}

/* ---- numbers ---- */

static void number_add(struct buf *b, const char *label, int64_t value, const char *unit)
{
    buf_format(b, " %s=%" PRId64 "%s", label, value, unit);
}

/* A limit in the notation of the plugins' ranges: outside of it is bad. "At or above 5" is outside of 0 to 4. */
static void range_add(struct buf *b, enum status_measure m, int64_t limit)
{
    buf_char(b, ';');
    if (limit < 0)
        return;
    if (m == STATUS_ROOM)
        buf_format(b, "%" PRId64 ":", limit + 1);
    else if (m == STATUS_OVERDUE)
        buf_format(b, "%" PRId64, limit / SECOND);
    else
        buf_format(b, "%" PRId64, limit - 1);
}

static void measure_add(struct buf *b, const struct check *c, enum status_measure m, int64_t value)
{
    static const struct {
        const char *label, *unit;
    } rows[] = {[STATUS_OVERDUE] = {"overdue", "s"}, [STATUS_FAILED] = {"failed", ""}, [STATUS_MISSED] = {"missed", ""}, [STATUS_MAIL] = {"mail", ""}, [STATUS_ROOM] = {"room", "B"}};
    number_add(b, rows[m].label, value, rows[m].unit);
    range_add(b, m, c->limits->of[m].warning);
    range_add(b, m, c->limits->of[m].critical);
    buf_text(b, ";0");
}

static void numbers_add(struct buf *b, const struct check *c)
{
    const struct status *s = c->status;
    buf_text(b, " |");
    measure_add(b, c, STATUS_OVERDUE, overdue_by(s) / SECOND);
    measure_add(b, c, STATUS_FAILED, (int64_t)s->failed);
    measure_add(b, c, STATUS_MISSED, (int64_t)s->missed);
    measure_add(b, c, STATUS_MAIL, s->mail);
    measure_add(b, c, STATUS_ROOM, s->room);
    number_add(b, "runs", (int64_t)s->runs, "");
    for (int i = 0; view_states[i]; i++) {
        char *label = mem_format("jobs_%s", view_states[i]);
        number_add(b, label, (int64_t)s->states[i], "");
        free(label);
    }
}

/* Names are the user's, and `|` begins the numbers. */
static void text_add(struct buf *b, const struct buf *text)
{
    size_t from = b->length;
    visible_add(b, text->data, text->length, false);
    for (size_t i = from; i < b->length; i++)
        if (b->data[i] == '|')
            b->data[i] = '/';
}

/* What is no problem, but worth knowing. */
static void check_fine(struct check *c)
{
    const struct status *s = c->status;
    buf_format(&c->problems, "%" PRIu64 " job%s, %" PRIu64 " running, %" PRIu64 " queued", s->jobs, s->jobs == 1 ? "" : "s",
        s->states[view_state("running")], s->states[view_state("queued")]);
    uint64_t paused = s->states[view_state("paused")];
    if (paused)
        buf_format(&c->problems, ", %" PRIu64 " paused", paused);
    if (s->mail)
        buf_format(&c->problems, ", %" PRId64 " mail%s waiting", s->mail, s->mail > 1 ? "s" : "");
}

enum status_level status_check(const struct status *s, const struct status_limits *limits, struct buf *line)
{
    static const char *const levels[] = {"OK", "WARNING", "CRITICAL"};
    struct check c = {.status = s, .limits = limits};
    struct buf within = {0};
    duration_format(&within, s->within);
    check_rest(&c);
    check_overdue(&c);
    check_room(&c);
    check_failed(&c, buf_string(&within));
    check_missed(&c, buf_string(&within));
    if (!c.level)
        check_fine(&c);
    buf_format(line, "AX %s - ", levels[c.level]);
    text_add(line, &c.problems);
    numbers_add(line, &c);
    buf_char(line, '\n');
    buf_clear(&within);
    buf_clear(&c.problems);
    return c.level;
}
