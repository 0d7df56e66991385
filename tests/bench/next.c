/* next: nanoseconds for mktime, for a step of a typical cron expression, and for the slowest one; each the median of
 * rounds, the slowest the largest of these. Prints three lines. */
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

#include "lib/time/cron.h"

#define ROUNDS 15
#define STEPS 2000

static int64_t clock_ns(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return t.tv_sec * SECOND + t.tv_nsec;
}

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *times)
{
    qsort(times, ROUNDS, sizeof *times, compare);
    return times[ROUNDS / 2];
}

static double step_time(const char *text, const struct zone *z)
{
    struct cron c;
    double times[ROUNDS];
    const instant start = INT64_C(1796083200) * SECOND; /* 2026-12-01 */
    if (cron_parse(text, 1, &c, NULL, NULL) < 0)
        exit(1);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t from = clock_ns();
        instant t = start;
        for (int i = 0; i < STEPS; i++) {
            t = cron_next(&c, z, t).at;
            if (t == INSTANT_NEVER)
                t = start + i;
        }
        times[round] = (double)(clock_ns() - from) / STEPS;
    }
    return median(times);
}

static double mktime_time(void)
{
    double times[ROUNDS];
    setenv("TZ", "Europe/Berlin", 1);
    for (int round = 0; round < ROUNDS; round++) {
        int64_t from = clock_ns();
        for (int i = 0; i < STEPS; i++) {
            struct tm local = {
                .tm_year = 126 + i % 10, .tm_mon = i % 12, .tm_mday = 1 + i % 28, .tm_hour = i % 24, .tm_isdst = -1};
            if (mktime(&local) == -1)
                exit(1);
        }
        times[round] = (double)(clock_ns() - from) / STEPS;
    }
    return median(times);
}

int main(void)
{
    static const char *const typical[] = {
        "*/5 * * * *", "0 2 * * *", "30 4 1,15 * 5", "0 9-17 * * mon-fri", "17 3 * * 0"};
    static const char *const hard[] = {"0 0 29 2 *", "0 0 30 2 *", "0 0 29 2 1", "0 30 2 29 2 *", "0 0 * 2 mon#5",
        "59 23 31 4,6,9,11 *", "0 30 2 * 3 sunL"};
    struct zone *z;
    if (zone_load("Europe/Berlin", &z, NULL) < 0)
        return 1;
    double sum = 0, worst = 0;
    for (size_t i = 0; i < sizeof typical / sizeof *typical; i++)
        sum += step_time(typical[i], z);
    for (size_t i = 0; i < sizeof hard / sizeof *hard; i++) {
        double t = step_time(hard[i], z);
        worst = t > worst ? t : worst;
    }
    printf("%.0f\n%.0f\n%.0f\n", mktime_time(), sum / (double)(sizeof typical / sizeof *typical), worst);
    zone_free(z);
    return 0;
}
