#include <string.h>

#include "lib/base/hash.h"
#include "lib/time/zone_data.h"

/* Members go in one by one: what lies between them in a struct is not defined. */
static uint64_t add_number(uint64_t hash, int64_t number)
{
    return hash_add(hash, &number, sizeof number);
}

static uint64_t add_offset(uint64_t hash, const struct zone_offset *o)
{
    hash = add_number(add_number(hash, o->seconds), o->dst);
    return hash_add(hash, o->abbreviation, strlen(o->abbreviation) + 1);
}

static uint64_t add_day(uint64_t hash, const struct rule_day *d)
{
    const int64_t numbers[] = {d->form, d->month, d->week, d->day, d->time};
    return hash_add(hash, numbers, sizeof numbers);
}

static uint64_t add_rule(uint64_t hash, const struct zone_rule *r)
{
    hash = add_number(add_offset(hash, &r->standard), r->has_summer);
    return r->has_summer ? add_day(add_day(add_offset(hash, &r->summer), &r->start), &r->end) : hash;
}

uint64_t zone_stamp(const struct zone *z)
{
    uint64_t hash = HASH_START;
    if (!z)
        return hash;
    hash = add_number(hash, (int64_t)z->count);
    for (size_t i = 0; i < z->count; i++)
        hash = add_offset(add_number(hash, z->times[i]), &z->types[z->kinds[i]]);
    if (z->types)
        hash = add_offset(hash, &z->types[0]);
    return z->has_rule ? add_rule(hash, &z->rule) : hash;
}
