/* The one shape of an error.
 *
 * A function that can fail takes a struct error, returns 0 or a negative code, and leaves its outputs untouched
 * when it fails. Libraries never print and never exit: a command prints the error, once. */
#ifndef AX_ERROR_H
#define AX_ERROR_H

#include <stdarg.h>
#include <stdbool.h>

/* Codes are the exit codes of ax, so that a command can end with what it was told. */
enum error_code {
    ERROR_NONE = 0,
    ERROR_FAILED = 1,    /* it failed */
    ERROR_USAGE = 2,     /* wrong use or bad input */
    ERROR_NOT_FOUND = 3, /* no such job or run */
    ERROR_EXISTS = 4,    /* exists already, or a scheduler is running */
    ERROR_SPOOL = 5,     /* the spool cannot be used */
    ERROR_LEFT = 6,      /* the scheduler stopped and left runs going */
};

struct error {
    enum error_code code;
    int sys;           /* errno behind it, or 0 */
    int line, column;  /* place in the source text, counted from 1; 0 where there is none */
    int width;         /* bytes to underline from column on */
    int source_skip;   /* bytes of that line left out in front of `source`: a long line is cut around the place */
    char field[64];    /* the field or option at fault, "" where there is none */
    char source[256];  /* the line of source text the column counts in, "" where there is none */
    char text[512];    /* one line: what was wrong and what to do, without the program's name */
};

/* Fills e (which may be NULL) and returns -code. The place and the field stay empty. */
int error_set(struct error *e, enum error_code code, const char *format, ...) __attribute__((format(printf, 3, 4)));

/* As error_set, with ": strerror(number)" behind the text. */
int error_errno(struct error *e, enum error_code code, int number, const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Adds a place to an error that has none yet; `source` is the text the column counts in. Returns -code. */
int error_place(struct error *e, const char *source, int line, int column, int width);

/* Names the field or option at fault, unless one is named already. Returns -code. */
int error_field(struct error *e, const char *field);

#endif
