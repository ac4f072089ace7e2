/* FNV-1a, 64 bits (Fowler, Noll, Vo; public domain): good enough where equality is checked. */
#ifndef SONDE_HASHES_H
#define SONDE_HASHES_H

#include <stdint.h>

#define SN_HASH_START UINT64_C(14695981039346656037)
#define SN_HASH_FACTOR UINT64_C(1099511628211)

static inline uint64_t sn_hash_word(uint64_t hash, uint64_t word) {
    for (int i = 0; i < 8; i++, word >>= 8) hash = (hash ^ (word & 255)) * SN_HASH_FACTOR;
    return hash;
}

static inline uint64_t sn_hash_text(uint64_t hash, const char *text) {
    for (; *text; text++) hash = (hash ^ (unsigned char)*text) * SN_HASH_FACTOR;
    return sn_hash_word(hash, 0);
}

#endif
