/* Registers of a thread, as unwinders number them: in the order of DWARF, the return address last. */
#ifndef SONDE_REGISTERS_H
#define SONDE_REGISTERS_H

#include <stdbool.h>
#include <stdint.h>

#if defined(__x86_64__)
enum { SN_REGISTERS = 17, SN_REGISTER_STACK = 7, SN_REGISTER_PC = 16 }; /* rax rdx rcx rbx rsi rdi rbp rsp r8-r15 rip */
#define SN_HAS_REGISTERS 1
#else
enum { SN_REGISTERS = 1, SN_REGISTER_STACK = 0, SN_REGISTER_PC = 0 };
#define SN_HAS_REGISTERS 0
#endif

typedef struct {
    uint64_t values[SN_REGISTERS];
    bool has_all; /* else the stack pointer and the program counter only */
} sn_registers;

static inline uint64_t sn_stack_pointer(const sn_registers *registers) { return registers->values[SN_REGISTER_STACK]; }
static inline uint64_t sn_program_counter(const sn_registers *registers) { return registers->values[SN_REGISTER_PC]; }

#endif
