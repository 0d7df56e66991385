/* The words of at(1), and no others: at knows no `mins`, `hrs`, `sept` or `tues`. */
#include <string.h>
#include <strings.h>

#include "lib/time/at_phrase.h"

static const struct at_word words[] = {
    {"now", AT_WORD_NOW, 0},
    {"noon", AT_WORD_TIME, 12},
    {"midnight", AT_WORD_TIME, 0},
    {"teatime", AT_WORD_TIME, 16},
    {"am", AT_WORD_HALF, 0},
    {"pm", AT_WORD_HALF, 12},
    {"utc", AT_WORD_UTC, 0},
    {"today", AT_WORD_DAYS, 0},
    {"tomorrow", AT_WORD_DAYS, 1},
    {"next", AT_WORD_NEXT, 0},
    {"sun", AT_WORD_WEEKDAY, 0},
    {"sunday", AT_WORD_WEEKDAY, 0},
    {"mon", AT_WORD_WEEKDAY, 1},
    {"monday", AT_WORD_WEEKDAY, 1},
    {"tue", AT_WORD_WEEKDAY, 2},
    {"tuesday", AT_WORD_WEEKDAY, 2},
    {"wed", AT_WORD_WEEKDAY, 3},
    {"wednesday", AT_WORD_WEEKDAY, 3},
    {"thu", AT_WORD_WEEKDAY, 4},
    {"thursday", AT_WORD_WEEKDAY, 4},
    {"fri", AT_WORD_WEEKDAY, 5},
    {"friday", AT_WORD_WEEKDAY, 5},
    {"sat", AT_WORD_WEEKDAY, 6},
    {"saturday", AT_WORD_WEEKDAY, 6},
    {"jan", AT_WORD_MONTH, 1},
    {"january", AT_WORD_MONTH, 1},
    {"feb", AT_WORD_MONTH, 2},
    {"february", AT_WORD_MONTH, 2},
    {"mar", AT_WORD_MONTH, 3},
    {"march", AT_WORD_MONTH, 3},
    {"apr", AT_WORD_MONTH, 4},
    {"april", AT_WORD_MONTH, 4},
    {"may", AT_WORD_MONTH, 5},
    {"jun", AT_WORD_MONTH, 6},
    {"june", AT_WORD_MONTH, 6},
    {"jul", AT_WORD_MONTH, 7},
    {"july", AT_WORD_MONTH, 7},
    {"aug", AT_WORD_MONTH, 8},
    {"august", AT_WORD_MONTH, 8},
    {"sep", AT_WORD_MONTH, 9},
    {"september", AT_WORD_MONTH, 9},
    {"oct", AT_WORD_MONTH, 10},
    {"october", AT_WORD_MONTH, 10},
    {"nov", AT_WORD_MONTH, 11},
    {"november", AT_WORD_MONTH, 11},
    {"dec", AT_WORD_MONTH, 12},
    {"december", AT_WORD_MONTH, 12},
    {"min", AT_WORD_UNIT, AT_MINUTE},
    {"minute", AT_WORD_UNIT, AT_MINUTE},
    {"minutes", AT_WORD_UNIT, AT_MINUTE},
    {"hour", AT_WORD_UNIT, AT_HOUR},
    {"hours", AT_WORD_UNIT, AT_HOUR},
    {"day", AT_WORD_UNIT, AT_DAY},
    {"days", AT_WORD_UNIT, AT_DAY},
    {"week", AT_WORD_UNIT, AT_WEEK},
    {"weeks", AT_WORD_UNIT, AT_WEEK},
    {"month", AT_WORD_UNIT, AT_MONTH},
    {"months", AT_WORD_UNIT, AT_MONTH},
    {"year", AT_WORD_UNIT, AT_YEAR},
    {"years", AT_WORD_UNIT, AT_YEAR},
};

static bool is_letter(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static struct at_word longest(const char *text)
{
    struct at_word best = {.name = ""};
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        size_t length = strlen(words[i].name);
        if (length > strlen(best.name) && !strncasecmp(text, words[i].name, length))
            best = words[i];
    }
    return best;
}

struct at_word at_word_find(const char *text)
{
    struct at_word found = longest(text);
    const char *rest = text + strlen(found.name);
    if (is_letter(*rest) && longest(rest).kind == AT_WORD_NONE)
        return (struct at_word){.name = ""}; /* `mins` is not `min` and something else */
    return found;
}
