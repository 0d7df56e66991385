#include "cmd/view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/sys/clock.h"
#include "lib/text/json.h"
#include "lib/text/visible.h"

bool view_colours(int fd)
{
    const char *plain = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(fd) && !(plain && *plain) && !(kind && strcmp(kind, "dumb") == 0);
}

int view_init(struct view *v, struct error *e)
{
    struct zone *zone;
    int code = zone_local(getenv("TZ"), &zone, e);
    if (code < 0)
        return code;
    *v = (struct view){.zone = zone, .local = zone, .now = clock_wall(), .terminal = isatty(STDOUT_FILENO)};
    v->colour = view_colours(STDOUT_FILENO);
    struct winsize size;
    if (v->terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0)
        v->width = size.ws_col;
    return 0;
}

void view_clear(struct view *v)
{
    zone_free(v->local);
    *v = (struct view){0};
}

static instant view_second(instant t)
{
    return t - ((t % SECOND) + SECOND) % SECOND;
}

void view_time(struct buf *b, const struct view *v, instant t)
{
    if (t == INSTANT_NONE || t == INSTANT_NEVER)
        buf_text(b, t == INSTANT_NEVER ? "never" : "-");
    else
        instant_format_local(b, view_second(t), v->zone, false);
}

void view_distance(struct buf *b, const struct view *v, instant t)
{
    if (t == INSTANT_NONE || t == INSTANT_NEVER)
        buf_char(b, '-');
    else
        duration_distance(b, instant_add(t, -v->now));
}

static int64_t view_day(const struct view *v, instant t)
{
    struct civil c = zone_civil(v->zone, t);
    return civil_days(c.year, c.month, c.day);
}

void view_moment(struct buf *b, const struct view *v, instant t)
{
    view_time(b, v, t);
    if (t == INSTANT_NONE || t == INSTANT_NEVER)
        return;
    buf_text(b, view_day(v, t) - view_day(v, v->now) == 1 ? " (tomorrow, " : " (");
    view_distance(b, v, t);
    buf_char(b, ')');
}

void view_words(struct buf *b, const struct job *j)
{
    if (j->shell_line && j->command.count) {
        buf_text(b, j->command.items[0]);
        return;
    }
    for (size_t i = 0; i < j->command.count; i++) {
        if (i)
            buf_char(b, ' ');
        visible_shell_word(b, j->command.items[i]);
    }
}

const char *view_signal(int number)
{
    return sigabbrev_np(number);
}

static void view_signal_text(struct buf *b, int number)
{
    const char *name = view_signal(number);
    if (name)
        buf_format(b, "SIG%s", name);
    else
        buf_format(b, "signal %d", number);
}

void view_result(struct buf *b, const struct run *r)
{
    buf_text(b, r->outcome == OUTCOME_NONE ? "running" : outcome_name(r->outcome));
    if (r->signal) {
        buf_text(b, ", ");
        view_signal_text(b, r->signal);
    } else if (r->exit_code > 0 || (r->exit_code == 0 && r->outcome == OUTCOME_FAILED)) { /* --success-exit without 0 */
        buf_format(b, ", exit %d", r->exit_code);
    }
}

void view_bytes(struct buf *b, int64_t bytes)
{
    static const char *const units[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double size = (double)bytes;
    size_t unit = 0;
    while (size >= 1024 && unit + 1 < sizeof units / sizeof *units) {
        size /= 1024;
        unit++;
    }
    buf_format(b, unit ? "%.1f %s" : "%.0f %s", size, units[unit]);
}

enum table_colour view_outcome_colour(enum outcome o)
{
    switch (o) {
    case OUTCOME_OK:
        return TABLE_GREEN;
    case OUTCOME_NONE:
        return TABLE_BLUE;
    case OUTCOME_CANCELLED:
    case OUTCOME_SKIPPED:
    case OUTCOME_MISSED:
        return TABLE_YELLOW;
    default:
        return TABLE_RED;
    }
}

void view_line(struct buf *b, struct value *v)
{
    json_write(b, v, NULL);
    buf_char(b, '\n');
    value_clear(v);
}
