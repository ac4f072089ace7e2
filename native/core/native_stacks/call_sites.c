#include "call_sites.h"

#if defined(__x86_64__)
/* The operand of `call *operand`: FF /2, with as many bytes of its own, from ModRM on. */
static bool is_indirect(const uint8_t *code, unsigned bytes) {
    uint8_t mode = code[1] >> 6, operation = code[1] >> 3 & 7, base = code[1] & 7;
    unsigned used = 2;
    if (code[0] != 0xff || operation != 2) return false;
    if (mode != 3 && base == 4) {
        used++; /* SIB */
        if (mode == 0 && (code[2] & 7) == 5) used += 4;
    }
    if (mode == 0 && base == 5) used += 4;
    if (mode == 1) used += 1;
    if (mode == 2) used += 4;
    return used == bytes;
}

bool sn_is_after_call(const uint8_t *before) {
    if (before[SN_CALL_BYTES - 5] == 0xe8) return true; /* call relative */
    for (unsigned bytes = 2; bytes <= 7; bytes++)
        if (is_indirect(before + SN_CALL_BYTES - bytes, bytes)) return true;
    return false;
}
#else
bool sn_is_after_call(const uint8_t *before) {
    (void)before;
    return true;
}
#endif
