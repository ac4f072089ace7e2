/* How a program speaks to Valgrind, if it runs under it. */
#ifndef SONDE_CLIENT_REQUEST_H
#define SONDE_CLIENT_REQUEST_H

#include <stdint.h>

/* The answer of the tool, or `otherwise` where there is none.
 *
 * Valgrind knows a request by instructions that no compiler makes: four rotations of one register that cancel out,
 * and an exchange of another with itself. The request's number and arguments are an array that rax points to.
 * Anywhere else than on x86-64 there is no tool of ours, and so nobody to ask. */
static inline uint64_t sn_ask(uint64_t otherwise, uint64_t request, uint64_t a, uint64_t b, uint64_t c, uint64_t d,
                              uint64_t e) {
#if defined(__x86_64__)
    uint64_t words[6] = {request, a, b, c, d, e};
    uint64_t answer = otherwise;
    __asm__ volatile("rolq $3, %%rdi\n\t"
                     "rolq $13, %%rdi\n\t"
                     "rolq $61, %%rdi\n\t"
                     "rolq $51, %%rdi\n\t"
                     "xchgq %%rbx, %%rbx"
                     : "+d"(answer)
                     : "a"(&words[0])
                     : "cc", "memory");
    return answer;
#else
    (void)request, (void)a, (void)b, (void)c, (void)d, (void)e;
    return otherwise;
#endif
}

static inline void sn_tell(uint64_t request, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e) {
    (void)sn_ask(0, request, a, b, c, d, e);
}

#endif
