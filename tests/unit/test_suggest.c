#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "lib/text/suggest.h"

#define LONG16 "abcdefghijklmnop"

static void test_suggest(void **state)
{
    static const char *const known[] = {
        "timeout", "ls", "log", "cancel", "history", "retry-delay", "retries", "run", "resume", "stop-timeout", "in", NULL,
    };
    static const struct {
        const char *word, *best;
    } cases[] = {
        {"tiemout", "timeout"},     /* swapped */
        {"timout", "timeout"},      /* missing */
        {"timeeout", "timeout"},    /* too many */
        {"timeoux", "timeout"},     /* wrong */
        {"timeout", "timeout"},
        {"tmeou", NULL},            /* two of five */
        {"tmeoux", "timeout"},       /* two of six */
        {"tmexux", NULL},           /* three of six */
        {"canecl", "cancel"},
        {"cancle", "cancel"},
        {"sl", "ls"},
        {"og", "log"},
        {"lgo", "log"},
        {"i", NULL},                /* too short to guess */
        {"", NULL},
        {"xy", NULL},
        {"retr", "retry-delay"},    /* a beginning: the first offered of two */
        {"retri", "retries"},
        {"hist", "history"},
        {"retry-dealy", "retry-delay"},
        {"stop-timeuot", "stop-timeout"},
        {"hsitroy", "history"},     /* two swaps of seven */
        {"deploy", NULL},
        {LONG16 LONG16 LONG16 LONG16 LONG16, NULL},
    };
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct suggest s = {.word = cases[i].word};
        for (size_t k = 0; known[k]; k++)
            suggest_offer(&s, known[k]);
        const char *best = cases[i].best;
        if ((s.best == NULL) != (best == NULL) || (best && strcmp(s.best, best) != 0))
            fail_msg("%s: %s instead of %s", cases[i].word, s.best ? s.best : "nothing", best ? best : "nothing");
    }
}

/* The longest words that are looked at, all letters different: reaches every cell of the table. */
static void test_longest(void **state)
{
    (void)state;
    char word[64], other[65];
    memset(word, 'a', 63);
    memset(other, 'b', 64);
    word[63] = other[63] = '\0';
    struct suggest s = {.word = word};
    suggest_offer(&s, other);
    assert_null(s.best);
    memset(other, 'a', 42);
    suggest_offer(&s, other);
    assert_ptr_equal(s.best, other);
    assert_int_equal(s.distance, 21);
    memset(other, 'a', 64);
    other[64] = '\0';
    suggest_offer(&s, other); /* too long to look at */
    assert_int_equal(s.distance, 21);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_suggest),
        cmocka_unit_test(test_longest),
    };
    return cmocka_run_group_tests_name("suggest", tests, NULL, NULL);
}
