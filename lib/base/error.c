#include "lib/base/error.h"

#include <stdio.h>
#include <string.h>

static void error_fill(struct error *e, enum error_code code, int number, const char *format, va_list arguments)
{
    *e = (struct error){.code = code, .sys = number};
    vsnprintf(e->text, sizeof e->text, format, arguments);
    if (number) {
        size_t used = strlen(e->text);
        snprintf(e->text + used, sizeof e->text - used, ": %s", strerror(number));
    }
}

int error_set(struct error *e, enum error_code code, const char *format, ...)
{
    if (e) {
        va_list arguments;
        va_start(arguments, format);
        error_fill(e, code, 0, format, arguments);
        va_end(arguments);
    }
    return -(int)code;
}

int error_errno(struct error *e, enum error_code code, int number, const char *format, ...)
{
    if (e) {
        va_list arguments;
        va_start(arguments, format);
        error_fill(e, code, number, format, arguments);
        va_end(arguments);
    }
    return -(int)code;
}

int error_place(struct error *e, const char *source, int line, int column, int width)
{
    if (!e)
        return -(int)ERROR_USAGE;
    if (!e->column && !e->line) {
        e->line = line;
        e->column = column;
        e->width = width;
        if (source)
            snprintf(e->source, sizeof e->source, "%s", source);
    }
    return -(int)e->code;
}

int error_field(struct error *e, const char *field)
{
    if (!e)
        return -(int)ERROR_USAGE;
    if (!e->field[0])
        snprintf(e->field, sizeof e->field, "%s", field);
    return -(int)e->code;
}
