#include "lib/base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void *mem_there(void *memory)
{
    static const char text[] = "ax: out of memory\n";
    if (memory)
        return memory;
    if (write(STDERR_FILENO, text, sizeof text - 1) < 0)
        abort();
    abort();
}

void *mem_alloc(size_t size)
{
    return mem_there(malloc(size ? size : 1));
}

void *mem_zero(size_t count, size_t size)
{
    return mem_there(calloc(count ? count : 1, size ? size : 1));
}

void *mem_resize(void *old, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / size)
        return mem_there(NULL);
    size_t bytes = count * size;
    return mem_there(realloc(old, bytes ? bytes : 1));
}

void *mem_copy(const void *data, size_t size)
{
    void *copy = mem_alloc(size);
    if (size)
        memcpy(copy, data, size);
    return copy;
}

char *mem_string(const char *text)
{
    return text ? mem_copy(text, strlen(text) + 1) : NULL;
}

char *mem_format(const char *format, ...)
{
    char *text = NULL;
    va_list arguments;
    va_start(arguments, format);
    if (vasprintf(&text, format, arguments) < 0)
        text = NULL;
    va_end(arguments);
    return mem_there(text);
}
