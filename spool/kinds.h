/* What a kind of field can do: how it is read, written and compared. Behind the table of fields.h; nobody else needs it. */
#ifndef AX_KINDS_H
#define AX_KINDS_H

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

const struct kind *kind_of(const struct field *f);

#endif
