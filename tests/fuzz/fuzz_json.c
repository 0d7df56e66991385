#include "lib/text/json.h"
#include "lib/text/utf8.h"
#include "tests/fuzz/fuzz.h"

static void check_written(const struct value *v)
{
    struct buf b = {0}, twice = {0};
    struct value again = {0};
    struct error e = {0};
    bool lossy = false;
    json_write(&b, v, &lossy);
    FUZZ_CHECK(!lossy, "what was read is not written whole: %s", buf_string(&b));
    FUZZ_CHECK(!memchr(buf_string(&b), '\n', b.length), "more than a line: %s", buf_string(&b));
    FUZZ_CHECK(json_read(buf_string(&b), b.length, &again, &e) == 0, "%s is not read: %s", buf_string(&b), e.text);
    FUZZ_CHECK(value_equal(v, &again), "%s is another value", buf_string(&b));
    json_write(&twice, &again, NULL);
    FUZZ_CHECK(!strcmp(buf_string(&b), buf_string(&twice)), "%s is written as %s", buf_string(&b), buf_string(&twice));
    value_clear(&again);
    buf_clear(&b);
    buf_clear(&twice);
}

/* Any bytes as a text: what is written is valid and has no raw control characters. */
static void check_bytes(const uint8_t *data, size_t size)
{
    struct value text = value_bytes(data, size), again = {0};
    struct buf b = {0};
    json_write(&b, &text, NULL);
    for (size_t at = 0, step; at < b.length; at += step) {
        uint32_t c = 0;
        step = utf8_decode(b.data + at, b.length - at, &c);
        FUZZ_CHECK(step && c >= 0x20, "a raw byte at %zu of %s", at, b.data);
    }
    FUZZ_CHECK(json_read(b.data, b.length, &again, NULL) == 0, "%s is not read", b.data);
    value_clear(&again);
    value_clear(&text);
    buf_clear(&b);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct value v = {0};
    struct error e = {0};
    int code = json_read((const char *)data, size, &v, &e);
    if (code) {
        FUZZ_CHECK(code == -ERROR_USAGE && v.kind == VALUE_NULL && e.text[0], "refused badly: '%s'", e.text);
        FUZZ_CHECK(e.line >= 1 && e.column >= 1, "no place: line %d, column %d", e.line, e.column);
        FUZZ_CHECK(!strchr(e.text, '\n'), "an error of two lines: %s", e.text);
    } else {
        check_written(&v);
    }
    check_bytes(data, size);
    value_clear(&v);
    return 0;
}
