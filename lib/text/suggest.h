/* The known word nearest to a misspelt one: by letters wrong, missing, too many or swapped with their neighbour (Damerau-Levenshtein), at
 * most a third of its length away, one letter for words of two to five. The beginning of a word, from three letters on, is as near as one
 * letter wrong. Of equally near ones the first offered stays. */
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
