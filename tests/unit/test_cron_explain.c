#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/time/cron.h"

static const struct {
    const char *text, *english;
} rows[] = {
    {"* * * * *", "every minute"},
    {"*/1 * * * *", "every minute"},
    {"*/15 * * * *", "every 15 minutes"},
    {"5-59/15 * * * *", "every 15 minutes from minute 5 of the hour on"},
    {"*/7 * * * *", "at minutes 0, 7, 14, 21, 28, 35, 42, 49 and 56 of every hour"},
    {"*/70 * * * *", "at minute 0 of every hour"},
    {"@hourly", "at minute 0 of every hour"},
    {"10-20,30 * * * *", "at minutes 10 to 20 and 30 of every hour"},
    {"30 2 * * *", "at 02:30 every day"},
    {"0,30 2,14 * * *", "at 02:00, 02:30, 14:00 and 14:30 every day"},
    {"* 9 * * *", "every minute from 09:00 to 09:59 every day"},
    {"*/15 9-17 * * mon-fri", "every 15 minutes from 09:00 to 17:45 on Monday to Friday"},
    {"*/15 9,10,11,14 * * *", "every 15 minutes from 09:00 to 11:45 and from 14:00 to 14:45 every day"},
    {"*/20 22-6 * * mon", "every 20 minutes from 00:00 to 06:40 and from 22:00 to 23:40 on every Monday"},
    {"*/15 */2 * * *", "at minutes 0, 15, 30 and 45 of every 2nd hour from 0 to 22 every day"},
    {"0 */2 * * *", "every 2 hours from 00:00 to 22:00 every day"},
    {"5 9-17 * * 1,3,5", "every hour from 09:05 to 17:05 on every Monday, Wednesday and Friday"},
    {"1,2,7 3,4,5,9 * * *", "at minutes 1, 2 and 7 of hours 3 to 5 and 9 every day"},
    {"@reboot", "when the machine has started"},
    {"@daily", "at 00:00 every day"},
    {"@weekly", "at 00:00 on every Sunday"},
    {"@monthly", "at 00:00 on the 1st"},
    {"@yearly", "at 00:00 on the 1st in January"},
    {"* * * feb,jun-aug *", "every minute every day in February and June to August"},
    {"0 2 1 * 1", "at 02:00 on the 1st, and on every Monday: either day is enough"},
    {"0 2 1 5 1", "at 02:00 on the 1st, and on every Monday, in May: either day is enough"},
    {"0 2 1 * 1-7", "at 02:00 every day"},
    {"0 2 1-31 * 1", "at 02:00 every day"},
    {"0 2 1,2,3,11-13,21,22 * *", "at 02:00 on the 1st to 3rd, the 11th to 13th, the 21st and the 22nd"},
    {"0 2 */2 * 1", "at 02:00 on every 2nd day from the 1st to the 31st, if it is also Monday"},
    {"0 2 1 2 */2", "at 02:00 on the 1st in February, if it is also Tuesday, Thursday, Saturday or Sunday"},
    {"0 2 * * fri-mon", "at 02:00 on every Monday and Friday to Sunday"},
    {"0 2 30 2 *", "at 02:00 on the 30th in February: no month has such a day, so it never comes"},
    {"0 2 L * *", "at 02:00 on the last day of the month"},
    {"0 2 LW * *", "at 02:00 on the last Monday to Friday of the month"},
    {"0 2 1,15W * ?", "at 02:00 on the 1st and the Monday to Friday nearest to the 15th"},
    {"0 2 * * 5L", "at 02:00 on the last Friday of the month"},
    {"0 2 * * 1,fri#2,7#1", "at 02:00 on every Monday, the 1st Sunday of the month and the 2nd Friday of the month"},
    {"0 2 L * 5#3", "at 02:00 on the last day of the month, and on the 3rd Friday of the month: either day is enough"},
    {"0 2 */31 * 0L",
        "at 02:00 on the 1st, if it is also the last Sunday of the month: no month has such a day, so it never comes"},
    {"* * * * * *", "every second"},
    {"*/10 * * * * *", "every 10 seconds"},
    {"5 * * * * *", "at second 5 of every minute"},
    {"10-20 * * * * *", "at seconds 10 to 20 of every minute"},
    {"0 * * * * *", "every minute"},
    {"0 30 2 * * *", "at 02:30:00 every day"},
    {"5 30 2,3 * * *", "at 02:30:05 and 03:30:05 every day"},
    {"5,10 0 12 * * *", "at seconds 5 and 10 of the minute 12:00 every day"},
    {"*/5 */15 9-17 * * *", "every 5 seconds of minutes 0, 15, 30 and 45 of hours 9 to 17 every day"},
    {"* * 9-17 * * *", "every second of every minute from 09:00 to 17:59 every day"},
};

static void test_explain(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct cron c;
        struct error e = {0};
        struct buf b = {0};
        if (cron_parse(rows[i].text, 1, &c, NULL, &e))
            fail_msg("%s: %s", rows[i].text, e.text);
        cron_explain(&c, &b);
        if (strcmp(buf_string(&b), rows[i].english) != 0)
            fail_msg("%s: %s, not: %s", rows[i].text, buf_string(&b), rows[i].english);
        buf_clear(&b);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_explain)};
    return cmocka_run_group_tests_name("cron_explain", tests, NULL, NULL);
}
