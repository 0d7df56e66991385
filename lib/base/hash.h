/* FNV-1a, 64 bits: a number that is the same for the same bytes. Not for secrets, nor against those who choose the bytes. */
#ifndef AX_HASH_H
#define AX_HASH_H

#include <stddef.h>
#include <stdint.h>

#define HASH_START UINT64_C(14695981039346656037)

uint64_t hash_add(uint64_t hash, const void *data, size_t length);

#endif
