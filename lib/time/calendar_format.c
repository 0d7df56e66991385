/* The normal form of a calendar expression. */
#include "lib/time/calendar_parts.h"

static const char *const weekday_names[7] = {"Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"};

/* Three days and more in a row are a range. */
static void format_weekdays(uint8_t weekdays, struct buf *b)
{
    if (weekdays == CALENDAR_EVERY_WEEKDAY)
        return;
    const char *comma = "";
    for (int day = 0; day < 7; day++) {
        int last = day;
        if (!(weekdays >> day & 1))
            continue;
        while (last < 6 && weekdays >> (last + 1) & 1)
            last++;
        buf_format(b, "%s%s", comma, weekday_names[day]);
        if (last > day + 1) {
            buf_format(b, "..%s", weekday_names[last]);
            day = last;
        }
        comma = ",";
    }
    buf_char(b, ' ');
}

static void format_value(enum calendar_part part, int32_t value, int width, struct buf *b)
{
    if (part != PART_SECOND) {
        buf_format(b, "%0*d", width, value);
        return;
    }
    buf_format(b, "%0*d", width, value / CALENDAR_MICRO);
    if (value % CALENDAR_MICRO)
        buf_format(b, ".%06d", value % CALENDAR_MICRO);
}

static void format_list(const struct calendar *c, enum calendar_part part, struct buf *b)
{
    const struct calendar_list *list = &c->lists[part];
    if (!list->count || (part == PART_SECOND && calendar_is_every_second(c))) {
        buf_char(b, '*');
        return;
    }
    int32_t plain = part == PART_SECOND ? CALENDAR_MICRO : 1;
    for (int i = 0; i < list->count; i++) {
        const struct calendar_range *r = &list->items[i];
        if (i)
            buf_char(b, ',');
        format_value(part, r->from, 2, b);
        if (r->to >= 0) {
            buf_text(b, "..");
            format_value(part, r->to, 2, b);
        }
        if (r->step && (r->to < 0 || r->step != plain)) {
            buf_char(b, '/');
            format_value(part, r->step, 1, b);
        }
    }
}

void calendar_format(const struct calendar *c, struct buf *b)
{
    format_weekdays(c->weekdays, b);
    const char *before[PARTS] = {"", "-", c->from_end ? "~" : "-", " ", ":", ":"};
    for (enum calendar_part part = 0; part < PARTS; part++) {
        buf_text(b, before[part]);
        format_list(c, part, b);
    }
    if (c->zone || c->epoch)
        buf_format(b, " %s", c->epoch ? "UTC" : c->zone);
}
