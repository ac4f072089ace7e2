#include "epilogue.h"

#include <stdint.h>
#include <string.h>

#define MOST_INSTRUCTIONS 24

#if defined(__x86_64__)
/* An instruction that an epilogue may have: its first bytes, and its length. */
typedef struct {
    unsigned char first[4];
    unsigned char count, length;
} pattern;

static const pattern patterns[] = {
    {{0x48, 0x83, 0xc4}, 3, 4},       /* add $8 bits, %rsp */
    {{0x48, 0x81, 0xc4}, 3, 7},       /* add $32 bits, %rsp */
    {{0x48, 0x8d, 0x65}, 3, 4},       /* lea 8 bits(%rbp), %rsp */
    {{0x48, 0x8d, 0xa5}, 3, 7},       /* lea 32 bits(%rbp), %rsp */
    {{0x48, 0x8d, 0x64, 0x24}, 4, 5}, /* lea 8 bits(%rsp), %rsp */
    {{0x48, 0x8d, 0xa4, 0x24}, 4, 8}, /* lea 32 bits(%rsp), %rsp */
    {{0x48, 0x89, 0xec}, 3, 3},       /* mov %rbp, %rsp */
    {{0xc9}, 1, 1},                   /* leave */
    {{0xc5, 0xf8, 0x77}, 3, 3},       /* vzeroupper */
    {{0x0f, 0xb6, 0xc0}, 3, 3},       /* movzbl %al, %eax */
    {{0x0f, 0xb7, 0xc0}, 3, 3},       /* movzwl %ax, %eax */
    {{0x0f, 0xbe, 0xc0}, 3, 3},       /* movsbl %al, %eax */
    {{0x0f, 0xbf, 0xc0}, 3, 3},       /* movswl %ax, %eax */
    {{0x90}, 1, 1},                   /* nop */
};

/* The length of an instruction that an epilogue may have; 0: it has none such. */
static unsigned length_of(const unsigned char *code) {
    for (unsigned each = 0; each < sizeof patterns / sizeof *patterns; each++)
        if (!memcmp(code, patterns[each].first, patterns[each].count)) return patterns[each].length;
    unsigned prefix = (code[0] & 0xf0) == 0x40; /* of 64 bits, or of the later registers */
    unsigned char operation = code[prefix], registers = code[prefix + 1];
    if ((operation & 0xf8) == 0x58) return prefix + 1; /* pop */
    if (operation == 0x89 && (registers & 0xc7) == 0xc0 && !(prefix && code[0] & 1)) return prefix + 2; /* mov %any, %rax */
    if (operation == 0x8b && (registers & 0xf8) == 0xc0 && !(prefix && code[0] & 4)) return prefix + 2;
    return 0;
}

bool sn_is_epilogue(const unsigned char *code) {
    for (unsigned each = 0; each < MOST_INSTRUCTIONS; each++) {
        if (code[0] == 0xc3 || code[0] == 0xc2) return true; /* ret */
        int32_t distance;
        switch (code[0]) {
        case 0xeb: /* jmp */
            code += 2 + (signed char)code[1];
            continue;
        case 0xe9:
            memcpy(&distance, code + 1, sizeof distance);
            code += 5 + distance;
            continue;
        default: break;
        }
        unsigned length = length_of(code);
        if (!length) return false;
        code += length;
    }
    return false;
}
#else
bool sn_is_epilogue(const unsigned char *code) { return code == 0; }
#endif
