/* Accesses in other forms. See address_text.h. */
#include "address_text.h"

#include <string.h>

static inline char *put_hex(char *to, uint64_t number, uint32_t least) {
    uint32_t digits = (67u - (uint32_t)__builtin_clzll(number | 1)) / 4;
    if (digits < least) digits = least;
    for (uint32_t i = digits; i-- > 0; number >>= 4) to[i] = "0123456789abcdef"[number & 15];
    return to + digits;
}

static inline char *put_decimal(char *to, uint32_t number) {
    char digits[10];
    uint32_t count = 0;
    do digits[count++] = (char)('0' + number % 10);
    while (number /= 10);
    while (count) *to++ = digits[--count];
    return to;
}

static inline char *put_text(char *to, const char *text) {
    size_t length = strlen(text);
    memcpy(to, text, length);
    return to + length;
}

/* What is modified is read, and then written. */
static char *put_din(char *to, uint64_t address, uint8_t kind) {
    static const char labels[] = {'0', '1', '0', '2'};
    for (char label = labels[kind];; label = '1') {
        *to++ = label;
        *to++ = ' ';
        to = put_hex(to, address, 1);
        *to++ = '\n';
        if (kind != SN_ADDRESS_MODIFY || label == '1') return to;
    }
}

static char *put_lackey(char *to, uint64_t address, uint16_t size, uint8_t kind) {
    static const char *const labels[] = {" L ", " S ", " M ", "I  "};
    to = put_text(to, labels[kind]);
    to = put_hex(to, address, 8);
    *to++ = ',';
    to = put_decimal(to, size);
    *to++ = '\n';
    return to;
}

static char *put_csv(char *to, const struct sn_raw_access *access) {
    static const char *const kinds[] = {",load,", ",store,", ",modify,", ",fetch,"};
    to = put_hex(put_text(to, "0x"), access->ip, 1);
    to = put_hex(put_text(to, ",0x"), access->address, 1);
    *to++ = ',';
    to = put_text(put_decimal(to, access->size), kinds[access->kind]);
    to = put_decimal(to, access->thread);
    *to++ = '\n';
    return to;
}

size_t sn_address_text(const struct sn_address_columns *columns, size_t count, enum sn_address_form form, char *to) {
    char *at = to;
    for (size_t i = 0; i < count; i++) {
        struct sn_raw_access access = {.ip = columns->ip[i],
                                       .address = columns->address[i],
                                       .thread = columns->thread[i],
                                       .size = columns->size[i],
                                       .kind = columns->kind[i] & 3};
        switch (form) {
        case SN_ADDRESS_DIN:
            at = put_din(at, access.address, access.kind);
            break;
        case SN_ADDRESS_LACKEY:
            at = put_lackey(at, access.address, access.size, access.kind);
            break;
        case SN_ADDRESS_CSV:
            at = put_csv(at, &access);
            break;
        case SN_ADDRESS_RAW:
            memcpy(at, &access, sizeof access);
            at += sizeof access;
            break;
        case SN_ADDRESS_FORMS:
            break;
        }
    }
    return (size_t)(at - to);
}
