#include "lib/text/suggest.h"

#include <string.h>

#define SUGGEST_LONGEST 63

static size_t suggest_least(size_t a, size_t b)
{
    return a < b ? a : b;
}

/* Optimal string alignment: three rows of the table of distances between all beginnings. */
static size_t suggest_distance(const char *a, size_t a_length, const char *b, size_t b_length)
{
    size_t rows[3][SUGGEST_LONGEST + 1];
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = above[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = suggest_least(row[j], suggest_least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = suggest_least(row[j], above2[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

static size_t suggest_reach(size_t length)
{
    return length < 2 ? 0 : length < 6 ? 1 : length / 3;
}

void suggest_offer(struct suggest *s, const char *candidate)
{
    size_t length = strlen(s->word), candidate_length = strlen(candidate), distance;
    if (length > SUGGEST_LONGEST || candidate_length > SUGGEST_LONGEST)
        return;
    if (length >= 3 && length < candidate_length && memcmp(s->word, candidate, length) == 0)
        distance = 1;
    else
        distance = suggest_distance(s->word, length, candidate, candidate_length);
    if (distance > suggest_reach(length) || (s->best && distance >= s->distance))
        return;
    s->best = candidate;
    s->distance = distance;
}
