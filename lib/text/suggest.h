/* The known word nearest to a misspelt one (Damerau-Levenshtein, at most a third of its length away). */
#ifndef AX_SUGGEST_H
#define AX_SUGGEST_H

#include <stddef.h>

struct suggest {
    const char *word; /* what was typed */
    const char *best; /* nearest so far, or NULL */
    size_t distance;
};

void suggest_offer(struct suggest *s, const char *candidate); /* candidate must outlive s */

#endif
