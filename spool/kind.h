/* What a kind of field can do: how it is read, written and compared. Behind the table of fields.h; nobody else needs it. */
#ifndef AX_KIND_H
#define AX_KIND_H

#include "spool/fields.h"

struct kind {
    /* ERROR_USAGE without a field; j is unchanged then. v is never null. c: see fields.h. */
    int (*set)(struct job *j, const struct field *f, const struct value *v, const struct field_context *c, struct error *e);
    /* One text from the command line; NULL: as set with a text. */
    int (*set_text)(struct job *j, const struct field *f, const char *text, const struct field_context *c, struct error *e);
    void (*reset)(struct job *j, const struct field *f); /* to the default */
    bool (*is_default)(const struct job *j, const struct field *f);
    struct value (*get)(const struct job *j, const struct field *f, enum field_form form);
};

/* kind_text.c; kind_number.c; kind_time.c; kind_schedule.c */
extern const struct kind kind_text, kind_path, kind_bytes, kind_texts, kind_command, kind_shell, kind_map;
extern const struct kind kind_int, kind_size, kind_mode, kind_choice, kind_exits, kind_said;
extern const struct kind kind_duration, kind_durations, kind_at, kind_every;
extern const struct kind kind_expressions, kind_zone, kind_bound;

const struct kind *kind_of(const struct field *f);

/* ---- what kinds share ---- */

void *kind_place(const struct job *j, const struct field *f); /* of the field's member in j */
int kind_refuse(const struct value *v, const char *wanted, struct error *e); /* "wants a text, not a list" */

/* The text of a value without NULs, or NULL. Whole numbers are texts too: YAML and people write `[sleep, 5]`. `digits` holds them. */
#define KIND_DIGITS 24
const char *kind_string(const struct value *v, char digits[KIND_DIGITS], struct error *e);

int kind_place_item(const struct value *item, struct error *e); /* e has the place of the item, unless it has one; ERROR_USAGE */

int kind_schedule_free(const struct job *j, struct error *e); /* it has no schedule yet */

struct value kind_strings(const struct strvec *v); /* a list of texts */
void kind_split(const char *text, struct strvec *out); /* adds the parts between commas, blanks around them left out */

/* Digits with at most a minus in front. Returns how many bytes they take, 0 if there are none; what overflows becomes INT64_MAX or INT64_MIN. */
size_t kind_digits(const char *text, int64_t *out);

#endif
