#include "lib/base/hash.h"

uint64_t hash_add(uint64_t hash, const void *data, size_t length)
{
    const unsigned char *p = data;
    for (size_t i = 0; i < length; i++)
        hash = (hash ^ p[i]) * UINT64_C(1099511628211);
    return hash;
}
