#include "lib/text/pack.h"
#include "tests/fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct value v = {0}, again = {0};
    struct buf b = {0}, twice = {0};
    struct error e = {0};
    int code = pack_read(data, size, &v, &e);
    if (code) {
        FUZZ_CHECK(code == -ERROR_SPOOL && v.kind == VALUE_NULL && e.text[0], "refused badly: '%s'", e.text);
        return 0;
    }
    pack_write(&b, &v);
    FUZZ_CHECK(b.length <= 9 * size, "%zu bytes have become %zu", size, b.length);
    FUZZ_CHECK(pack_read(b.data, b.length, &again, &e) == 0, "what was written is not read: %s", e.text);
    pack_write(&twice, &again);
    FUZZ_CHECK(b.length == twice.length && !memcmp(b.data, twice.data, b.length), "written in another way");
    value_clear(&v);
    value_clear(&again);
    buf_clear(&b);
    buf_clear(&twice);
    return 0;
}
