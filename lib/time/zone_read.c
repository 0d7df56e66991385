/* TZif, RFC 9636. A file may come from anyone: every count is checked against the bytes there are before it is used. */
#include <string.h>

#include "lib/base/mem.h"
#include "lib/time/zone_data.h"

enum { HEADER = 44, TYPES_MAX = 256, TYPE_SIZE = 6, COUNT_MAX = 1 << 20, FOOTER_MAX = 256 };

struct bytes {
    const unsigned char *at;
    size_t left;
};

struct header {
    unsigned char version;
    uint32_t ut_flags, standard_flags, leaps, times, types, chars;
    int time_size;
};

static uint64_t big_endian(const unsigned char *p, int size)
{
    uint64_t value = 0;
    for (int i = 0; i < size; i++)
        value = value << 8 | p[i];
    return value;
}

static const unsigned char *take(struct bytes *b, size_t size)
{
    const unsigned char *p = b->at;
    b->at += size;
    b->left -= size;
    return p;
}

static int damaged(const char *name, const char *what, struct error *e)
{
    return error_set(e, ERROR_USAGE, "time zone %.100s: the file is damaged: %s", name, what);
}

static uint64_t body_size(const struct header *h)
{
    return (uint64_t)h->times * (h->time_size + 1) + (uint64_t)h->types * TYPE_SIZE + h->chars +
           (uint64_t)h->leaps * (h->time_size + 4) + h->standard_flags + h->ut_flags;
}

static const char *read_header(struct bytes *b, int time_size, struct header *h)
{
    if (b->left < HEADER || memcmp(b->at, "TZif", 4) != 0)
        return "it does not begin with TZif";
    const unsigned char *p = take(b, HEADER);
    uint32_t counts[6];
    for (int i = 0; i < 6; i++)
        counts[i] = (uint32_t)big_endian(p + 20 + 4 * i, 4);
    *h = (struct header){p[4], counts[0], counts[1], counts[2], counts[3], counts[4], counts[5], time_size};
    for (int i = 0; i < 6; i++)
        if (counts[i] > COUNT_MAX)
            return "a count is too large";
    if (body_size(h) > b->left)
        return "it is too short";
    if (h->types < 1 || h->types > TYPES_MAX || h->chars < 1)
        return "it has no local time types, or too many";
    if ((h->standard_flags && h->standard_flags != h->types) || (h->ut_flags && h->ut_flags != h->types))
        return "the counts contradict each other";
    return NULL;
}

static const char *read_times(struct bytes *b, const struct header *h, struct zone *z)
{
    z->times = mem_zero(h->times, sizeof *z->times);
    z->kinds = mem_zero(h->times, 1);
    z->count = h->times;
    for (size_t i = 0; i < z->count; i++) {
        uint64_t raw = big_endian(take(b, h->time_size), h->time_size);
        z->times[i] = h->time_size == 4 ? (int64_t)(int32_t)(uint32_t)raw : (int64_t)raw;
        if (i && z->times[i] <= z->times[i - 1])
            return "the transitions are not in order";
    }
    if (z->count)
        memcpy(z->kinds, take(b, z->count), z->count);
    for (size_t i = 0; i < z->count; i++)
        if (z->kinds[i] >= h->types)
            return "a transition has a type that does not exist";
    return NULL;
}

/* Abbreviations are shown to people, so they must be what POSIX allows: letters, digits, + and -. */
static const char *read_abbreviation(const char *chars, size_t size, struct zone_offset *type)
{
    size_t length = strnlen(chars, size);
    if (length == size || length >= sizeof type->abbreviation)
        return "an abbreviation is too long";
    for (size_t i = 0; i < length; i++)
        if (!strchr("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+-", chars[i]))
            return "an abbreviation has strange characters";
    memcpy(type->abbreviation, chars, length);
    return NULL;
}

static const char *read_types(struct bytes *b, const struct header *h, struct zone *z)
{
    const unsigned char *raw = take(b, (size_t)h->types * TYPE_SIZE);
    const char *chars = (const char *)take(b, h->chars);
    z->types = mem_zero(h->types, sizeof *z->types);
    for (uint32_t i = 0; i < h->types; i++, raw += TYPE_SIZE) {
        int32_t offset = (int32_t)(uint32_t)big_endian(raw, 4);
        if (offset < -ZONE_OFFSET_MAX || offset > ZONE_OFFSET_MAX || raw[4] > 1 || raw[5] >= h->chars)
            return "a local time type is out of range";
        z->types[i].seconds = offset;
        z->types[i].dst = raw[4];
        const char *wrong = read_abbreviation(chars + raw[5], h->chars - raw[5], &z->types[i]);
        if (wrong)
            return wrong;
    }
    return NULL;
}

static const char *read_body(struct bytes *b, const struct header *h, struct zone *z)
{
    if (h->leaps)
        return "it counts leap seconds, which POSIX time does not: take the zone without right/";
    const char *wrong = read_times(b, h, z);
    if (!wrong)
        wrong = read_types(b, h, z);
    if (!wrong)
        take(b, (size_t)h->standard_flags + h->ut_flags);
    return wrong;
}

static const char *read_footer(struct bytes *b, struct zone *z)
{
    char text[FOOTER_MAX];
    const unsigned char *end = b->left > 1 && b->at[0] == '\n' ? memchr(b->at + 1, '\n', b->left - 1) : NULL;
    if (!end)
        return "its TZ string is missing";
    size_t length = (size_t)(end - b->at) - 1;
    if (!length)
        return NULL;
    if (length >= sizeof text || memchr(b->at + 1, '\0', length))
        return "its TZ string is wrong";
    memcpy(text, b->at + 1, length);
    text[length] = '\0';
    z->has_rule = zone_rule_parse(text, &z->rule, NULL) == 0;
    return z->has_rule ? NULL : "its TZ string is wrong";
}

/* Version 1 has 32-bit times only; later versions have them too, for old readers, and the real data after them. */
static const char *read_all(struct bytes *b, struct zone *z)
{
    struct header h;
    const char *wrong = read_header(b, 4, &h);
    if (wrong || h.version < '2')
        return wrong ? wrong : read_body(b, &h, z);
    take(b, (size_t)body_size(&h));
    wrong = read_header(b, 8, &h);
    if (!wrong)
        wrong = read_body(b, &h, z);
    return wrong ? wrong : read_footer(b, z);
}

int zone_read(const char *name, const void *data, size_t size, struct zone **out, struct error *e)
{
    struct bytes b = {data, size};
    struct zone *z = mem_zero(1, sizeof *z);
    z->name = mem_string(name);
    const char *wrong = read_all(&b, z);
    if (wrong) {
        zone_free(z);
        return damaged(name, wrong, e);
    }
    *out = z;
    return 0;
}
