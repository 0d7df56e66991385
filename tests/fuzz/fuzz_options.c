/* The words of a command line, one a line. */
#include "lib/base/strvec.h"
#include "lib/text/options.h"
#include "lib/time/duration.h"
#include "tests/fuzz/fuzz.h"

struct target {
    bool flag, other;
    const char *text;
    struct strvec texts;
    int number, choice, calls;
    duration length;
};

static int call(void *target, const struct option_row *row, const char *argument, struct error *e)
{
    (void)row;
    struct target *t = target;
    t->calls++;
    return *argument == '!' ? error_set(e, ERROR_USAGE, "no") : 0;
}

static const char *const choices[] = {"skip", "latest", "all", NULL};

#define AT(member) .offset = offsetof(struct target, member)
static const struct option_row rows[] = {
    {'f', "flag", OPTION_FLAG, AT(flag), .help = "a flag"},
    {'o', "other", OPTION_FLAG, AT(other), .help = "another"},
    {'t', "text", OPTION_TEXT, AT(text), .placeholder = "TEXT", .help = "a text"},
    {'T', "texts", OPTION_TEXTS, AT(texts), .placeholder = "TEXT", .help = "texts"},
    {'n', "number", OPTION_INT, AT(number), .placeholder = "N", .help = "a number", .minimum = -5, .maximum = 1000},
    {'d', "length", OPTION_DURATION, AT(length), .placeholder = "D", .help = "a duration"},
    {0, "choice", OPTION_CHOICE, AT(choice), .placeholder = "C", .help = "a choice", .choices = choices},
    {'c', "call", OPTION_CALL, 0, .placeholder = "X", .help = "a call", .call = call},
    {0},
};

static void check_good(const struct target *t, int first, int argc)
{
    FUZZ_CHECK(first >= 0 && first <= argc, "the first operand is %d of %d", first, argc);
    FUZZ_CHECK(t->number >= -5 && t->number <= 1000, "the number is %d", t->number);
    FUZZ_CHECK(t->choice >= 0 && t->choice < 3 && t->length >= 0, "the choice is %d", t->choice);
}

/* The words are all there, whatever their order. */
static void check_words(char **argv, const struct strvec *words, bool same_order)
{
    struct strvec now = {0};
    for (size_t i = 0; i < words->count; i++)
        strvec_add(&now, argv[i]);
    FUZZ_CHECK(!same_order || strvec_equal(&now, words), "the words were moved");
    struct strvec before = {0};
    strvec_copy(&before, words);
    strvec_sort(&now);
    strvec_sort(&before);
    FUZZ_CHECK(strvec_equal(&now, &before), "these are other words");
    strvec_clear(&now);
    strvec_clear(&before);
}

static void try_words(const struct strvec *words, enum option_style style)
{
    struct target t = {0};
    struct error e = {0};
    char **argv = mem_zero(words->count + 1, sizeof *argv);
    for (size_t i = 0; i < words->count; i++)
        argv[i] = words->items[i];
    int first = options_parse(rows, style, (int)words->count, argv, &t, &e);
    if (first < 0)
        FUZZ_CHECK(first == -ERROR_USAGE && e.code == ERROR_USAGE && e.text[0], "refused badly: '%s'", e.text);
    else
        check_good(&t, first, (int)words->count);
    check_words(argv, words, first < 0 || style == OPTIONS_FIRST);
    strvec_clear(&t.texts);
    free(argv);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct strvec words = {0};
    char *text = fuzz_text(data, size), *rest = text, *word;
    while ((word = strsep(&rest, "\n")))
        strvec_add(&words, word);
    try_words(&words, OPTIONS_ANYWHERE);
    try_words(&words, OPTIONS_FIRST);
    strvec_clear(&words);
    free(text);
    return 0;
}
