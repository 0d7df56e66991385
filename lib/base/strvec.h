/* A list of owned strings, NULL-terminated as execve wants it. A zeroed struct is an empty one. */
#ifndef AX_STRVEC_H
#define AX_STRVEC_H

#include <stdbool.h>
#include <stddef.h>

struct strvec {
    char **items; /* NULL, or count strings and a NULL */
    size_t count, capacity;
};

void strvec_clear(struct strvec *v);
void strvec_add(struct strvec *v, const char *text);
void strvec_take(struct strvec *v, char *text); /* takes over a malloc'd string */
void strvec_copy(struct strvec *to, const struct strvec *from); /* replaces what to held */
bool strvec_equal(const struct strvec *a, const struct strvec *b);
void strvec_sort(struct strvec *v);

/* NAME=VALUE lists. strvec_env_set replaces a NAME that is there; strvec_env_get gives NULL where it is not. */
void strvec_env_set(struct strvec *v, const char *name, const char *value);
const char *strvec_env_get(const struct strvec *v, const char *name);

#endif
