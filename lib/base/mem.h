/* Memory that is there or ends the process: no caller checks for NULL. */
#ifndef AX_MEM_H
#define AX_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size);                       /* uninitialised */
void *mem_zero(size_t count, size_t size);          /* zeroed array */
void *mem_resize(void *old, size_t count, size_t size); /* array; NULL allowed */
void *mem_copy(const void *data, size_t size);      /* malloc'd copy */
char *mem_string(const char *text);                 /* malloc'd copy; NULL gives NULL */
char *mem_format(const char *format, ...) __attribute__((format(printf, 1, 2)));

/* Grows an array by doubling so that it can hold `need` items. */
#define MEM_GROW(array, capacity, need)                                                        \
    do {                                                                                       \
        if ((size_t)(need) > (size_t)(capacity)) {                                             \
            size_t grown_ = (size_t)(capacity) * 2 > 8 ? (size_t)(capacity) * 2 : 8;           \
            (capacity) = grown_ > (size_t)(need) ? grown_ : (size_t)(need);                    \
            (array) = mem_resize((array), (capacity), sizeof *(array));                        \
        }                                                                                      \
    } while (0)

#endif
