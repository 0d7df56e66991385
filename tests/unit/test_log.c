/* The lines of the scheduler's log. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "cmd/run/log.h"

static void check(enum log_format format, const char *time, const char *rest)
{
    struct log l = {.fd = -1, .level = LOG_LEVEL_INFO, .format = format};
    for (int i = 0; i < 20; i++) {
        log_event(&l, LOG_LEVEL_INFO, "it ended", "run", "12.3", "name", "a \"b\"", "pid", LOG_NUMBER(77), "code", LOG_NUMBER(-5), "none", NULL, "odd", "\1x", NULL);
        log_event(&l, LOG_LEVEL_DEBUG, "not said", NULL);
        const char *line = buf_string(&l.waiting), *after = line + strlen(time) + strlen("2026-12-01T04:37:53.230Z");
        assert_memory_equal(line, time, strlen(time));
        assert_int_equal(after[-1], 'Z'); /* of the same width, whatever the time */
        assert_int_equal(after[-5], '.');
        assert_string_equal(after, rest);
        buf_reset(&l.waiting);
        usleep(1100);
    }
    buf_clear(&l.waiting);
}

static void test_lines(void **state)
{
    (void)state;
    check(LOG_TEXT, "time=", " level=info event=\"it ended\" run=12.3 name=\"a \\\"b\\\"\" pid=77 code=-5 odd=\"\\x01x\"\n");
    check(LOG_JSON, "{\"time\":\"", "\",\"level\":\"info\",\"event\":\"it ended\",\"run\":\"12.3\",\"name\":\"a \\\"b\\\"\",\"pid\":77,\"code\":-5,\"odd\":\"\\u0001x\"}\n");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_lines)};
    return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
