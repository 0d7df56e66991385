#include "lib/base/error.h"

#include <stdio.h>
#include <string.h>

/* What was too long for the room ends in `end`, and no character of it is halved. */
static void error_cut(char *text, size_t size, int wanted, const char *end)
{
    if (wanted < 0 || (size_t)wanted < size)
        return;
    size_t at = size - 2 - strlen(end); /* a byte that is there: what stood behind it is lost */
    while (at && ((unsigned char)text[at] & 0xc0) == 0x80)
        at--;
    strcpy(text + at, end);
}

static void error_fill(struct error *e, enum error_code code, int number, const char *format, va_list arguments)
{
    *e = (struct error){.code = code, .sys = number};
    const char *why = number ? strerror(number) : "";
    size_t room = sizeof e->text - (number ? strlen(why) + 2 : 0); /* what went wrong is told in any case */
    error_cut(e->text, room, vsnprintf(e->text, room, format, arguments), "...");
    for (char *p = e->text; (p = strpbrk(p, "\n\r"));) /* of a value that is quoted in it: it is one line */
        *p = ' ';
    if (number) {
        size_t used = strlen(e->text);
        snprintf(e->text + used, sizeof e->text - used, ": %s", why);
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
            error_cut(e->source, sizeof e->source, snprintf(e->source, sizeof e->source, "%s", source), "");
    }
    return -(int)e->code;
}

int error_field(struct error *e, const char *field)
{
    if (!e)
        return -(int)ERROR_USAGE;
    if (!e->field[0])
        error_cut(e->field, sizeof e->field, snprintf(e->field, sizeof e->field, "%s", field), "...");
    return -(int)e->code;
}
