#include "cmd/view.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "lib/sys/clock.h"
#include "lib/sys/signals.h"
#include "lib/text/json.h"
#include "lib/text/visible.h"

bool view_colours(int fd)
{
    const char *plain = getenv("NO_COLOR"), *kind = getenv("TERM");
    return isatty(fd) && !(plain && *plain) && !(kind && strcmp(kind, "dumb") == 0);
}

/* Of a terminal that does not know how wide it is, COLUMNS does, or it is taken for an old one. */
static int view_columns(void)
{
    struct winsize size;
    if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col)
        return size.ws_col;
    const char *columns = getenv("COLUMNS");
    int n = columns && columns[strspn(columns, "0123456789")] == '\0' && strlen(columns) < 6 ? atoi(columns) : 0;
    return n > 0 ? n : 80;
}

/* The first of them that is set decides (POSIX XBD 8.2). */
static bool view_takes_utf8(void)
{
    static const char *const names[] = {"LC_ALL", "LC_CTYPE", "LANG"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        const char *locale = getenv(names[i]);
        if (locale && *locale)
            return strcasestr(locale, "UTF-8") || strcasestr(locale, "UTF8");
    }
    return false;
}

int view_init(struct view *v, struct error *e)
{
    struct zone *zone;
    int code = zone_local(getenv("TZ"), &zone, e);
    if (code < 0)
        return code;
    *v = (struct view){.zone = zone, .local = zone, .now = clock_wall(), .terminal = isatty(STDOUT_FILENO), .utf8 = view_takes_utf8()};
    v->colour = view_colours(STDOUT_FILENO);
    v->width = v->terminal ? view_columns() : 0;
    return 0;
}

bool view_brief(const struct view *v)
{
    return v->width > 0 && v->width < 120;
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

void view_clock(struct buf *b, const struct view *v, instant t)
{
    static const char *const days[] = {"Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"};
    static const char *const months[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
    if (t == INSTANT_NONE || t == INSTANT_NEVER) {
        buf_text(b, t == INSTANT_NEVER ? "never" : "-");
        return;
    }
    struct civil c = zone_civil(v->zone, t);
    int64_t away = view_day(v, t) - view_day(v, v->now);
    if (away == 0)
        buf_format(b, "%02d:%02d:%02d", c.hour, c.minute, c.second);
    else if (away > -7 && away < 7)
        buf_format(b, "%s %02d:%02d", days[civil_weekday(view_day(v, t))], c.hour, c.minute);
    else if (c.year == zone_civil(v->zone, v->now).year)
        buf_format(b, "%s %2d %02d:%02d", months[c.month - 1], c.day, c.hour, c.minute);
    else
        buf_format(b, "%04d-%02d-%02d", c.year, c.month, c.day);
}

void view_length(struct buf *b, int64_t ns)
{
    double seconds = (double)ns / SECOND;
    if (ns < 10 * SECOND)
        buf_format(b, seconds < 1 ? "%.3fs" : "%.2fs", seconds < 0 ? 0 : seconds);
    else if (ns < 60 * SECOND)
        buf_format(b, "%.1fs", seconds);
    else
        duration_format(b, ns - ns % SECOND);
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

static void view_signal_text(struct buf *b, int number)
{
    const char *name = signals_name(number);
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
