/* The proleptic Gregorian calendar. A year is counted from 1 March, so that the leap day is its last and the months
 * before it have fixed lengths; 400 such years are one era of 146,097 days. */
#include "lib/time/instant.h"

enum { ERA_DAYS = 146097, EPOCH = 719468 /* days from 0000-03-01 to 1970-01-01 */, DAY_SECONDS = 86400 };

static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b < 0);
}

int64_t civil_days(int year, int month, int day)
{
    int64_t y = (int64_t)year - (month <= 2);
    int64_t era = floor_divide(y, 400);
    int64_t year_of_era = y - era * 400;
    int64_t day_of_year = (153 * (month + (month > 2 ? -3 : 9)) + 2) / 5 + day - 1;
    return era * ERA_DAYS + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - EPOCH;
}

int64_t civil_seconds(const struct civil *c)
{
    return civil_days(c->year, c->month, c->day) * DAY_SECONDS + c->hour * 3600 + c->minute * 60 + c->second;
}

struct civil civil_from_seconds(int64_t seconds)
{
    int64_t days = floor_divide(seconds, DAY_SECONDS);
    int rest = (int)(seconds - days * DAY_SECONDS);
    int64_t era = floor_divide(days + EPOCH, ERA_DAYS);
    int day_of_era = (int)(days + EPOCH - era * ERA_DAYS);
    int year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int shifted = (5 * day_of_year + 2) / 153; /* 0 is March */
    int month = shifted < 10 ? shifted + 3 : shifted - 9;
    return (struct civil){
        .year = (int)(era * 400 + year_of_era + (month <= 2)),
        .month = month,
        .day = day_of_year - (153 * shifted + 2) / 5 + 1,
        .hour = rest / 3600,
        .minute = rest / 60 % 60,
        .second = rest % 60,
    };
}

int civil_weekday(int64_t days)
{
    int64_t weekday = (days + 4) % 7; /* 1970-01-01 was a Thursday */
    return (int)(weekday < 0 ? weekday + 7 : weekday);
}

int civil_month_days(int year, int month)
{
    static const int lengths[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    bool leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return lengths[month - 1] + (month == 2 && leap);
}
