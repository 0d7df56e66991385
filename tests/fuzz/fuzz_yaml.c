#include "lib/text/utf8.h"
#include "lib/text/yaml.h"
#include "tests/fuzz/fuzz.h"

/* On the heap and not a byte longer, so that a sanitizer sees a read past its end. */
static int read_exact(const void *data, size_t size, struct value *v, struct errors *errors)
{
    char *exact = malloc(size ? size : 1);
    if (!exact)
        abort();
    memcpy(exact, data, size);
    int code = yaml_read("f", exact, size, v, errors);
    free(exact);
    return code;
}

/* Each has a place that is in the text, one line of words, and can be shown. */
static void check_errors(struct errors *errors, const uint8_t *data, size_t size)
{
    int lines = 1;
    for (size_t i = 0; i < size; i++)
        lines += data[i] == '\n';
    errors_sort(errors);
    for (size_t i = 0; i < errors->count; i++) {
        const struct error *e = &errors->items[i].error;
        struct buf b = {0};
        FUZZ_CHECK(e->text[0] && !strchr(e->text, '\n'), "no words, or two lines: %s", e->text);
        FUZZ_CHECK(e->line >= 1 && e->line <= lines && e->column >= 1 && e->width >= 1, "%d:%d+%d of %d lines: %s", e->line, e->column, e->width,
            lines, e->text);
        FUZZ_CHECK(e->line == lines || (size_t)e->column <= size + 1, "column %d: %s", e->column, e->text);
        errors_format(&errors->items[i], &b);
        for (size_t at = 0, step; at < b.length; at += step) {
            uint32_t c = 0;
            step = utf8_decode(b.data + at, b.length - at, &c);
            FUZZ_CHECK(step && (c >= 0x20 || c == '\n'), "not safe for a terminal: %s", b.data);
        }
        buf_clear(&b);
    }
}

static void check_written(const struct value *v, bool whole)
{
    struct buf b = {0}, twice = {0};
    struct value again = {0};
    struct errors errors = {0};
    FUZZ_CHECK(yaml_write(&b, v) == whole, "written whole, or not: %s", buf_string(&b));
    FUZZ_CHECK(read_exact(b.data, b.length, &again, &errors) == 0, "%s is not read: %s", b.data, errors.items[0].error.text);
    FUZZ_CHECK(again.list.count == 1 && (!whole || value_equal(v, &again.list.items[0])), "%s is another value", b.data);
    yaml_write(&twice, &again.list.items[0]);
    FUZZ_CHECK(!whole || !strcmp(b.data, twice.data), "%s is written as %s", b.data, twice.data);
    errors_clear(&errors);
    value_clear(&again);
    buf_clear(&b);
    buf_clear(&twice);
}

/* Any bytes as a text, as a key and as a comment. */
static void check_bytes(const uint8_t *data, size_t size)
{
    char *text = fuzz_text(data, size);
    struct value v = value_map();
    struct buf b = {0};
    bool whole = true;
    for (size_t at = 0, step; at < size && whole; at += step)
        whole = (step = utf8_decode((const char *)data + at, size - at, &(uint32_t){0})) > 0;
    value_put(&v, text, value_bytes(data, size));
    check_written(&v, whole);
    yaml_write_comment(&b, 1, text);
    struct errors errors = {0};
    struct value none = {0};
    FUZZ_CHECK(read_exact(buf_string(&b), b.length, &none, &errors) == 0 && none.list.count == 0, "no comment: %s", b.data);
    errors_clear(&errors);
    value_clear(&none);
    value_clear(&v);
    buf_clear(&b);
    free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct value v = {0};
    struct errors errors = {0};
    int code = read_exact(data, size, &v, &errors);
    check_errors(&errors, data, size);
    if (code) {
        FUZZ_CHECK(code == -ERROR_USAGE && v.kind == VALUE_NULL, "refused badly");
        FUZZ_CHECK(errors.count > errors.warnings, "refused, and nobody says why");
    } else {
        FUZZ_CHECK(errors.count == errors.warnings, "taken in spite of an error");
        for (size_t i = 0; i < v.list.count; i++)
            check_written(&v.list.items[i], true);
    }
    check_bytes(data, size);
    errors_clear(&errors);
    value_clear(&v);
    return 0;
}
