#include "cmd/import_place.h"

#include <string.h>

/* Behind the string that begins at `at`. */
static const char *string_end(const char *at, const char *end)
{
    for (at++; at < end && *at != '"'; at++)
        if (*at == '\\')
            at++;
    return at < end ? at + 1 : end;
}

static const char *skip_blank(const char *at, const char *end)
{
    while (at < end && strchr(" \t\r\n", *at))
        at++;
    return at;
}

int import_column(const char *text, size_t length, const char *key)
{
    const char *end = text + length;
    int depth = 0;
    for (const char *at = text; at < end;) {
        depth += (*at == '{' || *at == '[') - (*at == '}' || *at == ']');
        if (*at != '"') {
            at++;
            continue;
        }
        const char *word = at + 1;
        at = string_end(at, end);
        const char *colon = skip_blank(at, end);
        if (depth == 1 && colon < end && *colon == ':' && (size_t)(at - word) == strlen(key) + 1 && memcmp(word, key, strlen(key)) == 0)
            return (int)(skip_blank(colon + 1, end) - text) + 1;
    }
    return 0;
}
