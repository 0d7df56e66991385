/* Reads a phrase of at from left to right: the place, and what the parts of the grammar share. For the files at*.c. */
#ifndef AX_AT_READER_H
#define AX_AT_READER_H

#include "lib/time/at_phrase.h"

struct at_reader {
    const char *text, *at; /* the whole, and the place */
    struct at_phrase *p;   /* what was read so far */
    struct error *e;
};

/* What a reading function gives, if not a negative code: it took what it knows, and the blanks behind; or left the
 * place as it was. */
enum at_taken { TAKEN_NO, TAKEN_YES };

bool at_is_digit(char c);
size_t at_digits(const char *text);           /* how many the text begins with */
int at_number(const char *at, size_t digits); /* of no more than nine digits */
int at_width(const char *at);     /* the word or number at the place, for an error; a byte if it is neither */
bool at_is_clock(const char *at); /* H:MM, not the beginning of a date with dots */
void at_skip_blanks(struct at_reader *r);

/* ERROR_USAGE with the place; at_expected underlines what stands there. */
int at_refuse(const struct at_reader *r, const char *at, int width, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
int at_expected(const struct at_reader *r, const char *what);

bool at_take_word(struct at_reader *r, enum at_word_kind kind, int *value); /* value may be NULL */
int at_take_number(struct at_reader *r, size_t digits);
int at_set_clock(
    struct at_reader *r, const char *at, int hour, int minute); /* the place is behind it, it began at `at` */

int at_read_date(struct at_reader *r); /* enum at_taken; at_date.c */

bool at_is_stamp(const char *text);     /* [[CC]YY]MMDDhhmm[.ss] and nothing else */
int at_read_stamp(struct at_reader *r); /* at_date.c */

#endif
