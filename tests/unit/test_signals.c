#include "lib/sys/signals.h"

#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

/* What the shell calls them. */
static void test_names(void **state)
{
    (void)state;
    for (int i = 1; i < 32; i++) {
        char command[64], line[64] = "";
        snprintf(command, sizeof command, "/bin/bash -c 'kill -l %d'", i);
        FILE *shell = popen(command, "r");
        assert_non_null(shell);
        assert_non_null(fgets(line, sizeof line, shell));
        assert_int_equal(pclose(shell), 0);
        line[strcspn(line, "\n")] = '\0';
        assert_string_equal(signals_name(i), i == SIGPOLL ? "POLL" : line); /* to bash it is IO */
    }
    assert_null(signals_name(0));
    assert_null(signals_name(-1));
    assert_null(signals_name(SIGRTMIN));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_names)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
