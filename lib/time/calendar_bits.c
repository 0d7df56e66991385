/* The lists of a calendar expression as sets of bits. */
#include "lib/time/calendar_parts.h"

/* The values of one element between 0 and max; those of days counted from the end go down to 1 where they have no
 * end: 7/2 is 7, 5, 3, 1. */
static void range_each(const struct calendar_range *r, int max, bool down, void (*add)(void *, int), void *set)
{
    int64_t step = r->step && down && r->to < 0 ? -r->step : r->step;
    int64_t end = r->to >= 0 && r->to < max ? r->to : max;
    for (int64_t value = r->from; value >= (down ? 1 : 0) && value <= end; value += step) {
        add(set, (int)value);
        if (!step)
            return;
    }
}

static void add_bit(void *set, int value)
{
    *(uint64_t *)set |= UINT64_C(1) << value;
}

static void add_year(void *set, int year)
{
    if (year >= CALENDAR_YEAR_MIN)
        ((uint64_t *)set)[(year - CALENDAR_YEAR_MIN) / 64] |= UINT64_C(1) << (year - CALENDAR_YEAR_MIN) % 64;
}

static uint64_t list_bits(const struct calendar_list *list, int min, int max, bool down)
{
    uint64_t set = 0;
    for (int i = 0; i < list->count; i++)
        range_each(&list->items[i], max, down, add_bit, &set);
    return list->count ? set : (UINT64_C(2) << max) - (UINT64_C(1) << min);
}

/* Counted from the end of a month of this length to counted from its beginning. */
static uint32_t turn_round(uint32_t days, int length)
{
    uint32_t turned = 0;
    for (int day = 1; day <= length; day++)
        if (days >> day & 1)
            turned |= UINT32_C(1) << (length + 1 - day);
    return turned;
}

static void set_days(struct calendar *c)
{
    uint32_t days = (uint32_t)list_bits(&c->lists[PART_DAY], 1, 31, c->from_end);
    for (int i = 0; i < 4; i++) {
        uint32_t in_month = (uint32_t)((UINT64_C(2) << (28 + i)) - 2);
        c->days[i] = c->from_end ? turn_round(days, 28 + i) : days & in_month;
    }
    for (int month = 1; month <= 12; month++) {
        int longest = civil_month_days(2000, month);
        if (!c->days[longest - 28] && (month != 2 || !c->days[0]))
            c->months &= ~(UINT32_C(1) << month);
    }
}

void calendar_set_bits(struct calendar *c)
{
    const struct calendar_list *years = &c->lists[PART_YEAR];
    for (int i = 0; i < years->count; i++)
        range_each(&years->items[i], CALENDAR_YEAR_REACH, false, add_year, c->years);
    c->months = (uint32_t)list_bits(&c->lists[PART_MONTH], 1, 12, false);
    c->hours = (uint32_t)list_bits(&c->lists[PART_HOUR], 0, 23, false);
    c->minutes = list_bits(&c->lists[PART_MINUTE], 0, 59, false);
    set_days(c);
}

static int32_t range_next(const struct calendar_range *r, int32_t from)
{
    int32_t value = r->from;
    if (from > value) {
        if (!r->step)
            return -1;
        int64_t steps = ((int64_t)from - value + r->step - 1) / r->step;
        int64_t next = value + steps * r->step;
        if (next >= CALENDAR_MINUTE)
            return -1;
        value = (int32_t)next;
    }
    return r->to >= 0 && value > r->to ? -1 : value;
}

int32_t calendar_second_next(const struct calendar *c, int32_t from)
{
    const struct calendar_list *list = &c->lists[PART_SECOND];
    int32_t best = -1;
    for (int i = 0; i < list->count; i++) {
        int32_t value = range_next(&list->items[i], from);
        if (value >= 0 && (best < 0 || value < best))
            best = value;
    }
    return best;
}

bool calendar_is_every_second(const struct calendar *c)
{
    const struct calendar_list *list = &c->lists[PART_SECOND];
    for (int i = 0; i < list->count; i++)
        if (list->items[i].from == 0 && list->items[i].to < 0 && list->items[i].step == CALENDAR_MICRO)
            return true;
    return false;
}

static bool has_year(const struct calendar *c, int year)
{
    if (!c->lists[PART_YEAR].count)
        return true;
    int bit = year - CALENDAR_YEAR_MIN;
    return bit >= 0 && year <= CALENDAR_YEAR_REACH && c->years[bit / 64] >> bit % 64 & 1;
}

uint32_t calendar_days_of(const struct calendar *c, int year, int month)
{
    if (!(c->months >> month & 1) || !has_year(c, year))
        return 0;
    uint32_t days = c->days[civil_month_days(year, month) - 28];
    if (c->weekdays == CALENDAR_EVERY_WEEKDAY || !days)
        return days;
    int first = (civil_weekday(civil_days(year, month, 1)) + 6) % 7; /* 0 is Monday */
    uint64_t week = c->weekdays * UINT64_C(0x810204081);             /* the seven bits, six times */
    return days & (uint32_t)(week >> first << 1);
}
