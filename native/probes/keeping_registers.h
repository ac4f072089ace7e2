/* Functions that code with probes calls in the middle of its own: NAME keeps all general registers but r11, as LLVM's
 * convention `preserve_most` has it, those of arguments and results among them, and calls NAME_slowly. */
#ifndef SONDE_KEEPING_REGISTERS_H
#define SONDE_KEEPING_REGISTERS_H

/* What only assembler text names. */
#define SN_FOR_ASSEMBLY __attribute__((used, visibility("hidden")))

#if defined(__x86_64__)
/* Of a function without a result. */
#define SN_KEEPING_ALL_REGISTERS(name)                                                                               \
    __asm__(".text\n"                                                                                                \
            ".globl " #name "\n"                                                                                     \
            ".type " #name ", @function\n" #name ":\n"                                                               \
            ".cfi_startproc\n"                                                                                       \
            "  push %rax\n  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n  push %r8\n  push %r9\n  push %r10\n" \
            "  sub $8, %rsp\n"                                                                                       \
            ".cfi_adjust_cfa_offset 72\n"                                                                            \
            "  call " #name "_slowly\n"                                                                              \
            "  add $8, %rsp\n"                                                                                       \
            "  pop %r10\n  pop %r9\n  pop %r8\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n  pop %rax\n"         \
            ".cfi_adjust_cfa_offset -72\n"                                                                           \
            "  ret\n"                                                                                                \
            ".cfi_endproc\n"                                                                                         \
            ".size " #name ", .-" #name "\n");

/* Of one with a result, in rax. */
#define SN_KEEPING_REGISTERS_BUT_RESULT(name)                                                                        \
    __asm__(".text\n"                                                                                                \
            ".globl " #name "\n"                                                                                     \
            ".type " #name ", @function\n" #name ":\n"                                                               \
            ".cfi_startproc\n"                                                                                       \
            "  push %rcx\n  push %rdx\n  push %rsi\n  push %rdi\n  push %r8\n  push %r9\n  push %r10\n"               \
            ".cfi_adjust_cfa_offset 56\n"                                                                            \
            "  call " #name "_slowly\n"                                                                              \
            "  pop %r10\n  pop %r9\n  pop %r8\n  pop %rdi\n  pop %rsi\n  pop %rdx\n  pop %rcx\n"                      \
            ".cfi_adjust_cfa_offset -56\n"                                                                           \
            "  ret\n"                                                                                                \
            ".cfi_endproc\n"                                                                                         \
            ".size " #name ", .-" #name "\n");
#endif

#endif
