#include "lib/text/base64.h"

#include <stdint.h>
#include <string.h>

static const char letters[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

void base64_write(struct buf *b, const void *data, size_t length)
{
    const unsigned char *p = data;
    buf_reserve(b, (length + 2) / 3 * 4);
    for (size_t i = 0; i < length; i += 3) {
        size_t left = length - i;
        uint32_t n = (uint32_t)p[i] << 16 | (left > 1 ? (uint32_t)p[i + 1] << 8 : 0) | (left > 2 ? p[i + 2] : 0);
        char four[4] = {letters[n >> 18], letters[n >> 12 & 63], left > 1 ? letters[n >> 6 & 63] : '=',
            left > 2 ? letters[n & 63] : '='};
        buf_add(b, four, 4);
    }
}

/* -1: no letter of it. */
static int digit(char c)
{
    const char *at = c ? strchr(letters, c) : NULL;
    return at ? (int)(at - letters) : -1;
}

/* Four letters, the last of which may be padding: the number of bytes, or 0. Bits that no byte holds must be 0, so that
 * there is one text for the same bytes. */
static int quad(const char *four, bool last, unsigned char out[3])
{
    int pad = last ? (four[3] == '=') + (four[2] == '=' && four[3] == '=') : 0;
    uint32_t n = 0;
    for (int i = 0; i < 4; i++) {
        int d = i >= 4 - pad ? 0 : digit(four[i]);
        if (d < 0)
            return 0;
        n = n << 6 | (uint32_t)d;
    }
    if (n & ((UINT32_C(1) << 8 * pad) - 1))
        return 0;
    out[0] = (unsigned char)(n >> 16);
    out[1] = (unsigned char)(n >> 8);
    out[2] = (unsigned char)n;
    return 3 - pad;
}

bool base64_read(struct buf *b, const char *text, size_t length)
{
    size_t before = b->length;
    bool good = length % 4 == 0;
    buf_reserve(b, length / 4 * 3);
    for (size_t i = 0; good && i < length; i += 4) {
        unsigned char bytes[3];
        int count = quad(text + i, i + 4 == length, bytes);
        good = count > 0;
        if (good)
            buf_add(b, bytes, (size_t)count);
    }
    if (!good && b->data)
        buf_cut(b, before);
    return good;
}
