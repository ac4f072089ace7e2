/* Strings kept once each, numbered in the order in which they first came.
 *
 * The newest can be forgotten again, so that what was read of a damaged remark leaves no trace. */
#ifndef SONDE_REMARK_STRINGS_H
#define SONDE_REMARK_STRINGS_H

#include "../base/cells.h"

typedef struct {
    char *bytes;       /* one string after another */
    uint64_t *offsets; /* [count + 1] where each begins */
    uint64_t *slots;   /* number + 1 in the low half, half of the hash in the high one; 0: free */
    uint64_t seed;     /* of hashes; unlike in every run, so that no file can be made of strings that collide */
    size_t count, used;
    size_t bytes_room, offsets_room, slots_room; /* the last is a power of two */
} sn_remark_strings;

/* Numbers are below this one, which stands for "none". */
#define SN_REMARK_NONE UINT32_MAX

sn_status sn_remark_strings_create(sn_remark_strings *strings);
void sn_remark_strings_destroy(sn_remark_strings *strings);

/* Its number, old or new. SN_NO_SPACE: there are 2^32 - 2 already. */
sn_status sn_remark_strings_add(sn_remark_strings *strings, const char *text, size_t size, uint32_t *number);

/* Of any bytes, the same for the same and the same seed; its low bits are as good as its high ones. */
uint64_t sn_remark_hash(const char *text, size_t size, uint64_t seed);

/* Only the first `count` are left. */
void sn_remark_strings_forget(sn_remark_strings *strings, size_t count);

#endif
